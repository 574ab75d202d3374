//! Captures of one or several files, and what they show of each connection and flow.

use super::clean::{CopyCounts, MIN_COPIES, clean};
use super::datagrams::{self, NumberedDatagram, Numbering};
use super::direction::{Direction, HOST_ANSWER_TIME};
use super::oddity::Oddities;
use super::record::{Blocks, Record};
use super::sender::Findings;
use super::{Measurement, both, receiver, sender};
use airtcp_capture::{
    CapturePoint, CaptureSummary, CapturedSegment, Flags, PacketKind, Reader, Refusal,
};
use airtcp_core::{Cancel, CancelCheck};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Most connections and flows that are distinguished.
const MAX_CONNECTIONS: usize = 100_000;
/// Most segments and datagrams that are kept.
const MAX_RECORDS: u64 = 1 << 26;

/// A connection in a file, with the way of its first segment.
#[derive(Debug)]
struct Connection {
    file: usize,
    interface: u32,
    source: SocketAddr,
    destination: SocketAddr,
    records: Vec<Record>,
    blocks: Vec<Blocks>,
    /// MSS in the SYNs of the end that sent first, and of the other.
    mss: [Option<u16>; 2],
    /// Number of the first SYN of each end.
    syn: [Option<u32>; 2],
    copies: CopyCounts,
    oddities: Oddities,
}

/// A flow of UDP in a file.
#[derive(Debug)]
struct Flow {
    file: usize,
    source: SocketAddr,
    destination: SocketAddr,
    datagrams: Vec<NumberedDatagram>,
}

type FlowKey = (usize, u32, SocketAddr, SocketAddr);

/// Captures that are read, piece by piece and file by file.
#[derive(Debug, Default)]
pub struct Captures {
    numbering: Option<Numbering>,
    reader: Reader,
    file: usize,
    records_kept: u64,
    places: BTreeMap<FlowKey, usize>,
    connections: Vec<Connection>,
    flow_places: BTreeMap<FlowKey, usize>,
    flows: Vec<Flow>,
    /// Datagrams without the requested number, or for which none was requested.
    unnumbered: u64,
    summaries: Vec<CaptureSummary>,
}

impl Captures {
    /// Makes it for no file yet; datagrams count where their numbers are known.
    #[must_use]
    pub fn new(numbering: Option<Numbering>) -> Self {
        Captures { numbering, ..Captures::default() }
    }

