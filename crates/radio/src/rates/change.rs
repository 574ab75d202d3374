//! Changes of a rate, as a scenario has them: a few as a table each, many as lines of one text.

use airtcp_core::{Duration, Rate, Span, UnitError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// A rate, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RateOrZero(pub Option<Rate>);

impl TryFrom<String> for RateOrZero {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        Rate::parse_or_zero(text).map(RateOrZero)
    }
}

impl From<RateOrZero> for String {
    fn from(rate: RateOrZero) -> String {
        rate.0.map_or_else(|| "0bps".to_owned(), String::from)
    }
}

impl JsonSchema for RateOrZero {
    fn schema_name() -> Cow<'static, str> {
        "RateOrZero".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "rate-or-zero", "examples": ["1.5Mbps"]})
    }
    fn inline_schema() -> bool {
        true
    }
}

/// A change of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// Time from which the change holds. Example: `"5s"`.
    pub at: Duration,
    /// New rate; 0bps: nothing is sent. Example: `"500kbps"`.
    pub rate: RateOrZero,
}

/// A row of numbers: from when, in nanoseconds, and the rate from then on in bit/s, or 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateRow {
    pub(super) at: i64,
    pub(super) bits_per_second: f64,
}

impl RateRow {
    /// The rate; none: nothing is sent.
    pub(super) fn rate(&self) -> Option<Rate> {
        Rate::from_bits_per_second(self.bits_per_second)
    }
}

/// Changes in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Changes {
    /// A table of each.
    Tables(Vec<RateChange>),
    /// A line of each, nanoseconds and bit/s, as a million of them are kept.
    Lines(RateLines),
}

/// Lines of numbers, and the text as it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct RateLines {
    text: Arc<str>,
    rows: Arc<[RateRow]>,
}

impl Changes {
    /// The first change that comes less than `least` after the one before it: its place from 0, and how long after.
    #[must_use]
    pub fn first_closer_than(&self, least: Span) -> Option<(usize, Span)> {
        let rows = self.rows();
        let mut apart = rows.windows(2).map(|pair| Span::from_nanos(pair[1].at - pair[0].at));
        apart.position(|one| one < least).map(|i| {
            let after = Span::from_nanos(rows[i + 1].at - rows[i].at);
            (i + 1, after)
        })
    }

    /// The changes as numbers.
    pub(super) fn rows(&self) -> Arc<[RateRow]> {
        match self {
            Changes::Lines(lines) => lines.rows.clone(),
            Changes::Tables(tables) => tables.iter().map(change_to_row).collect(),
        }
    }
}

fn change_to_row(change: &RateChange) -> RateRow {
    let bits_per_second = change.rate.0.map_or(0.0, Rate::bits_per_second);
    RateRow { at: change.at.span().nanos(), bits_per_second }
}

fn parse_line(line: &str) -> Option<RateRow> {
    let (at, rate) = line.split_once(' ')?;
    let (at, bits_per_second) = (at.parse().ok()?, rate.parse().ok()?);
    let fits = at >= 0
        && (bits_per_second == 0.0 || Rate::from_bits_per_second(bits_per_second).is_some());
    fits.then_some(RateRow { at, bits_per_second })
}

impl RateLines {
    fn parse(text: String) -> Result<Self, String> {
        let row = |(i, line): (usize, &str)| {
            parse_line(line).ok_or_else(|| {
                format!("line {}: {line:?} is not a time in ns and a rate in bit/s", i + 1)
            })
        };
        let rows = text.lines().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(RateLines { text: text.into(), rows })
    }
}

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Changes::Tables(tables) => tables.serialize(to),
            Changes::Lines(lines) => lines.text.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Changes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum ChangesForm {
            Text(String),
            Tables(Vec<RateChange>),
        }
        match ChangesForm::deserialize(from)? {
            ChangesForm::Tables(tables) => Ok(Changes::Tables(tables)),
            ChangesForm::Text(text) => {
                RateLines::parse(text).map(Changes::Lines).map_err(serde::de::Error::custom)
            }
        }
    }
}

impl JsonSchema for Changes {
    fn schema_name() -> Cow<'static, str> {
        "RateChanges".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["array", "string"], "items": generator.subschema_for::<RateChange>(),
            "minItems": 1, "maxItems": 100_000, "format": "rate-lines",
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

impl TryFrom<String> for Changes {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        RateLines::parse(text).map(Changes::Lines)
    }
}
