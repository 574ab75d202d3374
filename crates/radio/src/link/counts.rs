//! Optional counters of a link: packets and bits that pass, time that the transmitter is busy, and length of the queue.

use super::history::LinkHistory;
use super::losses::HopCounters;
use crate::queue::discipline::QueueLength;
use airtcp_core::{Count, Instant, Span, TableCell, counts};
use std::collections::VecDeque;

/// Packets, and their lengths in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Number of packets.
    pub packets: u64,
    /// Bits, without what a code adds on the air.
    pub bits: u64,
}

impl Volume {
    /// Volume less `packets` packets with `bits` bits.
    pub(super) fn minus(self, packets: u64, bits: u64) -> Volume {
        Volume { packets: self.packets - packets, bits: self.bits - bits }
    }

    /// Volume plus one packet of `bits`.
    pub(super) fn plus_packet(self, bits: u64) -> Volume {
        Volume { packets: self.packets + 1, bits: self.bits + bits }
    }

    /// Adds one packet of `bits`.
    #[inline]
    pub fn add(&mut self, bits: u64) {
        self.packets += 1;
        self.bits += bits;
    }
}

impl Count for Volume {
    fn since(&self, before: &Volume) -> Volume {
        self.minus(before.packets, before.bits)
    }

    fn plus(&self, other: &Volume) -> Volume {
        Volume { packets: self.packets + other.packets, bits: self.bits + other.bits }
    }
}

/// Growth between two readings of an integral over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integral<const UNIT: u128> {
    earlier: u128,
    later: u128,
}

impl<const UNIT: u128> Integral<UNIT> {
    /// An integral that has grown from 0 to `to`.
    #[must_use]
    pub fn new(to: u128) -> Self {
        Integral { earlier: 0, later: to }
    }

    /// The growth, exactly.
    #[must_use]
    pub fn exact(&self) -> u128 {
        self.later - self.earlier
    }

    fn grow(&mut self, value: u64, time: u64) {
        self.later += u128::from(value) * u128::from(time);
    }
}

impl<const UNIT: u128> Count for Integral<UNIT> {
    fn since(&self, before: &Self) -> Self {
        Integral { earlier: before.later, later: self.later }
    }

    fn plus(&self, other: &Self) -> Self {
        Integral { earlier: self.earlier, later: self.later + other.exact() }
    }
}

/// The integral in whole units, rounded so that parts add up; [`i64::MAX`] if it is beyond.
impl<const UNIT: u128> TableCell for Integral<UNIT> {
    fn cell(self) -> i64 {
        i64::try_from(self.later / UNIT - self.earlier / UNIT).unwrap_or(i64::MAX)
    }
}

counts! {
    /// Counts of one direction of a hop in a part of a run, in the order of their columns. Of what was offered and duplicated
    /// everything was delivered, lost or is held.
    pub struct LinkCounts {
        /// Length of the part, up to the end of the run.
        time: Span, longest => ["time_ns" sum: time];
        /// Packets that came to the link.
        offered: Volume, sum => ["offered" sum: offered.packets, "offered_bits" sum: offered.bits];
        /// Packets that its queue has let in, also if it dropped them later.
        accepted: Volume, sum => ["accepted" sum: accepted.packets, "accepted_bits" sum: accepted.bits];
        /// Packets handed over at the far end.
        delivered: Volume, sum =>
            ["delivered" sum: delivered.packets, "delivered_bits" sum: delivered.bits];
        /// Second copies that came into being.
        duplicated: Volume, sum =>
            ["duplicated" sum: duplicated.packets, "duplicated_bits" sum: duplicated.bits];
        /// Packets that left the queue with a mark.
        marked: u64, sum => ["marked" sum: marked];
        /// Packets lost, by cause.
        lost: HopCounters, sum => [
            "lost_queue" sum: lost.queue,
            "lost_channel" sum: lost.channel,
            "lost_gate" sum: lost.gate,
            "lost_forced" sum: lost.forced,
            "lost_arq" sum: lost.arq,
            "lost_down" sum: lost.vanished,
        ];
        /// Bits of the packets lost.
        lost_bits: u64, sum => ["lost_bits" sum: lost_bits];
        /// Time for which the transmitter was busy. Over recorded opportunities: the part of the time that was used, where the
        /// opportunities of an instant carry what the link could have sent since the instant before.
        busy: Span, sum => ["busy_ns" sum: busy];
        /// Packets whose transmission started, under a link layer that retransmits with the first fragment.
        started: u64, sum => ["started" sum: started];
        /// Sum of the times that those had waited.
        sojourn: Span, sum => ["sojourn_ns" sum: sojourn];
        /// The longest of these times since the reading before.
        longest_sojourn: Span, apart => ["longest_sojourn_ns" largest: longest_sojourn];
        /// Integral of the number of packets that wait over time, in packet nanoseconds.
        packet_time: Integral<1_000>, sum => ["queue_packet_us" sum: packet_time];
        /// Integral of the bits that wait over time, in bit nanoseconds.
        bit_time: Integral<8_000>, sum => ["queue_byte_us" sum: bit_time];
        /// Most packets that have waited at once since the reading before; waits of no length in time do not count.
        most_packets: u64, apart => ["most_packets" largest: most_packets];
        /// Most bits that have waited at once since the reading before.
        most_bits: u64, apart => ["most_bytes" largest: most_bits.div_ceil(8)];
    }
}

