//! A length is drawn from the distribution of the present state; then a Markov chain steps to the next state. Row i of
//! `transition` has the probabilities of the next state when the present one is i. The chain starts in its stationary
//! distribution, which counts draws, not time.
//!
//! ```toml
//! kind = "modulated"
//! laws = [{kind = "exponential", mean = "15s"}, {kind = "exponential", mean = "105s"}]
//! transition = [[0.9, 0.1], [0.1, 0.9]]
//! ```

use super::DistributionSpec;
use super::draws::Draws;
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::transitions::{Transitions, pick_state};
use airtcp_core::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Markov-modulated distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ModulatedLaw")]
pub struct Modulated {
    /// Distribution of each state. Example: `[{kind = "fixed", value = "10ms"}, {kind = "exponential", mean =
    /// "1s"}]`.
    #[schemars(length(min = 1, max = 100))]
    pub laws: Vec<DistributionSpec>,
    /// Transition probabilities: one row for each state, each with the sum 1. Example: `[[0.9, 0.1], [0.5, 0.5]]`.
    #[schemars(length(min = 1))]
    pub transition: Vec<Vec<f64>>,
}

impl Spec for Modulated {
    fn build(&self) -> Result<Draws, SpecError> {
        let rows = self.checked_transitions()?;
        let built = self.laws.iter().enumerate().map(|(i, distribution)| {
            distribution.build().map_err(|e| e.within(&format!("laws[{i}]")))
        });
        let mut laws = built.collect::<Result<Vec<_>, _>>()?;
        let start = self.state_shares(&rows);
        let mut state: Option<usize> = None;
        Ok(Draws::new(move |stream: &mut Stream| {
            let next = pick_state(state.map_or(start.as_slice(), |state| rows.row(state)), stream);
            state = Some(next);
            laws[next].next_nanos(stream)
        }))
    }

    fn mean(&self) -> f64 {
        let shares =
            self.checked_transitions().map(|rows| self.state_shares(&rows)).unwrap_or_default();
        self.laws.iter().zip(shares).map(|(distribution, share)| share * distribution.mean()).sum()
    }

    fn bounds(&self) -> (f64, f64) {
        let all = self.laws.iter().map(DistributionSpec::bounds);
        all.fold((f64::INFINITY, 0.0), |(a, b), (least, most)| (a.min(least), b.max(most)))
    }

    fn is_random(&self) -> bool {
        self.laws.len() > 1 || self.laws.iter().any(DistributionSpec::is_random)
    }

    fn is_finite(&self) -> bool {
        self.laws.iter().any(DistributionSpec::is_finite)
    }
}

impl Modulated {
    fn checked_transitions(&self) -> Result<Transitions, SpecError> {
        let rows = Transitions::new(&self.transition, self.laws.len(), "distribution")?;
        if rows.is_connected() {
            return Ok(rows);
        }
        Err(SpecError::new("transition", "some distribution cannot be reached from another"))
    }

    /// The shares of the distributions among the draws.
    fn state_shares(&self, rows: &Transitions) -> Vec<f64> {
        rows.stationary_shares(&(0..self.laws.len()).collect::<Vec<_>>())
    }
}
