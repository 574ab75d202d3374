//! The connections of a capture, and the directions whose sender can be replayed.

use crate::artefact::{Artefact, copies, order, steps};
use crate::interfaces;
use crate::packets;
use airtcp_capture::{CaptureSummary, CapturedSegment, Flags, Refusal, Segment};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// At most one packet in this many is accidentally shorter than its claimed length.
const MAX_SHORT_PART: usize = 10;
/// Most connections in a capture.
const MAX_CONNECTIONS: usize = 100_000;

/// One direction of a connection; before the interfaces are joined, on one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoints {
    /// Interface by its place in the file.
    pub interface: u32,
    /// Address of the sender.
    pub source: SocketAddr,
    /// Address of the receiver.
    pub destination: SocketAddr,
}

impl Endpoints {
    fn from_segment(seen: &CapturedSegment) -> Self {
        Endpoints { interface: seen.interface, source: seen.source, destination: seen.destination }
    }

    fn reversed(self) -> Self {
        Endpoints { source: self.destination, destination: self.source, ..self }
    }
}

/// The segments of one connection in their order.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Number of the connection in the file, from 0, by the first segment.
    pub number: usize,
    /// Direction from the sender to the receiver.
    pub endpoints: Endpoints,
    /// Bytes of data that the sender sent, repeated ones too.
    pub volume: u64,
    /// Segments, each with true if the sender sent it.
    pub segments: Vec<(bool, Segment)>,
    /// The first comment of the file.
    pub comment: Option<Vec<u8>>,
    /// Artefacts of capturing in these segments.
    pub artefacts: Vec<Artefact>,
    /// Largest step (ns) of the clock that would go unnoticed; `None` if timestamps show every step.
    pub hidden_step: Option<i64>,
}

/// The connections of a capture.
#[derive(Debug)]
pub struct Connections {
    /// Segments of the connections, in order of their beginnings, with the direction of the first segment.
    connections: Vec<(Endpoints, Vec<(bool, Segment)>)>,
    summary: CaptureSummary,
}

impl Connections {
    /// Reads the connections of a capture.
    ///
    /// # Errors
    /// If the bytes are no capture.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut places: BTreeMap<Endpoints, usize> = BTreeMap::new();
        let mut all: Vec<(Endpoints, Vec<(bool, Segment)>)> = vec![];
        let mut too_many = false;
        let summary = packets::read(bytes, |seen| {
            let endpoints = Endpoints::from_segment(seen);
            let known =
                places.get(&endpoints).or_else(|| places.get(&endpoints.reversed())).copied();
            let place = known.unwrap_or(all.len());
            if place == all.len() {
                too_many |= all.len() >= MAX_CONNECTIONS;
                if too_many {
                    return;
                }
                places.insert(endpoints, place);
                all.push((endpoints, vec![]));
            }
            let (first, segments) = &mut all[place];
            segments.push((*first == endpoints, seen.segment));
        })?;
        if too_many {
            return Err(Refusal::Connections(MAX_CONNECTIONS));
        }
        Ok(Connections { connections: interfaces::join_interfaces(all), summary })
    }

    /// The number of connections.
    #[must_use]
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// Returns true if there is no connection.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// All directions that carry data, of all connections or of the given one, in descending order of data.
    ///
    /// # Errors If there is none, or the given connection does not exist.
    pub fn data_directions(&self, asked: Option<usize>) -> Result<Vec<DataDirection>, Refusal> {
        if let Some(number) = asked.filter(|&number| number >= self.connections.len()) {
            return Err(Refusal::Content(format!(
                "connection = {number}: is not one of its {}, which count from 0",
                self.connections.len()
            )));
        }
        let numbers = (0..self.connections.len())
            .filter(|&number| asked.is_none_or(|wanted| wanted == number));
        let mut senders: Vec<DataDirection> = numbers
            .flat_map(|number| [false, true].map(|back| self.data_direction(number, back)))
            .filter(|sender| sender.volume > 0)
            .collect();
        senders.sort_by_key(|sender| (std::cmp::Reverse(sender.volume), sender.number));
        if senders.is_empty() {
            return Err(Refusal::Content(no_connection_text(&self.summary.unread)));
        }
        Ok(senders)
    }

    fn data_direction(&self, number: usize, back: bool) -> DataDirection {
        let (endpoints, segments) = &self.connections[number];
        let own = segments.iter().filter(|record| record.0 != back);
        let volume = own.map(|(_, segment)| u64::from(segment.length)).sum();
        DataDirection {
            number,
            reversed: back,
            volume,
            endpoints: if back { endpoints.reversed() } else { *endpoints },
        }
    }

    /// The connection from the side of this sender, with artefacts of capturing put right.
    #[must_use]
    pub fn connection(&self, sender: &DataDirection) -> Connection {
        let records = &self.connections[sender.number].1;
        let mut segments: Vec<_> = records
            .iter()
            .map(|&(endpoints, segment)| (endpoints != sender.reversed, segment))
            .collect();
        keep_longest_connection(&mut segments);
        let (artefacts, hidden_step) = remove_artefacts(&mut segments, &self.summary);
        Connection {
            number: sender.number,
            endpoints: sender.endpoints,
            volume: sender.volume,
            segments,
            comment: self.summary.comment.clone(),
            artefacts,
            hidden_step,
        }
    }
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug)]
pub struct DataDirection {
    /// The connection.
    pub number: usize,
    reversed: bool,
    /// Bytes of data.
    pub volume: u64,
    /// Direction from the sender to the receiver.
    pub endpoints: Endpoints,
}

