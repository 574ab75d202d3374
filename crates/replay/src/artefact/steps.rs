//! A clock that was set while packets were captured: times jump, and what the hosts count does not.
//!
//! The timestamps of the sender [RFC 7323] count milliseconds in Linux, whatever the host's clock is set to. Without them
//! times that go back for good tell a step, and a silence in which the sender would have repeated what is outstanding.

use crate::capture::Segment;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// Least step in ns: below, a host was late, or its clock was slewed.
const LEAST: i64 = 20_000_000;
/// Timestamps of the sender on either side of a step that must agree.
const AROUND: usize = 4;
/// Of the last ones so many are enough.
const LAST: usize = 2;
/// Units in which hosts count timestamps, in ns: Linux has 1 ms, before 4.13 its ticks.
const UNITS: [i64; 4] = [1_000_000, 4_000_000, 10_000_000, 2_000_000];
/// Least timeout of Linux in ns [linux/rtt.md].
const LEAST_TIMEOUT: i64 = 200_000_000;
/// Records before a time that goes back which are asked.
const MANY: usize = 64;
/// Nanoseconds by which no buffer holds a record back.
const FAR_BACK: i64 = 5_000_000;
/// Nanoseconds that a step found by times alone leaves between two records.
const BESIDE: i64 = 10_000;

/// A step: before which record the clock was set, and by how much, in ns.
pub(crate) type Step = (usize, i64);

/// What tells a step from a record out of order.
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
        Evidence { unit: unit(segments), repeated }
    }

    /// Whether the records of a stretch that are earlier than the one before were recorded after a step.
    pub(crate) fn is_step(&self, segments: &[(bool, Segment)], stretch: &Range<usize>) -> bool {
        let by_stamps = self.unit.and_then(|unit| {
            let before = segments[..stretch.start].iter().rev().take(MANY).find_map(stamp)?;
            let after = segments[stretch.clone()].iter().find_map(stamp)?;
            let passed = i64::from(after.1.wrapping_sub(before.1).cast_signed()) * unit;
            Some(after.0.saturating_sub(before.0).saturating_sub(passed).saturating_abs() > LEAST)
        });
        by_stamps.unwrap_or_else(|| self.is_step_by_numbers(segments, stretch))
    }

    /// Whether the order of their times is worse than that of the file: something is acknowledged before it is sent,
    /// new data or acknowledgements go back. Where neither is, buffers explain one record a long way back, not several.
    fn is_step_by_numbers(&self, segments: &[(bool, Segment)], stretch: &Range<usize>) -> bool {
        let latest = segments[stretch.start - 1].1.time;
        let late: Vec<_> =
            segments[stretch.clone()].iter().filter(|one| one.1.time < latest).collect();
        let mut balance = 0;
        for one in &late {
            let skipped = segments[..stretch.start].iter().rev().take(MANY);
            let skipped = skipped.take_while(|other| other.1.time > one.1.time);
            balance += skipped.map(|other| self.speaks_for_step(one, other)).sum::<i64>();
        }
        let earliest = late.iter().map(|one| one.1.time).min().unwrap_or(latest);
        balance > 0
            || (balance == 0 && late.len() > 1 && latest.saturating_sub(earliest) > FAR_BACK)
    }

    /// 1 if the numbers say that `late`, which has the earlier time, passed after `other`; -1: before; 0: nothing.
    fn speaks_for_step(&self, late: &(bool, Segment), other: &(bool, Segment)) -> i64 {
        let is_repeated = |one: &(bool, Segment)| one.0 && self.repeated.contains(&one.1.seq);
        if is_repeated(late) || is_repeated(other) {
            return 0;
        }
        goes_before(late.0, &late.1, other.0, &other.1)
            .map_or(0, |before| if before { -1 } else { 1 })
    }
}

