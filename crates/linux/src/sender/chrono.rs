//! What the sender spent its time on [linux/sockets.md D].

use super::Sender;
use crate::clock::Now;

/// What it is limited by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
enum Limit {
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
    limit: Limit,
    since: u64,
    spent: [u64; 4],
}

impl Chrono {
    fn set(&mut self, now: Now, limit: Limit) {
        if self.limit != limit {
            self.spent[self.limit as usize] += now.jiffies.saturating_sub(self.since);
            (self.limit, self.since) = (limit, now.jiffies);
        }
    }

    fn spent(&self, now: Now, limit: Limit) -> u64 {
        let running = if self.limit == limit { now.jiffies.saturating_sub(self.since) } else { 0 };
        self.spent[limit as usize] + running
    }

    /// Jiffies in which the peer's window stopped the sender.
    pub(super) fn window(&self, now: Now) -> u64 {
        self.spent(now, Limit::Window)
    }

    /// Jiffies in which its buffer did.
    pub(super) fn buffer(&self, now: Now) -> u64 {
        self.spent(now, Limit::Buffer)
    }

    /// Jiffies in which data were queued.
    pub(super) fn busy(&self, now: Now) -> u64 {
        self.spent(now, Limit::Busy) + self.window(now) + self.buffer(now)
    }
}

impl Sender {
    #[inline]
    pub(super) fn chrono_on_written(&mut self, now: Now) {
        if self.chrono.limit == Limit::Nothing {
            self.chrono.set(now, Limit::Busy);
        }
    }

    /// The send routine ended, at the window's edge or not.
    #[inline]
    pub(super) fn chrono_limited(&mut self, now: Now, window: bool) {
        if window && self.chrono.limit <= Limit::Window {
            self.chrono.set(now, Limit::Window);
        } else if !window && self.chrono.limit == Limit::Window {
            self.chrono.set(now, Limit::Busy);
        }
        if self.unsent.is_empty() && self.writer.waits() {
            self.chrono.set(now, Limit::Buffer);
        }
    }

    #[inline]
    pub(super) fn chrono_on_acked(&mut self, now: Now) {
        if self.queue.is_empty() && self.unsent.is_empty() {
            let limit = if self.writer.waits() { Limit::Buffer } else { Limit::Nothing };
            self.chrono.set(now, limit);
        }
    }

    pub(super) fn chrono_space(&mut self, now: Now) {
        if self.chrono.limit == Limit::Buffer {
            let idle = self.queue.is_empty() && self.unsent.is_empty();
            self.chrono.set(now, if idle { Limit::Nothing } else { Limit::Busy });
        }
    }
}
