//! Connections whose packets lie on several interfaces of a file: each direction on one (asymmetric routes), some on each
//! (bonded devices), or one part behind the other (sections that programs appended). Interfaces that show the same
//! packets stay apart: each has the connection whole. So do connections that used the same ports one after the other.

use crate::connection::Endpoints;
use airtcp_capture::{Flags, Segment};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// A connection on one interface: the way of its first segment, and its segments.
pub(crate) type InterfaceConnection = (Endpoints, Vec<(bool, Segment)>);

/// Most comparisons of a connection with those of other interfaces; connections beyond them stay apart.
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
    for found in all {
        let its = known.entry(unordered_ends(found.0)).or_default();
        match its.places.iter().copied().find(|&place| {
            its.comparisons += 1;
            its.comparisons <= MAX_COMPARISONS && is_other_part(&joined[place], &found)
        }) {
            Some(place) => merge(&mut joined[place], found),
            None => {
                its.places.push(joined.len());
                joined.push(found);
            }
        }
    }
    joined
}

/// The two ends, whichever sent first.
fn unordered_ends(endpoints: Endpoints) -> (SocketAddr, SocketAddr) {
    (endpoints.source.min(endpoints.destination), endpoints.source.max(endpoints.destination))
}

/// Says that two connections are parts of one: of that with fewer packets fewer than half are in the other one too, and
/// they have not begun apart.
fn is_other_part(one: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    !begin_separately(one, other) && share_few_packets(one, other)
}

/// Says that an end sent a SYN in both, and never with the same number: it used its port again.
fn begin_separately(one: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    [one.0.source, one.0.destination].into_iter().any(|end| {
        let (mine, others) = (syn_numbers(one, end), syn_numbers(other, end));
        !mine.is_empty() && !others.is_empty() && mine.is_disjoint(&others)
    })
}

/// The numbers of the SYNs that an end sent.
fn syn_numbers((endpoints, segments): &InterfaceConnection, end: SocketAddr) -> BTreeSet<u32> {
    let sent = segments.iter().filter(|(first, _)| *first == (endpoints.source == end));
    sent.filter(|(_, one)| one.flags.has(Flags::SYN)).map(|(_, one)| one.seq).collect()
}

fn share_few_packets(one: &InterfaceConnection, other: &InterfaceConnection) -> bool {
    let (few, many) = if one.1.len() < other.1.len() { (one, other) } else { (other, one) };
    let seen: BTreeSet<_> = few.1.iter().map(|it| packet_key(few.0, it)).collect();
    let again: BTreeSet<_> =
        many.1.iter().map(|it| packet_key(many.0, it)).filter(|it| seen.contains(it)).collect();
    2 * again.len() < seen.len()
}

/// Values that tell a packet from others of its connection.
fn packet_key(
    endpoints: Endpoints,
    (first, one): &(bool, Segment),
) -> (SocketAddr, u32, u32, u32, u8) {
    let source = if *first { endpoints.source } else { endpoints.destination };
    (source, one.seq, one.ack, one.length, one.flags.0)
}

/// Merges segments in order of time; those of equal times in the order of the interfaces.
fn merge(into: &mut InterfaceConnection, (endpoints, more): InterfaceConnection) {
    let is_same = into.0.source == endpoints.source;
    let earlier = std::mem::take(&mut into.1);
    let mut later = more.into_iter().map(|(first, one)| (first == is_same, one)).peekable();
    for one in earlier {
        while let Some(before) = later.next_if(|other| other.1.time < one.1.time) {
            into.1.push(before);
        }
        into.1.push(one);
    }
    into.1.extend(later);
}
