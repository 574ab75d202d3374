//! The keepalive timer of a connection [RFC 9293 3.8.4, rules/timers.md rule 27].

use super::{Connection, Ended, State};
use crate::clock::{Now, ms_to_jiffies};
use airtcp_core::Instant;

impl Connection {
    /// The connection is open, or its options were changed.
    pub(super) fn watch(&mut self, now: Now) {
        let keepalive = self.options.keepalive;
        if !keepalive.on || !self.is_watched() {
            self.watch.at = Instant::NEVER;
            return;
        }
        let silent = now.jiffies.saturating_sub(self.heard());
        let idle = ms_to_jiffies(1000 * keepalive.idle(&self.sysctl));
        self.watch_in(now, idle.saturating_sub(silent).max(1));
    }

    fn is_watched(&self) -> bool {
        !matches!(self.state, State::Closed | State::SynSent | State::SynReceived | State::TimeWait)
    }

    /// The jiffy in which the other end was heard last.
    fn heard(&self) -> u64 {
        self.sender.last_ack().max(self.receiver.last_received())
    }

    fn watch_in(&mut self, now: Now, jiffies: u64) {
        self.watch.at = self.clock.fires(now.jiffies, now.jiffies + jiffies);
    }

    /// The keepalive timer expired.
    pub(super) fn on_watch(&mut self, now: Now) {
        self.watch.at = Instant::NEVER;
        let keepalive = self.options.keepalive;
        if !keepalive.on || !self.is_watched() {
            return;
        }
        let idle = ms_to_jiffies(1000 * keepalive.idle(&self.sysctl));
        let interval = ms_to_jiffies(1000 * keepalive.interval(&self.sysctl));
        if self.sender.nxt() > self.sender.una() || self.sender.write_seq() > self.sender.nxt() {
            // Data are repeated anyway.
            return self.watch_in(now, idle);
        }
        let heard = self.heard();
        if heard > self.watch.heard {
            self.watch.probes = 0;
        }
        let silent = now.jiffies.saturating_sub(heard);
        if silent < idle {
            return self.watch_in(now, idle - silent);
        }
        if self.has_waited(silent, keepalive.probes(&self.sysctl)) {
            self.abort(now);
            return self.end(Some(Ended::TimedOut));
        }
        (self.watch.probes, self.watch.heard) = (self.watch.probes + 1, heard);
        self.probe(now);
        self.watch_in(now, interval);
    }

    /// Returns whether the other end was silent for too long: `TCP_USER_TIMEOUT` takes the place of the count.
    fn has_waited(&self, silent: u64, probes: u64) -> bool {
        match ms_to_jiffies(self.options.user_timeout) {
            0 => self.watch.probes >= probes,
            most => silent >= most && self.watch.probes > 0,
        }
    }

    /// An ACK with a number that was acknowledged.
    fn probe(&mut self, now: Now) {
        let header = self.receiver.header();
        let segment = self.segment(now.instant, header, self.sender.una() - 1);
        self.put(segment);
    }
}
