//! Segments in logical form: sequence numbers have 64 bits and do not wrap, options are fields, data are a count of bytes.

use crate::receiver::Blocks;
use airtcp_core::Instant;
use std::fmt;

pub use airtcp_core::Ecn;

/// Flags of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data.
    pub const FIN: Flags = Flags(1);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(1 << 1);
    /// Reset.
    pub const RST: Flags = Flags(1 << 2);
    /// Push.
    pub const PSH: Flags = Flags(1 << 3);
    /// The acknowledgement counts.
    pub const ACK: Flags = Flags(1 << 4);
    /// Echo of congestion.
    pub const ECE: Flags = Flags(1 << 6);
    /// The congestion window was reduced.
    pub const CWR: Flags = Flags(1 << 7);

    /// Returns whether all of `flags` are set.
    #[must_use]
    pub const fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These flags, with `flags` added if `yes`.
    #[must_use]
    pub const fn with(self, flags: Flags, yes: bool) -> Flags {
        if yes { Flags(self.0 | flags.0) } else { self }
    }

    /// These flags without `flags`.
    #[must_use]
    pub const fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }
}

/// The option of timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// `TSval`.
    pub value: u32,
    /// `TSecr`.
    pub echo: u32,
}

/// A segment, or a burst of segments of one buffer that leave back to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte; 0 for a SYN.
    pub seq: u64,
    /// Sequence number of the next byte that is expected; valid with `Flags::ACK`.
    pub ack: u64,
    /// Flags; in a burst PSH and FIN are the last segment's, CWR the first one's.
    pub flags: Flags,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale.
    pub scale: Option<u8>,
    /// SACK is permitted.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// SACK blocks, in their order.
    pub sack: Blocks,
    /// The mark in the IP header.
    pub ecn: Ecn,
    /// The rest of the byte with the mark: DSCP in the upper six bits.
    pub tos: u8,
    /// Bytes of data of the burst.
    pub len: u32,
    /// Bytes of data of each segment of the burst but the last.
    pub size: u32,
    /// Departure time, in the future only if the queue paces.
    pub departure: Instant,
    /// True if (a part of) it was sent before.
    pub retransmission: bool,
}

impl Default for Segment {
    #[inline]
    fn default() -> Self {
        Segment {
            seq: 0,
            ack: 0,
            flags: Flags::default(),
            window: 0,
            mss: None,
            scale: None,
            sack_permitted: false,
            timestamps: None,
            sack: Blocks::default(),
            ecn: Ecn::NotEct,
            tos: 0,
            len: 0,
            size: 0,
            departure: Instant::START,
            retransmission: false,
        }
    }
}

impl Segment {
    /// Sequence number after its last byte; SYN and FIN count as one each.
    #[must_use]
    pub fn end(&self) -> u64 {
        let controls =
            u64::from(self.flags.has(Flags::SYN)) + u64::from(self.flags.has(Flags::FIN));
        self.seq.wrapping_add(u64::from(self.len) + controls)
    }

    /// Number of segments in it.
    #[must_use]
    #[inline]
    pub fn packets(&self) -> u32 {
        if self.len <= self.size || self.size == 0 { 1 } else { self.len.div_ceil(self.size) }
    }

    /// Removes the first segment from a burst; `len` bytes remain.
    #[must_use]
    pub fn take_first(&mut self) -> Segment {
        let is_last = self.packets() == 1;
        let len = if is_last { self.len } else { self.size };
        let later = Flags(Flags::PSH.0 | Flags::FIN.0);
        let flags = if is_last { self.flags } else { self.flags.without(later) };
        let first = Segment { len, size: len, flags, ..*self };
        (self.len, self.seq) = (self.len - len, self.seq + u64::from(len));
        self.flags = self.flags.without(Flags::CWR);
        first
    }

