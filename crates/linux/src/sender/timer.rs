//! The single timer of the sender, and the purpose for which it is armed [rules/timers.md rules 6, 9].

use airtcp_core::Instant;

/// Purpose for which the timer is armed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimerPurpose {
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
    pub purpose: TimerPurpose,
    /// Jiffy in which the timer was armed, and jiffy of its expiry.
    pub armed: u64,
    pub expiry: u64,
    /// Time at which the wheel fires the timer.
    pub at: Instant,
    /// True if the wheel has done this tick's work [rules/timers.md rule 3].
    pub tick_processed: bool,
    /// True if the timer is armed at the end of the event and not by each step of it (`accept_plain_ack`).
    pub arms_at_event_end: bool,
}

impl Default for Timer {
    fn default() -> Self {
        Timer {
            purpose: TimerPurpose::Empty,
            armed: 0,
            expiry: 0,
            at: Instant::NEVER,
            tick_processed: false,
            arms_at_event_end: false,
        }
    }
}
