//! Rates from a file: a time and a rate in each row, in the columns and units of whoever measured them.

mod instant;
mod layout;

use crate::shortest::MIN_TIME;
use airtcp_core::Rate;
use layout::TableLayout;
use serde::Deserialize;
use std::fmt::Write as _;

/// Columns of times and rates, and their units, where a file does not say so itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateColumns {
    /// The column of times: its name, or its number from 1.
    pub time_column: Option<String>,
    /// The column of rates: its name, or its number from 1.
    pub rate_column: Option<String>,
    /// Unit of the times.
    pub time_unit: Option<String>,
    /// Unit of the rates.
    pub rate_unit: Option<String>,
    /// Starts the run at the time of the first row. Absent: at 0, and at the first row where times are dates.
    pub from_first: Option<bool>,
    /// Choice of the row that counts where several have one time. Absent: such rows are refused.
    pub same_time: Option<SameTime>,
}

/// Choice among several rows of one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameTime {
    /// The first row.
    First,
    /// The last row.
    Last,
    /// The mean of all rows.
    Mean,
}

/// Most rows of a file.
pub const MAX_RATES: usize = 1_000_000;

/// About 292 years: the range of integer time.
const MAX_NANOS: i128 = 9_200_000_000_000_000_000;

/// Converts a file to lines of [`airtcp_radio::rates::Changes`].
///
/// # Errors
/// If the columns are missing, or a row has no time or rate, or a time that is not after the one before, with its line.
pub fn rate_lines(text: &str, columns: &RateColumns) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let layout = TableLayout::detect(text.lines().next().unwrap_or_default(), columns)?;
    let rows = text.lines().enumerate().skip(usize::from(layout.has_header));
    let mut rows = rows.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let first = rows.peek().map(|(_, line)| layout.cell(line, layout.time.place));
    let first = first.ok_or("no rows below its header")?;
    let counts_from_1970 = || instant::is_since_1970(first, layout.time.digits);
    let from_first = columns.from_first.unwrap_or_else(counts_from_1970);
    let mut writer = RateLineWriter::new(&layout, from_first, columns.same_time);
    for (i, line) in rows {
        writer.add(i + 1, line)?;
    }
    writer.write()?;
    Ok(writer.text)
}

/// Writes the lines of rows that come one after the other.
struct RateLineWriter<'a> {
    layout: &'a TableLayout,
    from_first: bool,
    same_time: Option<SameTime>,
    first: i128,
    /// The zone of all times, where it has a name.
    zone: Option<&'a str>,
    /// The last time, also as written, with the rate from then on, or the sum of the rates of several rows.
    pending: Option<(i64, &'a str)>,
    rate: f64,
    same_time_rows: u32,
    /// The number of the last line.
    number: usize,
    rows: usize,
    text: String,
    digits: String,
}

impl<'a> RateLineWriter<'a> {
    fn new(layout: &'a TableLayout, from_first: bool, same_time: Option<SameTime>) -> Self {
        let (text, digits) = (String::new(), String::new());
        let (first, zone, before, rate, of, number, rows) = (0, None, None, 0.0, 0, 0, 0);
        RateLineWriter {
            layout,
            from_first,
            same_time,
            first,
            zone,
            pending: before,
            rate,
            same_time_rows: of,
            number,
            rows,
            text,
            digits,
        }
    }

    fn add(&mut self, number: usize, line: &'a str) -> Result<(), String> {
        let row = self.row(line).map_err(|message| format!("line {number}: {message}"));
        let (at, time, rate) = row?;
        if self.pending.is_some_and(|before| before.0 == at) {
            self.add_same_time(rate);
        } else {
            self.write()?;
            (self.pending, self.rate, self.same_time_rows) = (Some((at, time)), rate, 1);
        }
        self.number = number;
        Ok(())
    }

    /// The time of a row, also as written, and its rate.
    fn row(&mut self, line: &'a str) -> Result<(i64, &'a str, f64), String> {
        if self.rows == MAX_RATES {
            return Err(format!("more than {MAX_RATES} rows"));
        }
        let time = self.layout.cell(line, self.layout.time.place);
        let at = self.time(time)?;
        let rate = self.rate(self.layout.cell(line, self.layout.rate.place))?;
        self.rows += 1;
        Ok((at, time, rate))
    }

    /// Takes in the rate of one more row with the last time.
    fn add_same_time(&mut self, rate: f64) {
        self.same_time_rows += 1;
        match self.same_time {
            Some(SameTime::Last) => self.rate = rate,
            Some(SameTime::Mean) => self.rate += rate,
            Some(SameTime::First) | None => {}
        }
    }

