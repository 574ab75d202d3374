//! A good and a bad state that last for exponential lengths, each counted in its own unit: bits, packets, or time
//! [elaarag, section 3: the two-state error model of ns].
//!
//! Lengths in bits and packets pass only while something is transmitted. Transmissions are laid over the states without
//! gaps: where a state ends inside a packet, the rest of the packet belongs to the next state.
//!
//! With packets of S bits, g = mean good and b = mean bad in packets, the loss rate is 1 - g/(g + b) exp(-1/g). For
//! `good = "100packets"`, `bad = "8bits"` and S = 8192 it is .00996, nearly all of it single losses. Lengths in time
//! also pass while nothing is sent. The first state is good, as in ns; with `start = "stationary"` it is drawn from the
//! long-run shares.
//!
//! ```toml
//! kind = "sojourn"
//! good = "10s"
//! bad = "200ms"
//! ```

use super::clock::Clock;
use super::fate::{Channel, Fate, Transmission};
use super::markov::MarkovLoss;
use super::process::Process;
use super::spec::Spec;
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{
    Cancel, CancelCheck, Duration, Span, Stream, nearest_spellings, parse_number_with_unit,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Exponential sojourns in good and bad; a transmission is lost if any part of it is bad.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sojourn {
    /// Mean length of a good sojourn, as a time or counted in packets or bits. Example: `"2s"`.
    pub good: Extent,
    /// Mean length of a bad sojourn, counted as `good` is. Example: `"100ms"`.
    pub bad: Extent,
    /// State at the start of the run: good, or drawn from the long-run shares. Example: `"stationary"`.
    #[serde(default)]
    pub start: Start,
}

/// State at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Start {
    /// Good, as in ns.
    #[default]
    Good,
    /// Good or bad, by the share of time (or, where both count the same, of bits or packets).
    Stationary,
}

/// A mean length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Extent {
    /// A number of bits.
    Bits(f64),
    /// A number of packets, of whatever size.
    Packets(f64),
    /// A length of time, whether or not anything is sent.
    Time(Duration),
}

impl Extent {
    const UNITS: &[&str] = &["packets", "bits", "ns", "us", "ms", "s", "min", "h"];
    const COMMON_UNITS_HERE: &[&str] = &["packets", "bits", "s"];

    /// The spellings of a number without a unit.
    #[must_use]
    pub fn spellings_of_number(number: f64) -> Vec<String> {
        Extent::COMMON_UNITS_HERE.iter().map(|unit| format!("{number}{unit}")).collect()
    }
}

impl TryFrom<String> for Extent {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let expected = "a length such as \"100packets\", \"8bits\" or \"2s\"";
        let counted = |unit| parse_number_with_unit(&text, &[(unit, 1.0)]);
        let extent = match (counted("bits"), counted("packets")) {
            (Some(bits), _) => Some(Extent::Bits(bits)),
            (_, Some(packets)) => Some(Extent::Packets(packets)),
            _ => Duration::try_from(text.clone()).ok().map(Extent::Time),
        };
        let in_range = match extent {
            None => {
                let near = nearest_spellings(&text, Extent::UNITS, Extent::COMMON_UNITS_HERE);
                return Err(format!("{text:?} is not {expected}{near}"));
            }
            Some(Extent::Bits(bits)) => (1.0..=1e18).contains(&bits),
            Some(Extent::Packets(packets)) => (1e-3..=1e15).contains(&packets),
            Some(Extent::Time(time)) => time > Duration::ZERO,
        };
        let allowed = "1bits to 1e18bits, 1e-3packets to 1e15packets, a time above 0s";
        extent.filter(|_| in_range).ok_or_else(|| format!("{text:?} is out of range: {allowed}"))
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Bits(n) => write!(f, "{n}bits"),
            Extent::Packets(n) => write!(f, "{n}packets"),
            Extent::Time(time) => write!(f, "{time}"),
        }
    }
}

impl From<Extent> for String {
    fn from(extent: Extent) -> String {
        extent.to_string()
    }
}

