//! The format of blocks [draft-ietf-opsawg-pcapng].

use super::bytes::ByteOrder;
use super::frame::{FileRecord, Frame};
use super::refusal::Refusal;

const SECTION_BLOCK: u32 = 0x0A0D_0D0A;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
const INTERFACE_BLOCK: u32 = 1;
const OLD_PACKET_BLOCK: u32 = 2;
const SIMPLE_PACKET_BLOCK: u32 = 3;
const PACKET_BLOCK: u32 = 6;
/// Blocks that files have: those above, names, statistics, custom ones.
const BLOCK_TYPES: [u32; 9] = [
    SECTION_BLOCK,
    INTERFACE_BLOCK,
    OLD_PACKET_BLOCK,
    SIMPLE_PACKET_BLOCK,
    PACKET_BLOCK,
    4,
    5,
    0x0BAD,
    0x4000_0BAD,
];
/// Codes of options.
const END_OPTION: u16 = 0;
const COMMENT_OPTION: u16 = 1;
const RESOLUTION_OPTION: u16 = 9;
const OFFSET_OPTION: u16 = 14;
/// Type and length, and the length again.
const BLOCK_OVERHEAD: usize = 12;
/// Bytes of the largest block: more are none that programs write (`MAX_BLOCK_SIZE` of Wireshark).
const MAX_BLOCK: usize = 1 << 24;
/// Most interfaces of a section.
const MAX_INTERFACES: usize = 4096;

/// Description of an interface: link type and time unit of its packets.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: u32,
    unit: Unit,
    /// Seconds to add to the times of its packets.
    offset: i64,
}

/// Units of time per second: a power of ten or of two.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Ten(u32),
    Two(u32),
}

impl Unit {
    fn to_nanos(self, count: u64) -> i64 {
        let nanos = match self {
            Unit::Ten(power) if power <= 9 => u128::from(count) * 10_u128.pow(9 - power),
            Unit::Ten(power) => u128::from(count) / 10_u128.pow((power - 9).min(30)),
            Unit::Two(power) => (u128::from(count) * 1_000_000_000) >> power.min(127),
        };
        i64::try_from(nanos).unwrap_or(i64::MAX)
    }
}

/// Returns true if the bytes begin like this format.
pub(super) fn is_pcapng(bytes: &[u8]) -> bool {
    ByteOrder { is_big_endian: true }.read_u32(bytes, 0) == Some(SECTION_BLOCK)
}

/// Reader of the blocks of a pcapng file, with the state of the current section.
#[derive(Debug, Default)]
pub(super) struct BlockReader {
    order: Option<ByteOrder>,
    interfaces: Vec<Interface>,
    /// Interfaces of earlier sections.
    earlier_interfaces: u32,
}

impl BlockReader {
    /// The block at place `at` of the file, with which `bytes` begin, `None` if it is not whole; the comment of the first
    /// section goes to `comment`.
    pub(super) fn next<'a>(
        &mut self,
        bytes: &'a [u8],
        at: u64,
        comment: &mut Option<Vec<u8>>,
    ) -> Result<Option<FileRecord<'a>>, Refusal> {
        let mut order = self.order();
        let Some(kind) = order.read_u32(bytes, 0) else { return Ok(None) };
        if kind == SECTION_BLOCK {
            if bytes.len() < BLOCK_OVERHEAD {
                return Ok(None);
            }
            order = section_byte_order(bytes, at)?;
        }
        let Some(length) = order.read_u32(bytes, 4) else { return Ok(None) };
        let length = length as usize;
        if !(BLOCK_OVERHEAD..=MAX_BLOCK).contains(&length) || !length.is_multiple_of(4) {
            return Err(Refusal::Length(at));
        }
        let Some(body) = bytes.get(8..length - 4).filter(|_| length <= bytes.len()) else {
            return Ok(None);
        };
        let mut frame = None;
        match kind {
            SECTION_BLOCK => {
                if self.order.is_none() {
                    let option_value =
                        find_option(order, body.get(16..).unwrap_or(&[]), COMMENT_OPTION);
                    *comment = option_value.map(<[u8]>::to_vec);
                }
                self.order = Some(order);
                self.earlier_interfaces =
                    self.earlier_interfaces.saturating_add(self.interfaces.len() as u32);
                self.interfaces.clear();
            }
            INTERFACE_BLOCK if self.interfaces.len() < MAX_INTERFACES => {
                self.interfaces.push(parse_interface(order, body).ok_or(Refusal::Truncated(at))?);
            }
            INTERFACE_BLOCK => return Err(Refusal::Unusable("has more than 4096 interfaces")),
            PACKET_BLOCK | OLD_PACKET_BLOCK => {
                let found = parse_packet(order, kind, body, &self.interfaces);
                let (number, found) = found.ok_or(Refusal::Truncated(at))?;
                let found = found.ok_or(Refusal::Interface(number))?;
                frame = Some(Frame {
                    interface: self.earlier_interfaces.saturating_add(number),
                    ..found
                });
            }
            SIMPLE_PACKET_BLOCK => return Err(Refusal::Unusable("has packets without a time")),
            _ => {}
        }
        Ok(Some(FileRecord { bytes: length, frame }))
    }

    /// The refusal of a file that ends within the block at place `at`.
    pub(super) fn end(&self, bytes: &[u8], at: u64) -> Refusal {
        match self.order().read_u32(bytes, 0) {
            Some(kind) if !BLOCK_TYPES.contains(&kind) => Refusal::Length(at),
            _ => Refusal::Truncated(at),
        }
    }

    fn order(&self) -> ByteOrder {
        self.order.unwrap_or(ByteOrder { is_big_endian: false })
    }
}

