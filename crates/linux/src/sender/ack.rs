//! Steps that one ACK takes, in order [rules/recovery.md A].

use super::Sender;
use super::context::{AckContext, LossVerdict};
use super::nagle::SmallSegmentMode;
use super::wire::{AckIn, AckVerdict};
use crate::clock::TimeInUnits;
use crate::congestion::CaState;
use crate::rate::AckTotals;

impl Sender {
    /// Takes the acknowledging part of a segment. The caller then lets the receiving half see its data, and
    /// calls [`Sender::data_snd_check`].
    pub fn on_ack(&mut self, now: TimeInUnits, a: &AckIn) -> AckVerdict {
        if a.ack < self.una {
            return self.on_old_ack(now, a);
        }
        if a.ack > self.nxt {
            return AckVerdict::Challenge;
        }
        let mut c = self.context(a);
        if c.una_advanced {
            self.retransmits = 0;
        }
        if !(a.header_predicted && c.una_advanced && a.sack.is_empty()) {
            c.ece = self.ecn && a.ece && !a.syn;
            c.window_update = self.update_window(now, a);
            self.advance_una(a.ack);
            if self.sack && !a.sack.is_empty() {
                self.process_sack(now, a, &mut c);
            }
            self.rate.delivered = self.rate.delivered.wrapping_add(c.sack_delivered);
        } else {
            self.wl1 = a.seq;
            self.advance_una(a.ack);
            c.window_update = true;
        }
        (self.last_ack, self.window_probes.count) = (now.jiffies, 0);
        if self.queue.is_empty() {
            self.on_ack_without_outstanding(now, &mut c);
        } else {
            self.on_ack_with_outstanding(now, &mut c);
        }
        self.check_counts();
        AckVerdict::Ok
    }

    /// Takes a data segment without a new ACK or window, with nothing outstanding or waiting: equivalent to
    /// [`Sender::on_ack`] and [`Sender::data_snd_check`]. Whether it is so.
    #[inline(always)]
    pub(crate) fn accept_ack_of_plain_data(
        &mut self,
        now: TimeInUnits,
        ack: u64,
        seq: u64,
    ) -> bool {
        let idle = ack == self.una && self.queue.is_empty() && self.unsent.is_empty();
        if !idle
            || self.writer.waits_for_space()
            || self.has_probe_outstanding()
            || self.drops_output
        {
            return false;
        }
        (self.wl1, self.last_ack, self.window_probes.count) = (self.wl1.max(seq), now.jiffies, 0);
        true
    }

    /// An ACK from before una [rules/recovery.md rule 1].
    fn on_old_ack(&mut self, now: TimeInUnits, a: &AckIn) -> AckVerdict {
        if self.una - a.ack > self.max_window.min(self.totals.bytes_acked) {
            return AckVerdict::Challenge;
        }
        if self.sack && !a.sack.is_empty() {
            let mut c = self.context(a);
            self.process_sack(now, a, &mut c);
            self.rate.delivered = self.rate.delivered.wrapping_add(c.sack_delivered);
            let verdict = self.on_dubious_ack(now, &mut c, 0);
            self.apply_loss_verdict(now, verdict);
        }
        self.check_counts();
        AckVerdict::Ok
    }

    #[inline]
    fn context(&mut self, a: &AckIn) -> AckContext {
        self.rate.begin_sample();
        let offset = self.timestamps.unwrap_or(0);
        AckContext {
            una_advanced: a.ack > self.una,
            una: self.una,
            fack: if self.sack { self.highest_sacked() } else { self.una },
            in_flight: self.queue.in_flight(),
            sacked: self.queue.sacked,
            delivered: self.rate.delivered,
            lost: self.rate.lost,
            was_reneging: self.reneging,
            acked_data: a.has_data,
            echo: a.ts.filter(|ts| ts.1 != 0).map(|ts| ts.1.wrapping_sub(offset)),
            ..AckContext::default()
        }
    }

    #[inline]
    pub(super) fn advance_una(&mut self, ack: u64) {
        self.totals.bytes_acked += ack - self.una;
        self.una = ack;
    }

