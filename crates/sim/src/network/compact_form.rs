//! Packets of flows whose segments carry only numbers: without room for timestamps, probes, marks and SACK blocks they
//! take half as much, and are copied in registers.

use super::packet::{AckPacket, Carried, DataPacket, FlowPacket, LinkPacket, Packet};
use airtcp_core::{Ecn, Instant, Payload};
use airtcp_tcp::{ReceiverConfig, Sack, SenderConfig};
use std::num::NonZeroU32;

/// Representation of the packets of sender and receiver on links.
pub(super) trait PacketForm {
    type Data: FlowPacket
        + LinkPacket<Data = Self::Data, Ack = Self::Ack>
        + From<DataPacket>
        + Into<DataPacket>
        + Copy;
    type Ack: FlowPacket
        + LinkPacket<Data = Self::Data, Ack = Self::Ack>
        + From<AckPacket>
        + Into<AckPacket>
        + Copy;
}

/// Packets with all fields that a segment may have.
pub(super) struct FullForm;

impl PacketForm for FullForm {
    type Data = DataPacket;
    type Ack = AckPacket;
}

/// Packets with sequence numbers only.
pub(super) struct CompactForm;

impl PacketForm for CompactForm {
    type Data = CompactData;
    type Ack = CompactAck;
}

/// Returns whether all packets between two such ends fit the compact form: only sequence numbers, and lengths (with
/// lower layers) below 2^32 bits.
pub(super) fn fits_compact_form(
    (sender, receiver): &(SenderConfig, ReceiverConfig),
    framing: u64,
) -> bool {
    let data =
        sender.unit_bits.saturating_mul(sender.mss.into()).saturating_add(sender.header_bits);
    let longest = data.max(receiver.ack_bits).saturating_add(framing);
    let plain = sender.uses_no_options() && receiver.is_plain() && !receiver.exact_marks;
    plain && u32::try_from(longest).is_ok()
}

/// A [`DataPacket`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CompactData {
    seq: u64,
    born: Instant,
    flow: u32,
    /// Not zero, so that an `Option` of a packet takes no more space.
    mss: NonZeroU32,
    len: u32,
    expiries: u32,
    bits: u32,
}

/// An [`AckPacket`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CompactAck {
    next: u64,
    born: Instant,
    flow: u32,
    mss: NonZeroU32,
    bits: u32,
}

/// The number of sequence numbers per full packet, which is at least 1.
#[inline(always)]
fn non_zero_mss(mss: u32) -> NonZeroU32 {
    NonZeroU32::new(mss).expect("a packet has sequence numbers")
}

impl From<DataPacket> for CompactData {
    #[inline(always)]
    fn from(packet: DataPacket) -> Self {
        let DataPacket { flow, mss, seq, len, expiries, bits, born, .. } = packet;
        let mss = non_zero_mss(mss);
        let brief = CompactData { seq, born, flow, mss, len, expiries, bits: bits as u32 };
        debug_assert_eq!(DataPacket::from(brief), packet);
        brief
    }
}

impl From<CompactData> for DataPacket {
    #[inline(always)]
    fn from(packet: CompactData) -> Self {
        let CompactData { seq, born, flow, mss, len, expiries, bits } = packet;
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

impl From<AckPacket> for CompactAck {
    #[inline(always)]
    fn from(packet: AckPacket) -> Self {
        let AckPacket { flow, mss, next, bits, born, .. } = packet;
        let brief = CompactAck { next, born, flow, mss: non_zero_mss(mss), bits: bits as u32 };
        debug_assert_eq!(AckPacket::from(brief), packet);
        brief
    }
}

impl From<CompactAck> for AckPacket {
    #[inline(always)]
    fn from(packet: CompactAck) -> Self {
        let CompactAck { next, born, flow, mss, bits } = packet;
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

impl Payload for CompactData {
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

impl Payload for CompactAck {
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

impl FlowPacket for CompactData {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        DataPacket::from(*self).to_packet()
    }
}

impl FlowPacket for CompactAck {
    #[inline(always)]
    fn flow(&self) -> u32 {
        self.flow
    }

    fn to_packet(&self) -> Packet {
        AckPacket::from(*self).to_packet()
    }
}

impl LinkPacket for CompactData {
    type Data = CompactData;
    type Ack = CompactAck;
    #[inline(always)]
    fn into_carried(self) -> Carried<CompactData, CompactAck> {
        Carried::Data(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
    }
}

impl LinkPacket for CompactAck {
    type Data = CompactData;
    type Ack = CompactAck;
    #[inline(always)]
    fn into_carried(self) -> Carried<CompactData, CompactAck> {
        Carried::Ack(self)
    }

    fn observed_packet(&self) -> Option<Packet> {
        Some(self.to_packet())
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
        assert!(fits_compact_form(&plain, 0));
        assert!(!fits_compact_form(&ends(Variant::Sack), 0));
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
            assert!(!fits_compact_form(&changed, 0), "{changed:?}");
        }
        assert!(!fits_compact_form(&(plain.0, ReceiverConfig { sack, ..plain.1 }), 0));
        assert!(
            !fits_compact_form(&plain, u64::from(u32::MAX) - 8000),
            "with the bits of lower layers"
        );
        assert!(fits_compact_form(&plain, u64::from(u32::MAX) - 8320), "the longest that fits");
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
        let brief = CompactData::from(data);
        assert_eq!(DataPacket::from(brief), data);
        assert_eq!((brief.bits(), brief.number(), brief.owner()), (8312, data.number(), 0));
        assert!(brief.is_counted() && brief.to_packet() == data.to_packet());
        assert_eq!((size_of::<Option<CompactData>>(), size_of::<Option<CompactAck>>()), (40, 32));
    }
}
