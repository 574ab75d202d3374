//! Memory that received data take of the receive buffer. Packets do not show it [rules/receiver.md rules 24, 25,
//! 28]: it depends on the device, so that it is a stated model here.

/// Memory of a received buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferMemory {
    /// A device hands each segment up in memory of its own, a power of two: tun, and most real ones that
    /// do not merge. The descriptor takes 256 bytes, headers and trailer 384.
    PerSegment,
    /// As `PerSegment`, but for segments that the device has merged into one buffer.
    Merged,
    /// Segments that left as one buffer arrive as one, as on veth and loopback: their bytes and about a
    /// kilobyte.
    PerBuffer,
}

const DESCRIPTOR_BYTES: u64 = 256;
const TRAILER_BYTES: u64 = 320;
/// Headers, and the memory reserved before them.
const HEADER_BYTES: u64 = 128;

impl BufferMemory {
    /// Bytes that a buffer of `len` bytes of data in `packets` segments takes.
    #[must_use]
    pub fn bytes_for(self, len: u32, packets: u32) -> u64 {
        let (len, packets) = (u64::from(len), u64::from(packets.max(1)));
        match self {
            _ if self.has_separate_buffers(packets) => {
                let segment = if packets == 1 { len } else { len.div_ceil(packets) };
                let each = segment + HEADER_BYTES + TRAILER_BYTES;
                packets * (each.next_power_of_two() + DESCRIPTOR_BYTES)
            }
            _ => len + DESCRIPTOR_BYTES + TRAILER_BYTES + 3 * HEADER_BYTES,
        }
    }

    /// Returns whether each segment has memory of its own.
    fn has_separate_buffers(self, packets: u64) -> bool {
        self == BufferMemory::PerSegment || (self == BufferMemory::Merged && packets == 1)
    }

    /// The least that `bytes` of data take after they were compacted.
    #[must_use]
    pub(super) fn compact(bytes: u64) -> u64 {
        bytes + DESCRIPTOR_BYTES + TRAILER_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_take_powers_of_two_and_buffers_their_bytes() {
        assert_eq!(BufferMemory::PerSegment.bytes_for(1460, 1), 2304);
        assert_eq!(BufferMemory::PerSegment.bytes_for(100, 1), 1280);
        assert_eq!(BufferMemory::PerSegment.bytes_for(2920, 2), 2 * 2304);
        assert_eq!(BufferMemory::PerBuffer.bytes_for(1000, 1), 1960);
    }
}
