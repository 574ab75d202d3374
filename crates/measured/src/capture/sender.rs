//! Fates of packets from a capture at the sender: from acknowledgements and retransmissions.

use super::DelayMethod;
use super::direction::Direction;
use super::oddity::{Oddities, seconds};
use super::pieces::{DataPiece, Pieces, SentCopy};
use super::record::Record;
use super::transmission::{self, MAX_AHEAD, Transmission};
use crate::row::{Fate, NO_DELAY, Row, check_room};
use airtcp_capture::{Flags, Refusal, SequenceCounter, distance};
use airtcp_core::CancelCheck;
use std::collections::BTreeMap;

/// Findings about a direction.
#[derive(Debug)]
pub(super) struct Findings {
    pub rows: Vec<Row>,
    pub delays: DelayMethod,
    pub reordered: u64,
    pub duplicated: u64,
    pub oddities: Oddities,
}

/// The fates of the transmissions in a direction; `None` if its work was cancelled or it has no data.
pub(super) fn fates(
    direction: Direction<'_>,
    mut oddities: Oddities,
    mut watch: CancelCheck,
) -> Result<Option<Findings>, Refusal> {
    let Some(first) = direction.first_number() else { return Ok(None) };
    let mss = transmission::mss(&direction);
    let mut numbers = transmission::counter(first);
    let mut ledger = FateLedger::new(numbers.highest());
    let began = direction.data_segments().next().map_or(0, |entry| entry.time);
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
            if record.length > mss {
                oddities.record("offload", 1, || {
                    format!(
                        "segments are larger than the {mss} bytes of one packet, the first at {}: each counts as the \
                         packets that it is cut into",
                        seconds(record.time, began)
                    )
                });
            }
            for sent in pieces {
                check_room(ledger.rows.len())?;
                ledger.on_data(&sent, began, &mut oddities);
            }
        } else if record.flags.contains(Flags::ACK) && !record.flags.contains(Flags::SYN) {
            ledger.on_ack(record, &direction, &numbers, began, &mut oddities);
        }
    }
    Ok(Some(ledger.into_findings(oddities)))
}

/// Rows, and the data that is not acknowledged.
struct FateLedger {
    rows: Vec<Row>,
    pieces: Pieces,
    /// Pieces that were sent more than once and are acknowledged: duplicates of them may be reported.
    acknowledged_pieces: BTreeMap<u64, DataPiece>,
    /// Numbers that SACK blocks have reported, as ranges.
    reported: BTreeMap<u64, u64>,
    una: u64,
    highest: u64,
    /// ACKs that repeat the last one without SACK blocks.
    repeated_acks: u64,
    least_round_trip: Option<i64>,
    reordered: u64,
    duplicated: u64,
    is_first: bool,
}

impl FateLedger {
    fn new(first: u64) -> Self {
        FateLedger {
            rows: vec![],
            pieces: Pieces::default(),
            acknowledged_pieces: BTreeMap::new(),
            reported: BTreeMap::new(),
            una: first,
            highest: first,
            repeated_acks: 0,
            least_round_trip: None,
            reordered: 0,
            duplicated: 0,
            is_first: true,
        }
    }

    fn on_data(&mut self, sent: &Transmission, began: i64, oddities: &mut Oddities) {
        let row = self.rows.len();
        self.rows.push(Row {
            time: sent.time.saturating_sub(began),
            delay: NO_DELAY,
            size: sent.size,
            fate: Fate::Unknown,
        });
        if self.is_first {
            self.una = self.una.min(sent.start);
            self.is_first = false;
        } else if sent.start > self.highest {
            oddities.record("gap", 1, || {
                format!(
                    "data was sent that the capture does not have, the first at {}: {} bytes",
                    seconds(sent.time, began),
                    sent.start - self.highest
                )
            });
        }
        self.highest = self.highest.max(sent.end);
        if sent.end <= self.una {
            // All of it is acknowledged: only a report of a duplicate shows whether this copy arrives as well.
            let copy = SentCopy { row, time: sent.time, stamp: sent.stamp };
            match self.acknowledged_pieces.range_mut(..sent.end).next_back() {
                Some((_, piece)) if piece.end > sent.start => piece.retransmissions.push(copy),
                _ => {
                    let piece = DataPiece {
                        end: sent.end,
                        first: copy,
                        retransmissions: vec![],
                        sacked: true,
                    };
                    self.acknowledged_pieces.insert(sent.start, piece);
                }
            }
            return;
        }
        self.pieces.add_transmission(sent.start.max(self.una), sent, row);
    }

