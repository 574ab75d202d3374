//! The classic format [draft-ietf-opsawg-pcap]: a header, then packets.

use super::bytes::Order;
use super::{Frame, Refusal};

const HEADER: usize = 24;
const RECORD: usize = 16;
const MICROS: u32 = 0xA1B2_C3D4;
const NANOS: u32 = 0xA1B2_3C4D;
/// Of the last field of the header, what names the link; above stands the length of a checksum.
const LINK: u32 = 0xFFFF;

/// Reads all packets.
pub(super) fn read<'a>(
    bytes: &'a [u8],
    take: &mut impl FnMut(&Frame<'a>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let (order, scale) = magic(bytes).ok_or(Refusal::Format)?;
    let link = order.long(bytes, 20).ok_or(Refusal::Truncated(0))? & LINK;
    let mut at = HEADER;
    while at < bytes.len() {
        let field = |n: usize| order.long(bytes, at + 4 * n).ok_or(Refusal::Truncated(at));
        let (seconds, part, kept, length) = (field(0)?, field(1)?, field(2)?, field(3)?);
        let body = at + RECORD;
        let end = body.checked_add(kept as usize).ok_or(Refusal::Length(at))?;
        let kept = bytes.get(body..end).ok_or(Refusal::Truncated(at))?;
        let time = i64::from(seconds) * 1_000_000_000 + i64::from(part) * scale;
        take(&Frame { interface: 0, time, link, kept, length })?;
        at = end;
    }
    Ok(())
}

/// The order of bytes, and nanoseconds per unit of time.
fn magic(bytes: &[u8]) -> Option<(Order, i64)> {
    [Order { big: false }, Order { big: true }].into_iter().find_map(|order| {
        match order.long(bytes, 0)? {
            MICROS => Some((order, 1000)),
            NANOS => Some((order, 1)),
            _ => None,
        }
    })
}