    /// [rules/recovery.md rule 5]
    fn update_window(&mut self, now: TimeInUnits, a: &AckIn) -> bool {
        let news = a.seq == self.wl1 && (a.window > self.snd_wnd || a.window == 0);
        if a.ack <= self.una && a.seq <= self.wl1 && !news {
            return false;
        }
        self.wl1 = a.seq;
        if self.snd_wnd != a.window {
            self.snd_wnd = a.window;
            if !self.unsent.is_empty() {
                self.check_idle(now);
            }
            if a.window > self.max_window {
                self.max_window = a.window;
                self.sync_mss();
            }
        }
        true
    }

    /// Nothing was outstanding [rules/recovery.md rule 7].
    fn on_ack_without_outstanding(&mut self, now: TimeInUnits, c: &mut AckContext) {
        if c.dsack {
            self.on_dubious_ack(now, c, 0);
        }
        self.on_window_ack(now);
        self.check_probe_outcome(now, c);
    }

    /// [rules/recovery.md rules 8 to 11]
    fn on_ack_with_outstanding(&mut self, now: TimeInUnits, c: &mut AckContext) {
        self.clean_rtx_queue(now, c);
        self.adapt_rack();
        self.check_probe_outcome(now, c);
        let not_duplicate = c.acked_data || c.window_update || c.acked;
        let alarming = c.newly_sacked || c.ece || c.dsack;
        let mut verdict = LossVerdict::None;
        if !not_duplicate || alarming || self.state != CaState::Open {
            let duplicates = u32::from(!c.una_advanced && !not_duplicate && !c.dsack);
            verdict = self.on_dubious_ack(now, c, duplicates);
        }
        if c.rearm_rto {
            self.set_timer(now);
        }
        self.control_congestion(now, c);
        self.apply_loss_verdict(now, verdict);
    }

    /// [rules/recovery.md rules 10, 11]
    fn control_congestion(&mut self, now: TimeInUnits, c: &AckContext) {
        let delivered = self.rate.delivered.wrapping_sub(c.delivered);
        let lost = self.rate.lost.wrapping_sub(c.lost);
        if c.ece {
            self.totals.delivered_ce += delivered;
        }
        let sample = self.rate.sample(
            &AckTotals {
                now_us: now.us,
                delivered,
                lost,
                prior_in_flight: c.in_flight,
                min_rtt: self.min_rtt.best_value(),
                rtt_us: c.rtt,
                reneging: c.was_reneging,
                ack_delayed: c.delayed,
            },
            &mut self.cc_window.app_limited,
        );
        if self.full_control {
            let tcp_sock = self.tcp_sock(now);
            self.control.cong_control(&tcp_sock, &mut self.cc_window, &sample);
            return;
        }
        if self.is_reducing() {
            self.apply_prr(delivered, lost, c.una_advanced);
        } else if c.acked || (c.newly_sacked && self.reordering > self.initial_reordering()) {
            let tcp_sock = self.tcp_sock(now);
            self.control.cong_avoid(&tcp_sock, &mut self.cc_window, delivered);
            self.usage.stamp = now.jiffies;
        }
        self.update_pacing_rate();
    }

    fn initial_reordering(&self) -> u32 {
        self.sysctl.tcp_reordering as u32
    }

    /// Sends as the loss verdict requires [rules/recovery.md rule 11].
    fn apply_loss_verdict(&mut self, now: TimeInUnits, verdict: LossVerdict) {
        match verdict {
            LossVerdict::None => return,
            LossVerdict::Lost => {}
            LossVerdict::New => {
                self.push_pending(now, SmallSegmentMode::NODELAY);
                if self.nxt > self.high_seq {
                    return;
                }
                self.uses_frto = false;
            }
        }
        self.retransmit(now);
    }

    /// Debug check that the counts match the flags.
    #[inline]
    fn check_counts(&self) {
        debug_assert!(self.una <= self.nxt && self.nxt <= self.write_seq);
        debug_assert!(self.queue.lost <= self.queue.packets_out());
        debug_assert!(self.queue.sacked <= self.queue.packets_out());
        debug_assert!(self.queue.retrans <= self.queue.packets_out());
    }
}
