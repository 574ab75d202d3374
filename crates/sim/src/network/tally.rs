//! Counts of links, and of cross-traffic, for those who ask for them. The definitions are those of docs/metrics.md.

use super::counts::FlowCounts;
use super::histogram::Histogram;
use super::observer::{Moment, Observer};
use super::open_packets::OpenPackets;
use super::part_delays::PartDelays;
use super::traffic::Datagram;
use airtcp_core::{Column, Instant, Span};
use airtcp_radio::{LinkCounts, Volume};

/// Counts of each part of a run, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// On each flow.
    pub flows: Vec<FlowCounts>,
    /// On each link: both directions of the first hop, the way forward first, then those of the second, and so on.
    pub links: Vec<LinkPart>,
    /// Counts of each source of cross-traffic.
    pub traffic: Vec<TrafficCounts>,
}

impl Parts {
    /// The part between two readings.
    pub(super) fn add(&mut self, before: &Reading, now: &Reading) {
        let time = now.end - before.end;
        self.flows.extend(now.flows.iter().zip(&before.flows).map(|(n, b)| n.since(b)));
        // Links come all forward, then all back, the last hop first.
        let last = now.links.len().saturating_sub(1);
        let order = (0..now.links.len() / 2).flat_map(|hop| [hop, last - hop]);
        let part = |link: usize| LinkPart::new(time, &before.links[link], &now.links[link]);
        self.links.extend(order.map(part));
        let sources = now.traffic.iter().zip(&before.traffic);
        self.traffic.extend(sources.map(|(n, b)| TrafficCounts { time, ..n.since(b) }));
    }
}

/// Counts from the start of a run to an instant.
pub(super) struct Reading {
    pub(super) end: Instant,
    pub(super) flows: Vec<FlowCounts>,
    pub(super) links: Vec<LinkCounts>,
    pub(super) traffic: Vec<TrafficCounts>,
}

/// Counts of one link in a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPart {
    /// Length of the part, up to the end of the run.
    pub time: Span,
    /// The counts.
    pub counts: LinkCounts,
    /// Integrals of what waits over time, in packet and byte microseconds, rounded so that parts add up.
    pub waiting: (u128, u128),
}

impl LinkPart {
    fn new(time: Span, before: &LinkCounts, now: &LinkCounts) -> Self {
        let between = |unit: u128, now: u128, before: u128| now / unit - before / unit;
        let packets = between(1_000, now.packet_time, before.packet_time);
        let bytes = between(8_000, now.bit_time, before.bit_time);
        LinkPart { time, counts: now.since(before), waiting: (packets, bytes) }
    }

    /// The columns of a table of links.
    pub const COLUMNS: &'static [Column] = &[
        Column::sum("time_ns"),
        Column::sum("offered"),
        Column::sum("offered_bits"),
        Column::sum("accepted"),
        Column::sum("accepted_bits"),
        Column::sum("delivered"),
        Column::sum("delivered_bits"),
        Column::sum("duplicated"),
        Column::sum("duplicated_bits"),
        Column::sum("marked"),
        Column::sum("lost_queue"),
        Column::sum("lost_channel"),
        Column::sum("lost_gate"),
        Column::sum("lost_forced"),
        Column::sum("lost_arq"),
        Column::sum("lost_down"),
        Column::sum("lost_bits"),
        Column::sum("busy_ns"),
        Column::sum("started"),
        Column::sum("sojourn_ns"),
        Column::most("longest_sojourn_ns"),
        Column::sum("queue_packet_us"),
        Column::sum("queue_byte_us"),
        Column::most("most_packets"),
        Column::most("most_bytes"),
    ];

    /// The values in that order; none if one of them does not fit.
    #[must_use]
    pub fn values(&self) -> Option<Vec<i64>> {
        let LinkCounts { offered, accepted, delivered, duplicated, marked, lost, .. } = self.counts;
        let counted = &self.counts;
        let volumes = [offered, accepted, delivered, duplicated];
        let lost = [lost.queue, lost.channel, lost.gate, lost.forced, lost.arq, lost.vanished];
        let sojourns = [counted.sojourn, counted.longest_sojourn].map(Span::nanos);
        let most = [counted.most_packets, counted.most_bits.div_ceil(8)];
        let mut values = vec![self.time.nanos()];
        values.extend(volumes.iter().flat_map(|v| [v.packets, v.bits]).map(u64::cast_signed));
        values.extend([marked].iter().chain(&lost).map(|n| n.cast_signed()));
        values.extend([counted.lost_bits.cast_signed(), counted.busy.nanos()]);
        values.push(counted.started.cast_signed());
        values.extend(sojourns);
        values.extend([i64::try_from(self.waiting.0).ok()?, i64::try_from(self.waiting.1).ok()?]);
        values.extend(most.map(u64::cast_signed));
        Some(values)
    }
}