impl LinkCounts {
    /// Adds the count of delivered packets: all but those lost or still `held`. To count that as it happens would cost
    /// runs that do not count.
    pub(super) fn with_delivered(self, held: Volume) -> LinkCounts {
        let packets = self.offered.packets + self.duplicated.packets;
        let came = Volume { packets, bits: self.offered.bits + self.duplicated.bits };
        let left = came.minus(self.lost.total(), self.lost_bits);
        LinkCounts { delivered: left.minus(held.packets, held.bits), ..self }
    }

    /// Returns whether all values fit into 64-bit columns, which integrals over long queues may not.
    #[must_use]
    pub fn fits_table(&self) -> bool {
        self.packet_time.cell().max(self.bit_time.cell()) < i64::MAX
    }

    /// The mean time from the arrival at the queue to the start of the transmission in seconds; 0 if none started.
    #[must_use]
    pub fn mean_sojourn(&self) -> f64 {
        if self.started == 0 { 0.0 } else { self.sojourn.seconds() / self.started as f64 }
    }

    /// Mean number of packets that wait over the `time` that was counted.
    #[must_use]
    pub fn mean_packets(&self, time: Span) -> f64 {
        self.packet_time.exact() as f64 / time.nanos() as f64
    }

    /// Mean number of bytes that wait over the `time` that was counted.
    #[must_use]
    pub fn mean_bytes(&self, time: Span) -> f64 {
        self.bit_time.exact() as f64 / 8.0 / time.nanos() as f64
    }

    /// Share of the `time` that was counted in which the transmitter was busy.
    #[must_use]
    pub fn utilisation(&self, time: Span) -> f64 {
        self.busy.nanos() as f64 / time.nanos() as f64
    }
}

/// The last instant before `now`: what happens at the end of a part of a run belongs to the next one.
pub(super) fn just_before(now: Instant) -> Instant {
    Instant::from_nanos(now.nanos() - 1)
}

/// Recorder of the events on a hop, if counting is on.
#[derive(Debug, Default)]
pub(super) struct OptionalRecorder(Option<Box<CountRecorder>>);

impl OptionalRecorder {
    /// Turns counting on or off.
    pub(super) fn set(&mut self, counting: bool) {
        self.0 = counting.then(Box::default);
    }

    /// Turns counting on or off, with a history of all events.
    pub(super) fn set_history(&mut self, recording: bool) {
        let recorder =
            || CountRecorder { history: Some(LinkHistory::default()), ..CountRecorder::default() };
        self.0 = recording.then(|| Box::new(recorder()));
    }

    /// Bytes of memory that the history takes so far.
    pub(super) fn history_bytes(&self) -> usize {
        let history = self.0.as_ref().and_then(|recorder| recorder.history.as_ref());
        history.map_or(0, LinkHistory::bytes)
    }

    /// Takes the records up to `now`, once everything until then was noted; nothing more is kept.
    pub(super) fn take_history(&mut self, now: Instant) -> Option<LinkHistory> {
        Some(self.0.as_mut()?.history.take()?.truncated_at(now))
    }

    /// Calls `note` with the recorder, if counting is on.
    #[inline(always)]
    pub(super) fn record(&mut self, note: impl FnOnce(&mut CountRecorder)) {
        if let Some(recorder) = &mut self.0 {
            record_out_of_line(recorder, note);
        }
    }

    /// Does the same as [`OptionalRecorder::record`], in line, for places where most runs count.
    #[inline(always)]
    pub(super) fn record_inline(&mut self, note: impl FnOnce(&mut CountRecorder)) {
        if let Some(recorder) = &mut self.0 {
            note(recorder);
        }
    }

    /// Counts before `now`, once everything that happens before that was noted.
    pub(super) fn take_counts(&mut self, now: Instant, lost: HopCounters) -> Option<LinkCounts> {
        self.0.as_mut().map(|recorder| recorder.counts_until(now, lost))
    }
}

/// Runs `note` in a function of its own, so that runs without counting stay small and fast.
#[cold]
#[inline(never)]
fn record_out_of_line(recorder: &mut CountRecorder, note: impl FnOnce(&mut CountRecorder)) {
    note(recorder);
}

/// Counts one direction of a hop. Apart from what arrives at the far end it receives everything in the order of time.
#[derive(Debug)]
pub(super) struct CountRecorder {
    counts: LinkCounts,
    /// Packets that wait, and the instant until which that was counted.
    waiting: QueueLength,
    counted_until: Instant,
    /// Arrival times of the packets that wait, where packets leave in the order of arrival.
    since: VecDeque<Instant>,
    busy_until: Instant,
    history: Option<LinkHistory>,
}

impl Default for CountRecorder {
    fn default() -> Self {
        CountRecorder {
            counts: LinkCounts::default(),
            waiting: QueueLength::default(),
            counted_until: Instant::START,
            since: VecDeque::new(),
            busy_until: Instant::START,
            history: None,
        }
    }
}

