//! Places and units of the time and the rate in the lines of a file.

use super::{RateColumns, instant};
use airtcp_core::{is_same_unit, unit_by_spelling};

/// Default names of the columns of times and of rates; airtcp itself writes the first ones.
const TIME_COLUMN_NAMES: &[&str] = &["time", "seconds", "timestamp", "t"];
const RATE_COLUMN_NAMES: &[&str] =
    &["rate", "throughput", "bandwidth", "bitrate", "mbit/s", "mbps"];

/// Units of times, of which so many powers of ten make a second, and of rates, in bit/s.
const TIME_UNITS: &[(&str, u32)] = &[("s", 0), ("ms", 3), ("us", 6), ("ns", 9)];
const RATE_UNITS: &[(&str, f64)] = &[
    ("Mbps", 1e6),
    ("bps", 1.0),
    ("kbps", 1e3),
    ("Gbps", 1e9),
    ("B/s", 8.0),
    ("kB/s", 8e3),
    ("MB/s", 8e6),
    ("GB/s", 8e9),
];

/// Layout of the cells of a row.
#[derive(Debug)]
pub(super) struct TableLayout {
    separator: Option<char>,
    pub(super) has_header: bool,
    pub(super) time: TimeColumn,
    pub(super) rate: RateColumn,
}

/// The column of times.
#[derive(Debug)]
pub(super) struct TimeColumn {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) unit: &'static str,
    /// 10 to this power of the unit make a second.
    pub(super) digits: u32,
}

/// The column of rates.
#[derive(Debug)]
pub(super) struct RateColumn {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) unit: &'static str,
    /// The unit in bit/s.
    pub(super) factor: f64,
}

impl TableLayout {
    /// Finds the columns and their units in the first line of a file.
    pub(super) fn detect(first: &str, columns: &RateColumns) -> Result<Self, String> {
        let separator = [',', ';', '\t'].into_iter().find(|c| first.contains(*c));
        let names: Vec<&str> = cells(first, separator).collect();
        let (time, by_number) =
            find_column(&names, columns.time_column.as_deref(), TIME_COLUMN_NAMES, "times")?;
        let (rate, _) =
            find_column(&names, columns.rate_column.as_deref(), RATE_COLUMN_NAMES, "rates")?;
        let of = |place: usize| names.get(place).copied().unwrap_or_default();
        let is_time = instant::is_date(of(time)) || instant::parse_nanos(of(time), 0).is_some();
        let is_row = is_time && of(rate).parse::<f64>().is_ok();
        let has_header = !(by_number && is_row);
        let (of_time, of_rate) = if has_header { (of(time), of(rate)) } else { ("", "") };
        let (unit, digits) = choose_unit(columns.time_unit.as_deref(), of_time, TIME_UNITS, "s")?;
        let (rate_unit, factor) = unit_of_rates(columns.rate_unit.as_deref(), of_rate)?;
        let name = |place: usize, head: &str| match head {
            "" => format!("column {}", place + 1),
            head => head.to_owned(),
        };
        Ok(TableLayout {
            separator,
            has_header,
            time: TimeColumn { place: time, name: name(time, of_time), unit, digits },
            rate: RateColumn { place: rate, name: name(rate, of_rate), unit: rate_unit, factor },
        })
    }

    /// The cell of a line at this place, without quotes; empty where there is none.
    pub(super) fn cell<'a>(&self, line: &'a str, place: usize) -> &'a str {
        match self.separator {
            Some(separator) if !line.contains('"') => {
                line.split(separator).nth(place).unwrap_or_default().trim()
            }
            separator => cells(line, separator).nth(place).unwrap_or_default(),
        }
    }
}

/// The cells of a line. A separator within quotes is none.
fn cells(line: &str, separator: Option<char>) -> Box<dyn Iterator<Item = &str> + '_> {
    let Some(separator) = separator else { return Box::new(line.split_whitespace()) };
    if !line.contains('"') {
        return Box::new(line.split(separator).map(str::trim));
    }
    let mut is_quoted = false;
    let split = line.split(move |c| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    });
    Box::new(split.map(|cell| cell.trim().trim_matches('"').trim()))
}