    /// Takes the next piece of the file.
    ///
    /// # Errors
    /// If the file is no capture, or holds more than is kept.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        let mut reader = std::mem::take(&mut self.reader);
        let fed = reader.feed(piece, &mut |packet| self.take_packet(packet));
        self.reader = reader;
        fed
    }

    /// Ends the file: what is fed after it belongs to the next one.
    ///
    /// # Errors
    /// If the file is no capture.
    pub fn end_file(&mut self) -> Result<(), Refusal> {
        let reader = std::mem::take(&mut self.reader);
        let summary = reader.finish(&mut |packet| self.take_packet(packet))?;
        self.summaries.push(summary);
        self.file += 1;
        Ok(())
    }

    /// Packets of the files that were read to their ends.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.summaries.iter().map(|summary| summary.packets).sum()
    }

    fn take_packet(&mut self, packet: &PacketKind<'_>) -> Result<(), Refusal> {
        self.records_kept += 1;
        if self.records_kept > MAX_RECORDS {
            return Err(Refusal::Packets(MAX_RECORDS));
        }
        match packet {
            PacketKind::Segment(seen) => self.take_segment(seen),
            PacketKind::Datagram(datagram) => {
                let Some(number) =
                    self.numbering.and_then(|numbering| numbering.number_of(datagram))
                else {
                    self.unnumbered += 1;
                    return Ok(());
                };
                let flow_key =
                    (self.file, datagram.interface, datagram.source, datagram.destination);
                let place = *self.flow_places.entry(flow_key).or_insert(self.flows.len());
                if place == self.flows.len() {
                    if self.flows.len() >= MAX_CONNECTIONS {
                        return Err(Refusal::Connections(MAX_CONNECTIONS));
                    }
                    self.flows.push(Flow {
                        file: self.file,
                        source: datagram.source,
                        destination: datagram.destination,
                        datagrams: vec![],
                    });
                }
                let numbered =
                    NumberedDatagram { time: datagram.time, number, size: datagram.size };
                self.flows[place].datagrams.push(numbered);
                Ok(())
            }
        }
    }

    fn take_segment(&mut self, seen: &CapturedSegment) -> Result<(), Refusal> {
        let flow_key = (self.file, seen.interface, seen.source, seen.destination);
        let back = (self.file, seen.interface, seen.destination, seen.source);
        let segment = &seen.segment;
        let known = self.places.get(&flow_key).or_else(|| self.places.get(&back)).copied();
        // A SYN with another number begins another connection between the same ports.
        let known = known.filter(|&place| {
            let connection = &self.connections[place];
            let end = usize::from(connection.source != seen.source);
            let is_other = connection.syn[end].is_some_and(|syn| syn != segment.seq);
            !(segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK) && is_other)
        });
        let place = known.unwrap_or(self.connections.len());
        if place == self.connections.len() {
            if self.connections.len() >= MAX_CONNECTIONS {
                return Err(Refusal::Connections(MAX_CONNECTIONS));
            }
            self.places.remove(&back);
            self.places.insert(flow_key, place);
            self.connections.push(Connection {
                file: self.file,
                interface: seen.interface,
                source: seen.source,
                destination: seen.destination,
                records: vec![],
                blocks: vec![],
                mss: [None; 2],
                syn: [None; 2],
                copies: CopyCounts::default(),
                oddities: Oddities::default(),
            });
        }
        let connection = &mut self.connections[place];
        let outgoing = connection.source == seen.source;
        if segment.flags.contains(Flags::SYN) {
            let end = usize::from(!outgoing);
            connection.syn[end] = connection.syn[end].or(Some(segment.seq));
            connection.mss[end] = connection.mss[end].or(segment.options.mss);
        }
        let record = Record::from_segment(segment, outgoing, &mut connection.blocks);
        connection.records.push(record);
        Ok(())
    }

    /// All directions that carry data, or those of one connection, in the order in which they begin; `None` if the work
    /// was cancelled. `done` is called with the number of connections and flows that are judged, and of all.
    ///
    /// # Errors
    /// If there are none, or not the one that is asked for, or if they hold more packets than are kept.
    pub fn measure(
        self,
        asked: Option<usize>,
        cancel: &Cancel,
        mut done: impl FnMut(usize, usize),
    ) -> Result<Option<Vec<Measurement>>, Refusal> {
        let Captures { numbering, connections, flows, unnumbered, summaries: rests, .. } = self;
        let all = connections.len() + flows.len();
        if let Some(number) = asked.filter(|&number| number >= all) {
            return Err(Refusal::Content(format!(
                "connection = {number}: is not one of its {all}, which count from 0"
            )));
        }
        let is_asked = |number: usize| asked.is_none_or(|wanted| wanted == number);
        let flows_from = connections.len();
        let wanted = connections.into_iter().enumerate().filter(|(number, _)| is_asked(*number));
        let mut wanted: Vec<Connection> = wanted.map(|(_, connection)| connection).collect();
        for connection in &mut wanted {
            if cancel.is_set() {
                return Ok(None);
            }
            connection.note_damage(&rests);
            connection.clean(cancel);
        }
        let mut measurements = vec![];
        let mut judged = 0;
        let mut with_ports = BTreeMap::<_, Vec<usize>>::new();
        for (at, connection) in wanted.iter().enumerate() {
            with_ports.entry(connection.ports()).or_default().push(at);
        }
        let mut wanted: Vec<Option<Connection>> = wanted.into_iter().map(Some).collect();
        for at in 0..wanted.len() {
            let Some(connection) = wanted[at].take() else { continue };
            let near = with_ports[&connection.ports()]
                .iter()
                .filter(|&&other| other > at)
                .take(MAX_COMPARED);
            let same =
                |&&other: &&usize| wanted[other].as_ref().is_some_and(|it| connection.is_same(it));
            let other = near.copied().collect::<Vec<_>>().iter().find(same).copied();
            let other = other.and_then(|other| wanted[other].take());
            for outgoing in [true, false] {
                let measured = connection.measure(other.as_ref(), outgoing, cancel)?;
                if cancel.is_set() {
                    return Ok(None);
                }
                measurements.extend(measured);
            }
            judged += 1 + usize::from(other.is_some());
            done(judged, all);
        }
        let mut uncounted = 0;
        for (number, flow) in flows.into_iter().enumerate() {
            let Some(numbering) = numbering.filter(|_| is_asked(flows_from + number)) else {
                continue;
            };
            if cancel.is_set() {
                return Ok(None);
            }
            if datagrams::is_numbered(&flow.datagrams, numbering) {
                measurements.push(flow.measure(numbering, &rests)?);
            } else {
                uncounted += 1;
            }
            judged += 1;
            done(judged, all);
        }
        if measurements.is_empty() {
            return Err(Refusal::Content(nothing_measured_text(
                numbering, uncounted, unnumbered, &rests,
            )));
        }
        measurements.sort_by_key(|measurement| std::cmp::Reverse(measurement.rows.len()));
        Ok(Some(measurements))
    }
}

