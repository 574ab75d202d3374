//! Quantities written with their unit: `"1.5Mbps"`, `"1400B"`. A bare number is refused, so that
//! nobody has to remember which unit a key is in.

use crate::Span;
use crate::near_units::{near_units, quoted_alternatives};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Why a quantity was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

/// A transmission rate in bit/s.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate(f64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size(u64);

/// A length of time, in whole nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Duration(Span);

/// A frequency in Hz, from 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Frequency(f64);

/// A ratio of powers, in dB.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Decibels(f64);

const FREQUENCY_UNITS: &[(&str, f64)] = &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6)];
const RATE_UNITS: &[(&str, f64)] = &[("bps", 1.0), ("kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9)];
const SIZE_UNITS: &[(&str, f64)] =
    &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("KiB", 1024.0), ("MiB", 1_048_576.0)];
const TIME_UNITS: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
/// Other spellings, which mean the same wherever they are read, of units of rates and times; [`is_same_unit`] compares them.
const SPELLINGS: &[(&str, &str)] = &[
    ("bit", "bps"),
    ("kbit", "kbps"),
    ("mbit", "Mbps"),
    ("gbit", "Gbps"),
    ("b/s", "bps"),
    ("kb/s", "kbps"),
    ("mb/s", "Mbps"),
    ("gb/s", "Gbps"),
    ("bit/s", "bps"),
    ("kbit/s", "kbps"),
    ("mbit/s", "Mbps"),
    ("gbit/s", "Gbps"),
    ("bits/s", "bps"),
    ("kbits/s", "kbps"),
    ("mbits/s", "Mbps"),
    ("gbits/s", "Gbps"),
    ("bits/sec", "bps"),
    ("kbits/sec", "kbps"),
    ("mbits/sec", "Mbps"),
    ("gbits/sec", "Gbps"),
    ("Bps", "B/s"),
    ("kBps", "kB/s"),
    ("MBps", "MB/s"),
    ("GBps", "GB/s"),
    ("\u{b5}s", "us"),
    ("\u{3bc}s", "us"),
    ("usec", "us"),
    ("usecs", "us"),
    ("msec", "ms"),
    ("msecs", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
];
/// Unit of another tool, and its meaning there.
struct UnknownUnit {
    unit: &'static str,
    /// Tool or field in which the unit has this meaning.
    used_by: &'static str,
    /// Equivalent unit here; `factor` says how many.
    equivalent: &'static str,
    factor: f64,
}

const fn unknown_unit(
    unit: &'static str,
    whose: &'static str,
    ours: &'static str,
    factor: f64,
) -> UnknownUnit {
    UnknownUnit { unit, used_by: whose, equivalent: ours, factor }
}

/// Units that mean something else here, or nothing; the second of two of one name is what else they may mean.
const UNKNOWN_UNITS: &[UnknownUnit] = &[
    unknown_unit("k", " if as in iperf", "kbps", 1.0),
    unknown_unit("m", " if as in iperf", "Mbps", 1.0),
    unknown_unit("g", " if as in iperf", "Gbps", 1.0),
    unknown_unit("k", " if as in tc and iperf", "KiB", 1.0),
    unknown_unit("m", " if as in tc and iperf", "MiB", 1.0),
    unknown_unit("kb", " if as in tc", "KiB", 1.0),
    unknown_unit("mb", " if as in tc", "MiB", 1.0),
    unknown_unit("g", " if as in tc and iperf (allowed: up to 1e3MB)", "MiB", 1024.0),
    unknown_unit("gb", " if as in tc", "MiB", 1024.0),
    unknown_unit("gb", " (allowed: up to 1e3MB)", "MB", 1e3),
    unknown_unit("gib", " (allowed: up to 1e3MB)", "MiB", 1024.0),
    unknown_unit("kbytes", " if as in iperf", "KiB", 1.0),
    unknown_unit("mbytes", " if as in iperf", "MiB", 1.0),
    unknown_unit("gbytes", " if as in iperf (allowed: up to 1e3MB)", "MiB", 1024.0),
    unknown_unit("kibit", "", "bps", 1024.0),
    unknown_unit("mibit", "", "bps", 1_048_576.0),
    unknown_unit("gibit", "", "bps", 1_073_741_824.0),
    unknown_unit("tibit", "", "bps", 1_099_511_627_776.0),
    unknown_unit("tbit", "", "Gbps", 1e3),
    unknown_unit("Bps", " if bytes are meant", "bps", 8.0),
    unknown_unit("kbps", " if as in tc", "kbps", 8.0),
    unknown_unit("mbps", " if as in tc", "Mbps", 8.0),
    unknown_unit("gbps", " if as in tc", "Gbps", 8.0),
    unknown_unit("tbps", " if as in tc", "Gbps", 8e3),
    unknown_unit("tbps", "", "Gbps", 1e3),
    unknown_unit("kibps", "", "bps", 8192.0),
    unknown_unit("mibps", "", "bps", 8_388_608.0),
    unknown_unit("gibps", "", "bps", 8_589_934_592.0),
    unknown_unit("tibps", "", "bps", 8_796_093_022_208.0),
    unknown_unit("B/s", "", "bps", 8.0),
    unknown_unit("kB/s", "", "kbps", 8.0),
    unknown_unit("MB/s", "", "Mbps", 8.0),
    unknown_unit("GB/s", "", "Gbps", 8.0),
    unknown_unit("kbytes/sec", " if as in iperf", "bps", 8192.0),
    unknown_unit("mbytes/sec", " if as in iperf", "bps", 8_388_608.0),
    unknown_unit("gbytes/sec", " if as in iperf", "bps", 8_589_934_592.0),
];
/// A kind of quantities: its units, and how a text of it looks.
pub trait Quantity: TryFrom<String> {
    /// The units and how many of the first one each is.
    const UNITS: &'static [(&'static str, f64)];
    /// The units in which a number without one may be meant, the most usual first.
    const COMMON_UNITS: &'static [&'static str];
    /// The kind with an example.
    const EXPECTED: &'static str;

    /// The spellings of a number without a unit.
    #[must_use]
    fn spellings_of_number(number: f64) -> Vec<String> {
        let texts = Self::COMMON_UNITS.iter().map(|unit| format!("{number}{unit}"));
        texts.filter(|text| Self::try_from(text.clone()).is_ok()).collect()
    }
}