    fn on_ack(
        &mut self,
        record: &Record,
        direction: &Direction<'_>,
        numbers: &SequenceCounter,
        began: i64,
        oddities: &mut Oddities,
    ) {
        let Some(ack) = numbers.nearest(record.ack).filter(|&ack| ack <= self.highest + MAX_AHEAD)
        else {
            return;
        };
        // A FIN has a number too.
        if ack > self.highest + 1 && !self.is_first {
            oddities.record("gap", 1, || {
                format!(
                    "data is acknowledged that the capture does not have, the first at {}: {} bytes",
                    seconds(record.time, began),
                    ack - self.highest
                )
            });
        }
        let mut is_news = false;
        if let Some(blocks) = record.blocks(direction.blocks) {
            let mut ranges =
                blocks.iter().filter(|&&(from, to)| from != to).filter_map(|&(from, to)| {
                    let range = (numbers.nearest(from)?, numbers.nearest(to)?);
                    (range.0 < range.1 && range.1 <= self.highest).then_some(range)
                });
            let first = ranges.next();
            let others: Vec<_> = ranges.collect();
            // A block that reports a duplicate [RFC 2883 4]: below the ACK, or inside the next block.
            let duplicate = first.filter(|&(from, to)| {
                to <= ack || others.first().is_some_and(|next| next.0 <= from && to <= next.1)
            });
            if let Some((from, to)) = duplicate {
                self.on_dsack(from, to, record.time);
            }
            for (from, to) in first.filter(|_| duplicate.is_none()).into_iter().chain(others) {
                is_news |= self.on_sack(from.max(ack), to, record.time);
            }
        }
        if ack > self.una {
            self.advance(ack, record);
            self.repeated_acks = 0;
        } else if record.length == 0 && !is_news && ack == self.una && self.una < self.highest {
            self.repeated_acks += 1;
        }
    }

    /// Takes a range of a SACK block; returns whether any of it is new.
    fn on_sack(&mut self, from: u64, to: u64, now: i64) -> bool {
        let mut at = from;
        let mut news = vec![];
        if let Some((_, &end)) = self.reported.range(..=at).next_back() {
            at = at.max(end);
        }
        while at < to {
            let next = self.reported.range(at..).next().map(|(&start, &end)| (start, end));
            let until = next.map_or(to, |(start, _)| start.min(to));
            if at < until {
                news.push((at, until));
            }
            at = next.map_or(to, |(_, end)| end);
        }
        for &(from, to) in &news {
            self.mark_arrived(from, to, now);
        }
        if !news.is_empty() {
            self.merge_reported(from, to);
        }
        !news.is_empty()
    }

    /// Adds a range to those reported.
    fn merge_reported(&mut self, mut from: u64, mut to: u64) {
        while let Some((&start, &end)) = self.reported.range(..=to).next_back() {
            if end < from {
                break;
            }
            self.reported.remove(&start);
            (from, to) = (from.min(start), to.max(end));
        }
        self.reported.insert(from, to);
    }

    /// Numbers arrived that a block reports for the first time.
    fn mark_arrived(&mut self, from: u64, to: u64, now: i64) {
        let mut found = vec![];
        for (_, piece) in self.pieces.pieces_within(from, to) {
            if !piece.sacked {
                piece.sacked = true;
                found.push((piece.end, piece.first, piece.retransmissions.clone()));
            }
        }
        for (end, first, again) in found {
            let piece = DataPiece { end, first, retransmissions: again, sacked: true };
            let arrived = self.find_arrived_copy(&piece, now, None);
            // The segment that the receiver answers is one of the newly reported ones: the last, or the only one.
            if end == to && piece.retransmissions.is_empty() {
                self.record_delay(arrived, now);
            }
        }
    }

    /// The cumulative acknowledgement moves up.
    fn advance(&mut self, ack: u64, record: &Record) {
        let (mut fresh, mut sacked, mut edge_was_news) = (0, false, false);
        let mut last: Option<(u64, SentCopy)> = None;
        let mut only: Option<SentCopy> = None;
        let edge = self.una;
        while let Some((start, piece)) = self.pieces.pop_below(ack) {
            if piece.sacked {
                sacked = true;
            } else {
                let is_edge = start <= edge;
                let echo = record.timestamps().map(|stamps| stamps.1).filter(|_| is_edge);
                let arrived = self.find_arrived_copy(&piece, record.time, echo);
                fresh += 1;
                if piece.retransmissions.is_empty() {
                    last = Some((piece.end, arrived));
                    only = if fresh == 1 { Some(arrived) } else { None };
                } else {
                    edge_was_news = true;
                    let stamps = piece.copies().filter(|copy| copy.stamp == arrived.stamp).count();
                    if echo.is_some() && echo == arrived.stamp && stamps == 1 {
                        self.record_delay(arrived, record.time);
                    }
                }
            }
            if !piece.retransmissions.is_empty() {
                self.acknowledged_pieces.insert(start, piece);
            }
        }
        // The segment that is answered is the last one of new data, or the one that filled the hole.
        let filled = sacked || self.repeated_acks > 0;
        match (filled, only, last) {
            (true, Some(arrived), _) if !edge_was_news => {
                self.record_delay(arrived, record.time);
                self.reordered += 1;
            }
            (false, _, Some((end, arrived))) if !edge_was_news && end >= ack.min(self.highest) => {
                self.record_delay(arrived, record.time);
            }
            _ => {}
        }
        self.una = ack;
        self.highest = self.highest.max(ack);
        while let Some((&start, &end)) = self.reported.first_key_value() {
            if start >= ack {
                break;
            }
            self.reported.pop_first();
            if end > ack {
                self.reported.insert(ack, end);
            }
        }
    }

