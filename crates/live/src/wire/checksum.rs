//! The Internet checksum [RFC 1071].

/// A running sum of 16-bit words.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum(u64);

impl Sum {
    /// Adds bytes, padded with a zero to whole words.
    pub(super) fn add(mut self, bytes: &[u8]) -> Self {
        let words = bytes.chunks_exact(2);
        if let [last] = words.remainder() {
            self.0 += u64::from(*last) << 8;
        }
        self.0 += words.map(|w| u64::from(u16::from_be_bytes([w[0], w[1]]))).sum::<u64>();
        self
    }

    /// Finishes the checksum; it is 0 over bytes that contain their own checksum.
    pub(super) fn finish(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !(sum as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1071, section 3: its sum is ddf2.
    #[test]
    fn the_example_of_the_rfc() {
        let bytes = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7];
        assert_eq!(Sum::default().add(&bytes).finish(), !0xDDF2);
    }

    #[test]
    fn an_odd_byte_is_the_high_half_of_a_word() {
        assert_eq!(
            Sum::default().add(&[1, 2, 3]).finish(),
            Sum::default().add(&[1, 2, 3, 0]).finish()
        );
    }
}
