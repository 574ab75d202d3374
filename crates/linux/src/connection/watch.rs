//! The keepalive timer of a connection [RFC 9293 3.8.4, rules/timers.md rule 27].

use super::{Connection, EndReason, State};
use crate::clock::{TimeInUnits, ms_to_jiffies};
use airtcp_core::Instant;

impl Connection {
    /// The connection is open, or its options were changed.
    pub(super) fn start_keepalive(&mut self, now: TimeInUnits) {
        let keepalive = self.options.keepalive;
        if !keepalive.on || !self.is_keepalive_due() {
            self.keepalive_timer.at = Instant::NEVER;
            return;
        }
        let silent = now.jiffies.saturating_sub(self.last_receive_jiffy());
        let idle = ms_to_jiffies(1000 * keepalive.idle(&self.sysctl));
        self.arm_keepalive(now, idle.saturating_sub(silent).max(1));
    }

    fn is_keepalive_due(&self) -> bool {
        !matches!(self.state, State::Closed | State::SynSent | State::SynReceived | State::TimeWait)
    }

    /// The jiffy in which the other end was heard last.
    fn last_receive_jiffy(&self) -> u64 {
        self.sender.last_ack().max(self.receiver.last_received())
    }

    fn arm_keepalive(&mut self, now: TimeInUnits, jiffies: u64) {
        self.keepalive_timer.at = self.clock.timer_fires_at(now.jiffies, now.jiffies + jiffies);
    }

    /// The keepalive timer expired.
    pub(super) fn on_keepalive_timer(&mut self, now: TimeInUnits) {
        self.keepalive_timer.at = Instant::NEVER;
        let keepalive = self.options.keepalive;
        if !keepalive.on || !self.is_keepalive_due() {
            return;
        }
        let idle = ms_to_jiffies(1000 * keepalive.idle(&self.sysctl));
        let interval = ms_to_jiffies(1000 * keepalive.interval(&self.sysctl));
        if self.sender.nxt() > self.sender.una() || self.sender.write_seq() > self.sender.nxt() {
            // Data are repeated anyway.
            return self.arm_keepalive(now, idle);
        }
        let heard = self.last_receive_jiffy();
        if heard > self.keepalive_timer.last_receive_jiffy {
            self.keepalive_timer.probes = 0;
        }
        let silent = now.jiffies.saturating_sub(heard);
        if silent < idle {
            return self.arm_keepalive(now, idle - silent);
        }
        if self.has_exhausted_probes(silent, keepalive.probes(&self.sysctl)) {
            self.abort(now);
            return self.end_connection(Some(EndReason::TimedOut));
        }
        (self.keepalive_timer.probes, self.keepalive_timer.last_receive_jiffy) =
            (self.keepalive_timer.probes + 1, heard);
        self.send_keepalive_probe(now);
        self.arm_keepalive(now, interval);
    }

    /// Returns whether the other end was silent for too long: `TCP_USER_TIMEOUT` takes the place of the count.
    fn has_exhausted_probes(&self, silent: u64, probes: u64) -> bool {
        match ms_to_jiffies(self.options.user_timeout) {
            0 => self.keepalive_timer.probes >= probes,
            most => silent >= most && self.keepalive_timer.probes > 0,
        }
    }

    /// An ACK with a number that was acknowledged.
    fn send_keepalive_probe(&mut self, now: TimeInUnits) {
        let header = self.receiver.header();
        let segment = self.segment(now.instant, header, self.sender.una() - 1);
        self.enqueue(segment);
    }
}
