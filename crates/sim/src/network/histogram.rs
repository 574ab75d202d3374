//! A histogram of delays, from which quantiles are read.
//!
//! A bucket holds the delays whose doubles have the same leading bits: buckets are equally wide between two powers of two, and
//! none is wider than 1/128 of its lower bound. Kept is the range of buckets that occurred, 256 bytes for each doubling of the
//! delay: there may be a flow for every client of a cell, and counts that are wider miss the cache more often.

use airtcp_core::Span;

/// Low bits of a double that are dropped to get its bucket: all but seven of the significand.
const DROPPED_BITS: u32 = 52 - 7;
/// Buckets allocated at a time (one doubling of the delay): smaller steps cost time with many flows.
const BUCKETS_PER_BLOCK: usize = 128;
/// Number of delays that a unit of `overflow_counts` stands for.
const COUNTER_RANGE: u64 = 1 << u16::BITS;

/// Number of delays in each bucket, from bucket `first` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Histogram {
    first: usize,
    counts: Vec<u16>,
    /// Number of overflows of each count; empty while none has.
    overflow_counts: Vec<u64>,
}

/// The bucket of a delay. One of 0 ns counts as 1 ns, whose bucket is near those of longer ones.
#[inline]
fn bucket(delay: Span) -> usize {
    (((delay.nanos() | 1) as f64).to_bits() >> DROPPED_BITS) as usize
}

/// The least delay of a bucket, in nanoseconds.
fn lower_bound(bucket: usize) -> f64 {
    f64::from_bits((bucket as u64) << DROPPED_BITS)
}

impl Histogram {
    /// Counts a delay, which is not negative.
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        let bucket = bucket(delay);
        let place = bucket.wrapping_sub(self.first);
        let Some(count) = self.counts.get_mut(place) else { return self.add_outside_range(bucket) };
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.add_overflow(place, 1);
        }
    }

    /// Counts a delay outside the allocated buckets.
    #[cold]
    #[inline(never)]
    fn add_outside_range(&mut self, bucket: usize) {
        self.widen(bucket, bucket);
        self.counts[bucket - self.first] = 1;
    }

    #[cold]
    #[inline(never)]
    fn add_overflow(&mut self, place: usize, more: u64) {
        self.overflow_counts.resize(self.counts.len(), 0);
        self.overflow_counts[place] += more;
    }

    /// Makes room for the buckets from `least` to `most`.
    fn widen(&mut self, least: usize, most: usize) {
        let least = least / BUCKETS_PER_BLOCK * BUCKETS_PER_BLOCK;
        let (first, end) = if self.counts.is_empty() {
            (least, most + 1)
        } else {
            (self.first.min(least), (self.first + self.counts.len()).max(most + 1))
        };
        let (length, before) =
            ((end - first).next_multiple_of(BUCKETS_PER_BLOCK), self.first.max(first) - first);
        self.counts = shifted_counts(&self.counts, before, length);
        if !self.overflow_counts.is_empty() {
            self.overflow_counts = shifted_counts(&self.overflow_counts, before, length);
        }
        self.first = first;
    }

    /// Counts all delays of `other` too.
    pub(super) fn merge(&mut self, other: Histogram) {
        if self.counts.is_empty() {
            *self = other;
        } else if !other.counts.is_empty() {
            self.widen(other.first, other.first + other.counts.len() - 1);
            for (bucket, more) in other.nonempty_buckets() {
                let place = bucket - self.first;
                let sum = u64::from(self.counts[place]) + more;
                self.counts[place] = (sum % COUNTER_RANGE) as u16;
                if sum >= COUNTER_RANGE {
                    self.add_overflow(place, sum / COUNTER_RANGE);
                }
            }
        }
    }

    /// The buckets that hold delays, and how many.
    fn nonempty_buckets(&self) -> impl Iterator<Item = (usize, u64)> {
        let carried = self.overflow_counts.iter().chain(std::iter::repeat(&0));
        let counts =
            self.counts.iter().zip(carried).map(|(n, m)| u64::from(*n) + m * COUNTER_RANGE);
        (self.first..).zip(counts).filter(|(_, count)| *count > 0)
    }

    /// Number of delays counted.
    fn total(&self) -> u64 {
        let counted: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        counted + COUNTER_RANGE * self.overflow_counts.iter().sum::<u64>()
    }

    /// Returns whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// For each share `above / below`, in ascending order, the least delay that at least so many do not exceed, to 1/128 of it
    /// or 1 ns: within its bucket it is taken to lie where its rank would be if the bucket's delays were evenly spread. `None`
    /// without delays.
    pub(super) fn quantiles<const N: usize>(&self, shares: [(u64, u64); N]) -> [Option<Span>; N] {
        self.quantiles_with(shares, 0)
    }

    /// Quantiles with `more` delays that are longer than all others; [`Span::MAX`] where a quantile is one of those.
    pub(super) fn quantiles_with<const N: usize>(
        &self,
        shares: [(u64, u64); N],
        more: u64,
    ) -> [Option<Span>; N] {
        let mut filled = self.nonempty_buckets();
        let mut now = filled.next();
        let mut fewer = 0;
        shares.map(|share| {
            let rank = rank_among(self.total() + more, share);
            while let Some((bucket, count)) = now {
                if fewer + count >= rank {
                    let (low, high) = (lower_bound(bucket), lower_bound(bucket + 1));
                    let within = ((rank - fewer) as f64 - 0.5) / count as f64;
                    return Some(Span::from_nanos((low + (high - low) * within) as i64));
                }
                fewer += count;
                now = filled.next();
            }
            (more > 0).then_some(Span::MAX)
        })
    }

    /// Number of delays in buckets above the bucket of the quantile `above / below`, which certainly exceed it.
    pub(super) fn count_beyond(&self, share: (u64, u64)) -> u64 {
        let (rank, mut counted) = (rank_among(self.total(), share), 0);
        for (_, count) in self.nonempty_buckets() {
            if counted >= rank {
                break;
            }
            counted += count;
        }
        self.total() - counted
    }
}

