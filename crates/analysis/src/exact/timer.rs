//! The rest of a timer after the last packet has been sent.
//!
//! The time on the air since the timer's start is a sum of durations that are independent given the
//! fates of the packets: its transform is a product, one factor for each pair of fates. With one
//! slot a packet it is known. Otherwise the transform at points on a circle gives the means of
//! functions that vanish from the timer's end on, as weighted sums over the points: a discrete
//! Fourier transform, inverted and applied at once.
//!
//! A timer that is over before the last packet has been sent has no rest: the sender goes on at
//! once. The solution reports how often that happens.

use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::{LN_10, TAU};

use num_complex::Complex64;

use super::channel::{Channel, Slot, SlotDistribution};
use super::link::{Fates, Link};

/// Weight of the probability of times beyond the number of points, as a power of ten.
const ALIASING_EXPONENT: f64 = -7.0;

/// A timer over a link.
#[derive(Clone, Debug)]
pub(super) struct Timer {
    channel: Channel,
    pub(super) slots: u64,
    transform: Option<RefCell<UnitCircleTransform>>,
}

/// The wait that follows the last packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimerWait {
    /// The channel in the timer's last slot.
    pub(super) last_slot: SlotDistribution,
    /// Mean slots without a transmission.
    pub(super) idle_slots: f64,
    /// Probability that the timer was over before the last packet was sent.
    pub(super) late_probability: f64,
}

impl Timer {
    pub(super) fn new(link: Link, slots: u64) -> Self {
        let circle =
            (!link.is_plain()).then(|| RefCell::new(UnitCircleTransform::new(link, slots)));
        Self { channel: link.channel, slots, transform: circle }
    }

    /// True if the means come from transforms, with their error.
    pub(super) fn is_transformed(&self) -> bool {
        self.transform.is_some()
    }

    /// The wait after the packets `sent` since the timer's start, the last one with fate `last`.
    pub(super) fn wait_after(&self, sent: Fates<u32>, last: Slot) -> TimerWait {
        let Some(circle) = &self.transform else { return self.wait_in_slots(sent, last) };
        let [forgot, idle, early] = circle.borrow_mut().means(sent);
        let good = self.channel.p_bg / (self.channel.p_bg + self.channel.p_gb);
        let before = match last {
            Slot::Bad => SlotDistribution { good: good * forgot, bad: 1.0 - good * forgot },
            Slot::Good => {
                SlotDistribution { good: 1.0 - (1.0 - good) * forgot, bad: (1.0 - good) * forgot }
            }
        };
        TimerWait { last_slot: before, idle_slots: idle, late_probability: 1.0 - early }
    }

    fn wait_in_slots(&self, sent: Fates<u32>, last: Slot) -> TimerWait {
        let idle = self.slots - u64::from(sent.to_array().iter().sum::<u32>());
        TimerWait {
            last_slot: self.channel.slot_after(last, idle),
            idle_slots: idle as f64,
            late_probability: 0.0,
        }
    }
}

/// The points on the circle, with the transforms and weights there.
#[derive(Clone, Debug)]
struct UnitCircleTransform {
    /// For each pair of fates, powers of the transform given them, as far as asked for.
    powers: [Vec<Vec<Complex64>>; 4],
    /// Weights for the means of `1 - lambda^(T - t)`, `T - t` and 1 at times t < T.
    weights: [Vec<Complex64>; 3],
    longest_wait: f64,
    cache: HashMap<Fates<u32>, [f64; 3]>,
}

impl UnitCircleTransform {
    fn new(link: Link, slots: u64) -> Self {
        let size = 2 * (slots / 2 + 1);
        // The upper half of the circle; the other points are conjugates.
        let points: Vec<Complex64> = (0..=size / 2).map(|j| circle_point(1, j, size)).collect();
        let odds = link.packets().probabilities.to_array();
        let mut powers = odds.map(|_| vec![vec![Complex64::ONE; points.len()], Vec::new()]);
        for &z in &points {
            for ((list, root), odds) in
                powers.iter_mut().zip(link.transforms(z).to_array()).zip(odds)
            {
                list[1].push(if odds > 0.0 { root / odds } else { Complex64::ZERO });
            }
        }
        Self {
            powers,
            weights: circle_weights(link.channel, slots, size),
            longest_wait: slots as f64,
            cache: HashMap::new(),
        }
    }

    fn means(&mut self, sent: Fates<u32>) -> [f64; 3] {
        if let Some(&known) = self.cache.get(&sent) {
            return known;
        }
        let found = self.transform_sums(sent);
        self.cache.insert(sent, found);
        found
    }

