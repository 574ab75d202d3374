//! Small segments wait for the ACK of the one before [rules/sending.md rules 6, 7].

use super::Sender;
use super::wire::SenderOptions;

/// Treatment of small segments by a call of the send routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SmallSegmentMode {
    /// `TCP_NODELAY`.
    pub(super) has_nodelay: bool,
    /// `TCP_CORK`.
    cork: bool,
    /// Small segments are sent at once.
    sends_all: bool,
}

impl SmallSegmentMode {
    /// Mode of `TCP_NODELAY`.
    pub(super) const NODELAY: SmallSegmentMode =
        SmallSegmentMode { has_nodelay: true, cork: false, sends_all: false };
    /// Mode of `TCP_CORK`.
    pub(super) const CORK: SmallSegmentMode =
        SmallSegmentMode { has_nodelay: false, cork: true, sends_all: false };
    /// Small segments are sent at once.
    pub(super) const PUSH: SmallSegmentMode =
        SmallSegmentMode { has_nodelay: false, cork: false, sends_all: true };

    /// Mode by the options of the socket.
    pub(super) fn from_options(options: &SenderOptions) -> SmallSegmentMode {
        SmallSegmentMode { has_nodelay: options.nodelay, cork: options.cork, sends_all: false }
    }
}

impl Sender {
    /// Returns whether a partial segment would wait.
    pub(super) fn holds_partial_segment(&self, mode: SmallSegmentMode) -> bool {
        if mode.sends_all {
            return false;
        }
        let small_outstanding = self.una < self.snd_sml && self.snd_sml <= self.nxt;
        mode.cork || (!mode.has_nodelay && !self.queue.is_empty() && small_outstanding)
    }

    /// Returns whether the buffer at the front, of one segment, waits.
    pub(super) fn nagle_test_fails(&self, mode: SmallSegmentMode, mss: u32) -> bool {
        let Some(front) = self.unsent.front() else { return false };
        front.len < mss && !front.fin && self.unsent.len() == 1 && self.holds_partial_segment(mode)
    }
}