fn unit_of_rates(given: Option<&str>, head: &str) -> Result<(&'static str, f64), String> {
    choose_unit(given, head, RATE_UNITS, "Mbps")
}

/// The place of a column, and true if it was given by its number.
fn find_column(
    names: &[&str],
    given: Option<&str>,
    usual: &[&str],
    what: &str,
) -> Result<(usize, bool), String> {
    if let Some(number) = given.and_then(|given| given.parse::<usize>().ok()) {
        if (1..=names.len()).contains(&number) {
            return Ok((number - 1, true));
        }
        return Err(format!("line 1: no column number {number} (there are {})", names.len()));
    }
    let found = match given {
        Some(given) => names.iter().position(|name| *name == given),
        None => usual.iter().find_map(|usual| {
            names.iter().position(|name| name_without_unit(name).eq_ignore_ascii_case(usual))
        }),
    };
    let wanted = match given {
        Some(given) => format!("{given:?}"),
        None => format!("of {what}, named {}", usual.join(", ")),
    };
    let there = names.join(",");
    let there: String = there.chars().take(200).collect();
    found
        .map(|place| (place, false))
        .ok_or(format!("line 1: no column {wanted} (there is {there:?})"))
}

/// The name of a column without its unit: `rate (kbps)`, `rate [kbps]`, `rate_kbps`.
fn name_without_unit(head: &str) -> &str {
    head.strip_suffix(unit_suffix(head)).unwrap_or(head).trim_end_matches([' ', '_', '(', '['])
}

/// The unit at the end of the name of a column; empty if the name has none.
fn unit_suffix(head: &str) -> &str {
    let is_closed = head.ends_with([')', ']']);
    let from = if is_closed { head.rfind(['(', '[']) } else { head.rfind(['_', ' ']) };
    let Some(from) = from else { return "" };
    let unit = head[from + 1..].trim_end_matches([')', ']']);
    if is_closed || is_unit(unit) { &head[from + 1..] } else { "" }
}

/// True if a text is a unit. Capitals are allowed; they do not distinguish bits from bytes.
fn is_unit(text: &str) -> bool {
    find_unit(text, TIME_UNITS).is_some()
        || find_unit(text, RATE_UNITS).is_some()
        || !units_ignoring_case(text).is_empty()
}

/// Finds a unit by its name, in either case where only one unit fits, or by another spelling.
fn find_unit<U: Copy>(text: &str, units: &[(&'static str, U)]) -> Option<(&'static str, U)> {
    let of = |name: &str| units.iter().find(|unit| is_same_unit(name, unit.0)).copied();
    of(text).or_else(|| of(unit_by_spelling(text)?))
}

/// The units of rates, bits and bytes, that differ from a name in case alone.
fn units_ignoring_case(text: &str) -> Vec<&'static str> {
    let lower = text.to_ascii_lowercase();
    let Some(prefix) = lower.strip_suffix("bps").or(lower.strip_suffix("b/s")) else {
        return vec![];
    };
    let spelt = ["bps", "B/s"].map(|end| find_unit(&format!("{prefix}{end}"), RATE_UNITS));
    spelt.into_iter().flatten().map(|unit| unit.0).collect()
}

/// The unit that was given, or the one in the name of the column, or the usual one.
fn choose_unit<U: Copy>(
    given: Option<&str>,
    head: &str,
    units: &'static [(&'static str, U)],
    usual: &str,
) -> Result<(&'static str, U), String> {
    let in_header = unit_suffix(head).trim_end_matches([')', ']']);
    let named = match (given, in_header) {
        (Some(given), _) => given,
        (None, "") if find_unit(head, units).is_some() => head,
        (None, "") => usual,
        (None, in_header) => in_header,
    };
    find_unit(named, units).ok_or_else(|| {
        let all: Vec<&str> = units.iter().map(|unit| unit.0).collect();
        let similar: Vec<&str> =
            units_ignoring_case(named).into_iter().filter(|name| all.contains(name)).collect();
        let meant = if similar.is_empty() { "" } else { ": it is bits or bytes, " };
        let (all, similar) = (all.join(", "), similar.join(" or "));
        format!("line 1: {named:?} is no unit here (allowed: {all}){meant}{similar}")
    })
}