    /// The rate from the last time on.
    fn settled_rate(&self, time: &str) -> Result<f64, String> {
        let is_mean = self.same_time == Some(SameTime::Mean);
        let rate = if is_mean { self.rate / f64::from(self.same_time_rows) } else { self.rate };
        if rate == 0.0 || Rate::from_bits_per_second(rate).is_some() {
            return Ok(rate);
        }
        let (number, name) = (self.number, &self.layout.rate.name);
        let mean = format!("{rate}bps, the mean of the {} rows of {time}", self.same_time_rows);
        Err(format!("line {number}: {name}: {mean}, is not a rate: 0, or 1bps to 1e6Gbps"))
    }

    /// Writes the last time and its rate.
    fn write(&mut self) -> Result<(), String> {
        let Some((at, time)) = self.pending else { return Ok(()) };
        let rate = self.settled_rate(time)?;
        let whole = rate as u64;
        let written = if whole as f64 == rate {
            writeln!(self.text, "{at} {whole}")
        } else {
            writeln!(self.text, "{at} {rate}")
        };
        written.expect("a text takes everything");
        Ok(())
    }

    /// Nanoseconds after the start of the run.
    fn time(&mut self, cell: &'a str) -> Result<i64, String> {
        let column = &self.layout.time;
        let refuse = || match instant::date_fault(cell) {
            Some(why) => format!("{}: {cell:?} is not a date: {why}", column.name),
            None => {
                format!("{}: {cell:?} is not a time in {}, 0 or more", column.name, column.unit)
            }
        };
        let at =
            instant::parse_nanos(cell, column.digits).filter(|at| *at >= 0).ok_or_else(refuse)?;
        let zone = instant::zone_name(cell);
        if self.rows == 0 {
            self.zone = zone;
            self.first = if self.from_first { at } else { 0 };
        }
        if zone != self.zone {
            let [one, other] = [zone, self.zone].map(|name| name.unwrap_or("none"));
            let message = format!(
                "zone {one} comes after zone {other}; write all zones as hours ahead of UTC, such as +01:00"
            );
            return Err(format!("{}: {cell:?}: {message}", column.name));
        }
        let at = at - self.first;
        let not_after = |before: i128| at < before || at == before && self.same_time.is_none();
        if let Some((last, before)) = self.pending.filter(|before| not_after(before.0.into())) {
            let is_same = i128::from(last) == at;
            let choices = "; or same_time = \"first\", \"last\" or \"mean\"";
            let same = if is_same { choices } else { "" };
            let message = format!("{cell} comes after {before}, but times must increase{same}");
            return Err(format!("{}: {message}", column.name));
        }
        if let Some((last, before)) = self.pending
            && (1..MIN_TIME.nanos().into()).contains(&(at - i128::from(last)))
        {
            let apart = at - i128::from(last);
            let message =
                format!("{cell} is only {apart}ns after {before}; rows must be at least 1us apart");
            return Err(format!("{}: {message}", column.name));
        }
        if at > MAX_NANOS {
            let message = "is more than 292 years after the start of the run: with from_first = true that is the first row";
            return Err(format!("{}: {cell} {message}", column.name));
        }
        Ok(at as i64)
    }

    /// Bits per second.
    fn rate(&mut self, cell: &str) -> Result<f64, String> {
        let column = &self.layout.rate;
        let rate = scale_decimal(cell, column.factor, &mut self.digits);
        match rate.filter(|rate| *rate == 0.0 || Rate::from_bits_per_second(*rate).is_some()) {
            Some(rate) => Ok(rate + 0.0),
            None => Err(format!(
                "{}: {cell:?} is not a rate in {}: 0, or 1bps to 1e6Gbps",
                column.name, column.unit
            )),
        }
    }
}

/// The double nearest to a number times a factor, where that is a power of ten: 0.520863 Mbit/s are 520863 bit/s.
fn scale_decimal(cell: &str, factor: f64, digits: &mut String) -> Option<f64> {
    let zeros = match factor {
        1.0 => return cell.parse().ok(),
        1e3 => "e3",
        1e6 => "e6",
        1e9 => "e9",
        _ => return cell.parse::<f64>().ok().map(|number| number * factor),
    };
    if cell.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return cell.parse::<f64>().ok().map(|number| number * factor);
    }
    digits.clear();
    digits.push_str(cell);
    digits.push_str(zeros);
    digits.parse().ok()
}
