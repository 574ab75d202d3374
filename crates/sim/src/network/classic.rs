//! The ends of profiles `ns2`, `rfc` and `bsd`: sender and receiver of the crate `tcp`.

use super::compact_form::PacketForm;
use super::counts::FlowCounts;
use super::ends::Ends;
use super::meter::FlowMeter;
use super::observer::SenderView;
use super::packet::{AckPacket, DataPacket, Packet};
use airtcp_core::{Ecn, Instant, Span};
use airtcp_tcp::{
    Ack, Allowance, Data, Probe, ProbeAck, Receiver, ReceiverConfig, Sack, Segment, Sender,
    SenderConfig, TimerConfig,
};
use std::marker::PhantomData;
use std::num::NonZeroU32;

/// The two ends of a flow, whose packets have such a form on links.
#[repr(C)]
pub(super) struct ClassicEnds<F> {
    sender: Sender,
    mss: NonZeroU32,
    receiver: Receiver,
    amount: Option<u64>,
    unit_bits: u64,
    form: PhantomData<F>,
}

impl<F: PacketForm> ClassicEnds<F> {
    /// Sequence numbers that have arrived, where a packet may be partly new.
    #[inline(always)]
    fn received(&self) -> u64 {
        if self.mss > NonZeroU32::MIN { self.receiver.received() } else { 0 }
    }

    /// An ACK arrives that echoes a mark.
    #[inline(never)]
    fn acknowledge_marked(&mut self, now: Instant, packet: AckPacket) {
        self.sender.on_marked_ack(now, packet.next, &packet.sack, packet.echo);
    }
}

impl<F: PacketForm> Ends for ClassicEnds<F> {
    type Config = (SenderConfig, ReceiverConfig);
    type Data = F::Data;
    type Ack = F::Ack;
    type SendAllowance = Option<Allowance>;

    fn new((sender, receiver): &Self::Config, amount: Option<u64>) -> Self {
        ClassicEnds {
            sender: Sender::new(sender).expect("a variant that the rules of its source define"),
            receiver: Receiver::new(receiver),
            mss: NonZeroU32::new(sender.mss).expect("a packet has sequence numbers"),
            amount,
            unit_bits: sender.unit_bits,
            form: PhantomData,
        }
    }

    fn mss((sender, _): &Self::Config) -> u32 {
        sender.mss
    }

    fn tick((sender, _): &Self::Config) -> Option<Span> {
        match sender.timer {
            TimerConfig::Ticks { tick, .. } => Some(tick),
            _ => None,
        }
    }

    #[inline]
    fn has_begun(&self) -> bool {
        self.sender.view().written > 0
    }

    /// The application starts to send.
    fn begin(&mut self, _: Instant) {
        self.sender.write(self.amount.unwrap_or(u64::MAX));
    }

    fn write(&mut self, _: Instant, amount: u64) {
        self.sender.write(amount);
    }

    #[inline]
    fn is_complete(&self) -> bool {
        let view = self.sender.view();
        view.written > 0 && view.una == view.written
    }

    fn on_sender_timer(&mut self, now: Instant, meter: &mut FlowMeter) -> Option<bool> {
        let before = self.sender.counters().timeouts;
        self.sender.on_timer(now);
        if self.sender.counters().timeouts == before {
            return None;
        }
        let una = self.sender.view().una;
        Some(meter.on_timer_expired(una, self.receiver.next_expected() > una))
    }

    fn on_receiver_timer(&mut self, now: Instant) {
        self.receiver.on_timer(now);
    }

    #[inline(always)]
    fn sender_timeout(&self) -> Instant {
        self.sender.poll_timeout()
    }

    #[inline(always)]
    fn receiver_timeout(&self) -> Instant {
        self.receiver.poll_timeout()
    }

    #[inline(always)]
    fn timer_starts(&self) -> u32 {
        self.sender.timer_starts()
    }

    #[inline(always)]
    fn allowance(&mut self, now: Instant) -> Option<Allowance> {
        self.sender.allowance(now)
    }

    #[inline(always)]
    fn poll_data(
        &mut self,
        now: Instant,
        allowance: Option<Allowance>,
        flow: u32,
        meter: &mut FlowMeter,
    ) -> Option<(F::Data, bool)> {
        let Data { seq, len, bits, is_retransmission, stamp, ecn, cwr: confirms } =
            self.sender.poll_with_allowance(now, allowance)?;
        let data = (seq, seq + u64::from(len));
        let born = meter.on_data_sent(now, self.sender.view().una, data, bits, is_retransmission);
        let (expiries, bits, mss) = (meter.expiries(), bits + meter.framing, self.mss.get());
        let probe = None;
        let packet =
            DataPacket { flow, mss, seq, len, expiries, bits, born, stamp, probe, ecn, confirms };
        Some((packet.into(), is_retransmission))
    }

