//! Sequence numbers of the wire have 32 bits and an arbitrary origin; those of `airtcp_tcp` have 64 and
//! begin at 0.

/// The numbers of one direction: counter 0 is the first byte after the SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    first: u32,
}

impl Sequence {
    /// The numbers after a SYN with number `initial`.
    #[must_use]
    pub const fn after(initial: u32) -> Self {
        Sequence { first: initial.wrapping_add(1) }
    }

    /// The sequence number of a counter.
    #[must_use]
    pub const fn number(self, counter: u64) -> u32 {
        self.first.wrapping_add(counter as u32)
    }

    /// The counter of a sequence number: the one nearest to `near`. It is below 0 for numbers before the
    /// first byte.
    #[must_use]
    pub const fn counter(self, number: u32, near: u64) -> i64 {
        let distance = number.wrapping_sub(self.number(near)).cast_signed();
        near.cast_signed() + distance as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_go_on_where_numbers_wrap() {
        let numbers = Sequence::after(u32::MAX - 1);
        assert_eq!([0, 1, 2].map(|c| numbers.number(c)), [u32::MAX, 0, 1]);
        for near in [0, 5, 1 << 32, (1 << 40) + 12_345] {
            for distance in [-(1 << 31), -7, -1, 0, 1, (1 << 31) - 1] {
                let counter: i64 = near + distance;
                let number = numbers.number(counter.cast_unsigned());
                assert_eq!(numbers.counter(number, near.cast_unsigned()), counter);
            }
        }
    }

    #[test]
    fn the_syn_lies_before_the_first_byte() {
        assert_eq!(Sequence::after(0).counter(0, 3), -1);
    }
}