/// Least number of `total` delays that makes up a share `above / below`.
fn rank_among(total: u64, (above, below): (u64, u64)) -> u64 {
    (u128::from(total) * u128::from(above)).div_ceil(u128::from(below)) as u64
}

/// Counts with `before` zeros in front of them and `length` in all.
fn shifted_counts<T: Copy + Default>(counts: &[T], before: usize, length: usize) -> Vec<T> {
    let mut all = vec![T::default(); length];
    all[before..before + counts.len()].copy_from_slice(counts);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram_of(delays: &[i64]) -> Histogram {
        let mut histogram = Histogram::default();
        for &delay in delays {
            histogram.add(Span::from_nanos(delay));
        }
        histogram
    }

    /// Delays of all orders of magnitude.
    fn delays() -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec((0..=i64::MAX, 0..63_u32).prop_map(|(n, shift)| n >> shift), 1..300)
    }

    proptest! {
        #[test]
        fn a_quantile_is_off_by_less_than_1_in_128_or_1_ns(delays in delays(), percent in 1..=100_u64) {
            let mut sorted = delays.clone();
            sorted.sort_unstable();
            let rank = (delays.len() as u64 * percent).div_ceil(100) as usize;
            let (exact, read) = (sorted[rank - 1], histogram_of(&delays).quantiles([(percent, 100)])[0].unwrap().nanos());
            let off = i128::from(read) - i128::from(exact);
            prop_assert!(off.abs() <= 1.max(i128::from(exact) / 128), "{read} for {exact}");
        }

        #[test]
        fn what_lies_beyond_a_quantile_exceeds_it(delays in delays(), percent in 1..=100_u64) {
            let histogram = histogram_of(&delays);
            let quantile = histogram.quantiles([(percent, 100)])[0].unwrap();
            let beyond = histogram.count_beyond((percent, 100));
            let higher = delays.iter().filter(|n| bucket(Span::from_nanos(**n)) > bucket(quantile));
            prop_assert_eq!(beyond, higher.count() as u64);
            prop_assert!(beyond * 100 <= (100 - percent) * delays.len() as u64);
        }

        #[test]
        fn parts_that_are_merged_are_the_whole(delays in delays(), cut in 0..300_usize) {
            let (row, other) = delays.split_at(cut.min(delays.len()));
            let (mut merged, whole) = (histogram_of(row), histogram_of(&delays));
            merged.merge(histogram_of(other));
            prop_assert_eq!(merged, whole);
        }

        #[test]
        fn room_is_kept_for_the_range_that_occurred(delays in delays()) {
            let histogram = histogram_of(&delays);
            let (least, most) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
            let range = bucket(Span::from_nanos(*most)) - bucket(Span::from_nanos(*least));
            prop_assert!(histogram.counts.len() <= range + 2 * BUCKETS_PER_BLOCK);
            prop_assert_eq!(histogram.total(), delays.len() as u64);
        }
    }

    #[test]
    fn counts_of_any_size_add_up() {
        let (many, mut twice) = (200_000, histogram_of(&vec![1000; 200_000]));
        twice.merge(histogram_of(&vec![5000; many]));
        twice.merge(histogram_of(&vec![1000; many]));
        let read = |above, below| twice.quantiles([(above, below)])[0].unwrap().nanos();
        assert_eq!(twice.total(), 3 * many as u64);
        assert!((1000..1008).contains(&read(2, 3)), "{}", read(2, 3));
        assert!((4992..5024).contains(&read(400_001, 600_000)), "{}", read(400_001, 600_000));
    }

    #[test]
    fn without_delays_there_is_no_quantile() {
        assert_eq!(Histogram::default().quantiles([(1, 2)]), [None]);
    }
}
