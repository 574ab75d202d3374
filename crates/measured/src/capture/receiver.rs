//! Fates of packets from a capture at the receiver: holes in the numbers that came, and what fills them.

use super::DelayMethod;
use super::direction::Direction;
use super::oddity::{Oddities, seconds};
use super::record::Record;
use super::sender::Findings;
use super::transmission::{self, MAX_AHEAD, Transmission};
use crate::row::{Fate, NO_DELAY, Row, check_room};
use airtcp_capture::{Flags, Refusal, distance};
use airtcp_core::CancelCheck;
use std::collections::BTreeMap;

/// Packets of a hole: more are no loss but a gap in the capture.
const MAX_GAP_PACKETS: u64 = 10_000;
/// Packets taken to be lost per packet that arrived; a hole that would make them more is a gap in the capture.
const MAX_LOST_PER_ARRIVED: usize = 4;

/// Duplicate ACKs after which a sender repeats [RFC 5681 3.2].
const REORDERING_THRESHOLD: usize = 3;

/// Numbers that did not come: one packet of a hole.
#[derive(Clone, Copy, Debug)]
struct MissingPacket {
    end: u64,
    row: usize,
    /// The packet behind the hole that revealed it, and the number of packets arrived by then.
    revealing_packet: Transmission,
    arrived_by_then: usize,
}

/// The fates of the transmissions in a direction; `None` if the work was cancelled or there is no data. `rtt` is the time
/// in which the sender answers.
pub(super) fn fates(
    direction: Direction<'_>,
    rtt: Option<i64>,
    mut oddities: Oddities,
    mut watch: CancelCheck,
) -> Result<Option<Findings>, Refusal> {
    let Some(first) = direction.first_number() else { return Ok(None) };
    let mss = transmission::mss(&direction);
    let mut numbers = transmission::counter(first);
    let began = direction.data_segments().next().map_or(0, |entry| entry.time);
    let mut holes = HoleTracker {
        rows: vec![],
        missing: BTreeMap::new(),
        expected: numbers.highest(),
        mss: u64::from(mss),
        rtt,
        has_ids: has_ids(direction),
        began,
        came: 0,
        reordered: 0,
        duplicated: 0,
        last_packet: None,
    };
    for record in direction.records {
        if watch.is_cancelled() {
            return Ok(None);
        }
        if record.is_outgoing() == direction.outgoing {
            if record.length == 0 {
                continue;
            }
            let pieces = transmission::split_or_record_oddity(
                record,
                &mut numbers,
                mss,
                began,
                &mut oddities,
            );
            let Some(pieces) = pieces else { continue };
            for sent in pieces {
                check_room(holes.rows.len())?;
                holes.on_arrival(&sent, &mut oddities);
            }
        } else if record.flags.contains(Flags::ACK)
            && let Some(ack) =
                numbers.nearest(record.ack).filter(|ack| *ack <= holes.expected + MAX_AHEAD)
        {
            holes.on_ack(ack, record.time, &mut oddities);
        }
    }
    Ok(Some(Findings {
        rows: holes.rows,
        delays: DelayMethod::RoundTrip,
        reordered: holes.reordered,
        duplicated: holes.duplicated,
        oddities,
    }))
}

/// True if the identifications of the data in a direction count its packets as they were sent: they grow by little, and
/// by more than one where packets are missing.
fn has_ids(direction: Direction<'_>) -> bool {
    let (mut steps, mut small, mut missing, mut unseen) = (0, 0, 0, 0);
    let mut before: Option<&Record> = None;
    for record in direction.data_segments().take(SAMPLED_SEGMENTS) {
        if let Some(before) = before {
            let step = record.id.wrapping_sub(before.id);
            steps += 1;
            small += u64::from(record.id != 0 && (1..64).contains(&step));
            if distance(record.seq, before.seq.wrapping_add(before.length)) > 0 {
                missing += 1;
                unseen += u64::from(step == 1);
            }
        }
        before = Some(record);
    }
    steps >= 8 && small * 10 >= steps * 8 && unseen * 2 <= missing
}

/// Segments in which IP identifications are examined.
const SAMPLED_SEGMENTS: usize = 20_000;

struct HoleTracker {
    rows: Vec<Row>,
    missing: BTreeMap<u64, MissingPacket>,
    expected: u64,
    mss: u64,
    rtt: Option<i64>,
    has_ids: bool,
    began: i64,
    came: usize,
    reordered: u64,
    duplicated: u64,
    /// The last packet, if a copy of it may follow.
    last_packet: Option<Transmission>,
}

