//! One connection: its two ends, where they are, and what is measured on it.

use super::access::AccessLink;
use super::counts::FlowCounts;
use super::ends::Ends;
use super::meter::FlowMeter;
use super::packet::Packet;
use airtcp_core::{Instant, Span};
use airtcp_scenario::Requests;
use airtcp_tcp::{ReceiverConfig, SenderConfig};

/// Configuration of a flow; `C` configures its ends.
#[derive(Debug)]
pub struct FlowConfig<C = (SenderConfig, ReceiverConfig)> {
    /// The two ends.
    pub ends: C,
    /// The links that its data crosses, in order.
    pub data_route: Vec<usize>,
    /// The links that ACKs of the flow cross.
    pub ack_route: Vec<usize>,
    /// Time at which the application begins.
    pub start: Instant,
    /// Sequence numbers to send; `None`: without end.
    pub transfer_size: Option<u64>,
    /// Sequence number whose acknowledgement time is recorded as the milestone.
    pub milestone: Option<u64>,
    /// Bits that lower layers add to every packet on the wire; not counted.
    pub framing: u64,
    /// Delay between the sender and its first node, each way.
    pub access_delay: Span,
    /// The row of results that it counts in.
    pub row: usize,
    /// Payload of a sequence number in bytes.
    pub unit_bytes: u64,
    /// Transfers after the first one, whose size is `amount`, on the same connection.
    pub requests: Option<Box<Requests>>,
}

/// A running flow. Fields that every packet needs come first in memory, here and in its parts.
#[repr(C)]
pub(super) struct Flow<E: Ends> {
    pub(super) ends: E,
    pub(super) meter: FlowMeter,
    pub(super) access: AccessLink<E>,
    /// The nodes where sender and receiver are.
    pub(super) sender_node: usize,
    pub(super) receiver_node: usize,
    pub(super) row: usize,
    pub(super) transfer: Transfer,
    unit_bytes: u64,
    requests: Option<Box<Requests>>,
}

/// The current transfer.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    pub(super) start: Instant,
    /// Payload.
    pub(super) bytes: u64,
}

impl<E: Ends> Flow<E> {
    pub(super) fn new(config: &mut FlowConfig<E::Config>, (from, to): (usize, usize)) -> Self {
        let milestone = config.milestone.or(config.transfer_size);
        let mss = E::mss(&config.ends);
        Flow {
            ends: E::new(&config.ends, config.transfer_size),
            meter: FlowMeter::new(mss, config.framing, config.start, milestone),
            sender_node: from,
            receiver_node: to,
            access: AccessLink::new(config.access_delay),
            row: config.row,
            transfer: Transfer {
                start: config.start,
                bytes: config
                    .transfer_size
                    .map_or(0, |amount| amount.saturating_mul(config.unit_bytes)),
            },
            unit_bytes: config.unit_bytes,
            requests: config.requests.take(),
        }
    }

    /// Start of the next transfer once all data are acknowledged; `None` if there is none.
    pub(super) fn next_transfer(&mut self, now: Instant) -> Option<Instant> {
        Some(self.requests.as_mut()?.next(now)).filter(|start| *start < Instant::NEVER)
    }

    /// The next transfer starts; false if there was none left.
    pub(super) fn start_transfer(&mut self, now: Instant) -> bool {
        let Some(bytes) = self.requests.as_mut().and_then(|requests| requests.size(now)) else {
            return false;
        };
        self.transfer = Transfer { start: now, bytes };
        self.ends.write(now, bytes.div_ceil(self.unit_bytes));
        true
    }

    /// The bytes of the current transfer, if it has begun by `end` and is not complete.
    pub(super) fn unfinished_bytes(&self, end: Instant) -> Option<u64> {
        (self.transfer.start < end && !self.ends.is_complete()).then_some(self.transfer.bytes)
    }

    /// Number of unacknowledged packets for which memory is reserved.
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.meter.capacity()
    }

    /// The probe that is due, if there is one.
    #[inline]
    pub(super) fn poll_probe(&mut self, now: Instant, flow: u32) -> Option<E::Data> {
        self.ends.poll_probe(now, flow, &mut self.meter)
    }

    /// The answer to a probe that arrives.
    pub(super) fn answer_probe(&mut self, packet: &E::Data) -> E::Ack {
        self.ends.answer_probe(packet, &mut self.meter)
    }

    /// See [`Ends::poll_ack`].
    #[inline(always)]
    pub(super) fn poll_ack(&mut self, now: Instant, flow: u32, born: Instant) -> Option<E::Ack> {
        self.ends.poll_ack(now, flow, born, &mut self.meter)
    }

    /// See [`Ends::on_data`].
    #[inline]
    pub(super) fn on_data(&mut self, now: Instant, packet: &E::Data) -> (Instant, u32) {
        self.ends.on_data(now, packet, &mut self.meter)
    }

    /// See [`Ends::on_ack`].
    #[inline(always)]
    pub(super) fn on_ack(&mut self, now: Instant, packet: &E::Ack) -> bool {
        self.ends.on_ack(now, packet, &mut self.meter)
    }

    /// See [`Ends::on_sender_timer`].
    pub(super) fn on_sender_timer(&mut self, now: Instant) -> Option<bool> {
        self.ends.on_sender_timer(now, &mut self.meter)
    }

    /// The packet for which the retransmission timer runs.
    pub(super) fn timed_packet(&self, flow: u32) -> Packet {
        self.ends.timed_packet(flow)
    }

    /// Counts up to `end`, the end of the run or of a part of it.
    pub(super) fn count_until(&self, end: Instant) -> FlowCounts {
        let mut counts = self.meter.outcome(end);
        self.ends.add_counts(&mut counts, &self.meter);
        if let Some(requests) = &self.requests {
            counts.video = requests.video(end);
        }
        counts
    }
}