impl CountRecorder {
    pub(super) fn count_offered(&mut self, bits: u64) {
        self.counts.offered.add(bits);
    }

    pub(super) fn count_accepted(&mut self, bits: u64) {
        self.counts.accepted.add(bits);
    }

    pub(super) fn count_lost(&mut self, bits: u64) {
        self.counts.lost_bits += bits;
    }

    pub(super) fn count_duplicate(&mut self, bits: u64) {
        self.counts.duplicated.add(bits);
    }

    /// A packet of `owner` leaves the queue with a mark.
    pub(super) fn mark(&mut self, at: Instant, owner: usize, bits: u64) {
        self.counts.marked += 1;
        if let Some(history) = &mut self.history {
            history.record_mark(at, owner, bits);
        }
    }

    /// A packet of `bits` waits from `now` on, in a queue that keeps the order.
    pub(super) fn enqueue(&mut self, now: Instant, bits: u64) {
        self.since.push_back(now);
        self.join(now, bits);
    }

    /// The first of those, which is of `owner`, waits no longer: its transmission starts at `at`.
    pub(super) fn start_first(&mut self, at: Instant, owner: usize, bits: u64) {
        let since = self.since.pop_front().expect("it waits");
        self.leave(at, bits);
        self.start(at, since, owner, bits);
    }

    /// A packet of `bits` waits from `now` on.
    pub(super) fn join(&mut self, now: Instant, bits: u64) {
        self.advance_to(now);
        self.waiting.join(bits);
        self.record_queue(now);
    }

    /// Notes that a packet of `bits` waits no longer, from `at` on.
    pub(super) fn leave(&mut self, at: Instant, bits: u64) {
        self.advance_to(at);
        self.waiting.leave(bits);
        self.record_queue(at);
    }

    /// A packet of `owner` that came at `since` is transmitted from `at` on.
    pub(super) fn start(&mut self, at: Instant, since: Instant, owner: usize, bits: u64) {
        let sojourn = at - since;
        self.counts.started += 1;
        self.counts.sojourn = self.counts.sojourn + sojourn;
        self.counts.longest_sojourn = self.counts.longest_sojourn.max(sojourn);
        if let Some(history) = &mut self.history {
            history.record_start(at, sojourn, owner, bits);
        }
    }

    /// The transmitter is busy from `start` to `end`.
    pub(super) fn transmit(&mut self, start: Instant, end: Instant) {
        self.counts.busy = self.counts.busy + (end - start);
        self.busy_until = end;
        if let Some(history) = &mut self.history {
            history.transmit(start, end);
        }
    }

    /// Nothing waits from `at` on.
    pub(super) fn cut(&mut self, at: Instant) {
        self.advance_to(at);
        self.waiting = QueueLength::default();
        self.since.clear();
        self.record_queue(at);
    }

    fn record_queue(&mut self, at: Instant) {
        if let Some(history) = &mut self.history {
            history.record_queue(at, self.waiting);
        }
    }

    fn advance_to(&mut self, to: Instant) {
        if to <= self.counted_until {
            return;
        }
        let time = (to - self.counted_until).nanos().unsigned_abs();
        let packets = u64::from(self.waiting.packets);
        self.counts.packet_time.grow(packets, time);
        self.counts.bit_time.grow(self.waiting.bits, time);
        self.counts.most_packets = self.counts.most_packets.max(packets);
        self.counts.most_bits = self.counts.most_bits.max(self.waiting.bits);
        self.counted_until = to;
    }

    fn counts_until(&mut self, now: Instant, lost: HopCounters) -> LinkCounts {
        self.advance_to(now);
        let ahead = if self.busy_until > now { self.busy_until - now } else { Span::ZERO };
        let (time, busy) = (now - Instant::START, self.counts.busy.since(&ahead));
        let counts = LinkCounts { time, busy, lost, ..self.counts };
        self.counts.longest_sojourn = Span::ZERO;
        (self.counts.most_packets, self.counts.most_bits) = (0, 0);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_integral_add_up_in_whole_units() {
        let readings = [0, 999, 1999, 2500].map(Integral::<1_000>::new);
        let parts = readings.windows(2).map(|two| two[1].since(&two[0]));
        assert_eq!(parts.clone().map(|part| part.exact()).collect::<Vec<_>>(), [999, 1000, 501]);
        assert_eq!(parts.clone().map(TableCell::cell).collect::<Vec<_>>(), [0, 1, 1]);
        let both = parts.reduce(|sum, part| sum.plus(&part)).unwrap();
        assert_eq!((both.exact(), both.cell()), (2500, 2));
    }

    #[test]
    fn counts_fit_until_an_integral_is_beyond_64_bits() {
        let waited =
            |time| LinkCounts { packet_time: Integral::new(time), ..LinkCounts::default() };
        let beyond = i64::MAX as u128 * 1_000;
        assert!(waited(beyond - 1).fits_table());
        assert!(!waited(beyond).fits_table() && !waited(beyond * 5).fits_table());
    }
}
