//! Counts of the transfers of a flow that has many.

use super::counts::Delays;
use super::histogram::Histogram;
use super::part_delays::PartDelays;
use airtcp_core::{Column, Count, Span};

/// Sizes up to which transfers are counted together, in bytes; the longer ones are the last class.
const CLASSES: [u64; 3] = [10_000, 100_000, 1_000_000];
const COUNT: usize = CLASSES.len() + 1;

/// Completion times in motion.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    all: PartDelays,
    classes: [PartDelays; COUNT],
    sums: [Delays; COUNT],
}

impl Transfers {
    /// A transfer of `bytes` is complete after `time`.
    pub(super) fn note(&mut self, bytes: u64, time: Span) {
        let class = class_of(bytes);
        self.sums[class].add(time);
        self.all.add(time);
        self.classes[class].add(time);
    }

    /// Counts until now, where a part of the run ends; `under_way` are the bytes of the transfers that have
    /// begun and are not complete.
    ///
    /// Quantiles of a part are of what ended in it. In those of all until now what is under way takes longer than all
    /// that is complete.
    pub(super) fn end_part(&mut self, under_way: impl Iterator<Item = u64>) -> TransferCounts {
        let mut unfinished = [0; COUNT];
        under_way.for_each(|bytes| unfinished[class_of(bytes)] += 1);
        let mut classes = [Class::default(); COUNT];
        for (i, times) in self.classes.iter_mut().enumerate() {
            let read = |more| move |times: &Histogram| times.quantiles_with([(19, 20)], more);
            let ([p95], [so_far]) = times.end_part_by(read(0), read(unfinished[i]));
            classes[i] = Class { sum: self.sums[i], unfinished: unfinished[i], p95, so_far };
        }
        let read = |more| {
            move |times: &Histogram| times.quantiles_with([(1, 2), (19, 20), (99, 100)], more)
        };
        let (part, so_far) = self.all.end_part_by(read(0), read(unfinished.iter().sum()));
        TransferCounts { classes, part, so_far }
    }

    /// Quantiles are of what comes from now on.
    pub(super) fn forget_times(&mut self) {
        self.all.forget();
        self.classes.iter_mut().for_each(PartDelays::forget);
    }
}

/// The class of transfers of `bytes`.
fn class_of(bytes: u64) -> usize {
    CLASSES.partition_point(|limit| bytes > *limit)
}

/// The transfers of a class of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    /// Sum of their times, and their number.
    sum: Delays,
    /// Number of transfers under way.
    unfinished: u64,
    /// 95 % of those of the part took no longer, and of all until its end.
    p95: Option<Span>,
    so_far: Option<Span>,
}

/// Counts of a flow's transfers in a part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferCounts {
    classes: [Class; COUNT],
    /// Median, 95 and 99 % quantiles of the part, and of all until its end.
    part: [Option<Span>; 3],
    so_far: [Option<Span>; 3],
}

impl TransferCounts {
    /// The columns of a table.
    pub const COLUMNS: &'static [Column] = &[
        Column::sum("transfers_10k"),
        Column::sum("completion_10k_ns"),
        Column::so_far("completion_10k_p95_ns", "completion_10k_p95_so_far_ns"),
        Column::latest("completion_10k_p95_so_far_ns"),
        Column::latest("unfinished_10k"),
        Column::sum("transfers_100k"),
        Column::sum("completion_100k_ns"),
        Column::so_far("completion_100k_p95_ns", "completion_100k_p95_so_far_ns"),
        Column::latest("completion_100k_p95_so_far_ns"),
        Column::latest("unfinished_100k"),
        Column::sum("transfers_1m"),
        Column::sum("completion_1m_ns"),
        Column::so_far("completion_1m_p95_ns", "completion_1m_p95_so_far_ns"),
        Column::latest("completion_1m_p95_so_far_ns"),
        Column::latest("unfinished_1m"),
        Column::sum("transfers_long"),
        Column::sum("completion_long_ns"),
        Column::so_far("completion_long_p95_ns", "completion_long_p95_so_far_ns"),
        Column::latest("completion_long_p95_so_far_ns"),
        Column::latest("unfinished_long"),
        Column::so_far("completion_median_ns", "completion_median_so_far_ns"),
        Column::so_far("completion_p95_ns", "completion_p95_so_far_ns"),
        Column::so_far("completion_p99_ns", "completion_p99_so_far_ns"),
        Column::latest("completion_median_so_far_ns"),
        Column::latest("completion_p95_so_far_ns"),
        Column::latest("completion_p99_so_far_ns"),
    ];

    /// The values in that order; -1 for quantiles of nothing, -2 for those that are beyond all complete transfers.
    #[must_use]
    pub fn values(&self) -> Vec<i64> {
        let or_none = |time: Option<Span>| match time {
            None => -1,
            Some(Span::MAX) => -2,
            Some(time) => time.nanos(),
        };
        let classes = self.classes.iter().flat_map(|class| {
            let Class { sum, unfinished, p95, so_far } = *class;
            let numbers = [sum.number.cast_signed(), sum.sum];
            let quantiles = [or_none(p95), or_none(so_far)];
            numbers.into_iter().chain(quantiles).chain([unfinished.cast_signed()])
        });
        classes.chain(self.part.into_iter().chain(self.so_far).map(or_none)).collect()
    }

    /// Takes the part for all there is: its quantiles are those of all until its end.
    pub(super) fn of_all(mut self) -> Self {
        self.part = self.so_far;
        self.classes.iter_mut().for_each(|class| class.p95 = class.so_far);
        self
    }
}

impl Count for TransferCounts {
    fn since(&self, before: &TransferCounts) -> TransferCounts {
        let mut counts = *self;
        for (class, before) in counts.classes.iter_mut().zip(&before.classes) {
            class.sum = class.sum.since(&before.sum);
        }
        counts
    }

    /// Keeps these counts, which connections of one flow have in common.
    fn plus(&self, _other: &TransferCounts) -> TransferCounts {
        *self
    }
}
