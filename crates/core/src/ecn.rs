//! The two bits by which a packet says whether a queue may mark it, and by which a queue does.

/// The ECN field of the IP header [RFC 3168, section 5].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: the transport is not capable of ECN.
    #[default]
    NotEct = 0,
    /// ECT(1): its sender reduces by how many marks there are, and asks for low latency [RFC 9331, section 4.1].
    Ect1 = 1,
    /// ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

impl Ecn {
    /// The codepoint in the last two of `bits`.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u8) -> Ecn {
        [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][(bits & 3) as usize]
    }

    /// The two bits as they stand in the header.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Returns whether a queue may mark the packet instead of dropping it.
    #[must_use]
    #[inline]
    pub const fn takes_marks(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// Returns whether the packet is for the queue of low latency: ECT(1), or a mark under which nobody knows what was there
    /// [RFC 9331, section 5.1].
    #[must_use]
    #[inline]
    pub const fn is_l4s(self) -> bool {
        matches!(self, Ecn::Ect1 | Ecn::Ce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_asks_for_low_latency() {
        for bits in 0..4 {
            let ecn = Ecn::from_bits(bits);
            assert_eq!((ecn.bits(), ecn.is_l4s()), (bits, bits % 2 == 1));
            assert_eq!(ecn.takes_marks(), bits > 0);
        }
    }
}