/// Refusal text for captures of which nothing can be measured.
fn nothing_measured_text(
    numbering: Option<Numbering>,
    uncounted: usize,
    unnumbered: u64,
    rests: &[CaptureSummary],
) -> String {
    let mut unread = BTreeMap::<&str, u64>::new();
    for (name, packets) in rests.iter().flat_map(|summary| &summary.unread) {
        *unread.entry(name).or_default() += packets;
    }
    let texts: Vec<String> =
        unread.iter().map(|(name, packets)| format!("{name} (packets: {packets})")).collect();
    let but = if texts.is_empty() {
        String::new()
    } else {
        format!("; not read is {}", texts.join(", "))
    };
    match numbering {
        None if unnumbered > 0 => format!(
            "has no TCP connection that carries data, and {unnumbered} datagrams of UDP: udp_sequence says where their \
             numbers stand{but}"
        ),
        None => format!("has no TCP connection that carries data{but}"),
        Some(_) => format!(
            "has no TCP connection that carries data, nor a flow of UDP whose datagrams are counted there: {uncounted} \
             flows have other bytes in that place{but}"
        ),
    }
}

/// Notes the damaged part of a file.
fn note_damage(oddities: &mut Oddities, rest: Option<&CaptureSummary>) {
    let Some(damage) = rest.and_then(|summary| summary.damage) else { return };
    oddities.record("damage", 1, || match damage.is_truncated {
        true => format!(
            "the file is cut within the packet that begins at byte {}: the {} before it count",
            damage.at, damage.packets
        ),
        false => format!(
            "the last {} bytes, from byte {} on, are no packets: the {} before them count",
            damage.bytes, damage.at, damage.packets
        ),
    });
}

impl Flow {
    fn measure(
        self,
        numbering: Numbering,
        rests: &[CaptureSummary],
    ) -> Result<Measurement, Refusal> {
        let mut oddities = Oddities::default();
        note_damage(&mut oddities, rests.get(self.file));
        let began = self.datagrams.first().map_or(0, |datagram| datagram.time);
        let findings = datagrams::fates(&self.datagrams, numbering, oddities)?;
        let about =
            format!("{} to {}, at the receiver's end or on the way", self.source, self.destination);
        Ok(build_measurement(findings, vec![self.file], false, about, began))
    }
}

impl Connection {
    /// Removes artefacts of capturing from the records.
    fn clean(&mut self, cancel: &Cancel) {
        self.copies = clean(&mut self.records, &self.blocks, &mut self.oddities, cancel);
    }

    fn note_damage(&mut self, rests: &[CaptureSummary]) {
        note_damage(&mut self.oddities, rests.get(self.file));
    }

