//! One connection: its two ends and what is measured on it.

use super::access::Access;
use super::counts::{DelayQuantiles, FlowCounts};
use super::expiries::Expiries;
use super::first_sent::FirstSent;
use super::histogram::Histogram;
use super::packet::{AckPacket, DataPacket, Packet};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{
    Ack, Data, Probe, ProbeAck, ProbeId, Receiver, ReceiverConfig, Sack, Segment, Sender,
    SenderConfig,
};

/// What is fixed about a flow.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// The sending end.
    pub sender: SenderConfig,
    /// The receiving end.
    pub receiver: ReceiverConfig,
    /// The links that its data crosses, in order.
    pub data: Vec<usize>,
    /// Those that its ACKs cross.
    pub acks: Vec<usize>,
    /// When the application begins.
    pub start: Instant,
    /// Sequence numbers to send; `None`: without end.
    pub amount: Option<u64>,
    /// The time of the ACK that completes so many sequence numbers is noted.
    pub milestone: Option<u64>,
    /// Bits that lower layers add to every packet on the wire; not counted.
    pub framing: u64,
    /// Delay between the sender and its first node, each way.
    pub access_delay: Span,
}

/// A flow in motion.
pub(super) struct Flow {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// The nodes where sender and receiver are.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) start: Instant,
    pub(super) mss: u32,
    amount: Option<u64>,
    milestone: Option<u64>,
    framing: u64,
    pub(super) access: Access,
    unit_bits: u64,
    first_sent: FirstSent,
    expiries: Expiries,
    pub(super) counts: FlowCounts,
    /// Delays to the first arrival in this part of the run, and in those before it.
    delays: Histogram,
    delays_before: Histogram,
}

impl Flow {
    pub(super) fn new(config: &FlowConfig, (from, to): (usize, usize)) -> Self {
        Flow {
            sender: Sender::new(&config.sender).expect("a validated variant"),
            receiver: Receiver::new(&config.receiver),
            from,
            to,
            start: config.start,
            mss: config.sender.mss,
            amount: config.amount,
            milestone: config.milestone.or(config.amount),
            framing: config.framing,
            access: Access::new(config.access_delay),
            unit_bits: config.sender.unit_bits,
            first_sent: FirstSent::new(),
            expiries: Expiries::default(),
            counts: FlowCounts::default(),
            delays: Histogram::default(),
            delays_before: Histogram::default(),
        }
    }