impl Quantity for Rate {
    const UNITS: &'static [(&'static str, f64)] = RATE_UNITS;
    const COMMON_UNITS: &'static [&'static str] = &["Mbps", "kbps", "bps"];
    const EXPECTED: &'static str = "a rate such as \"1.5Mbps\"";

    fn spellings_of_number(number: f64) -> Vec<String> {
        if number >= BPS_THRESHOLD {
            return Rate::from_bits_per_second(number).iter().map(Rate::to_string).collect(); // nobody counts so many Mbit/s
        }
        let texts = Self::COMMON_UNITS.iter().map(|unit| format!("{number}{unit}"));
        texts.filter(|text| Rate::try_from(text.clone()).is_ok()).collect()
    }
}

impl Quantity for Size {
    const UNITS: &'static [(&'static str, f64)] = SIZE_UNITS;
    const COMMON_UNITS: &'static [&'static str] = &["B", "kB"];
    const EXPECTED: &'static str = "a size such as \"1400B\"";
}

impl Quantity for Duration {
    const UNITS: &'static [(&'static str, f64)] = TIME_UNITS;
    const COMMON_UNITS: &'static [&'static str] = &["ms", "s"];
    const EXPECTED: &'static str = "a time such as \"10ms\"";
}

impl Quantity for Frequency {
    const UNITS: &'static [(&'static str, f64)] = FREQUENCY_UNITS;
    const COMMON_UNITS: &'static [&'static str] = &["Hz", "kHz"];
    const EXPECTED: &'static str = "a frequency such as \"10Hz\"";
}

