//! Timestamps [RFC 7323] beside the clock of a capture: they count on whatever the clock is set to.
//!
//! A host sends a segment as soon as it has stamped it, so that the stamps of the sender, where a capture is taken, are
//! a second clock. Stamps of the peer come after the time on the way, which varies; they count where the sender has
//! none, before its first stamp and after its last.

use super::step::{MIN_STEP, Step};
use airtcp_capture::Segment;
use airtcp_capture::distance;

/// Stamps on either side of a step that must agree.
const NEIGHBOURS: usize = 4;
/// Fewest and most timestamps of the peer from which the variation of the network delay is estimated.
const MIN_PEER_STAMPS: usize = 4;
const MAX_PEER_STAMPS: usize = 64;
/// A step must be at least this many times as large as the variation.
const STEP_TO_VARIATION: i64 = 3;
/// Units in which hosts count timestamps, in ns: Linux has 1 ms, before 4.13 its ticks.
const UNITS: [i64; 4] = [1_000_000, 4_000_000, 10_000_000, 2_000_000];
/// Fewest timestamp ticks that distinguish the units reliably.
const MIN_COUNTS: i64 = 16;

/// Places at which the clock parts from timestamps for good.
pub(super) fn clock_steps(segments: &[(bool, Segment)]) -> Vec<Step> {
    let mut offsets = match sender_unit(segments) {
        Some(unit) => steps_by_sender_stamps(segments, &clock_offsets(segments, unit, sent_stamp)),
        None => vec![],
    };
    offsets.extend(steps_by_peer_stamps(segments, &offsets));
    offsets.sort_unstable();
    offsets
}

/// Steps shown by the sender's timestamps.
fn steps_by_sender_stamps(segments: &[(bool, Segment)], stamps: &[(usize, i64)]) -> Vec<Step> {
    let (mut steps, mut at) = (vec![], 1);
    while at < stamps.len() {
        let before = extremes(&stamps[at.saturating_sub(NEIGHBOURS)..at]);
        let after = extremes(&stamps[at..stamps.len().min(at + NEIGHBOURS)]);
        let tight = before.1 - before.0 < MIN_STEP / 2 && after.1 - after.0 < MIN_STEP / 2;
        let by = after.0.saturating_sub(before.0);
        if tight && by.saturating_abs() > MIN_STEP {
            steps.push((step_position(segments, stamps[at - 1].0, stamps[at].0, by), by));
            at += NEIGHBOURS;
        } else {
            at += 1;
        }
    }
    steps
}

/// Steps shown by the peer's timestamps before the sender's first timestamp and after its last; `known` steps are
/// subtracted first.
fn steps_by_peer_stamps(segments: &[(bool, Segment)], known: &[Step]) -> Vec<Step> {
    let Some(unit) = peer_unit(segments) else { return vec![] };
    let mut stamps = clock_offsets(segments, unit, received_stamp);
    for (at, offset) in &mut stamps {
        let its = known.iter().filter(|step| step.0 <= *at).map(|step| step.1);
        *offset = offset.saturating_sub(its.sum());
    }
    let is_own = |at: &usize| sent_stamp(&segments[*at]).is_some();
    let first = (0..segments.len()).find(is_own).unwrap_or(segments.len());
    let last = (0..segments.len()).rfind(is_own).unwrap_or(0);
    let by = (1..stamps.len())
        .filter(|&at| stamps[at - 1].0 < first || stamps[at].0 > last)
        .filter_map(|at| Some((peer_step_at(&stamps, at)?, at)));
    let largest = by.max_by_key(|(by, _)| by.saturating_abs());
    let step = |(by, at): (i64, usize)| {
        let (before, after) = (stamps[at - 1].0, stamps[at].0);
        let before = if after > last { before.max(last) } else { before };
        (step_position(segments, before, after.min(first.max(before + 1)), by), by)
    };
    largest.map(step).into_iter().collect()
}

/// Step (ns) of the clock just before the timestamp at `at`, if it is larger than the variation of the network delay.
fn peer_step_at(stamps: &[(usize, i64)], at: usize) -> Option<i64> {
    let before = extremes(&stamps[at.saturating_sub(MAX_PEER_STAMPS)..at]);
    let after = extremes(&stamps[at..stamps.len().min(at + MAX_PEER_STAMPS)]);
    let varies = (before.1 - before.0).max(after.1 - after.0);
    let is_known = at.max(stamps.len() - at) >= MIN_PEER_STAMPS;
    let by = after.0.saturating_sub(before.0);
    (is_known && by.saturating_abs() > MIN_STEP.max(varies.saturating_mul(STEP_TO_VARIATION)))
        .then_some(by)
}