    /// How many packets that wait for their ACKs it has room for.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.first_sent.room()
    }

    /// The application hands over what it has.
    pub(super) fn begin(&mut self) {
        self.sender.offer(self.amount.unwrap_or(u64::MAX));
    }

    /// Whether everything that there is to send has been acknowledged.
    #[inline]
    pub(super) fn finished(&self) -> bool {
        let view = self.sender.view();
        view.offered > 0 && view.una == view.offered
    }

    /// Lets the retransmission timer expire if it is due; whether it was, and if so whether that is known to
    /// be spurious.
    pub(super) fn time_out(&mut self, now: Instant) -> Option<bool> {
        let before = self.sender.counters().timeouts;
        self.sender.on_timer(now);
        if self.sender.counters().timeouts == before {
            return None;
        }
        let una = self.sender.view().una;
        let spurious = self.expiries.expire(una, self.receiver.next_expected() > una);
        self.counts.spurious_timeouts += u64::from(spurious);
        Some(spurious)
    }

    /// The packet that the retransmission timer runs for.
    pub(super) fn awaited(&self, flow: u32) -> Packet {
        let segment = Segment::Data { seq: self.sender.view().una, len: 0, bits: 0, stamp: 0 };
        Packet { flow, mss: self.mss, segment }
    }

    /// The next data packet, if there is one, and whether its data was sent before.
    #[inline]
    pub(super) fn poll_transmit(&mut self, now: Instant, flow: u32) -> Option<(DataPacket, bool)> {
        let Data { seq, len, bits, again, stamp } = self.sender.poll_data(now)?;
        let number = self.number(seq);
        let born = if again {
            self.counts.resent_bits += bits;
            self.first_sent.of(number)
        } else {
            self.first_sent.note(self.number(self.sender.view().una), number, now);
            now
        };
        self.counts.sent_bits += bits;
        let (expiries, bits) = (self.expiries.total(), bits + self.framing);
        let mss = self.mss;
        Some((DataPacket { flow, mss, seq, len, expiries, bits, born, stamp, probe: None }, again))
    }

    /// The probe that is due, if there is one.
    #[inline]
    pub(super) fn poll_probe(&mut self, now: Instant, flow: u32) -> Option<DataPacket> {
        let Probe { seq, id, bits } = self.sender.poll_probe(now)?;
        self.counts.probes += 1;
        self.counts.probe_bits += bits;
        Some(DataPacket {
            flow,
            mss: self.mss,
            seq,
            len: 0,
            expiries: self.expiries.total(),
            bits: bits + self.framing,
            born: now,
            stamp: 0,
            probe: Some(id),
        })
    }

    /// The answer to a probe that arrives.
    pub(super) fn answer(&mut self, flow: u32, id: ProbeId) -> AckPacket {
        let ProbeAck { next, id, bits } = self.receiver.answer(id);
        self.counts.acks_sent += 1;
        self.counts.ack_bits += bits;
        AckPacket {
            flow,
            mss: self.mss,
            next,
            bits: bits + self.framing,
            sack: Sack::default(),
            born: Instant::NEVER,
            echo: 0,
            probe: Some(id),
        }
    }

    /// The ACK that is due, if there is one; `born` is that of the new data that calls for it.
    #[inline]
    pub(super) fn poll_ack(&mut self, flow: u32, born: Instant) -> Option<AckPacket> {
        let Ack { next, bits, sack, echo } = self.receiver.poll_ack()?;
        self.counts.acks_sent += 1;
        self.counts.ack_bits += bits;
        let (mss, bits) = (self.mss, bits + self.framing);
        Some(AckPacket { flow, mss, next, bits, sack, born, echo, probe: None })
    }

    /// A data packet arrives. Returns whether it is new, and how many expiries it shows to be spurious.
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, packet: &DataPacket) -> (bool, u32) {
        let before = self.receiver.distinct();
        self.receiver.on_data(now, packet.seq, packet.len, packet.stamp);
        let new = self.receiver.distinct() > before;
        if new {
            self.counts.first_arrival.add(now - packet.born);
            self.delays.add(now - packet.born);
        }
        let end = packet.seq + u64::from(packet.len);
        let spurious = self.expiries.arrive(packet.seq, end, packet.expiries);
        self.counts.spurious_timeouts += u64::from(spurious);
        (new, spurious)
    }

    /// An ACK arrives. Returns whether it acknowledges anything for the first time.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, now: Instant, packet: &AckPacket) -> bool {
        let una = self.sender.view().una;
        match packet.probe {
            None => self.sender.on_ack(now, packet.next, &packet.sack, packet.echo),
            Some(id) => self.sender.on_probe_ack(now, packet.next, id),
        }
        self.counts.acks_arrived += 1;
        if packet.born != Instant::NEVER {
            self.counts.own_ack.add(now - packet.born);
        }
        let reached = self.sender.view().una;
        if reached > una {
            self.note_progress(now, una, reached);
        }
        reached > una
    }

    #[inline]
    fn note_progress(&mut self, now: Instant, una: u64, reached: u64) {
        let mss = u64::from(self.mss);
        let mut seq = una;
        while seq < reached {
            self.counts.cumulative_ack.add(now - self.first_sent.of(self.number(seq)));
            seq += mss;
        }
        if self.milestone.is_some_and(|m| una < m && reached >= m) {
            self.counts.milestone = Some(now - self.start);
        }
    }

    /// Number of the packet at `seq`.
    #[inline]
    fn number(&self, seq: u64) -> u64 {
        if self.mss == 1 { seq } else { seq / u64::from(self.mss) }
    }

    /// A part of the run ends.
    pub(super) fn end_part(&mut self) {
        self.counts.delay = DelayQuantiles::of(&self.delays);
        let is_first = self.delays_before.is_empty();
        self.delays_before.merge(std::mem::take(&mut self.delays));
        let all = || DelayQuantiles::of(&self.delays_before);
        self.counts.delay_so_far = if is_first { self.counts.delay } else { all() };
    }

    /// Delays until now no longer count for quantiles.
    pub(super) fn forget_delays(&mut self) {
        self.delays = Histogram::default();
        self.delays_before = Histogram::default();
    }

    /// What was counted by the end of the run.
    pub(super) fn outcome(&self, end: Instant) -> FlowCounts {
        let (sender, view) = (self.sender.counters(), self.sender.view());
        let mss = u64::from(self.mss);
        FlowCounts {
            time: end - self.start.min(end),
            sent: sender.transmissions,
            resent: sender.retransmissions,
            acked: view.una.div_ceil(mss),
            deliveries: self.receiver.distinct(),
            duplicates: self.receiver.duplicates(),
            in_order: self.receiver.next_expected().div_ceil(mss),
            timeouts: sender.timeouts,
            fast_retransmits: sender.fast_retransmits,
            in_order_bits: self.receiver.next_expected() * self.unit_bits,
            ..self.counts
        }
    }
}
