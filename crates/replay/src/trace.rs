//! Events at a sender, in 64-bit counters: segments that it sent, segments that arrived.

use crate::artefact::{
    Artefact, UncapturedRetransmission, retransmissions, synthetic_times, uncaptured_answers,
};
use crate::captured_segments::CapturedSegments;
use crate::connection::Connection;
use crate::packets::MAX_PACKETS;
use crate::place;
use crate::system;
use airtcp_capture::SequenceCounter;
use airtcp_capture::{AnswerTimes, Flags, MAX_SACK_BLOCKS, Refusal, Segment};
use airtcp_linux::clock::TICK;
use airtcp_linux::sender::Establishment;

/// A segment that the sender sent, with data, FIN, or as a probe of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSegment {
    /// Time in ns of the capture.
    pub time: i64,
    /// First number.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// FIN.
    pub fin: bool,
    /// PSH.
    pub psh: bool,
}

/// A segment that arrived.
#[derive(Clone, Copy, Debug)]
pub struct ArrivedSegment {
    /// Time in ns of the capture.
    pub time: i64,
    /// Sequence number.
    pub seq: u64,
    /// Acknowledgement number.
    pub ack: u64,
    /// Window in bytes.
    pub window: u64,
    /// Bytes of data.
    pub len: u32,
    /// Flags.
    pub flags: Flags,
    /// SACK blocks; the first `blocks` entries are valid.
    pub sack: [(u64, u64); MAX_SACK_BLOCKS],
    /// Number of SACK blocks.
    pub blocks: usize,
    /// Timestamp and echo.
    pub stamps: Option<(u32, u32)>,
    /// True if the segment is in order and has no SACK blocks, so that header prediction may apply.
    pub header_predictable: bool,
}

/// A segment that the sender sent, or one that came.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The sender sent this segment.
    Sent(SentSegment),
    /// The sender received this segment.
    Arrived(ArrivedSegment),
}

impl Event {
    /// Time in ns of the capture.
    #[must_use]
    pub fn time(&self) -> i64 {
        match self {
            Event::Sent(sent) => sent.time,
            Event::Arrived(arrived) => arrived.time,
        }
    }
}

/// The sender's side of a connection.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Time at which the sender was established, in ns of the capture.
    pub start: i64,
    /// Outcome of the handshake; the offset of timestamps counts from the time of the capture.
    pub establishment: Establishment,
    /// Timestamp echoed at the end of the handshake, if only that echo gives the RTT.
    pub handshake_echo: Option<u32>,
    /// Events after the handshake.
    pub events: Vec<Event>,
    /// Number of segments of the sender among the events.
    pub segments: usize,
    /// Assumptions about facts that the capture does not show, in words.
    pub assumptions: Vec<String>,
    /// Pairs (time in ns, timestamp) of segments that the sender sent.
    pub stamps: Vec<(i64, u32)>,
    /// New data, from a number to before another, whose first transmission was not captured.
    pub uncaptured_data: Vec<(u64, u64)>,
    /// Repetitions that were not captured.
    pub uncaptured_retransmissions: Vec<UncapturedRetransmission>,
    /// Intervals in which the capture lacks records or parts of them; differences in them are not counted.
    pub unjudged_intervals: Vec<(i64, i64)>,
    /// Length (ns) of the sender's ticks, as far as its timestamps show it.
    pub tick: i64,
    /// Window in the SYN of the sender.
    pub first_window: u16,
    /// True if the host gave its device bursts to cut: packets were captured that hold several segments.
    pub sends_bursts: bool,
    /// Reasons why the sender cannot be Linux.
    pub against_linux: Vec<String>,
    /// Place where the capture was taken.
    pub answer_times: AnswerTimes,
    /// Artefacts of capturing.
    pub artefacts: Vec<Artefact>,
}

