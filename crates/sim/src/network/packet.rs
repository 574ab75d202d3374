//! Segments in the network, with the simulator's annotations.

use super::traffic::Datagram;
use airtcp_core::{Ecn, Instant, Payload};
use airtcp_tcp::{ProbeId, Sack, Segment};

/// A data packet of one of the flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataPacket {
    /// Number of the flow.
    pub flow: u32,
    /// Sequence numbers per full packet of that flow.
    pub mss: u32,
    /// First sequence number.
    pub seq: u64,
    /// Count of sequence numbers.
    pub len: u32,
    /// Number of expiries of the retransmission timer before it was sent.
    pub expiries: u32,
    /// Length on the air.
    pub bits: u64,
    /// Time at which the data was first sent.
    pub born: Instant,
    /// Time at which this copy was sent (TSval), 0 without timestamps.
    pub stamp: u32,
    /// Set if the packet is a probe instead of data.
    pub probe: Option<ProbeId>,
    /// ECN field: a queue may mark it instead of dropping it (ECT), or has (CE) [RFC 3168].
    pub ecn: Ecn,
    /// True if the packet carries CWR (window reduced).
    pub confirms: bool,
}

/// An ACK of one of the flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckPacket {
    /// Number of the flow.
    pub flow: u32,
    /// Sequence numbers per full packet of that flow.
    pub mss: u32,
    /// The next sequence number expected.
    pub next: u64,
    /// Length on the air.
    pub bits: u64,
    /// SACK blocks: data that arrived beyond it.
    pub sack: Sack,
    /// Time at which the new data that called for the ACK was first sent; [`Instant::NEVER`] if there was none.
    pub born: Instant,
    /// The time that it echoes (TSecr), 0 without timestamps.
    pub echo: u32,
    /// The probe that the ACK answers.
    pub probe: Option<ProbeId>,
    /// True if it echoes a mark (ECE) [RFC 3168].
    pub is_marked: bool,
}

/// Data packet or ACK, as observers see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Number of the flow.
    pub flow: u32,
    /// Sequence numbers per full packet of that flow.
    pub mss: u32,
    /// The segment itself.
    pub segment: Segment,
    /// Marks of congestion: a sum of `CE`, `CWR` and `ECE`.
    pub ecn: u8,
}

/// A queue has marked the packet [RFC 3168].
pub(super) const CE: u8 = 1;
/// The sender says that it has reduced its window.
pub(super) const CWR: u8 = 2;
/// The receiver echoes a mark.
pub(super) const ECE: u8 = 4;

/// Packet on a link: data of some flows, ACKs of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carried<D = DataPacket, A = AckPacket> {
    /// Data, or a probe.
    Data(D),
    /// An ACK, or the answer to a probe.
    Ack(A),
    /// Cross-traffic.
    Datagram(Datagram),
}

/// A packet of a flow.
pub(super) trait FlowPacket: Payload {
    /// Number of the flow.
    fn flow(&self) -> u32;
    /// The packet as observers see it.
    fn to_packet(&self) -> Packet;
}

/// A packet on a link.
pub(super) trait LinkPacket: Payload {
    /// Packet of senders.
    type Data;
    /// Packet of receivers.
    type Ack;
    /// Data or ACK.
    fn into_carried(self) -> Carried<Self::Data, Self::Ack>;
    /// The packet as observers see it; `None` for cross-traffic, which has no segment.
    fn observed_packet(&self) -> Option<Packet>;
}

impl<D: FlowPacket, A: FlowPacket> LinkPacket for Carried<D, A> {
    type Data = D;
    type Ack = A;
    #[inline(always)]
    fn into_carried(self) -> Self {
        self
    }

    fn observed_packet(&self) -> Option<Packet> {
        match self {
            Carried::Data(packet) => Some(packet.to_packet()),
            Carried::Ack(packet) => Some(packet.to_packet()),
            Carried::Datagram(_) => None,
        }
    }
}

