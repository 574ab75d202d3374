//! Losses as recorded.
//!
//! ```toml
//! kind = "trace"
//! lost = [0, 0, 1, 1, 0, 0, 0, 0]
//! ```

use super::fate::{Burst, Channel, Fate};
use super::process::Process;
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Duration, Span, Stream, nearest_spellings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Losses from a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossTrace")]
pub struct Trace {
    /// Fates in order: 1 = lost, 0 = arrives.
    #[schemars(length(min = 1), inner(range(min = 0, max = 1)))]
    pub lost: Vec<u8>,
    /// Meaning of an entry: a packet, a slot, or a length of time.
    #[serde(default)]
    pub clock: TraceClock,
    /// True if the list starts again at its end; if not, nothing is lost after it.
    #[serde(default = "yes")]
    pub repeat: bool,
}

fn yes() -> bool {
    true
}

/// Meaning of an entry of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TraceClock {
    /// The next packet, whenever it is sent.
    #[default]
    Packet,
    /// The next slot.
    Slot,
    /// The next so many nanoseconds.
    Every(Duration),
}

impl TryFrom<String> for TraceClock {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "packet" => return Ok(TraceClock::Packet),
            "slot" => return Ok(TraceClock::Slot),
            _ => {}
        }
        match Duration::try_from(text.clone()) {
            Ok(step) if step > Duration::ZERO => Ok(TraceClock::Every(step)),
            found => {
                let near = |_| nearest_spellings(&text, &["ns", "us", "ms", "s"], &["ms", "s"]);
                let near = found.err().map_or_else(String::new, near);
                Err(format!("{text:?} is not packet, slot, or a time such as \"1ms\"{near}"))
            }
        }
    }
}

impl From<TraceClock> for String {
    fn from(clock: TraceClock) -> String {
        match clock {
            TraceClock::Packet => "packet".into(),
            TraceClock::Slot => "slot".into(),
            TraceClock::Every(step) => step.to_string(),
        }
    }
}

impl JsonSchema for TraceClock {
    fn schema_name() -> Cow<'static, str> {
        "TraceClock".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "format": "trace-clock", "examples": ["packet", "slot", "1ms"],
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

impl Spec for Trace {
    fn build(&self, slot: Span, _: Stream) -> Result<Process, SpecError> {
        if self.lost.is_empty() {
            return Err(SpecError::new("lost", "the list is empty; give at least one fate"));
        }
        let step = match self.clock {
            TraceClock::Packet => None,
            TraceClock::Slot => Some(slot),
            TraceClock::Every(step) => Some(step.span()),
        };
        let mut before = vec![0];
        for (i, lost) in self.lost.iter().enumerate() {
            before.push(before[i] + u64::from(*lost > 0));
        }
        let process = Recorded { before, step, repeat: self.repeat, packets: 0 };
        Ok(Process::Other(Box::new(process)))
    }

    fn counts_slots(&self) -> bool {
        self.clock == TraceClock::Slot
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        Ok(None)
    }

    fn is_random(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct Recorded {
    /// Losses before each entry, and in all.
    before: Vec<u64>,
    /// Length of an entry; none: it is a packet.
    step: Option<Span>,
    repeat: bool,
    packets: u64,
}

impl Recorded {
    /// Losses among the first `n` entries.
    fn losses(&self, n: u64) -> u64 {
        let length = self.before.len() as u64 - 1;
        if self.repeat {
            (n / length) * self.before[length as usize] + self.before[(n % length) as usize]
        } else {
            self.before[n.min(length) as usize]
        }
    }

    /// The entries that `burst` covers, from the first to the one after the last.
    fn covered(&mut self, burst: Burst) -> (u64, u64) {
        let Some(step) = self.step else {
            self.packets += 1;
            return (self.packets - 1, self.packets);
        };
        let step = step.nanos();
        let last = (burst.end.nanos() - 1).max(burst.start.nanos());
        ((burst.start.nanos() / step).cast_unsigned(), (last / step + 1).cast_unsigned())
    }
}

impl Channel for Recorded {
    fn fate(&mut self, burst: Burst) -> Fate {
        let (from, to) = self.covered(burst);
        if self.losses(to) > self.losses(from) { Fate::Erased } else { Fate::Clean }
    }
}
