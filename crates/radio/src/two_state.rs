//! The two-state summary of a loss process: where simulation and analysis meet.

use airtcp_core::Probability;

/// Largest error of a sum of given probabilities.
pub(crate) const ROUNDING: f64 = 1e-12;

/// A first-order Markov chain of packet fates: good (arrives) and bad (is lost)
/// [zorzi eq. 1: `p_GB`, `p_BG`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoState {
    /// P(lost | the previous one arrived).
    pub p_gb: f64,
    /// P(arrives | the previous one was lost).
    pub p_bg: f64,
}

impl TwoState {
    /// Independent losses.
    #[must_use]
    pub fn iid(loss_rate: Probability) -> Self {
        TwoState { p_gb: loss_rate.value(), p_bg: loss_rate.complement() }
    }

    /// Returns whether one packet's fate says nothing about the next one's, but for rounding.
    #[must_use]
    pub fn is_memoryless(&self) -> bool {
        (1.0 - self.p_gb - self.p_bg).abs() < ROUNDING
    }

    /// Returns whether it is always in the same state.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.p_gb == 0.0 || self.p_bg == 0.0
    }

    /// The stationary probability of loss. A chain that never leaves its state is taken as good.
    #[must_use]
    pub fn loss_rate(&self) -> f64 {
        let sum = self.p_gb + self.p_bg;
        if sum > 0.0 { self.p_gb / sum } else { 0.0 }
    }
}
