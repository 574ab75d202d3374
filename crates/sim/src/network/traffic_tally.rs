//! Counts of links, and of cross-traffic, for those who ask for them. The definitions are those of docs/reference/metrics.md.

use super::counts::FlowCounts;
use super::histogram::Histogram;
use super::observer::{Observer, PacketEvent};
use super::open_packets::PendingPackets;
use super::part_delays::PartDelays;
use super::traffic::Datagram;
use airtcp_core::{Instant, Span, counts};
use airtcp_radio::{LinkCounts, Volume};

/// Counts of each part of a run, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct PartCounts {
    /// Counts of each flow.
    pub flows: Vec<FlowCounts>,
    /// Counts of each link: both directions of the first hop, the way forward first, then of the second, and so on.
    pub links: Vec<LinkCounts>,
    /// Counts of each source of cross-traffic.
    pub traffic: Vec<TrafficCounts>,
}

impl PartCounts {
    /// The part between two readings.
    pub(super) fn add(&mut self, before: &CountsSoFar, now: &CountsSoFar) {
        self.flows.extend(now.flows.iter().zip(&before.flows).map(|(n, b)| n.since(b)));
        // Links come all forward, then all back, the last hop first.
        let last = now.links.len().saturating_sub(1);
        let order = (0..now.links.len() / 2).flat_map(|hop| [hop, last - hop]);
        let part = |link: usize| now.links[link].since(&before.links[link]);
        self.links.extend(order.map(part));
        let sources = now.traffic.iter().zip(&before.traffic);
        self.traffic.extend(sources.map(|(n, b)| n.since(b)));
    }
}

/// Counts from the start of a run to an instant.
pub(super) struct CountsSoFar {
    pub(super) flows: Vec<FlowCounts>,
    pub(super) links: Vec<LinkCounts>,
    pub(super) traffic: Vec<TrafficCounts>,
}

counts! {
    /// Counts of one source of cross-traffic in a part of a run, in the order of their columns.
    pub struct TrafficCounts {
        /// Length of the part, up to the end of the run.
        time: Span, longest => ["time_ns" sum: time];
        /// Packets that it sent.
        sent: Volume, sum => ["sent" sum: sent.packets, "sent_bits" sum: sent.bits];
        /// Packets that arrived where they were sent to.
        arrived: Volume, sum => ["arrivals" sum: arrived.packets, "arrived_bits" sum: arrived.bits];
        /// Median, 95 % and 99 % quantiles of the delays.
        delay: [Option<Span>; 3], apart => [
            "delay_median_ns" per_part("delay_median_so_far_ns"): delay[0],
            "delay_p95_ns" per_part("delay_p95_so_far_ns"): delay[1],
            "delay_p99_ns" per_part("delay_p99_so_far_ns"): delay[2],
        ];
        /// Delays so far: in this part of the run and the parts before it.
        delay_so_far: [Option<Span>; 3], apart => [
            "delay_median_so_far_ns" cumulative: delay_so_far[0],
            "delay_p95_so_far_ns" cumulative: delay_so_far[1],
            "delay_p99_so_far_ns" cumulative: delay_so_far[2],
        ];
        /// Number of packets with a delay above the 99 % quantile.
        late: u64, apart => ["late" per_part("late_so_far"): late];
        /// Packets whose playout deadline (the 99 % quantile of the delays) has passed: packets that may still arrive
        /// in time are not counted.
        due: u64, sum => ["due" per_part("due_so_far"): due];
        /// Packets that were lost on the way, copies among them.
        lost: u64, sum => ["lost" sum: lost];
        /// Number of packets in this and earlier parts with a delay above the 99 % quantile of all.
        late_so_far: u64, apart => ["late_so_far" cumulative: late_so_far];
        /// Packets of this and earlier parts whose playout deadline (the 99 % quantile of all delays) has passed.
        due_so_far: u64, apart => ["due_so_far" cumulative: due_so_far];
        /// Copies made by links.
        copies: u64, sum => ["copies" sum: copies];
    }
}

/// The share of the packets of a call that a player waits for.
const PLAYOUT_SHARE: (u64, u64) = (99, 100);

/// Counts of one source of cross-traffic.
#[derive(Default)]
struct SourceTally {
    counts: TrafficCounts,
    delays: PartDelays,
    /// Times at which packets were sent that have not arrived, nor any after them.
    pending: PendingPackets,
    /// Packets that were due as the counted parts began.
    due_at_counting_start: u64,
}

impl SourceTally {
    /// Counts by `end`, where a part of the run ends.
    fn counts_until(&mut self, end: Instant) -> TrafficCounts {
        let read = |times: &Histogram| {
            (times.quantiles([(1, 2), (19, 20), PLAYOUT_SHARE]), times.count_beyond(PLAYOUT_SHARE))
        };
        let counts = &mut self.counts;
        counts.time = end - Instant::START;
        ((counts.delay, counts.late), (counts.delay_so_far, counts.late_so_far)) =
            self.delays.end_part(read);
        let patience = counts.delay_so_far[2].unwrap_or(Span::ZERO);
        let expired = self.pending.sent_before(end, patience);
        let due = counts.sent.packets - (self.pending.len() - expired);
        counts.due_so_far = due.max(self.due_at_counting_start) - self.due_at_counting_start;
        // Patience may have grown: who has waited for a packet goes on having done so.
        counts.due = counts.due.max(due);
        *counts
    }
}

/// Counts cross-traffic.
pub(super) struct TrafficTally(Vec<SourceTally>);

impl TrafficTally {
    pub(super) fn new(sources: usize) -> Self {
        TrafficTally((0..sources).map(|_| SourceTally::default()).collect())
    }

    /// Counts by `end`; a part of the run ends.
    pub(super) fn read(&mut self, end: Instant) -> Vec<TrafficCounts> {
        self.0.iter_mut().map(|source| source.counts_until(end)).collect()
    }
}

impl Observer for TrafficTally {
    const ENABLED: bool = false;
    fn on_event(&mut self, _: PacketEvent<'_>) {}

    fn on_datagram_sent(&mut self, source: usize, packet: &Datagram) {
        self.0[source].counts.sent.add(packet.bits);
        self.0[source].pending.push(packet.born);
    }

    fn on_datagram_arrived(&mut self, source: usize, packet: &Datagram, delay: Span) {
        let source = &mut self.0[source];
        source.counts.arrived.add(packet.bits);
        source.delays.add(delay);
        source.pending.remove_up_to(packet.born);
    }

    fn forget_delays(&mut self) {
        for source in &mut self.0 {
            source.delays.forget();
            source.due_at_counting_start = source.counts.due;
        }
    }
}