/// Whether `late`, which has the earlier time, passed before `one`; `None` where their numbers do not say.
fn goes_before(outgoing: bool, late: &Segment, other: bool, one: &Segment) -> Option<bool> {
    let distance = |to: u32, from: u32| to.wrapping_sub(from).cast_signed();
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

/// Takes steps back; which there were.
pub(crate) fn undo(segments: &mut [(bool, Segment)]) -> Vec<Step> {
    let unit = unit(segments);
    let mut steps = unit.map_or(vec![], |unit| by_stamps(segments, unit));
    take(segments, &steps);
    let mut silences = Silences::default();
    let (mut by, mut more) = (0_i64, vec![]);
    for at in 0..segments.len() {
        segments[at].1.time = segments[at].1.time.saturating_sub(by);
        let one = segments[at];
        let before = at.checked_sub(1).map_or(one.1.time, |at| segments[at].1.time);
        let is_step = one.1.time < before || unit.is_none() && silences.is_none_such(&one, before);
        if is_step {
            let step = one.1.time.saturating_sub(silences.likely(&one, before));
            segments[at].1.time = segments[at].1.time.saturating_sub(step);
            by = by.saturating_add(step);
            more.push((at, step));
        }
        silences.see(&segments[at]);
    }
    more.retain(|&(_, step)| step.saturating_abs() > LEAST);
    steps.append(&mut more);
    steps.sort_unstable();
    steps
}

fn take(segments: &mut [(bool, Segment)], steps: &[Step]) {
    let (mut by, mut next) = (0_i64, steps.iter().peekable());
    for (place, (_, segment)) in segments.iter_mut().enumerate() {
        while let Some((_, step)) = next.next_if(|step| step.0 <= place) {
            by = by.saturating_add(*step);
        }
        segment.time = segment.time.saturating_sub(by);
    }
}

/// What can be said of a silence while data are outstanding: a sender of Linux ends it after its timeout.
#[derive(Debug, Default)]
struct Silences {
    /// Ends of segments and when they left, as far as they are not acknowledged.
    sent: VecDeque<(u32, i64)>,
    highest: Option<u32>,
    again: bool,
    /// Longest and last round trip in ns.
    longest: i64,
    last: i64,
}

impl Silences {
    /// Whether the time since `before` is longer than the sender would have waited, and it did not repeat anything.
    fn is_none_such(&self, (outgoing, one): &(bool, Segment), before: i64) -> bool {
        let timeout =
            self.longest.saturating_add(LEAST_TIMEOUT).max(self.longest.saturating_mul(3));
        let repeats = *outgoing && self.is_old(one);
        self.longest > 0
            && !self.sent.is_empty()
            && !self.again
            && !repeats
            && one.time.saturating_sub(before) > timeout.saturating_mul(3) / 2
    }

    fn is_old(&self, one: &Segment) -> bool {
        self.highest.is_some_and(|highest| one.end().wrapping_sub(highest).cast_signed() <= 0)
    }

    /// When that came about, had the clock not been set.
    fn likely(&self, (outgoing, one): &(bool, Segment), before: i64) -> i64 {
        let acked = |end: u32| one.ack.wrapping_sub(end).cast_signed() >= 0;
        let its = self.sent.iter().take_while(|&&(end, _)| acked(end)).last();
        let due = its.filter(|_| !outgoing).map(|&(_, left)| left.saturating_add(self.last));
        due.map_or(before.saturating_add(BESIDE), |due| due.max(before.saturating_add(BESIDE)))
    }

    fn see(&mut self, (outgoing, one): &(bool, Segment)) {
        if *outgoing {
            if one.end() == one.seq {
                return;
            }
            self.again = self.is_old(one);
            if !self.again {
                self.highest = Some(one.end());
                self.sent.push_back((one.end(), one.time));
            }
            return;
        }
        let acked = |end: u32| one.ack.wrapping_sub(end).cast_signed() >= 0;
        while let Some(&(end, left)) = self.sent.front()
            && acked(end)
        {
            self.sent.pop_front();
            self.last = one.time.saturating_sub(left);
            self.longest = self.longest.max(self.last);
        }
    }
}

/// Where the clock parts from the sender's timestamps for good.
fn by_stamps(segments: &[(bool, Segment)], unit: i64) -> Vec<Step> {
    let stamps: Vec<(usize, i64)> = offsets(segments, unit);
    let (mut steps, mut at) = (vec![], AROUND);
    while at + LAST <= stamps.len() {
        let range = |range: Range<usize>| {
            let all = stamps[range].iter().map(|one| one.1);
            (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
        };
        let (before, after) = (range(at - AROUND..at), range(at..stamps.len().min(at + AROUND)));
        let tight = before.1.saturating_sub(before.0) < LEAST / 2
            && after.1.saturating_sub(after.0) < LEAST / 2;
        let by = after.0.saturating_sub(before.0);
        if tight && by.saturating_abs() > LEAST {
            let place = place(segments, stamps[at - 1].0, stamps[at].0, by);
            steps.push((place, by));
            at += AROUND;
        } else {
            at += 1;
        }
    }
    steps
}

/// Between two records of the sender, the one before which the clock was set: where the time between two records is
/// nearest to the step.
fn place(segments: &[(bool, Segment)], before: usize, after: usize, by: i64) -> usize {
    let gap = |at: usize| segments[at].1.time.saturating_sub(segments[at - 1].1.time);
    (before + 1..=after)
        .min_by_key(|&at| gap(at).saturating_sub(by).saturating_abs())
        .unwrap_or(after)
}

/// What each timestamp of the sender says that the clock showed as its count began, in ns.
fn offsets(segments: &[(bool, Segment)], unit: i64) -> Vec<(usize, i64)> {
    let mut first: Option<(i64, u32)> = None;
    let mut found = vec![];
    for (at, one) in segments.iter().enumerate() {
        let Some((time, value)) = stamp(one) else { continue };
        let (start, zero) = *first.get_or_insert((time, value));
        let passed = i64::from(value.wrapping_sub(zero).cast_signed());
        found.push((at, time.saturating_sub(start).saturating_sub(passed * unit)));
    }
    found
}

fn stamp((outgoing, segment): &(bool, Segment)) -> Option<(i64, u32)> {
    segment.options.stamps.filter(|_| *outgoing).map(|(value, _)| (segment.time, value))
}

/// In which unit the sender counts: the one with which clock and count agree best between neighbours.
fn unit(segments: &[(bool, Segment)]) -> Option<i64> {
    let stamps: Vec<(i64, u32)> = segments.iter().filter_map(stamp).collect();
    let agrees = |unit: i64| {
        let pairs = stamps.windows(2).filter(|pair| {
            let passed = i64::from(pair[1].1.wrapping_sub(pair[0].1).cast_signed()) * unit;
            pair[1].0.saturating_sub(pair[0].0).saturating_sub(passed).saturating_abs() <= 2 * unit
        });
        pairs.count()
    };
    let best = UNITS.into_iter().max_by_key(|&unit| (agrees(unit), -unit))?;
    (stamps.len() > 2 * AROUND && agrees(best) * 10 > stamps.len() * 8).then_some(best)
}
