//! Counts of a flow. The definitions are those of docs/reference/metrics.md.

use super::histogram::Histogram;
use super::lost::RouteLosses;
use super::transfers::TransferCounts;
use airtcp_core::{Count, Span, counts};
use airtcp_radio::{ArqCounters, VideoCounts};

/// A sum of delays and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelaySum {
    /// Sum in nanoseconds.
    pub sum: i64,
    /// Number of delays.
    pub number: u64,
}

impl DelaySum {
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        self.sum = self.sum.checked_add(delay.nanos()).unwrap_or(i64::MAX);
        self.number += 1;
    }
}

impl Count for DelaySum {
    fn since(&self, before: &DelaySum) -> DelaySum {
        DelaySum { sum: self.sum - before.sum, number: self.number - before.number }
    }

    fn plus(&self, other: &DelaySum) -> DelaySum {
        DelaySum { sum: self.sum.saturating_add(other.sum), number: self.number + other.number }
    }
}

/// Quantiles of the delays from first sending to first arrival; `None` if nothing arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayQuantiles {
    /// Half of the delays are no longer.
    pub median: Option<Span>,
    /// 95 % quantile.
    pub p95: Option<Span>,
}

impl DelayQuantiles {
    pub(super) fn from_histogram(delays: &Histogram) -> Self {
        let [median, p95] = delays.quantiles([(1, 2), (19, 20)]);
        DelayQuantiles { median, p95 }
    }

    /// Buckets are as coarse as 0.8 %: no quantile is below the `least` of all delays, which is exact.
    pub(super) fn clamp_to_least(self, least: Option<Span>) -> Self {
        let [median, p95] = [self.median, self.p95].map(|delay| delay.max(least));
        if self.median.is_none() { self } else { DelayQuantiles { median, p95 } }
    }
}

counts! {
    /// Counts of one flow in a part of a run, in the order of their columns.
    pub struct FlowCounts {
        /// Length of the part, from the flow's start to the end of the run.
        time: Span, longest => ["time_ns" sum: time];
        /// Data packets sent, repetitions included.
        sent: u64, sum => ["sent" sum: sent];
        /// Repetitions among them.
        resent: u64, sum => ["resent" sum: resent];
        /// Bits of all data packets sent.
        sent_bits: u64, sum => ["sent_bits" sum: sent_bits];
        /// Bits of the repetitions.
        resent_bits: u64, sum => ["resent_bits" sum: resent_bits];
        /// Packets that brought the receiver something that it did not have.
        deliveries: u64, sum =>
            ["arrivals" sum: deliveries + duplicates, "deliveries" sum: deliveries];
        /// Packets that brought nothing new.
        duplicates: u64, sum => ["duplicates" sum: duplicates];
        /// Deliveries whose data was handed to the application.
        in_order: u64, sum => ["in_order" sum: in_order];
        /// Deliveries whose data was handed to the application and is acknowledged at the sender.
        acked: u64, sum => ["acked" sum: acked];
        /// ACKs that the receiver sent.
        acks_sent: u64, sum => ["acks_sent" sum: acks_sent];
        /// Their bits.
        ack_bits: u64, sum => ["ack_bits" sum: ack_bits];
        /// ACKs that reached the sender.
        acks_arrived: u64, sum => ["acks_arrived" sum: acks_arrived];
        /// Expiries of the retransmission timer.
        timeouts: u64, sum => ["timeouts" sum: timeouts];
        /// Expiries of the retransmission timer that were known to be spurious.
        spurious_timeouts: u64, sum => ["spurious_timeouts" sum: spurious_timeouts];
        /// Retransmissions triggered by duplicate ACKs.
        fast_retransmits: u64, sum => ["fast_retransmits" sum: fast_retransmits];
        /// Time from the flow's start to the ACK that completed the milestone; it counts in the part in which that came.
        milestone: Option<Span>, once => ["milestone_ns" single_occurrence: milestone];
        /// First sending to first arrival.
        first_arrival: DelaySum, sum =>
            ["first_arrival_ns" sum: first_arrival.sum, "first_arrivals" sum: first_arrival.number];
        /// First sending to the arrival of the ACK that the first arrival called for.
        own_ack: DelaySum, sum => ["own_ack_ns" sum: own_ack.sum, "own_acks" sum: own_ack.number];
        /// First sending to the first ACK that covers the packet.
        cumulative_ack: DelaySum, sum => [
            "cumulative_ack_ns" sum: cumulative_ack.sum,
            "cumulative_acks" sum: cumulative_ack.number,
        ];
        /// Probes that the sender sent.
        probes: u64, sum => ["probes" sum: probes];
        /// Their bits.
        probe_bits: u64, sum => ["probe_bits" sum: probe_bits];
        /// Bits of payload handed to the application.
        in_order_bits: u64, sum => ["in_order_bits" sum: in_order_bits];
        /// Quantiles of the times from first sending to first arrival, of this part alone.
        delay: DelayQuantiles, apart => [
            "delay_median_ns" per_part("delay_median_so_far_ns"): delay.median,
            "delay_p95_ns" per_part("delay_p95_so_far_ns"): delay.p95,
        ];
        /// Quantiles of the delays in this part and the parts before it.
        delay_so_far: DelayQuantiles, apart => [
            "delay_median_so_far_ns" cumulative: delay_so_far.median,
            "delay_p95_so_far_ns" cumulative: delay_so_far.p95,
        ];
        /// Smallest delay since the start of the flow, earlier parts included: the delay of a packet that waits
        /// nowhere.
        least_delay: Option<Span>, least => ["delay_least_ns" cumulative: least_delay];
        /// Bits of payload acknowledged at the sender.
        acked_bits: u64, sum => ["acked_bits" sum: acked_bits];
        /// Packets lost on the way of its data.
        losses: RouteLosses, sum => [
            "lost" sum: losses.packets,
            "channel_met" sum: losses.chain_transmissions,
            "channel_lost" sum: losses.lost_by_chains,
            "channel_expected_ppm" sum: losses.expected_chain_losses_ppm,
            "copies" sum: losses.copies,
        ];
        /// Transmissions of link layers that retransmit for the flow's packets and ACKs: a table of its own.
        link: ArqCounters, sum => [];
        /// Counts of transfers, where a flow has many: a table of its own.
        transfers: TransferCounts, whole => [];
        /// Counts of a video, where a flow is one: a table of its own.
        video: VideoCounts, whole => [];
    }
}
