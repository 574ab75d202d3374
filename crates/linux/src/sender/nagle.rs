//! Small segments wait for the ACK of the one before [rules/sending.md rules 6, 7].

use super::Sender;
use super::wire::SenderOptions;

/// Treatment of small segments by a call of the send routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SmallSegmentMode {
    /// `TCP_NODELAY`.
    pub(super) off: bool,
    /// `TCP_CORK`.
    cork: bool,
    /// Everything goes.
    push: bool,
}

impl SmallSegmentMode {
    /// As with `TCP_NODELAY`.
    pub(super) const NODELAY: SmallSegmentMode =
        SmallSegmentMode { off: true, cork: false, push: false };
    /// As with `TCP_CORK`.
    pub(super) const CORK: SmallSegmentMode =
        SmallSegmentMode { off: false, cork: true, push: false };
    /// Everything goes.
    pub(super) const PUSH: SmallSegmentMode =
        SmallSegmentMode { off: false, cork: false, push: true };

    /// As the socket is set.
    pub(super) fn of(options: &SenderOptions) -> SmallSegmentMode {
        SmallSegmentMode { off: options.nodelay, cork: options.cork, push: false }
    }
}

impl Sender {
    /// Returns whether a partial segment would wait.
    pub(super) fn holds_partial_segment(&self, mode: SmallSegmentMode) -> bool {
        if mode.push {
            return false;
        }
        let small_outstanding = self.una < self.snd_sml && self.snd_sml <= self.nxt;
        mode.cork || (!mode.off && !self.queue.is_empty() && small_outstanding)
    }

    /// Returns whether the buffer at the front, of one segment, waits.
    pub(super) fn nagle_test_fails(&self, mode: SmallSegmentMode, mss: u32) -> bool {
        let Some(front) = self.unsent.front() else { return false };
        front.len < mss && !front.fin && self.unsent.len() == 1 && self.holds_partial_segment(mode)
    }
}
