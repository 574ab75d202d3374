//! Small segments wait for the ACK of the one before [rules/sending.md rules 6, 7].

use super::Sender;
use super::wire::SenderOptions;

/// Treatment of small segments by a call of the send routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// `TCP_NODELAY`.
    pub(super) off: bool,
    /// `TCP_CORK`.
    cork: bool,
    /// Everything goes.
    push: bool,
}

impl Mode {
    /// As with `TCP_NODELAY`.
    pub(super) const OFF: Mode = Mode { off: true, cork: false, push: false };
    /// As with `TCP_CORK`.
    pub(super) const CORK: Mode = Mode { off: false, cork: true, push: false };
    /// Everything goes.
    pub(super) const PUSH: Mode = Mode { off: false, cork: false, push: true };

    /// As the socket is set.
    pub(super) fn of(options: &SenderOptions) -> Mode {
        Mode { off: options.nodelay, cork: options.cork, push: false }
    }
}

impl Sender {
    /// Returns whether a partial segment would wait.
    pub(super) fn holds_partial(&self, mode: Mode) -> bool {
        if mode.push {
            return false;
        }
        let small_outstanding = self.una < self.snd_sml && self.snd_sml <= self.nxt;
        mode.cork || (!mode.off && !self.queue.is_empty() && small_outstanding)
    }

    /// Returns whether the buffer at the front, of one segment, waits.
    pub(super) fn nagle_holds(&self, mode: Mode, mss: u32) -> bool {
        let Some(front) = self.unsent.front() else { return false };
        front.len < mss && !front.fin && self.unsent.len() == 1 && self.holds_partial(mode)
    }
}
