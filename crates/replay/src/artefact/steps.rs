//! Steps of a clock that was set during the capture: the recorded times jump, the timestamps of the hosts do not.
//!
//! Timestamps show a step (see `stamps`). Without timestamps, a step shows as times that go back permanently, or as a
//! gap in which the sender would have retransmitted outstanding data (see `silence`).

use super::silence::SilenceCheck;
use super::stamps;
use super::step::{MIN_STEP, Step};
use airtcp_capture::Segment;
use airtcp_capture::distance;
use std::collections::BTreeSet;
use std::ops::Range;

/// Records before a time that goes back which are asked.
const LOOKBACK: usize = 64;
/// Nanoseconds; no buffer delays a record by more.
const MAX_BUFFERING: i64 = 5_000_000;

/// Evidence that distinguishes a step of the clock from a record out of order.
pub(crate) struct Evidence {
    /// The unit of the sender's timestamps.
    unit: Option<i64>,
    /// Numbers with which the sender sent more than once.
    repeated: BTreeSet<u32>,
}

impl Evidence {
    pub(crate) fn from_segments(segments: &[(bool, Segment)]) -> Self {
        let mut seen = BTreeSet::new();
        let sent = segments
            .iter()
            .filter(|record| record.0 && record.1.length > 0)
            .map(|record| record.1.seq);
        let repeated = sent.filter(|&seq| !seen.insert(seq)).collect();
        Evidence { unit: stamps::sender_unit(segments), repeated }
    }

    /// Returns true if the records of `stretch` have earlier times because the clock was set back before them.
    pub(crate) fn is_step(&self, segments: &[(bool, Segment)], stretch: &Range<usize>) -> bool {
        let by_stamps = self.unit.and_then(|unit| {
            let before = segments[..stretch.start]
                .iter()
                .rev()
                .take(LOOKBACK)
                .find_map(stamps::sent_stamp)?;
            let after = segments[stretch.clone()].iter().find_map(stamps::sent_stamp)?;
            let passed = i64::from(distance(after.1, before.1)) * unit;
            Some(
                after.0.saturating_sub(before.0).saturating_sub(passed).saturating_abs() > MIN_STEP,
            )
        });
        by_stamps.unwrap_or_else(|| self.is_step_by_numbers(segments, stretch))
    }

    /// Returns true if sorting by time would be worse than the order of the file: data acknowledged before they are
    /// sent, or data or ACK numbers that go back. If neither is worse, buffers explain one record a long way back, but
    /// not several.
    fn is_step_by_numbers(&self, segments: &[(bool, Segment)], stretch: &Range<usize>) -> bool {
        let latest = segments[stretch.start - 1].1.time;
        let late: Vec<_> =
            segments[stretch.clone()].iter().filter(|record| record.1.time < latest).collect();
        let mut balance = 0;
        for record in &late {
            let skipped = segments[..stretch.start].iter().rev().take(LOOKBACK);
            let skipped = skipped.take_while(|other| other.1.time > record.1.time);
            balance += skipped.map(|other| self.order_evidence(record, other)).sum::<i64>();
        }
        let earliest = late.iter().map(|record| record.1.time).min().unwrap_or(latest);
        balance > 0
            || (balance == 0 && late.len() > 1 && latest.saturating_sub(earliest) > MAX_BUFFERING)
    }

    /// Order of `late`, which has the earlier time, and `other` by sequence numbers: 1 if `late` passed second, -1 if
    /// first, 0 if unknown.
    fn order_evidence(&self, late: &(bool, Segment), other: &(bool, Segment)) -> i64 {
        let is_repeated =
            |record: &(bool, Segment)| record.0 && self.repeated.contains(&record.1.seq);
        if is_repeated(late) || is_repeated(other) {
            return 0;
        }
        passed_before(late.0, &late.1, other.0, &other.1)
            .map_or(0, |before| if before { -1 } else { 1 })
    }
}

/// Returns true if `late`, which has the earlier time, passed before the other segment; `None` if their sequence
/// numbers do not decide.
fn passed_before(outgoing: bool, late: &Segment, other: bool, segment: &Segment) -> Option<bool> {
    if outgoing != other {
        let answers =
            distance(late.ack, segment.end_seq()) >= 0 && segment.end_seq() != segment.seq;
        return answers.then_some(false);
    }
    let (late, other) = match outgoing {
        true => (late.end_seq(), segment.end_seq()),
        false => (late.ack, segment.ack),
    };
    (late != other).then_some(distance(other, late) > 0)
}

/// Removes steps from the times. Returns the steps, and the largest step (ns) that would have gone unnoticed without
/// timestamps.
pub(crate) fn undo_steps(segments: &mut [(bool, Segment)]) -> (Vec<Step>, Option<i64>) {
    let mut steps = stamps::clock_steps(segments);
    subtract_steps(segments, &steps);
    let mut silences = SilenceCheck::from_segments(segments);
    let (mut by, mut more) = (0_i64, vec![]);
    for at in 0..segments.len() {
        segments[at].1.time = segments[at].1.time.saturating_sub(by);
        let record = segments[at];
        let before = at.checked_sub(1).map_or(record.1.time, |at| segments[at].1.time);
        if record.1.time < before || silences.is_impossible_gap(&record, before) {
            let step = record.1.time.saturating_sub(silences.expected_time(&record, before));
            segments[at].1.time = segments[at].1.time.saturating_sub(step);
            by = by.saturating_add(step);
            more.push((at, step));
        }
        silences.on_segment(&segments[at]);
    }
    more.retain(|&(_, step)| step.saturating_abs() > MIN_STEP);
    steps.append(&mut more);
    steps.sort_unstable();
    (steps, silences.largest_hidden_step())
}

fn subtract_steps(segments: &mut [(bool, Segment)], steps: &[Step]) {
    let (mut by, mut next) = (0_i64, steps.iter().peekable());
    for (place, (_, segment)) in segments.iter_mut().enumerate() {
        while let Some((_, step)) = next.next_if(|step| step.0 <= place) {
            by = by.saturating_add(*step);
        }
        segment.time = segment.time.saturating_sub(by);
    }
}