/// Refusal text for a capture without a connection, which lists the packets that were not read.
fn no_connection_text(unread: &BTreeMap<&'static str, u64>) -> String {
    let texts: Vec<String> =
        unread.iter().map(|(name, packets)| format!("{name} (packets: {packets})")).collect();
    let tunnels = texts.join(", ");
    let but = if texts.is_empty() { String::new() } else { format!("; not read: {tunnels}") };
    format!("has no TCP connection that carries data{but}")
}

/// Names the artefacts of capturing in the segments, and puts them right where that is possible.
fn remove_artefacts(
    segments: &mut Vec<(bool, Segment)>,
    summary: &CaptureSummary,
) -> (Vec<Artefact>, Option<i64>) {
    let mut artefacts: Vec<Artefact> = summary.damage.map(Artefact::Damage).into_iter().collect();
    let cut = segments.iter().filter(|record| record.1.truncated).count();
    if cut > 0 {
        artefacts.push(Artefact::Truncated { segments: cut, kept: summary.snap_length });
    }
    let short = drop_short(segments);
    if short > 0 {
        artefacts.push(Artefact::ShorterThanClaimed(short));
    }
    let copies = copies::drop_copies(segments);
    if copies > 0 {
        artefacts.push(Artefact::Copies(copies));
    }
    let behind = order::restore_order(segments);
    if behind > 0 {
        artefacts.push(Artefact::Disorder(behind));
    }
    let start = segments.first().map_or(0, |record| record.1.time);
    let at: Vec<i64> = segments.iter().map(|record| record.1.time.saturating_sub(start)).collect();
    let (steps, unseen) = steps::undo_steps(segments);
    if !steps.is_empty() {
        let seconds = |ns: i64| ns as f64 / 1e9;
        let listed =
            steps.iter().map(|&(place, by)| (seconds(at[place - 1]), seconds(by))).collect();
        artefacts.push(Artefact::Steps(listed));
    }
    (artefacts, unseen)
}

/// Drops packets shorter than their claimed length, which no host accepts, and returns their number. If there are many,
/// a tool has truncated them, and they are kept.
fn drop_short(segments: &mut Vec<(bool, Segment)>) -> usize {
    let (all, short) =
        (segments.len(), segments.iter().filter(|record| record.1.shorter_than_claimed).count());
    if short * MAX_SHORT_PART > all {
        return 0;
    }
    segments.retain(|record| !record.1.shorter_than_claimed);
    short
}

/// Drops all but the longest of several connections between the same ports. The SYN of the other end is none of another:
/// both may open at once [RFC 9293 3.5].
fn keep_longest_connection(segments: &mut Vec<(bool, Segment)>) {
    let is_start = |record: &(bool, Segment)| {
        record.1.flags.contains(Flags::SYN) && !record.1.flags.contains(Flags::ACK)
    };
    let mut starts: Vec<usize> = vec![0];
    let mut first: Option<(bool, u32)> = None;
    for (at, (outgoing, segment)) in
        segments.iter().enumerate().filter(|(_, record)| is_start(record))
    {
        match first {
            Some((endpoints, number)) if endpoints != *outgoing || number == segment.seq => {
                continue;
            }
            Some(_) => starts.push(at),
            None => {}
        }
        first = Some((*outgoing, segment.seq));
    }
    starts.push(segments.len());
    if let Some(longest) = starts.windows(2).max_by_key(|pair| pair[1] - pair[0]) {
        segments.truncate(longest[1]);
        segments.drain(..longest[0]);
    }
}
