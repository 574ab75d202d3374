//! Flows of UDP whose payload numbers the datagrams.

use super::DelayMethod;
use super::oddity::{Oddities, seconds};
use super::sender::Findings;
use crate::row::{Fate, NO_DELAY, Row, check_room};
use airtcp_capture::{Datagram, Refusal};

/// The place and form of the number in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// Bytes before it.
    pub offset: usize,
    /// Width in bytes: 2, 4 or 8.
    pub bytes: usize,
    /// True if the most significant byte comes first.
    pub is_big_endian: bool,
}

impl Numbering {
    /// The number of a datagram; `None` if its bytes were not kept or are not there.
    pub(super) fn number_of(self, datagram: &Datagram<'_>) -> Option<u64> {
        let bytes = datagram.payload.get(self.offset..)?.get(..self.bytes)?;
        let up = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.is_big_endian {
            bytes.iter().fold(0, up)
        } else {
            bytes.iter().rev().fold(0, up)
        })
    }

    /// Steps from one number up to another, negative if it lies below: the shorter way around.
    fn distance(self, to: u64, from: u64) -> i64 {
        let spare = 64 - 8 * self.bytes as u32;
        (to.wrapping_sub(from) << spare).cast_signed() >> spare
    }
}

/// A datagram with a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedDatagram {
    pub time: i64,
    pub number: u64,
    pub size: u32,
}

/// Steps between numbers that follow one another, at most: more are a new beginning.
const MAX_NUMBER_STEP: i64 = 1000;
/// Numbers behind the highest that are late, at most.
const MAX_LATENESS: i64 = 1000;

/// Returns true if the numbers of a flow count its datagrams: most steps are small.
pub(super) fn is_numbered(flow: &[NumberedDatagram], numbering: Numbering) -> bool {
    let steps = flow.windows(2).map(|pair| numbering.distance(pair[1].number, pair[0].number));
    let small = steps
        .filter(|&step| step != 0 && (-MAX_LATENESS..=MAX_NUMBER_STEP).contains(&step))
        .count();
    flow.len() >= 2 && small * 2 >= flow.len() - 1
}

/// The fates of a flow's datagrams: missing numbers are lost.
pub(super) fn fates(
    flow: &[NumberedDatagram],
    numbering: Numbering,
    mut oddities: Oddities,
) -> Result<Findings, Refusal> {
    let began = flow.first().map_or(0, |datagram| datagram.time);
    let mut rows: Vec<Row> = Vec::with_capacity(flow.len());
    let (mut reordered, mut duplicated) = (0, 0);
    // The row of the highest number, and the highest number, of this beginning; numbers before `least` are none of it.
    let mut highest: Option<(usize, u64)> = None;
    let mut least = 0;
    for (at, datagram) in flow.iter().enumerate() {
        let time = datagram.time.saturating_sub(began);
        let size = i32::try_from(datagram.size).unwrap_or(i32::MAX);
        let arrived = Row { time, delay: NO_DELAY, size, fate: Fate::Arrived };
        let Some((row, number)) = highest else {
            highest = Some((rows.len(), datagram.number));
            rows.push(arrived);
            continue;
        };
        let step = numbering.distance(datagram.number, number);
        let place = i64::try_from(row).unwrap_or(i64::MAX).saturating_add(step);
        let is_late = (-MAX_LATENESS..=0).contains(&step) && place >= least;
        if is_late && (step == 0 || !is_restart(&flow[at..], numbering)) {
            let known = &mut rows[place as usize];
            match known.fate {
                Fate::Arrived => duplicated += 1,
                _ => {
                    known.fate = Fate::Arrived;
                    known.size = size;
                    reordered += 1;
                }
            }
            continue;
        }
        if (1..=MAX_NUMBER_STEP).contains(&step) {
            check_room(rows.len())?;
            for _ in 1..step {
                rows.push(Row { size: 0, fate: Fate::Lost, ..arrived });
            }
        } else {
            oddities.record("new numbering", 1, || {
                format!(
                    "numbers go from {number} to {} at {}: a new beginning",
                    datagram.number,
                    seconds(datagram.time, began)
                )
            });
            least = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        }
        highest = Some((rows.len(), datagram.number));
        rows.push(arrived);
    }
    Ok(Findings { rows, delays: DelayMethod::OneWayUnknownOffset, reordered, duplicated, oddities })
}

/// Datagrams in a row that continue from an earlier number: no network duplicates or delays this many in order.
const MIN_RESTART_RUN: usize = 8;

/// Returns true if the numbering restarts with the first of these datagrams.
fn is_restart(flow: &[NumberedDatagram], numbering: Numbering) -> bool {
    let next = flow.windows(2).take(MIN_RESTART_RUN);
    next.len() == MIN_RESTART_RUN
        && next.clone().all(|pair| numbering.distance(pair[1].number, pair[0].number) == 1)
}