impl Quantity for Decibels {
    const UNITS: &'static [(&'static str, f64)] = &[("dB", 1.0)];
    const COMMON_UNITS: &'static [&'static str] = &["dB"];
    const EXPECTED: &'static str = "a ratio such as \"20dB\"";
}

/// A rate without a unit from which on bit/s are meant.
const BPS_THRESHOLD: f64 = 1e5;
/// About 292 years: the range of integer time.
const MAX_NANOSECONDS: f64 = 9.2e18;
/// Below, a float of seconds tells every nanosecond from the next.
const MAX_FRACTION_FACTOR: i64 = 1_000_000_000_000_000;

impl Rate {
    /// The fastest that a scenario can say: packets of up to 65535 bytes take less than a nanosecond.
    pub const MAX: Rate = Rate(1e15);

    /// Bits per second.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        self.0
    }

    /// Rate of `bits_per_second`; `None` below 1 bit/s or above [`Rate::MAX`].
    #[must_use]
    pub fn from_bits_per_second(bits_per_second: f64) -> Option<Self> {
        (1.0..=Rate::MAX.0).contains(&bits_per_second).then_some(Rate(bits_per_second))
    }

    /// A rate from a text; `None` if the text says 0, as `"0bps"` does.
    ///
    /// # Errors
    /// If `text` is neither.
    pub fn parse_or_zero(text: String) -> Result<Option<Self>, UnitError> {
        match parse_quantity::<Rate>(&text)? {
            0.0 => Ok(None),
            _ => Rate::try_from(text).map(Some),
        }
    }
}

impl Size {
    /// A size of `bytes` bytes.
    #[must_use]
    pub const fn from_bytes(bytes: u64) -> Self {
        Size(bytes)
    }

    /// Number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Number of bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        8 * self.0
    }
}

impl Frequency {
    /// Cycles per second.
    #[must_use]
    pub fn hertz(self) -> f64 {
        self.0
    }
}

impl Decibels {
    /// Ten times the decimal logarithm of the ratio.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The ratio of powers.
    #[must_use]
    pub fn ratio(self) -> f64 {
        libm::pow(10.0, self.0 / 10.0)
    }
}

impl TryFrom<String> for Frequency {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        let hertz = parse_quantity::<Frequency>(&text)?;
        if !(0.0..=1e12).contains(&hertz) {
            return Err(UnitError(format!("{text:?} is outside 0Hz to 1e6MHz")));
        }
        Ok(Frequency(hertz + 0.0))
    }
}

impl TryFrom<String> for Decibels {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        let decibels = parse_quantity::<Decibels>(&text)?;
        if !(-100.0..=200.0).contains(&decibels) {
            return Err(UnitError(format!("{text:?} is outside -100dB to 200dB")));
        }
        Ok(Decibels(decibels + 0.0))
    }
}

impl TryFrom<String> for Rate {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        let rate = parse_quantity::<Rate>(&text)?;
        // Slower than 1 bit/s a packet's airtime would leave the range of integer time.
        if !(1.0..=Rate::MAX.0).contains(&rate) {
            return Err(UnitError(format!("{text:?} is outside 1bps to 1e6Gbps")));
        }
        Ok(Rate(rate))
    }
}

impl TryFrom<String> for Size {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        let bytes = parse_quantity::<Size>(&text)?;
        if bytes.fract() != 0.0 || !(1.0..=1e9).contains(&bytes) {
            return Err(UnitError(format!(
                "{text:?} is not a whole number of bytes in 1B to 1e3MB"
            )));
        }
        Ok(Size(bytes as u64))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(Span::ZERO);

    /// The length of a span, which is not negative.
    #[must_use]
    pub const fn from_span(span: Span) -> Self {
        Duration(span)
    }

    /// The length as a span of simulated time.
    #[must_use]
    pub const fn span(self) -> Span {
        self.0
    }

