//! A list of rates as a sample path.

use super::change::RateRow;
use super::course::{RateCourse, Segment};
use airtcp_core::{Instant, Rate};
use std::sync::Arc;

/// Rates by increasing time.
#[derive(Debug)]
pub(super) struct Listing {
    rows: Arc<[RateRow]>,
    end: End,
    /// Begin of the pass through the list.
    pass_start: i64,
    /// The row that comes next.
    next_row: usize,
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
    pub(super) fn new(rows: Arc<[RateRow]>, end: End) -> Self {
        let rows = merge_equal_rates(rows);
        let is_constant = rows.len() == 1 && matches!(end, End::Repeat(_));
        Listing { rows, end: if is_constant { End::Hold } else { end }, pass_start: 0, next_row: 0 }
    }

    fn start_count(&self) -> usize {
        self.rows.len() + usize::from(matches!(self.end, End::Stop(_)))
    }

    /// Begin of row number `place` of this pass.
    fn start_of_row(&self, place: usize) -> i64 {
        let within = match (place, self.rows.get(place), self.end) {
            (0, ..) => 0,
            (_, Some(row), _) => row.at,
            (_, None, End::Repeat(length) | End::Stop(length)) => length,
            (_, None, End::Hold) => i64::MAX,
        };
        self.pass_start.saturating_add(within)
    }

    /// Goes to the next pass at the end of one.
    fn begin_next_pass(&mut self) {
        if let (End::Repeat(length), true) = (self.end, self.next_row == self.rows.len()) {
            (self.pass_start, self.next_row) = (self.pass_start.saturating_add(length), 0);
        }
    }
}

impl RateCourse for Listing {
    fn next(&mut self) -> Segment {
        self.begin_next_pass();
        let rate = self.rows.get(self.next_row).and_then(RateRow::rate);
        let from = Instant::from_nanos(self.start_of_row(self.next_row));
        self.next_row += 1;
        let is_last = self.next_row == self.start_count() && !matches!(self.end, End::Repeat(_));
        let until = if is_last { i64::MAX } else { self.start_of_row(self.next_row) };
        Segment { from, until: Instant::from_nanos(until), rate }
    }

    fn skip(&mut self, now: Instant) {
        if let End::Repeat(length) = self.end {
            let passes = (now.nanos() - self.pass_start) / length;
            if passes > 0 {
                (self.pass_start, self.next_row) = (self.pass_start + passes * length, 0);
            }
        }
        let within = now.nanos() - self.pass_start;
        let begun =
            self.rows[self.next_row.min(self.rows.len())..].partition_point(|row| row.at <= within);
        self.next_row += begun.saturating_sub(1);
    }
}

/// Equal rates one after the other are one, so that a packet meets no change where there is none.
fn merge_equal_rates(rows: Arc<[RateRow]>) -> Arc<[RateRow]> {
    let rate = |row: &RateRow| row.rate().map(Rate::bits_per_second);
    if rows.windows(2).all(|pair| rate(&pair[0]) != rate(&pair[1])) {
        return rows;
    }
    let mut merged = rows.to_vec();
    merged.dedup_by(|row, before| rate(row) == rate(before));
    merged.into()
}
