//! Losses drawn from a chain.

use airtcp_core::{Cancel, Stream};

/// Packets between two looks at the flag.
const PACKETS_PER_CHECK: usize = 1 << 12;

/// The numbers of the packets that a chain loses, given `transition` row by row, `loss`, and the
/// `shares` of the states at the start of each piece; `gaps` and `starts` as in [`super::PacketFates`].
#[must_use]
pub fn simulate(
    (transition, loss, shares): (&[f64], &[f64], &[f64]),
    gaps: Option<&[u32]>,
    (n, starts): (usize, &[usize]),
    stream: &mut Stream,
    cancel: &Cancel,
) -> Vec<u64> {
    let states = (0..loss.len()).map(|state| State::from_row(state, transition, loss));
    let mut walk = Walk { states: states.collect(), state: 0, state_end: 0, stream, lost: vec![] };
    let ends = starts.iter().skip(1).copied().chain([n]);
    for (&start, end) in starts.iter().zip(ends) {
        walk.state = draw_index(shares, walk.stream);
        walk.state_end = walk.sojourn();
        match gaps {
            Some(gaps) => walk.walk_gaps(gaps, (start, end), cancel),
            None => walk.walk_packets((start, end), cancel),
        }
    }
    walk.lost
}

struct State {
    loss: f64,
    /// 1 / log P(stays), 1 / log P(arrives).
    log_stay: f64,
    log_arrive: f64,
    next_state_shares: Vec<f64>,
}

impl State {
    fn from_row(state: usize, transition: &[f64], loss: &[f64]) -> Self {
        let k = loss.len();
        let mut next = transition[state * k..(state + 1) * k].to_vec();
        next[state] = 0.0;
        let leaves: f64 = next.iter().sum();
        next.iter_mut().for_each(|p| *p /= leaves);
        let inverse_log = |p: f64| 1.0 / libm::log1p(-p.min(1.0));
        let loss = loss[state];
        State {
            loss,
            log_stay: inverse_log(leaves),
            log_arrive: inverse_log(loss),
            next_state_shares: next,
        }
    }
}

struct Walk<'a> {
    states: Vec<State>,
    state: usize,
    /// First step of a piece at which the state is another.
    state_end: u64,
    stream: &'a mut Stream,
    lost: Vec<u64>,
}

impl Walk<'_> {
    fn walk_gaps(&mut self, gaps: &[u32], (start, end): (usize, usize), cancel: &Cancel) {
        let mut step = 0_u64;
        for (i, gap) in (start..end).zip(&gaps[start..end]) {
            step += if i > start { u64::from(*gap) } else { 0 };
            while self.state_end <= step {
                self.leave_state();
            }
            let p = self.states[self.state].loss;
            if p > 0.0 && (p >= 1.0 || self.stream.chance(p)) {
                self.lost.push(i as u64);
            }
            if i % PACKETS_PER_CHECK == 0 && cancel.is_set() {
                return;
            }
        }
    }

    /// Draws how long stays are and how many packets arrive until the next is lost, so that what arrives costs nothing.
    fn walk_packets(&mut self, (start, end): (usize, usize), cancel: &Cancel) {
        let (length, mut step, mut rounds) = ((end - start) as u64, 0_u64, 0);
        while step < length {
            let stop = self.state_end.min(length);
            let arrives = self.states[self.state].log_arrive;
            while self.states[self.state].loss > 0.0 {
                step = step.saturating_add(geometric(arrives, self.stream));
                if step >= stop {
                    break;
                }
                self.lost.push(start as u64 + step);
                step += 1;
                rounds += 1;
            }
            step = stop;
            self.leave_state();
            rounds += 1;
            if rounds >= PACKETS_PER_CHECK {
                rounds = 0;
                if cancel.is_set() {
                    return;
                }
            }
        }
    }

    fn leave_state(&mut self) {
        self.state = draw_index(&self.states[self.state].next_state_shares, self.stream);
        self.state_end = self.state_end.saturating_add(self.sojourn());
    }

    fn sojourn(&mut self) -> u64 {
        geometric(self.states[self.state].log_stay, self.stream).saturating_add(1)
    }
}

/// Trials that fail before one succeeds, by inversion; of what never succeeds, more than there can be.
fn geometric(inverse_log: f64, stream: &mut Stream) -> u64 {
    let failed = libm::log1p(-stream.uniform()) * inverse_log;
    // A probability of success of 0 gives an infinity or a NaN, which a cast would make 0.
    if failed < 1e18 { failed.max(0.0) as u64 } else { u64::MAX }
}

/// A state by its probability.
fn draw_index(shares: &[f64], stream: &mut Stream) -> usize {
    let mut left = stream.uniform();
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    let last = || shares.iter().rposition(|share| *share > 0.0);
    found.or_else(last).unwrap_or(0)
}