    /// Number of seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.seconds()
    }
}

impl TryFrom<String> for Duration {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        let nanos = parse_quantity::<Duration>(&text)?;
        if !(0.0..=MAX_NANOSECONDS).contains(&nanos) {
            return Err(UnitError(format!("{text:?} is outside 0s to 292 years")));
        }
        let whole = nanos.round();
        if nanos > 0.0 && whole == 0.0 {
            return Err(UnitError(format!("{text:?} rounds to 0 ns; give 0s, or at least 0.5ns")));
        }
        Ok(Duration(Span::from_nanos(whole as i64)))
    }
}

/// Splits `text` into a number and one of `units`, each with its factor: the double nearest to their product where the
/// factor is a power of ten, so that `"520.863kbps"` is `"520863bps"`; else that of the rounded number.
#[must_use]
pub fn parse_number_with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (digits, unit) = split_unit(text);
    let (number, factor) = (parse_number(digits)?, unit_factor(unit, units)?);
    Some(shift_decimal_point(digits, factor).unwrap_or(number * factor))
}

/// Reads a quantity in its first unit.
///
/// # Errors
/// If `text` is anything else: names it, what was expected, the units, and how what tc or iperf mean by it is written, or
/// the spellings that come nearest.
fn parse_quantity<Q: Quantity>(text: &str) -> Result<f64, UnitError> {
    parse_number_with_unit(text, Q::UNITS).ok_or_else(|| {
        let names = Q::UNITS.iter().map(|u| u.0).collect::<Vec<_>>().join(", ");
        let meant = suggested_spelling::<Q>(text)
            .map_or_else(String::new, |suggestion| format!(": {suggestion}"));
        UnitError(format!("{text:?} is not {} (units: {names}){meant}", Q::EXPECTED))
    })
}

/// Spells a text with a number as it is written here.
fn suggested_spelling<Q: Quantity>(text: &str) -> Option<String> {
    let (digits, unit) = split_unit(text);
    let number = parse_number(digits)?;
    if let Some(suggestion) = convert_unknown_unit(number, unit, Q::UNITS) {
        return Some(suggestion);
    }
    if unit.is_empty() {
        return Some(quoted_alternatives(&Q::spellings_of_number(number)))
            .filter(|suggestion| !suggestion.is_empty());
    }
    let names: Vec<&str> = Q::UNITS.iter().map(|u| u.0).collect();
    let spelled = |number: f64| {
        let near = near_units(unit, &names, SPELLINGS).into_iter();
        let texts: Vec<String> = near.map(|name| format!("{number}{name}")).collect();
        quoted_alternatives(
            &texts.into_iter().filter(|text| Q::try_from(text.clone()).is_ok()).collect::<Vec<_>>(),
        )
    };
    let suggestion = spelled(number);
    let bytes = unit.contains('B') && Q::UNITS[0].0 == "bps" && !suggestion.is_empty();
    let suggestion = if bytes {
        format!("{} if bytes are meant, else {suggestion}", spelled(8.0 * number))
    } else {
        suggestion
    };
    Some(suggestion).filter(|suggestion| !suggestion.is_empty())
}

/// The end of a refusal of `text`: the spellings that come nearest to it among `units`, the `usual` ones where it has none; empty
/// where none is near.
#[must_use]
pub fn nearest_spellings(text: &str, units: &[&str], usual: &[&str]) -> String {
    let (digits, unit) = split_unit(text);
    let Some(number) = parse_number(digits) else { return String::new() };
    let near = if unit.is_empty() { usual.to_vec() } else { near_units(unit, units, SPELLINGS) };
    let texts: Vec<String> = near.iter().map(|name| format!("{number}{name}")).collect();
    if texts.is_empty() { String::new() } else { format!(": {}", quoted_alternatives(&texts)) }
}

/// The digits and the unit of a text.
fn split_unit(text: &str) -> (&str, &str) {
    let place = text.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(text.len());
    (text[..place].trim(), text[place..].trim())
}

