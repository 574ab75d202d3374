//! The numbers that ns-2 draws: MRG32k3a [lecuyer1999], started from six ones as ns does if nobody says otherwise, cut to
//! 31 bits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
/// ns makes a whole number of what the generator gives, and a fraction of that.
const STEPS: f64 = 2_147_483_647.0;

/// The one generator that all queues of a run draw from, as all of ns does.
#[derive(Clone, Debug, Default)]
pub struct NsDraws(Arc<Mutex<Option<Mrg32k3a>>>);

impl NsDraws {
    /// Starts after `drawn` numbers, unless a queue has already said after how many.
    pub(super) fn start(&self, drawn: u32) {
        self.generator().get_or_insert_with(|| Mrg32k3a::after(drawn));
    }

    /// The next number, in [0, 1).
    pub(super) fn uniform(&self) -> f64 {
        self.generator().get_or_insert_with(|| Mrg32k3a::after(0)).uniform()
    }

    fn generator(&self) -> MutexGuard<'_, Option<Mrg32k3a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The two recurrences, the oldest value first.
#[derive(Debug)]
pub(super) struct Mrg32k3a {
    one: [u64; 3],
    two: [u64; 3],
}

impl Mrg32k3a {
    /// The generator after so many numbers.
    pub(super) fn after(drawn: u32) -> Self {
        let mut generator = Mrg32k3a { one: [1; 3], two: [1; 3] };
        for _ in 0..drawn {
            generator.step();
        }
        generator
    }

    /// The next number, in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        (self.step() * STEPS).floor() / STEPS
    }

    fn step(&mut self) -> f64 {
        let ([a, b, c], [d, e, f]) = (self.one, self.two);
        // The coefficients of the older values are -810728 and -1370589.
        let p = (1_403_580 * b + 810_728 * (M1 - a)) % M1;
        let q = (527_612 * f + 1_370_589 * (M2 - d)) % M2;
        (self.one, self.two) = ([b, c, p], [e, f, q]);
        let difference = if p > q { p - q } else { p + M1 - q };
        difference as f64 / (M1 + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Mrg32k3a;

    /// Numbers that `[set defaultRNG] uniform 0 1` prints in ns 2.35 after one number has been drawn.
    #[test]
    fn the_numbers_are_those_of_ns() {
        let mut drawn = Mrg32k3a::after(1);
        for printed in
            [0.555_880_715_863_723_7, 0.014_204_660_437_165_137, 0.088_122_671_045_420_07]
        {
            assert!((drawn.uniform() - printed).abs() < 1e-16, "{printed}");
        }
    }
}