    #[inline]
    fn poll_probe(&mut self, now: Instant, flow: u32, meter: &mut FlowMeter) -> Option<F::Data> {
        let Probe { seq, id, bits } = self.sender.poll_probe(now)?;
        meter.counts.probes += 1;
        meter.counts.probe_bits += bits;
        let packet = DataPacket {
            flow,
            mss: self.mss.get(),
            seq,
            len: 0,
            expiries: meter.expiries(),
            bits: bits + meter.framing,
            born: now,
            stamp: 0,
            probe: Some(id),
            ecn: Ecn::NotEct,
            confirms: false,
        };
        Some(packet.into())
    }

    #[inline(always)]
    fn is_probe(packet: &F::Data) -> bool {
        Into::<DataPacket>::into(*packet).probe.is_some()
    }

    fn answer_probe(&mut self, packet: &F::Data, meter: &mut FlowMeter) -> F::Ack {
        let packet: DataPacket = (*packet).into();
        let asked = packet.probe.expect("it is a probe");
        let ProbeAck { next, id, bits } = self.receiver.answer_probe(asked);
        meter.on_ack_sent(bits);
        let answer = AckPacket {
            flow: packet.flow,
            mss: self.mss.get(),
            next,
            bits: bits + meter.framing,
            sack: Sack::default(),
            born: Instant::NEVER,
            echo: 0,
            probe: Some(id),
            is_marked: false,
        };
        answer.into()
    }

    #[inline(always)]
    fn on_data(&mut self, now: Instant, packet: &F::Data, meter: &mut FlowMeter) -> (Instant, u32) {
        let packet: DataPacket = (*packet).into();
        let (before, had) = (self.receiver.new_packets(), self.received());
        self.receiver.on_marks(packet.ecn == Ecn::Ce, packet.confirms);
        self.receiver.on_data(now, packet.seq, packet.len, packet.stamp);
        let new = self.receiver.new_packets() > before;
        let end = packet.seq + u64::from(packet.len);
        let mark = (packet.born, packet.expiries);
        let spurious = meter.on_data_arrived(now, (packet.seq, end), mark, new);
        if self.mss > NonZeroU32::MIN {
            // The meter takes packets for full ones.
            let brought = self.received() - had;
            if brought != u64::from(self.mss.get()) {
                meter.on_new_data(end, brought, self.sender.view().una);
            }
        }
        (if new { packet.born } else { Instant::NEVER }, spurious)
    }

    #[inline(always)]
    fn poll_ack(
        &mut self,
        _: Instant,
        flow: u32,
        born: Instant,
        meter: &mut FlowMeter,
    ) -> Option<F::Ack> {
        let Ack { next, bits, sack, echo, marked } = self.receiver.poll_ack()?;
        meter.on_ack_sent(bits);
        let (mss, bits) = (self.mss.get(), bits + meter.framing);
        let (probe, is_marked) = (None, marked);
        let packet = AckPacket { flow, mss, next, bits, sack, born, echo, probe, is_marked };
        Some(packet.into())
    }

    #[inline(always)]
    fn on_ack(&mut self, now: Instant, packet: &F::Ack, meter: &mut FlowMeter) -> bool {
        let packet: AckPacket = (*packet).into();
        let una = self.sender.view().una;
        match packet.probe {
            None if packet.is_marked => self.acknowledge_marked(now, packet),
            None => self.sender.on_ack(now, packet.next, &packet.sack, packet.echo),
            Some(id) => self.sender.on_probe_ack(now, packet.next, id),
        }
        let reached = self.sender.view().una;
        meter.on_ack_arrived(now, packet.born, una, reached);
        reached > una
    }

    fn timed_packet(&self, flow: u32) -> Packet {
        let segment = Segment::Data { seq: self.sender.view().una, len: 0, bits: 0, stamp: 0 };
        Packet { flow, mss: self.mss.get(), segment, ecn: 0 }
    }

    fn add_counts(&self, counts: &mut FlowCounts, meter: &FlowMeter) {
        let (sender, view) = (self.sender.counters(), self.sender.view());
        let next = self.receiver.next_expected();
        *counts = FlowCounts {
            sent: sender.transmissions,
            resent: sender.retransmissions,
            acked: meter.packets_received_below(view.una),
            deliveries: self.receiver.new_packets(),
            duplicates: self.receiver.duplicates(),
            in_order: meter.packets_received_below(next),
            timeouts: sender.timeouts,
            fast_retransmits: sender.fast_retransmits,
            in_order_bits: next * self.unit_bits,
            acked_bits: view.una * self.unit_bits,
            ..*counts
        };
    }

    #[inline(always)]
    fn sender_view(&self) -> SenderView<'_> {
        SenderView::Classic(&self.sender)
    }
}
