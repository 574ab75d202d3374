//! Numbers at places of a file.

/// Bytes in one of two orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteOrder {
    /// True if the most significant byte comes first.
    pub is_big_endian: bool,
}

impl ByteOrder {
    /// 16 bits at `at`.
    pub(super) fn read_u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let found = *bytes.get(at..)?.first_chunk()?;
        Some(if self.is_big_endian { u16::from_be_bytes(found) } else { u16::from_le_bytes(found) })
    }

    /// 32 bits at `at`.
    pub(super) fn read_u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let found = *bytes.get(at..)?.first_chunk()?;
        Some(if self.is_big_endian { u32::from_be_bytes(found) } else { u32::from_le_bytes(found) })
    }
}

/// The order of bytes in headers of the network.
pub(super) const NETWORK: ByteOrder = ByteOrder { is_big_endian: true };
