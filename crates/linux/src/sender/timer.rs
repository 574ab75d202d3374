//! The one timer of the sender, and the slot that says for which event it is armed [rules/timers.md rules 6, 9].

use airtcp_core::Instant;

/// Event for which the timer is armed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot {
    #[default]
    Empty,
    /// Retransmission.
    Rto,
    /// Tail loss probe.
    Probe,
    /// RACK's reordering timer.
    Reordering,
    /// Probe of a closed window.
    Persist,
}

/// The timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    pub slot: Slot,
    /// Jiffy in which its bucket was chosen, and jiffy to which it was set.
    pub armed: u64,
    pub expiry: u64,
    /// When the wheel fires it.
    pub at: Instant,
    /// True if the wheel has done this tick's work [rules/timers.md rule 3].
    pub ahead: bool,
    /// True if it is armed when the event is over, and not by each step of it ([`Sender::takes_ack`]).
    pub rests: bool,
}

impl Default for Timer {
    fn default() -> Self {
        Timer {
            slot: Slot::Empty,
            armed: 0,
            expiry: 0,
            at: Instant::NEVER,
            ahead: false,
            rests: false,
        }
    }
}
