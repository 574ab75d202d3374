//! A Markov chain of up to eight states with a loss probability each.
//!
//! Row i of `transition` has the probabilities of the next state when the present one is i. A step takes place at every
//! packet, every slot, or after every length of time. A packet meets the state at its start. The chain starts in its
//! stationary distribution.
//!
//! netem's `loss state p13 p31 p32 p23 p14` has four states: a gap, arrivals in a burst, losses in a burst, and a
//! single loss in a gap. Their losses are `[0, 0, 1, 1]`, their rows `[1-p13-p14, 0, p13, p14]`, `[0, 1-p23, p23, 0]`,
//! `[p31, p32, 1-p31-p32, 0]`, `[1, 0, 0, 0]`.
//!
//! The chain may have states to which it never returns, but not two separate sets of states that it never leaves.
//!
//! ```toml
//! kind = "states"
//! loss = [0, 0.5, 1]
//! transition = [[0.98, 0.02, 0], [0.2, 0.7, 0.1], [0, 0.5, 0.5]]
//! clock = "10ms"                   # or "packet" (the default), "slot"
//! ```

use super::fate::{ChainTally, Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use super::trace::TraceClock;
use crate::spec_error::SpecError;
use crate::transitions::{Transitions, pick_state};
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chain of states with a loss probability each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct States {
    /// Probability of losing a packet, for each state. Example: `[0, 0.5]`.
    #[schemars(length(min = 1, max = 8))]
    pub loss: Vec<Probability>,
    /// Transition probabilities: one row for each state, each with the sum 1. Example: `[[0.9, 0.1], [0.4, 0.6]]`.
    #[schemars(length(min = 1, max = 8))]
    pub transition: Vec<Vec<f64>>,
    /// The step of the chain: a packet, a slot, or a length of time. Example: `"slot"`.
    #[serde(default)]
    pub clock: TraceClock,
}

/// The chain, and the shares of its states in the long run.
struct StationaryChain {
    rows: Transitions,
    shares: Vec<f64>,
}

impl States {
    fn stationary(&self) -> Result<StationaryChain, SpecError> {
        let rows = Transitions::new(&self.transition, self.loss.len(), "state")?;
        let Some(class) = rows.recurrent_states() else {
            let message = "the long run depends on the first state; at least one state must be reachable from every other";
            return Err(SpecError::new("transition", message));
        };
        let shares = rows.stationary_shares(&class);
        Ok(StationaryChain { rows, shares })
    }

    fn is_timed(&self) -> bool {
        self.clock != TraceClock::Packet
    }

    /// Loss probabilities of the states in which the chain is found in the long run.
    fn recurrent_losses<'a>(&'a self, shares: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let met = self.loss.iter().zip(shares).filter(|(_, share)| **share > 0.0);
        met.map(|(loss, _)| loss.value())
    }
}

impl Spec for States {
    fn build(&self, slot: Span, mut stream: Stream) -> Result<Process, SpecError> {
        let StationaryChain { rows, shares } = self.stationary()?;
        let loss: Vec<f64> = self.loss.iter().map(|p| p.value()).collect();
        let step = match self.clock {
            TraceClock::Packet => 1,
            TraceClock::Slot => slot.nanos(),
            TraceClock::Every(step) => step.span().nanos(),
        };
        let mean: f64 = loss.iter().zip(&shares).map(|(loss, share)| loss * share).sum();
        let fates = stream.child(1);
        let state = pick_state(&shares, &mut stream);
        let stays = (0..loss.len()).map(|i| StateStay::from_row(&rows, i)).collect();
        let is_timed = self.is_timed();
        let (until, position) = (0, 0);
        let (met, watch) = (ChainTally::default(), CancelCheck::default());
        let mut walk = StateWalk {
            stays,
            loss,
            state,
            state_until: until,
            step,
            is_timed,
            mean,
            position,
            met,
            stream,
            fates,
            watch,
        };
        walk.state_until = walk.sojourn();
        Ok(Process::Other(Box::new(walk)))
    }