/// The handshake of a connection.
struct Handshake {
    client: bool,
    /// SYN and SYN-ACK, each the first copy.
    own_syn: Segment,
    peer_syn: Segment,
    copies: u32,
    start: i64,
    rtt_us: Option<u64>,
    echo: Option<u32>,
    /// The place of the first segment after it.
    first_segment: usize,
    /// The window that this segment advertises, and its number as a counter.
    window: (u64, u64),
    /// Times (ns) that the peer, and the sender, took to answer in the handshake.
    answer_times: Option<(i64, i64)>,
}

/// Microseconds by which the host measures a longer handshake RTT than the capture shows: it reads its clock before a
/// departing segment is captured, and after the answer is. BBR takes that round trip for the smallest
/// [crates/linux/rules/bbr.md rule 12].
const CAPTURE_LATENCY_US: i64 = 15;

/// Round trips after a gap in the capture during which the kernel's sender may know more than ours.
const UNJUDGED_ROUND_TRIPS: i64 = 2;

impl Handshake {
    /// Round trip of the connection in ns, as far as the capture shows it.
    fn rtt(&self) -> i64 {
        self.answer_times.map_or(0, |(own, theirs)| own.saturating_add(theirs))
    }
}

impl Trace {
    /// Makes the trace of a connection.
    ///
    /// # Errors
    /// If its numbers are impossible, or the capture lacks something that a replay needs.
    pub fn from_connection(connection: &Connection) -> Result<Trace, Refusal> {
        find_handshake(&connection.segments)
            .ok_or_else(|| missing_handshake(&connection.segments))?;
        let place = AnswerTimes::from_segments(
            connection.segments.iter().map(|(outgoing, segment)| (*outgoing, segment)),
        );
        place::check(place)?;
        synthetic_times::check(&connection.segments, place)?;
        let shown = CapturedSegments::from_segments(&connection.segments);
        let segments: &[(bool, Segment)] = &shown.segments;
        let shake = find_handshake(segments).ok_or_else(|| missing_handshake(segments))?;
        if shake.own_syn.truncated || shake.peer_syn.truncated {
            return Err(Refusal::Content(
                "keeps so few bytes of a packet that the options of the handshake are cut: replay asks for whole \
                 headers (tcpdump -s 128)"
                    .to_owned(),
            ));
        }
        let scale =
            shake.own_syn.options.scale.and(shake.peer_syn.options.scale).unwrap_or(0).min(14);
        let stamps = shake.own_syn.options.timestamps.is_some()
            && shake.peer_syn.options.timestamps.is_some();
        let establishment = establishment(&shake, scale, stamps);
        let mut trace = Trace {
            start: shake.start,
            establishment,
            handshake_echo: shake.echo.filter(|_| stamps && shake.rtt_us.is_none()),
            events: vec![],
            segments: 0,
            assumptions: shown.assumptions(),
            stamps: vec![],
            uncaptured_data: vec![],
            uncaptured_retransmissions: vec![],
            unjudged_intervals: vec![],
            tick: shown.timestamp_unit.max(TICK),
            first_window: shake.own_syn.window,
            sends_bursts: false,
            answer_times: place,
            against_linux: system::reasons_against_linux(segments, &shake.own_syn),
            artefacts: connection.artefacts.clone(),
        };
        let own = shake.own_syn.options.mss.map(u32::from);
        let full = full_segment_size(
            trace.establishment.mss_clamp,
            own,
            stamps,
            &segments[shake.first_segment..],
        );
        trace.establishment.mtu = full + HEADERS;
        if own.is_some_and(|own| full != own.min(trace.establishment.mss_clamp)) {
            trace
                .assumptions
                .push(format!("segments of up to {full} bytes with options, as those sent show"));
        }
        trace.assumptions.extend(connection.hidden_step.map(hidden_step_text));
        trace.add_segments(segments, &shake, scale)?;
        trace.note_recorded_late(&shown.recorded_late, shake.rtt());
        trace.note_uncaptured_answers(
            &uncaptured_answers::uncaptured_answers(segments),
            shake.rtt(),
        );
        trace.segments = trace.sent_segments().count();
        trace.uncaptured_retransmissions =
            retransmissions::uncaptured_retransmissions(&trace.events, shake.rtt());
        trace.note_uncaptured_data()?;
        Ok(trace)
    }

