//! The receiver: takes packets in any order, delivers them in order, acknowledges with the next
//! expected number: each arrival at once, or with delayed ACKs [RFC 5681 4.2].

mod delay;
mod echo;
mod ns_sink;
mod recent;

use crate::ecn::EceEcho;
use crate::ranges::RangeSet;
use crate::segment::{Ack, PROBE_OPTION_BYTES, ProbeAck, ProbeId, Sack, Segment};
use airtcp_core::{Instant, Span};
use delay::DelayedAck;
use echo::TimestampEcho;
use ns_sink::NsSink;
pub use ns_sink::NsSinkConfig;
use recent::RecentBlocks;
use serde::Serialize;

/// Configuration of a receiver, which stays during a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// Sequence numbers that can be held beyond the next expected one.
    pub window: u64,
    /// Length of an ACK on the air, without SACK blocks.
    pub ack_bits: u64,
    /// Number and size of SACK blocks in an ACK; `None`: no SACK.
    pub sack: Option<SackConfig>,
    /// Longest wait of an ACK for a second full packet; zero: every arrival is acknowledged at once.
    pub delayed_ack: Span,
    /// A full packet in sequence numbers.
    pub mss: u32,
    /// True if segments carry timestamps, which ACKs echo [RFC 7323].
    pub timestamps: bool,
    /// True if every mark is echoed once, for a sender that counts them [RFC 8257 3.2].
    pub exact_marks: bool,
    /// A sink of ns, where that is set.
    pub ns: Option<NsSinkConfig>,
}

impl ReceiverConfig {
    /// A receiver that acknowledges every packet at once, for senders that count packets.
    #[must_use]
    pub fn immediate(window: u64, ack_bits: u64, sack: Option<SackConfig>) -> Self {
        let delayed_ack = Span::ZERO;
        ReceiverConfig {
            window,
            ack_bits,
            sack,
            delayed_ack,
            mss: 1,
            timestamps: false,
            exact_marks: false,
            ns: None,
        }
    }

    /// Returns whether ACKs carry only a number: no SACK blocks, no timestamps, no ns sink.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.sack.is_none() && !self.timestamps && self.ns.is_none()
    }
}

/// The SACK option of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SackConfig {
    /// Most blocks in an ACK.
    pub blocks: usize,
    /// Length of one on the air.
    pub block_bits: u64,
    /// Length of the option on the air without its blocks.
    pub head_bits: u64,
}

impl SackConfig {
    /// The option as it is on the wire: 2 bytes and 8 per block, padded to a multiple of 4; up to 4
    /// blocks beside no other option [RFC 2018, section 3].
    pub const RFC2018: SackConfig = SackConfig { blocks: 4, block_bits: 64, head_bits: 32 };

    /// SACK beside timestamps, which leave room for 3 blocks [RFC 2018, section 3].
    pub const RFC2018_WITH_TIMESTAMPS: SackConfig = SackConfig { blocks: 3, ..SackConfig::RFC2018 };

    /// ns: 8 bytes per block and nothing else, up to 3 blocks.
    pub const NS2: SackConfig = SackConfig { blocks: 3, block_bits: 64, head_bits: 0 };
}

/// The receiving end of one connection. Fields that every packet needs come first in memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[repr(C)]
pub struct Receiver {
    next: u64,
    window: u64,
    ack_bits: u64,
    distinct: u64,
    out_of_order: RangeSet,
    delay: DelayedAck,
    /// An ACK is owed, which reports some blocks.
    ack_pending: bool,
    /// See [`ReceiverConfig::is_plain`].
    #[serde(skip)]
    is_plain: bool,
    /// True if it looks at packets without a mark too.
    #[serde(skip)]
    checks_marks: bool,
    marks: EceEcho,
    ns: Option<Box<NsSink>>,
    /// The number and the echoed time of an ACK for all packets before the last one, if only one of them and the last
    /// packet is marked.
    earlier_ack: Option<(u64, u32)>,
    sack_to_send: Sack,
    block_bits: u64,
    head_bits: u64,
    recent: Option<RecentBlocks>,
    echo: TimestampEcho,
    duplicates: u64,
}

