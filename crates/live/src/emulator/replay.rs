//! A log replayed: its arrivals through fresh hops of the same scenario and seed.

use super::record::{Fate, Record};
use super::way::{Way, ways};
use airtcp_core::{Cancel, Instant};
use airtcp_radio::SpecError;
use airtcp_scenario::PathScenario;

/// A packet that fared otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// As logged.
    pub logged: Record,
    /// As replayed.
    pub replayed: Record,
}

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Packets compared.
    pub packets: usize,
    /// Those that fared otherwise, in the order of the log.
    pub differences: Vec<Difference>,
}

/// Replays `log`, which ended at `end`, and compares fate, hop and all instants of every packet. Once `cancel` is
/// set it ends soon, and what it returns means nothing.
///
/// # Errors
/// If the values of a channel or a gate contradict each other, or if a hop would hold more than it may; the field is
/// the path.
pub fn replay(
    scenario: &PathScenario,
    (seed, replication): (u64, u64),
    log: &[Record],
    end: Instant,
    cancel: &Cancel,
) -> Result<Replay, SpecError> {
    let mut found = Replay::default();
    for (direction, mut way) in ways(scenario, seed, replication)?.into_iter().enumerate() {
        way.watch(cancel);
        let of = |record: &&Record| record.direction == direction as i64;
        let mut logged: Vec<Record> = log.iter().filter(of).copied().collect();
        logged.sort_by_key(|record| record.id);
        let replayed = through(way, direction, &logged, end, cancel)?;
        found.packets += logged.len();
        found.differences.extend(differences(&logged, &replayed));
    }
    Ok(found)
}

/// What becomes of the logged arrivals, in their order.
fn through(
    mut way: Way,
    direction: usize,
    logged: &[Record],
    end: Instant,
    cancel: &Cancel,
) -> Result<Vec<Record>, SpecError> {
    let mut replayed = Vec::with_capacity(logged.len());
    for record in logged.iter().take_while(|_| !cancel.is_set()) {
        way.push(record.packet());
        way.check()?;
        collect(&mut way, direction, &mut replayed);
    }
    way.advance(end);
    way.check()?;
    collect(&mut way, direction, &mut replayed);
    let mut all: Vec<Record> = logged.iter().map(|r| on_the_way(direction, r, end)).collect();
    for record in replayed {
        if let Ok(place) = logged.binary_search_by_key(&record.id, |logged| logged.id) {
            all[place] = record;
        }
    }
    Ok(all)
}

fn collect(way: &mut Way, direction: usize, into: &mut Vec<Record>) {
    into.extend(std::iter::from_fn(|| way.take_lost()));
    let passed = std::iter::from_fn(|| way.take_passed());
    into.extend(passed.map(|(at, p)| Record::new(direction, &p, at, Fate::Delivered, 0)));
}

fn on_the_way(direction: usize, logged: &Record, end: Instant) -> Record {
    Record::new(direction, &logged.packet(), end, Fate::OnTheWay, 0)
}

fn differences(logged: &[Record], replayed: &[Record]) -> impl Iterator<Item = Difference> {
    let pairs = logged.iter().zip(replayed);
    let unlike = pairs.filter(|(logged, replayed)| {
        let of_the_path = |r: &Record| (r.start, r.end, r.at, r.fate);
        of_the_path(logged) != of_the_path(replayed)
    });
    unlike.map(|(&logged, &replayed)| Difference { logged, replayed })
}
