//! Moments at which the limit of the sender changes [rules/sockets.md D].

use super::Sender;
use super::chrono::Limit;
use crate::clock::Now;

impl Sender {
    #[inline]
    pub(super) fn chrono_on_written(&mut self, now: Now) {
        if self.chrono.limit == Limit::Nothing {
            self.chrono.set(now, Limit::Busy);
        }
    }

    /// The send routine ended, limited by the window or not.
    #[inline]
    pub(super) fn chrono_limited(&mut self, now: Now, window: bool) {
        if window && self.chrono.limit <= Limit::Window {
            self.chrono.set(now, Limit::Window);
        } else if !window && self.chrono.limit == Limit::Window {
            self.chrono.set(now, Limit::Busy);
        }
        if self.unsent.is_empty() && self.writer.waits_for_space() {
            self.chrono.set(now, Limit::Buffer);
        }
    }

    #[inline]
    pub(super) fn chrono_on_acked(&mut self, now: Now) {
        if self.queue.is_empty() && self.unsent.is_empty() {
            let limit = if self.writer.waits_for_space() { Limit::Buffer } else { Limit::Nothing };
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
