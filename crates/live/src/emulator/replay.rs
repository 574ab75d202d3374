//! The replay of a log: its arrivals go through fresh hops of the same scenario and seed.

use super::one_way_path::{OneWayPath, directions};
use super::record::{Fate, Record};
use airtcp_core::{Cancel, Instant};
use airtcp_radio::SpecError;
use airtcp_scenario::PathScenario;

/// A packet, or a copy of one, whose log and replay differ. A copy that reached its end in only one of the two counts
/// as on the way in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The record in the log.
    pub logged: Record,
    /// The record of the replay.
    pub replayed: Record,
}

/// Result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Number of packets compared.
    pub packets: usize,
    /// Number of records about further copies of a packet.
    pub copies: usize,
    /// Packets and copies whose fate or times differ, by direction, number and copy.
    pub differences: Vec<Difference>,
}

/// Replays `log`, which ended at `end`, and compares fate, hop and all instants of every packet and of every copy of
/// it. Once `cancel` is set the replay ends soon, and its result is meaningless.
///
/// # Errors
///
/// If the values of a channel or a gate contradict each other, or if a hop would hold more than it may; the field is
/// the path.
pub fn replay(
    scenario: &PathScenario,
    (seed, replication): (u64, u64),
    log: &[Record],
    end: Instant,
    cancel: &Cancel,
) -> Result<Replay, SpecError> {
    let mut replay = Replay::default();
    for (direction, mut path) in directions(scenario, seed, replication)?.into_iter().enumerate() {
        path.watch_cancel(cancel);
        let of = |record: &&Record| record.direction == direction as i64;
        let mut logged: Vec<Record> = log.iter().filter(of).copied().collect();
        logged.sort_by_key(copy_key);
        let replayed = replay_direction(path, direction, &logged, cancel, end)?;
        let packets = logged.chunk_by(is_same_packet).count();
        replay.packets += packets;
        replay.copies += logged.len() - packets;
        replay.differences.extend(differences(direction, &logged, &replayed, end));
    }
    Ok(replay)
}

/// The number of a packet and of its copy, which identify a record in its direction.
fn copy_key(record: &Record) -> (i64, i64) {
    (record.id, record.copy)
}

fn is_same_packet(record: &Record, other: &Record) -> bool {
    record.id == other.id
}

/// Sends the logged packets, once each, through one direction of the path; returns the records of those that come to
/// their end.
fn replay_direction(
    mut path: OneWayPath,
    direction: usize,
    logged: &[Record],
    cancel: &Cancel,
    end: Instant,
) -> Result<Vec<Record>, SpecError> {
    let mut replayed = Vec::with_capacity(logged.len());
    for records in logged.chunk_by(is_same_packet).take_while(|_| !cancel.is_set()) {
        path.push(records[0].packet());
        path.check()?;
        collect_records(&mut path, direction, &mut replayed);
    }
    path.finish(end);
    path.check()?;
    collect_records(&mut path, direction, &mut replayed);
    replayed.sort_by_key(copy_key);
    Ok(replayed)
}

fn collect_records(path: &mut OneWayPath, direction: usize, into: &mut Vec<Record>) {
    into.extend(std::iter::from_fn(|| path.take_lost()));
    let passed = std::iter::from_fn(|| path.take_delivered());
    into.extend(passed.map(|(at, p)| Record::new(direction, &p, at, Fate::Delivered, 0)));
}

/// Record of `other` as if it were still on the way.
fn record_on_the_way(direction: usize, other: &Record, end: Instant) -> Record {
    let record = Record::new(direction, &other.packet(), end, Fate::OnTheWay, 0);
    Record { copy: other.copy, ..record }
}

/// Compares logged and replayed records, both in the order of their keys.
fn differences(
    direction: usize,
    logged: &[Record],
    replayed: &[Record],
    end: Instant,
) -> Vec<Difference> {
    let in_other = |record: &Record, other: &[Record]| {
        let place = other.binary_search_by_key(&copy_key(record), copy_key);
        place.map_or_else(|_| record_on_the_way(direction, record, end), |place| other[place])
    };
    let of_log = logged.iter().map(|&r| Difference { logged: r, replayed: in_other(&r, replayed) });
    let new =
        replayed.iter().filter(|r| logged.binary_search_by_key(&copy_key(r), copy_key).is_err());
    let new =
        new.map(|&r| Difference { logged: record_on_the_way(direction, &r, end), replayed: r });
    let of_the_path = |r: &Record| (r.start, r.end, r.at, r.fate);
    let unlike = |pair: &Difference| of_the_path(&pair.logged) != of_the_path(&pair.replayed);
    let mut found: Vec<Difference> = of_log.chain(new).filter(unlike).collect();
    found.sort_by_key(|pair| copy_key(&pair.logged));
    found
}