    fn add_segments(
        &mut self,
        segments: &[(bool, Segment)],
        shake: &Handshake,
        scale: u8,
    ) -> Result<(), Refusal> {
        let (mut own, mut theirs) =
            (SequenceCounter::new(shake.own_syn.seq), SequenceCounter::new(shake.peer_syn.seq));
        own.advance(shake.own_syn.seq.wrapping_add(1));
        theirs.advance(shake.peer_syn.seq.wrapping_add(1));
        let (mut sent_end, mut acked, mut window) = (1, 0, self.establishment.window);
        let gap = UNJUDGED_ROUND_TRIPS.saturating_mul(shake.rtt());
        for (outgoing, segment) in segments {
            if *outgoing && let Some((value, _)) = segment.options.timestamps {
                self.stamps.push((segment.time, value));
            }
        }
        for (outgoing, segment) in &segments[shake.first_segment..] {
            if segment.flags.contains(Flags::SYN) {
                continue;
            }
            if *outgoing {
                let seq = own.advance(segment.seq).filter(|&seq| seq <= sent_end + (1 << 31));
                let seq = seq
                    .ok_or_else(|| impossible_segment("a sequence number", segment, self.start))?;
                let fin = segment.flags.contains(Flags::FIN);
                // A pure ACK has the next number, a probe of the window the last one [crates/linux/rules/timers.md rule 24].
                let is_reset = segment.flags.contains(Flags::RST);
                let is_probe = segment.length == 0 && !fin && !is_reset && seq < sent_end;
                // With all acknowledged and room at the peer, it is one of a connection (keepalive), and no sender's.
                let is_probe = is_probe && !(acked >= sent_end && window >= u64::from(self.mss()));
                if segment.length > 0 || fin || is_probe {
                    if seq > sent_end {
                        self.uncaptured_data.push((sent_end, seq));
                        let since = self.events.last().map_or(self.start, Event::time);
                        self.unjudged_intervals.push((since, segment.time.saturating_add(gap)));
                    }
                    sent_end = sent_end.max(seq + u64::from(segment.length) + u64::from(fin));
                    let psh = segment.flags.contains(Flags::PSH);
                    self.add_as_on_wire(SentSegment {
                        time: segment.time,
                        seq,
                        len: segment.length,
                        fin,
                        psh,
                    })?;
                }
            } else if segment.flags.contains(Flags::ACK) {
                let at = impossible_segment("an acknowledgement", segment, self.start);
                let ack = own.nearest(segment.ack).ok_or(at)?;
                let expected = theirs.nearest(segment.seq);
                if segment.truncated {
                    let until = segment.time.saturating_add(gap);
                    self.unjudged_intervals.push((segment.time, until));
                }
                if ack > sent_end {
                    self.uncaptured_data.push((sent_end, ack));
                    sent_end = ack;
                }
                acked = acked.max(ack);
                window = u64::from(segment.window) << scale;
                let in_order = expected == Some(theirs.highest());
                let seq = theirs.advance(segment.seq).unwrap_or(0);
                self.events.push(Event::Arrived(arrived_segment(
                    segment, &own, ack, seq, scale, in_order,
                )));
                if segment.length > 0 || segment.flags.contains(Flags::FIN) {
                    let end = segment.seq.wrapping_add(segment.length);
                    theirs.advance(end.wrapping_add(u32::from(segment.flags.contains(Flags::FIN))));
                }
            }
            if segment.flags.contains(Flags::RST) {
                break;
            }
        }
        Ok(())
    }

