//! Steps that one ACK takes, in order [rules/recovery.md A].

use super::Sender;
use super::context::{Context, Verdict};
use super::nagle::Mode;
use super::wire::{AckIn, AckVerdict};
use crate::clock::Now;
use crate::congestion::CaState;
use crate::rate::AckTotals;

impl Sender {
    /// Takes the acknowledging part of a segment. The caller then lets the receiving half see its data, and
    /// calls [`Sender::data_snd_check`].
    pub fn on_ack(&mut self, now: Now, a: &AckIn) -> AckVerdict {
        if a.ack < self.una {
            return self.on_old_ack(now, a);
        }
        if a.ack > self.nxt {
            return AckVerdict::Challenge;
        }
        let mut c = self.context(a);
        if c.advanced {
            self.retransmits = 0;
        }
        if !(a.header_predicted && c.advanced && a.sack.is_empty()) {
            c.ece = self.ecn && a.ece && !a.syn;
            c.window_update = self.update_window(now, a);
            self.acknowledge(a.ack);
            if self.sack && !a.sack.is_empty() {
                self.tag(now, a, &mut c);
            }
            self.rate.delivered = self.rate.delivered.wrapping_add(c.sack_delivered);
        } else {
            self.wl1 = a.seq;
            self.acknowledge(a.ack);
            c.window_update = true;
        }
        (self.last_ack, self.probed.count) = (now.jiffies, 0);
        if self.queue.is_empty() {
            self.on_idle_ack(now, &mut c);
        } else {
            self.on_live_ack(now, &mut c);
        }
        self.check_counts();
        AckVerdict::Ok
    }

    /// Takes data whose acknowledgement and window are old news, where nothing is out and nothing waits: [`Sender::on_ack`] and
    /// [`Sender::data_snd_check`] would do no more. Whether it is so.
    #[inline(always)]
    pub(crate) fn takes_plain_data(&mut self, now: Now, ack: u64, seq: u64) -> bool {
        let idle = ack == self.una && self.queue.is_empty() && self.unsent.is_empty();
        if !idle || self.writer.waits() || self.probe_is_out() || self.drops {
            return false;
        }
        (self.wl1, self.last_ack, self.probed.count) = (self.wl1.max(seq), now.jiffies, 0);
        true
    }

    /// An ACK from before una [rules/recovery.md rule 1].
    fn on_old_ack(&mut self, now: Now, a: &AckIn) -> AckVerdict {
        if self.una - a.ack > self.max_window.min(self.totals.bytes_acked) {
            return AckVerdict::Challenge;
        }
        if self.sack && !a.sack.is_empty() {
            let mut c = self.context(a);
            self.tag(now, a, &mut c);
            self.rate.delivered = self.rate.delivered.wrapping_add(c.sack_delivered);
            let verdict = self.alert(now, &mut c, 0);
            self.recover(now, verdict);
        }
        self.check_counts();
        AckVerdict::Ok
    }

    #[inline]
    fn context(&mut self, a: &AckIn) -> Context {
        self.rate.begin();
        let offset = self.timestamps.unwrap_or(0);
        Context {
            advanced: a.ack > self.una,
            una: self.una,
            fack: if self.sack { self.highest_sacked() } else { self.una },
            in_flight: self.queue.in_flight(),
            sacked: self.queue.sacked,
            delivered: self.rate.delivered,
            lost: self.rate.lost,
            was_reneging: self.reneging,
            data: a.has_data,
            echo: a.ts.filter(|ts| ts.1 != 0).map(|ts| ts.1.wrapping_sub(offset)),
            ..Context::default()
        }
    }

    #[inline]
    pub(super) fn acknowledge(&mut self, ack: u64) {
        self.totals.bytes_acked += ack - self.una;
        self.una = ack;
    }

    /// [rules/recovery.md rule 5]
    fn update_window(&mut self, now: Now, a: &AckIn) -> bool {
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
    fn on_idle_ack(&mut self, now: Now, c: &mut Context) {
        if c.dsack {
            self.alert(now, c, 0);
        }
        self.on_window_ack(now);
        self.end_probe(now, c);
    }

    /// [rules/recovery.md rules 8 to 11]
    fn on_live_ack(&mut self, now: Now, c: &mut Context) {
        self.clean(now, c);
        self.adapt_rack();
        self.end_probe(now, c);
        let not_duplicate = c.data || c.window_update || c.acked;
        let alarming = c.newly_sacked || c.ece || c.dsack;
        let mut verdict = Verdict::None;
        if !not_duplicate || alarming || self.state != CaState::Open {
            let duplicates = u32::from(!c.advanced && !not_duplicate && !c.dsack);
            verdict = self.alert(now, c, duplicates);
        }
        if c.rearm {
            self.set_timer(now);
        }
        self.control_congestion(now, c);
        self.recover(now, verdict);
    }

    /// [rules/recovery.md rules 10, 11]
    fn control_congestion(&mut self, now: Now, c: &Context) {
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
                min_rtt: self.min_rtt.get(),
                rtt_us: c.rtt,
                reneging: c.was_reneging,
                ack_delayed: c.delayed,
            },
            &mut self.w.app_limited,
        );
        if self.full_control {
            let tcp_sock = self.tcp_sock(now);
            self.control.cong_control(&tcp_sock, &mut self.w, &sample);
            return;
        }
        if self.reducing() {
            self.reduce(delivered, lost, c.advanced);
        } else if c.acked || (c.newly_sacked && self.reordering > self.initial_reordering()) {
            let tcp_sock = self.tcp_sock(now);
            self.control.cong_avoid(&tcp_sock, &mut self.w, delivered);
            self.usage.stamp = now.jiffies;
        }
        self.update_pacing_rate();
    }

    fn initial_reordering(&self) -> u32 {
        self.sysctl.tcp_reordering as u32
    }

    /// Sends what the state machine asks for [rules/recovery.md rule 11].
    fn recover(&mut self, now: Now, verdict: Verdict) {
        match verdict {
            Verdict::None => return,
            Verdict::Lost => {}
            Verdict::New => {
                self.push_pending(now, Mode::OFF);
                if self.nxt > self.high_seq {
                    return;
                }
                self.frto = false;
            }
        }
        self.retransmit(now);
    }

    /// The counts must be those of the flags, where somebody checks.
    #[inline]
    fn check_counts(&self) {
        debug_assert!(self.una <= self.nxt && self.nxt <= self.write_seq);
        debug_assert!(self.queue.lost <= self.queue.out());
        debug_assert!(self.queue.sacked <= self.queue.out());
        debug_assert!(self.queue.retrans <= self.queue.out());
    }
}
