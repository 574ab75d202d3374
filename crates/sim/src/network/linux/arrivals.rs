//! The data that have arrived, to count the packets that brought any.

use airtcp_tcp::RangeSet;

/// Numbers of bytes that have arrived.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// All bytes below have arrived.
    first: u64,
    /// Bytes beyond `first` that have arrived.
    held: RangeSet,
    /// Packets with anything that had not arrived, and those without.
    pub(super) distinct: u64,
    pub(super) duplicates: u64,
}

impl Arrivals {
    /// A packet with the bytes from `seq` to before `end` arrives; how many do so for the first time.
    #[inline]
    pub(super) fn note(&mut self, seq: u64, end: u64) -> u64 {
        let new = if self.held.is_empty() && (seq..=end).contains(&self.first) {
            let before = std::mem::replace(&mut self.first, end);
            end - before
        } else {
            self.hold(seq.max(self.first), end)
        };
        self.distinct += u64::from(new > 0);
        self.duplicates += u64::from(new == 0);
        new
    }

    fn hold(&mut self, seq: u64, end: u64) -> u64 {
        let new = self.held.insert(seq, end);
        if let Some((_, end)) = self.held.around(self.first) {
            self.held.remove_below(end);
            self.first = end;
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of random lengths, whose ends need not meet.
    #[test]
    fn every_byte_is_new_once() {
        let (mut arrivals, mut seen) = (Arrivals::default(), std::collections::BTreeSet::new());
        let mut state = 1_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let any = (step + (state >> 33) % 200).saturating_sub(150);
            let seq = if step % 8 == 0 { arrivals.first } else { any };
            let end = seq + 1 + (state >> 50) % 9;
            let before = seen.len();
            seen.extend(seq..end);
            assert_eq!(arrivals.note(seq, end), (seen.len() - before) as u64, "{seq} {end}");
        }
        assert_eq!(arrivals.distinct + arrivals.duplicates, 20_000);
        assert!(arrivals.first > 10_000 && arrivals.held.ranges().len() < 100);
    }

    #[test]
    fn what_comes_in_order_takes_no_room() {
        let mut arrivals = Arrivals::default();
        (0..100_000).for_each(|number| assert_eq!(arrivals.note(number, number + 1), 1));
        assert!(arrivals.held.is_empty() && arrivals.first == 100_000);
        assert_eq!((arrivals.note(500, 99_999), arrivals.duplicates), (0, 1));
    }
}