impl Receiver {
    /// A receiver that has received nothing.
    #[must_use]
    pub fn new(config: &ReceiverConfig) -> Self {
        Receiver {
            next: 0,
            out_of_order: RangeSet::default(),
            recent: config.sack.map(|sack| RecentBlocks::new(sack.blocks)),
            window: config.window,
            ack_bits: config.ack_bits,
            block_bits: config.sack.map_or(0, |sack| sack.block_bits),
            head_bits: config.sack.map_or(0, |sack| sack.head_bits),
            ack_pending: false,
            sack_to_send: Sack::default(),
            earlier_ack: None,
            delay: DelayedAck::new(config.delayed_ack, config.mss),
            echo: TimestampEcho::new(config.timestamps),
            marks: EceEcho::new(config.exact_marks),
            ns: config.ns.map(|ns| Box::new(NsSink::new(ns))),
            distinct: 0,
            duplicates: 0,
            is_plain: config.is_plain(),
            checks_marks: config.exact_marks || config.ns.is_some(),
        }
    }

    /// Takes a data packet. The resulting ACK must be polled before the next packet.
    #[inline]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        if let Segment::Data { seq, len, stamp, .. } = *segment {
            self.on_data(now, seq, len, stamp);
        }
    }

    /// Takes a data packet that holds `len` sequence numbers from `seq` on, sent at `stamp`.
    #[inline(always)]
    pub fn on_data(&mut self, now: Instant, seq: u64, len: u32, stamp: u32) {
        let is_next = seq == self.next && self.out_of_order.is_empty();
        if !(self.is_plain && is_next && u64::from(len) <= self.window && len > 0) {
            return self.on_data_out_of_order(now, seq, len, stamp);
        }
        self.next += u64::from(len);
        self.distinct += 1;
        self.ack_pending |= !self.delay.delays_ack(now, true, len);
    }

    /// Takes a packet that is out of order or whose ACK needs more than a number.
    #[inline(never)]
    fn on_data_out_of_order(&mut self, now: Instant, seq: u64, len: u32, stamp: u32) {
        self.echo.record(seq, stamp);
        // In order, and no hole was or is there.
        let plain = seq == self.next && self.out_of_order.is_empty();
        let new = self.store(seq, seq + u64::from(len));
        self.distinct += u64::from(new);
        self.duplicates += u64::from(!new);
        if let Some(ns) = &mut self.ns
            && ns.delays_ack(now, seq, self.next, !self.out_of_order.is_empty())
        {
            return;
        }
        let sack = self.blocks(seq, new);
        if self.delay.delays_ack(now, plain && new, len) {
            return;
        }
        (self.ack_pending, self.sack_to_send) = (true, sack);
    }

    /// SACK blocks of the ACK after packet `seq`, which was new or not.
    #[inline]
    fn blocks(&mut self, seq: u64, new: bool) -> Sack {
        match &mut self.recent {
            Some(recent) if !self.out_of_order.is_empty() || !new => {
                recent.sack_blocks(seq, self.next, &self.out_of_order)
            }
            Some(recent) => {
                recent.clear();
                Sack::default()
            }
            None => Sack::default(),
        }
    }

    /// Takes the marks of a data packet (CE, CWR), before [`Receiver::on_data`].
    #[inline(always)]
    pub fn on_marks(&mut self, marked: bool, confirms: bool) {
        if marked || confirms || self.checks_marks {
            self.record_marks(marked, confirms);
        }
    }

    #[inline(never)]
    fn record_marks(&mut self, marked: bool, confirms: bool) {
        match &mut self.ns {
            None => {
                if self.marks.would_change(marked) && self.delay.is_pending() {
                    self.delay.on_ack_sent();
                    self.earlier_ack = Some((self.next, self.take_echo()));
                }
                self.marks.on_packet(marked, confirms);
            }
            Some(ns) => ns.record_marks(marked, confirms),
        }
    }

    /// Sends a delayed ACK if it is due.
    pub fn on_timer(&mut self, now: Instant) {
        if now >= self.delay.expiry() {
            self.delay.on_ack_sent();
            (self.ack_pending, self.sack_to_send) = (true, Sack::default());
        }
        if let Some(ns) = self.ns.as_mut().filter(|ns| now >= ns.expiry()) {
            ns.on_ack_sent();
            let saved = ns.delayed_number;
            (self.ack_pending, self.sack_to_send) = (true, self.blocks(saved, true));
        }
    }

    /// Time at which a delayed ACK is due; [`Instant::NEVER`] if none waits.
    #[inline]
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        let ns = self.ns.as_ref().map_or(Instant::NEVER, |ns| ns.expiry());
        self.delay.expiry().min(ns)
    }

    /// The ACK that is owed, if any.
    #[inline]
    pub fn poll_transmit(&mut self, _now: Instant) -> Option<Segment> {
        self.poll_ack().map(Segment::from)
    }

    /// [`Receiver::poll_transmit`], returning an ACK instead of a segment.
    #[inline(always)]
    pub fn poll_ack(&mut self) -> Option<Ack> {
        if !self.is_plain || self.marks.echoes() || self.earlier_ack.is_some() {
            return self.poll_general_ack();
        }
        let owes = std::mem::take(&mut self.ack_pending);
        let (next, bits, sack) = (self.next, self.ack_bits, Sack::default());
        owes.then_some(Ack { next, bits, sack, echo: 0, marked: false })
    }

    /// An ACK with more than a number.
    #[inline(never)]
    fn poll_general_ack(&mut self) -> Option<Ack> {
        if self.earlier_ack.is_some() {
            return self.take_earlier_ack();
        }
        if !std::mem::take(&mut self.ack_pending) {
            return None;
        }
        let sack = self.sack_to_send;
        let blocks = sack.len() as u64;
        let option = if blocks == 0 { 0 } else { self.head_bits + blocks * self.block_bits };
        let bits = self.ack_bits + option;
        let marked = self.ns.as_mut().map_or(self.marks.echoes(), |ns| ns.echoes_mark());
        let echo = self.echo.echo_for(self.next);
        Some(Ack { next: self.next, bits, sack, echo, marked })
    }

    /// The ACK of packets that arrived before the last one.
    #[cold]
    fn take_earlier_ack(&mut self) -> Option<Ack> {
        let (next, echo) = self.earlier_ack.take()?;
        let (bits, sack, marked) = (self.ack_bits, Sack::default(), !self.marks.echoes());
        Some(Ack { next, bits, sack, echo, marked })
    }

    /// The answer to a probe, with the number expected now. It is sent at once and changes no state; a delayed ACK
    /// stays delayed.
    #[must_use]
    pub fn answer_probe(&self, id: ProbeId) -> ProbeAck {
        let bits = self.ack_bits + 8 * u64::from(PROBE_OPTION_BYTES);
        ProbeAck { next: self.next, id, bits }
    }

    /// A segment of the other direction leaves, and carries the cumulative ACK: one that is delayed need not
    /// be sent. Returns the time that it echoes (TSecr).
    pub fn take_piggybacked_ack(&mut self) -> u32 {
        self.delay.on_ack_sent();
        self.take_echo()
    }

    /// The timestamp echo (TSecr) of a segment that leaves now. A delayed ACK stays delayed.
    pub fn take_echo(&mut self) -> u32 {
        self.echo.echo_for(self.next)
    }

    /// Notes the timestamp of a segment without data from `seq` on [RFC 7323 4.3].
    pub fn record_timestamp(&mut self, seq: u64, stamp: u32) {
        self.echo.record(seq, stamp);
    }

    /// Returns whether a timestamp is older than one that came in order before [RFC 7323 5.3, R1].
    #[must_use]
    pub fn is_old_timestamp(&self, stamp: u32) -> bool {
        self.echo.is_after(stamp)
    }

    /// Sequence numbers held beyond the next expected one.
    #[must_use]
    pub fn out_of_order(&self) -> &RangeSet {
        &self.out_of_order
    }

    /// The next sequence number expected in order: all before it are delivered.
    #[must_use]
    pub fn next_expected(&self) -> u64 {
        self.next
    }

    /// Count of sequence numbers that have arrived, in order or not.
    #[must_use]
    #[inline]
    pub fn received(&self) -> u64 {
        self.next + self.out_of_order.total()
    }

    /// Packets that arrived for the first time.
    #[must_use]
    pub fn new_packets(&self) -> u64 {
        self.distinct
    }

    /// Arrivals of packets already received, or beyond the window.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Takes `[start, end)`, and returns whether it is new.
    #[inline]
    fn store(&mut self, start: u64, end: u64) -> bool {
        if end <= self.next || end > self.next + self.window {
            return false;
        }
        if start > self.next {
            return self.out_of_order.insert(start, end) > 0;
        }
        self.next = end;
        while let Some(end) = self.out_of_order.take_first(self.next) {
            self.next = self.next.max(end);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(window: u64, sack: bool) -> Receiver {
        let sack = sack.then_some(SackConfig::NS2);
        Receiver::new(&ReceiverConfig::immediate(window, 320, sack))
    }

    fn take(receiver: &mut Receiver, seq: u64) -> (u64, Vec<(u64, u64)>) {
        receiver.on_segment(Instant::START, &Segment::Data { seq, len: 1, bits: 1, stamp: 0 });
        match receiver.poll_transmit(Instant::START) {
            Some(Segment::Ack { next, sack, .. }) => {
                (next, sack.blocks(next).map(|b| (b.start, b.end)).collect())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn holes_are_filled_and_duplicates_counted() {
        let mut receiver = receiver(24, false);
        let acks = [0, 2, 3, 5, 3, 1, 4, 4].map(|seq| take(&mut receiver, seq).0);
        assert_eq!(acks, [1, 1, 1, 1, 1, 4, 6, 6]);
        assert_eq!((receiver.new_packets(), receiver.duplicates()), (6, 2));
    }

    #[test]
    fn packets_beyond_the_buffer_are_not_taken() {
        let mut receiver = receiver(64, false);
        assert_eq!(take(&mut receiver, 64).0, 0);
        assert_eq!(take(&mut receiver, 0).0, 1);
        assert_eq!(receiver.new_packets(), 1);
        assert_eq!(take(&mut receiver, 64).0, 1);
        assert_eq!(receiver.new_packets(), 2);
    }

    #[test]
    fn sack_blocks_name_the_latest_run_first() {
        let mut receiver = receiver(64, true);
        let mut acks = [0, 2, 4, 6, 8, 7, 3, 1, 9, 5].map(|seq| take(&mut receiver, seq)).to_vec();
        let expected: Vec<(u64, Vec<(u64, u64)>)> = vec![
            (1, vec![]),
            (1, vec![(2, 3)]),
            (1, vec![(4, 5), (2, 3)]),
            (1, vec![(6, 7), (4, 5), (2, 3)]),
            (1, vec![(8, 9), (6, 7), (4, 5)]),
            (1, vec![(6, 9), (4, 5)]),
            (1, vec![(2, 5), (6, 9)]),
            (5, vec![(6, 9)]),
            (5, vec![(6, 10)]),
            (10, vec![]),
        ];
        for (ack, expected) in acks.drain(..).zip(expected) {
            assert_eq!(ack, expected);
        }
    }
}