    /// Bytes of its options as they stand in the header [rules/options.md rules 1 to 3].
    #[must_use]
    #[inline]
    pub fn options_length(&self) -> u32 {
        let syn = 4 * u32::from(self.mss.is_some()) + 4 * u32::from(self.scale.is_some());
        let permitted = 4 * u32::from(self.sack_permitted && self.timestamps.is_none());
        let stamps = 12 * u32::from(self.timestamps.is_some());
        let sack = if self.sack.is_empty() { 0 } else { 4 + 8 * self.sack.len() as u32 };
        syn + permitted + stamps + sack
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, flag) in [
            ('F', Flags::FIN),
            ('S', Flags::SYN),
            ('R', Flags::RST),
            ('E', Flags::ECE),
            ('W', Flags::CWR),
            ('P', Flags::PSH),
            ('.', Flags::ACK),
        ] {
            if self.flags.has(flag) {
                write!(f, "{letter}")?;
            }
        }
        let end = self.seq.wrapping_add(self.len.into());
        write!(f, " {}:{end}({}) ack {} win {}", self.seq, self.len, self.ack, self.window)?;
        self.sack.iter().try_for_each(|(left, right)| write!(f, " sack {left}:{right}"))
    }
}

/// The 64-bit sequence number that `wire`, of 32 bits, stands for when numbers around `near` are expected and number 0
/// is `first` on the wire. Numbers before the first one wrap, so that they lie beyond every window.
#[must_use]
pub fn counter_from_wire(wire: u32, first: u32, near: u64) -> u64 {
    let relative = wire.wrapping_sub(first);
    let off = relative.wrapping_sub(near as u32).cast_signed();
    near.wrapping_add_signed(off.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_wire_become_counters() {
        let first = u32::MAX - 10;
        assert_eq!(counter_from_wire(first.wrapping_add(1), first, 1), 1);
        let far = 5_000_000_000_u64;
        assert_eq!(counter_from_wire(first.wrapping_add(far as u32), first, far - 7000), far);
        assert_eq!(
            counter_from_wire(first.wrapping_add((far - 9000) as u32), first, far),
            far - 9000
        );
        assert_eq!(counter_from_wire(first.wrapping_sub(1), first, 1), u64::MAX);
    }

    #[test]
    fn options_take_whole_words() {
        let stamps = Some(Timestamps { value: 1, echo: 0 });
        let syn = Segment {
            mss: Some(1460),
            scale: Some(10),
            sack_permitted: true,
            timestamps: stamps,
            ..Segment::default()
        };
        assert_eq!(syn.options_length(), 20);
        assert_eq!(Segment { timestamps: None, ..syn }.options_length(), 12);
        let sack = Blocks::from_slice(&[(5, 6), (8, 9)]);
        let ack = Segment { timestamps: stamps, sack, ..Segment::default() };
        assert_eq!(ack.options_length(), 32);
    }

    #[test]
    fn a_burst_counts_its_segments() {
        let burst = Segment { len: 2500, size: 1000, flags: Flags::FIN, ..Segment::default() };
        assert_eq!((burst.packets(), burst.end()), (3, 2501));
        assert_eq!(Segment::default().packets(), 1);
    }

    #[test]
    fn a_burst_comes_apart_as_a_device_cuts_it() {
        let flags = Flags(Flags::ACK.0 | Flags::PSH.0 | Flags::CWR.0);
        let mut burst = Segment { seq: 7, len: 2500, size: 1000, flags, ..Segment::default() };
        let mut cut = || {
            let segment = burst.take_first();
            (segment.seq, segment.len, segment.flags, burst.len)
        };
        assert_eq!(cut(), (7, 1000, flags.without(Flags::PSH), 1500));
        assert_eq!(cut(), (1007, 1000, Flags::ACK, 500));
        assert_eq!(cut(), (2007, 500, flags.without(Flags::CWR), 0));
        let mut ack = Segment { flags: Flags::ACK, ..Segment::default() };
        assert_eq!(ack.take_first().flags, Flags::ACK);
    }
}
