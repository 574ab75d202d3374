//! Probes of a closed window [rules/timers.md D].

use super::Sender;
use super::socket::RETRY_AFTER_DROP;
use super::timer::TimerPurpose;
use super::wire::Outgoing;
use crate::clock::{HZ, TimeInUnits, ms_to_jiffies};
use airtcp_core::Instant;

/// Least wait, in jiffies.
const MIN_PROBE_WAIT: u64 = HZ as u64 / 5;

impl Sender {
    fn persist_base(&self) -> u64 {
        self.rtt.rto.max(MIN_PROBE_WAIT)
    }

    fn persist_wait(&self) -> u64 {
        (self.persist_base() << self.rtt.backoff.min(10)).min(self.rtt.rto_max)
    }

    /// Nothing could be sent and nothing is outstanding [rules/timers.md rule 23].
    pub(super) fn check_persist(&mut self, now: TimeInUnits) {
        if self.queue.is_empty() && self.timer.purpose == TimerPurpose::Empty {
            self.arm(now, TimerPurpose::Persist, self.persist_base() + self.pacing_delay(now));
        }
    }

    /// An ACK arrived while nothing was outstanding [rules/timers.md rule 26].
    pub(super) fn on_window_ack(&mut self, now: TimeInUnits) {
        let Some(buffer) = self.unsent.front() else { return };
        if self.nxt + u64::from(buffer.sequence_length()) <= self.una + self.snd_wnd {
            (self.rtt.backoff, self.window_probes.since) = (0, None);
            self.clear_timer();
        } else {
            self.arm(now, TimerPurpose::Persist, self.persist_wait() + self.pacing_delay(now));
        }
    }

    /// [rules/timers.md rules 24, 25]
    pub(super) fn on_persist_timer(&mut self, now: TimeInUnits) {
        if !self.queue.is_empty() || self.unsent.is_empty() {
            (self.window_probes.count, self.rtt.backoff, self.window_probes.since) = (0, 0, None);
            return;
        }
        if u64::from(self.window_probes.count) >= self.retries() {
            self.gave_up = true;
            return;
        }
        if self.probed_for_too_long(now) {
            self.gave_up = true;
            return;
        }
        if self.device_rejects(now) {
            self.window_probes.count += 1;
            return self.arm_persist(now, RETRY_AFTER_DROP);
        }
        let edge = self.una + self.snd_wnd;
        if self.nxt < edge {
            let mss = self.current_mss();
            let room = (edge - self.nxt).min(u64::from(mss)) as u32;
            let buffer = self.unsent.take(room);
            self.send_new(now, buffer.with_push(), mss);
            (self.window_probes.count, self.rtt.backoff) = (0, 0);
            return;
        }
        self.probe_window(now);
        self.window_probes.count += 1;
        if u64::from(self.rtt.backoff) < self.sysctl.tcp_retries2 {
            self.rtt.backoff += 1;
        }
        self.arm_persist(now, self.persist_wait());
    }

    /// Returns whether `TCP_USER_TIMEOUT` has passed since the first probe [rules/timers.md rule 29].
    fn probed_for_too_long(&mut self, now: TimeInUnits) -> bool {
        let since = *self.window_probes.since.get_or_insert(now.jiffies);
        let most = ms_to_jiffies(self.options.user_timeout);
        most > 0 && now.jiffies - since >= most
    }

    /// Arms for the next probe, at most until `TCP_USER_TIMEOUT` is over [rules/timers.md rule 29].
    fn arm_persist(&mut self, now: TimeInUnits, wait: u64) {
        let mut wait = wait + self.pacing_delay(now);
        if let (Some(since), most @ 1..) =
            (self.window_probes.since, ms_to_jiffies(self.options.user_timeout))
        {
            wait = wait.min((since + most).saturating_sub(now.jiffies).max(1));
        }
        self.arm(now, TimerPurpose::Persist, wait);
    }

    fn probe_window(&mut self, now: TimeInUnits) {
        self.output_queue.push_back(Outgoing {
            seq: self.una - 1,
            len: 0,
            packets: 1,
            mss: self.mss_cache,
            fin: false,
            psh: false,
            retransmission: false,
            cwr: false,
            ect: false,
            departure: Instant::from_nanos(self.departure.max(now.instant.nanos())),
            probe: true,
        });
    }
}
