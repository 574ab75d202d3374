//! Counts of a flow. The definitions are those of docs/metrics.md.

use super::histogram::Histogram;
use super::lost::Losses;
use super::transfers::TransferCounts;
use airtcp_core::Span;
use airtcp_radio::{ArqCounters, VideoCounts};

/// A sum of delays and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Sum in nanoseconds.
    pub sum: i64,
    /// Number of them.
    pub number: u64,
}

impl Delays {
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        self.sum = self.sum.checked_add(delay.nanos()).unwrap_or(i64::MAX);
        self.number += 1;
    }

    pub(super) fn since(self, before: Delays) -> Delays {
        Delays { sum: self.sum - before.sum, number: self.number - before.number }
    }

    fn plus(self, other: Delays) -> Delays {
        Delays { sum: self.sum.saturating_add(other.sum), number: self.number + other.number }
    }
}

/// Quantiles of the delays from first sending to first arrival; none if nothing arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayQuantiles {
    /// Half of the delays are no longer.
    pub median: Option<Span>,
    /// 95 % of them are no longer.
    pub p95: Option<Span>,
}

impl DelayQuantiles {
    pub(super) fn of(delays: &Histogram) -> Self {
        let [median, p95] = delays.quantiles([(1, 2), (19, 20)]);
        DelayQuantiles { median, p95 }
    }

    /// Buckets are as coarse as 0.8 %: no quantile is below the `least` of all delays, which is exact.
    pub(super) fn at_least(self, least: Option<Span>) -> Self {
        let [median, p95] = [self.median, self.p95].map(|delay| delay.max(least));
        if self.median.is_none() { self } else { DelayQuantiles { median, p95 } }
    }
}

/// Counts of one flow in a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowCounts {
    /// Length of the part, from the flow's start to the end of the run.
    pub time: Span,
    /// Data packets sent, repetitions included.
    pub sent: u64,
    /// Repetitions among them.
    pub resent: u64,
    /// Bits of all data packets sent.
    pub sent_bits: u64,
    /// Bits of the repetitions.
    pub resent_bits: u64,
    /// Packets that brought the receiver something that it did not have.
    pub deliveries: u64,
    /// Packets that brought nothing new.
    pub duplicates: u64,
    /// Of the deliveries: those whose data was handed to the application.
    pub in_order: u64,
    /// Of these: those whose data is acknowledged at the sender.
    pub acked: u64,
    /// ACKs that the receiver sent.
    pub acks_sent: u64,
    /// Their bits.
    pub ack_bits: u64,
    /// ACKs that reached the sender.
    pub acks_arrived: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Those among them that were known to be spurious.
    pub spurious_timeouts: u64,
    /// Retransmissions triggered by duplicate ACKs.
    pub fast_retransmits: u64,
    /// Probes that the sender sent.
    pub probes: u64,
    /// Their bits.
    pub probe_bits: u64,
    /// Bits of payload handed to the application.
    pub in_order_bits: u64,
    /// Bits of payload acknowledged at the sender.
    pub acked_bits: u64,
    /// From the flow's start to the ACK that completed the milestone.
    pub milestone: Option<Span>,
    /// First sending to first arrival.
    pub first_arrival: Delays,
    /// The least of the same since the flow has started, before this part too: what a packet takes that waits for nothing.
    pub least_delay: Option<Span>,
    /// Quantiles of the same, of this part alone.
    pub delay: DelayQuantiles,
    /// Of this part and those before it.
    pub delay_so_far: DelayQuantiles,
    /// First sending to the arrival of the ACK that the first arrival called for.
    pub own_ack: Delays,
    /// First sending to the first ACK that covers the packet.
    pub cumulative_ack: Delays,
    /// Packets lost on the way of its data.
    pub losses: Losses,
    /// Transmissions of link layers that retransmit for the flow's packets and ACKs.
    pub link: ArqCounters,
    /// Counts of transfers, where a flow has many.
    pub transfers: TransferCounts,
    /// Counts of a video, where a flow is one.
    pub video: VideoCounts,
}

impl Default for FlowCounts {
    fn default() -> Self {
        FlowCounts {
            time: Span::ZERO,
            sent: 0,
            resent: 0,
            sent_bits: 0,
            resent_bits: 0,
            deliveries: 0,
            duplicates: 0,
            in_order: 0,
            acked: 0,
            acks_sent: 0,
            ack_bits: 0,
            acks_arrived: 0,
            timeouts: 0,
            spurious_timeouts: 0,
            fast_retransmits: 0,
            probes: 0,
            probe_bits: 0,
            in_order_bits: 0,
            acked_bits: 0,
            milestone: None,
            first_arrival: Delays::default(),
            least_delay: None,
            delay: DelayQuantiles::default(),
            delay_so_far: DelayQuantiles::default(),
            own_ack: Delays::default(),
            cumulative_ack: Delays::default(),
            losses: Losses::default(),
            link: ArqCounters::default(),
            transfers: TransferCounts::default(),
            video: VideoCounts::default(),
        }
    }
}

