//! Our side of a replay: the sender, the actions of its application so far, and the segments that it sent.

use crate::application::{Application, ENDLESS};
use crate::artefact::UncapturedRetransmission;
use crate::setup::Setup;
use crate::trace::{ArrivedSegment, SentSegment, Trace};
use crate::verdict::ComparedSegment;
use airtcp_core::Instant;
use airtcp_linux::sender::{AckIn, Establishment, Sender, WriteFlags};
use airtcp_linux::{Clock, TimeInUnits};
use std::collections::VecDeque;

/// Input on which the sender sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SendTrigger {
    Timer,
    Write,
    Ack,
}

impl SendTrigger {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            SendTrigger::Timer => "a timer",
            SendTrigger::Write => "a write",
            SendTrigger::Ack => "an ACK",
        }
    }
}

/// A segment that our sender has sent and the kernel has not sent yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OurSegment {
    pub segment: ComparedSegment,
    pub trigger: SendTrigger,
    /// Earliest and latest time at which the timer could have fired, in ns since the start.
    pub timer_interval: (i64, i64),
    /// Time at which pacing let the segment go, in ns since the start.
    pub pacing_release: Option<i64>,
}

/// Our side.
#[derive(Clone)]
pub(crate) struct OurSide<'a> {
    pub sender: Sender,
    setup: &'a Setup,
    /// Time at which the sender was established, in ns of the host.
    start: i64,
    first_sent: Option<i64>,
    has_timestamps: bool,
    /// The clock whose ticks give the jiffy; timers of the sender go by the clock of the host.
    pub clock: Clock,
    /// Number of writes made; `closed` is true once the application has closed.
    writes_made: usize,
    closed: bool,
    /// Earliest time (ns of the host) of the next input.
    pub earliest_time: i64,
    pub expected: VecDeque<OurSegment>,
    /// Time since which a blocked write could continue.
    writable_since: Option<i64>,
    /// The window that the peer advertised last.
    window: u64,
    /// Ranges of data that were sent and not captured; up to `unseen`, our sender has sent them.
    uncaptured_ranges: &'a [(u64, u64)],
    uncaptured_end: u64,
    /// Repetitions that were not captured, by their numbers.
    uncaptured_retransmissions: &'a [UncapturedRetransmission],
}

impl<'a> OurSide<'a> {
    pub(crate) fn new(trace: &'a Trace, setup: &'a Setup, clock: Clock) -> Self {
        let start = trace.start - setup.clock_origin;
        let establishment = establishment(trace, setup);
        let mut sender = Sender::new(&setup.sysctl, clock, setup.options.clone());
        sender.establish(clock.units_at(Instant::from_nanos(start)), &establishment);
        OurSide {
            sender,
            setup,
            start,
            first_sent: trace.sent_segments().next().map(|first| first.time - setup.clock_origin),
            has_timestamps: establishment.timestamps.is_some(),
            clock,
            writes_made: 0,
            closed: false,
            earliest_time: start,
            expected: VecDeque::new(),
            writable_since: None,
            window: establishment.window,
            uncaptured_ranges: &trace.uncaptured_data,
            uncaptured_end: 0,
            uncaptured_retransmissions: &trace.uncaptured_retransmissions,
        }
    }

    /// Time at which the next timer or write is due, in ns of the host, and its cause.
    pub(crate) fn next_input(&self) -> Option<(i64, SendTrigger)> {
        let timer = self.sender.next_timer();
        let timer = (timer != Instant::NEVER).then(|| (timer.nanos(), SendTrigger::Timer));
        let write = self.next_write().map(|at| (at, SendTrigger::Write));
        let first = [timer, write].into_iter().flatten().min();
        first.map(|(at, trigger)| (at.max(self.earliest_time), trigger))
    }

    /// Times, in ns, by which the kernel may act earlier and later than due.
    pub(crate) fn tolerance(&self, due: i64, trigger: SendTrigger) -> (i64, i64) {
        let (early, late) = (self.setup.early_tolerance, self.setup.late_tolerance);
        match trigger {
            SendTrigger::Ack => (0, late),
            SendTrigger::Write => (early, self.setup.max_write_delay),
            SendTrigger::Timer => match self.sender.timer_range() {
                None => (early, late),
                Some((first, last)) => {
                    (early + (due - first.nanos()).max(0), late + (last.nanos() - due).max(0))
                }
            },
        }
    }

