//! Connections whose packets lie on several interfaces of a file: each direction on one (asymmetric routes), some on each
//! (bonded devices), or one part behind the other (sections that programs appended). Interfaces that show the same
//! packets stay apart: each has the connection whole. So do connections that used the same ports one after the other.

use crate::connection::Endpoints;
use airtcp_capture::{Flags, Segment};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// A connection on one interface: the way of its first segment, and its segments.
pub(crate) type InterfaceConnection = (Endpoints, Vec<(bool, Segment)>);

/// Most comparisons of one connection with connections of other interfaces; further ones are not joined.
const MAX_COMPARISONS: usize = 16;

/// The places of a connection among the joined ones, and the number of comparisons made.
#[derive(Default)]
struct JoinSearch {
    places: Vec<usize>,
    comparisons: usize,
}

/// Joins connections that lie on several interfaces, in order of their beginnings.
pub(crate) fn join_interfaces(all: Vec<InterfaceConnection>) -> Vec<InterfaceConnection> {
    let mut joined: Vec<InterfaceConnection> = vec![];
    let mut known: BTreeMap<(SocketAddr, SocketAddr), JoinSearch> = BTreeMap::new();
    for connection in all {
        let search = known.entry(unordered_ends(connection.0)).or_default();
        match search.places.iter().copied().find(|&place| {
            search.comparisons += 1;
            search.comparisons <= MAX_COMPARISONS && is_other_part(&joined[place], &connection)
        }) {
            Some(place) => merge_segments(&mut joined[place], connection),
            None => {
                search.places.push(joined.len());
                joined.push(connection);
            }
        }
    }
    joined
}

/// The two ends, whichever sent first.
fn unordered_ends(endpoints: Endpoints) -> (SocketAddr, SocketAddr) {
    (endpoints.source.min(endpoints.destination), endpoints.source.max(endpoints.destination))
}

/// Returns true if two connections are parts of one: they share fewer than half of the smaller one's packets, and did
/// not begin separately.
fn is_other_part(connection: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    !begin_separately(connection, other) && share_few_packets(connection, other)
}

/// Returns true if an end sent SYNs in both with different initial numbers, so that it reused its port.
fn begin_separately(connection: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    [connection.0.source, connection.0.destination].into_iter().any(|end| {
        let (mine, others) = (syn_numbers(connection, end), syn_numbers(other, end));
        !mine.is_empty() && !others.is_empty() && mine.is_disjoint(&others)
    })
}

/// The numbers of the SYNs that an end sent.
fn syn_numbers((endpoints, segments): &InterfaceConnection, end: SocketAddr) -> BTreeSet<u32> {
    let sent = segments.iter().filter(|(first, _)| *first == (endpoints.source == end));
    sent.filter(|(_, segment)| segment.flags.contains(Flags::SYN))
        .map(|(_, segment)| segment.seq)
        .collect()
}

fn share_few_packets(connection: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    let (few, many) =
        if connection.1.len() < other.1.len() { (connection, other) } else { (other, connection) };
    let seen: BTreeSet<_> = few.1.iter().map(|record| packet_key(few.0, record)).collect();
    let again: BTreeSet<_> = many
        .1
        .iter()
        .map(|record| packet_key(many.0, record))
        .filter(|it| seen.contains(it))
        .collect();
    2 * again.len() < seen.len()
}

/// Fields that identify a packet within its connection.
fn packet_key(
    endpoints: Endpoints,
    (first, segment): &(bool, Segment),
) -> (SocketAddr, u32, u32, u32, u8) {
    let source = if *first { endpoints.source } else { endpoints.destination };
    (source, segment.seq, segment.ack, segment.length, segment.flags.0)
}

/// Merges segments in order of time; those of equal times in the order of the interfaces.
fn merge_segments(into: &mut InterfaceConnection, (endpoints, more): InterfaceConnection) {
    let is_same = into.0.source == endpoints.source;
    let earlier = std::mem::take(&mut into.1);
    let mut later = more.into_iter().map(|(first, segment)| (first == is_same, segment)).peekable();
    for record in earlier {
        while let Some(before) = later.next_if(|other| other.1.time < record.1.time) {
            into.1.push(before);
        }
        into.1.push(record);
    }
    into.1.extend(later);
}
