//! Data that was sent and is not acknowledged, in pieces that were sent alike.

use super::transmission::Transmission;
use std::collections::BTreeMap;

/// One transmission of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentCopy {
    /// Row in the measurement.
    pub row: usize,
    pub time: i64,
    pub stamp: Option<u32>,
}

/// A piece of data.
#[derive(Clone, Debug)]
pub(super) struct DataPiece {
    /// The number after its last one.
    pub end: u64,
    /// First transmission.
    pub first: SentCopy,
    /// Later ones, in order.
    pub retransmissions: Vec<SentCopy>,
    /// True if a SACK block has reported it.
    pub sacked: bool,
}

impl DataPiece {
    pub(super) fn copies(&self) -> impl Iterator<Item = SentCopy> {
        std::iter::once(self.first).chain(self.retransmissions.iter().copied())
    }

    /// The last transmission.
    pub(super) fn last(&self) -> SentCopy {
        self.retransmissions.last().copied().unwrap_or(self.first)
    }
}

/// Pieces by their first numbers.
#[derive(Debug, Default)]
pub(super) struct Pieces(BTreeMap<u64, DataPiece>);

impl Pieces {
    /// Adds a transmission of the numbers; parts that were sent before get one more copy.
    pub(super) fn add_transmission(&mut self, from: u64, sent: &Transmission, row: usize) {
        let copy = SentCopy { row, time: sent.time, stamp: sent.stamp };
        let (mut at, end) = (from, sent.end);
        if self.0.last_key_value().is_none_or(|(_, last)| last.end <= at) {
            self.insert(at, end, copy);
            return;
        }
        self.split(at);
        self.split(end);
        let inside: Vec<(u64, u64)> =
            self.0.range(at..end).map(|(&s, inner)| (s, inner.end)).collect();
        for (start, until) in inside {
            if at < start {
                self.insert(at, start, copy);
            }
            if let Some(piece) = self.0.get_mut(&start) {
                piece.retransmissions.push(copy);
            }
            at = until;
        }
        if at < end {
            self.insert(at, end, copy);
        }
    }

    fn insert(&mut self, start: u64, end: u64, first: SentCopy) {
        self.0.insert(start, DataPiece { end, first, retransmissions: vec![], sacked: false });
    }

    /// Splits the piece around a number.
    fn split(&mut self, at: u64) {
        let Some((_, piece)) = self.0.range_mut(..at).next_back() else { return };
        if piece.end > at {
            let mut rest = piece.clone();
            piece.end = at;
            rest.end = rest.end.max(at);
            self.0.insert(at, rest);
        }
    }

    /// Takes the first piece if it ends at or before the number; a piece that it lies in is split.
    pub(super) fn pop_below(&mut self, number: u64) -> Option<(u64, DataPiece)> {
        let (&start, piece) = self.0.first_key_value()?;
        if start >= number {
            return None;
        }
        if piece.end > number {
            self.split(number);
        }
        self.0.pop_first()
    }

    /// Pieces that begin within numbers, whose edges become edges of pieces.
    pub(super) fn pieces_within(
        &mut self,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, &mut DataPiece)> {
        self.split(from);
        self.split(to);
        self.0.range_mut(from..to.max(from)).map(|(&start, piece)| (start, piece))
    }

    /// All that is left.
    pub(super) fn into_remaining(self) -> impl Iterator<Item = DataPiece> {
        self.0.into_values()
    }
}