    /// Says which transmission of a piece that is reported now arrived; those before it did not, and of those after it
    /// nothing is known. The echo of the receiver shows it [RFC 3522], or a report that comes too soon after a repetition.
    fn find_arrived_copy(&mut self, piece: &DataPiece, now: i64, echo: Option<u32>) -> SentCopy {
        let copies: Vec<SentCopy> = piece.copies().collect();
        let mut index = copies.len() - 1;
        let by_echo = echo.and_then(|echo| {
            copies
                .iter()
                .rposition(|copy| copy.stamp.is_some_and(|stamp| distance(echo, stamp) >= 0))
        });
        if let Some(least) = self.least_round_trip {
            while index > 0 && now.saturating_sub(copies[index].time) < least {
                index -= 1;
            }
        }
        index = by_echo.map_or(index, |echoed| echoed.min(index));
        for lost in &copies[..index] {
            self.set_fate(lost.row, Fate::Lost);
        }
        self.set_fate(copies[index].row, Fate::Arrived);
        if index + 1 < copies.len() {
            self.reordered += 1;
        }
        copies[index]
    }

    /// Takes a D-SACK: one more transmission of these numbers arrived.
    fn on_dsack(&mut self, from: u64, to: u64, now: i64) {
        let before =
            self.acknowledged_pieces.range(..=from).next_back().map_or(from, |(&start, _)| start);
        let in_past =
            self.acknowledged_pieces.range(before..to).filter(|(_, piece)| piece.end > from);
        let mut found: Vec<Vec<SentCopy>> =
            in_past.map(|(_, piece)| piece.copies().collect()).collect();
        let waiting = self
            .pieces
            .pieces_within(from, to)
            .filter(|(_, piece)| piece.sacked && !piece.retransmissions.is_empty());
        found.extend(waiting.map(|(_, piece)| piece.copies().collect::<Vec<_>>()));
        let least = self.least_round_trip.unwrap_or(0);
        let mut is_known = false;
        for copies in found {
            let soon = |copy: &&SentCopy| now.saturating_sub(copy.time) >= least;
            let is = |copy: &&SentCopy, fate| self.rows[copy.row].fate == fate;
            let next = copies.iter().filter(soon).find(|copy| is(copy, Fate::Unknown));
            let next =
                next.or_else(|| copies.iter().rev().filter(soon).find(|copy| is(copy, Fate::Lost)));
            if let Some(row) = next.map(|copy| copy.row) {
                self.rows[row].fate = Fate::Arrived;
                is_known = true;
            }
        }
        self.duplicated += u64::from(!is_known);
    }

    /// Notes a fate: any part of a packet that arrived shows that it did.
    fn set_fate(&mut self, row: usize, fate: Fate) {
        let known = &mut self.rows[row].fate;
        if fate == Fate::Arrived || *known == Fate::Unknown {
            *known = fate;
        }
    }

    fn record_delay(&mut self, copy: SentCopy, now: i64) {
        let delay = now.saturating_sub(copy.time);
        if delay >= 0 {
            self.rows[copy.row].delay = delay;
            self.least_round_trip =
                Some(self.least_round_trip.map_or(delay, |least| least.min(delay)));
        }
    }

    fn into_findings(mut self, oddities: Oddities) -> Findings {
        let pieces = std::mem::take(&mut self.pieces);
        for piece in pieces.into_remaining().filter(|piece| !piece.sacked) {
            let last = piece.last().row;
            for lost in piece.copies().filter(|copy| copy.row != last) {
                self.set_fate(lost.row, Fate::Lost);
            }
        }
        Findings {
            rows: self.rows,
            delays: DelayMethod::RoundTrip,
            reordered: self.reordered,
            duplicated: self.duplicated,
            oddities,
        }
    }
}
