//! The probabilities by which a chain of several states goes on.

use crate::spec_error::SpecError;
use airtcp_core::Stream;

/// Transition probabilities: one row for each state, each of sum 1.
#[derive(Clone, Debug)]
pub(crate) struct Transitions(Vec<Vec<f64>>);

/// Largest difference of a row's sum from 1: what decimal places leave.
const ROUNDING: f64 = 1e-9;

impl Transitions {
    /// Checks `rows`: one for each of so many `states`, each of which the user knows as a `noun`.
    ///
    /// # Errors
    /// If they are not probabilities that sum to 1, row by row; the field is `transition`.
    pub(crate) fn new(rows: &[Vec<f64>], states: usize, noun: &str) -> Result<Self, SpecError> {
        let refuse = |place: String, message: String| Err(SpecError::new(place, message));
        let expected = count_with_noun(states, noun, &format!("{noun}s"));
        if rows.len() != states {
            let message = format!("{} for {expected}", count_with_noun(rows.len(), "row", "rows"));
            return refuse("transition".into(), message);
        }
        for (i, row) in rows.iter().enumerate() {
            let sum: f64 = row.iter().sum();
            if row.len() != states {
                let given = count_with_noun(row.len(), "probability", "probabilities");
                let message = format!("{given} for {expected}");
                return refuse(format!("transition[{i}]"), message);
            }
            if row.iter().any(|p| !(0.0..=1.0).contains(p)) || (sum - 1.0).abs() > ROUNDING {
                let message = format!("{row:?} must be probabilities, from 0 to 1, that sum to 1");
                return refuse(format!("transition[{i}]"), message);
            }
        }
        Ok(Transitions(rows.to_vec()))
    }

    /// True if every state is reached from every other.
    pub(crate) fn is_connected(&self) -> bool {
        let all = |forward| self.reachable_states(0, forward).len() == self.0.len();
        all(true) && all(false)
    }

    /// The states, in their order, in which the chain stays for good, wherever it starts; `None` if that depends on the start.
    pub(crate) fn recurrent_states(&self) -> Option<Vec<usize>> {
        let states = self.0.len();
        let found =
            (0..states).find(|state| self.reachable_states(*state, false).len() == states)?;
        let mut class = self.reachable_states(found, true);
        class.sort_unstable();
        Some(class)
    }

    /// The states that are reached from `start`, or from which it is reached.
    fn reachable_states(&self, start: usize, forward: bool) -> Vec<usize> {
        let step = |i: usize, j: usize| {
            let (from, to) = if forward { (i, j) } else { (j, i) };
            self.0[from][to] > 0.0
        };
        let (mut seen, mut next) = (vec![start], 0);
        while let Some(&from) = seen.get(next) {
            let new: Vec<_> =
                (0..self.0.len()).filter(|to| step(from, *to) && !seen.contains(to)).collect();
            seen.extend(new);
            next += 1;
        }
        seen
    }

    /// The shares of the states in the long run, where the states of `class` reach each other and no other one: elimination
    /// without subtractions, by Grassmann, Taksar and Heyman \[grassmann1985\].
    pub(crate) fn stationary_shares(&self, class: &[usize]) -> Vec<f64> {
        let row = |i: &usize| class.iter().map(|j| self.0[*i][*j]).collect();
        let within = eliminate_states(class.iter().map(row).collect());
        let mut shares = vec![0.0; self.0.len()];
        class.iter().zip(within).for_each(|(state, share)| shares[*state] = share);
        shares
    }

    /// Probabilities of the state after `state`.
    pub(crate) fn row(&self, state: usize) -> &[f64] {
        &self.0[state]
    }
}

/// A number with its noun.
fn count_with_noun(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

fn eliminate_states(mut p: Vec<Vec<f64>>) -> Vec<f64> {
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

/// The state at a uniform number from `stream` among weights laid side by side.
pub(crate) fn pick_state(weights: &[f64], stream: &mut Stream) -> usize {
    let (u, mut above) = (stream.uniform(), 0.0);
    let found = weights.iter().position(|p| {
        above += p;
        u < above
    });
    // Rounding may leave a gap below 1: it belongs to the last state that there is.
    found.or(weights.iter().rposition(|p| *p > 0.0)).expect("checked to sum to 1")
}