fn parse_number(digits: &str) -> Option<f64> {
    digits.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The factor of a unit of `units`, in its own spelling or in another that means the same everywhere.
fn unit_factor(unit: &str, units: &[(&str, f64)]) -> Option<f64> {
    let of = |name: &str| units.iter().find(|u| u.0 == name).map(|u| u.1);
    of(unit).or_else(|| of(unit_by_spelling(unit)?))
}

/// The unit of rates or times, bytes per second among them, that has this other spelling.
#[must_use]
pub fn unit_by_spelling(spelling: &str) -> Option<&'static str> {
    SPELLINGS.iter().find(|s| is_same_unit(spelling, s.0)).map(|s| s.1)
}

/// Compares two names of units in letters of either case, except for the end "bps" or "b/s", where the case
/// distinguishes bits from bytes.
#[must_use]
pub fn is_same_unit(text: &str, unit: &str) -> bool {
    text.eq_ignore_ascii_case(unit) && rate_suffix(text) == rate_suffix(unit)
}

/// The end of a unit that says bits or bytes per second in one letter.
fn rate_suffix(unit: &str) -> Option<&str> {
    let end = unit.get(unit.len().checked_sub(3)?..)?;
    ["bps", "b/s"].iter().any(|ends| end.eq_ignore_ascii_case(ends)).then_some(end)
}

/// `text` in a unit as it is spelled here, if it has another spelling of one.
#[must_use]
pub fn normalise_unit(text: &str) -> Option<String> {
    let (digits, unit) = split_unit(text);
    Some(format!("{digits}{}", unit_by_spelling(unit)?))
}

/// Spells `number` in a unit of other tools as it is written here.
fn convert_unknown_unit(number: f64, unit: &str, units: &[(&str, f64)]) -> Option<String> {
    let is_same = |name: &str| name.eq_ignore_ascii_case(unit);
    let is_meant =
        |f: &&UnknownUnit| is_same_unit(unit, f.unit) || is_same(f.unit) && !unit.contains('/');
    let is_ours = |f: &&UnknownUnit| units.iter().any(|u| u.0 == f.equivalent);
    if number <= 0.0 {
        return None;
    }
    let found = UNKNOWN_UNITS.iter().filter(is_ours).filter(is_meant);
    let found = found.map(|f| format!("\"{}{}\"{}", number * f.factor, f.equivalent, f.used_by));
    let near = units.iter().find(|u| is_same(u.0)).map(|u| format!("\"{number}{}\"", u.0));
    let mut suggestion: Vec<String> = found.collect();
    suggestion.extend(near.filter(|_| !suggestion.is_empty()));
    (!suggestion.is_empty()).then(|| suggestion.join(", else "))
}

/// The double nearest to `digits`, which are a number, times `factor`, if that is a power of ten: a product of doubles
/// is rounded twice.
fn shift_decimal_point(digits: &str, factor: f64) -> Option<f64> {
    let shift: i32 = format!("{factor:e}").strip_prefix("1e")?.parse().ok()?;
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let exponent = exponent.parse::<i32>().ok()?.checked_add(shift)?;
    format!("{mantissa}e{exponent}").parse().ok()
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let larger = RATE_UNITS.iter().rev().filter(|u| self.0 >= u.1);
        let mut texts = larger.map(|u| format!("{}{}", self.0 / u.1, u.0));
        // A quotient of more than 15 digits may be read as the next double.
        let text = texts.find(|text| Rate::try_from(text.clone()) == Ok(*self));
        f.write_str(&text.unwrap_or_else(|| format!("{}bps", self.0)))
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Hz", self.0)
    }
}

