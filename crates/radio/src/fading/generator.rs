//! Generators of paths of fading.

use super::clarke::Clarke;
use super::jakes::Jakes;
use num_complex::Complex64;

/// A gain on the grid.
#[derive(Clone, Debug)]
pub enum Generator {
    /// Rayleigh fading.
    Clarke(Box<Clarke>),
    /// Jakes' sum of oscillators.
    Jakes(Jakes),
}

impl Generator {
    /// The gain at grid point `n`, in any order; cheap if `n` increases.
    pub fn sample(&mut self, n: i64) -> Complex64 {
        match self {
            Generator::Clarke(clarke) => clarke.sample(n),
            Generator::Jakes(jakes) => jakes.sample(n),
        }
    }
}
