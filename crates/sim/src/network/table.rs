//! The event table as columns, for tools that read columns.

use super::observer::{Event, Moment, Observer};
use super::packet::Packet;
use airtcp_radio::Cause;
use airtcp_tcp::{Block, Sack, Segment, Sender};

/// SACK blocks per row.
const BLOCKS: usize = 4;

/// A column of numbers.
#[derive(Clone, Debug)]
pub enum Column {
    /// Signed, 8 bits.
    Int8(Vec<i8>),
    /// Signed, 32 bits.
    Int32(Vec<i32>),
    /// Signed, 64 bits.
    Int64(Vec<i64>),
    /// Double precision.
    Float64(Vec<f64>),
}

/// Everything that happened in a run, one row per event in the order of processing; docs/traces.md
/// describes the columns.
#[derive(Clone, Debug, Default)]
pub struct EventTable {
    time_ns: Vec<i64>,
    flow: Vec<i32>,
    event: Vec<i8>,
    node: Vec<i32>,
    cause: Vec<i8>,
    seq: Vec<i64>,
    length: Vec<i64>,
    packet: Vec<i64>,
    size: Vec<i32>,
    cwnd: Vec<f64>,
    ssthresh: Vec<f64>,
    inflight: Vec<i64>,
    dupacks: Vec<i32>,
    backoff: Vec<i32>,
    rto: Vec<f64>,
    srtt: Vec<f64>,
    rttvar: Vec<f64>,
    window: Vec<i64>,
    sack: Vec<i64>,
}

impl EventTable {
    /// Names and values of the columns. `sack` has eight numbers per row: four blocks, zeros where
    /// there is none.
    #[must_use]
    pub fn columns(self) -> Vec<(&'static str, Column)> {
        vec![
            ("time_ns", Column::Int64(self.time_ns)),
            ("flow", Column::Int32(self.flow)),
            ("event", Column::Int8(self.event)),
            ("node", Column::Int32(self.node)),
            ("cause", Column::Int8(self.cause)),
            ("seq", Column::Int64(self.seq)),
            ("length", Column::Int64(self.length)),
            ("packet", Column::Int64(self.packet)),
            ("size", Column::Int32(self.size)),
            ("cwnd", Column::Float64(self.cwnd)),
            ("ssthresh", Column::Float64(self.ssthresh)),
            ("inflight", Column::Int64(self.inflight)),
            ("dupacks", Column::Int32(self.dupacks)),
            ("backoff", Column::Int32(self.backoff)),
            ("rto", Column::Float64(self.rto)),
            ("srtt", Column::Float64(self.srtt)),
            ("rttvar", Column::Float64(self.rttvar)),
            ("window", Column::Int64(self.window)),
            ("sack", Column::Int64(self.sack)),
        ]
    }

    fn push_packet(&mut self, packet: &Packet) {
        self.packet.push(packet.ordinal());
        let (seq, length, bits, sack) = match packet.segment {
            Segment::Data { seq, len, bits } => (seq, i64::from(len), bits, Sack::default()),
            Segment::Ack { next, bits, sack } => (next, 0, bits, sack),
        };
        self.seq.push(seq.cast_signed());
        self.length.push(length);
        self.size.push((bits / 8) as i32);
        let blocks = sack.blocks(seq).chain(std::iter::repeat(Block::default()));
        for Block { start, end } in blocks.take(BLOCKS) {
            self.sack.extend([start.cast_signed(), end.cast_signed()]);
        }
    }

    fn push_sender(&mut self, sender: &Sender) {
        let (view, estimate) = (sender.view(), sender.estimate());
        let mss = f64::from(view.mss);
        self.cwnd.push(view.cwnd.to_f64() / mss);
        self.ssthresh.push(view.ssthresh.to_f64() / mss);
        self.inflight.push((view.high - view.una).div_ceil(u64::from(view.mss)).cast_signed());
        self.dupacks.push(view.dupacks.cast_signed());
        self.backoff.push(estimate.backoff.cast_signed());
        self.rto.push(estimate.rto.seconds());
        self.srtt.push(estimate.srtt);
        self.rttvar.push(estimate.rttvar);
    }

    fn push_no_sender(&mut self) {
        self.inflight.push(-1);
        self.dupacks.push(-1);
        self.backoff.push(-1);
        for column in
            [&mut self.cwnd, &mut self.ssthresh, &mut self.rto, &mut self.srtt, &mut self.rttvar]
        {
            column.push(f64::NAN);
        }
    }
}

fn code(packet: &Packet, event: Event) -> (i8, i8) {
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
        Cause::Gate | Cause::Vanished => 3,
        Cause::Forced => 4,
    }
}

impl Observer for EventTable {
    const LOOKS: bool = true;

    fn note(&mut self, moment: Moment<'_>) {
        // What is offered to a link that is down vanishes without a trace.
        if moment.event == Event::Lost(Cause::Vanished) {
            return;
        }
        let packet = &moment.packet;
        self.time_ns.push(moment.at.nanos());
        self.flow.push(packet.flow.cast_signed());
        self.node.push(moment.node.cast_signed());
        let (what, cause) = code(packet, moment.event);
        self.event.push(what);
        self.cause.push(cause);
        self.push_packet(packet);
        match moment.event {
            Event::Sent { .. } | Event::Acked | Event::TimedOut => self.push_sender(moment.sender),
            _ => self.push_no_sender(),
        }
        let advertises = matches!(moment.event, Event::Acked | Event::AckSent);
        self.window.push(if advertises { moment.sender.view().rwnd.cast_signed() } else { 0 });
    }
}
