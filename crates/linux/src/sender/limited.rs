//! Moments at which the limit of the sender changes [rules/sockets.md D].

use super::Sender;
use super::chrono::LimitCause;
use crate::clock::TimeInUnits;

impl Sender {
    #[inline]
    pub(super) fn chrono_on_written(&mut self, now: TimeInUnits) {
        if self.chrono.limit == LimitCause::Nothing {
            self.chrono.set(now, LimitCause::Busy);
        }
    }

    /// The send routine ended, limited by the window or not.
    #[inline]
    pub(super) fn chrono_limited(&mut self, now: TimeInUnits, window: bool) {
        if window && self.chrono.limit <= LimitCause::Window {
            self.chrono.set(now, LimitCause::Window);
        } else if !window && self.chrono.limit == LimitCause::Window {
            self.chrono.set(now, LimitCause::Busy);
        }
        if self.unsent.is_empty() && self.writer.waits_for_space() {
            self.chrono.set(now, LimitCause::Buffer);
        }
    }

    #[inline]
    pub(super) fn chrono_on_acked(&mut self, now: TimeInUnits) {
        if self.queue.is_empty() && self.unsent.is_empty() {
            let limit = if self.writer.waits_for_space() {
                LimitCause::Buffer
            } else {
                LimitCause::Nothing
            };
            self.chrono.set(now, limit);
        }
    }

    pub(super) fn chrono_on_space(&mut self, now: TimeInUnits) {
        if self.chrono.limit == LimitCause::Buffer {
            let idle = self.queue.is_empty() && self.unsent.is_empty();
            self.chrono.set(now, if idle { LimitCause::Nothing } else { LimitCause::Busy });
        }
    }
}
