//! Steps of a clock that was set while packets were captured: times jump, and the counts of the hosts do not.
//!
//! Timestamps tell a step (see `stamps`). Without them, times that go back for good tell one, or a silence in which the
//! sender would have repeated outstanding data (see `silence`).

use super::silence::Silences;
use super::stamps;
use super::step::{MIN_STEP, Step};
use airtcp_capture::Segment;
use airtcp_capture::distance;
use std::collections::BTreeSet;
use std::ops::Range;

/// Records before a time that goes back which are asked.
const LOOKBACK: usize = 64;
/// Nanoseconds by which no buffer holds a record back.
const MAX_BUFFERING: i64 = 5_000_000;

/// Evidence that tells a step of the clock from a record out of order.
pub(crate) struct Evidence {
    /// The unit of the sender's timestamps.
    unit: Option<i64>,
    /// Numbers with which the sender sent more than once.
    repeated: BTreeSet<u32>,
}

impl Evidence {
    pub(crate) fn of(segments: &[(bool, Segment)]) -> Self {
        let mut seen = BTreeSet::new();
        let sent = segments.iter().filter(|one| one.0 && one.1.length > 0).map(|one| one.1.seq);
        let repeated = sent.filter(|&seq| !seen.insert(seq)).collect();
        Evidence { unit: stamps::unit(segments), repeated }
    }

    /// Says that the records of a stretch that are earlier than the one before it were recorded after a step.
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

    /// Says that the order of their times is worse than that of the file: data are acknowledged before they are sent,
    /// or new data or acknowledgements go back. If neither is worse, buffers explain one record a long way back, but
    /// not several.
    fn is_step_by_numbers(&self, segments: &[(bool, Segment)], stretch: &Range<usize>) -> bool {
        let latest = segments[stretch.start - 1].1.time;
        let late: Vec<_> =
            segments[stretch.clone()].iter().filter(|one| one.1.time < latest).collect();
        let mut balance = 0;
        for one in &late {
            let skipped = segments[..stretch.start].iter().rev().take(LOOKBACK);
            let skipped = skipped.take_while(|other| other.1.time > one.1.time);
            balance += skipped.map(|other| self.order_evidence(one, other)).sum::<i64>();
        }
        let earliest = late.iter().map(|one| one.1.time).min().unwrap_or(latest);
        balance > 0
            || (balance == 0 && late.len() > 1 && latest.saturating_sub(earliest) > MAX_BUFFERING)
    }

    /// 1 if the numbers say that `late`, which has the earlier time, passed after `other`; -1: before; 0: nothing.
    fn order_evidence(&self, late: &(bool, Segment), other: &(bool, Segment)) -> i64 {
        let is_repeated = |one: &(bool, Segment)| one.0 && self.repeated.contains(&one.1.seq);
        if is_repeated(late) || is_repeated(other) {
            return 0;
        }
        passed_before(late.0, &late.1, other.0, &other.1)
            .map_or(0, |before| if before { -1 } else { 1 })
    }
}

/// Says that `late`, which has the earlier time, passed before `one`; `None` where their numbers do not tell.
fn passed_before(outgoing: bool, late: &Segment, other: bool, one: &Segment) -> Option<bool> {
    if outgoing != other {
        let answers = distance(late.ack, one.end()) >= 0 && one.end() != one.seq;
        return answers.then_some(false);
    }
    let (late, one) = match outgoing {
        true => (late.end(), one.end()),
        false => (late.ack, one.ack),
    };
    (late != one).then_some(distance(one, late) > 0)
}

/// Takes steps back; which there were, and by how many ns the clock may have been set forward unseen, where timestamps do
/// not tell.
pub(crate) fn undo_steps(segments: &mut [(bool, Segment)]) -> (Vec<Step>, Option<i64>) {
    let mut steps = stamps::clock_steps(segments);
    subtract_steps(segments, &steps);
    let mut silences = Silences::of(segments);
    let (mut by, mut more) = (0_i64, vec![]);
    for at in 0..segments.len() {
        segments[at].1.time = segments[at].1.time.saturating_sub(by);
        let one = segments[at];
        let before = at.checked_sub(1).map_or(one.1.time, |at| segments[at].1.time);
        if one.1.time < before || silences.is_none_such(&one, before) {
            let step = one.1.time.saturating_sub(silences.likely(&one, before));
            segments[at].1.time = segments[at].1.time.saturating_sub(step);
            by = by.saturating_add(step);
            more.push((at, step));
        }
        silences.see(&segments[at]);
    }
    more.retain(|&(_, step)| step.saturating_abs() > MIN_STEP);
    steps.append(&mut more);
    steps.sort_unstable();
    (steps, silences.unseen())
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