    /// Records segments that were captured too late; events within some round trips after them are not compared.
    fn note_recorded_late(&mut self, late: &[i64], rtt: i64) {
        if !late.is_empty() {
            self.artefacts.push(Artefact::RecordedLate(late.len()));
            let aftermath = UNJUDGED_ROUND_TRIPS.saturating_mul(rtt);
            self.unjudged_intervals
                .extend(late.iter().map(|&at| (at, at.saturating_add(aftermath))));
        }
    }

    /// Records answers that were not captured; after them the kernel knew more than our sender.
    fn note_uncaptured_answers(&mut self, unheard: &[(i64, i64)], rtt: i64) {
        if !unheard.is_empty() {
            self.artefacts.push(Artefact::UncapturedAnswers(unheard.len()));
            let aftermath = UNJUDGED_ROUND_TRIPS.saturating_mul(rtt);
            let until = |at: i64| at.saturating_add(aftermath);
            self.unjudged_intervals.extend(unheard.iter().map(|&(since, at)| (since, until(at))));
        }
    }

    /// Notes data that were not captured. A capture that lacks more than it shows is refused: it is not worth a replay,
    /// and the gaps could be without bound.
    fn note_uncaptured_data(&mut self) -> Result<(), Refusal> {
        let bytes: u64 = self.uncaptured_data.iter().map(|(from, to)| to - from).sum();
        let shown: u64 = self.sent_segments().map(|sent| u64::from(sent.len)).sum();
        if bytes > shown {
            return Err(Refusal::Content(format!(
                "lacks {bytes} bytes that were sent and shows {shown}: replay asks for a capture that keeps up"
            )));
        }
        let again = self.uncaptured_retransmissions.len();
        if bytes > 0 || again > 0 {
            let segments = bytes.div_ceil(u64::from(self.mss().max(1)));
            self.artefacts.push(Artefact::Uncaptured { segments, bytes, retransmissions: again });
        }
        Ok(())
    }

    /// Returns true if the capture lacks records at that time.
    pub(crate) fn is_unjudged(&self, time: i64) -> bool {
        self.unjudged_intervals.iter().any(|&(from, to)| (from..=to).contains(&time))
    }

    /// The number after the last byte of data that is known to have been sent.
    pub(crate) fn data_end(&self) -> u64 {
        let shown =
            self.sent_segments().map(|sent| sent.seq + u64::from(sent.len)).max().unwrap_or(1);
        let unseen = self.uncaptured_data.last().map_or(1, |hole| hole.1);
        // A number of its own after the last byte belongs to a FIN.
        if unseen == shown + 1 { shown } else { shown.max(unseen) }
    }

    /// Adds segments as the device puts them on the wire: those above the MSS are cut, and the last piece has PSH and
    /// FIN [crates/linux/rules/sending.md]. A packet of a few bytes may claim 4 GB of data: its pieces are counted before they are
    /// made.
    fn add_as_on_wire(&mut self, whole: SentSegment) -> Result<(), Refusal> {
        let (mss, mut rest) = (self.mss().max(1), whole);
        if self.events.len() as u64 + u64::from(rest.len / mss) >= MAX_PACKETS {
            return Err(Refusal::Packets(MAX_PACKETS));
        }
        self.sends_bursts |= rest.len > mss;
        while rest.len > mss {
            self.events.push(Event::Sent(SentSegment { len: mss, fin: false, psh: false, ..rest }));
            (rest.seq, rest.len) = (rest.seq + u64::from(mss), rest.len - mss);
        }
        self.events.push(Event::Sent(rest));
        Ok(())
    }

    /// Bytes of a full segment [crates/linux/rules/sending.md rule 16].
    pub(crate) fn mss(&self) -> u32 {
        let handshake = &self.establishment;
        let mss = handshake.mss_clamp.min(handshake.mtu.saturating_sub(40));
        mss.saturating_sub(if handshake.timestamps.is_some() { 12 } else { 0 })
    }

