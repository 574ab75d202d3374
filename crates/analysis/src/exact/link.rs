//! TCP packets over a link layer that sends lost fragments again: their fates and durations.
//!
//! A packet is `fragments` link-layer packets; each is sent until it arrives, `attempts` times at
//! most, and one that fails ends the packet. A packet that gets through ends on a good slot and a
//! lost one on a bad slot: the channel after it is its fate. So fates form a two-state chain, with
//! durations that depend on the fate and the one before
//! [chockalingam reading, section 8].

use num_complex::Complex64;

use super::channel::{Channel, Slot, SlotDistribution};

/// Imaginary part of a point beside 1: the derivative there, without cancellation.
const DERIVATIVE_STEP: f64 = 1e-20;

/// A number for each pair of fates, of the packet before and of the packet: `gb` is a loss after a
/// success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Fates<T> {
    pub(super) bb: T,
    pub(super) bg: T,
    pub(super) gb: T,
    pub(super) gg: T,
}

impl<T: Copy> Fates<T> {
    pub(super) fn map_each<U>(self, f: impl Fn(T) -> U) -> Fates<U> {
        Fates { bb: f(self.bb), bg: f(self.bg), gb: f(self.gb), gg: f(self.gg) }
    }

    pub(super) fn zip<U: Copy>(self, other: Fates<U>) -> Fates<(T, U)> {
        Fates {
            bb: (self.bb, other.bb),
            bg: (self.bg, other.bg),
            gb: (self.gb, other.gb),
            gg: (self.gg, other.gg),
        }
    }

    pub(super) fn to_array(self) -> [T; 4] {
        [self.bb, self.bg, self.gb, self.gg]
    }
}

/// The link layer of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) channel: Channel,
    pub(super) fragments: u32,
    pub(super) attempts: u32,
}

impl Link {
    /// True if every packet takes one slot.
    pub(super) fn is_plain(&self) -> bool {
        self.fragments == 1 && self.attempts == 1
    }

    /// `E[z^slots; fate | fate before]` of a packet.
    pub(super) fn transforms(&self, z: Complex64) -> Fates<Complex64> {
        let (n, f) = (self.attempts, self.fragments);
        let (r, gb) = (self.channel.p_bg, self.channel.p_gb);
        let failing = z * (1.0 - r);
        let last = failing.powu(n - 1);
        let again = r * z * geometric_sum(failing, n - 1); // S: the next n - 1 get through
        let ok_good = (1.0 - gb) * z + gb * z * again;
        let fail_good = gb * z * last;
        let ok_bad = again + r * z * last;
        Fates {
            bb: failing * last + ok_bad * fail_good * geometric_sum(ok_good, f - 1),
            bg: ok_bad * ok_good.powu(f - 1),
            gb: fail_good * geometric_sum(ok_good, f),
            gg: ok_good.powu(f),
        }
    }

    /// Fates and mean durations of packets sent one after the other.
    pub(super) fn packets(&self) -> Packets {
        if self.is_plain() {
            let (good, bad) =
                (self.channel.next_slot(Slot::Good), self.channel.next_slot(Slot::Bad));
            let odds = Fates { bb: bad.bad, bg: bad.good, gb: good.bad, gg: good.good };
            return Packets { probabilities: odds, slots: odds.map_each(|_| 1.0) };
        }
        let beside = self.transforms(Complex64::new(1.0, DERIVATIVE_STEP));
        // Sums of probabilities may exceed 1 by rounding.
        let odds = beside.map_each(|root| root.re.clamp(0.0, 1.0));
        let mean =
            |root: Complex64| if root.re > 0.0 { root.im / DERIVATIVE_STEP / root.re } else { 0.0 };
        Packets { probabilities: odds, slots: beside.map_each(mean) }
    }
}

/// The chain of the fates of packets, and their mean durations in slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packets {
    pub(super) probabilities: Fates<f64>,
    pub(super) slots: Fates<f64>,
}

impl Packets {
    /// The odds of the fate of the next packet.
    pub(super) fn next_fate(&self, from: Slot) -> SlotDistribution {
        match from {
            Slot::Good => {
                SlotDistribution { good: self.probabilities.gg, bad: self.probabilities.gb }
            }
            Slot::Bad => {
                SlotDistribution { good: self.probabilities.bg, bad: self.probabilities.bb }
            }
        }
    }

