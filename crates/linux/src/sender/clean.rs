//! Acknowledged packets leave the queue, and their round trip is measured
//! [rules/recovery.md C, rules/rtt.md rules 2 to 4, 10].

use super::Sender;
use super::context::AckContext;
use super::queue::{Flags, NO_PACKET};
use crate::clock::{HZ, TICK_US, TimeInUnits};

/// Flags of packets that need more than the common case.
const MARK_FLAGS: Flags = Flags::SACKED
    .union(Flags::LOST)
    .union(Flags::RETRANS)
    .union(Flags::EVER_RETRANS)
    .union(Flags::SLOT_USED);
/// Differences of the timestamp clock that are no round trips, in ms.
const MAX_RTT_US: u32 = i32::MAX as u32 / 1000;

/// Send times of the first and the last packet that give samples.
#[derive(Clone, Copy, Default)]
struct SendTimes {
    first: Option<u64>,
    last: u64,
    packets: u32,
}

impl Sender {
    pub(super) fn clean_rtx_queue(&mut self, now: TimeInUnits, c: &mut AckContext) {
        c.reordered = NO_PACKET;
        let samples = self.remove_acknowledged(now, c);
        if let Some(head) = self.queue.first() {
            c.reneging = head.flags.intersects(Flags::SACKED);
        }
        c.acked = samples.packets > 0;
        self.measure_rtt(now, c, samples);
        if c.acked {
            c.rearm_rto = true;
            if !self.sack {
                self.remove_reno_sacks(samples.packets);
                c.orig_sacked &= !c.retrans_acked;
            } else if c.reordered < c.fack {
                self.update_reordering(c.reordered);
            }
        } else if let (true, Some(sent), Some(head)) =
            (c.measured, c.sacked_first, self.queue.first())
        {
            c.rearm_rto |= now.us.saturating_sub(sent) > now.us.saturating_sub(head.sent_us());
        }
        if c.rtt >= 0 {
            let tcp_sock = self.tcp_sock(now);
            self.control.pkts_acked(&tcp_sock, &mut self.cc_window, c.rtt);
        }
    }

    /// [rules/recovery.md rules 22, 23]
    fn remove_acknowledged(&mut self, now: TimeInUnits, c: &mut AckContext) -> SendTimes {
        let (una, sack) = (self.una, self.sack);
        let mut samples = SendTimes::default();
        let min_rtt = self.min_rtt.best_value();
        while let Some(packet) = self.queue.first() {
            let end = packet.end();
            if end > una {
                break;
            }
            let (sent, flags) = (packet.sent_us(), packet.flags);
            if flags.intersects(MARK_FLAGS) {
                self.remove_from_counts(now, c, &mut samples);
            } else {
                let record = packet.record;
                samples.first.get_or_insert(sent);
                samples.last = sent;
                c.reordered = c.reordered.min(packet.seq);
                c.orig_sacked |= end <= self.high_seq;
                if sack {
                    self.rate.delivered = self.rate.delivered.wrapping_add(1);
                    self.rack.advance(now.us, sent, end, false, min_rtt);
                }
                self.rate.on_delivered(&record, sent, end, false);
            }
            samples.packets += 1;
            self.queue.pop();
        }
        if samples.packets > 0 {
            if self.queue.retransmit_hint < self.queue.head() {
                self.queue.retransmit_hint = NO_PACKET;
            }
            self.queue.begin_buffer(self.queue.head());
            self.chrono_on_acked(now);
        }
        samples
    }

    /// The head goes and has marks.
    fn remove_from_counts(
        &mut self,
        now: TimeInUnits,
        c: &mut AckContext,
        samples: &mut SendTimes,
    ) {
        let id = self.queue.head();
        let packet = *self.queue.packet(id);
        let (flags, sent, end) = (packet.flags, packet.sent_us(), packet.end());
        let ever = flags.intersects(Flags::EVER_RETRANS);
        let sacked = flags.intersects(Flags::SACKED);
        if ever {
            self.queue.clear_retrans(id);
            c.retrans_acked = true;
        } else if !sacked {
            samples.first.get_or_insert(sent);
            samples.last = sent;
            c.reordered = c.reordered.min(packet.seq);
            c.orig_sacked |= end <= self.high_seq;
        }
        if sacked {
            self.queue.sacked -= 1;
        } else if self.sack {
            self.rate.delivered = self.rate.delivered.wrapping_add(1);
            let ms = (packet.sent / 1_000_000) as u32;
            let spurious = ever && c.echo.is_some_and(|echo| (echo.wrapping_sub(ms) as i32) < 0);
            if !spurious {
                self.rack.advance(now.us, sent, end, ever, self.min_rtt.best_value());
            }
        }
        self.queue.clear_lost(id);
        if !flags.intersects(Flags::SLOT_USED) {
            self.rate.on_delivered(&packet.record, sent, end, ever);
        }
    }

    /// [rules/rtt.md rules 2 to 4]
    fn measure_rtt(&mut self, now: TimeInUnits, c: &mut AckContext, samples: SendTimes) {
        let since = |sent: u64| now.us.saturating_sub(sent);
        let mut sample = None;
        if let Some(first) = samples.first.filter(|_| !c.retrans_acked) {
            sample = Some(since(first));
            c.rtt = since(samples.last) as i64;
            c.delayed = samples.packets == 1 && self.is_delayed(c);
        }
        if let Some(first) = c.sacked_first {
            sample = sample.or(Some(since(first)));
            c.rtt = since(c.sacked_last) as i64;
        }
        if sample.is_none() && c.acked && self.timestamps.is_some() {
            sample = c.echo.and_then(|echo| {
                let ms = ((now.instant.nanos() / 1_000_000) as u32).wrapping_sub(echo);
                (ms < MAX_RTT_US).then(|| u64::from(ms.max(1)) * 1000)
            });
            c.rtt = sample.map_or(c.rtt, |rtt| rtt as i64);
        }
        if let Some(sample) = sample {
            c.measured = true;
            self.record_min_rtt(now, c.rtt, c.delayed);
            self.rtt.add_sample(sample, self.una, self.nxt);
        }
    }

    /// Returns whether the ACK of one packet is probably delayed [rules/rtt.md rule 10].
    fn is_delayed(&self, c: &AckContext) -> bool {
        c.sacked == 0
            && self.una - c.una < u64::from(self.mss_cache)
            && self.rate.prior_delivered().wrapping_add(1) == self.rate.delivered
            && !(c.newly_sacked || c.ece || c.dsack)
    }

    /// Keeps the least round trip [rules/rtt.md rules 10, 11].
    #[inline]
    pub(super) fn record_min_rtt(&mut self, now: TimeInUnits, rtt: i64, delayed: bool) {
        let value = rtt.clamp(0, i64::from(u32::MAX)) as u32;
        if delayed && value > self.min_rtt.best_value() {
            return;
        }
        let window = self.sysctl.tcp_min_rtt_wlen as u32 * HZ;
        let value = if value == 0 { TICK_US as u32 } else { value };
        self.min_rtt.running_min(window, now.jiffies as u32, value);
    }
}
