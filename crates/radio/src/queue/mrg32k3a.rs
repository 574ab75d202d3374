//! The numbers that ns-2 draws: MRG32k3a \[lecuyer1999\], started from six ones as ns does if nobody says otherwise, cut to
//! 31 bits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MODULUS_1: u64 = 4_294_967_087;
const MODULUS_2: u64 = 4_294_944_443;
/// ns makes a whole number of what the generator gives, and a fraction of that.
const NS_STEPS: f64 = 2_147_483_647.0;

/// Random generator that all queues of a run share, as in ns.
#[derive(Clone, Debug, Default)]
pub struct NsDraws(Arc<Mutex<Option<Mrg32k3a>>>);

impl NsDraws {
    /// Starts the generator after `drawn` numbers, unless an earlier queue has started it.
    pub(super) fn start(&self, drawn: u32) {
        self.generator().get_or_insert_with(|| Mrg32k3a::after_draws(drawn));
    }

    /// The next number, in [0, 1).
    pub(super) fn uniform(&self) -> f64 {
        self.generator().get_or_insert_with(|| Mrg32k3a::after_draws(0)).uniform()
    }

    fn generator(&self) -> MutexGuard<'_, Option<Mrg32k3a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The two recurrences, the oldest value first.
#[derive(Debug)]
pub(super) struct Mrg32k3a {
    first_recurrence: [u64; 3],
    second_recurrence: [u64; 3],
}

impl Mrg32k3a {
    /// The generator after so many numbers.
    pub(super) fn after_draws(drawn: u32) -> Self {
        let mut generator = Mrg32k3a { first_recurrence: [1; 3], second_recurrence: [1; 3] };
        for _ in 0..drawn {
            generator.step();
        }
        generator
    }

    /// The next number, in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        (self.step() * NS_STEPS).floor() / NS_STEPS
    }

    fn step(&mut self) -> f64 {
        let ([a, b, c], [d, e, f]) = (self.first_recurrence, self.second_recurrence);
        // The coefficients of the older values are -810728 and -1370589.
        let p = (1_403_580 * b + 810_728 * (MODULUS_1 - a)) % MODULUS_1;
        let q = (527_612 * f + 1_370_589 * (MODULUS_2 - d)) % MODULUS_2;
        (self.first_recurrence, self.second_recurrence) = ([b, c, p], [e, f, q]);
        let difference = if p > q { p - q } else { p + MODULUS_1 - q };
        difference as f64 / (MODULUS_1 + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Mrg32k3a;

    /// Numbers that `[set defaultRNG] uniform 0 1` prints in ns 2.35 after one number has been drawn.
    #[test]
    fn the_numbers_are_those_of_ns() {
        let mut drawn = Mrg32k3a::after_draws(1);
        for printed in
            [0.555_880_715_863_723_7, 0.014_204_660_437_165_137, 0.088_122_671_045_420_07]
        {
            assert!((drawn.uniform() - printed).abs() < 1e-16, "{printed}");
        }
    }
}
