//! The probabilities of DualPI2: of the controller that both queues share, and of the ramp of the one of low latency.

use super::dualpi2::DualPi2;
use super::periods::PeriodicTimer;
use airtcp_core::{Instant, Span};

/// Steps that are taken at once: an idle time of more of them counts as so many.
const MAX_STEPS_AT_ONCE: u32 = 1_000_000;

/// The controller [RFC 9332, Figure 8].
#[derive(Debug)]
pub(super) struct CoupledController {
    target: f64,
    alpha: f64,
    beta: f64,
    k: f64,
    updates: PeriodicTimer,
    /// `p'` and `prevq`.
    base_probability: f64,
    delay: f64,
}

impl CoupledController {
    pub(super) fn new(keys: &DualPi2) -> Self {
        CoupledController {
            target: keys.target.seconds(),
            alpha: keys.alpha,
            beta: keys.beta,
            k: keys.coupling,
            updates: PeriodicTimer::new(keys.update.span()),
            base_probability: 0.0,
            delay: 0.0,
        }
    }

    /// `p_CL = k p'`.
    #[inline]
    pub(super) fn coupled_probability(&self) -> f64 {
        self.k * self.base_probability
    }

    /// `p_C = p'^2`.
    #[inline]
    pub(super) fn classic_probability(&self) -> f64 {
        self.base_probability * self.base_probability
    }

    /// Takes the steps that are due by `now`; the first packets of the queues came at `heads`.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Instant, heads: [Option<Instant>; 2]) {
        for _ in 0..MAX_STEPS_AT_ONCE {
            let Some(at) = self.updates.due(now) else { return };
            let before = (self.base_probability, self.delay);
            let delays = heads.map(|since| since.map_or(0.0, |since| (at - since).seconds()));
            self.step(delays[0].max(delays[1]));
            if before == (self.base_probability, self.delay) {
                break;
            }
        }
        self.updates.skip(now);
    }

    /// `p'` lies in [0, 1] [A.1].
    fn step(&mut self, delay: f64) {
        let off = self.alpha * (delay - self.target);
        self.base_probability =
            (self.base_probability + off + self.beta * (delay - self.delay)).clamp(0.0, 1.0);
        self.delay = delay;
    }
}

/// Marking of the queue of low latency by its own delay [Figure 5].
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    /// `minTh`.
    pub(super) least: Span,
    pub(super) range: Span,
}

impl Ramp {
    /// `laqm()`.
    pub(super) fn probability(self, delay: Span) -> f64 {
        if delay >= self.least + self.range {
            return 1.0;
        }
        let beyond = (delay.nanos() - self.least.nanos()).max(0);
        if beyond == 0 { 0.0 } else { beyond as f64 / self.range.nanos() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: i64) -> Span {
        Span::from_nanos(1000 * us)
    }

    #[test]
    fn the_ramp_rises_from_the_threshold_over_its_range() {
        let ramp = Ramp { least: us(800), range: us(400) };
        let at = [0, 800, 900, 1000, 1199, 1200, 9000].map(|delay| ramp.probability(us(delay)));
        assert_eq!(at, [0.0, 0.0, 0.25, 0.5, 0.9975, 1.0, 1.0]);
    }

    #[test]
    fn without_a_range_it_is_a_step() {
        let step = Ramp { least: us(800), range: Span::ZERO };
        assert_eq!([799, 800, 801].map(|delay| step.probability(us(delay))), [0.0, 1.0, 1.0]);
    }

    /// Checks that `p_CL = k sqrt(p_C)` at any delay.
    #[test]
    fn the_queues_are_coupled_by_the_square_root() {
        let mut base = CoupledController::new(&DualPi2::default());
        let start = Some(Instant::START);
        for step in 1..200 {
            base.catch_up(Instant::START + us(16_000 * step), [None, start]);
            assert!(
                (base.coupled_probability() - 2.0 * base.classic_probability().sqrt()).abs()
                    < 1e-12
            );
        }
        assert!(base.classic_probability() > 0.5, "{}", base.classic_probability());
    }

    /// `p' = 0.16 (0.016 - 0.015) + 3.2 * 0.016` after a step at 16 ms; and the longer delay of the two counts.
    #[test]
    fn a_step_by_hand() {
        let heads = |first, second| [first, second].map(|at: i64| Some(Instant::START + us(at)));
        for heads in [heads(0, 15_000), heads(15_000, 0)] {
            let mut base = CoupledController::new(&DualPi2::default());
            base.catch_up(Instant::START + us(16_000), heads);
            assert!((base.coupled_probability() / 2.0 - 0.051_36).abs() < 1e-12);
        }
    }
}
