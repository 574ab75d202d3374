//! A second implementation of the protocol rules, slot by slot, as a Markov chain on everything the
//! sender, the receiver and the channel know at the end of a slot. It is slow, and for small
//! windows only: the window is a real number in the state and the timer counts down.

use std::collections::HashMap;

use airtcp_analysis::exact::{Problem, Variant};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Sends `una` in every slot. The window is stored as the bits of an `f64`.
    Grow { threshold: u32, window: u64 },
    /// `una` is lost; sends as much as the window still allows.
    Burst { window: u64, sent: u32, dups: u32 },
    /// Resends `una`, which is `hole` packets after the packet whose loss began this.
    Resend { half: u32, clock: u32, last: u32, hole: u32, good: u32 },
    /// SACK: resends `una + next`; the timer of `una` has this many slots left, and the window ends
    /// this many packets beyond `una`.
    Repair { half: u32, left: u64, window_end: u32, next: u32, good: u32 },
    /// Silent for this many more slots.
    Wait { left: u64, threshold: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Machine {
    pub(crate) good: bool,
    /// Bit j: packet `una + j` is held.
    pub(crate) held: u32,
    pub(crate) stage: Stage,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sent: f64,
    pub(crate) delivered: f64,
    pub(crate) timeouts: f64,
    pub(crate) fast: f64,
}

/// The state after the next slot, given its channel state.
pub(crate) fn step(problem: &Problem, from: Machine, good: bool) -> (Machine, Tally) {
    let mut tally = Tally::default();
    let mut next = Machine { good, ..from };
    if !matches!(from.stage, Stage::Wait { .. }) {
        tally.sent = 1.0;
    }
    match from.stage {
        Stage::Grow { threshold, window } => {
            let window = f64::from_bits(window);
            if good {
                tally.delivered = 1.0;
                deliver_una(&mut next);
                let step = if window < f64::from(threshold) { 1.0 } else { 1.0 / window };
                let window = (window + step).min(f64::from(problem.window)).to_bits();
                next.stage = Stage::Grow { threshold, window };
            } else {
                let window = window.to_bits();
                burst(problem, &mut next, &mut tally, window, 0, 0);
            }
        }
        Stage::Burst { window, mut sent, mut dups } => {
            sent += 1;
            if good {
                dups += 1;
                if next.held >> sent & 1 == 0 {
                    tally.delivered = 1.0;
                    next.held |= 1 << sent;
                }
            }
            burst(problem, &mut next, &mut tally, window, sent, dups);
        }
        Stage::Resend { .. } => resend(problem, &mut next, &mut tally, good),
        Stage::Repair { .. } => repair(problem, &mut next, &mut tally, good),
        Stage::Wait { left, threshold } => wait(&mut next, left - 1, threshold),
    }
    (next, tally)
}

fn burst(p: &Problem, next: &mut Machine, tally: &mut Tally, window: u64, sent: u32, dups: u32) {
    let half = (f64::from_bits(window) / 2.0).ceil() as u32;
    if p.variant != Variant::OldTahoe && dups == p.dupacks {
        tally.fast = 1.0;
        next.stage = match p.variant {
            Variant::Tahoe => Stage::Grow { threshold: half, window: 1_f64.to_bits() },
            Variant::Sack => {
                let left = p.timeout - 1 - u64::from(sent);
                Stage::Repair { half, left, window_end: sent, next: 0, good: 0 }
            }
            _ => Stage::Resend { half, clock: sent, last: sent, hole: 0, good: 0 },
        };
    } else if sent + 1 == f64::from_bits(window).floor() as u32 {
        tally.timeouts = 1.0;
        wait(next, p.timeout - 1 - u64::from(sent), half);
    } else {
        next.stage = Stage::Burst { window, sent, dups };
    }
}

fn resend(p: &Problem, next: &mut Machine, tally: &mut Tally, arrives: bool) {
    let Stage::Resend { half, mut clock, last, mut hole, mut good } = next.stage else {
        unreachable!()
    };
    clock += 1;
    if arrives {
        tally.delivered = 1.0;
        good += 1;
        hole += deliver_una(next);
        if hole > last {
            next.stage = Stage::Grow { threshold: half, window: f64::from(half).to_bits() };
            return;
        }
        if p.variant == Variant::NewReno {
            next.stage = Stage::Resend { half, clock, last, hole, good };
            return;
        }
    }
    tally.timeouts = 1.0;
    let window = f64::from((half + p.dupacks + good).min(p.window));
    let expiry = p.timeout + u64::from(hole) - 1;
    wait(next, expiry - u64::from(clock), (window / 2.0).ceil() as u32);
}

/// Resends one hole after the other; a lost one is not sent again before its timer expires.
fn repair(p: &Problem, machine: &mut Machine, tally: &mut Tally, arrives: bool) {
    let Stage::Repair { half, mut left, mut window_end, mut next, mut good } = machine.stage else {
        unreachable!()
    };
    left -= 1;
    good += u32::from(arrives);
    if arrives {
        tally.delivered = 1.0;
    }
    if arrives && next == 0 {
        let moved = deliver_una(machine);
        left += u64::from(moved); // the timer of the new `una` began so many slots later
        if moved > window_end {
            machine.stage = Stage::Grow { threshold: half, window: f64::from(half).to_bits() };
            return;
        }
        window_end -= moved;
    } else {
        machine.held |= u32::from(arrives) << next;
        next = (next + 1..).find(|offset| machine.held >> offset & 1 == 0).unwrap();
    }
    if next > window_end || left == 0 {
        tally.timeouts = 1.0;
        let window = (half + p.dupacks + good).min(p.window);
        wait(machine, left, window.div_ceil(2));
    } else {
        machine.stage = Stage::Repair { half, left, window_end, next, good };
    }
}

fn wait(next: &mut Machine, left: u64, threshold: u32) {
    next.stage = if left == 0 {
        Stage::Grow { threshold, window: 1_f64.to_bits() }
    } else {
        Stage::Wait { left, threshold }
    };
}

/// Delivers `una`; returns by how much it moved.
fn deliver_una(machine: &mut Machine) -> u32 {
    let mut moved = 0;
    loop {
        machine.held >>= 1;
        moved += 1;
        if machine.held & 1 == 0 {
            return moved;
        }
    }
}

pub(crate) struct Chain {
    pub(crate) states: Vec<Machine>,
    pub(crate) index: HashMap<Machine, usize>,
    /// For each state, its successors after a good and after a bad slot.
    pub(crate) next: Vec<[(usize, f64, Tally); 2]>,
}

impl Chain {
    pub(crate) fn new(problem: &Problem) -> Self {
        let threshold = problem.window.div_ceil(2);
        let stage = Stage::Grow { threshold, window: 1_f64.to_bits() };
        let start = Machine { good: true, held: 0, stage };
        let mut chain =
            Self { states: vec![start], index: HashMap::from([(start, 0)]), next: Vec::new() };
        while chain.next.len() < chain.states.len() {
            let from = chain.states[chain.next.len()];
            let p_good = if from.good { 1.0 - problem.p_gb } else { problem.p_bg };
            let next = [(true, p_good), (false, 1.0 - p_good)].map(|(good, probability)| {
                if probability == 0.0 {
                    return (0, 0.0, Tally::default());
                }
                let (machine, tally) = step(problem, from, good);
                (chain.intern(machine), probability, tally)
            });
            chain.next.push(next);
        }
        chain
    }

    fn intern(&mut self, machine: Machine) -> usize {
        let fresh = self.states.len();
        let index = *self.index.entry(machine).or_insert(fresh);
        if index == fresh {
            self.states.push(machine);
        }
        index
    }

    /// Stationary distribution by Gauss-Seidel sweeps.
    pub(crate) fn stationary(&self) -> Vec<f64> {
        let size = self.states.len();
        let mut into = vec![Vec::new(); size];
        let mut stay = vec![0.0; size];
        for (from, next) in self.next.iter().enumerate() {
            for &(to, probability, _) in next {
                if to == from {
                    stay[from] += probability;
                } else if probability > 0.0 {
                    into[to].push((from, probability));
                }
            }
        }
        let mut distribution = vec![1.0 / size as f64; size];
        for _ in 0..100_000 {
            let mut change = 0.0_f64;
            for state in 0..size {
                let inflow: f64 = into[state].iter().map(|&(from, p)| distribution[from] * p).sum();
                let visits = inflow / (1.0 - stay[state]);
                change += (visits - distribution[state]).abs();
                distribution[state] = visits;
            }
            let sum: f64 = distribution.iter().sum();
            distribution.iter_mut().for_each(|share| *share /= sum);
            if change < 1e-15 * size as f64 {
                break;
            }
        }
        distribution
    }

    /// Long-run rates per slot.
    pub(crate) fn rates(&self, distribution: &[f64]) -> Tally {
        let mut rates = Tally::default();
        for (share, next) in distribution.iter().zip(&self.next) {
            for (_, probability, tally) in next {
                let weight = share * probability;
                rates.sent += weight * tally.sent;
                rates.delivered += weight * tally.delivered;
                rates.timeouts += weight * tally.timeouts;
                rates.fast += weight * tally.fast;
            }
        }
        rates
    }
}