/// Order of the bytes of a section, with whose header `bytes` begin.
fn section_byte_order(bytes: &[u8], at: u64) -> Result<ByteOrder, Refusal> {
    [ByteOrder { is_big_endian: false }, ByteOrder { is_big_endian: true }]
        .into_iter()
        .find(|order| order.read_u32(bytes, 8) == Some(BYTE_ORDER))
        .ok_or(Refusal::Truncated(at))
}

fn parse_interface(order: ByteOrder, body: &[u8]) -> Option<Interface> {
    let link = u32::from(order.read_u16(body, 0)?);
    let options = body.get(8..)?;
    let unit = match find_option(order, options, RESOLUTION_OPTION).and_then(|v| v.first()) {
        None => Unit::Ten(6),
        Some(&value) if value & 0x80 == 0 => Unit::Ten(u32::from(value)),
        Some(&value) => Unit::Two(u32::from(value & 0x7F)),
    };
    let offset = find_option(order, options, OFFSET_OPTION).and_then(|value| {
        let (first, second) = (order.read_u32(value, 0)?, order.read_u32(value, 4)?);
        let (high, low) = if order.is_big_endian { (first, second) } else { (second, first) };
        Some((u64::from(high) << 32 | u64::from(low)).cast_signed())
    });
    Some(Interface { link, unit, offset: offset.unwrap_or(0) })
}

/// The interface of a block, and its packet if the interface is known.
fn parse_packet<'a>(
    order: ByteOrder,
    kind: u32,
    body: &'a [u8],
    interfaces: &[Interface],
) -> Option<(u32, Option<Frame<'a>>)> {
    let number = match kind {
        PACKET_BLOCK => order.read_u32(body, 0)?,
        _ => u32::from(order.read_u16(body, 0)?),
    };
    let count = u64::from(order.read_u32(body, 4)?) << 32 | u64::from(order.read_u32(body, 8)?);
    let (kept, length) = (order.read_u32(body, 12)?, order.read_u32(body, 16)?);
    let kept = body.get(20..)?.get(..kept as usize)?;
    let frame = interfaces.get(number as usize).map(|interface| {
        let time = interface
            .unit
            .to_nanos(count)
            .saturating_add(interface.offset.saturating_mul(1_000_000_000));
        Frame { interface: number, time, linktype: interface.link, bytes: kept, length }
    });
    Some((number, frame))
}

/// The value of the first option with this code.
fn find_option(order: ByteOrder, mut options: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let (code, length) = (order.read_u16(options, 0)?, order.read_u16(options, 2)? as usize);
        let value = options.get(4..4 + length)?;
        match code {
            END_OPTION => return None,
            _ if code == wanted => return Some(value),
            _ => options = options.get(4 + length.next_multiple_of(4)..)?,
        }
    }
}
