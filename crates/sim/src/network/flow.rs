//! One connection: its two ends and what is measured on it.

use super::counts::FlowCounts;
use airtcp_core::Instant;
use airtcp_tcp::{Receiver, ReceiverConfig, Segment, Sender, SenderConfig};

/// What is fixed about a flow.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// The sending end.
    pub sender: SenderConfig,
    /// The receiving end.
    pub receiver: ReceiverConfig,
    /// When the application begins.
    pub start: Instant,
    /// Packets to send; `None`: without end.
    pub packets: Option<u64>,
    /// The time of the ACK that completes so many packets is noted.
    pub milestone: Option<u64>,
}

/// A flow in motion.
pub(super) struct Flow {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) start: Instant,
    pub(super) mss: u32,
    packets: Option<u64>,
    milestone: Option<u64>,
    /// When each packet outstanding was first sent, by packet number modulo the length.
    first_sent: Box<[Instant]>,
    pub(super) counts: FlowCounts,
}

impl Flow {
    pub(super) fn new(config: &FlowConfig) -> Self {
        // One more than the window: the last packet of a transfer may be short.
        let outstanding = (config.sender.window as usize + 1).next_power_of_two();
        Flow {
            sender: Sender::new(&config.sender).expect("a validated variant"),
            receiver: Receiver::new(&config.receiver),
            start: config.start,
            mss: config.sender.mss,
            packets: config.packets,
            milestone: config.milestone.or(config.packets),
            first_sent: vec![Instant::START; outstanding].into(),
            counts: FlowCounts::default(),
        }
    }

    /// The application hands over what it has.
    pub(super) fn begin(&mut self) {
        self.sender.offer(self.packets.map_or(u64::MAX, |n| n * u64::from(self.mss)));
    }

    /// Whether everything that there is to send has been acknowledged.
    #[inline]
    pub(super) fn finished(&self) -> bool {
        let view = self.sender.view();
        view.offered > 0 && view.una == view.offered
    }

    /// The next data packet, if there is one, and when its data was first sent.
    #[inline]
    pub(super) fn poll_transmit(&mut self, now: Instant) -> Option<(Segment, Instant)> {
        let high = self.sender.view().high;
        let segment = self.sender.poll_transmit(now)?;
        let Segment::Data { seq, bits, .. } = segment else { return None };
        let slot = self.slot(seq);
        if seq >= high {
            self.first_sent[slot] = now;
        } else {
            self.counts.resent_bits += bits;
        }
        self.counts.sent_bits += bits;
        Some((segment, self.first_sent[slot]))
    }

    /// A data packet arrives whose data was first sent at `born`. Returns whether it is new.
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, segment: &Segment, born: Instant) -> bool {
        let before = self.receiver.distinct();
        self.receiver.on_segment(now, segment);
        self.counts.arrivals += 1;
        let new = self.receiver.distinct() > before;
        if new {
            self.counts.first_arrival.add(now - born);
        }
        new
    }

    /// An ACK arrives that new data called for at `born`.
    #[inline]
    pub(super) fn acknowledge(&mut self, now: Instant, segment: &Segment, born: Instant) {
        let una = self.sender.view().una;
        self.sender.on_segment(now, segment);
        self.counts.acks_arrived += 1;
        if born != Instant::NEVER {
            self.counts.own_ack.add(now - born);
        }
        let reached = self.sender.view().una;
        if reached > una {
            self.note_progress(now, una, reached);
        }
    }

    #[inline]
    fn note_progress(&mut self, now: Instant, una: u64, reached: u64) {
        let mss = u64::from(self.mss);
        let mut seq = una;
        while seq < reached {
            self.counts.cumulative_ack.add(now - self.first_sent[self.slot(seq)]);
            seq += mss;
        }
        if self.milestone.is_some_and(|m| una < m * mss && reached >= m * mss) {
            self.counts.milestone = Some(now - self.start);
        }
    }

    #[inline]
    fn slot(&self, seq: u64) -> usize {
        let number = if self.mss == 1 { seq } else { seq / u64::from(self.mss) };
        number as usize & (self.first_sent.len() - 1)
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
            ..self.counts
        }
    }
}
