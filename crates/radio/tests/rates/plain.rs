//! Rates as a table of rows, and integrals over it, in whole numbers.

/// Rows of (ns, bit/s) by increasing time, and what happens at their end.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) rows: Vec<(i64, u64)>,
    pub(crate) end: &'static str,
}

/// Bits are counted in billionths, so that bit/s times nanoseconds are whole.
pub(crate) const BIT: i128 = 1_000_000_000;

impl Plain {
    /// When the list ends: its last row lasts as long as the one before.
    fn length(&self) -> i64 {
        let [.., before, last] = self.rows[..] else { return i64::MAX };
        2 * last.0 - before.0
    }

    /// The rate at `now`, and until when it stays.
    pub(crate) fn at(&self, now: i64) -> (u64, i64) {
        let length = self.length();
        let begin = if self.end == "repeat" { now - now % length } else { 0 };
        if self.end == "stop" && now >= length {
            return (0, i64::MAX);
        }
        let place = self.rows.iter().rposition(|row| row.0 <= now - begin).unwrap_or(0);
        let last = if self.end == "hold" { i64::MAX } else { begin + length };
        let until = self.rows.get(place + 1).map_or(last, |row| begin + row.0);
        (self.rows[place].1, until)
    }

    /// The first instant from `now` on with a rate above 0.
    pub(crate) fn open(&self, mut now: i64) -> i64 {
        while now < i64::MAX {
            match self.at(now) {
                (0, until) => now = until,
                _ => break,
            }
        }
        now
    }

    /// Billionths of bits that can be sent from `from` until `to`.
    pub(crate) fn integral(&self, mut from: i64, to: i64) -> i128 {
        let mut sum = 0;
        while from < to {
            let (rate, until) = self.at(from);
            sum += i128::from(rate) * i128::from(until.min(to) - from);
            from = until;
        }
        sum
    }

    /// The highest rate.
    pub(crate) fn fastest(&self) -> i128 {
        self.rows.iter().map(|row| i128::from(row.1)).max().unwrap_or(0)
    }
}
