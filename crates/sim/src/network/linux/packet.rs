//! Segments of Linux in the network, one packet each, with the simulator's annotations.

use super::super::packet::{CE, CWR, Carried, ECE, FlowPacket, LinkPacket, Packet};
use airtcp_core::{Instant, Payload};
use airtcp_linux::connection::{PlainAck, PlainSegment};
use airtcp_linux::segment::{Ecn, Flags, Timestamps};
use airtcp_linux::{Segment as Sent, receiver::Blocks};
use airtcp_tcp::{Block, Sack, Segment};

/// Packet of the sending host. It receives no data, so that no SACK blocks go this way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct LinuxData {
    pub(super) flow: u32,
    pub(super) mss: u32,
    pub(super) seq: u64,
    pub(super) ack: u64,
    pub(super) len: u32,
    pub(super) bits: u32,
    /// Number of expiries of the retransmission timer before it was sent.
    pub(super) expiries: u32,
    pub(super) window: u16,
    pub(super) flags: Flags,
    pub(super) ecn: Ecn,
    pub(super) timestamps: Option<Timestamps>,
    /// Time at which the data of the packet was first sent.
    pub(super) born: Instant,
    pub(super) syn: Option<Syn>,
}

/// Options that only SYNs have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Syn {
    mss: Option<u16>,
    scale: Option<u8>,
    sack_permitted: bool,
}

/// Packet of the receiving host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct LinuxAck {
    pub(super) flow: u32,
    pub(super) mss: u32,
    pub(super) bits: u32,
    pub(super) window: u16,
    pub(super) flags: Flags,
    /// Time at which the new data that called for the ACK was first sent; [`Instant::NEVER`] if there was none.
    pub(super) born: Instant,
    pub(super) seq: u64,
    pub(super) ack: u64,
    pub(super) timestamps: Option<Timestamps>,
    pub(super) syn: Option<Syn>,
    /// SACK blocks as distances from `ack`, which a window bounds; a duplicate lies before it.
    count: u8,
    blocks: [(i32, i32); 4],
}

impl LinuxAck {
    #[inline]
    pub(super) fn new(segment: &Sent, (flow, mss): (u32, u32), bits: u32, born: Instant) -> Self {
        let mut blocks = [(0, 0); 4];
        let away = |counter: u64| counter.wrapping_sub(segment.ack) as i32;
        if !segment.sack.is_empty() {
            for (place, (start, end)) in blocks.iter_mut().zip(segment.sack.iter()) {
                *place = (away(*start), away(*end));
            }
        }
        LinuxAck {
            flow,
            mss,
            bits,
            window: segment.window,
            flags: segment.flags,
            born,
            seq: segment.seq,
            ack: segment.ack,
            timestamps: segment.timestamps,
            syn: Syn::from_segment(segment),
            count: segment.sack.len() as u8,
            blocks,
        }
    }

    /// One that carries only what `answer` says.
    #[inline(always)]
    pub(super) fn from_plain(
        answer: &PlainAck,
        (flow, mss): (u32, u32),
        bits: u32,
        born: Instant,
    ) -> Self {
        let PlainAck { seq, ack, window, timestamps } = *answer;
        LinuxAck {
            flow,
            mss,
            bits,
            window,
            flags: Flags::ACK,
            born,
            seq,
            ack,
            timestamps,
            syn: None,
            count: 0,
            blocks: [(0, 0); 4],
        }
    }

    /// If it says nothing else.
    #[inline(always)]
    pub(super) fn as_plain(&self) -> Option<PlainSegment> {
        let LinuxAck { seq, ack, window, timestamps, .. } = *self;
        let plain = PlainSegment { seq, ack, len: 0, window, push: false, timestamps };
        (self.flags == Flags::ACK && self.count == 0).then_some(plain)
    }

    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counter = |away: i32| self.ack.wrapping_add_signed(away.into());
        let blocks = &self.blocks[..usize::from(self.count)];
        blocks.iter().map(move |(start, end)| (counter(*start), counter(*end)))
    }

    /// The segment as the other host takes it.
    #[inline]
    pub(super) fn received_segment(&self) -> Sent {
        let mut sack = Blocks::default();
        self.sack_blocks().for_each(|block| sack.push(block));
        let syn = self.syn.unwrap_or_default();
        Sent {
            seq: self.seq,
            ack: self.ack,
            flags: self.flags,
            window: self.window,
            mss: syn.mss,
            scale: syn.scale,
            sack_permitted: syn.sack_permitted,
            timestamps: self.timestamps,
            sack,
            ..Sent::default()
        }
    }
}

