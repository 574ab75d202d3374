//! The connection of a capture whose sender is replayed: the one with most data.

use crate::capture::{self, Flags, Refusal, Seen, Segment};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Most connections that are told apart.
const MOST_CONNECTIONS: usize = 100_000;

/// One direction of a connection on one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Interface by its place in the file.
    pub interface: u32,
    /// Who sends.
    pub source: SocketAddr,
    /// To whom.
    pub destination: SocketAddr,
}

impl Way {
    fn of(seen: &Seen) -> Self {
        Way { interface: seen.interface, source: seen.source, destination: seen.destination }
    }

    fn back(self) -> Self {
        Way { source: self.destination, destination: self.source, ..self }
    }
}

/// The segments of one connection in their order.
#[derive(Clone, Debug)]
pub struct Connection {
    /// From the sender to the receiver.
    pub way: Way,
    /// Segments, and whether the sender sent them.
    pub segments: Vec<(bool, Segment)>,
    /// The first comment of the file.
    pub comment: Option<Vec<u8>>,
}

/// The connection with most data one way.
///
/// # Errors
/// If the bytes are no capture, or nobody sends data in it.
pub fn busiest(bytes: &[u8]) -> Result<Connection, Refusal> {
    let mut volumes: BTreeMap<Way, u64> = BTreeMap::new();
    let mut too_many = false;
    let comment = capture::read(bytes, |seen| {
        let way = Way::of(seen);
        if volumes.len() < MOST_CONNECTIONS || volumes.contains_key(&way) {
            *volumes.entry(way).or_default() += u64::from(seen.segment.length);
        } else {
            too_many = true;
        }
    })?;
    if too_many {
        return Err(Refusal::Connections(MOST_CONNECTIONS));
    }
    let some = volumes.into_iter().filter(|&(_, volume)| volume > 0);
    let most = some.max_by_key(|&(way, volume)| (volume, std::cmp::Reverse(way)));
    let Some((way, _)) = most else {
        return Err(Refusal::Content("has no TCP connection that carries data".to_owned()));
    };
    let mut segments = vec![];
    capture::read(bytes, |seen| {
        let its = Way::of(seen);
        if its == way || its == way.back() {
            segments.push((its == way, seen.segment));
        }
    })?;
    keep_longest(&mut segments);
    Ok(Connection { way, segments, comment: comment.map(<[u8]>::to_vec) })
}

/// Drops all but the longest of several connections between the same ports.
fn keep_longest(segments: &mut Vec<(bool, Segment)>) {
    let is_start =
        |one: &(bool, Segment)| one.1.flags.has(Flags::SYN) && !one.1.flags.has(Flags::ACK);
    let mut starts: Vec<usize> = vec![0];
    let mut numbers: Option<u32> = None;
    for (at, one) in segments.iter().enumerate().filter(|(_, one)| is_start(one)) {
        if numbers.is_some_and(|before| before != one.1.seq) {
            starts.push(at);
        }
        numbers = Some(one.1.seq);
    }
    starts.push(segments.len());
    if let Some(longest) = starts.windows(2).max_by_key(|pair| pair[1] - pair[0]) {
        segments.truncate(longest[1]);
        segments.drain(..longest[0]);
    }
}
