//! The header of TCP [RFC 9293 3.1].

use super::malformed::Malformed;
use super::options::{MAX_OPTION_BYTES, Options};

/// Bytes of a header without options.
pub(super) const LENGTH: usize = 20;
const CHECKSUM: usize = 16;

/// The control bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Flags = Flags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(0x02);
    /// Reset the connection.
    pub const RST: Flags = Flags(0x04);
    /// Push.
    pub const PSH: Flags = Flags(0x08);
    /// The acknowledgement field counts.
    pub const ACK: Flags = Flags(0x10);

    /// All bits as they are on the wire.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Flags(bits)
    }

    /// The bits of these flags as they are on the wire.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The flags that are set in this or in `other`.
    #[must_use]
    pub const fn union(self, other: Flags) -> Self {
        Flags(self.0 | other.0)
    }

    /// True if all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The header of a segment, without ports and checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: u32,
    /// The next sequence number expected, if the ACK bit is set.
    pub ack: u32,
    /// The control bits.
    pub flags: Flags,
    /// The window, unshifted.
    pub window: u16,
    /// Options.
    pub options: Options,
}

/// Reads the source port, the destination port, the header, and the payload behind it.
pub(super) fn parse(segment: &[u8]) -> Result<(u16, u16, Header, &[u8]), Malformed> {
    let fixed = segment.first_chunk::<LENGTH>().ok_or(Malformed::Truncated)?;
    let length = usize::from(fixed[12] >> 4) * 4;
    if length < LENGTH {
        return Err(Malformed::Length);
    }
    let (head, payload) = segment.split_at_checked(length).ok_or(Malformed::Truncated)?;
    let short = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    let long = |at: usize| u32::from(short(at)) << 16 | u32::from(short(at + 2));
    let header = Header {
        seq: long(4),
        ack: long(8),
        flags: Flags(fixed[13]),
        window: short(14),
        options: Options::parse(&head[LENGTH..]),
    };
    Ok((short(0), short(2), header, payload))
}

/// Appends the header, its checksum left 0.
pub(super) fn write(source: u16, destination: u16, header: &Header, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(source.to_be_bytes());
    out.extend(destination.to_be_bytes());
    out.extend(header.seq.to_be_bytes());
    out.extend(header.ack.to_be_bytes());
    out.extend([0, header.flags.0]);
    out.extend(header.window.to_be_bytes());
    out.extend([0; 4]); // checksum, urgent pointer
    header.options.write(out);
    let length = out.len() - start;
    debug_assert!(length <= LENGTH + MAX_OPTION_BYTES);
    out[start + 12] = ((length / 4) as u8) << 4;
}

/// Writes the checksum into a segment.
pub(super) fn write_checksum(segment: &mut [u8], sum: u16) {
    segment[CHECKSUM..CHECKSUM + 2].copy_from_slice(&sum.to_be_bytes());
}
