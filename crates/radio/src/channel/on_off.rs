//! On and Off phases in time: while On, packets are lost with a probability; while Off, none is [lahanas reading,
//! section 3].
//!
//! The phases go on while nothing is sent. A packet that meets any part of an On phase is lost with probability
//! `loss_rate`, once. As `exit` of a hop the channel models errors in a host: a packet then meets the phase at the
//! instant at which it is sent. With `shared` both directions of a hop have the same phases, but losses are drawn for
//! each.
//!
//! ```toml
//! kind = "on-off"
//! on = "1s"
//! off = "5s"
//! loss_rate = 0.5
//! ```

use super::fate::{Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Duration, Instant, Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Channel of On phases with losses and Off phases without.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OnOffLosses")]
pub struct OnOff {
    /// Mean length of an On phase. Example: `"3s"`.
    pub on: Duration,
    /// Mean length of an Off phase. Example: `"1s"`.
    pub off: Duration,
    /// Probability that a packet is lost while On. Example: `0.5`.
    pub loss_rate: Probability,
    /// Phase at the start of the run. Example: `"on"`.
    #[serde(default)]
    pub start: Phase,
    /// Distribution of the lengths. Example: `"fixed"`.
    #[serde(default)]
    pub lengths: Lengths,
    /// True if both directions of a hop share the phases. Both must then have an on-off channel under the same key:
    /// `channel`, `exit` or `marks`. Absent: each direction has its own. Example: `true`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
}

/// Phase at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Phase {
    /// Off, and a whole phase of it.
    #[default]
    Off,
    /// On, likewise.
    On,
    /// As if it had gone on for ever: by the share of time, in the middle of a phase.
    Stationary,
}

/// Distribution of the lengths of phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Lengths {
    /// Exponential.
    #[default]
    Exponential,
    /// All as the mean: a period that repeats.
    Fixed,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(shared: &bool) -> bool {
    !shared
}

/// Parts of a stream: what is drawn for the phases, and for the losses.
const PHASE_STREAM: u64 = 1;
const LOSSES: u64 = 2;

impl Spec for OnOff {
    fn build(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        self.process(&stream, &stream)
    }

    fn build_paired(&self, _: Span, own: Stream, common: Stream) -> Result<Process, SpecError> {
        self.process(if self.shared { &common } else { &own }, &own)
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.check().map(|()| None)
    }

    fn is_random(&self) -> bool {
        let phases_are = self.lengths == Lengths::Exponential || self.start == Phase::Stationary;
        match self.loss_rate {
            Probability::ZERO => false,
            Probability::ONE => phases_are,
            _ => true,
        }
    }
}

impl OnOff {
    fn check(&self) -> Result<(), SpecError> {
        SpecError::refuse_zero("on", self.on)?;
        SpecError::refuse_zero("off", self.off)
    }

    fn process(&self, phases: &Stream, losses: &Stream) -> Result<Process, SpecError> {
        self.check()?;
        let mut phases = PhaseProcess {
            means: [self.off, self.on].map(|time| time.span().nanos() as f64),
            lengths: self.lengths,
            on: self.start == Phase::On,
            end: Instant::START,
            stream: phases.child(PHASE_STREAM),
            watch: CancelCheck::default(),
        };
        phases.start_in(self.start);
        let losses = losses.child(LOSSES);
        Ok(Process::Other(Box::new(OnOffChannel { phases, loss_rate: self.loss_rate, losses })))
    }
}

/// The sample path.
#[derive(Debug)]
struct PhaseProcess {
    /// Mean lengths of Off and On, in nanoseconds.
    means: [f64; 2],
    lengths: Lengths,
    on: bool,
    /// The end of the current phase.
    end: Instant,
    stream: Stream,
    watch: CancelCheck,
}

impl PhaseProcess {
    fn start_in(&mut self, start: Phase) {
        let mut length = self.draw_length();
        if start == Phase::Stationary {
            let [off, on] = self.means;
            self.on = self.stream.chance(on / (off + on));
            length = self.draw_length();
            if self.lengths == Lengths::Fixed {
                length *= 1.0 - self.stream.uniform();
            }
        }
        self.extend_phase(length);
    }

    fn draw_length(&mut self) -> f64 {
        let mean = self.means[usize::from(self.on)];
        match self.lengths {
            Lengths::Exponential => exponential(&mut self.stream, mean),
            Lengths::Fixed => mean,
        }
    }

    /// The current phase lasts so many nanoseconds from where the last one ended.
    fn extend_phase(&mut self, length: f64) {
        self.end = self.end + phase_length(length);
    }

    /// Goes to `at`, which never runs back, and returns whether the process is On then.
    fn is_on_at(&mut self, at: Instant) -> bool {
        if self.end < at && self.lengths == Lengths::Fixed {
            self.skip(at);
        }
        while self.end <= at && self.end < Instant::NEVER {
            self.on = !self.on;
            let length = self.draw_length();
            self.extend_phase(length);
            if self.watch.is_cancelled() {
                self.end = Instant::NEVER;
            }
        }
        self.on
    }

    /// Passes pairs of phases that are over at `at`, all of one length.
    fn skip(&mut self, at: Instant) {
        let pair = self.means.iter().fold(Span::ZERO, |sum, mean| sum + phase_length(*mean));
        self.end = self.end + pair * ((at - self.end).nanos() / pair.nanos());
    }

    /// Returns whether any part of `[start, end)`, or the instant `start`, is On.
    fn is_on_during(&mut self, start: Instant, end: Instant) -> bool {
        self.is_on_at(start) || self.end < end
    }
}

/// The length of a phase, at least a nanosecond.
fn phase_length(nanos: f64) -> Span {
    Span::from_nanos((nanos.round() as i64).max(1))
}

#[derive(Debug)]
struct OnOffChannel {
    phases: PhaseProcess,
    loss_rate: Probability,
    losses: Stream,
}

impl Channel for OnOffChannel {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let at_risk = self.phases.is_on_during(burst.start, burst.end);
        if at_risk && self.losses.chance(self.loss_rate.value()) {
            Fate::Erased
        } else {
            Fate::Clean
        }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.phases.watch = CancelCheck::new(cancel);
    }
}
