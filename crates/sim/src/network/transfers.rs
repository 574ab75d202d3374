//! What is counted of the transfers of a flow that has many.

use super::counts::Delays;
use super::histogram::Histogram;
use super::part_delays::PartDelays;
use airtcp_core::Span;

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
        let class = CLASSES.partition_point(|limit| bytes > *limit);
        self.sums[class].add(time);
        self.all.add(time);
        self.classes[class].add(time);
    }

    /// What was counted until now, where a part of the run ends.
    pub(super) fn end_part(&mut self) -> TransferCounts {
        let p95 = |times: &Histogram| times.quantiles([(19, 20)]);
        let mut classes = [Class::default(); COUNT];
        for ((class, times), sum) in classes.iter_mut().zip(&mut self.classes).zip(&self.sums) {
            let ([p95], [so_far]) = times.end_part(p95);
            *class = Class { sum: *sum, p95, so_far };
        }
        let (part, so_far) =
            self.all.end_part(|times| times.quantiles([(1, 2), (19, 20), (99, 100)]));
        TransferCounts { classes, part, so_far }
    }

    /// Quantiles are of what comes from now on.
    pub(super) fn forget_times(&mut self) {
        self.all.forget();
        self.classes.iter_mut().for_each(PartDelays::forget);
    }
}

/// The transfers of a class of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    /// How long they took, and how many they are.
    sum: Delays,
    /// 95 % of those of the part took no longer, and of all until its end.
    p95: Option<Span>,
    so_far: Option<Span>,
}

/// What was counted of a flow's transfers in a part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferCounts {
    classes: [Class; COUNT],
    /// Median, 95 and 99 % quantiles of the part, and of all until its end.
    part: [Option<Span>; 3],
    so_far: [Option<Span>; 3],
}

impl TransferCounts {
    /// The columns of a table.
    pub const NAMES: &'static [&'static str] = &[
        "transfers_10k",
        "completion_10k_ns",
        "completion_10k_p95_ns",
        "completion_10k_p95_so_far_ns",
        "transfers_100k",
        "completion_100k_ns",
        "completion_100k_p95_ns",
        "completion_100k_p95_so_far_ns",
        "transfers_1m",
        "completion_1m_ns",
        "completion_1m_p95_ns",
        "completion_1m_p95_so_far_ns",
        "transfers_long",
        "completion_long_ns",
        "completion_long_p95_ns",
        "completion_long_p95_so_far_ns",
        "completion_median_ns",
        "completion_p95_ns",
        "completion_p99_ns",
        "completion_median_so_far_ns",
        "completion_p95_so_far_ns",
        "completion_p99_so_far_ns",
    ];

    /// The values in that order; -1 for quantiles of nothing.
    #[must_use]
    pub fn values(&self) -> Vec<i64> {
        let or_none = |time: Option<Span>| time.map_or(-1, Span::nanos);
        let classes = self.classes.iter().flat_map(|class| {
            let Class { sum, p95, so_far } = *class;
            [sum.number.cast_signed(), sum.sum, or_none(p95), or_none(so_far)]
        });
        classes.chain(self.part.into_iter().chain(self.so_far).map(or_none)).collect()
    }

    pub(super) fn since(&self, before: &TransferCounts) -> TransferCounts {
        let mut counts = *self;
        for (class, before) in counts.classes.iter_mut().zip(&before.classes) {
            class.sum = class.sum.since(before.sum);
        }
        counts
    }
}