    /// Segments that the sender sent.
    pub fn sent_segments(&self) -> impl Iterator<Item = &SentSegment> {
        self.events.iter().filter_map(|event| match event {
            Event::Sent(sent) => Some(sent),
            Event::Arrived(_) => None,
        })
    }
}

fn missing_handshake(segments: &[(bool, Segment)]) -> Refusal {
    let is_fast = segments
        .iter()
        .any(|(_, segment)| segment.flags.contains(Flags::SYN) && segment.length > 0);
    let why = match is_fast {
        true => "begins with data in its SYN (TCP Fast Open), which is not replayed",
        false => "has no handshake of this connection: replay starts with it",
    };
    Refusal::Content(why.to_owned())
}

/// Outcome of the handshake, as the sender knows it.
fn establishment(shake: &Handshake, scale: u8, stamps: bool) -> Establishment {
    let (own, peer) = (&shake.own_syn, &shake.peer_syn);
    Establishment {
        client: shake.client,
        mss_clamp: peer.options.mss.map_or(536, u32::from),
        mtu: 0,
        sack: own.options.sack_permitted && peer.options.sack_permitted,
        timestamps: stamps.then_some(0),
        ecn: negotiated_ecn(shake),
        window: shake.window.0 << if shake.client { 0 } else { scale },
        scale,
        seq: shake.window.1,
        rtt_us: shake.rtt_us,
        syn_copies: shake.copies,
        timeouts: shake.copies,
        first_syn_echoed: shake
            .echo
            .is_some_and(|echo| own.options.timestamps.is_some_and(|(value, _)| value == echo)),
        initial_window: 10,
    }
}

/// Report line on the largest clock step that would go unnoticed.
fn hidden_step_text(least: i64) -> String {
    format!(
        "the clock was not set forward by less than {:.1} s, nor while nothing was outstanding: without timestamps nothing \
         shows it",
        least as f64 / 1e9
    )
}

/// Bytes of IPv4 and TCP headers, which the kernel assumes for both versions of IP.
const HEADERS: u32 = 40;
/// The timestamp option with its padding.
const STAMPS: u32 = 12;
/// Least MSS that counts, so that its options leave room.
const MIN_MSS: u32 = 48;

/// Bytes of a full segment and its options. Only the MSS of the peer bounds them [RFC 9293 3.7.1]; the MSS of the
/// sender itself hints at the path's MTU, which its segments then show: those without PSH are full, or whole multiples
/// where a device cuts them.
fn full_segment_size(
    peer: u32,
    own: Option<u32>,
    stamps: bool,
    segments: &[(bool, Segment)],
) -> u32 {
    let options = if stamps { STAMPS } else { 0 };
    let sizes = segments.iter().filter(|(outgoing, segment)| {
        *outgoing
            && segment.length > 0
            && !segment.flags.contains(Flags::PSH)
            && !segment.flags.contains(Flags::SYN)
    });
    let mut sizes: Vec<u32> = sizes.map(|(_, segment)| segment.length).collect();
    sizes.sort_unstable();
    let usual = peer.min(own.unwrap_or(peer));
    let middle = sizes.get(sizes.len() / 2).map_or(usual, |size| size + options).min(peer);
    let fits = |&full: &u32| {
        let bytes = full.saturating_sub(options).max(1);
        sizes.iter().filter(|&size| size % bytes == 0).count()
    };
    // The first of those that explain most: what the handshake says, unless segments say otherwise.
    let mut best = (usual, fits(&usual));
    for candidate in [peer, middle] {
        let fitting = fits(&candidate);
        if candidate >= MIN_MSS + options && fitting > best.1 {
            best = (candidate, fitting);
        }
    }
    best.0
}

fn impossible_segment(message: &str, segment: &Segment, start: i64) -> Refusal {
    let at = (segment.time - start) as f64 / 1e9;
    Refusal::Content(format!("has {message} that cannot be, at {at:.6} s of the connection"))
}

