//! Removal of artefacts of capturing: copies, records out of order, steps of the clock.

use super::oddity::{Oddities, seconds};
use super::record::{Blocks, Record};
use airtcp_capture::distance;
use airtcp_core::Cancel;

/// Nanoseconds within which copies are recorded: beyond, a packet was retransmitted.
const COPY_WINDOW: i64 = 1_000_000;
/// Packets among which a copy is looked for.
const RECENT_RECORDS: usize = 32;
/// Records behind which an earlier one may stand: a capture has a buffer per processor, or per direction.
const MAX_DISPLACEMENT: usize = 64;
/// Smallest step of a clock (ns), and shortest gap that may be a step.
const MIN_STEP: i64 = 1_000_000_000;

/// Copies that were dropped: of the end that sent first, and of the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyCounts {
    pub outgoing: u64,
    pub incoming: u64,
}

impl CopyCounts {
    pub(super) fn total(self) -> u64 {
        self.outgoing + self.incoming
    }
}

/// Copies in more than one of this many packets are artefacts of the capture.
pub(super) const MIN_COPIES: u64 = 4;

/// Corrects the records and records what was wrong. Ends early if cancelled.
pub(super) fn clean(
    records: &mut Vec<Record>,
    blocks: &[Blocks],
    oddities: &mut Oddities,
    cancel: &Cancel,
) -> CopyCounts {
    let began = records.first().map_or(0, |record| record.time);
    let cut = records.iter().filter(|record| record.is_cut());
    let first = cut.clone().next().map_or(0, |record| record.time);
    oddities.record("cut headers", cut.count() as u64, || {
        format!(
            "options of TCP were not kept, the first at {}: SACK blocks and timestamps in them are unknown",
            seconds(first, began)
        )
    });
    drop_short(records, oddities);
    let back = undo_steps_back(records);
    if cancel.is_set() {
        return CopyCounts::default();
    }
    let steps = back + undo_steps_ahead(records);
    oddities.record("clock step", steps.count, || {
        format!(
            "the clock was set by {:.3} s at {}, and is taken as if it was not",
            steps.first_step as f64 / 1e9,
            seconds(steps.first_time, began)
        )
    });
    if cancel.is_set() {
        return CopyCounts::default();
    }
    let (moved, stray) = restore_order(records);
    oddities.record("stray times", stray.count, || {
        format!(
            "{} records have times long before the records around them, the first {}: each gets the time of the record before it",
            stray.count,
            seconds(stray.at, began)
        )
    });
    oddities.record("disorder", moved.count, || {
        format!("records stand behind later ones, the first at {}", seconds(moved.at, began))
    });
    if cancel.is_set() {
        return CopyCounts::default();
    }
    let data = records.iter().filter(|record| record.length > 0).count() as u64;
    let copies = drop_copies(records, blocks, false);
    if copies.total() * MIN_COPIES <= data {
        return copies;
    }
    // Equal ACKs are duplicates that count, unless the capture doubles packets.
    let more = drop_copies(records, blocks, true);
    CopyCounts {
        outgoing: copies.outgoing + more.outgoing,
        incoming: copies.incoming + more.incoming,
    }
}

/// At most one packet in this many is accidentally shorter than its claimed length.
const MAX_SHORT_PART: usize = 10;

/// Drops packets shorter than their claimed length, which no host accepts. If there are many, a tool has truncated
/// them, and they are kept.
fn drop_short(records: &mut Vec<Record>, oddities: &mut Oddities) {
    let short = records.iter().filter(|record| record.is_short()).count();
    if short * MAX_SHORT_PART > records.len() {
        return;
    }
    records.retain(|record| !record.is_short());
    oddities.record("short packets", short as u64, || {
        format!("{short} packets are shorter than their headers say: left out")
    });
}

/// Steps of the clock: how many, and the first.
#[derive(Clone, Copy, Debug, Default)]
struct ClockSteps {
    count: u64,
    first_time: i64,
    first_step: i64,
}

impl ClockSteps {
    fn add(&mut self, at: i64, by: i64) {
        if self.count == 0 {
            (self.first_time, self.first_step) = (at, by);
        }
        self.count += 1;
    }
}

impl std::ops::Add for ClockSteps {
    type Output = ClockSteps;

    fn add(self, other: ClockSteps) -> ClockSteps {
        let first = if self.count > 0 { self } else { other };
        ClockSteps { count: self.count + other.count, ..first }
    }
}

/// Times that go back and stay back: the clock was set.
fn undo_steps_back(records: &mut [Record]) -> ClockSteps {
    let (mut by, mut latest, mut steps) = (0_i64, i64::MIN, ClockSteps::default());
    for at in 0..records.len() {
        let time = records[at].time.saturating_add(by);
        if time < latest {
            let near = records[at..].iter().take(MAX_DISPLACEMENT);
            let is_back =
                near.map(|record| record.time.saturating_add(by)).all(|time| time < latest);
            if is_back && latest - time > COPY_WINDOW {
                steps.add(latest, time - latest);
                by = by.saturating_add(latest - time);
            }
        }
        records[at].time = records[at].time.saturating_add(by);
        latest = latest.max(records[at].time);
    }
    steps
}

