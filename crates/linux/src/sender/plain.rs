//! Fast path for an ACK in order, without loss or SACK: it gives the result of [`Sender::on_ack`] without the checks for packets
//! that were SACKed, lost or retransmitted [rules/recovery.md rules 4, 8].

use super::Sender;
use super::queue::{Flags, NO_PACKET, Packet, Queue};
use super::timer::TimerPurpose;
use crate::clock::{TICK_US, TimeInUnits};
use crate::congestion::CaState;
use crate::rate::AckTotals;

/// Packets that leave the queue in order.
struct AckedPackets {
    packets: u32,
    /// Send time of the first packet in us.
    first_us: u64,
    last: Packet,
}

impl Queue {
    /// Number of packets that end at `una` or before, unless the first is partly acknowledged.
    #[inline(always)]
    fn packets_acked_by(&self, before: u64, una: u64) -> u32 {
        let mut id = self.head;
        if self.packet(id).seq != before {
            return 0;
        }
        while id < self.tail && self.packet(id).end() <= una {
            id += 1;
        }
        (id - self.head) as u32
    }

    /// Removes the first `packets` (at least one) of a queue in which no packet was ever marked, so that send order is
    /// sequence order.
    #[inline(always)]
    fn remove_unmarked_packets(&mut self, packets: u32) -> AckedPackets {
        let (first_us, head) = (self.packet(self.head).sent_us(), self.head + u64::from(packets));
        let last = *self.packet(head - 1);
        let buffers = (self.head..head)
            .filter(|id| self.packet(*id).flags.intersects(Flags::APP_LIMITED_FIRST))
            .count();
        self.buffers -= buffers as u32;
        self.head = head;
        let rest = head < self.tail;
        self.first_sent = if rest { head } else { NO_PACKET };
        if self.lost_cursor < head {
            self.lost_cursor = self.first_sent;
        }
        if self.retransmit_hint < head {
            self.retransmit_hint = NO_PACKET;
        }
        if rest {
            self.packet_mut(head).previous_sent = NO_PACKET;
            self.begin_buffer(head);
        } else {
            self.last_sent = NO_PACKET;
        }
        AckedPackets { packets, first_us, last }
    }
}

impl Sender {
    /// Takes an ACK that passed header prediction and covers whole unmarked packets, then sends: equivalent to
    /// [`Sender::on_ack`] and [`Sender::data_snd_check`] come to. Whether it is such an ACK; if not, nothing has been
    /// done.
    #[inline(always)]
    pub(crate) fn accept_plain_ack(&mut self, now: TimeInUnits, ack: u64, seq: u64) -> bool {
        if !self.is_plain() || ack <= self.una {
            return false;
        }
        let packets = self.queue.packets_acked_by(self.una, ack);
        if packets == 0 {
            return false;
        }
        let (una, in_flight) = (self.una, self.queue.in_flight());
        self.retransmits = 0;
        self.wl1 = seq;
        self.advance_una(ack);
        (self.last_ack, self.window_probes.count) = (now.jiffies, 0);
        let acked = self.queue.remove_unmarked_packets(packets);
        let (rtt_us, ack_delayed) = self.measure_rtt_of_acked(now, &acked, una);
        // A burst arms the timer for a retransmission, and then for the probe of the tail: only the last time shows, where the
        // probe is surely due in an earlier jiffy.
        self.timer.arms_at_event_end = self.tail_probe_precedes_rto(now);
        if !self.timer.arms_at_event_end {
            self.set_timer(now);
        }
        let nxt = self.nxt;
        self.grow_cwnd(now, packets, in_flight, rtt_us, ack_delayed);
        self.data_snd_check(now);
        if self.timer.arms_at_event_end {
            self.arm_at_end_of_event(now, self.nxt > nxt);
        }
        true
    }

