//! Packets of flows whose segments say nothing but numbers: without room for timestamps, probes, marks and SACK blocks they take
//! half as much, and are copied in registers.

use super::packet::{AckPacket, Carried, Carries, DataPacket, OfFlow, Packet};
use airtcp_core::{Ecn, Instant, Payload};
use airtcp_tcp::{ReceiverConfig, Sack, SenderConfig};
use std::num::NonZeroU32;

/// Form in which links carry the packets of sender and receiver.
pub(super) trait Form {
    type Data: OfFlow
        + Carries<Data = Self::Data, Ack = Self::Ack>
        + From<DataPacket>
        + Into<DataPacket>
        + Copy;
    type Ack: OfFlow
        + Carries<Data = Self::Data, Ack = Self::Ack>
        + From<AckPacket>
        + Into<AckPacket>
        + Copy;
}

/// With everything that a segment may say.
pub(super) struct Whole;

impl Form for Whole {
    type Data = DataPacket;
    type Ack = AckPacket;
}

/// With numbers alone.
pub(super) struct Brief;

impl Form for Brief {
    type Data = BriefData;
    type Ack = BriefAck;
}

/// Returns whether no packet between such ends says more than numbers, the lengths of which fit, lower layers' bits included.
pub(super) fn are_brief((sender, receiver): &(SenderConfig, ReceiverConfig), framing: u64) -> bool {
    let data =
        sender.unit_bits.saturating_mul(sender.mss.into()).saturating_add(sender.header_bits);
    let longest = data.max(receiver.ack_bits).saturating_add(framing);
    let plain = sender.is_plain() && receiver.is_plain() && !receiver.exact_marks;
    plain && u32::try_from(longest).is_ok()
}

/// A [`DataPacket`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BriefData {
    seq: u64,
    born: Instant,
    flow: u32,
    /// Not zero, which tells a place without a packet apart.
    mss: NonZeroU32,
    len: u32,
    expiries: u32,
    bits: u32,
}

/// An [`AckPacket`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BriefAck {
    next: u64,
    born: Instant,
    flow: u32,
    mss: NonZeroU32,
    bits: u32,
}

/// The number of sequence numbers per full packet, which is at least 1.
#[inline(always)]
fn not_zero(mss: u32) -> NonZeroU32 {
    NonZeroU32::new(mss).expect("a packet has sequence numbers")
}

impl From<DataPacket> for BriefData {
    #[inline(always)]
    fn from(packet: DataPacket) -> Self {
        let DataPacket { flow, mss, seq, len, expiries, bits, born, .. } = packet;
        let mss = not_zero(mss);
        let brief = BriefData { seq, born, flow, mss, len, expiries, bits: bits as u32 };
        debug_assert_eq!(DataPacket::from(brief), packet);
        brief
    }
}

impl From<BriefData> for DataPacket {
    #[inline(always)]
    fn from(packet: BriefData) -> Self {
        let BriefData { seq, born, flow, mss, len, expiries, bits } = packet;
        DataPacket {
            flow,
            mss: mss.get(),
            seq,
            len,
            expiries,
            bits: bits.into(),
            born,
            stamp: 0,
            probe: None,
            ecn: Ecn::NotEct,
            confirms: false,
        }
    }
}

impl From<AckPacket> for BriefAck {
    #[inline(always)]
    fn from(packet: AckPacket) -> Self {
        let AckPacket { flow, mss, next, bits, born, .. } = packet;
        let brief = BriefAck { next, born, flow, mss: not_zero(mss), bits: bits as u32 };
        debug_assert_eq!(AckPacket::from(brief), packet);
        brief
    }
}

impl From<BriefAck> for AckPacket {
    #[inline(always)]
    fn from(packet: BriefAck) -> Self {
        let BriefAck { next, born, flow, mss, bits } = packet;
        AckPacket {
            flow,
            mss: mss.get(),
            next,
            bits: bits.into(),
            sack: Sack::default(),
            born,
            echo: 0,
            probe: None,
            is_marked: false,
        }
    }
}

impl Payload for BriefData {
    #[inline(always)]
    fn bits(&self) -> u64 {
        self.bits.into()
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        DataPacket::from(*self).number()
    }

    #[inline(always)]
    fn owner(&self) -> usize {
        self.flow as usize
    }

    #[inline]
    fn is_counted(&self) -> bool {
        self.len > 0
    }
}

impl Payload for BriefAck {
    #[inline(always)]
    fn bits(&self) -> u64 {
        self.bits.into()
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        AckPacket::from(*self).number()
    }

    #[inline(always)]
    fn owner(&self) -> usize {
        self.flow as usize
    }
}

impl OfFlow for BriefData {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn seen(&self) -> Packet {
        DataPacket::from(*self).seen()
    }
}

impl OfFlow for BriefAck {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn seen(&self) -> Packet {
        AckPacket::from(*self).seen()
    }
}

impl Carries for BriefData {
    type Data = BriefData;
    type Ack = BriefAck;
    #[inline(always)]
    fn which(self) -> Carried<BriefData, BriefAck> {
        Carried::Data(self)
    }

    fn shown(&self) -> Option<Packet> {
        Some(self.seen())
    }
}

impl Carries for BriefAck {
    type Data = BriefData;
    type Ack = BriefAck;
    #[inline(always)]
    fn which(self) -> Carried<BriefData, BriefAck> {
        Carried::Ack(self)
    }

    fn shown(&self) -> Option<Packet> {
        Some(self.seen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_tcp::{CongestionSpec, SackConfig, Variant};

    fn ends(variant: Variant) -> (SenderConfig, ReceiverConfig) {
        let sender = SenderConfig::rfc(variant, CongestionSpec::default(), 24, 1000, 40);
        (sender, ReceiverConfig::immediate(24_000, 320, None))
    }

    #[test]
    fn segments_that_say_more_are_whole() {
        let plain = ends(Variant::NewReno);
        assert!(are_brief(&plain, 0));
        assert!(!are_brief(&ends(Variant::Sack), 0));
        let sack = Some(SackConfig::RFC2018);
        let others: [fn(&mut (SenderConfig, ReceiverConfig)); 5] = [
            |(sender, _)| sender.ecn = true,
            |(sender, _)| sender.syn_bits = Some(320),
            |(_, receiver)| receiver.timestamps = true,
            |(_, receiver)| receiver.exact_marks = true,
            |(sender, _)| sender.unit_bits = 1 << 23,
        ];
        for change in others {
            let mut changed = plain;
            change(&mut changed);
            assert!(!are_brief(&changed, 0), "{changed:?}");
        }
        assert!(!are_brief(&(plain.0, ReceiverConfig { sack, ..plain.1 }), 0));
        assert!(!are_brief(&plain, u64::from(u32::MAX) - 8000), "with the bits of lower layers");
        assert!(are_brief(&plain, u64::from(u32::MAX) - 8320), "the longest that fits");
    }

    #[test]
    fn packets_come_back_as_they_were() {
        let data = DataPacket {
            flow: 0,
            mss: 1000,
            seq: 1 << 40,
            len: 999,
            expiries: 3,
            bits: 8312,
            born: Instant::from_nanos(7),
            stamp: 0,
            probe: None,
            ecn: Ecn::NotEct,
            confirms: false,
        };
        let brief = BriefData::from(data);
        assert_eq!(DataPacket::from(brief), data);
        assert_eq!((brief.bits(), brief.number(), brief.owner()), (8312, data.number(), 0));
        assert!(brief.is_counted() && brief.seen() == data.seen());
        assert_eq!((size_of::<Option<BriefData>>(), size_of::<Option<BriefAck>>()), (40, 32));
    }
}
