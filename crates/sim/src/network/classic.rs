//! The ends of profiles `ns2`, `rfc` and `bsd`: sender and receiver of the crate `tcp`.

use super::counts::FlowCounts;
use super::ends::Ends;
use super::meter::Meter;
use super::observer::Watched;
use super::packet::{AckPacket, DataPacket, Packet};
use airtcp_core::{Ecn, Instant, Span};
use airtcp_tcp::{
    Ack, Data, Probe, ProbeAck, Receiver, ReceiverConfig, Sack, Segment, Sender, SenderConfig,
    TimerConfig,
};

/// The two ends of a flow.
pub(super) struct Classic {
    sender: Sender,
    receiver: Receiver,
    mss: u32,
    amount: Option<u64>,
    unit_bits: u64,
}

impl Classic {
    /// Number of sequence numbers that have arrived, where packets may have some of them.
    #[inline(always)]
    fn received(&self) -> u64 {
        if self.mss > 1 { self.receiver.received() } else { 0 }
    }

    /// An ACK arrives that echoes a mark.
    #[inline(never)]
    fn acknowledge_marked(&mut self, now: Instant, packet: AckPacket) {
        self.sender.on_marked_ack(now, packet.next, &packet.sack, packet.echo);
    }
}

impl Ends for Classic {
    type Config = (SenderConfig, ReceiverConfig);
    type Data = DataPacket;
    type Ack = AckPacket;

    fn new((sender, receiver): &Self::Config, amount: Option<u64>) -> Self {
        Classic {
            sender: Sender::new(sender).expect("a variant that the rules of its source define"),
            receiver: Receiver::new(receiver),
            mss: sender.mss,
            amount,
            unit_bits: sender.unit_bits,
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
        self.sender.view().offered > 0
    }

    /// The application hands over what it has.
    fn begin(&mut self, _: Instant) {
        self.sender.offer(self.amount.unwrap_or(u64::MAX));
    }

    fn offer(&mut self, _: Instant, amount: u64) {
        self.sender.offer(amount);
    }

    #[inline]
    fn finished(&self) -> bool {
        let view = self.sender.view();
        view.offered > 0 && view.una == view.offered
    }

    fn wake_sender(&mut self, now: Instant, meter: &mut Meter) -> Option<bool> {
        let before = self.sender.counters().timeouts;
        self.sender.on_timer(now);
        if self.sender.counters().timeouts == before {
            return None;
        }
        let una = self.sender.view().una;
        Some(meter.expired(una, self.receiver.next_expected() > una))
    }

    fn wake_receiver(&mut self, now: Instant) {
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
    fn poll_data(
        &mut self,
        now: Instant,
        flow: u32,
        meter: &mut Meter,
    ) -> Option<(DataPacket, bool)> {
        let Data { seq, len, bits, again, stamp, ecn, confirms } = self.sender.poll_data(now)?;
        let data = (seq, seq + u64::from(len));
        let born = meter.sent(now, self.sender.view().una, data, bits, again);
        let (expiries, bits, mss) = (meter.expiries(), bits + meter.framing, self.mss);
        let probe = None;
        let packet =
            DataPacket { flow, mss, seq, len, expiries, bits, born, stamp, probe, ecn, confirms };
        Some((packet, again))
    }

    #[inline]
    fn poll_probe(&mut self, now: Instant, flow: u32, meter: &mut Meter) -> Option<DataPacket> {
        let Probe { seq, id, bits } = self.sender.poll_probe(now)?;
        meter.counts.probes += 1;
        meter.counts.probe_bits += bits;
        Some(DataPacket {
            flow,
            mss: self.mss,
            seq,
            len: 0,
            expiries: meter.expiries(),
            bits: bits + meter.framing,
            born: now,
            stamp: 0,
            probe: Some(id),
            ecn: Ecn::NotEct,
            confirms: false,
        })
    }

    #[inline(always)]
    fn is_probe(packet: &DataPacket) -> bool {
        packet.probe.is_some()
    }

    fn answer(&mut self, packet: &DataPacket, meter: &mut Meter) -> AckPacket {
        let asked = packet.probe.expect("it is a probe");
        let ProbeAck { next, id, bits } = self.receiver.answer(asked);
        meter.ack_sent(bits);
        AckPacket {
            flow: packet.flow,
            mss: self.mss,
            next,
            bits: bits + meter.framing,
            sack: Sack::default(),
            born: Instant::NEVER,
            echo: 0,
            probe: Some(id),
            is_marked: false,
        }
    }

    #[inline(always)]
    fn receive(&mut self, now: Instant, packet: &DataPacket, meter: &mut Meter) -> (Instant, u32) {
        let (before, had) = (self.receiver.distinct(), self.received());
        self.receiver.on_marks(packet.ecn == Ecn::Ce, packet.confirms);
        self.receiver.on_data(now, packet.seq, packet.len, packet.stamp);
        let new = self.receiver.distinct() > before;
        let end = packet.seq + u64::from(packet.len);
        let mark = (packet.born, packet.expiries);
        let spurious = meter.arrived(now, (packet.seq, end), mark, new);
        if self.mss > 1 {
            meter.brought(end, self.received() - had, self.sender.view().una);
        }
        (if new { packet.born } else { Instant::NEVER }, spurious)
    }

    #[inline(always)]
    fn poll_ack(
        &mut self,
        _: Instant,
        flow: u32,
        born: Instant,
        meter: &mut Meter,
    ) -> Option<AckPacket> {
        let Ack { next, bits, sack, echo, marked } = self.receiver.poll_ack()?;
        meter.ack_sent(bits);
        let (mss, bits) = (self.mss, bits + meter.framing);
        let (probe, is_marked) = (None, marked);
        Some(AckPacket { flow, mss, next, bits, sack, born, echo, probe, is_marked })
    }

    #[inline(always)]
    fn acknowledge(&mut self, now: Instant, packet: &AckPacket, meter: &mut Meter) -> bool {
        let una = self.sender.view().una;
        match packet.probe {
            None if packet.is_marked => self.acknowledge_marked(now, *packet),
            None => self.sender.on_ack(now, packet.next, &packet.sack, packet.echo),
            Some(id) => self.sender.on_probe_ack(now, packet.next, id),
        }
        let reached = self.sender.view().una;
        meter.acked(now, packet.born, una, reached);
        reached > una
    }

    fn awaited(&self, flow: u32) -> Packet {
        let segment = Segment::Data { seq: self.sender.view().una, len: 0, bits: 0, stamp: 0 };
        Packet { flow, mss: self.mss, segment, ecn: 0 }
    }

    fn count(&self, counts: &mut FlowCounts, meter: &Meter) {
        let (sender, view) = (self.sender.counters(), self.sender.view());
        let next = self.receiver.next_expected();
        *counts = FlowCounts {
            sent: sender.transmissions,
            resent: sender.retransmissions,
            acked: meter.brought_below(view.una),
            deliveries: self.receiver.distinct(),
            duplicates: self.receiver.duplicates(),
            in_order: meter.brought_below(next),
            timeouts: sender.timeouts,
            fast_retransmits: sender.fast_retransmits,
            in_order_bits: next * self.unit_bits,
            acked_bits: view.una * self.unit_bits,
            ..*counts
        };
    }

    #[inline(always)]
    fn watched(&self) -> Watched<'_> {
        Watched::Classic(&self.sender)
    }
}
