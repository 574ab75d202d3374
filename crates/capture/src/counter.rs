//! 32-bit sequence numbers as 64-bit counters.

use crate::serial::distance;

/// The numbers of one direction: the SYN has counter 0.
#[derive(Clone, Copy, Debug)]
pub struct SequenceCounter {
    initial_number: u32,
    highest: u64,
}

impl SequenceCounter {
    /// Counts from a SYN with this number.
    #[must_use]
    pub fn new(first: u32) -> Self {
        SequenceCounter { initial_number: first, highest: 0 }
    }

    /// The counter nearest to the highest one so far; `None` below 0.
    #[must_use]
    pub fn nearest(&self, number: u32) -> Option<u64> {
        let expected = self.initial_number.wrapping_add(self.highest as u32);
        self.highest.checked_add_signed(distance(number, expected).into())
    }

    /// The highest one so far.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// The counter of `number`; if it is the highest so far, later numbers are taken as near to it.
    pub fn advance(&mut self, number: u32) -> Option<u64> {
        let found = self.nearest(number)?;
        self.highest = self.highest.max(found);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_go_on_where_numbers_wrap() {
        let mut counter = SequenceCounter::new(u32::MAX - 1);
        assert_eq!([u32::MAX - 1, u32::MAX, 0].map(|n| counter.advance(n).unwrap()), [0, 1, 2]);
        assert_eq!((counter.nearest(u32::MAX), counter.nearest(u32::MAX - 2)), (Some(1), None));
        for turn in 0..8_u64 {
            counter.advance((turn as u32) << 30).unwrap();
        }
        // The highest is 7 * 2^30 + 2, so of the counters of 0 (2 more than multiples of 2^32) 2^33 + 2 is nearest.
        assert_eq!(counter.highest(), (7 << 30) + 2);
        assert_eq!(counter.nearest(0), Some((1 << 33) + 2));
        assert_eq!(counter.nearest(2 << 30), Some((6 << 30) + 2));
    }
}
