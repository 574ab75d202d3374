//! Segments between the tool and the host, as values: scripts contain segments that the codec of
//! `airtcp-live` would refuse (options in any order and of any kind, reserved flags). Data are zeros, as
//! packetdrill's are, so that a segment keeps only their length.

use std::fmt;

/// Flags of a TCP header, AE included [RFC 9293 3.1, RFC 9768].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// The sender has no more data.
    pub const FIN: Flags = Flags(1);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(1 << 1);
    /// Reset.
    pub const RST: Flags = Flags(1 << 2);
    /// Push.
    pub const PSH: Flags = Flags(1 << 3);
    /// The acknowledgement number is valid.
    pub const ACK: Flags = Flags(1 << 4);
    /// The urgent pointer is valid.
    pub const URG: Flags = Flags(1 << 5);
    /// Echo of congestion [RFC 3168].
    pub const ECE: Flags = Flags(1 << 6);
    /// The congestion window was reduced.
    pub const CWR: Flags = Flags(1 << 7);
    /// Accurate ECN.
    pub const AE: Flags = Flags(1 << 8);

    /// The flags with their letters, in the order in which scripts write them.
    pub(crate) const LETTERS: [(char, Flags); 9] = [
        ('F', Flags::FIN),
        ('S', Flags::SYN),
        ('R', Flags::RST),
        ('E', Flags::ECE),
        ('W', Flags::CWR),
        ('A', Flags::AE),
        ('P', Flags::PSH),
        ('U', Flags::URG),
        ('.', Flags::ACK),
    ];

    /// True if all of `flags` are set.
    #[must_use]
    pub const fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These flags and those in `flags`.
    #[must_use]
    pub const fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }

    /// These flags without those in `flags`.
    #[must_use]
    pub const fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("-");
        }
        let set = Flags::LETTERS.iter().filter(|(_, flag)| self.has(*flag));
        set.map(|(letter, _)| *letter).try_for_each(|letter| write!(f, "{letter}"))
    }
}

/// The counter that comes first in an option of Accurate ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountersFirst {
    /// ECT(0), CE, ECT(1): kind 172.
    Ect0,
    /// ECT(1), CE, ECT(0): kind 174.
    Ect1,
}

/// An option of a TCP header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// End of the options.
    End,
    /// No operation.
    Nop,
    /// Maximum segment size.
    Mss(u16),
    /// Window scale.
    WindowScale(u8),
    /// SACK is permitted.
    SackPermitted,
    /// SACK blocks.
    Sack(Vec<(u32, u32)>),
    /// Timestamps [RFC 7323].
    Timestamps {
        /// `TSval`.
        value: u32,
        /// `TSecr`.
        echo: u32,
    },
    /// A cookie of Fast Open [RFC 7413].
    FastOpen {
        /// The cookie; empty in a request.
        cookie: Vec<u8>,
        /// True if the cookie is in the experimental option.
        experimental: bool,
    },
    /// A digest [RFC 2385].
    Md5(Vec<u8>),
    /// Counters of Accurate ECN [RFC 9768 3.2.3], three bytes each.
    AccurateEcn {
        /// The counter that comes first.
        first: CountersFirst,
        /// Up to three counters, in their order.
        counters: Vec<u32>,
    },
    /// Any other kind.
    Other {
        /// Number of the kind.
        kind: u8,
        /// The bytes that follow the length.
        body: Vec<u8>,
    },
}

impl TcpOption {
    /// Number of the option's kind.
    #[must_use]
    pub fn kind(&self) -> u8 {
        match self {
            TcpOption::End => 0,
            TcpOption::Nop => 1,
            TcpOption::Mss(_) => 2,
            TcpOption::WindowScale(_) => 3,
            TcpOption::SackPermitted => 4,
            TcpOption::Sack(_) => 5,
            TcpOption::Timestamps { .. } => 8,
            TcpOption::Md5(_) => 19,
            TcpOption::FastOpen { experimental: false, .. } => 34,
            TcpOption::FastOpen { experimental: true, .. } => 254,
            TcpOption::AccurateEcn { first: CountersFirst::Ect0, .. } => 172,
            TcpOption::AccurateEcn { first: CountersFirst::Ect1, .. } => 174,
            TcpOption::Other { kind, .. } => *kind,
        }
    }

