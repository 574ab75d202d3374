//! Time that the sender was busy, and limited by window or buffer [rules/sockets.md D].

use crate::clock::TimeInUnits;

/// Cause that keeps the sender from sending more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub(super) enum LimitCause {
    #[default]
    Nothing,
    /// Neither of the following: data are queued.
    Busy,
    Window,
    Buffer,
}

/// Jiffies spent in each state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chrono {
    pub(super) limit: LimitCause,
    period_start: u64,
    jiffies_spent: [u64; 4],
}

impl Chrono {
    pub(super) fn set(&mut self, now: TimeInUnits, limit: LimitCause) {
        if self.limit != limit {
            self.jiffies_spent[self.limit as usize] +=
                now.jiffies.saturating_sub(self.period_start);
            (self.limit, self.period_start) = (limit, now.jiffies);
        }
    }

    fn time_spent(&self, now: TimeInUnits, limit: LimitCause) -> u64 {
        let running =
            if self.limit == limit { now.jiffies.saturating_sub(self.period_start) } else { 0 };
        self.jiffies_spent[limit as usize] + running
    }

    /// Jiffies in which the peer's window stopped the sender.
    pub(super) fn window(&self, now: TimeInUnits) -> u64 {
        self.time_spent(now, LimitCause::Window)
    }

    /// Jiffies in which its buffer did.
    pub(super) fn buffer(&self, now: TimeInUnits) -> u64 {
        self.time_spent(now, LimitCause::Buffer)
    }

    /// Jiffies in which data were queued.
    pub(super) fn busy(&self, now: TimeInUnits) -> u64 {
        self.time_spent(now, LimitCause::Busy) + self.window(now) + self.buffer(now)
    }
}
