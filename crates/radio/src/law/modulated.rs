//! A chain that changes the law with every draw.
//!
//! A length is drawn by the law of the state; then the chain takes a step. Row i of
//! `transition` has the probabilities that law i is followed by each of the laws. It starts in its stationary law, which counts draws, not time.
//!
//! ```toml
//! kind = "modulated"
//! laws = [{kind = "exponential", mean = "15s"}, {kind = "exponential", mean = "105s"}]
//! transition = [[0.9, 0.1], [0.1, 0.9]]
//! ```

use super::LawSpec;
use super::draws::Draws;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Markov-modulated law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ModulatedLaw")]
pub struct Modulated {
    /// The law of each state.
    #[schemars(length(min = 1, max = 100))]
    pub laws: Vec<LawSpec>,
    /// From each state the probabilities of the next one.
    #[schemars(length(min = 1))]
    pub transition: Vec<Vec<f64>>,
}

/// How far the probabilities of a row may be from 1 in sum: what decimal places leave.
const ROUNDING: f64 = 1e-9;

impl Spec for Modulated {
    fn build(&self) -> Result<Draws, SpecError> {
        self.check_matrix()?;
        let built = self
            .laws
            .iter()
            .enumerate()
            .map(|(i, law)| law.build().map_err(|e| e.within(&format!("laws[{i}]"))));
        let mut laws = built.collect::<Result<Vec<_>, _>>()?;
        let (rows, start) = (self.transition.clone(), self.stationary());
        let mut state: Option<usize> = None;
        Ok(Draws::new(move |stream: &mut Stream| {
            let row = state.map_or(&start, |state| &rows[state]);
            let next = pick(row, stream.uniform());
            state = Some(next);
            laws[next].raw(stream)
        }))
    }

    fn mean(&self) -> f64 {
        let shares = self.stationary();
        self.laws.iter().zip(shares).map(|(law, share)| share * law.mean()).sum()
    }

    fn bounds(&self) -> (f64, f64) {
        let all = self.laws.iter().map(LawSpec::bounds);
        all.fold((f64::INFINITY, 0.0), |(a, b), (least, most)| (a.min(least), b.max(most)))
    }

    fn is_random(&self) -> bool {
        self.laws.len() > 1 || self.laws.iter().any(LawSpec::is_random)
    }

    fn ends(&self) -> bool {
        self.laws.iter().any(LawSpec::ends)
    }
}

impl Modulated {
    fn check_matrix(&self) -> Result<(), SpecError> {
        let states = self.laws.len();
        let refuse = |place: String, message: String| Err(SpecError::new(place, message));
        if self.transition.len() != states {
            let message = format!("{} rows for {states} laws", self.transition.len());
            return refuse("transition".into(), message);
        }
        for (i, row) in self.transition.iter().enumerate() {
            let sum: f64 = row.iter().sum();
            if row.len() != states {
                let message = format!("{} probabilities for {states} laws", row.len());
                return refuse(format!("transition[{i}]"), message);
            }
            if row.iter().any(|p| !(0.0..=1.0).contains(p)) || (sum - 1.0).abs() > ROUNDING {
                let message = format!("{row:?} are not probabilities that sum to 1");
                return refuse(format!("transition[{i}]"), message);
            }
        }
        let all = |forward| (0..states).all(|i| self.reached(forward).contains(&i));
        if all(true) && all(false) {
            return Ok(());
        }
        refuse("transition".into(), "some law cannot be reached from another".into())
    }

    /// The states that are reached from the first one, or from which it is reached.
    fn reached(&self, forward: bool) -> Vec<usize> {
        let step = |i: usize, j: usize| {
            let (from, to) = if forward { (i, j) } else { (j, i) };
            self.transition[from][to] > 0.0
        };
        let (mut seen, mut next) = (vec![0], 0);
        while let Some(&from) = seen.get(next) {
            let new: Vec<_> =
                (0..self.laws.len()).filter(|to| step(from, *to) && !seen.contains(to)).collect();
            seen.extend(new);
            next += 1;
        }
        seen
    }

    /// The shares of the states among the draws: elimination without subtractions, by Grassmann, Taksar
    /// and Heyman [grassmann1985].
    fn stationary(&self) -> Vec<f64> {
        let mut p = self.transition.clone();
        let states = p.len();
        for n in (1..states).rev() {
            let out: f64 = p[n][..n].iter().sum();
            for i in 0..n {
                p[i][n] /= out;
                for j in 0..n {
                    p[i][j] += p[i][n] * p[n][j];
                }
            }
        }
        let mut shares: Vec<f64> = vec![1.0];
        for n in 1..states {
            let share: f64 = shares.iter().zip(&p).map(|(share, row)| share * row[n]).sum();
            shares.push(share);
        }
        let sum: f64 = shares.iter().sum();
        shares.iter().map(|share| share / sum).collect()
    }
}

/// The state at `u` in [0, 1) of their probabilities laid side by side.
fn pick(probabilities: &[f64], u: f64) -> usize {
    let mut above = 0.0;
    let found = probabilities.iter().position(|p| {
        above += p;
        u < above
    });
    // Rounding may leave a gap below 1: it belongs to the last state that there is.
    found.or(probabilities.iter().rposition(|p| *p > 0.0)).expect("checked to sum to 1")
}