    /// Length of the option in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        match self {
            TcpOption::End | TcpOption::Nop => 1,
            TcpOption::Mss(_) => 4,
            TcpOption::WindowScale(_) => 3,
            TcpOption::SackPermitted => 2,
            TcpOption::Sack(blocks) => 2 + 8 * blocks.len(),
            TcpOption::Timestamps { .. } => 10,
            TcpOption::FastOpen { cookie, experimental } => {
                2 + 2 * usize::from(*experimental) + cookie.len()
            }
            TcpOption::AccurateEcn { counters, .. } => 2 + 3 * counters.len(),
            TcpOption::Md5(body) | TcpOption::Other { body, .. } => 2 + body.len(),
        }
    }
}

/// Bytes in hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for TcpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TcpOption::End => f.write_str("eol"),
            TcpOption::Nop => f.write_str("nop"),
            TcpOption::Mss(bytes) => write!(f, "mss {bytes}"),
            TcpOption::WindowScale(shift) => write!(f, "wscale {shift}"),
            TcpOption::SackPermitted => f.write_str("sackOK"),
            TcpOption::Sack(blocks) => {
                f.write_str("sack")?;
                blocks.iter().try_for_each(|(left, right)| write!(f, " {left}:{right}"))
            }
            TcpOption::Timestamps { value, echo } => write!(f, "TS val {value} ecr {echo}"),
            TcpOption::FastOpen { cookie, experimental } => {
                write!(f, "FO{}", if *experimental { "EXP" } else { "" })?;
                if cookie.is_empty() { Ok(()) } else { write!(f, " {}", Hex(cookie)) }
            }
            TcpOption::Md5(digest) => write!(f, "md5 {}", Hex(digest)),
            TcpOption::AccurateEcn { first, counters } => {
                let names = match first {
                    CountersFirst::Ect0 => ["e0b", "ceb", "e1b"],
                    CountersFirst::Ect1 => ["e1b", "ceb", "e0b"],
                };
                f.write_str("ECN")?;
                let mut both = names.iter().zip(counters);
                both.try_for_each(|(name, counter)| write!(f, " {name} {counter}"))
            }
            TcpOption::Other { kind, body } => write!(f, "kind {kind} {}", Hex(body)),
        }
    }
}

/// A segment, with the fields of its IP header that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Source port.
    pub source: u16,
    /// Destination port.
    pub destination: u16,
    /// Flags.
    pub flags: Flags,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgment number.
    pub acknowledgment: u32,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// Urgent pointer.
    pub urgent: u16,
    /// Options in their order; a host pads them to whole words by `nop` and `eol`.
    pub options: Vec<TcpOption>,
    /// Bytes of data, all zero.
    pub payload: u32,
    /// Type of service, or traffic class: DSCP and ECN.
    pub tos: u8,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Flow label of IPv6.
    pub flow_label: u32,
}

impl Packet {
    /// Length of the options in bytes, padded to whole words.
    #[must_use]
    pub fn options_length(&self) -> usize {
        self.options.iter().map(TcpOption::length).sum::<usize>().next_multiple_of(4)
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.sequence.wrapping_add(self.payload);
        let marks = ["", "[ect1] ", "[ect0] ", "[ce] "];
        let mark = marks[usize::from(self.tos & 3)];
        write!(f, "{mark}{} {}:{end}({})", self.flags, self.sequence, self.payload)?;
        if self.flags.has(Flags::ACK) {
            write!(f, " ack {}", self.acknowledgment)?;
        }
        write!(f, " win {}", self.window)?;
        if self.urgent > 0 {
            write!(f, " urg {}", self.urgent)?;
        }
        write_options(f, &self.options)
    }
}

/// Options in angle brackets, if there are any.
pub(crate) fn write_options(f: &mut fmt::Formatter<'_>, options: &[TcpOption]) -> fmt::Result {
    for (nth, option) in options.iter().enumerate() {
        write!(f, "{}{option}", if nth == 0 { " <" } else { "," })?;
    }
    if options.is_empty() { Ok(()) } else { f.write_str(">") }
}

/// A message of ICMP about a segment of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Icmp {
    /// Type of the message: `unreachable`, `time_exceeded`, …
    pub kind: String,
    /// Code of the message: `frag_needed`, `host_unreachable`, …
    pub code: Option<String>,
    /// The MTU that it reports.
    pub mtu: Option<u32>,
    /// First sequence number of the segment that it is about.
    pub sequence: u32,
    /// Bytes of data of that segment.
    pub payload: u32,
    /// Port of the host in that segment.
    pub local: u16,
    /// Port of the other end.
    pub remote: u16,
}
