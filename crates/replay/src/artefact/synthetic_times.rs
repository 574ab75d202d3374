//! Packets that a program wrote, with times that count them: no host sent them, and no replay can be late or early.

use airtcp_capture::{AnswerTimes, Refusal, Segment};
use std::collections::BTreeMap;

/// Fewest records for which times are examined.
const MIN_RECORDS: usize = 5;
/// Nanoseconds of a gap that no burst has time after time.
const MIN_WRITTEN_GAP: i64 = 100_000;
/// Nanoseconds within which no host answers.
const FASTEST_ANSWER: i64 = 1_000;

/// Refuses times that no clock produced: all gaps between records are equal; or nine in ten are, and either both ends
/// answer instantly or the other gaps are whole multiples (other packets stood between).
pub(crate) fn check(segments: &[(bool, Segment)], place: AnswerTimes) -> Result<(), Refusal> {
    let mut gaps: BTreeMap<i64, usize> = BTreeMap::new();
    for pair in segments.windows(2) {
        *gaps.entry(pair[1].1.time.saturating_sub(pair[0].1.time)).or_default() += 1;
    }
    let Some((&gap, &often)) = gaps.iter().max_by_key(|gap| gap.1) else { return Ok(()) };
    let at_once =
        [place.sender, place.receiver].into_iter().flatten().all(|took| took <= FASTEST_ANSWER);
    let counted = gap >= MIN_WRITTEN_GAP && gaps.keys().all(|&other| other > 0 && other % gap == 0);
    let all = segments.len() - 1;
    if segments.len() < MIN_RECORDS
        || often < all && (often * 10 < all * 9 || !(at_once || counted))
    {
        return Ok(());
    }
    Err(Refusal::Content(format!(
        "has times that no clock gave: {often} of {all} records are {:.6} s after the one before, as a program writes them",
        gap as f64 / 1e9
    )))
}
