//! The event table as records of fixed layout, which NumPy reads as they are: one record per event, one
//! per event that shows the sender's state, one per ACK with SACK blocks.

use super::observer::{Event, Moment, Observer};
use super::packet::Packet;
use airtcp_radio::Cause;
use airtcp_tcp::{Block, Sack, Segment, Sender};

/// Names of fields and NumPy's names of their types, in order, without gaps.
pub type Layout = &'static [(&'static str, &'static str)];

/// What every event has.
pub const EVENT: Layout = &[
    ("time_ns", "<i8"),
    ("seq", "<i8"),
    ("length", "<i4"),
    ("size", "<i4"),
    ("flow", "<i4"),
    ("node", "<i2"),
    ("event", "|i1"),
    ("cause", "|i1"),
];
const EVENT_BYTES: usize = 32;

/// The sender's state after the events that show it: `send`, `resend`, `ack`, `timeout`.
pub const STATE: Layout = &[
    ("cwnd", "<f8"),
    ("ssthresh", "<f8"),
    ("rto", "<f8"),
    ("srtt", "<f8"),
    ("rttvar", "<f8"),
    ("inflight", "<i8"),
    ("dupacks", "<i4"),
    ("backoff", "<i4"),
];
const STATE_BYTES: usize = 56;

/// The number of an event, and the SACK blocks that its ACK carries; zeros where there is no block.
pub const SACK: Layout = &[("row", "<i8"), ("blocks", "(4,2)<i8")];
const SACK_BYTES: usize = 72;
const BLOCKS: usize = 4;

/// Everything that happened in a run, in the order of processing; docs/traces.md describes the fields.
#[derive(Clone, Debug, Default)]
pub struct EventTable {
    /// Records laid out as [`EVENT`].
    pub events: Vec<u8>,
    /// Records laid out as [`STATE`].
    pub states: Vec<u8>,
    /// Records laid out as [`SACK`].
    pub sacks: Vec<u8>,
}

/// A record being written.
struct Record<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Record<N> {
    fn new() -> Self {
        Record { bytes: [0; N], at: 0 }
    }

    #[inline]
    fn put<const M: usize>(&mut self, field: [u8; M]) -> &mut Self {
        self.bytes[self.at..self.at + M].copy_from_slice(&field);
        self.at += M;
        self
    }
}

impl EventTable {
    #[inline]
    fn push_event(&mut self, moment: &Moment<'_>) {
        let (seq, length, bits) = match moment.packet.segment {
            Segment::Data { seq, len, bits } => (seq, len, bits),
            Segment::Ack { next, bits, .. } => (next, 0, bits),
        };
        let (event, cause) = codes(&moment.packet, moment.event);
        let mut record = Record::<EVENT_BYTES>::new();
        record
            .put(moment.at.nanos().to_le_bytes())
            .put(seq.to_le_bytes())
            .put(length.to_le_bytes())
            .put(((bits / 8) as u32).to_le_bytes())
            .put(moment.packet.flow.to_le_bytes())
            .put((moment.node as u16).to_le_bytes())
            .put(event.to_le_bytes())
            .put(cause.to_le_bytes());
        self.events.extend_from_slice(&record.bytes);
    }

    #[inline]
    fn push_state(&mut self, sender: &Sender) {
        let (view, estimate) = (sender.view(), sender.estimate());
        let mss = f64::from(view.mss);
        let inflight = (view.high - view.una).div_ceil(u64::from(view.mss));
        let mut record = Record::<STATE_BYTES>::new();
        record
            .put((view.cwnd.to_f64() / mss).to_le_bytes())
            .put((view.ssthresh.to_f64() / mss).to_le_bytes())
            .put(estimate.rto.seconds().to_le_bytes())
            .put(estimate.srtt.to_le_bytes())
            .put(estimate.rttvar.to_le_bytes())
            .put(inflight.to_le_bytes())
            .put(view.dupacks.to_le_bytes())
            .put(estimate.backoff.to_le_bytes());
        self.states.extend_from_slice(&record.bytes);
    }

    fn push_sack(&mut self, next: u64, sack: &Sack) {
        let row = (self.events.len() / EVENT_BYTES) as u64;
        let mut record = Record::<SACK_BYTES>::new();
        record.put(row.to_le_bytes());
        let blocks = sack.blocks(next).chain(std::iter::repeat(Block::default()));
        for block in blocks.take(BLOCKS) {
            record.put(block.start.to_le_bytes()).put(block.end.to_le_bytes());
        }
        self.sacks.extend_from_slice(&record.bytes);
    }
}

fn codes(packet: &Packet, event: Event) -> (i8, i8) {
    let is_ack = matches!(packet.segment, Segment::Ack { .. });
    match event {
        Event::Sent { again } => (i8::from(again), 0),
        Event::Acked => (2, 0),
        Event::TimedOut => (3, 0),
        Event::Lost(cause) => (if is_ack { 5 } else { 4 }, cause_code(cause)),
        Event::Arrived => (if is_ack { 8 } else { 6 }, 0),
        Event::AckSent => (7, 0),
    }
}

fn cause_code(cause: Cause) -> i8 {
    match cause {
        Cause::Queue => 1,
        Cause::Channel => 2,
        Cause::Gate => 3,
        Cause::Forced => 4,
        Cause::Vanished => unreachable!("left out by `note`"),
    }
}

impl Observer for EventTable {
    const LOOKS: bool = true;

    #[inline]
    fn note(&mut self, moment: Moment<'_>) {
        // What is offered to a link that is down vanishes without a trace.
        if moment.event == Event::Lost(Cause::Vanished) {
            return;
        }
        if let Segment::Ack { next, sack, .. } = &moment.packet.segment
            && !sack.is_empty()
        {
            self.push_sack(*next, sack);
        }
        self.push_event(&moment);
        if matches!(moment.event, Event::Sent { .. } | Event::Acked | Event::TimedOut) {
            self.push_state(moment.sender);
        }
    }
}
