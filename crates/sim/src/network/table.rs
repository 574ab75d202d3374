//! The event table as records of fixed layout, which NumPy reads as they are: one record per event, one
//! per event that shows the sender's state, one whenever what changes seldom in that state has changed,
//! one per ACK with SACK blocks. Records are short because fresh memory costs about as much as filling it.

use super::observer::{DatagramEvent, Event, LossEvent, Observer, PacketEvent};
use super::packet::Packet;
use super::sender_state::{SenderState, SlowState};
use airtcp_core::Instant;
use airtcp_radio::{LinkHistory, LossCause};
use airtcp_tcp::{ProbeId, ProbeKind, Sack, Segment};

/// Names of fields and NumPy's names of their types, in order, without gaps.
pub type RecordLayout = &'static [(&'static str, &'static str)];

/// Columns that every event has.
pub const EVENT: RecordLayout = &[
    ("time_ns", "<i8"),
    ("seq", "<i8"),
    ("length", "<i4"),
    ("size", "<i4"),
    ("flow", "<i4"),
    ("node", "<i2"),
    ("event", "|i1"),
    ("cause", "|i1"),
];

/// The sender's state after the events that show it: `send`, `resend`, `ack`, `timeout`; `steady` is the
/// number of the [`SLOW_STATE`] record with the rest of it.
pub const STATE: RecordLayout =
    &[("cwnd", "<f8"), ("inflight", "<i8"), ("dupacks", "<i4"), ("steady", "<u4")];

/// Columns of the state of a flow's sender that changes seldom.
pub const SLOW_STATE: RecordLayout = &[
    ("ssthresh", "<f8"),
    ("rto", "<f8"),
    ("srtt", "<f8"),
    ("rttvar", "<f8"),
    ("backoff", "<i4"),
    ("flow", "<i4"),
];

/// The number of an event, and the SACK blocks that its ACK carries; zeros where there is no block.
pub const SACK: RecordLayout = &[("row", "<i8"), ("blocks", "(4,2)<i8")];
const BLOCKS: usize = 4;

/// The timestamp of every event, where segments carry one: TSval of data, TSecr of ACKs.
pub const STAMP: RecordLayout = &[("stamp", "<i8")];

/// The number of an event, and the probe that it is about: 1 or 2, and its number.
pub const PROBE: RecordLayout = &[("row", "<i8"), ("number", "<i4"), ("probe", "<i4")];

/// The number of an event, and what its packet says about congestion: [`Packet::ecn`], where that is not 0.
pub const MARK: RecordLayout = &[("row", "<i8"), ("ecn", "<i8")];

/// Cross-traffic: what happened to a packet, with the codes of [`EVENT`]; of one that was lost, `node` is where the link begins.
pub const TRAFFIC: RecordLayout = &[
    ("time_ns", "<i8"),
    ("source", "<i4"),
    ("size", "<i4"),
    ("node", "<i4"),
    ("event", "<i2"),
    ("cause", "<i2"),
];

/// A packet that a link has lost; owners are flows, then cross-traffic sources.
pub const DROP: RecordLayout =
    &[("time_ns", "<i8"), ("owner", "<i4"), ("link", "<i4"), ("size", "<i4"), ("cause", "<i4")];

/// [`LinkHistory::queue`].
pub const LENGTH: RecordLayout = &[("time_ns", "<i8"), ("packets", "<i8"), ("bits", "<i8")];

/// [`LinkHistory::sojourns`].
pub const SOJOURN: RecordLayout =
    &[("time_ns", "<i8"), ("sojourn_ns", "<i8"), ("owner", "<i8"), ("bits", "<i8")];

/// [`LinkHistory::busy`].
pub const BUSY: RecordLayout = &[("time_ns", "<i8"), ("end_ns", "<i8")];

/// [`LinkHistory::marked`].
pub const MARKED: RecordLayout = &[("time_ns", "<i8"), ("owner", "<i8"), ("bits", "<i8")];

