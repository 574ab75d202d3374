//! The data that have arrived, to count the packets that brought any.

use airtcp_tcp::RangeSet;

/// Numbers of bytes that have arrived.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// All bytes below have arrived.
    next_expected: u64,
    /// Bytes beyond `first` that have arrived.
    out_of_order: RangeSet,
    /// Packets with new data, and packets without.
    pub(super) new_packets: u64,
    pub(super) duplicate_packets: u64,
}

impl Arrivals {
    /// A packet with the bytes from `seq` to before `end` arrives; how many do so for the first time.
    #[inline]
    pub(super) fn record(&mut self, seq: u64, end: u64) -> u64 {
        let new = if self.out_of_order.is_empty() && (seq..=end).contains(&self.next_expected) {
            let before = std::mem::replace(&mut self.next_expected, end);
            end - before
        } else {
            self.record_out_of_order(seq.max(self.next_expected), end)
        };
        self.new_packets += u64::from(new > 0);
        self.duplicate_packets += u64::from(new == 0);
        new
    }

    fn record_out_of_order(&mut self, seq: u64, end: u64) -> u64 {
        let new = self.out_of_order.insert(seq, end);
        if let Some((_, end)) = self.out_of_order.containing(self.next_expected) {
            self.out_of_order.remove_below(end);
            self.next_expected = end;
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
            let seq = if step % 8 == 0 { arrivals.next_expected } else { any };
            let end = seq + 1 + (state >> 50) % 9;
            let before = seen.len();
            seen.extend(seq..end);
            assert_eq!(arrivals.record(seq, end), (seen.len() - before) as u64, "{seq} {end}");
        }
        assert_eq!(arrivals.new_packets + arrivals.duplicate_packets, 20_000);
        assert!(arrivals.next_expected > 10_000 && arrivals.out_of_order.ranges().len() < 100);
    }

    #[test]
    fn what_comes_in_order_takes_no_room() {
        let mut arrivals = Arrivals::default();
        (0..100_000).for_each(|number| assert_eq!(arrivals.record(number, number + 1), 1));
        assert!(arrivals.out_of_order.is_empty() && arrivals.next_expected == 100_000);
        assert_eq!((arrivals.record(500, 99_999), arrivals.duplicate_packets), (0, 1));
    }
}