fn arrived_segment(
    segment: &Segment,
    own: &SequenceCounter,
    ack: u64,
    seq: u64,
    scale: u8,
    in_order: bool,
) -> ArrivedSegment {
    let options = &segment.options;
    let mut sack = [(0, 0); MAX_SACK_BLOCKS];
    let mut blocks = 0;
    for &(left, right) in &options.sack[..usize::from(options.sack_count)] {
        if let (Some(left), Some(right)) = (own.nearest(left), own.nearest(right)) {
            sack[blocks] = (left, right);
            blocks += 1;
        }
    }
    ArrivedSegment {
        time: segment.time,
        seq,
        ack,
        window: u64::from(segment.window) << scale,
        len: segment.length,
        flags: segment.flags,
        sack,
        blocks,
        stamps: options.timestamps,
        header_predictable: in_order && blocks == 0,
    }
}

/// Reads the handshake from the first SYN and SYN-ACK; `None` without both.
fn find_handshake(segments: &[(bool, Segment)]) -> Option<Handshake> {
    let is = |segment: &Segment, ack: bool| {
        segment.flags.contains(Flags::SYN)
            && segment.flags.contains(Flags::ACK) == ack
            && !segment.flags.contains(Flags::RST)
    };
    let syn = segments.iter().position(|(_, segment)| is(segment, false))?;
    let (client, first) = segments[syn];
    let reply = |(outgoing, segment): &(bool, Segment)| {
        *outgoing != client && is(segment, true) && segment.ack == first.seq.wrapping_add(1)
    };
    let answer = syn + segments[syn..].iter().position(reply)?;
    let second = segments[answer].1;
    let copies = |upto: usize, who: bool| {
        let its =
            |record: &&(bool, Segment)| record.0 == who && record.1.flags.contains(Flags::SYN);
        segments[syn..upto].iter().filter(its).count() as u32 - 1
    };
    let micros = |from: i64, to: i64| u64::try_from((to - from) / 1000 + CAPTURE_LATENCY_US).ok();
    let third = segments[answer..].iter().find(|(outgoing, segment)| {
        *outgoing == client
            && !segment.flags.contains(Flags::SYN)
            && segment.ack == second.seq.wrapping_add(1)
    });
    let waits = third.map(|&(_, third)| (second.time - first.time, third.time - second.time));
    if client {
        let copies = copies(answer, true);
        return Some(Handshake {
            client,
            own_syn: first,
            peer_syn: second,
            copies,
            start: second.time,
            rtt_us: if copies == 0 { micros(first.time, second.time) } else { None },
            echo: second.options.timestamps.map(|(_, echo)| echo),
            first_segment: answer + 1,
            window: (u64::from(second.window), 0),
            answer_times: waits,
        });
    }
    let done = |(outgoing, segment): &(bool, Segment)| {
        !outgoing
            && !segment.flags.contains(Flags::SYN)
            && segment.ack == second.seq.wrapping_add(1)
    };
    let end = answer + segments[answer..].iter().position(done)?;
    let copies = copies(end, true);
    let last = segments[end].1;
    Some(Handshake {
        client,
        own_syn: second,
        peer_syn: first,
        copies,
        start: last.time,
        rtt_us: if copies == 0 { micros(second.time, last.time) } else { None },
        echo: last.options.timestamps.map(|(_, echo)| echo),
        first_segment: end + 1,
        window: (u64::from(last.window), 1),
        answer_times: waits.map(|(before, after)| (after, before)),
    })
}

/// Returns true if both ends negotiated ECN [RFC 3168 6.1.1].
fn negotiated_ecn(shake: &Handshake) -> bool {
    let (syn, answer) = if shake.client {
        (&shake.own_syn, &shake.peer_syn)
    } else {
        (&shake.peer_syn, &shake.own_syn)
    };
    let both = Flags(Flags::ECE.0 | Flags::CWR.0);
    syn.flags.contains(both)
        && answer.flags.contains(Flags::ECE)
        && !answer.flags.contains(Flags::CWR)
}