    /// The odds of a packet's fate, given the odds of the channel before it.
    pub(super) fn first_fate(&self, before: SlotDistribution) -> SlotDistribution {
        SlotDistribution {
            good: before.good * self.probabilities.gg + before.bad * self.probabilities.bg,
            bad: before.good * self.probabilities.gb + before.bad * self.probabilities.bb,
        }
    }

    /// Mean number of slots that `counts` packets take.
    pub(super) fn mean_slots(&self, counts: Fates<u32>) -> f64 {
        counts
            .zip(self.slots)
            .to_array()
            .iter()
            .map(|&(count, slots)| f64::from(count) * slots)
            .sum()
    }

    /// Mean slots of phase one: the packets up to the next loss, the lost one included.
    pub(super) fn mean_phase_one_slots(&self, before: SlotDistribution) -> f64 {
        let by_fate = self.probabilities.zip(self.slots).map_each(|(odds, slots)| odds * slots);
        let first =
            before.good * (by_fate.gg + by_fate.gb) + before.bad * (by_fate.bg + by_fate.bb);
        let good = self.first_fate(before).good;
        first + (good / self.probabilities.gb - good) * self.slots.gg + good * self.slots.gb
    }

    /// The mean duration of the packets that last longest.
    pub(super) fn longest_mean_slots(&self) -> f64 {
        self.slots.to_array().into_iter().fold(0.0, f64::max)
    }
}

/// `1 + x + .. + x^(terms - 1)`, by doubling: `S(2m) = S(m) (1 + x^m)`.
fn geometric_sum(x: Complex64, terms: u32) -> Complex64 {
    let (mut total, mut power) = (Complex64::ZERO, Complex64::ONE);
    for bit in (0..u32::BITS - terms.leading_zeros()).rev() {
        (total, power) = (total * (1.0 + power), power * power);
        if terms >> bit & 1 == 1 {
            (total, power) = (1.0 + x * total, power * x);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: Channel = Channel { p_gb: 0.1, p_bg: 0.3 };

    /// One slot after the other: probability of each fate by slots, from a good or a bad slot.
    fn by_slots(link: Link, from: Slot) -> (Vec<f64>, Vec<f64>) {
        let most = (link.fragments * link.attempts) as usize + 1;
        let (mut ok, mut lost) = (vec![0.0; most], vec![0.0; most]);
        let mut open = vec![(0, 0, from, 0, 1.0)];
        while let Some((arrived, tried, last, slots, probability)) = open.pop() {
            let odds = link.channel.next_slot(last);
            if arrived + 1 == link.fragments {
                ok[slots + 1] += probability * odds.good;
            } else {
                open.push((arrived + 1, 0, Slot::Good, slots + 1, probability * odds.good));
            }
            if tried + 1 == link.attempts {
                lost[slots + 1] += probability * odds.bad;
            } else {
                open.push((arrived, tried + 1, Slot::Bad, slots + 1, probability * odds.bad));
            }
        }
        (ok, lost)
    }

    #[test]
    fn transforms_are_those_of_all_paths() {
        for (fragments, attempts) in [(1, 1), (1, 4), (4, 1), (3, 2), (2, 5)] {
            let link = Link { channel: CHANNEL, fragments, attempts };
            for z in [Complex64::new(1.0, 0.0), Complex64::new(0.3, 0.8)] {
                let at = |distribution: &[f64]| -> Complex64 {
                    distribution
                        .iter()
                        .enumerate()
                        .map(|(slots, &p)| p * z.powu(slots as u32))
                        .sum()
                };
                let (good, bad) = (by_slots(link, Slot::Good), by_slots(link, Slot::Bad));
                let paths = [at(&bad.1), at(&bad.0), at(&good.1), at(&good.0)];
                for (path, found) in paths.iter().zip(link.transforms(z).to_array()) {
                    assert!((path - found).l1_norm() < 1e-14, "{fragments} {attempts}");
                }
            }
        }
    }

    #[test]
    fn mean_slots_are_those_of_all_paths() {
        let link = Link { channel: CHANNEL, fragments: 3, attempts: 2 };
        let (ok, lost) = by_slots(link, Slot::Bad);
        let mean = |distribution: &[f64]| {
            let slots: f64 =
                distribution.iter().enumerate().map(|(slots, p)| slots as f64 * p).sum();
            slots / distribution.iter().sum::<f64>()
        };
        let packets = link.packets();
        assert!((packets.slots.bg - mean(&ok)).abs() < 1e-13);
        assert!((packets.slots.bb - mean(&lost)).abs() < 1e-13);
    }
}