impl fmt::Display for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}dB", self.0)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.0)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.nanos();
        let whole = |unit: &&(&str, f64)| nanos % unit.1 as i64 == 0;
        if (1_000_000_000..MAX_FRACTION_FACTOR).contains(&nanos) {
            return write!(f, "{}s", nanos as f64 / 1e9);
        }
        let unit = TIME_UNITS[..4].iter().rev().find(whole).unwrap_or(&TIME_UNITS[0]);
        write!(f, "{}{}", nanos / unit.1 as i64, unit.0)
    }
}

impl From<Duration> for String {
    fn from(duration: Duration) -> String {
        duration.to_string()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> String {
        rate.to_string()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size.to_string()
    }
}

impl From<Frequency> for String {
    fn from(frequency: Frequency) -> String {
        frequency.to_string()
    }
}

impl From<Decibels> for String {
    fn from(ratio: Decibels) -> String {
        ratio.to_string()
    }
}

impl JsonSchema for Frequency {
    fn schema_name() -> Cow<'static, str> {
        "Frequency".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "frequency", "examples": ["10Hz"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

impl JsonSchema for Decibels {
    fn schema_name() -> Cow<'static, str> {
        "Decibels".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "decibels", "examples": ["20dB"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

impl JsonSchema for Rate {
    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "rate", "examples": ["1.5Mbps"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "size", "examples": ["1400B"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "duration", "examples": ["10ms"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(text: &str) -> Result<Duration, UnitError> {
        Duration::try_from(text.to_string())
    }

    #[test]
    fn quantities_round_trip() {
        for text in ["1.5Mbps", "40kbps", "427bps", "2Gbps"] {
            assert_eq!(Rate::try_from(text.to_string()).unwrap().to_string(), text);
        }
        for text in ["0s", "100ms", "300us", "7466667ns", "1.5s", "4.105088s"] {
            assert_eq!(duration(text).unwrap().to_string(), text);
        }
        for text in [
            "0.3s",
            "1.5ms",
            "2min",
            "1h",
            "104.3e6s",
            "9000000.000000001s",
            "1.0000001e9s",
            "9.2e18ns",
        ] {
            let time = duration(text).unwrap();
            assert_eq!(duration(&time.to_string()).unwrap(), time, "{text}");
        }
        assert_eq!(duration("0.29s").unwrap().span(), Span::from_nanos(290_000_000));
        assert_eq!(Size::try_from("1400B".to_string()).unwrap().bits(), 11_200);
        assert_eq!(Size::try_from("1.4kB".to_string()).unwrap().bytes(), 1400);
    }

    #[test]
    fn a_rate_is_the_double_nearest_to_its_text_and_comes_back() {
        let rate = |text: &str| Rate::try_from(text.to_string()).unwrap();
        // As doubles 520.863 * 1e3 = 520863.00000000006.
        for text in ["520.863kbps", "520863.0bps", "0.520863Mbps", "520863000e-6kbps"] {
            assert_eq!(rate(text).bits_per_second(), 520_863.0, "{text}");
        }
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bits_per_second = (state >> 11) as f64 / f64::from(1 << (state % 31) as u32);
            let given = Rate(bits_per_second.clamp(1.0, Rate::MAX.0));
            assert_eq!(rate(&given.to_string()), given);
        }
        assert_eq!(Size::try_from("1.001kB".to_string()).unwrap().bytes(), 1001);
    }

    #[test]
    fn frequencies_and_ratios_round_trip() {
        for text in ["0Hz", "10Hz", "1500Hz", "0.001Hz"] {
            assert_eq!(Frequency::try_from(text.to_string()).unwrap().to_string(), text);
        }
        assert_eq!(Frequency::try_from("1.5kHz".to_string()).unwrap().hertz(), 1500.0);
        for text in ["20dB", "-3dB", "0dB", "12.5dB"] {
            assert_eq!(Decibels::try_from(text.to_string()).unwrap().to_string(), text);
        }
        assert_eq!(Decibels::try_from("20dB".to_string()).unwrap().ratio(), 100.0);
        for text in ["-1Hz", "NaNHz", "10", "10hz", "infHz"] {
            assert!(Frequency::try_from(text.to_string()).is_err(), "{text}");
        }
        for text in ["NaNdB", "20", "20db", "infdB", "1e9dB"] {
            assert!(Decibels::try_from(text.to_string()).is_err(), "{text}");
        }
    }

    #[test]
    fn wrong_quantities_are_refused() {
        for text in ["1.5", "1.5mbps", "-1Mbps", "0bps", "NaNMbps", "Mbps", "1e3", "", "infMbps"] {
            assert!(Rate::try_from(text.to_string()).is_err(), "{text}");
        }
        for text in ["0B", "1.5B", "1400", "-3B", "10ms"] {
            assert!(Size::try_from(text.to_string()).is_err(), "{text}");
        }
        for text in ["-1s", "1", "s", "1day", "300y", "9.3e18ns", "1e3"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spellings_of_tc_are_understood_where_they_mean_the_same() {
        let rate = |text: &str| Rate::try_from(text.to_string()).unwrap().to_string();
        for (text, ours) in [
            ("20mbit", "20Mbps"),
            ("20Mbit", "20Mbps"),
            ("100kbit", "100kbps"),
            ("1.5gbit", "1.5Gbps"),
            ("900bit", "900bps"),
            ("12Mbit/s", "12Mbps"),
            ("2Mb/s", "2Mbps"),
            ("7Kb/s", "7kbps"),
            ("20Mbits/sec", "20Mbps"),
            ("9.5Kbits/sec", "9.5kbps"),
            ("800bits/s", "800bps"),
        ] {
            assert_eq!(rate(text), ours, "{text}");
            assert_eq!(normalise_unit(text).as_deref(), Some(ours));
            assert_eq!(normalise_unit(ours), None);
        }
        for (text, ours) in [("100msec", "100ms"), ("10usecs", "10us"), ("2sec", "2s")] {
            assert_eq!(duration(text).unwrap().to_string(), ours, "{text}");
        }
        assert_eq!(Size::try_from("1MiB".to_string()).unwrap().bytes(), 1 << 20);
    }

    #[test]
    fn what_means_something_else_there_is_refused_with_the_right_spelling() {
        let rate = |text: &str| Rate::try_from(text.to_string()).unwrap_err().to_string();
        let size = |text: &str| Size::try_from(text.to_string()).unwrap_err().to_string();
        for (refusal, end) in [
            (rate("10mbps"), ": \"80Mbps\" if as in tc, else \"10Mbps\""),
            (rate("5MBps"), ": \"40Mbps\" if as in tc, else \"5Mbps\""),
            (rate("64k"), ": \"64kbps\" if as in iperf"),
            (rate("64K"), ": \"64kbps\" if as in iperf"),
            (rate("20M"), ": \"20Mbps\" if as in iperf"),
            (rate("1mibit"), ": \"1048576bps\""),
            (rate("2MB/s"), ": \"16Mbps\""),
            (size("64k"), ": \"64KiB\" if as in tc and iperf"),
            (size("2M"), ": \"2MiB\" if as in tc and iperf"),
            (size("32kb"), ": \"32KiB\" if as in tc, else \"32kB\""),
            (rate("2KB/s"), ": \"16kbps\""),
            (rate("3B/s"), ": \"24bps\""),
            (rate("3Bps"), ": \"24bps\" if bytes are meant, else \"3bps\""),
            (rate("1kibps"), ": \"8192bps\""),
            (rate("1mibps"), ": \"8388608bps\""),
            (rate("2tibit"), ": \"2199023255552bps\""),
            (rate("1tbps"), ": \"8000Gbps\" if as in tc, else \"1000Gbps\""),
            (rate("2MBytes/sec"), ": \"16777216bps\" if as in iperf"),
            (size("1G"), ": \"1024MiB\" if as in tc and iperf (allowed: up to 1e3MB)"),
            (size("0.5g"), ": \"512MiB\" if as in tc and iperf (allowed: up to 1e3MB)"),
            (size("2gb"), ": \"2048MiB\" if as in tc, else \"2000MB\" (allowed: up to 1e3MB)"),
            (size("1GiB"), ": \"1024MiB\" (allowed: up to 1e3MB)"),
            (size("8KBytes"), ": \"8KiB\" if as in iperf"),
            (rate("-5mbps"), "(units: bps, kbps, Mbps, Gbps)"),
            (rate("3furlongs"), "(units: bps, kbps, Mbps, Gbps)"),
        ] {
            assert!(refusal.ends_with(end), "{refusal}");
        }
    }

    #[test]
    fn a_unit_that_is_missing_cut_off_or_misspelt_gets_the_nearest_spellings() {
        fn suggestion<Q: Quantity<Error = UnitError>>(text: &str) -> String {
            let Err(error) = Q::try_from(text.to_string()) else { panic!("{text} is taken") };
            let error = error.to_string();
            error
                .split_once("): ")
                .map_or_else(String::new, |(_, suggestion)| suggestion.to_string())
        }
        for (text, near) in [
            ("50", "\"50Mbps\", \"50kbps\" or \"50bps\""),
            ("0.5", "\"0.5Mbps\" or \"0.5kbps\""),
            ("20000000", "\"20Mbps\""),
            ("50Mb", "\"50Mbps\""),
            ("50 Mbp", "\"50Mbps\""),
            ("50mbi", "\"50Mbps\""),
            ("50Mps", "\"50Mbps\""),
            ("50Mbs", "\"50Mbps\""),
            ("50MB", "\"400Mbps\" if bytes are meant, else \"50Mbps\""),
            ("5gb", "\"5Gbps\""),
            ("50b", "\"50bps\""),
            ("50parsecs", ""),
            ("Mbps", ""),
        ] {
            assert_eq!(suggestion::<Rate>(text), near, "{text}");
        }
        for (text, near) in [
            ("10", "\"10ms\" or \"10s\""),
            ("10m", "\"10ms\" or \"10min\""),
            ("10 milliseconds", "\"10ms\""),
            ("10Ms", "\"10ms\""),
            ("3 minutes", "\"3min\""),
            ("10n", "\"10ns\""),
            ("-10", ""),
        ] {
            assert_eq!(suggestion::<Duration>(text), near, "{text}");
        }
        for (text, near) in [
            ("1500", "\"1500B\" or \"1500kB\""),
            ("1.5", "\"1.5kB\""),
            ("20bytes", "\"20B\""),
            ("20kib", "\"20KiB\""),
        ] {
            assert_eq!(suggestion::<Size>(text), near, "{text}");
        }
        assert_eq!(suggestion::<Frequency>("10"), "\"10Hz\" or \"10kHz\"");
        assert_eq!(suggestion::<Frequency>("10hz"), "\"10Hz\"");
        assert_eq!(suggestion::<Frequency>("10k"), "\"10kHz\"");
        assert_eq!(suggestion::<Decibels>("-3"), "\"-3dB\"");
        assert_eq!(suggestion::<Decibels>("20db"), "\"20dB\"");
        assert_eq!(duration("10\u{b5}s"), duration("10us"));
        assert_eq!(normalise_unit("10 \u{3bc}s").as_deref(), Some("10us"));
    }

    #[test]
    fn a_time_that_is_not_zero_does_not_become_zero() {
        for text in ["0.4ns", "1e-10s", "0.0000001ms", "1e-300h"] {
            let error = duration(text).unwrap_err().to_string();
            let expected = "rounds to 0 ns; give 0s, or at least 0.5ns";
            assert_eq!(error, format!("{text:?} {expected}"));
        }
        for (text, nanos) in [("0ns", 0), ("0.0s", 0), ("-0s", 0), ("0.5ns", 1), ("1.4ns", 1)] {
            assert_eq!(duration(text).unwrap().span(), Span::from_nanos(nanos), "{text}");
        }
    }
}