impl HoleTracker {
    fn on_arrival(&mut self, sent: &Transmission, oddities: &mut Oddities) {
        self.came += 1;
        if sent.start >= self.expected {
            if sent.start > self.expected {
                self.open_holes(sent, oddities);
            }
            self.push(sent.time, sent.size, Fate::Arrived);
            self.expected = sent.end;
            self.last_packet = Some(*sent);
            return;
        }
        let place = self.missing.range(..sent.end).next_back();
        let Some((start, missing)) =
            place.map(|(&start, hole)| (start, *hole)).filter(|(_, hole)| hole.end > sent.start)
        else {
            // It is there already: a copy, or a repetition that was not needed.
            let is_copy = self.last_packet.is_some_and(|last| {
                (last.start, last.id, last.stamp) == (sent.start, sent.id, sent.stamp)
                    && sent.id != 0
            });
            if is_copy {
                self.duplicated += 1;
            } else {
                self.push(sent.time, sent.size, Fate::Arrived);
            }
            return;
        };
        let filled: Vec<u64> = self
            .missing
            .range(start.min(sent.start)..sent.end)
            .filter(|(_, hole)| hole.end > sent.start)
            .map(|(&start, _)| start)
            .collect();
        let is_repetition = self.is_repetition(sent, &missing);
        let fate = if is_repetition { Fate::Lost } else { Fate::Arrived };
        for start in &filled {
            self.fill_hole(*start, sent, fate);
        }
        if is_repetition {
            self.push(sent.time, sent.size, Fate::Arrived);
        } else {
            self.reordered += 1;
        }
    }

    /// Returns true if a packet which fills a hole was sent after the packet behind the hole.
    fn is_repetition(&self, sent: &Transmission, missing: &MissingPacket) -> bool {
        let seen = &missing.revealing_packet;
        let stamps = sent.stamp.zip(seen.stamp).map(|(own, other)| distance(own, other));
        if let Some(later) = stamps.filter(|&later| later != 0) {
            return later > 0;
        }
        if self.has_ids && sent.id != seen.id {
            return sent.id.wrapping_sub(seen.id).cast_signed() > 0;
        }
        // Two packets of the same tick of the sender's clock were not sent a round trip apart.
        if stamps.is_some() {
            return false;
        }
        // A repetition takes a round trip at least from where its hole was seen, and some segments behind the hole.
        let waited = sent.time.saturating_sub(seen.time);
        let behind = self.came - missing.arrived_by_then;
        self.rtt.map_or(behind >= REORDERING_THRESHOLD, |rtt| waited.saturating_mul(2) >= rtt)
    }

    fn open_holes(&mut self, sent: &Transmission, oddities: &mut Oddities) {
        let packets = (sent.start - self.expected).div_ceil(self.mss);
        let lost = self.rows.len().saturating_sub(self.came) as u64 + packets;
        if packets > MAX_GAP_PACKETS || lost > (MAX_LOST_PER_ARRIVED * (self.came + 64)) as u64 {
            self.record_gap(sent.time, sent.start - self.expected, oddities);
            return;
        }
        let mut start = self.expected;
        while start < sent.start {
            let end = (start + self.mss).min(sent.start);
            let row = self.rows.len();
            let headers = i64::from(sent.size) - (sent.end - sent.start) as i64;
            self.push(sent.time, (end - start) as i32 + headers as i32, Fate::Unknown);
            self.missing.insert(
                start,
                MissingPacket { end, row, revealing_packet: *sent, arrived_by_then: self.came },
            );
            start = end;
        }
    }

    fn record_gap(&self, time: i64, bytes: u64, oddities: &mut Oddities) {
        oddities.record("gap", 1, || {
            format!(
                "the capture lacks data that arrived, first at {}: {bytes} bytes (a gap in the capture, no loss)",
                seconds(time, self.began)
            )
        });
    }

    /// Takes from the hole that begins with `start` what `sent` fills.
    fn fill_hole(&mut self, start: u64, sent: &Transmission, fate: Fate) {
        let Some(missing) = self.missing.remove(&start) else { return };
        self.rows[missing.row].fate = fate;
        if start < sent.start {
            self.missing.insert(start, MissingPacket { end: sent.start, ..missing });
        }
        if missing.end > sent.end {
            self.missing.insert(sent.end, missing);
        }
    }

    /// The receiver has numbers that did not come here: the capture lacks them.
    fn on_ack(&mut self, ack: u64, time: i64, oddities: &mut Oddities) {
        while let Some((&start, &missing)) = self.missing.first_key_value() {
            if missing.end > ack {
                break;
            }
            self.missing.remove(&start);
            self.record_gap(time, missing.end - start, oddities);
        }
        if ack > self.expected + 1 {
            self.record_gap(time, ack - self.expected, oddities);
            self.expected = ack;
        }
    }

    fn push(&mut self, time: i64, size: i32, fate: Fate) {
        self.rows.push(Row { time: time.saturating_sub(self.began), delay: NO_DELAY, size, fate });
    }
}