    fn counts_slots(&self) -> bool {
        self.clock == TraceClock::Slot
    }

    /// Two states, one of which loses all and one nothing, are the chain of the losses.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.stationary()?;
        let losses: Vec<f64> = self.loss.iter().map(|p| p.value()).collect();
        let leaves = |i: usize| self.transition[i][1 - i];
        Ok(match losses[..] {
            _ if self.clock != TraceClock::Slot => None,
            [0.0, 1.0] => Some(TwoState { p_gb: leaves(0), p_bg: leaves(1) }),
            [1.0, 0.0] => Some(TwoState { p_gb: leaves(1), p_bg: leaves(0) }),
            _ => None,
        })
    }

    fn is_random(&self) -> bool {
        let Ok(StationaryChain { shares, .. }) = self.stationary() else { return false };
        let is_certain = |certain: f64| self.recurrent_losses(&shares).all(|loss| loss == certain);
        !(is_certain(0.0) || is_certain(1.0))
    }
}

/// Stay in a state, and the way out of it.
#[derive(Debug)]
struct StateStay {
    /// `1/ln(stays)`.
    inverse_log: f64,
    /// The probabilities of the next state, once it is another.
    next: Vec<f64>,
}

impl StateStay {
    fn from_row(rows: &Transitions, state: usize) -> Self {
        let others = |(to, p): (usize, &f64)| if to == state { 0.0 } else { *p };
        let mut next: Vec<f64> = rows.row(state).iter().enumerate().map(others).collect();
        let leaves: f64 = next.iter().sum();
        next.iter_mut().for_each(|p| *p /= leaves);
        StateStay { inverse_log: 1.0 / libm::log1p(-leaves.min(1.0)), next }
    }
}

/// Longer than any run can be.
const FOREVER: i64 = i64::MAX;

/// The chain in motion. Positions are packets or nanoseconds, of which `step` are a step.
#[derive(Debug)]
struct StateWalk {
    stays: Vec<StateStay>,
    loss: Vec<f64>,
    state: usize,
    /// First position at which the state is another.
    state_until: i64,
    step: i64,
    is_timed: bool,
    /// The share of packets that it loses in the long run.
    mean: f64,
    /// The position of the next packet, where positions are packets.
    position: i64,
    met: ChainTally,
    stream: Stream,
    fates: Stream,
    watch: CancelCheck,
}

impl StateWalk {
    /// Length of the sojourn that begins now: geometric, by inversion.
    fn sojourn(&mut self) -> i64 {
        let steps = libm::log1p(-self.stream.uniform()) * self.stays[self.state].inverse_log;
        // A state that is left at once gives 0, one that is never left an infinity or a NaN.
        if steps < (FOREVER / self.step) as f64 {
            (steps.max(0.0) as i64).saturating_add(1).saturating_mul(self.step)
        } else {
            FOREVER
        }
    }

    fn advance_to(&mut self, position: i64) {
        while self.state_until <= position {
            self.state = pick_state(&self.stays[self.state].next, &mut self.stream);
            let length = self.sojourn();
            self.state_until = self.state_until.saturating_add(length);
            if self.watch.is_cancelled() {
                self.state_until = FOREVER;
            }
        }
    }
}

impl Channel for StateWalk {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        self.advance_to(if self.is_timed { burst.start.nanos() } else { self.position });
        self.position += 1;
        self.met.transmissions += 1;
        let probability = self.loss[self.state];
        // A state that decides draws nothing.
        let lost = probability > 0.0 && (probability >= 1.0 || self.fates.chance(probability));
        self.met.lost += u64::from(lost);
        if lost { Fate::Erased } else { Fate::Clean }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }

    fn chain_tally(&self) -> ChainTally {
        if !self.is_timed {
            return ChainTally::default();
        }
        ChainTally { expected: self.mean * self.met.transmissions as f64, ..self.met }
    }
}