    fn direction(&self, outgoing: bool) -> Direction<'_> {
        let mss = self.mss[usize::from(outgoing)];
        Direction { records: &self.records, blocks: &self.blocks, outgoing, mss }
    }

    /// Returns true if another capture shows the same connection from another place: same ports, and numbers that are
    /// the same.
    fn is_same(&self, other: &Connection) -> bool {
        if (self.file, self.interface) == (other.file, other.interface) {
            return false;
        }
        let ports =
            |connection: &Connection| (connection.source.port(), connection.destination.port());
        let (own, others) = (ports(self), ports(other));
        let is_turned = own != others && own == (others.1, others.0);
        if own != others && !is_turned {
            return false;
        }
        let numbers = |connection: &Connection,
                       turned: bool|
         -> std::collections::BTreeSet<(bool, u32, u32)> {
            let its = connection.records.iter().take(SAMPLE);
            its.map(|record| (record.is_outgoing() != turned, record.seq, record.ack)).collect()
        };
        let (mine, theirs) = (numbers(self, false), numbers(other, is_turned));
        let shared = mine.intersection(&theirs).count();
        shared > 0 && shared * 2 >= mine.len().min(theirs.len())
    }

    /// The ports of both ends, whichever sent first.
    fn ports(&self) -> (u16, u16) {
        let (source, destination) = (self.source.port(), self.destination.port());
        (source.min(destination), source.max(destination))
    }

    /// The way between two ends.
    fn addresses(&self, outgoing: bool) -> (SocketAddr, SocketAddr) {
        if outgoing { (self.source, self.destination) } else { (self.destination, self.source) }
    }

    fn measure(
        &self,
        other: Option<&Connection>,
        outgoing: bool,
        cancel: &Cancel,
    ) -> Result<Option<Measurement>, Refusal> {
        let direction = self.direction(outgoing);
        let (source, destination) = self.addresses(outgoing);
        let Some(other) = other else { return self.measure_alone(outgoing, cancel) };
        let turned = self.source.port() != other.source.port();
        let others = other.direction(outgoing != turned);
        if direction.first_number().is_none() || others.first_number().is_none() {
            let (connection, is_outgoing) = match direction.first_number() {
                Some(_) => (self, outgoing),
                None => (other, others.outgoing),
            };
            return connection.measure_alone(is_outgoing, cancel);
        }
        // The sender's end is where its peer takes longer to answer than in the other place.
        let answers = |direction: Direction<'_>| {
            let (place, _) = direction.answer_times_and_place();
            let (sender, receiver) = (place.sender.unwrap_or(0), place.receiver.unwrap_or(0));
            receiver.saturating_sub(sender)
        };
        let is_first = answers(direction) >= answers(others);
        let (left, came) = if is_first { (direction, others) } else { (others, direction) };
        let mut oddities = self.oddities.clone();
        for oddity in other.oddities.clone().into_vec() {
            oddities.record(oddity.kind, oddity.count, || oddity.message);
        }
        self.note_copies(&mut oddities);
        other.note_copies(&mut oddities);
        let began = left.data_segments().next().map_or(0, |record| record.time);
        let found = both::fates(left, came, oddities, CancelCheck::new(cancel))?;
        let about = format!("{source} to {destination}, at both ends");
        let mut files = vec![self.file, other.file];
        files.dedup();
        Ok(found.map(|findings| build_measurement(findings, files, true, about, began)))
    }

    /// The direction as this capture alone shows it.
    fn measure_alone(
        &self,
        outgoing: bool,
        cancel: &Cancel,
    ) -> Result<Option<Measurement>, Refusal> {
        let direction = self.direction(outgoing);
        let (source, destination) = self.addresses(outgoing);
        let Some(first) = direction.data_segments().next() else { return Ok(None) };
        let (place, whereabouts) = direction.answer_times_and_place();
        let mut oddities = self.oddities.clone();
        let artefacts = self.note_copies(&mut oddities);
        let is_receiver = match whereabouts {
            CapturePoint::Receiver => true,
            CapturePoint::Unknown => place.receiver.is_some_and(|took| took <= HOST_ANSWER_TIME),
            _ => false,
        };
        let watch = CancelCheck::new(cancel);
        let found = match is_receiver {
            true => receiver::fates(direction, place.sender, oddities, watch)?,
            false => sender::fates(direction, oddities, watch)?,
        };
        let at = match whereabouts {
            _ if is_receiver => "the receiver's end",
            CapturePoint::Middle => {
                "a place between both ends, so that losses before it are missing"
            }
            CapturePoint::NearSender => "a place near the sender's end",
            _ => "the sender's end",
        };
        let about = format!("{source} to {destination}, at {at}");
        Ok(found.map(|mut findings| {
            if !artefacts {
                let copies = if outgoing { self.copies.outgoing } else { self.copies.incoming };
                findings.duplicated += copies;
            }
            build_measurement(findings, vec![self.file], true, about, first.time)
        }))
    }

    /// Returns true if the capture made copies, which no network does of packets of both ends; false if there are none
    /// such.
    fn note_copies(&self, oddities: &mut Oddities) -> bool {
        let CopyCounts { outgoing, incoming } = self.copies;
        let all = outgoing + incoming;
        let is_capture =
            outgoing > 0 && incoming > 0 || all * MIN_COPIES > self.records.len() as u64;
        if is_capture {
            oddities.record("copies", all, || {
                format!("{all} packets were recorded twice, and count once")
            });
        }
        is_capture
    }
}

/// Connections between the same ports among which another capture of one is looked for.
const MAX_COMPARED: usize = 16;
/// Records on which connections are compared.
const SAMPLE: usize = 2000;

fn build_measurement(
    findings: Findings,
    files: Vec<usize>,
    is_tcp: bool,
    about: String,
    began: i64,
) -> Measurement {
    Measurement {
        files,
        is_tcp,
        description: about,
        began,
        rows: findings.rows,
        delays: findings.delays,
        reordered: findings.reordered,
        duplicated: findings.duplicated,
        oddities: findings.oddities.into_vec(),
    }
}
