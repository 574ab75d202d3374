//! Powers of the two-state Markov channel.
//!
//! With `lambda = 1 - p_gb - p_bg`, the n-step probabilities are `p_gb S(n)` and `p_bg S(n)` off
//! the diagonal, where `S(n) = 1 + lambda + .. + lambda^(n-1)`. `S` and `lambda^n` are computed by
//! doubling, with products and sums only: exact at n = 0, at lambda = 0 and -1, free of the
//! cancellation of `1 - lambda^n` near lambda = 1, and the same on every platform.

/// State of the channel in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A transmission arrives.
    Good,
    /// A transmission is lost.
    Bad,
}

/// Probabilities of the two states of a later slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SlotDistribution {
    pub(super) good: f64,
    pub(super) bad: f64,
}

/// The channel by its two transition probabilities per slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Channel {
    pub(super) p_gb: f64,
    pub(super) p_bg: f64,
}

impl Channel {
    /// The odds of the next slot.
    pub(super) fn next_slot(&self, from: Slot) -> SlotDistribution {
        match from {
            Slot::Good => SlotDistribution { good: 1.0 - self.p_gb, bad: self.p_gb },
            Slot::Bad => SlotDistribution { good: self.p_bg, bad: 1.0 - self.p_bg },
        }
    }

    /// The odds of the slot `steps` later.
    pub(super) fn slot_after(&self, from: Slot, steps: u64) -> SlotDistribution {
        let (power, sum) = self.power_and_sum(steps);
        let stay = |leave: f64, back: f64| {
            // Of two equal expressions, the one without a cancellation.
            if power > 0.0 { power + back * sum } else { 1.0 - leave * sum }
        };
        match from {
            Slot::Good => {
                SlotDistribution { good: stay(self.p_gb, self.p_bg), bad: self.p_gb * sum }
            }
            Slot::Bad => {
                SlotDistribution { good: self.p_bg * sum, bad: stay(self.p_bg, self.p_gb) }
            }
        }
    }

    /// `(lambda^n, S(n))` from `S(2n) = S(n) (1 + lambda^n)` and `S(n+1) = 1 + lambda S(n)`.
    fn power_and_sum(&self, steps: u64) -> (f64, f64) {
        let lambda = 1.0 - self.p_gb - self.p_bg;
        let mut result = (1.0, 0.0);
        for bit in (0..u64::BITS - steps.leading_zeros()).rev() {
            let (power, sum) = result;
            result = (power * power, sum * (1.0 + power));
            if steps >> bit & 1 == 1 {
                result = (result.0 * lambda, 1.0 + lambda * result.1);
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_steps(channel: Channel, from: Slot, steps: u64) -> f64 {
        let start = if from == Slot::Good { 1.0 } else { 0.0 };
        (0..steps).fold(start, |good, _| good * (1.0 - channel.p_gb) + (1.0 - good) * channel.p_bg)
    }

    #[test]
    fn powers_equal_repeated_steps() {
        for (p_gb, p_bg) in [(0.1, 0.9), (0.3, 0.2), (0.9, 0.8), (1.0, 1.0), (1e-6, 1e-3)] {
            let channel = Channel { p_gb, p_bg };
            for steps in [0, 1, 2, 3, 7, 100, 101] {
                for from in [Slot::Good, Slot::Bad] {
                    let odds = channel.slot_after(from, steps);
                    assert!((odds.good - by_steps(channel, from, steps)).abs() < 1e-13);
                    assert!((odds.good + odds.bad - 1.0).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn alternating_channel_is_exact() {
        let channel = Channel { p_gb: 1.0, p_bg: 1.0 };
        assert_eq!(channel.slot_after(Slot::Bad, 100).good, 0.0);
        assert_eq!(channel.slot_after(Slot::Bad, 101).good, 1.0);
    }
}
