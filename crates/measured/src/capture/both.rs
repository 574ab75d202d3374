//! Fates of packets from captures at both ends: packets that left one end and arrived at the other.

use super::DelayMethod;
use super::direction::Direction;
use super::oddity::{Oddities, seconds};
use super::record::Record;
use super::sender::Findings;
use super::transmission::{self, Transmission};
use crate::row::{Fate, NO_DELAY, Row, check_room};
use airtcp_capture::{Flags, Refusal};
use airtcp_core::CancelCheck;

/// Fates of the transmissions in one direction, from captures at `sender` and `receiver`; `None` if cancelled or
/// without data.
pub(super) fn fates(
    sender: Direction<'_>,
    receiver: Direction<'_>,
    mut oddities: Oddities,
    mut watch: CancelCheck,
) -> Result<Option<Findings>, Refusal> {
    let Some(first) = sender.first_number() else { return Ok(None) };
    let mss = transmission::mss(&sender).min(transmission::mss(&receiver));
    let Some(sent) = transmissions(sender, first, mss, &mut watch)? else { return Ok(None) };
    let Some(came) = transmissions(receiver, first, mss, &mut watch)? else { return Ok(None) };
    let began = sent.first().map_or(0, |departure| departure.time);
    // Pairs by what distinguishes a transmission from others, in the order of the times of each.
    let places = pair_transmissions(&sent, &came);
    let answers = |direction: Direction<'_>| -> Vec<Answer> {
        let its =
            direction.records.iter().filter(|record| record.is_outgoing() != direction.outgoing);
        its.filter(|record| record.length == 0 && record.flags == Flags::ACK)
            .map(answer_key)
            .collect()
    };
    let least_there = places
        .iter()
        .zip(&sent)
        .filter_map(|(place, sent)| Some(came[(*place)?].time.saturating_sub(sent.time)))
        .min();
    let (offset, delays) = clock_offset(
        least_there,
        least_return_delay(&answers(receiver), &answers(sender)),
        &mut oddities,
    );
    let ends = |all: &[Transmission]| Some((all.first()?.time, all.last()?.time));
    let seen =
        ends(&came).map(|(from, to)| (from.saturating_sub(offset), to.saturating_sub(offset)));
    let mut reordered = 0;
    let mut latest = i64::MIN;
    let mut rows = Vec::with_capacity(sent.len());
    let mut outside = 0;
    let last_arrived = places.iter().rposition(Option::is_some);
    for (number, (departure, place)) in sent.iter().zip(&places).enumerate() {
        let arrival = place.map(|place| came[place].time.saturating_sub(offset));
        let fate = match arrival {
            Some(_) => Fate::Arrived,
            // Before the other capture began, and after it ended, nothing is known.
            None if seen.is_none_or(|(from, to)| {
                departure.time < from.saturating_sub(CLOCK_SLACK) || departure.time > to
            }) =>
            {
                outside += 1;
                Fate::Unknown
            }
            // Nothing that was sent later arrived: it may have been under way when the captures ended.
            None if last_arrived.is_none_or(|last| number > last) => Fate::Unknown,
            None => Fate::Lost,
        };
        if let Some(at) = arrival {
            reordered += u64::from(at < latest);
            latest = latest.max(at);
        }
        rows.push(Row {
            time: departure.time.saturating_sub(began),
            delay: arrival.map_or(NO_DELAY, |at| at.saturating_sub(departure.time).max(0)),
            size: departure.size,
            fate,
        });
    }
    oddities.record("other times", outside, || {
        let (from, to) = seen.unwrap_or((began, began));
        format!(
            "packets were sent while the receiver's capture did not run, from {} to {}: their fates are unknown",
            seconds(from, began),
            seconds(to, began)
        )
    });
    let duplicated = came.len().saturating_sub(places.iter().flatten().count()) as u64;
    Ok(Some(Findings { rows, delays, reordered, duplicated, oddities }))
}

