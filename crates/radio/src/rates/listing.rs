//! A list of rates as a sample path.

use super::change::Row;
use super::course::{Course, Segment};
use airtcp_core::{Instant, Rate};
use std::sync::Arc;

/// Rates by increasing time.
#[derive(Debug)]
pub(super) struct Listing {
    rows: Arc<[Row]>,
    end: End,
    /// Begin of the pass through the list.
    begin: i64,
    /// The row that comes next.
    place: usize,
}

/// The rule for the time after the last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The last rate stays.
    Hold,
    /// The list starts again so many nanoseconds after it has started.
    Repeat(i64),
    /// Nothing is sent any more from then on.
    Stop(i64),
}

impl Listing {
    /// The rates of `rows`, of which there is one at least.
    pub(super) fn new(rows: Arc<[Row]>, end: End) -> Self {
        let rows = merged(rows);
        let is_constant = rows.len() == 1 && matches!(end, End::Repeat(_));
        Listing { rows, end: if is_constant { End::Hold } else { end }, begin: 0, place: 0 }
    }

    fn starts(&self) -> usize {
        self.rows.len() + usize::from(matches!(self.end, End::Stop(_)))
    }

    /// Begin of row number `place` of this pass.
    fn start(&self, place: usize) -> i64 {
        let within = match (place, self.rows.get(place), self.end) {
            (0, ..) => 0,
            (_, Some(row), _) => row.at,
            (_, None, End::Repeat(length) | End::Stop(length)) => length,
            (_, None, End::Hold) => i64::MAX,
        };
        self.begin.saturating_add(within)
    }

    /// Goes to the next pass at the end of one.
    fn turn(&mut self) {
        if let (End::Repeat(length), true) = (self.end, self.place == self.rows.len()) {
            (self.begin, self.place) = (self.begin.saturating_add(length), 0);
        }
    }
}

impl Course for Listing {
    fn next(&mut self) -> Segment {
        self.turn();
        let rate = self.rows.get(self.place).and_then(Row::rate);
        let from = Instant::from_nanos(self.start(self.place));
        self.place += 1;
        let is_last = self.place == self.starts() && !matches!(self.end, End::Repeat(_));
        let until = if is_last { i64::MAX } else { self.start(self.place) };
        Segment { from, until: Instant::from_nanos(until), rate }
    }

    fn skip(&mut self, now: Instant) {
        if let End::Repeat(length) = self.end {
            let passes = (now.nanos() - self.begin) / length;
            if passes > 0 {
                (self.begin, self.place) = (self.begin + passes * length, 0);
            }
        }
        let within = now.nanos() - self.begin;
        let begun =
            self.rows[self.place.min(self.rows.len())..].partition_point(|row| row.at <= within);
        self.place += begun.saturating_sub(1);
    }
}

/// Equal rates one after the other are one, so that a packet meets no change where there is none.
fn merged(rows: Arc<[Row]>) -> Arc<[Row]> {
    let rate = |row: &Row| row.rate().map(Rate::bits_per_second);
    if rows.windows(2).all(|pair| rate(&pair[0]) != rate(&pair[1])) {
        return rows;
    }
    let mut merged = rows.to_vec();
    merged.dedup_by(|row, before| rate(row) == rate(before));
    merged.into()
}
