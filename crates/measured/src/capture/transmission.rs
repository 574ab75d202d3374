//! Transmissions of data: segments cut to the size in which they are on the wire.

use super::direction::Direction;
use super::oddity::{Oddities, seconds};
use super::record::Record;
use airtcp_capture::{Flags, SequenceCounter};

/// Bytes of data above which a segment is impossible: twice the limit of "BIG TCP" in Linux.
const MAX_WINDOW_JUMP: u32 = 1 << 20;
/// Counter of the first number, so that there is room below it.
const COUNTER_SPACE: u32 = 1 << 30;
/// Largest jump of sequence numbers from one segment to the next.
pub(super) const MAX_AHEAD: u64 = 1 << 30;

/// A transmission of data, from one number to before another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub time: i64,
    pub start: u64,
    pub end: u64,
    pub stamp: Option<u32>,
    pub id: u16,
    /// Bytes of the IP packet.
    pub size: i32,
}

/// A counter that begins in the middle of its numbers.
pub(super) fn counter(first: u32) -> SequenceCounter {
    let mut counter = SequenceCounter::new(first.wrapping_sub(COUNTER_SPACE));
    counter.advance(first);
    counter
}

/// Splits a captured data segment into the segments on the wire; `None` if it is impossible.
pub(super) fn split_record(
    record: &Record,
    counter: &mut SequenceCounter,
    mss: u32,
) -> Option<impl Iterator<Item = Transmission> + use<>> {
    let record = *record;
    let start = counter.nearest(record.seq)?;
    if record.length > MAX_WINDOW_JUMP {
        return None;
    }
    let syn = u64::from(record.flags.contains(Flags::SYN));
    let (start, end) = (start + syn, start + syn + u64::from(record.length));
    counter.advance(record.seq.wrapping_add(record.length));
    let pieces = record.length.div_ceil(mss);
    Some((0..pieces).map(move |nth| {
        let from = start + u64::from(nth) * u64::from(mss);
        let to = (from + u64::from(mss)).min(end);
        Transmission {
            time: record.time,
            start: from,
            end: to,
            stamp: record.timestamps().map(|(stamp, _)| stamp),
            id: record.id,
            size: (to - from) as i32 + i32::from(record.headers),
        }
    }))
}

/// Cuts a segment of data as `cut` does; one that is impossible is noted and left out.
pub(super) fn split_or_record_oddity(
    record: &Record,
    counter: &mut SequenceCounter,
    mss: u32,
    began: i64,
    oddities: &mut Oddities,
) -> Option<impl Iterator<Item = Transmission> + use<>> {
    let pieces = split_record(record, counter, mss);
    if pieces.is_none() {
        oddities.record("impossible length", 1, || {
            format!(
                "a segment says that it has {} bytes of data at {}: left out",
                record.length,
                seconds(record.time, began)
            )
        });
    }
    pieces
}

/// MSS assumed without evidence: that of Ethernet.
const ETHERNET_MSS: u32 = 1460;
/// Largest MSS of a link; larger segments were merged, or will be cut, by a device.
const JUMBO_MSS: u32 = 8960;
/// Least MSS that counts.
const MIN_MSS: u32 = 88;
/// Bytes of timestamps with their padding.
const STAMPS: u32 = 12;

/// Bytes of data of a full segment on the wire: what the handshake allows or, without it, what most segments have.
pub(super) fn mss(direction: &Direction<'_>) -> u32 {
    let stamped = direction.data_segments().any(|record| record.timestamps().is_some());
    let options = if stamped { STAMPS } else { 0 };
    let usual = common_size(direction);
    match direction.mss {
        // Both ends' words bound it; a path may have a smaller one, which most segments then show.
        Some(advertised) => {
            let advertised = u32::from(advertised);
            let full = advertised.saturating_sub(options).max(MIN_MSS);
            let whole =
                |record: &Record| record.length <= usual || record.length.is_multiple_of(usual);
            // Some hosts leave the options out of what they say, and most segments are larger than they may be.
            let is_larger = full < usual && usual <= advertised;
            if is_larger || (usual < full && direction.data_segments().all(whole)) {
                usual.max(MIN_MSS)
            } else {
                full
            }
        }
        None if usual <= ETHERNET_MSS => usual.max(ETHERNET_MSS - options),
        None => {
            let of_ethernet = [ETHERNET_MSS - options, ETHERNET_MSS - 20 - options];
            let multiple = of_ethernet.into_iter().find(|mss| usual.is_multiple_of(*mss));
            multiple.unwrap_or(if usual <= JUMBO_MSS { usual } else { ETHERNET_MSS - options })
        }
    }
}

/// The most frequent length of segments of data; of several, the largest.
fn common_size(direction: &Direction<'_>) -> u32 {
    let mut counts = std::collections::BTreeMap::<u32, u64>::new();
    for record in direction.data_segments().take(SAMPLED_SEGMENTS) {
        *counts.entry(record.length).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(length, count)| (count, length)).map_or(1, |common| common.0)
}

/// Segments among which the usual length is looked for.
const SAMPLED_SEGMENTS: usize = 10_000;
