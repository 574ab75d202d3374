//! Losses drawn from a chain.

use airtcp_core::{Cancel, Stream};

/// The fates (1 = lost) of packets that meet a chain, given `transition` row by row, `loss` and the `shares` of the
/// states at the start of each piece; `gaps` and `starts` as in [`super::Ways`].
#[must_use]
pub fn simulate(
    (transition, loss, shares): (&[f64], &[f64], &[f64]),
    gaps: Option<&[u32]>,
    (n, starts): (usize, &[usize]),
    stream: &mut Stream,
    cancel: &Cancel,
) -> Vec<u8> {
    let states = loss.len();
    let leaves = |state: usize| (0..states).filter(move |to| *to != state);
    let stays: Vec<Stay> = (0..states)
        .map(|state| {
            let row = &transition[state * states..(state + 1) * states];
            let leaving: f64 = leaves(state).map(|to| row[to]).sum();
            let next = (0..states).map(|to| if to == state { 0.0 } else { row[to] / leaving });
            Stay { inverse_log: 1.0 / libm::log1p(-leaving.min(1.0)), next: next.collect() }
        })
        .collect();
    let ends = starts.iter().skip(1).copied().chain([n]);
    let mut fates = Vec::with_capacity(n);
    for (&start, end) in starts.iter().zip(ends) {
        let mut walk = Walk { stays: &stays, state: pick(shares, stream), until: 0 };
        walk.until = walk.sojourn(stream);
        let mut position = 0_u64;
        for i in start..end {
            if i > start {
                position += gaps.map_or(1, |gaps| u64::from(gaps[i]));
            }
            if i % 4096 == 0 && cancel.is_set() {
                return fates;
            }
            while walk.until <= position {
                walk.state = pick(&stays[walk.state].next, stream);
                walk.until = walk.until.saturating_add(walk.sojourn(stream));
            }
            let p = loss[walk.state];
            fates.push(u8::from(p > 0.0 && (p >= 1.0 || stream.chance(p))));
        }
    }
    fates
}

struct Stay {
    /// 1 / log P(stays).
    inverse_log: f64,
    next: Vec<f64>,
}

struct Walk<'a> {
    stays: &'a [Stay],
    state: usize,
    /// First step at which the state is another.
    until: u64,
}

impl Walk<'_> {
    /// Length of a sojourn that begins: geometric, by inversion.
    fn sojourn(&self, stream: &mut Stream) -> u64 {
        let steps = libm::log1p(-stream.uniform()) * self.stays[self.state].inverse_log;
        // One that is never left gives an infinity or a NaN, which a cast would make 0.
        if steps < 1e18 { (steps.max(0.0) as u64) + 1 } else { u64::MAX }
    }
}

/// A state by its probability.
fn pick(shares: &[f64], stream: &mut Stream) -> usize {
    let mut left = stream.uniform();
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    let last = || shares.iter().rposition(|share| *share > 0.0);
    found.or_else(last).unwrap_or(0)
}
