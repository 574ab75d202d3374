//! The log record of a packet: a fixed layout of little-endian words.

use super::packet::IpPacket;
use airtcp_core::Instant;
use airtcp_radio::LossCause;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet arrived out of the last hop.
    Delivered,
    /// The packet was lost for this cause.
    Lost(LossCause),
    /// The run ended while the packet was on its way.
    OnTheWay,
}

impl Fate {
    /// All fates with their names, in the order of their codes.
    pub const NAMED: [(Fate, &'static str); 8] = [
        (Fate::Delivered, "delivered"),
        (Fate::Lost(LossCause::Queue), "queue"),
        (Fate::Lost(LossCause::Channel), "channel"),
        (Fate::Lost(LossCause::Gate), "gate"),
        (Fate::Lost(LossCause::Forced), "forced"),
        (Fate::Lost(LossCause::Arq), "arq"),
        (Fate::Lost(LossCause::Vanished), "vanished"),
        (Fate::OnTheWay, "on the way"),
    ];

    /// The position of the fate in [`Fate::NAMED`].
    ///
    /// # Panics
    ///
    /// Never: all fates are listed.
    #[must_use]
    pub fn code(self) -> usize {
        Fate::NAMED.iter().position(|entry| entry.0 == self).expect("all are listed")
    }
}

/// The value added to the ECN bits of a packet that a queue on its way has marked.
const MARKED: i64 = 4;

/// Words of a record.
pub const WORD_COUNT: usize = 13;

/// Names and NumPy types of the fields of a record, each one word.
pub const FIELDS: [(&str, &str); WORD_COUNT] = [
    ("direction", "<i8"),
    ("id", "<i8"),
    ("arrival", "<i8"),
    ("start", "<i8"),
    ("end", "<i8"),
    ("at", "<i8"),
    ("late", "<i8"),
    ("bits", "<i8"),
    ("number", "<i8"),
    ("fate", "<i8"),
    ("copy", "<i8"),
    ("connection", "<i8"),
    ("ecn", "<i8"),
];

/// The log record of a packet. Times are in nanoseconds since the start of the run; -1 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Direction of the packet: 0 from the sender's side to the receiver's, 1 back.
    pub direction: i64,
    /// Number of the packet, counted from 0 in its direction.
    pub id: i64,
    /// Time of its arrival at the first hop.
    pub arrival: i64,
    /// Start of its transmission, as in [`IpPacket::on_air`]; -1 if the packet was lost before, or is on
    /// the way.
    pub start: i64,
    /// End of that transmission.
    pub end: i64,
    /// Time at which it came out of the last hop, or was lost.
    pub at: i64,
    /// Delay from `at` until the packet was handed to the far device.
    pub late: i64,
    /// Length on the air in bits.
    pub bits: i64,
    /// Packet number for forced losses.
    pub number: i64,
    /// [`Fate::code`], plus 256 times the hop (from 0) that lost the packet.
    pub fate: i64,
    /// Number of the copy: [`IpPacket::copy`].
    pub copy: i64,
    /// [`IpPacket::connection`].
    pub connection: i64,
    /// [`IpPacket::ecn`], plus 4 if a queue has marked the packet.
    pub ecn: i64,
}

impl Record {
    /// Makes the record of a packet with this fate at `at`, on hop `hop`.
    #[must_use]
    pub fn new(direction: usize, packet: &IpPacket, at: Instant, fate: Fate, hop: usize) -> Self {
        // An outage may destroy a packet between its arrival and the start that it was given then.
        let on_air = packet.on_air.filter(|(start, _)| *start <= at);
        let (start, end) = on_air.map_or((-1, -1), |(s, e)| (s.nanos(), e.nanos()));
        Record {
            direction: direction as i64,
            id: packet.id.cast_signed(),
            arrival: packet.arrival.nanos(),
            start,
            end,
            at: at.nanos(),
            late: -1,
            bits: packet.bits.cast_signed(),
            number: packet.number.map_or(-1, u64::cast_signed),
            fate: (fate.code() + 256 * hop) as i64,
            copy: packet.copy.cast_signed(),
            connection: packet.connection.into(),
            ecn: i64::from(packet.ecn) + if packet.is_marked { MARKED } else { 0 },
        }
    }

    /// The words of the record in the order in which the log has them.
    #[must_use]
    pub fn words(&self) -> [i64; WORD_COUNT] {
        let Record { direction, id, arrival, start, end, at, late, bits, number, .. } = *self;
        let Record { fate, copy, connection, ecn, .. } = *self;
        [direction, id, arrival, start, end, at, late, bits, number, fate, copy, connection, ecn]
    }

    /// Makes a record from its words in the log.
    #[must_use]
    pub fn from_words(words: [i64; WORD_COUNT]) -> Self {
        let [direction, id, arrival, start, end, at, late, bits, number, rest @ ..] = words;
        let [fate, copy, connection, ecn] = rest;
        Record {
            direction,
            id,
            arrival,
            start,
            end,
            at,
            late,
            bits,
            number,
            fate,
            copy,
            connection,
            ecn,
        }
    }

    /// The packet as it came to the first hop, without its bytes.
    #[must_use]
    pub fn packet(&self) -> IpPacket {
        let (id, bits) = (self.id.cast_unsigned(), self.bits.cast_unsigned());
        let number = u64::try_from(self.number).ok();
        let (connection, ecn) = (self.connection as u32, (self.ecn % MARKED) as u8);
        let arrival = Instant::from_nanos(self.arrival);
        IpPacket { number, connection, ecn, ..IpPacket::new(id, arrival, bits) }
    }
}