/// Offset of the receiver's clock, and the resulting kind of delays.
fn clock_offset(
    forth: Option<i64>,
    back: Option<i64>,
    oddities: &mut Oddities,
) -> (i64, DelayMethod) {
    match (forth, back) {
        (Some(forth), Some(back)) => {
            let offset = forth.saturating_sub(back) / 2;
            oddities.record("clock offset", 1, || {
                format!(
                    "the receiver's clock is taken to be {:.6} s ahead of the sender's, so that the least delays of \
                     both ways are equal: by up to {:.6} s delays may be wrong, all alike",
                    offset as f64 / 1e9,
                    forth.saturating_add(back) as f64 / 2e9
                )
            });
            (offset, DelayMethod::OneWay)
        }
        (Some(forth), None) => (forth, DelayMethod::OneWayUnknownOffset),
        (None, _) => (0, DelayMethod::OneWayUnknownOffset),
    }
}

/// Nanoseconds before the first packet arrived in which packets may have been lost.
const CLOCK_SLACK: i64 = 1_000_000_000;

/// The transmissions in a direction; `None` if the work was cancelled.
fn transmissions(
    direction: Direction<'_>,
    first: u32,
    mss: u32,
    watch: &mut CancelCheck,
) -> Result<Option<Vec<Transmission>>, Refusal> {
    let mut numbers = transmission::counter(first);
    let mut all = vec![];
    for record in direction.data_segments() {
        if watch.is_cancelled() {
            return Ok(None);
        }
        check_room(all.len())?;
        all.extend(transmission::split_record(record, &mut numbers, mss).into_iter().flatten());
    }
    Ok(Some(all))
}

/// Place of its arrival for each transmission that left; `None` if it did not arrive.
fn pair_transmissions(sent: &[Transmission], came: &[Transmission]) -> Vec<Option<usize>> {
    let key = |transmission: &Transmission| (transmission.start, transmission.stamp);
    let by_key = |all: &[Transmission]| {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| key(&all[at]));
        order
    };
    let (left, arrived) = (by_key(sent), by_key(came));
    let mut places = vec![None; sent.len()];
    let mut several = vec![];
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < arrived.len() {
        let (own, other) = (key(&sent[left[i]]), key(&came[arrived[j]]));
        if own != other {
            *(if own < other { &mut i } else { &mut j }) += 1;
            continue;
        }
        let run_of_equals = |order: &[usize], all: &[Transmission], from: usize| {
            order[from..].iter().take_while(|&&at| key(&all[at]) == own).count()
        };
        let (lefts, rights) = (run_of_equals(&left, sent, i), run_of_equals(&arrived, came, j));
        if (lefts, rights) == (1, 1) {
            places[left[i]] = Some(arrived[j]);
        } else {
            several.push((i..i + lefts, j..j + rights));
        }
        (i, j) = (i + lefts, j + rights);
    }
    let took = |at: usize, place: usize| came[place].time.saturating_sub(sent[at].time);
    let alone = places.iter().enumerate().filter_map(|(at, place)| Some(took(at, (*place)?)));
    let least = alone.min().unwrap_or(i64::MIN);
    // Several with one key: each that came is the last one that can have been on the way for so long.
    for (lefts, rights) in several {
        let mut waiting: Vec<usize> = left[lefts].to_vec();
        for &place in &arrived[rights] {
            let which = waiting.iter().rposition(|&at| took(at, place) >= least);
            if let Some(index) = which {
                places[waiting.remove(index)] = Some(place);
            }
        }
    }
    places
}

/// Fields that identify an answer, and its time.
type Answer = ((u32, u32, Option<(u32, u32)>), i64);

fn answer_key(record: &Record) -> Answer {
    ((record.seq, record.ack, record.timestamps()), record.time)
}

/// Least return delay of the answers that are unique.
fn least_return_delay(left: &[Answer], came: &[Answer]) -> Option<i64> {
    let unique = |all: &[Answer]| {
        let mut sorted = all.to_vec();
        sorted.sort_unstable();
        let is_alone = |at: usize| {
            let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            near.filter_map(|other| sorted.get(other)).all(|other| other.0 != sorted[at].0)
        };
        (0..sorted.len()).filter(|&at| is_alone(at)).map(|at| sorted[at]).collect::<Vec<_>>()
    };
    let (left, came) = (unique(left), unique(came));
    let pairs = left.iter().filter_map(|(key, time)| {
        let place = came.binary_search_by_key(key, |answer| answer.0).ok()?;
        Some(came[place].1.saturating_sub(*time))
    });
    pairs.min()
}