    /// Time at which the application can write next; one call at a time.
    fn next_write(&self) -> Option<i64> {
        if self.sender.is_writing() {
            return self.writable_since;
        }
        match &self.setup.application {
            Application::Writes(writes, end) => match writes.get(self.writes_made) {
                Some(&(at, _)) => Some(at),
                None => end.filter(|_| !self.closed),
            },
            Application::Bulk => self.first_sent.filter(|_| self.writes_made == 0),
        }
    }

    /// Lets the next timer or write happen at `at`.
    pub(crate) fn carry_out_input(&mut self, at: i64, trigger: SendTrigger) {
        let range = match (trigger, self.next_input()) {
            (SendTrigger::Timer, Some((due, SendTrigger::Timer))) => {
                let (early, late) = self.tolerance(due, trigger);
                (due - early, due + late)
            }
            (SendTrigger::Write, _) => {
                (at - self.setup.early_tolerance, at + self.setup.max_write_delay)
            }
            _ => (at - self.setup.early_tolerance, at + self.setup.late_tolerance),
        };
        let paced = self.sender.is_pacing_next().then(|| self.sender.next_timer().nanos());
        let paced = paced.filter(|_| trigger == SendTrigger::Timer).map(|due| due - self.start);
        let now = self.now(at);
        if trigger == SendTrigger::Timer {
            self.sender.advance_timer_to(now.instant);
            self.sender.on_timer(now);
        } else {
            self.write(now);
        }
        self.writable_since = None;
        self.collect_segments(trigger, range, paced);
    }

    fn write(&mut self, now: TimeInUnits) {
        if self.writable_since.is_some() {
            return self.sender.resume(now);
        }
        let bytes = match &self.setup.application {
            Application::Writes(writes, _) => writes.get(self.writes_made).map(|&(_, bytes)| bytes),
            Application::Bulk => Some(ENDLESS),
        };
        match bytes {
            Some(bytes) => {
                self.writes_made += 1;
                let more = self.setup.last_data_held && !self.can_write();
                let flags = WriteFlags { more_follows: more, ..WriteFlags::blocking_call() };
                self.sender.write(now, bytes, flags);
            }
            None => {
                self.sender.close(now);
                self.closed = true;
            }
        }
    }

    /// Makes our sender send the kernel's segment at `at`; its data had been written by then.
    pub(crate) fn impose_segment(&mut self, sent: &SentSegment, at: i64) {
        let now = self.now(at);
        let end = sent.seq + u64::from(sent.len);
        self.writable_since = None;
        while self.sender.write_seq() + self.sender.unsent_or_unacked() < end && self.can_write() {
            self.write(now);
        }
        self.closed |= sent.fin;
        self.sender.impose_transmission(now, sent.seq, end + u64::from(sent.fin), sent.fin);
        self.expected.clear();
    }

    /// Treats acknowledged data as sent, even if they were not captured and our sender did not send them.
    fn assume_sent(&mut self, now: TimeInUnits, ack: u64) {
        let nxt = self.sender.nxt();
        if ack > nxt && self.has_uncaptured_before(ack) {
            self.sender.impose_transmission(now, nxt, ack, false);
        }
    }

    /// Returns true if the byte before `ack` was sent but not captured.
    fn has_uncaptured_before(&self, ack: u64) -> bool {
        self.uncaptured_ranges.iter().any(|hole| hole.0 < ack && ack <= hole.1)
    }

    /// Closes if that was due before `at`, but lets no segment leave, so that waiting data leave with the FIN.
    pub(crate) fn close_if_due(&mut self, at: i64) {
        let waits = self.sender.write_seq() > self.sender.nxt();
        let is_next = !self.can_write() && !self.sender.is_writing();
        if waits && is_next && self.next_write().is_some_and(|due| due < at) {
            self.carry_out_input(self.earliest_time, SendTrigger::Write);
        }
    }

    /// Returns true if the application has more to write.
    fn can_write(&self) -> bool {
        match &self.setup.application {
            Application::Writes(writes, _) => self.writes_made < writes.len(),
            Application::Bulk => self.writes_made == 0,
        }
    }