/// Everything that happened in a run, in the order of processing; docs/reference/events.md describes the fields.
/// A record is a few words; fields narrower than a word share one, the first in its lowest bits.
#[derive(Clone, Debug, Default)]
pub struct EventTable {
    /// Records laid out as [`EVENT`].
    pub events: Vec<[u64; 4]>,
    /// Records laid out as [`STATE`].
    pub states: Vec<[u64; 3]>,
    /// Records laid out as [`SLOW_STATE`].
    pub slow_states: Vec<[u64; 5]>,
    /// Records laid out as [`SACK`].
    pub sacks: Vec<[u64; 1 + 2 * BLOCKS]>,
    /// Records laid out as [`STAMP`], from the first event with a timestamp on; none without timestamps.
    pub stamps: Vec<[u64; 1]>,
    /// Records laid out as [`PROBE`].
    pub probes: Vec<[u64; 2]>,
    /// Records laid out as [`MARK`].
    pub marks: Vec<[u64; 2]>,
    /// Records laid out as [`TRAFFIC`].
    pub traffic: Vec<[u64; 3]>,
    /// Records laid out as [`DROP`], where links keep what happens on them.
    pub drops: Vec<[u64; 3]>,
    /// Records of each link, where they are kept.
    pub links: Vec<LinkHistory>,
    /// End of the run, where records of links are kept.
    pub end: Option<Instant>,
    wants_links: bool,
    /// Number of the last [`SLOW_STATE`] record of each flow.
    last_slow_state: Vec<Option<u32>>,
    /// Most bytes that the records may take; none: any number.
    limit: Option<usize>,
}

impl EventTable {
    /// Returns an empty table that may take `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        EventTable { limit: Some(limit), ..EventTable::default() }
    }

    /// Has links keep their records too, within the same limit.
    #[must_use]
    pub fn with_links(self) -> Self {
        EventTable { wants_links: true, ..self }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.events[..])
            + size_of_val(&self.states[..])
            + size_of_val(&self.slow_states[..])
            + size_of_val(&self.sacks[..])
            + size_of_val(&self.stamps[..])
            + size_of_val(&self.probes[..])
            + size_of_val(&self.marks[..])
            + size_of_val(&self.traffic[..])
            + size_of_val(&self.drops[..])
    }

    #[inline]
    fn push_event(&mut self, moment: &PacketEvent<'_>) {
        let (seq, length, bits, stamp) = match moment.packet.segment {
            Segment::Data { seq, len, bits, stamp } => (seq, len, bits, stamp),
            Segment::Ack { next, bits, echo, .. } => (next, 0, bits, echo),
            Segment::Probe { seq, bits, .. } => (seq, 0, bits, 0),
            Segment::ProbeAck { next, bits, .. } => (next, 0, bits, 0),
        };
        // Beside a flow with timestamps, flows without have an empty record.
        if moment.sender.timestamps() || !self.stamps.is_empty() {
            self.push_stamp(stamp);
        }
        let (event, cause) = event_codes(&moment.packet, moment.event);
        let place = u64::from(moment.packet.flow) | u64::from(moment.node as u16) << 32;
        self.events.push([
            moment.at.nanos().cast_unsigned(),
            seq,
            pack_pair(length, (bits / 8) as u32),
            place | u64::from(event) << 48 | u64::from(cause) << 56,
        ]);
    }

    #[cold]
    #[inline(never)]
    fn push_mark(&mut self, ecn: u8) {
        self.marks.push([self.events.len() as u64, ecn.into()]);
    }

    #[inline(never)]
    fn push_stamp(&mut self, stamp: u32) {
        self.stamps.resize(self.events.len(), [0]);
        self.stamps.push([u64::from(stamp)]);
    }

    #[inline]
    fn push_state(&mut self, flow: u32, sender: &SenderState) {
        let steady = self.slow_state_index(flow, &sender.slow_state);
        self.states.push([
            sender.cwnd.to_bits(),
            sender.inflight,
            pack_pair(sender.dupacks, steady),
        ]);
    }

    /// The number of the record that holds what changes seldom.
    #[inline]
    fn slow_state_index(&mut self, flow: u32, seldom: &SlowState) -> u32 {
        let now = [
            seldom.ssthresh.to_bits(),
            seldom.rto.to_bits(),
            seldom.srtt.to_bits(),
            seldom.rttvar.to_bits(),
            pack_pair(seldom.backoff, flow),
        ];
        match self.last_slow_state.get(flow as usize) {
            Some(&Some(latest)) if self.slow_states[latest as usize] == now => latest,
            _ => self.push_slow_state(flow as usize, now),
        }
    }

    #[cold]
    fn push_slow_state(&mut self, flow: usize, record: [u64; 5]) -> u32 {
        let number =
            u32::try_from(self.slow_states.len()).expect("more than 2^32 records fit no memory");
        self.slow_states.push(record);
        if self.last_slow_state.len() <= flow {
            self.last_slow_state.resize(flow + 1, None);
        }
        self.last_slow_state[flow] = Some(number);
        number
    }

    #[cold]
    #[inline(never)]
    fn push_probe(&mut self, id: ProbeId) {
        let kind = 1 + u32::from(id.kind() == ProbeKind::Second);
        self.probes.push([self.events.len() as u64, pack_pair(id.number(), kind)]);
    }

    #[inline(never)]
    fn push_sack(&mut self, next: u64, sack: &Sack) {
        let mut record = [0; 1 + 2 * BLOCKS];
        record[0] = self.events.len() as u64;
        for (place, block) in record[1..].chunks_exact_mut(2).zip(sack.blocks(next)) {
            place.copy_from_slice(&[block.start, block.end]);
        }
        self.sacks.push(record);
    }
}

