//! One connection: its two ends, where they are, and what is measured on it.

use super::access::Access;
use super::counts::FlowCounts;
use super::ends::Ends;
use super::meter::Meter;
use super::packet::Packet;
use airtcp_core::{Instant, Span};
use airtcp_tcp::{ReceiverConfig, SenderConfig};

/// What is fixed about a flow whose ends `C` says.
#[derive(Clone, Debug)]
pub struct FlowConfig<C = (SenderConfig, ReceiverConfig)> {
    /// The two ends.
    pub ends: C,
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
pub(super) struct Flow<E: Ends> {
    pub(super) ends: E,
    pub(super) meter: Meter,
    /// The nodes where sender and receiver are.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) access: Access<E>,
}

impl<E: Ends> Flow<E> {
    pub(super) fn new(config: &FlowConfig<E::Config>, (from, to): (usize, usize)) -> Self {
        let milestone = config.milestone.or(config.amount);
        let mss = E::mss(&config.ends);
        Flow {
            ends: E::new(&config.ends, config.amount),
            meter: Meter::new(mss, config.framing, config.start, milestone),
            from,
            to,
            access: Access::new(config.access_delay),
        }
    }

    /// How many packets that wait for their ACKs it has room for.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.meter.room()
    }

    /// The next data packet, if there is one, and whether its data was sent before.
    #[inline]
    pub(super) fn poll_data(&mut self, now: Instant, flow: u32) -> Option<(E::Data, bool)> {
        self.ends.poll_data(now, flow, &mut self.meter)
    }

    /// The probe that is due, if there is one.
    #[inline]
    pub(super) fn poll_probe(&mut self, now: Instant, flow: u32) -> Option<E::Data> {
        self.ends.poll_probe(now, flow, &mut self.meter)
    }

    /// The answer to a probe that arrives.
    pub(super) fn answer(&mut self, packet: &E::Data) -> E::Ack {
        self.ends.answer(packet, &mut self.meter)
    }

    /// See [`Ends::poll_ack`].
    #[inline]
    pub(super) fn poll_ack(&mut self, now: Instant, flow: u32, born: Instant) -> Option<E::Ack> {
        self.ends.poll_ack(now, flow, born, &mut self.meter)
    }

    /// See [`Ends::receive`].
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, packet: &E::Data) -> (Instant, u32) {
        self.ends.receive(now, packet, &mut self.meter)
    }

    /// See [`Ends::acknowledge`].
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, now: Instant, packet: &E::Ack) -> bool {
        self.ends.acknowledge(now, packet, &mut self.meter)
    }

    /// See [`Ends::wake_sender`].
    pub(super) fn wake_sender(&mut self, now: Instant) -> Option<bool> {
        self.ends.wake_sender(now, &mut self.meter)
    }

    /// The packet that the retransmission timer runs for.
    pub(super) fn awaited(&self, flow: u32) -> Packet {
        self.ends.awaited(flow)
    }

    /// What was counted by `end`, where the run or a part of it ends.
    pub(super) fn outcome(&self, end: Instant) -> FlowCounts {
        let mut counts = self.meter.outcome(end);
        self.ends.count(&mut counts);
        counts
    }
}
