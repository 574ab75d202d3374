//! Losses as recorded: a list of fates, replayed.
//!
//! With `start = "random"` each run begins at a random entry, all equally likely, and continues at the first entry
//! after the last: differences between runs then show how much results depend on the moment at which a connection
//! begins. With `block` the replay jumps to another random entry after that many entries: a circular block bootstrap
//! (Politis and Romano, 1992) of the record, which keeps its loss rate and, within a block, its bursts.
//!
//! An entry covers a packet, a slot or a length of time; in the last two cases a transmission is lost if any entry that
//! it overlaps is a loss. Blocks should be several times as long as the correlation of losses lasts. With `repeat =
//! false` the replay ends with the list.
//!
//! ```toml
//! kind = "trace"
//! lost = [0, 0, 1, 1, 0, 0, 0, 0]
//! start = "random"    # of every run; "first" (the default): all runs are alike
//! ```

use super::fate::{Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Duration, Span, Stream, nearest_spellings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// Losses from a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossTrace")]
pub struct Trace {
    /// Fates in order: 1 = lost, 0 = arrives. Absent: `file` must be given. Example: `[0, 0, 1, 0]`.
    #[schemars(length(min = 1), inner(range(min = 0, max = 1)))]
    pub lost: Vec<u8>,
    /// Step of the list: one entry for every packet, for every slot, or for every length of time given. Example:
    /// `"10ms"`.
    #[serde(default)]
    pub clock: TraceClock,
    /// True if the list is repeated; otherwise nothing is lost after its end. Example: `false`.
    #[serde(default = "default_true")]
    pub repeat: bool,
    /// Entry at the start of the run: the first, or a random one in each run. Absent: the first. Example: `"random"`.
    #[serde(default, skip_serializing_if = "is_first")]
    pub start: Start,
    /// Number of entries replayed in order before the replay jumps to another random entry; requires a random start.
    /// Absent: no jumps. Example: `100`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000_000))]
    pub block: Option<u32>,
}

fn default_true() -> bool {
    true
}

/// The entry at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Start {
    /// The first of the list.
    #[default]
    First,
    /// Any, drawn from the stream of the run.
    Random,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_first(start: &Start) -> bool {
    *start == Start::First
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

impl Trace {
    fn check(&self) -> Result<(), SpecError> {
        let refuse = |field, message: &str| Err(SpecError::new(field, message));
        match self.block {
            _ if self.lost.is_empty() => {
                refuse("lost", "the list is empty; give at least one fate")
            }
            Some(0) => refuse("block", "0 is too few entries: at least 1"),
            Some(_) if self.start == Start::First => refuse("block", "needs start = \"random\""),
            Some(_) if !self.repeat => refuse("block", "cannot be combined with repeat = false"),
            _ => Ok(()),
        }
    }
}

impl Spec for Trace {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        self.check()?;
        let step = match self.clock {
            TraceClock::Packet => None,
            TraceClock::Slot => Some(slot),
            TraceClock::Every(step) => Some(step.span()),
        };
        let mut before = vec![0];
        for (i, lost) in self.lost.iter().enumerate() {
            before.push(before[i] + u64::from(*lost > 0));
        }
        let place = match self.start {
            Start::First => 0,
            Start::Random => block_start(&stream, 0, self.lost.len()),
        };
        let record = LossList { losses_before: before, repeat: self.repeat };
        let blocks = self.block.map(|length| BlockReplay {
            length: u64::from(length),
            stream,
            watch: CancelCheck::default(),
        });
        Ok(Process::Other(Box::new(Replay {
            record,
            step,
            start_entry: place,
            blocks,
            packets: 0,
        })))
    }

    fn counts_slots(&self) -> bool {
        self.clock == TraceClock::Slot
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.check().map(|()| None)
    }

    fn is_random(&self) -> bool {
        let loses = self.lost.iter().any(|lost| *lost > 0);
        let keeps = self.lost.contains(&0);
        // A record of nothing but losses that does not repeat ends after as many as there are from the start on.
        let differs = keeps || !self.repeat && self.lost.len() > 1;
        self.start == Start::Random && loses && differs
    }
}

/// The entry at which block `index` begins, of `length` entries: random access, for nobody may ask about most blocks.
fn block_start(stream: &Stream, index: u64, length: usize) -> u64 {
    (stream.at_index(index.cast_signed()).uniform() * length as f64) as u64
}

/// The list, and what follows it.
#[derive(Debug)]
struct LossList {
    /// Losses before each entry, and in all.
    losses_before: Vec<u64>,
    repeat: bool,
}

impl LossList {
    /// Number of entries.
    fn length(&self) -> usize {
        self.losses_before.len() - 1
    }

    /// Losses among the first `n` entries.
    fn losses_among_first(&self, n: u64) -> u64 {
        let length = self.length();
        let all = length as u64;
        if self.repeat {
            (n / all) * self.losses_before[length] + self.losses_before[(n % all) as usize]
        } else {
            self.losses_before[n.min(all) as usize]
        }
    }

    /// True if any of `entries` is lost.
    fn has_loss(&self, entries: Range<u64>) -> bool {
        self.losses_among_first(entries.end) > self.losses_among_first(entries.start)
    }
}

/// Blocks of the replay, each of which begins at an entry of its own.
#[derive(Debug)]
struct BlockReplay {
    /// Entries of a block.
    length: u64,
    stream: Stream,
    watch: CancelCheck,
}

impl BlockReplay {
    /// True if any of `replayed`, counted from the start of the run, is lost.
    fn loses(&mut self, record: &LossList, replayed: Range<u64>) -> bool {
        // Without it a long transmission over a record free of loss would look at every block.
        if record.losses_among_first(record.length() as u64) == 0 {
            return false;
        }
        let mut next = replayed.start;
        while next < replayed.end && !self.watch.is_cancelled() {
            let (index, within) = (next / self.length, next % self.length);
            let first = block_start(&self.stream, index, record.length()) + within;
            let entries = (self.length - within).min(replayed.end - next);
            if record.has_loss(first..first + entries) {
                return true;
            }
            next += entries;
        }
        false
    }
}

#[derive(Debug)]
struct Replay {
    record: LossList,
    /// Length of an entry; none: it is a packet.
    step: Option<Span>,
    /// The entry at first.
    start_entry: u64,
    blocks: Option<BlockReplay>,
    packets: u64,
}

impl Replay {
    /// The entries that `burst` covers, counted from the start of the run.
    fn covered_entries(&mut self, burst: Transmission) -> Range<u64> {
        let Some(step) = self.step else {
            self.packets += 1;
            return self.packets - 1..self.packets;
        };
        let step = step.nanos();
        let last = (burst.end.nanos() - 1).max(burst.start.nanos());
        (burst.start.nanos() / step).cast_unsigned()..(last / step + 1).cast_unsigned()
    }
}

impl Channel for Replay {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let covered = self.covered_entries(burst);
        let lost = match &mut self.blocks {
            Some(blocks) => blocks.loses(&self.record, covered),
            None => self
                .record
                .has_loss(covered.start + self.start_entry..covered.end + self.start_entry),
        };
        if lost { Fate::Erased } else { Fate::Clean }
    }

    fn watch(&mut self, cancel: &Cancel) {
        if let Some(blocks) = &mut self.blocks {
            blocks.watch = CancelCheck::new(cancel);
        }
    }
}