impl LinuxData {
    /// If it carries only what that says.
    #[inline(always)]
    pub(super) fn as_plain(&self) -> Option<PlainSegment> {
        let LinuxData { seq, ack, len, window, flags, timestamps, .. } = *self;
        let plain = PlainSegment { seq, ack, len, window, push: flags.has(Flags::PSH), timestamps };
        (flags.without(Flags::PSH) == Flags::ACK).then_some(plain)
    }

    /// The segment as the other host takes it.
    #[inline]
    pub(super) fn segment(&self) -> Sent {
        let syn = self.syn.unwrap_or_default();
        Sent {
            seq: self.seq,
            ack: self.ack,
            flags: self.flags,
            window: self.window,
            mss: syn.mss,
            scale: syn.scale,
            sack_permitted: syn.sack_permitted,
            timestamps: self.timestamps,
            ecn: self.ecn,
            len: self.len,
            size: self.len,
            ..Sent::default()
        }
    }
}

impl Syn {
    /// The packet that `segment` makes, if it is one.
    pub(super) fn from_segment(segment: &Sent) -> Option<Self> {
        let Sent { mss, scale, sack_permitted, .. } = *segment;
        segment.flags.has(Flags::SYN).then_some(Syn { mss, scale, sack_permitted })
    }
}

/// Sequence numbers of traces count bytes from 0; the SYN is -1.
fn to_trace_number(counter: u64) -> u64 {
    counter.wrapping_sub(1)
}

impl FlowPacket for LinuxData {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        let stamp = self.timestamps.map_or(0, |stamps| stamps.value);
        let (seq, bits) = (to_trace_number(self.seq), self.bits.into());
        let segment = Segment::Data { seq, len: self.len, bits, stamp };
        let is_marked = self.ecn == Ecn::Ce;
        let ecn = u8::from(is_marked) * CE + u8::from(self.flags.has(Flags::CWR)) * CWR;
        Packet { flow: self.flow, mss: self.mss, segment, ecn }
    }
}

impl FlowPacket for LinuxAck {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        let next = to_trace_number(self.ack);
        let echo = self.timestamps.map_or(0, |stamps| stamps.echo);
        let mut sack = Sack::default();
        for (start, end) in self.sack_blocks() {
            sack.push(next, Block { start: to_trace_number(start), end: to_trace_number(end) });
        }
        let segment = Segment::Ack { next, bits: self.bits.into(), sack, echo };
        let ecn = u8::from(self.flags.has(Flags::ECE)) * ECE;
        Packet { flow: self.flow, mss: self.mss, segment, ecn }
    }
}

impl LinkPacket for LinuxData {
    type Data = LinuxData;
    type Ack = LinuxAck;
    #[inline(always)]
    fn into_carried(self) -> Carried<LinuxData, LinuxAck> {
        Carried::Data(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
    }
}

impl LinkPacket for LinuxAck {
    type Data = LinuxData;
    type Ack = LinuxAck;
    #[inline(always)]
    fn into_carried(self) -> Carried<LinuxData, LinuxAck> {
        Carried::Ack(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
    }
}

impl Payload for LinuxData {
    #[inline]
    fn bits(&self) -> u64 {
        self.bits.into()
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        let named = self.flow == 0 && self.len > 0;
        named.then(|| to_trace_number(self.seq) / u64::from(self.mss))
    }

    #[inline]
    fn owner(&self) -> usize {
        self.flow as usize
    }

    #[inline]
    fn is_counted(&self) -> bool {
        self.len > 0
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }

    #[inline]
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Payload for LinuxAck {
    #[inline]
    fn bits(&self) -> u64 {
        self.bits.into()
    }

    /// Number of the last packet received in order; a SYN-ACK and what acknowledges nothing have none.
    #[inline]
    fn number(&self) -> Option<u64> {
        if self.flow > 0 || self.ack <= 1 {
            return None;
        }
        to_trace_number(self.ack).div_ceil(u64::from(self.mss)).checked_sub(1)
    }

    #[inline]
    fn owner(&self) -> usize {
        self.flow as usize
    }
}
