//! Losses that RACK finds among the sender's packets, and its timer [rules/rack.md].

use super::Sender;
use super::queue::{Flags, NO_PACKET};
use super::rack::RackInput;
use super::timer::TimerPurpose;
use crate::clock::{TimeInUnits, us_to_jiffies};
use crate::congestion::CaState;

/// Bits of `tcp_recovery` [rules/rack.md].
const STATIC_WINDOW: u64 = 2;
const NO_THRESHOLD: u64 = 4;

impl Sender {
    fn rack_input(&self) -> RackInput {
        RackInput {
            reordering_seen: self.reord_seen > 0,
            state: self.state,
            sacked: self.queue.sacked,
            reordering: self.reordering,
            uses_threshold: self.sysctl.tcp_recovery & NO_THRESHOLD == 0,
        }
    }

    /// Marks overdue packets as lost; returns the longest remaining wait in us, 0 if none [rules/rack.md rule 4].
    pub(super) fn detect_losses(&mut self, now: TimeInUnits) -> u64 {
        let window =
            self.rack.window(&self.rack_input(), self.min_rtt.best_value(), self.rtt.srtt8);
        let window = window << u32::from(self.options.changed.double_window);
        let mut longest = 0;
        let mut prefix = true;
        let mut id = self.queue.lost_cursor;
        while id != NO_PACKET {
            let packet = *self.queue.packet(id);
            let waiting =
                packet.flags.intersects(Flags::LOST) && !packet.flags.intersects(Flags::RETRANS);
            if !waiting {
                prefix = false;
                let sent = (packet.sent_us(), packet.end());
                let Some(remaining) = self.rack.remaining(now.us, sent, window) else { break };
                if remaining <= 0 {
                    self.mark_lost(now, id);
                    self.queue.unlink(id);
                } else {
                    longest = longest.max(remaining);
                }
            } else if prefix {
                self.queue.lost_cursor = packet.next_sent;
            }
            id = packet.next_sent;
        }
        longest as u64
    }

    /// Judges packets on an ACK; returns whether RACK took the timer [rules/rack.md rule 6].
    pub(super) fn rack_on_ack(&mut self, now: TimeInUnits) -> bool {
        if !self.rack.advanced {
            return false;
        }
        self.rack.advanced = false;
        let timeout = self.detect_losses(now);
        if timeout > 0 {
            let delay = us_to_jiffies(timeout + 2000).min(self.rtt.rto);
            self.arm(now, TimerPurpose::Reordering, delay);
        }
        timeout > 0
    }

    /// [rules/rack.md rule 8]
    pub(super) fn adapt_rack(&mut self) {
        let prior = self.rate.prior_delivered();
        if self.sysctl.tcp_recovery & STATIC_WINDOW == 0 && prior != 0 {
            self.rack.adapt_reordering_window(prior, self.rate.delivered);
        }
    }

    /// The reordering timer expired [rules/rack.md rule 7].
    pub(super) fn on_reordering_timer(&mut self, now: TimeInUnits) {
        let (in_flight, lost) = (self.queue.in_flight(), self.rate.lost);
        self.detect_losses(now);
        if self.queue.in_flight() != in_flight {
            if self.state != CaState::Recovery {
                self.enter_recovery(now, false);
                if !self.full_control {
                    let newly = self.rate.lost.wrapping_sub(lost);
                    self.apply_prr(1, newly, false);
                }
            }
            self.retransmit(now);
        }
        if self.timer.purpose != TimerPurpose::Rto {
            self.rearm_rto(now);
        }
    }
}