impl FlowCounts {
    /// The columns of a table of flows.
    pub const NAMES: &'static [&'static str] = &[
        "time_ns",
        "sent",
        "resent",
        "sent_bits",
        "resent_bits",
        "arrivals",
        "deliveries",
        "duplicates",
        "in_order",
        "acked",
        "acks_sent",
        "ack_bits",
        "acks_arrived",
        "timeouts",
        "spurious_timeouts",
        "fast_retransmits",
        "milestone_ns",
        "first_arrival_ns",
        "first_arrivals",
        "own_ack_ns",
        "own_acks",
        "cumulative_ack_ns",
        "cumulative_acks",
        "probes",
        "probe_bits",
        "in_order_bits",
        "delay_median_ns",
        "delay_p95_ns",
        "delay_median_so_far_ns",
        "delay_p95_so_far_ns",
        "delay_least_ns",
        "acked_bits",
        "lost",
        "channel_met",
        "channel_lost",
        "channel_expected_ppm",
        "copies",
    ];

    /// The values in that order; -1 for a milestone that was not reached, and for quantiles of nothing.
    #[must_use]
    pub fn values(&self) -> Vec<i64> {
        let counted = [
            self.sent,
            self.resent,
            self.sent_bits,
            self.resent_bits,
            self.deliveries + self.duplicates,
            self.deliveries,
            self.duplicates,
            self.in_order,
            self.acked,
            self.acks_sent,
            self.ack_bits,
            self.acks_arrived,
            self.timeouts,
            self.spurious_timeouts,
            self.fast_retransmits,
        ];
        let added = [self.probes, self.probe_bits, self.in_order_bits];
        let delays = [self.first_arrival, self.own_ack, self.cumulative_ack];
        let quantiles = [self.delay, self.delay_so_far].into_iter().flat_map(|d| [d.median, d.p95]);
        let or_none = |time: Option<Span>| time.map_or(-1, Span::nanos);
        std::iter::once(self.time.nanos())
            .chain(counted.map(u64::cast_signed))
            .chain([or_none(self.milestone)])
            .chain(delays.into_iter().flat_map(|d| [d.sum, d.number.cast_signed()]))
            .chain(added.map(u64::cast_signed))
            .chain(quantiles.map(or_none))
            .chain([or_none(self.least_delay), self.acked_bits.cast_signed()])
            .chain(self.losses.values())
            .collect()
    }

    /// Counts since `before`. A milestone belongs to where it was reached.
    #[must_use]
    pub(super) fn since(&self, before: &FlowCounts) -> FlowCounts {
        FlowCounts {
            time: Span::from_nanos(self.time.nanos() - before.time.nanos()),
            sent: self.sent - before.sent,
            resent: self.resent - before.resent,
            sent_bits: self.sent_bits - before.sent_bits,
            resent_bits: self.resent_bits - before.resent_bits,
            deliveries: self.deliveries - before.deliveries,
            duplicates: self.duplicates - before.duplicates,
            in_order: self.in_order - before.in_order,
            acked: self.acked - before.acked,
            acks_sent: self.acks_sent - before.acks_sent,
            ack_bits: self.ack_bits - before.ack_bits,
            acks_arrived: self.acks_arrived - before.acks_arrived,
            timeouts: self.timeouts - before.timeouts,
            spurious_timeouts: self.spurious_timeouts - before.spurious_timeouts,
            fast_retransmits: self.fast_retransmits - before.fast_retransmits,
            probes: self.probes - before.probes,
            probe_bits: self.probe_bits - before.probe_bits,
            in_order_bits: self.in_order_bits - before.in_order_bits,
            acked_bits: self.acked_bits - before.acked_bits,
            milestone: self.milestone.filter(|_| before.milestone.is_none()),
            first_arrival: self.first_arrival.since(before.first_arrival),
            least_delay: self.least_delay,
            delay: self.delay,
            delay_so_far: self.delay_so_far,
            own_ack: self.own_ack.since(before.own_ack),
            cumulative_ack: self.cumulative_ack.since(before.cumulative_ack),
            losses: self.losses.since(&before.losses),
            link: self.link.since(&before.link),
            transfers: self.transfers.since(&before.transfers),
            video: self.video.since(&before.video),
        }
    }

    /// Both together, of connections that are one flow: without quantiles and milestones, which cannot be added.
    #[must_use]
    pub(super) fn plus(&self, other: &FlowCounts) -> FlowCounts {
        FlowCounts {
            time: self.time.max(other.time),
            sent: self.sent + other.sent,
            resent: self.resent + other.resent,
            sent_bits: self.sent_bits + other.sent_bits,
            resent_bits: self.resent_bits + other.resent_bits,
            deliveries: self.deliveries + other.deliveries,
            duplicates: self.duplicates + other.duplicates,
            in_order: self.in_order + other.in_order,
            acked: self.acked + other.acked,
            acks_sent: self.acks_sent + other.acks_sent,
            ack_bits: self.ack_bits + other.ack_bits,
            acks_arrived: self.acks_arrived + other.acks_arrived,
            timeouts: self.timeouts + other.timeouts,
            spurious_timeouts: self.spurious_timeouts + other.spurious_timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            probes: self.probes + other.probes,
            probe_bits: self.probe_bits + other.probe_bits,
            in_order_bits: self.in_order_bits + other.in_order_bits,
            acked_bits: self.acked_bits + other.acked_bits,
            milestone: None,
            first_arrival: self.first_arrival.plus(other.first_arrival),
            least_delay: self.least_delay.into_iter().chain(other.least_delay).min(),
            delay: DelayQuantiles::default(),
            delay_so_far: DelayQuantiles::default(),
            own_ack: self.own_ack.plus(other.own_ack),
            cumulative_ack: self.cumulative_ack.plus(other.cumulative_ack),
            losses: self.losses.plus(&other.losses),
            link: self.link.plus(&other.link),
            transfers: TransferCounts::default(),
            video: VideoCounts::default(),
        }
    }
}