    /// A segment arrives at `at`.
    pub(crate) fn on_arrival(&mut self, arrived: &ArrivedSegment, at: i64) {
        let now = self.now(at);
        self.assume_sent(now, arrived.ack);
        let known = arrived.window == self.window;
        self.window = arrived.window;
        let ack = AckIn {
            ack: arrived.ack,
            seq: arrived.seq,
            has_data: arrived.len > 0,
            window: arrived.window,
            sack: &arrived.sack[..arrived.blocks],
            ts: arrived.stamps.filter(|_| self.has_timestamps),
            ece: arrived.flags.contains(airtcp_capture::Flags::ECE),
            header_predicted: arrived.header_predictable && known,
            syn: false,
        };
        self.sender.on_ack(now, &ack);
        self.sender.data_snd_check(now);
        self.collect_segments(
            SendTrigger::Ack,
            (at - self.setup.early_tolerance, at + self.setup.late_tolerance),
            None,
        );
    }

    /// Collects the segments that our sender sent, and notes when a blocked write can continue.
    fn collect_segments(&mut self, trigger: SendTrigger, range: (i64, i64), paced: Option<i64>) {
        let at = self.earliest_time;
        self.writable_since = self.sender.can_resume().then(|| self.writable_since.unwrap_or(at));
        let range = (range.0 - self.start, range.1 - self.start);
        while let Some(out) = self.sender.transmit() {
            let time = at - self.start;
            let (mut seq, mut left) = (out.seq, out.len);
            loop {
                let len = if out.mss == 0 { left } else { left.min(out.mss) };
                left -= len;
                let piece = ComparedSegment { time, seq, len, fin: out.fin && left == 0 };
                if !self.is_uncaptured(&piece) {
                    self.expected.push_back(OurSegment {
                        segment: piece,
                        trigger,
                        timer_interval: range,
                        pacing_release: paced,
                    });
                }
                seq += u64::from(len);
                if left == 0 {
                    break;
                }
            }
        }
    }

    /// Returns true if the segment was sent but not captured: new data or a retransmission.
    fn is_uncaptured(&mut self, piece: &ComparedSegment) -> bool {
        let end = piece.seq + u64::from(piece.len) + u64::from(piece.fin);
        while self
            .uncaptured_ranges
            .first()
            .is_some_and(|hole| hole.1 <= piece.seq.max(self.uncaptured_end))
        {
            self.uncaptured_ranges = &self.uncaptured_ranges[1..];
        }
        let hole = self
            .uncaptured_ranges
            .first()
            .filter(|hole| piece.seq >= hole.0.max(self.uncaptured_end));
        let is_found = hole.is_some_and(|hole| end <= hole.1);
        self.uncaptured_end = if is_found { end } else { self.uncaptured_end };
        is_found
            || self.is_uncaptured_retransmission(
                piece.seq,
                end,
                piece.time + self.start + self.setup.clock_origin,
            )
    }

    /// Returns true if this range was retransmitted about that time (ns of the capture) but not captured.
    fn is_uncaptured_retransmission(&self, seq: u64, end: u64, time: i64) -> bool {
        let until = self
            .uncaptured_retransmissions
            .partition_point(|retransmission| retransmission.range.0 <= seq);
        let same = self.uncaptured_retransmissions[..until]
            .iter()
            .rev()
            .take_while(|retransmission| end <= retransmission.range.1);
        same.take(2).any(|retransmission| {
            (retransmission.interval.0..=retransmission.interval.1).contains(&time)
        })
    }

    /// The instant `at`, or the latest one at which something happened.
    pub(crate) fn now(&mut self, at: i64) -> TimeInUnits {
        self.earliest_time = self.earliest_time.max(at);
        self.clock.units_at(Instant::from_nanos(self.earliest_time))
    }
}

/// The handshake as the sender knows it: with the offset of its timestamps, and the RTT that they give after a
/// retransmitted SYN [crates/linux/rules/rtt.md rule 3].
fn establishment(trace: &Trace, setup: &Setup) -> Establishment {
    let mut establishment = trace.establishment;
    establishment.initial_window = setup.initial_window.unwrap_or(establishment.initial_window);
    if establishment.timestamps.is_some() {
        establishment.timestamps = Some(setup.timestamp_offset);
        if let Some(echo) = trace.handshake_echo {
            let ms = ((trace.start - setup.clock_origin) / 1_000_000) as u32;
            let stamp = setup.timestamp_offset.wrapping_add(ms);
            establishment.rtt_us = Some(u64::from(stamp.wrapping_sub(echo).max(1)) * 1000);
        }
    }
    establishment
}