    fn transform_sums(&mut self, sent: Fates<u32>) -> [f64; 3] {
        let counts = sent.to_array().map(|count| count as usize);
        for (powers, count) in self.powers.iter_mut().zip(counts) {
            extend_powers(powers, count);
        }
        let [bb, bg, gb, gg] = [0, 1, 2, 3].map(|pair| &self.powers[pair][counts[pair]]);
        let [forgotten, left, all] = &self.weights;
        let mut total = [0.0; 3];
        for j in 0..all.len() {
            let distribution = bb[j] * bg[j] * gb[j] * gg[j];
            for (sum, weight) in total.iter_mut().zip([forgotten[j], left[j], all[j]]) {
                *sum += weight.re * distribution.re - weight.im * distribution.im;
            }
        }
        let [forgot, idle, early] = total;
        [forgot.clamp(0.0, 1.0), idle.clamp(0.0, self.longest_wait), early.clamp(0.0, 1.0)]
    }
}

/// Extends a list of powers up to `count`.
fn extend_powers(powers: &mut Vec<Vec<Complex64>>, count: usize) {
    while powers.len() <= count {
        let last = &powers[powers.len() - 1];
        let next = last.iter().zip(&powers[1]).map(|(power, root)| power * root).collect();
        powers.push(next);
    }
}

/// `z^exponent` of the point z with number `j`.
fn circle_point(exponent: i64, j: u64, size: u64) -> Complex64 {
    let turns = (i128::from(exponent) * i128::from(j)).rem_euclid(i128::from(size)) as f64;
    let angle = TAU * turns / size as f64;
    let radius = libm::exp(LN_10 * ALIASING_EXPONENT * exponent as f64 / size as f64);
    Complex64::new(radius * libm::cos(angle), radius * libm::sin(angle))
}

/// `sum_t f(t) z^-t` over t < T, by geometric sums, for the three functions f.
fn circle_weights(channel: Channel, slots: u64, size: u64) -> [Vec<Complex64>; 3] {
    let lambda = 1.0 - channel.p_gb - channel.p_bg;
    let end = slots as i64;
    let forgetting = libm::pow(lambda, slots as f64);
    let mut found = [const { Vec::new() }; 3];
    for j in 0..=size / 2 {
        let (w, power) = (circle_point(-1, j, size), circle_point(-end, j, size));
        let root = (power - 1.0) / (w - 1.0);
        let left = (w * root - slots as f64) / (w - 1.0);
        let correlated = (power - forgetting) / (w - lambda) * lambda;
        let twice = if j == 0 || j == size / 2 { 1.0 } else { 2.0 };
        let scale = twice / size as f64;
        for (list, weight) in found.iter_mut().zip([root - correlated, left, root]) {
            list.push(weight * scale);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: Channel = Channel { p_gb: 0.1, p_bg: 0.3 };

    fn near(timer_wait: TimerWait, other: TimerWait, tolerance: f64) -> bool {
        let slots = (timer_wait.idle_slots - other.idle_slots).abs() < 10.0 * tolerance;
        let odds = (timer_wait.last_slot.good - other.last_slot.good).abs()
            + (timer_wait.late_probability - other.late_probability).abs();
        slots
            && odds < tolerance
            && (timer_wait.last_slot.good + timer_wait.last_slot.bad - 1.0).abs() < 1e-15
    }

    #[test]
    fn one_slot_a_packet_is_known_without_the_circle() {
        let link = Link { channel: CHANNEL, fragments: 1, attempts: 1 };
        let (plain, mut general) = (Timer::new(link, 60), Timer::new(link, 60));
        general.transform = Some(RefCell::new(UnitCircleTransform::new(link, 60)));
        for sent in [Fates { bb: 1, bg: 3, gb: 4, gg: 20 }, Fates { bb: 50, ..Fates::default() }] {
            for last in [Slot::Good, Slot::Bad] {
                assert!(near(plain.wait_after(sent, last), general.wait_after(sent, last), 1e-8));
            }
        }
    }

    /// Three lost packets of one fragment and two attempts take two slots each after a loss; one
    /// that arrives after a loss takes one slot with probability r / (r + q r), or two.
    #[test]
    fn random_times_and_timers_that_are_over() {
        let link = Link { channel: CHANNEL, fragments: 1, attempts: 2 };
        let sent = Fates { bb: 3, bg: 1, ..Fates::default() };
        let (short, good) = (1.0 / 1.7, 0.75);
        for (slots, left, late) in
            [(10, [3.0, 2.0], 0.0), (8, [1.0, 0.0], 1.0 - short), (7, [0.0, 0.0], 1.0)]
        {
            let forgot = |left: f64| 1.0 - libm::pow(0.6, left);
            let mean = |a: f64, b: f64| short * a + (1.0 - short) * b;
            let bad = (1.0 - good) * mean(forgot(left[0]), forgot(left[1]));
            let wait = TimerWait {
                last_slot: SlotDistribution { good: 1.0 - bad, bad },
                idle_slots: mean(left[0], left[1]),
                late_probability: late,
            };
            let found = Timer::new(link, slots).wait_after(sent, Slot::Good);
            // Aliased probability counts with a weight of 1e-7.
            assert!(near(found, wait, 1e-8 + 1e-7 * late), "{found:?} {wait:?}");
        }
    }
}
