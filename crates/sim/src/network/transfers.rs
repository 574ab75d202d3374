//! Counts of the transfers of a flow that has many.

use super::counts::DelaySum;
use super::histogram::Histogram;
use super::part_delays::PartDelays;
use airtcp_core::{Count, Span, TableCell, counts};

/// Sizes up to which transfers are counted together, in bytes; the longer ones are the last class.
const CLASS_LIMITS: [u64; 3] = [10_000, 100_000, 1_000_000];
const CLASS_COUNT: usize = CLASS_LIMITS.len() + 1;

/// Running completion times.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    all: PartDelays,
    size_classes: [PartDelays; CLASS_COUNT],
    time_sums: [DelaySum; CLASS_COUNT],
}

impl Transfers {
    /// A transfer of `bytes` is complete after `time`.
    pub(super) fn record(&mut self, bytes: u64, time: Span) {
        let class = size_class(bytes);
        self.time_sums[class].add(time);
        self.all.add(time);
        self.size_classes[class].add(time);
    }

    /// Counts until now, where a part of the run ends; `under_way` are the bytes of the transfers that have
    /// begun and are not complete.
    ///
    /// Quantiles of a part cover the transfers that ended in it. In the quantiles so far, unfinished transfers count as
    /// longer than all complete ones.
    pub(super) fn end_part(&mut self, under_way: impl Iterator<Item = u64>) -> TransferCounts {
        let mut unfinished = [0; CLASS_COUNT];
        under_way.for_each(|bytes| unfinished[size_class(bytes)] += 1);
        let mut classes = [TransferClass::default(); CLASS_COUNT];
        for (i, times) in self.size_classes.iter_mut().enumerate() {
            let read = |more| move |times: &Histogram| times.quantiles_with([(19, 20)], more);
            let ([p95], [so_far]) = times.end_part_with(read(0), read(unfinished[i]));
            let (p95, p95_so_far) = (QuantileCell(p95), QuantileCell(so_far));
            classes[i] = TransferClass {
                times: self.time_sums[i],
                unfinished: unfinished[i],
                p95,
                p95_so_far,
            };
        }
        let read = |more| {
            move |times: &Histogram| times.quantiles_with([(1, 2), (19, 20), (99, 100)], more)
        };
        let (part, so_far) = self.all.end_part_with(read(0), read(unfinished.iter().sum()));
        let [part, so_far] = [part, so_far].map(|times| times.map(QuantileCell));
        TransferCounts { classes, part, so_far }
    }

    /// Restarts the quantiles.
    pub(super) fn reset_quantiles(&mut self) {
        self.all.forget();
        self.size_classes.iter_mut().for_each(PartDelays::forget);
    }
}

/// The class of transfers of `bytes`.
fn size_class(bytes: u64) -> usize {
    CLASS_LIMITS.partition_point(|limit| bytes > *limit)
}

/// A quantile of completion times: `None` if there is no transfer, and [`Span::MAX`] beyond all complete transfers. In
/// tables these are -1 and -2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuantileCell(Option<Span>);

impl TableCell for QuantileCell {
    fn cell(self) -> i64 {
        if self.0 == Some(Span::MAX) { -2 } else { self.0.cell() }
    }
}

/// The transfers of a class of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferClass {
    /// Completion times.
    times: DelaySum,
    /// Number of transfers under way.
    unfinished: u64,
    /// 95 % quantile of the part, and of all transfers so far.
    p95: QuantileCell,
    p95_so_far: QuantileCell,
}

impl Count for TransferClass {
    fn since(&self, before: &TransferClass) -> TransferClass {
        TransferClass { times: self.times.since(&before.times), ..*self }
    }

    /// Quantiles cannot be added.
    fn plus(&self, other: &TransferClass) -> TransferClass {
        let (times, unfinished) =
            (self.times.plus(&other.times), self.unfinished + other.unfinished);
        TransferClass { times, unfinished, ..TransferClass::default() }
    }
}

counts! {
    /// Counts of a flow's transfers in a part of a run, in the order of their columns.
    pub struct TransferCounts {
        /// Classes of sizes: up to 10 kB, 100 kB and 1 MB, and longer ones.
        classes: [TransferClass; CLASS_COUNT], sum => [
            "transfers_10k" sum: classes[0].times.number,
            "completion_10k_ns" sum: classes[0].times.sum,
            "completion_10k_p95_ns" per_part("completion_10k_p95_so_far_ns"): classes[0].p95,
            "completion_10k_p95_so_far_ns" cumulative: classes[0].p95_so_far,
            "unfinished_10k" cumulative: classes[0].unfinished,
            "transfers_100k" sum: classes[1].times.number,
            "completion_100k_ns" sum: classes[1].times.sum,
            "completion_100k_p95_ns" per_part("completion_100k_p95_so_far_ns"): classes[1].p95,
            "completion_100k_p95_so_far_ns" cumulative: classes[1].p95_so_far,
            "unfinished_100k" cumulative: classes[1].unfinished,
            "transfers_1m" sum: classes[2].times.number,
            "completion_1m_ns" sum: classes[2].times.sum,
            "completion_1m_p95_ns" per_part("completion_1m_p95_so_far_ns"): classes[2].p95,
            "completion_1m_p95_so_far_ns" cumulative: classes[2].p95_so_far,
            "unfinished_1m" cumulative: classes[2].unfinished,
            "transfers_long" sum: classes[3].times.number,
            "completion_long_ns" sum: classes[3].times.sum,
            "completion_long_p95_ns" per_part("completion_long_p95_so_far_ns"): classes[3].p95,
            "completion_long_p95_so_far_ns" cumulative: classes[3].p95_so_far,
            "unfinished_long" cumulative: classes[3].unfinished,
        ];
        /// Median, 95 and 99 % quantiles of all transfers of the part.
        part: [QuantileCell; 3], apart => [
            "completion_median_ns" per_part("completion_median_so_far_ns"): part[0],
            "completion_p95_ns" per_part("completion_p95_so_far_ns"): part[1],
            "completion_p99_ns" per_part("completion_p99_so_far_ns"): part[2],
        ];
        /// Quantiles of all transfers until the end of the part.
        so_far: [QuantileCell; 3], apart => [
            "completion_median_so_far_ns" cumulative: so_far[0],
            "completion_p95_so_far_ns" cumulative: so_far[1],
            "completion_p99_so_far_ns" cumulative: so_far[2],
        ];
    }
}

impl TransferCounts {
    /// Treats the part as the whole run: its quantiles are those so far.
    pub(super) fn merge_into_whole_run(mut self) -> Self {
        self.part = self.so_far;
        self.classes.iter_mut().for_each(|class| class.p95 = class.p95_so_far);
        self
    }
}