impl LinkPacket for DataPacket {
    type Data = DataPacket;
    type Ack = AckPacket;
    #[inline(always)]
    fn into_carried(self) -> Carried {
        Carried::Data(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
    }
}

impl LinkPacket for AckPacket {
    type Data = DataPacket;
    type Ack = AckPacket;
    #[inline(always)]
    fn into_carried(self) -> Carried {
        Carried::Ack(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
    }
}

impl<D: FlowPacket, A: FlowPacket> Payload for Carried<D, A> {
    #[inline]
    fn bits(&self) -> u64 {
        match self {
            Carried::Data(packet) => packet.bits(),
            Carried::Ack(packet) => packet.bits(),
            Carried::Datagram(packet) => packet.bits(),
        }
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        match self {
            Carried::Data(packet) => packet.number(),
            Carried::Ack(packet) => packet.number(),
            Carried::Datagram(packet) => packet.number(),
        }
    }

    #[inline]
    fn owner(&self) -> usize {
        match self {
            Carried::Data(packet) => packet.owner(),
            Carried::Ack(packet) => packet.owner(),
            Carried::Datagram(packet) => packet.owner(),
        }
    }

    #[inline]
    fn is_counted(&self) -> bool {
        match self {
            Carried::Data(packet) => packet.is_counted(),
            Carried::Ack(packet) => packet.is_counted(),
            Carried::Datagram(packet) => packet.is_counted(),
        }
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        match self {
            Carried::Data(packet) => packet.ecn(),
            Carried::Ack(packet) => packet.ecn(),
            Carried::Datagram(packet) => packet.ecn(),
        }
    }

    #[inline]
    fn mark(&mut self) {
        match self {
            Carried::Data(packet) => packet.mark(),
            Carried::Ack(packet) => packet.mark(),
            Carried::Datagram(packet) => packet.mark(),
        }
    }
}

impl Payload for DataPacket {
    #[inline]
    fn bits(&self) -> u64 {
        self.bits
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        self.to_packet().forced_loss_number()
    }

    #[inline]
    fn owner(&self) -> usize {
        self.flow as usize
    }

    #[inline]
    fn is_counted(&self) -> bool {
        self.len > 0 || self.probe.is_some()
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

impl Payload for AckPacket {
    #[inline]
    fn bits(&self) -> u64 {
        self.bits
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        self.to_packet().forced_loss_number()
    }

    #[inline]
    fn owner(&self) -> usize {
        self.flow as usize
    }
}

impl FlowPacket for DataPacket {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        let ecn = u8::from(self.ecn == Ecn::Ce) * CE + u8::from(self.confirms) * CWR;
        Packet { flow: self.flow, mss: self.mss, segment: self.segment(), ecn }
    }
}

impl DataPacket {
    /// The segment as TCP sees it.
    #[must_use]
    #[inline]
    pub fn segment(&self) -> Segment {
        let DataPacket { seq, len, bits, stamp, .. } = *self;
        match self.probe {
            None => Segment::Data { seq, len, bits, stamp },
            Some(id) => Segment::Probe { seq, id, bits },
        }
    }
}

impl FlowPacket for AckPacket {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        let ecn = u8::from(self.is_marked) * ECE;
        Packet { flow: self.flow, mss: self.mss, segment: self.segment(), ecn }
    }
}

impl AckPacket {
    /// The segment as TCP sees it.
    #[must_use]
    #[inline]
    pub fn segment(&self) -> Segment {
        let AckPacket { next, bits, sack, echo, .. } = *self;
        match self.probe {
            None => Segment::Ack { next, bits, sack, echo },
            Some(id) => Segment::ProbeAck { next, id, bits },
        }
    }
}

impl Packet {
    /// Packet number for forced losses, which apply to the first flow and never to probes.
    fn forced_loss_number(&self) -> Option<u64> {
        let named = self.flow == 0 && !self.is_probe();
        if named { u64::try_from(self.ordinal()).ok() } else { None }
    }

    /// Returns whether it is a probe or the answer to one.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        matches!(self.segment, Segment::Probe { .. } | Segment::ProbeAck { .. })
    }

    /// Returns whether the packet is a control packet of the sender without data: a SYN or the ACK of a handshake.
    #[must_use]
    pub fn is_control(&self) -> bool {
        matches!(self.segment, Segment::Data { len: 0, .. })
    }

    /// Number of the data packet; of an ACK: of the last one received in order, -1 if there is none.
    #[must_use]
    pub fn ordinal(&self) -> i64 {
        let mss = u64::from(self.mss);
        match self.segment {
            Segment::Data { seq, .. } | Segment::Probe { seq, .. } => (seq / mss).cast_signed(),
            Segment::Ack { next, .. } | Segment::ProbeAck { next, .. } => {
                next.div_ceil(mss).cast_signed() - 1
            }
        }
    }
}
