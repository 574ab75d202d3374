//! Measurements of a flow, taken at its ends.

use super::counts::{DelayQuantiles, DelaySum, FlowCounts};
use super::expiries::Expiries;
use super::first_sent::FirstSendTimes;
use super::histogram::Histogram;
use super::packets::PacketBoundaries;
use super::part_delays::PartDelays;
use airtcp_core::{Instant, Span};

/// Counts, times and delays of one flow. In memory, the sender's fields come before the receiver's.
#[repr(C, align(64))]
pub(super) struct FlowMeter {
    /// The packets that data was first sent in.
    packets_sent: PacketBoundaries,
    first_sent: FirstSendTimes,
    /// Bits that lower layers add to every packet on the wire; not counted.
    pub(super) framing: u64,
    per_packet: PerPacketCounts,
    /// All other counts.
    pub(super) counts: FlowCounts,
    milestone: Option<u64>,
    expiries: Expiries,
    /// Delays to the first arrival.
    delays: PartDelays,
    /// Data that packets have brought and the receiver did not have.
    packets_received: PacketBoundaries,
    start: Instant,
}

/// Counts of a flow that change with every packet: first the receiver's, then the sender's.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct PerPacketCounts {
    first_arrival: DelaySum,
    least_delay: Option<Span>,
    spurious_timeouts: u64,
    acks_sent: u64,
    ack_bits: u64,
    sent_bits: u64,
    acks_arrived: u64,
    own_ack: DelaySum,
    cumulative_ack: DelaySum,
}

impl FlowMeter {
    /// The meter of a flow that starts at `start`; the time of the ACK that completes `milestone` sequence numbers is noted.
    pub(super) fn new(mss: u32, framing: u64, start: Instant, milestone: Option<u64>) -> Self {
        FlowMeter {
            packets_sent: PacketBoundaries::new(mss),
            packets_received: PacketBoundaries::new(mss),
            framing,
            start,
            milestone,
            first_sent: FirstSendTimes::new(),
            expiries: Expiries::default(),
            per_packet: PerPacketCounts::default(),
            counts: FlowCounts::default(),
            delays: PartDelays::default(),
        }
    }

    /// Number of unacknowledged packets for which memory is reserved.
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.first_sent.capacity()
    }

    /// Number of expiries of the retransmission timer.
    #[inline]
    pub(super) fn expiries(&self) -> u32 {
        self.expiries.count()
    }

    /// A data packet of `bits` with the data `seq..end` is sent, again or for the first time; all data below `una` is
    /// acknowledged. Returns when its data was first sent.
    #[inline(always)]
    pub(super) fn on_data_sent(
        &mut self,
        now: Instant,
        una: u64,
        (seq, end): (u64, u64),
        bits: u64,
        is_retransmission: bool,
    ) -> Instant {
        let born = if is_retransmission {
            self.counts.resent_bits += bits;
            self.first_sent.time_of(self.packets_sent.count_before(seq))
        } else {
            let number = self.packets_sent.add_next(una, seq, end);
            self.first_sent.record(number, now, || self.packets_sent.count_before(una));
            now
        };
        self.per_packet.sent_bits += bits;
        born
    }

    /// Data `seq..end`, first sent at `born`, arrives in a packet sent after `mark` expiries, for the first time if any of it is
    /// `new`. Returns how many expiries that shows to be spurious.
    #[inline]
    pub(super) fn on_data_arrived(
        &mut self,
        now: Instant,
        (seq, end): (u64, u64),
        (born, mark): (Instant, u32),
        new: bool,
    ) -> u32 {
        if new {
            let delay = now - born;
            self.per_packet.first_arrival.add(delay);
            self.per_packet.least_delay =
                self.per_packet.least_delay.map_or(Some(delay), |least| Some(least.min(delay)));
            self.delays.add(delay);
        }
        let spurious = self.expiries.on_arrival(seq, end, mark);
        self.per_packet.spurious_timeouts += u64::from(spurious);
        spurious
    }

    /// The retransmission timer expires for the packet at `seq`, which was `delivered` or not. Returns whether that is known
    /// to be spurious.
    pub(super) fn on_timer_expired(&mut self, seq: u64, delivered: bool) -> bool {
        let spurious = self.expiries.on_expiry(seq, delivered);
        self.per_packet.spurious_timeouts += u64::from(spurious);
        spurious
    }

    /// The receiver sends an ACK of `bits`.
    #[inline]
    pub(super) fn on_ack_sent(&mut self, bits: u64) {
        self.per_packet.acks_sent += 1;
        self.per_packet.ack_bits += bits;
    }

    /// An ACK arrives that new data sent at `born` called for, if anything, and moves the first number not acknowledged from
    /// `una` to `reached`.
    #[inline(always)]
    pub(super) fn on_ack_arrived(&mut self, now: Instant, born: Instant, una: u64, reached: u64) {
        self.per_packet.acks_arrived += 1;
        if born != Instant::NEVER {
            self.per_packet.own_ack.add(now - born);
        }
        if reached > una {
            self.record_acknowledged_packets(now, una, reached);
        }
    }

    #[inline(always)]
    fn record_acknowledged_packets(&mut self, now: Instant, una: u64, reached: u64) {
        for number in self.packets_sent.packet_numbers_between(una, reached) {
            self.per_packet.cumulative_ack.add(now - self.first_sent.time_of(number));
        }
        if self.milestone.is_some_and(|m| una < m && reached >= m) {
            self.counts.milestone = Some(now - self.start);
        }
    }

    /// A part of the run ends.
    pub(super) fn end_part(&mut self) {
        (self.counts.delay, self.counts.delay_so_far) =
            self.delays.end_part(DelayQuantiles::from_histogram);
    }

    /// Removes and returns the delays of this part, for callers that merge several flows.
    pub(super) fn take_delays(&mut self) -> Histogram {
        self.delays.take()
    }

    /// Excludes earlier delays from the quantiles.
    pub(super) fn forget_delays(&mut self) {
        self.delays.forget();
    }

    /// A packet that ends at `end` has delivered `new` sequence numbers; data below `una` are acknowledged. Not needed
    /// if every packet has one sequence number.
    #[inline]
    pub(super) fn on_new_data(&mut self, end: u64, new: u64, una: u64) {
        if new > 0 {
            self.packets_received.add(end, new, una);
        }
    }

    /// Number of packets that brought something below `seq`.
    pub(super) fn packets_received_below(&self, seq: u64) -> u64 {
        self.packets_received.count_before(seq)
    }

    /// Counts up to `end`, the end of the run or of a part of it.
    pub(super) fn outcome(&self, end: Instant) -> FlowCounts {
        let PerPacketCounts {
            first_arrival,
            least_delay,
            spurious_timeouts,
            acks_sent,
            ack_bits,
            sent_bits,
            acks_arrived,
            own_ack,
            cumulative_ack,
        } = self.per_packet;
        FlowCounts {
            time: self.time_since_start(end),
            first_arrival,
            least_delay,
            spurious_timeouts,
            acks_sent,
            ack_bits,
            sent_bits,
            acks_arrived,
            own_ack,
            cumulative_ack,
            ..self.counts
        }
    }

    fn time_since_start(&self, end: Instant) -> Span {
        end - self.start.min(end)
    }
}