/// Times that go ahead while the timestamps of the same end do not, and stay ahead.
fn undo_steps_ahead(records: &mut [Record]) -> ClockSteps {
    let (mut steps, mut by) = (ClockSteps::default(), 0_i64);
    let Some(unit) = timestamp_unit(records) else { return steps };
    for at in 1..records.len() {
        let silence = records[at].time.saturating_add(by).saturating_sub(records[at - 1].time);
        if silence > MIN_STEP
            && let Some(step) = step_at(records, at, by, unit)
        {
            steps.add(records[at - 1].time, step);
            by = by.saturating_sub(step);
        }
        records[at].time = records[at].time.saturating_add(by);
    }
    steps
}

/// Step of the clock before a record, if the next two records of one end agree on it.
fn step_at(records: &[Record], at: usize, by: i64, unit: f64) -> Option<i64> {
    let offset = |record: &Record| record.timestamps().map(|(stamp, _)| (record.time, stamp));
    let outgoing = records[at].is_outgoing();
    let its = |record: &&Record| record.is_outgoing() == outgoing && record.timestamps().is_some();
    let (before, stamp) = offset(records[..at].iter().rev().take(MAX_DISPLACEMENT).find(its)?)?;
    // The earlier records are put right already, these are not: their times among themselves count.
    let base = records[at].time;
    let silence = base.saturating_add(by).saturating_sub(before);
    let shifts: Vec<f64> = records[at..]
        .iter()
        .take(MAX_DISPLACEMENT)
        .filter(its)
        .filter_map(offset)
        .take(4)
        .map(|(time, later)| {
            time.saturating_sub(base).saturating_add(silence) as f64
                - f64::from(distance(later, stamp)) * unit
        })
        .collect();
    let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
    (shifts.len() >= 2 && least > MIN_STEP as f64).then_some(least as i64)
}

/// Nanoseconds per unit of timestamps; `None` if the records do not show it.
fn timestamp_unit(records: &[Record]) -> Option<f64> {
    let outgoing = records.iter().find(|record| record.timestamps().is_some())?.is_outgoing();
    let its = records.iter().filter(|record| record.is_outgoing() == outgoing);
    let stamped: Vec<(i64, u32)> =
        its.filter_map(|record| Some((record.time, record.timestamps()?.0))).collect();
    let apart = (stamped.len() / TYPICAL_STAMPS).max(1);
    let sample: Vec<&(i64, u32)> = stamped.iter().step_by(apart).collect();
    let mut units: Vec<f64> = sample
        .windows(2)
        .filter_map(|pair| {
            let passed = distance(pair[1].1, pair[0].1);
            (passed >= 8).then(|| pair[1].0.saturating_sub(pair[0].0) as f64 / f64::from(passed))
        })
        .collect();
    units.sort_by(f64::total_cmp);
    units.get(units.len() / 2).copied().filter(|&unit| unit > 0.0)
}

/// Records by whose timestamps the unit is found.
const TYPICAL_STAMPS: usize = 200;

/// Records of one kind: how many, and the time of the first.
#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    count: u64,
    at: i64,
}

impl Occurrences {
    fn add(&mut self, at: i64) {
        if self.count == 0 {
            self.at = at;
        }
        self.count += 1;
    }
}

/// Puts records in the order of their times: those that were moved, and those that would have to move farther than any
/// buffer holds a record. Times of the latter are damaged, and become the times of the records before them.
fn restore_order(records: &mut [Record]) -> (Occurrences, Occurrences) {
    let (mut moved, mut stray) = (Occurrences::default(), Occurrences::default());
    for at in 1..records.len() {
        let time = records[at].time;
        if time >= records[at - 1].time {
            continue;
        }
        let near = at.saturating_sub(MAX_DISPLACEMENT);
        let place = near + records[near..at].partition_point(|record| record.time <= time);
        if place == near && near > 0 && records[near - 1].time > time {
            stray.add(time);
            records[at].time = records[at - 1].time;
        } else {
            moved.add(time);
            records[place..=at].rotate_right(1);
        }
    }
    (moved, stray)
}

fn drop_copies(records: &mut Vec<Record>, blocks: &[Blocks], with_acks: bool) -> CopyCounts {
    let mut copies = CopyCounts::default();
    let mut kept: usize = 0;
    for at in 0..records.len() {
        let record = records[at];
        let mut is_copy = false;
        for old in records[kept.saturating_sub(RECENT_RECORDS)..kept].iter().rev() {
            if record.time.saturating_sub(old.time) > COPY_WINDOW {
                break;
            }
            // Without an identification, only an answer in between distinguishes a repetition from a copy.
            if old.is_outgoing() != record.is_outgoing() {
                if record.id == 0 {
                    break;
                }
            } else if old.is_copy(&record, blocks) {
                is_copy = with_acks || record.id != 0 || record.length > 0;
                break;
            }
        }
        if is_copy {
            let which =
                if record.is_outgoing() { &mut copies.outgoing } else { &mut copies.incoming };
            *which += 1;
        } else {
            records[kept] = record;
            kept += 1;
        }
    }
    records.truncate(kept);
    copies
}
