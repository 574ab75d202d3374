//! Tail loss probes: their timer, and their packets [rules/timers.md C, RFC 8985 section 7].

use super::Sender;
use super::context::AckContext;
use super::nagle::SmallSegmentMode;
use super::timer::TimerPurpose;
use super::tlp::ProbeOutcome;
use super::xmit::XmitLimit;
use crate::clock::{HZ, TICK_US, TimeInUnits, us_to_jiffies};
use crate::congestion::CaState;

impl Sender {
    /// [rules/timers.md rule 18]
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: TimeInUnits, from_ack: bool) -> bool {
        if !self.probes_tails() || !matches!(self.state, CaState::Open | CaState::Cwr) {
            return false;
        }
        let Some(head) = self.queue.first() else { return false };
        let mut wait = self.probe_wait();
        let rto = self.rtt.rto * TICK_US;
        let bound = if from_ack { rto } else { (head.sent_us() + rto).saturating_sub(now.us) };
        if bound > 0 {
            wait = wait.min(us_to_jiffies(bound));
        }
        self.arm(now, TimerPurpose::Probe, wait + self.pacing_delay(now));
        true
    }

    /// Returns whether tails are probed at all.
    #[inline]
    pub(super) fn probes_tails(&self) -> bool {
        matches!(self.sysctl.tcp_early_retrans, 3 | 4) && self.sack
    }

    /// Jiffies after which a probe is due, if the retransmission is not due before.
    #[inline]
    pub(super) fn probe_wait(&self) -> u64 {
        if self.rtt.srtt8 == 0 {
            return u64::from(HZ);
        }
        let margin = if self.queue.packets_out() == 1 { self.rtt.rto_min } else { 2000 };
        us_to_jiffies(u64::from(self.rtt.srtt8 >> 2) + u64::from(margin))
    }

    /// [rules/timers.md rules 19, 20]
    pub(super) fn on_probe_timer(&mut self, now: TimeInUnits) {
        if self.probe.high_seq.is_some() {
            return self.rearm_rto(now);
        }
        self.probe.retransmission = false;
        let mss = self.current_mss();
        if self.first_segment_fits(mss) {
            let out = self.queue.packets_out();
            self.write_xmit(now, SmallSegmentMode::NODELAY, XmitLimit::Probe);
            if self.queue.packets_out() > out {
                self.probe_sent(now);
            } else {
                self.rearm_rto(now);
            }
            return;
        }
        if self.queue.is_empty() {
            return self.rearm_rto(now);
        }
        let last = self.queue.tail() - 1;
        if self.retransmit_tail(now, last, mss) {
            self.probe.retransmission = true;
            self.probe_sent(now);
        } else {
            self.rearm_rto(now);
        }
    }

    fn probe_sent(&mut self, now: TimeInUnits) {
        self.probe.high_seq = Some(self.nxt);
        self.clear_timer();
        self.rearm_rto(now);
    }

    /// Returns whether a probe is outstanding.
    pub(super) fn has_probe_outstanding(&self) -> bool {
        self.probe.high_seq.is_some()
    }

    /// [rules/timers.md rule 21]
    #[inline]
    pub(super) fn check_probe_outcome(&mut self, now: TimeInUnits, c: &AckContext) {
        let duplicate =
            !(c.una_advanced || c.acked_data || c.window_update || c.acked || c.newly_sacked);
        match self.probe.outcome_of_ack(self.una, c.dsack_of_probe, duplicate) {
            None => {}
            Some(ProbeOutcome::Arrived) => self.probe.high_seq = None,
            Some(ProbeOutcome::Repaired) => {
                self.start_reduction(now);
                self.set_state(now, CaState::Cwr);
                self.end_reduction(now);
                self.enter_open_or_disorder(now);
            }
        }
    }
}
