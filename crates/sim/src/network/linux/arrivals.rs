//! Which packets have arrived, from the first one that has not.

use std::collections::VecDeque;

/// A bit for each packet that may be on its way.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// All packets below have arrived.
    first: u64,
    /// 64 packets each; bit 0 of the first word is packet `first` rounded down to 64.
    words: VecDeque<u64>,
    /// Packets that arrived for the first time, and those that were there.
    pub(super) distinct: u64,
    pub(super) duplicates: u64,
}

impl Arrivals {
    /// Packet `number` arrives; whether it does so for the first time.
    #[inline]
    pub(super) fn note(&mut self, number: u64) -> bool {
        let new = number >= self.first && self.set(number);
        if new {
            self.distinct += 1;
        } else {
            self.duplicates += 1;
        }
        new
    }

    #[inline]
    fn set(&mut self, number: u64) -> bool {
        if number == self.first && self.words.is_empty() {
            self.first += 1;
            if !self.first.is_multiple_of(64) {
                self.words.push_back(low(self.first % 64));
            }
            return true;
        }
        let place = (number / 64 - self.first / 64) as usize;
        if place >= self.words.len() {
            if self.words.is_empty() {
                self.words.push_back(low(self.first % 64));
            }
            self.words.resize(place + 1, 0);
        }
        let bit = 1 << (number % 64);
        let was = self.words[place] & bit != 0;
        self.words[place] |= bit;
        if number == self.first {
            self.advance();
        }
        !was
    }

    /// Moves on to the first packet that has not arrived.
    fn advance(&mut self) {
        while let Some(word) = self.words.front() {
            let ones = word.trailing_ones();
            self.first = self.first / 64 * 64 + u64::from(ones);
            if ones < 64 {
                return;
            }
            self.words.pop_front();
        }
    }
}

/// A word with so many bits set, the lowest ones.
fn low(bits: u64) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packet_is_new_once() {
        let (mut arrivals, mut seen) = (Arrivals::default(), std::collections::BTreeSet::new());
        let mut state = 1_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = (step / 2 + (state >> 33) % 200).saturating_sub(150);
            assert_eq!(arrivals.note(number), seen.insert(number), "{number}");
        }
        assert_eq!(arrivals.distinct, seen.len() as u64);
        assert_eq!(arrivals.distinct + arrivals.duplicates, 20_000);
    }

    #[test]
    fn what_comes_in_order_takes_no_room() {
        let mut arrivals = Arrivals::default();
        (0..100_000).for_each(|number| assert!(arrivals.note(number)));
        assert!(arrivals.words.len() <= 1 && arrivals.first == 100_000);
    }
}
