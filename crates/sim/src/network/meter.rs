//! Measurements of a flow, taken at its ends.

use super::counts::{DelayQuantiles, Delays, FlowCounts};
use super::expiries::Expiries;
use super::first_sent::FirstSent;
use super::histogram::Histogram;
use super::packets::Packets;
use super::part_delays::PartDelays;
use airtcp_core::{Instant, Span};

/// Counts, times and delays of one flow. In memory what the sender tells lies before what the receiver tells, each side by side.
#[repr(C, align(64))]
pub(super) struct Meter {
    /// The packets that data was first sent in.
    sent: Packets,
    first_sent: FirstSent,
    /// Bits that lower layers add to every packet on the wire; not counted.
    pub(super) framing: u64,
    each: PerPacket,
    /// All other counts.
    pub(super) counts: FlowCounts,
    milestone: Option<u64>,
    expiries: Expiries,
    /// Delays to the first arrival.
    delays: PartDelays,
    /// Data that packets have brought and the receiver did not have.
    brought: Packets,
    start: Instant,
}

/// Counts of a flow that change with every packet: first the receiver's, then the sender's.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct PerPacket {
    first_arrival: Delays,
    least_delay: Option<Span>,
    spurious_timeouts: u64,
    acks_sent: u64,
    ack_bits: u64,
    sent_bits: u64,
    acks_arrived: u64,
    own_ack: Delays,
    cumulative_ack: Delays,
}

impl Meter {
    /// The meter of a flow that starts at `start`; the time of the ACK that completes `milestone` sequence numbers is noted.
    pub(super) fn new(mss: u32, framing: u64, start: Instant, milestone: Option<u64>) -> Self {
        Meter {
            sent: Packets::new(mss),
            brought: Packets::new(mss),
            framing,
            start,
            milestone,
            first_sent: FirstSent::new(),
            expiries: Expiries::default(),
            each: PerPacket::default(),
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
        self.expiries.total()
    }

    /// A data packet of `bits` with the data `seq..end` is sent, again or for the first time; all data below `una` is
    /// acknowledged. Returns when its data was first sent.
    #[inline(always)]
    pub(super) fn sent(
        &mut self,
        now: Instant,
        una: u64,
        (seq, end): (u64, u64),
        bits: u64,
        again: bool,
    ) -> Instant {
        let born = if again {
            self.counts.resent_bits += bits;
            self.first_sent.of(self.sent.before(seq))
        } else {
            let number = self.sent.add_next(una, seq, end);
            self.first_sent.note(number, now, || self.sent.before(una));
            now
        };
        self.each.sent_bits += bits;
        born
    }

    /// Data `seq..end`, first sent at `born`, arrives in a packet sent after `mark` expiries, for the first time if any of it is
    /// `new`. Returns how many expiries that shows to be spurious.
    #[inline]
    pub(super) fn arrived(
        &mut self,
        now: Instant,
        (seq, end): (u64, u64),
        (born, mark): (Instant, u32),
        new: bool,
    ) -> u32 {
        if new {
            let delay = now - born;
            self.each.first_arrival.add(delay);
            self.each.least_delay =
                self.each.least_delay.map_or(Some(delay), |least| Some(least.min(delay)));
            self.delays.add(delay);
        }
        let spurious = self.expiries.arrive(seq, end, mark);
        self.each.spurious_timeouts += u64::from(spurious);
        spurious
    }

    /// The retransmission timer expires for the packet at `seq`, which was `delivered` or not. Returns whether that is known
    /// to be spurious.
    pub(super) fn expired(&mut self, seq: u64, delivered: bool) -> bool {
        let spurious = self.expiries.expire(seq, delivered);
        self.each.spurious_timeouts += u64::from(spurious);
        spurious
    }

    /// The receiver sends an ACK of so many bits.
    #[inline]
    pub(super) fn ack_sent(&mut self, bits: u64) {
        self.each.acks_sent += 1;
        self.each.ack_bits += bits;
    }

    /// An ACK arrives that new data sent at `born` called for, if anything, and moves the first number not acknowledged from
    /// `una` to `reached`.
    #[inline(always)]
    pub(super) fn acked(&mut self, now: Instant, born: Instant, una: u64, reached: u64) {
        self.each.acks_arrived += 1;
        if born != Instant::NEVER {
            self.each.own_ack.add(now - born);
        }
        if reached > una {
            self.note_progress(now, una, reached);
        }
    }

    #[inline(always)]
    fn note_progress(&mut self, now: Instant, una: u64, reached: u64) {
        for number in self.sent.between(una, reached) {
            self.each.cumulative_ack.add(now - self.first_sent.of(number));
        }
        if self.milestone.is_some_and(|m| una < m && reached >= m) {
            self.counts.milestone = Some(now - self.start);
        }
    }

    /// A part of the run ends.
    pub(super) fn end_part(&mut self) {
        (self.counts.delay, self.counts.delay_so_far) = self.delays.end_part(DelayQuantiles::of);
    }

    /// Takes the delays of this part of the run away, for who counts those of several flows together.
    pub(super) fn take_delays(&mut self) -> Histogram {
        self.delays.take()
    }

    /// Delays until now no longer count for quantiles.
    pub(super) fn forget_delays(&mut self) {
        self.delays.forget();
    }

    /// A packet that ends at `end` has brought so many `new` sequence numbers; the sender knows that those below `una` have
    /// arrived. Nobody need say so where every packet has one.
    #[inline]
    pub(super) fn brought(&mut self, end: u64, new: u64, una: u64) {
        if new > 0 {
            self.brought.add(end, new, una);
        }
    }

    /// Number of packets that brought something below `seq`.
    pub(super) fn brought_below(&self, seq: u64) -> u64 {
        self.brought.before(seq)
    }

    /// Counts by `end`, where the run or a part of it ends.
    pub(super) fn outcome(&self, end: Instant) -> FlowCounts {
        let PerPacket {
            first_arrival,
            least_delay,
            spurious_timeouts,
            acks_sent,
            ack_bits,
            sent_bits,
            acks_arrived,
            own_ack,
            cumulative_ack,
        } = self.each;
        FlowCounts {
            time: self.elapsed(end),
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

    fn elapsed(&self, end: Instant) -> Span {
        end - self.start.min(end)
    }
}
