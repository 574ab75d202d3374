//! A list of rates, each of which holds from its time on.
//!
//! `rates = "drive.csv"` reads a list from a file with a column `time` in seconds and a column `rate` in Mbit/s. Other
//! layouts work too. A column name may include its unit (`rate_kbps`, `throughput [Mbit/s]`). Columns are chosen by
//! name or by number, counted from 1 (without a header only by number). Dates and seconds since 1970 are counted from
//! the first row. Cells may be separated by commas, semicolons, tabs or blanks. A table gives what the file does not:
//! `rates = {kind = "steps", file = "drive.csv", time_column = "Timestamp", rate_column = "DL_bitrate", rate_unit =
//! "kbps", end = "repeat"}`. Other spellings of units are understood (`mbit`, `Mb/s`, `KBps`). The times must increase,
//! unless `same_time` chooses among rows of equal time; a negative rate, or one that is not a number, is refused with
//! its line.
//!
//! ```toml
//! kind = "steps"
//! values = [{at = "0s", rate = "20Mbps"}, {at = "8s", rate = "5Mbps"}]    # or: file = "drive.csv", with columns `time` and `rate`
//! end = "repeat"
//! ```

use super::change::{Changes, RateRow};
use super::listing::{End, Listing};
use super::process::Rates;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A list of rates, each of which holds from its time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StepRates")]
pub struct Steps {
    /// Changes of the rate, in order of time, as a list or as text: lines of nanoseconds and bit/s. The first rate
    /// holds before the first change too. Absent: `file` must be given. Example: `[{at = "0s", rate = "2Mbps"}, {at =
    /// "5s", rate = "500kbps"}]`.
    pub values: Changes,
    /// Behaviour after the last change: its rate persists (`hold`); or it lasts as long as the rate before it, and
    /// then the list starts again (`repeat`) or nothing more is sent (`stop`). Example: `"repeat"`.
    #[serde(default)]
    pub end: AtEnd,
}

/// Rate after the last of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AtEnd {
    /// The last rate stays.
    #[default]
    Hold,
    /// The list starts again.
    Repeat,
    /// Nothing is sent any more.
    Stop,
}

impl Steps {
    /// End of the list, in nanoseconds; `None` for a single rate, which does not end.
    fn length(rows: &[RateRow]) -> Option<i64> {
        let [.., before, last] = rows else { return None };
        Some(last.at.saturating_add(last.at - before.at))
    }
}

impl Spec for Steps {
    fn build(&self, _stream: Stream) -> Result<Rates, SpecError> {
        let rows = self.values.rows();
        check(&rows)?;
        let end = match (self.end, Steps::length(&rows)) {
            (AtEnd::Hold, _) | (AtEnd::Repeat, None) => End::Hold,
            (AtEnd::Repeat, Some(length)) => End::Repeat(length),
            (AtEnd::Stop, Some(length)) => End::Stop(length),
            (AtEnd::Stop, None) => {
                let message = "\"stop\" needs a second row, without which the list has no end";
                return Err(SpecError::new("end", message));
            }
        };
        Ok(Rates::new(Listing::new(rows, end)))
    }

    fn shortest(&self) -> Span {
        let rows = self.values.rows();
        let apart = rows.windows(2).map(|pair| pair[1].at - pair[0].at).min();
        apart.map_or(Span::MAX, Span::from_nanos)
    }

    fn mean(&self) -> f64 {
        let rows = self.values.rows();
        let is_constant = rows.iter().all(|row| row.bits_per_second == rows[0].bits_per_second);
        let Some(length) = Steps::length(&rows).filter(|_| !is_constant) else {
            return rows[0].bits_per_second;
        };
        let ends = rows[1..].iter().map(|row| row.at).chain([length]);
        let starts = [0].into_iter().chain(rows[1..].iter().map(|row| row.at));
        let parts = rows.iter().zip(starts.zip(ends));
        let sum: f64 =
            parts.map(|(row, (from, to))| row.bits_per_second * (to - from) as f64).sum();
        sum / length as f64
    }
}

fn check(rows: &[RateRow]) -> Result<(), SpecError> {
    if let Some(i) = rows.windows(2).position(|pair| pair[0].at >= pair[1].at) {
        let [before, at] = [rows[i].at, rows[i + 1].at].map(duration_from_nanos);
        let message = format!("{at} comes after {before}, but times must increase");
        return Err(SpecError::new(format!("values[{}].at", i + 1), message));
    }
    if rows.is_empty() {
        let message = "the text is empty; give lines of a time in ns and a rate in bit/s, such as \"0 1000000\"";
        return Err(SpecError::new("values", message));
    }
    if rows.iter().all(|row| row.rate().is_none()) {
        return Err(SpecError::new("values", "all rates are 0; at least one must be above 0"));
    }
    Ok(())
}

fn duration_from_nanos(nanos: i64) -> Duration {
    Duration::from_span(Span::from_nanos(nanos))
}