/// Two fields in one word.
#[inline]
fn pack_pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[inline(always)]
fn event_codes(packet: &Packet, event: Event) -> (u8, u8) {
    if packet.is_probe() {
        return probe_codes(packet, event);
    }
    if packet.is_control() {
        return control_codes(event);
    }
    let is_ack = matches!(packet.segment, Segment::Ack { .. });
    match event {
        Event::Sent { is_retransmission: again } => (u8::from(again), 0),
        Event::Acked => (2, 0),
        Event::TimedOut => (3, 0),
        Event::Lost(cause) => (if is_ack { 5 } else { 4 }, cause_code(cause)),
        Event::Arrived => (if is_ack { 8 } else { 6 }, 0),
        Event::AckSent => (7, 0),
        Event::Spurious => (9, 0),
    }
}

/// Event codes of a sender's control packets; a timeout may concern one.
#[cold]
fn control_codes(event: Event) -> (u8, u8) {
    match event {
        Event::TimedOut => (3, 0),
        Event::Spurious => (9, 0),
        Event::Lost(cause) => (18, cause_code(cause)),
        Event::Arrived => (19, 0),
        _ => (17, 0),
    }
}

/// The codes of what happens to a probe or to the answer to one.
#[cold]
fn probe_codes(packet: &Packet, event: Event) -> (u8, u8) {
    let is_answer = matches!(packet.segment, Segment::ProbeAck { .. });
    match event {
        Event::Sent { .. } => (10, 0),
        Event::Acked => (11, 0),
        Event::Lost(cause) => (if is_answer { 13 } else { 12 }, cause_code(cause)),
        Event::Arrived => (if is_answer { 16 } else { 14 }, 0),
        Event::AckSent => (15, 0),
        Event::TimedOut | Event::Spurious => unreachable!("those are about data"),
    }
}

fn cause_code(cause: LossCause) -> u8 {
    match cause {
        LossCause::Queue => 1,
        LossCause::Channel => 2,
        LossCause::Gate => 3,
        LossCause::Forced => 4,
        LossCause::Arq => 5,
        LossCause::Vanished => 6,
    }
}

impl Observer for EventTable {
    const ENABLED: bool = true;

    #[inline]
    fn on_event(&mut self, moment: PacketEvent<'_>) {
        // Packets that are offered to a link that is down vanish without a trace.
        if moment.event == Event::Lost(LossCause::Vanished) {
            return;
        }
        match &moment.packet.segment {
            Segment::Ack { next, sack, .. } if !sack.is_empty() => self.push_sack(*next, sack),
            Segment::Probe { id, .. } | Segment::ProbeAck { id, .. } => self.push_probe(*id),
            Segment::Data { .. } | Segment::Ack { .. } => {}
        }
        if moment.packet.ecn != 0 {
            self.push_mark(moment.packet.ecn);
        }
        self.push_event(&moment);
        let is_sent = matches!(moment.event, Event::Sent { .. }) && !moment.packet.is_control();
        if is_sent || matches!(moment.event, Event::Acked | Event::TimedOut) {
            self.push_state(moment.packet.flow, &moment.sender.state());
        }
    }

    fn on_datagram_event(&mut self, datagram_event: DatagramEvent) {
        let (event, cause) = match datagram_event.event {
            Event::Lost(cause) => (4, cause_code(cause)),
            Event::Arrived => (6, 0),
            _ => (0, 0),
        };
        self.traffic.push([
            datagram_event.at.nanos().cast_unsigned(),
            pack_pair(datagram_event.source, (datagram_event.bits / 8) as u32),
            pack_pair(datagram_event.node, event | u32::from(cause) << 16),
        ]);
    }

    fn on_loss(&mut self, loss: LossEvent) {
        if self.wants_links {
            self.drops.push([
                loss.at.nanos().cast_unsigned(),
                pack_pair(loss.owner, loss.link),
                pack_pair((loss.bits / 8) as u32, cause_code(loss.cause).into()),
            ]);
        }
    }

    fn wants_link_histories(&self) -> bool {
        self.wants_links
    }

    fn accept_link_histories(&mut self, end: Instant, links: Vec<LinkHistory>) {
        (self.end, self.links) = (Some(end), links);
    }

    fn is_out_of_memory(&self, links: impl FnOnce() -> usize) -> bool {
        self.limit.is_some_and(|limit| self.bytes() + links() > limit)
    }
}