impl JsonSchema for Extent {
    fn schema_name() -> Cow<'static, str> {
        "Extent".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "format": "extent", "examples": ["100packets", "8bits", "2s"],
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// Unit in which a sojourn of each state is counted, and its mean length.
enum SojournUnit {
    /// Mean times in nanoseconds.
    Time([f64; 2]),
    Counted([CountedLength; 2]),
}

#[derive(Clone, Copy, Debug)]
struct CountedLength {
    mean: f64,
    in_bits: bool,
}

impl Sojourn {
    fn common_unit(&self) -> Result<SojournUnit, SpecError> {
        let nanos = |time: Duration| time.span().nanos() as f64;
        let count = |extent| match extent {
            Extent::Bits(mean) => Ok(CountedLength { mean, in_bits: true }),
            Extent::Packets(mean) => Ok(CountedLength { mean, in_bits: false }),
            Extent::Time(_) => Err(self.mixed_units_error()),
        };
        match (self.good, self.bad) {
            (Extent::Time(good), Extent::Time(bad)) => {
                Ok(SojournUnit::Time([good, bad].map(nanos)))
            }
            (good, bad) => Ok(SojournUnit::Counted([count(good)?, count(bad)?])),
        }
    }

    fn mixed_units_error(&self) -> SpecError {
        let message = format!(
            "{} does not go with good = {}: give two times, or two numbers of packets or bits",
            self.bad, self.good
        );
        SpecError::new("bad", message)
    }

    /// Long-run share of bad.
    fn long_run_bad_share([good, bad]: [f64; 2]) -> f64 {
        bad / (good + bad)
    }
}

impl Spec for Sojourn {
    fn build(&self, _: Span, mut stream: Stream) -> Result<Process, SpecError> {
        match (self.common_unit()?, self.start) {
            (SojournUnit::Time(means), start) => Ok(timed_process(means, start, stream)),
            (SojournUnit::Counted(counts), Start::Good) => {
                Ok(counted_process(counts, false, stream))
            }
            (SojournUnit::Counted(counts), Start::Stationary) => {
                if counts[0].in_bits != counts[1].in_bits {
                    let message = "stationary needs good and bad in the same unit; or \"good\"";
                    return Err(SpecError::new("start", message));
                }
                let bad = stream.chance(Sojourn::long_run_bad_share(counts.map(|c| c.mean)));
                Ok(counted_process(counts, bad, stream))
            }
        }
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.build(Span::from_nanos(1), Stream::new(0, "", 0)).map(|_| None)
    }
}

/// On a grid of nanoseconds exponential lengths are geometric.
fn timed_process(means: [f64; 2], start: Start, stream: Stream) -> Process {
    let [p_gb, p_bg] = means.map(|mean| -libm::expm1(-1.0 / mean));
    let chain = MarkovLoss::new(TwoState { p_gb, p_bg }, Clock::Slot, Span::from_nanos(1), stream);
    Process::Markov(match start {
        Start::Good => chain.starting_in_good(),
        Start::Stationary => chain,
    })
}

fn counted_process(counts: [CountedLength; 2], bad: bool, stream: Stream) -> Process {
    let mut process =
        CountedSojourns { bad, remaining: 0.0, counts, stream, watch: CancelCheck::default() };
    process.remaining = process.sojourn();
    Process::Other(Box::new(process))
}

/// States that move with what is transmitted.
#[derive(Debug)]
struct CountedSojourns {
    bad: bool,
    /// Rest of the sojourn, in its own unit.
    remaining: f64,
    counts: [CountedLength; 2],
    stream: Stream,
    watch: CancelCheck,
}

impl CountedSojourns {
    fn count(&self) -> CountedLength {
        self.counts[usize::from(self.bad)]
    }

    fn sojourn(&mut self) -> f64 {
        let mean = self.count().mean;
        exponential(&mut self.stream, mean)
    }
}

impl Channel for CountedSojourns {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let mut lost = false;
        // The part of the packet that is not laid over the states yet.
        let mut rest = 1.0;
        loop {
            let size = if self.count().in_bits { burst.bits as f64 } else { 1.0 };
            let part = self.remaining.min(rest * size);
            lost |= self.bad && part > 0.0;
            if self.remaining >= rest * size {
                self.remaining -= part;
                return if lost { Fate::Erased } else { Fate::Clean };
            }
            rest -= part / size;
            self.bad = !self.bad;
            self.remaining = if self.watch.is_cancelled() { f64::INFINITY } else { self.sojourn() };
        }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }
}