/// Counts of one source of cross-traffic in a part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    /// Length of the part, up to the end of the run.
    pub time: Span,
    /// Packets that it sent.
    pub sent: Volume,
    /// Packets of these that a player who waits for 99 % has waited for: without those under way that may still come in time.
    pub due: u64,
    /// Packets that arrived where they were sent to.
    pub arrived: Volume,
    /// Those that were lost on the way, copies among them.
    pub lost: u64,
    /// Copies of them that links have made.
    pub copies: u64,
    /// Delays that half of them, 95 % and 99 % do not exceed.
    pub delay: [Option<Span>; 3],
    /// Number of those whose delay is longer than that of 99 %.
    pub late: u64,
    /// Delays so far: of this part of the run and those before it.
    pub delay_so_far: [Option<Span>; 3],
    /// Number of those in this part and before whose delay is longer than that of 99 % of them all.
    pub late_so_far: u64,
    /// Packets of this part and those before it that a player has waited for who waits as long as 99 % of them all took.
    pub due_so_far: u64,
}

impl TrafficCounts {
    /// The columns of a table of cross-traffic.
    pub const COLUMNS: &'static [Column] = &[
        Column::sum("time_ns"),
        Column::sum("sent"),
        Column::sum("sent_bits"),
        Column::sum("arrivals"),
        Column::sum("arrived_bits"),
        Column::so_far("delay_median_ns", "delay_median_so_far_ns"),
        Column::so_far("delay_p95_ns", "delay_p95_so_far_ns"),
        Column::so_far("delay_p99_ns", "delay_p99_so_far_ns"),
        Column::latest("delay_median_so_far_ns"),
        Column::latest("delay_p95_so_far_ns"),
        Column::latest("delay_p99_so_far_ns"),
        Column::so_far("late", "late_so_far"),
        Column::so_far("due", "due_so_far"),
        Column::sum("lost"),
        Column::latest("late_so_far"),
        Column::latest("due_so_far"),
        Column::sum("copies"),
    ];

    /// The values in that order.
    #[must_use]
    pub fn values(&self) -> Vec<i64> {
        let volumes = [self.sent, self.arrived].into_iter().flat_map(|v| [v.packets, v.bits]);
        let counted = std::iter::once(self.time.nanos()).chain(volumes.map(u64::cast_signed));
        let delays = self.delay.into_iter().chain(self.delay_so_far);
        let delays = delays.map(|delay| delay.map_or(-1, Span::nanos));
        let numbers =
            [self.late, self.due, self.lost, self.late_so_far, self.due_so_far, self.copies];
        let numbers = numbers.map(u64::cast_signed);
        counted.chain(delays).chain(numbers).collect()
    }

    fn since(&self, before: &TrafficCounts) -> TrafficCounts {
        let (sent, arrived) = (self.sent.since(&before.sent), self.arrived.since(&before.arrived));
        let (due, lost) = (self.due - before.due, self.lost - before.lost);
        let copies = self.copies - before.copies;
        TrafficCounts { sent, due, arrived, lost, copies, ..*self }
    }
}

/// The share of the packets of a call that a player waits for.
const LATEST: (u64, u64) = (99, 100);

/// A source of cross-traffic, as it is counted.
#[derive(Default)]
struct Source {
    counts: TrafficCounts,
    delays: PartDelays,
    /// Times at which packets were sent that have not arrived, nor any after them.
    open: OpenPackets,
    /// Packets that were due as the counted parts began.
    due_before: u64,
}

impl Source {
    /// Counts by `end`, where a part of the run ends.
    fn read(&mut self, end: Instant) -> TrafficCounts {
        let read =
            |times: &Histogram| (times.quantiles([(1, 2), (19, 20), LATEST]), times.beyond(LATEST));
        let counts = &mut self.counts;
        ((counts.delay, counts.late), (counts.delay_so_far, counts.late_so_far)) =
            self.delays.end_part(read);
        let patience = counts.delay_so_far[2].unwrap_or(Span::ZERO);
        let expired = self.open.sent_before(end, patience);
        let due = counts.sent.packets - (self.open.len() - expired);
        counts.due_so_far = due.max(self.due_before) - self.due_before;
        // Patience may have grown: who has waited for a packet goes on having done so.
        counts.due = counts.due.max(due);
        *counts
    }
}

/// Counts cross-traffic.
pub(super) struct Tally(Vec<Source>);

impl Tally {
    pub(super) fn new(sources: usize) -> Self {
        Tally((0..sources).map(|_| Source::default()).collect())
    }

    /// Counts by `end`; a part of the run ends.
    pub(super) fn read(&mut self, end: Instant) -> Vec<TrafficCounts> {
        self.0.iter_mut().map(|source| source.read(end)).collect()
    }
}

impl Observer for Tally {
    const LOOKS: bool = false;
    fn note(&mut self, _: Moment<'_>) {}

    fn datagram_sent(&mut self, source: usize, packet: &Datagram) {
        self.0[source].counts.sent.add(packet.bits);
        self.0[source].open.push(packet.born);
    }

    fn datagram_arrived(&mut self, source: usize, packet: &Datagram, delay: Span) {
        let source = &mut self.0[source];
        source.counts.arrived.add(packet.bits);
        source.delays.add(delay);
        source.open.close_until(packet.born);
    }

    fn forget_delays(&mut self) {
        for source in &mut self.0 {
            source.delays.forget();
            source.due_before = source.counts.due;
        }
    }
}