    /// Arms the timer at the end of an event; `sent` if data were sent.
    #[inline(always)]
    fn arm_at_end_of_event(&mut self, now: TimeInUnits, sent: bool) {
        self.timer.arms_at_event_end = false;
        let wait = self.probe_wait() + self.pacing_delay(now);
        if sent {
            self.arm_again(now, TimerPurpose::Probe, wait);
        } else {
            self.arm(now, TimerPurpose::Probe, wait);
        }
    }

    /// Returns whether nothing is suspicious.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.state == CaState::Open
            && self.queue.head >= self.queue.unmarked
            && !self.queue.is_empty()
            && self.sack
            && !self.has_probe_outstanding()
            && !self.reneging
            && !self.drops_output
    }

    /// Samples of the round trip and of the rate of delivery: the round trip for congestion control, and whether the ACK is
    /// probably delayed.
    #[inline(always)]
    fn measure_rtt_of_acked(
        &mut self,
        now: TimeInUnits,
        acked: &AckedPackets,
        una: u64,
    ) -> (i64, bool) {
        let (sent, end) = (acked.last.sent_us(), acked.last.end());
        self.rate.begin_sample();
        self.rate.delivered = self.rate.delivered.wrapping_add(acked.packets);
        self.rack.advance(now.us, sent, end, false, self.min_rtt.best_value());
        self.rate.on_delivered(&acked.last.record, sent, end, false);
        self.chrono_on_acked(now);
        let rtt = now.us.saturating_sub(sent) as i64;
        let flag = acked.packets == 1 && self.una - una < u64::from(self.mss_cache);
        let prior = acked.last.record.delivered;
        let delayed = flag && prior.wrapping_add(1) == self.rate.delivered;
        self.record_min_rtt(now, rtt, delayed);
        self.rtt.add_sample(now.us.saturating_sub(acked.first_us), self.una, self.nxt);
        let tcp_sock = self.tcp_sock(now);
        self.control.pkts_acked(&tcp_sock, &mut self.cc_window, rtt);
        self.adapt_rack();
        (rtt, delayed)
    }

    /// [rules/recovery.md rules 10, 11]
    #[inline(always)]
    fn grow_cwnd(
        &mut self,
        now: TimeInUnits,
        delivered: u32,
        in_flight: u32,
        rtt_us: i64,
        ack_delayed: bool,
    ) {
        let totals = AckTotals {
            now_us: now.us,
            delivered,
            lost: 0,
            prior_in_flight: in_flight,
            min_rtt: self.min_rtt.best_value(),
            rtt_us,
            reneging: false,
            ack_delayed,
        };
        if self.full_control {
            return self.control_by_sample(now, &totals);
        }
        self.rate.sample(&totals, &mut self.cc_window.app_limited);
        let tcp_sock = self.tcp_sock(now);
        self.control.cong_avoid(&tcp_sock, &mut self.cc_window, delivered);
        self.usage.stamp = now.jiffies;
        self.update_pacing_rate();
    }

    #[inline(never)]
    fn control_by_sample(&mut self, now: TimeInUnits, totals: &AckTotals) {
        let sample = self.rate.sample(totals, &mut self.cc_window.app_limited);
        let tcp_sock = self.tcp_sock(now);
        self.control.cong_control(&tcp_sock, &mut self.cc_window, &sample);
    }

    /// Returns whether a tail probe is possible and certainly due before the RTO.
    #[inline(always)]
    fn tail_probe_precedes_rto(&self, now: TimeInUnits) -> bool {
        let Some(head) = self.queue.first() else { return false };
        // Of one packet the wait is longer, until more are sent.
        let margin = if self.queue.packets_out() == 1 { self.rtt.rto_min.max(2000) } else { 2000 };
        let longest = u64::from(self.rtt.srtt8 >> 2) + u64::from(margin);
        let due = head.sent_us() + self.rtt.rto * TICK_US;
        self.probes_tails() && self.rtt.srtt8 > 0 && now.us + longest + TICK_US <= due
    }
}