/// Least and most.
fn extremes(stamps: &[(usize, i64)]) -> (i64, i64) {
    let all = stamps.iter().map(|offset| offset.1);
    (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
}

/// Between two records, the one before which the clock was set: where the time between two is nearest to the step.
fn step_position(segments: &[(bool, Segment)], before: usize, after: usize, by: i64) -> usize {
    let gap = |at: usize| segments[at].1.time.saturating_sub(segments[at - 1].1.time);
    (before + 1..=after)
        .min_by_key(|&at| gap(at).saturating_sub(by).saturating_abs())
        .unwrap_or(after)
}

/// A time and a stamp, of a segment that the sender sent.
pub(super) fn sent_stamp((outgoing, segment): &(bool, Segment)) -> Option<(i64, u32)> {
    segment.options.timestamps.filter(|_| *outgoing).map(|(value, _)| (segment.time, value))
}

/// A time and a stamp, of a segment that arrived.
fn received_stamp((outgoing, segment): &(bool, Segment)) -> Option<(i64, u32)> {
    segment.options.timestamps.filter(|_| !outgoing).map(|(value, _)| (segment.time, value))
}

/// For each timestamp, the clock time (ns, up to a constant) at which its count was zero.
fn clock_offsets(
    segments: &[(bool, Segment)],
    unit: i64,
    stamp: impl Fn(&(bool, Segment)) -> Option<(i64, u32)>,
) -> Vec<(usize, i64)> {
    let mut first: Option<(i64, u32)> = None;
    let mut offsets = vec![];
    for (at, record) in segments.iter().enumerate() {
        let Some((time, value)) = stamp(record) else { continue };
        let (start, zero) = *first.get_or_insert((time, value));
        let passed = i64::from(distance(value, zero));
        offsets.push((at, time.saturating_sub(start).saturating_sub(passed * unit)));
    }
    offsets
}

/// Unit in which the sender counts, in ns: the one with which clock and count agree best between neighbours.
pub(super) fn sender_unit(segments: &[(bool, Segment)]) -> Option<i64> {
    let stamps: Vec<(i64, u32)> = segments.iter().filter_map(sent_stamp).collect();
    let agrees = |unit: i64| {
        stamps.windows(2).filter(|pair| clock_deviation(pair, unit) <= 2 * unit).count()
    };
    let best = UNITS.into_iter().max_by_key(|&unit| (agrees(unit), -unit))?;
    (stamps.len() > 2 * NEIGHBOURS && agrees(best) * 10 > stamps.len() * 8).then_some(best)
}

/// Unit in which the sender surely counts, in ns: from the first stamp to the last as many pass as the clock shows.
pub(crate) fn confirmed_unit(segments: &[(bool, Segment)]) -> Option<i64> {
    let mut stamps = segments.iter().filter_map(sent_stamp);
    let (first, last) = (stamps.next()?, stamps.next_back()?);
    let counts = i64::from(distance(last.1, first.1));
    let passed = last.0.saturating_sub(first.0);
    UNITS.into_iter().find(|&unit| {
        let by_stamps = counts.saturating_mul(unit);
        counts >= MIN_COUNTS && passed.saturating_sub(by_stamps).saturating_abs() <= by_stamps / 8
    })
}

/// Unit of the peer's timestamps: the one with the smallest deviation between clock and count, which on average must
/// not exceed the variation of the network delay.
fn peer_unit(segments: &[(bool, Segment)]) -> Option<i64> {
    let stamps: Vec<(i64, u32)> = segments.iter().filter_map(received_stamp).collect();
    let parts = |unit: i64| {
        stamps.windows(2).map(|pair| clock_deviation(pair, unit).min(MIN_STEP)).sum::<i64>()
    };
    let best = UNITS.into_iter().min_by_key(|&unit| (parts(unit), unit))?;
    (stamps.len() > MIN_PEER_STAMPS && parts(best) / (stamps.len() as i64) < MIN_STEP / 4)
        .then_some(best)
}

/// Deviation (ns) between clock and timestamp count over two timestamps.
fn clock_deviation(pair: &[(i64, u32)], unit: i64) -> i64 {
    let passed = i64::from(distance(pair[1].1, pair[0].1)) * unit;
    pair[1].0.saturating_sub(pair[0].0).saturating_sub(passed).saturating_abs()
}
