//! A histogram of delays, from which quantiles are read.
//!
//! A bucket holds the delays whose doubles have the same leading bits: buckets are equally wide between two powers of two, and
//! none is wider than 1/128 of its lower bound. Kept is the range of buckets that occurred, a kilobyte for each doubling of the delay.

use airtcp_core::Span;

/// Bits of a double below the seven of its significand that tell buckets apart.
const BELOW: u32 = 52 - 7;
/// Room is made for so many buckets at a time.
const BLOCK: usize = 32;

/// How many delays lie in each bucket, from bucket `first` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Histogram {
    first: usize,
    counts: Vec<u64>,
}

/// The bucket of a delay. One of 0 ns counts as 1 ns, whose bucket is near those of longer ones.
#[inline]
fn bucket(delay: Span) -> usize {
    (((delay.nanos() | 1) as f64).to_bits() >> BELOW) as usize
}

/// The least delay of a bucket, in nanoseconds.
fn lower_bound(bucket: usize) -> f64 {
    f64::from_bits((bucket as u64) << BELOW)
}

impl Histogram {
    /// Counts a delay, which is not negative.
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        let bucket = bucket(delay);
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => self.add_beyond(bucket, 1),
        }
    }

    /// Counts `more` delays of a bucket for which there is no room yet.
    #[cold]
    #[inline(never)]
    fn add_beyond(&mut self, bucket: usize, more: u64) {
        let block = bucket / BLOCK * BLOCK;
        if self.counts.is_empty() {
            self.first = block;
        }
        let before = self.first.saturating_sub(block);
        let end = (self.first + self.counts.len()).max(block + BLOCK);
        let mut counts = vec![0; end - self.first.min(block)];
        counts[before..before + self.counts.len()].copy_from_slice(&self.counts);
        counts[bucket - self.first.min(block)] += more;
        *self = Histogram { first: self.first.min(block), counts };
    }

    /// Counts all delays of `other` too.
    pub(super) fn merge(&mut self, other: Histogram) {
        if self.counts.is_empty() {
            *self = other;
            return;
        }
        for (bucket, more) in (other.first..).zip(other.counts).filter(|(_, count)| *count > 0) {
            match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
                Some(count) => *count += more,
                None => self.add_beyond(bucket, more),
            }
        }
    }

    /// How many delays were counted.
    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The least delay that at least a share of `above / below` of all delays do not exceed, to 1/128 of it or 1 ns: within its
    /// bucket it is taken to lie where its rank would be if the bucket's delays were evenly spread. `None` without delays.
    pub(super) fn quantile(&self, above: u64, below: u64) -> Option<Span> {
        let share = u128::from(self.total()) * u128::from(above);
        let rank = share.div_ceil(u128::from(below)) as u64;
        let mut fewer = 0;
        for (bucket, &count) in (self.first..).zip(&self.counts) {
            if count > 0 && fewer + count >= rank {
                let (low, high) = (lower_bound(bucket), lower_bound(bucket + 1));
                let within = ((rank - fewer) as f64 - 0.5) / count as f64;
                return Some(Span::from_nanos((low + (high - low) * within) as i64));
            }
            fewer += count;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(delays: &[i64]) -> Histogram {
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
            let (exact, read) = (sorted[rank - 1], of(&delays).quantile(percent, 100).unwrap().nanos());
            let off = i128::from(read) - i128::from(exact);
            prop_assert!(off.abs() <= 1.max(i128::from(exact) / 128), "{read} for {exact}");
        }

        #[test]
        fn parts_that_are_merged_are_the_whole(delays in delays(), cut in 0..300_usize) {
            let (one, other) = delays.split_at(cut.min(delays.len()));
            let (mut merged, whole) = (of(one), of(&delays));
            merged.merge(of(other));
            prop_assert_eq!(merged, whole);
        }

        #[test]
        fn room_is_kept_for_the_range_that_occurred(delays in delays()) {
            let histogram = of(&delays);
            let (least, most) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
            let range = bucket(Span::from_nanos(*most)) - bucket(Span::from_nanos(*least));
            prop_assert!(histogram.counts.len() <= range + 2 * BLOCK);
            prop_assert_eq!(histogram.total(), delays.len() as u64);
        }
    }

    #[test]
    fn without_delays_there_is_no_quantile() {
        assert_eq!(Histogram::default().quantile(1, 2), None);
    }
}
