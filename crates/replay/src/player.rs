//! Our sender under what came to the kernel's, in the capture's order.
//!
//! Segments that come are handled when the capture shows them. Timers and writes act when ours are due; the
//! kernel's may act somewhat later, in which case ours are let act at the time of what the kernel sent then,
//! so that one late softirq does not displace all that follows.

use crate::setup::{Application, Setup};
use crate::state;
use crate::trace::{Arrived, Event, Sent, Trace};
use crate::verdict::{Difference, Kind, Piece, Verdict};
use airtcp_core::Instant;
use airtcp_linux::sender::{AckIn, Sender, WriteFlags};
use airtcp_linux::{Clock, Now};
use std::collections::VecDeque;

/// Bytes that stand for a write without end.
const ENDLESS: u64 = 1 << 50;

/// What ours sent.
#[derive(Clone, Copy, Debug)]
struct Ours {
    piece: Piece,
    probe: bool,
    cause: &'static str,
}

/// What can change when it is repeated at another time: our side as a whole.
#[derive(Clone)]
struct Side {
    sender: Sender,
    /// How many writes were made, and whether the FIN was asked for.
    written: usize,
    closed: bool,
    /// Not before this instant, in ns of the host, does anything happen.
    floor: i64,
    expected: VecDeque<Ours>,
    /// Since when a call that waited for space could go on.
    woken: Option<i64>,
}

/// What happens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Input {
    Timer,
    Write,
}

impl Input {
    const fn name(self) -> &'static str {
        match self {
            Input::Timer => "a timer",
            Input::Write => "a write",
        }
    }
}

/// A replay under way.
pub(crate) struct Player<'a> {
    trace: &'a Trace,
    setup: &'a Setup,
    clock: Clock,
    side: Side,
    /// Segments that came while the socket was busy.
    backlog: VecDeque<Arrived>,
    /// The kernel's segments so far.
    index: usize,
    /// What the peer last said its window is, and in which segment.
    window: u64,
    verdict: Verdict,
    most_differences: usize,
}

impl<'a> Player<'a> {
    pub(crate) fn new(trace: &'a Trace, setup: &'a Setup, clock: Clock, most: usize) -> Self {
        let mut establishment = trace.establishment;
        let start = trace.start - setup.origin;
        if establishment.timestamps.is_some() {
            let offset = offset(trace, setup.origin);
            establishment.timestamps = Some(offset);
            // A repeated SYN is measured by timestamps [linux/rtt.md rule 3].
            if let Some(echo) = trace.echo {
                let stamp = offset.wrapping_add((start / 1_000_000) as u32);
                establishment.rtt_us = Some(u64::from(stamp.wrapping_sub(echo).max(1)) * 1000);
            }
        }
        let mut sender = Sender::new(&setup.sysctl, clock, setup.options.clone());
        sender.establish(clock.now(Instant::from_nanos(start)), &establishment);
        let side =
            Side { sender, written: 0, closed: false, floor: start, expected: VecDeque::new(), woken: None };
        Player {
            trace,
            setup,
            clock,
            side,
            backlog: VecDeque::new(),
            index: 0,
            window: establishment.window,
            verdict: Verdict { phase: clock.phase, ..Verdict::default() },
            most_differences: most,
        }
    }

    pub(crate) fn run(mut self) -> Verdict {
        let trace = self.trace;
        self.verdict.segments = trace.sent().count();
        for at in 0..trace.events.len() {
            match trace.events[at] {
                Event::Sent(sent) => self.observed(&sent),
                Event::Arrived(arrived) => self.arrival(arrived, at),
            }
            if self.verdict.differences.len() >= self.most_differences {
                return self.verdict;
            }
        }
        if let Some(end) = trace.events.last().map(|last| last.time() - self.setup.origin) {
            self.silence(end - self.setup.late);
        }
        self.verdict
    }

    /// The kernel sent this.
    fn observed(&mut self, sent: &Sent) {
        let at = sent.time - self.setup.origin;
        loop {
            if let Some(&ours) = self.side.expected.front() {
                self.compare(sent, at, ours);
                break;
            }
            let Some((due, input)) = self.next_input() else { break self.missing(sent, at) };
            if due > at + self.setup.early {
                break self.missing(sent, at);
            }
            let before = self.side.clone();
            self.act(due, input);
            if due < at && !self.side.expected.is_empty() && at - due <= self.lateness(input) {
                self.side = before;
                self.act(at, input);
            }
        }
        self.index += 1;
        if self.side.expected.is_empty() {
            while let Some(held) = self.backlog.pop_front() {
                self.handle(&held, at);
                if !self.side.expected.is_empty() {
                    break;
                }
            }
        }
    }

    /// This came to the kernel.
    fn arrival(&mut self, arrived: Arrived, index: usize) {
        let at = arrived.time - self.setup.origin;
        loop {
            if !self.side.expected.is_empty() {
                if self.is_about_to_send(index) {
                    return self.backlog.push_back(arrived);
                }
                self.extra(at);
            }
            let Some((due, input)) = self.next_input() else { break };
            if due > at {
                break;
            }
            let before = self.side.clone();
            self.act(due, input);
            let acted = !self.side.expected.is_empty();
            if acted && at - due <= self.lateness(input) && !self.is_about_to_send(index) {
                self.side = before; // the kernel had not come to it
                break;
            }
        }
        while let Some(held) = self.backlog.pop_front() {
            self.handle(&held, at);
        }
        self.handle(&arrived, at);
    }

    /// Whether the next segment of the kernel is what ours sent, soon enough.
    fn is_about_to_send(&self, index: usize) -> bool {
        let Some(ours) = self.side.expected.front() else { return false };
        let until = ours.piece.time + self.setup.late;
        let later = self.trace.events[index..].iter();
        later
            .take_while(|event| event.time() - self.setup.origin <= until)
            .find_map(|event| match event {
                Event::Sent(sent) => Some(is_same(sent, ours)),
                Event::Arrived(_) => None,
            })
            .unwrap_or(false)
    }

    /// Nothing more of the kernel until `end`.
    fn silence(&mut self, end: i64) {
        while self.side.expected.is_empty() {
            match self.next_input() {
                Some((due, input)) if due <= end => self.act(due, input),
                _ => return,
            }
        }
        if self.side.expected.front().is_some_and(|ours| ours.piece.time <= end) {
            self.extra(end);
        }
    }

    /// How much later than due the kernel may come to it.
    fn lateness(&self, input: Input) -> i64 {
        match input {
            Input::Timer => self.setup.late,
            Input::Write => self.setup.idle,
        }
    }

    /// When the next timer or write is due, and which of both.
    fn next_input(&self) -> Option<(i64, Input)> {
        let timer = self.side.sender.next_timer();
        let timer = (timer != Instant::NEVER).then(|| (timer.nanos(), Input::Timer));
        let write = self.next_write().map(|at| (at, Input::Write));
        let first = [timer, write].into_iter().flatten().min();
        first.map(|(at, input)| (at.max(self.side.floor), input))
    }

    /// When the application can write next; one call at a time.
    fn next_write(&self) -> Option<i64> {
        let side = &self.side;
        if side.sender.is_writing() {
            return side.woken;
        }
        match &self.setup.application {
            Application::Writes(writes, end) => match writes.get(side.written) {
                Some(&(at, _)) => Some(at),
                None => end.filter(|_| !side.closed),
            },
            Application::Bulk if side.written == 0 => {
                self.trace.sent().next().map(|first| first.time - self.setup.origin)
            }
            Application::Bulk => None,
        }
    }

    /// Lets it happen at `at`.
    fn act(&mut self, at: i64, input: Input) {
        let now = self.now(at);
        let at = at.max(self.side.floor);
        let Side { sender, written, closed, woken, .. } = &mut self.side;
        match (input, &self.setup.application) {
            (Input::Timer, _) => sender.on_timer(Now { instant: now.instant.max(sender.next_timer()), ..now }),
            (Input::Write, _) if woken.is_some() => sender.resume(now),
            (Input::Write, Application::Writes(writes, _)) => {
                if let Some(&(_, bytes)) = writes.get(*written) {
                    sender.write(now, bytes, WriteFlags::blocking());
                    *written += 1;
                } else {
                    sender.close(now);
                    *closed = true;
                }
            }
            (Input::Write, Application::Bulk) => {
                sender.write(now, ENDLESS, WriteFlags::blocking());
                *written += 1;
            }
        }
        *woken = None;
        self.note_wake(at);
        self.drain(at, input.name());
    }

    /// Remembers since when a call that waits can go on.
    fn note_wake(&mut self, at: i64) {
        let side = &mut self.side;
        side.woken = side.sender.can_resume().then(|| side.woken.unwrap_or(at));
    }

    fn handle(&mut self, arrived: &Arrived, at: i64) {
        let now = self.now(at);
        let sender = &mut self.side.sender;
        let known = arrived.window == self.window;
        self.window = arrived.window;
        let ack = AckIn {
            ack: arrived.ack,
            seq: arrived.seq,
            has_data: arrived.len > 0,
            window: arrived.window,
            sack: &arrived.sack[..arrived.blocks],
            ts: arrived.stamps.filter(|_| self.trace.establishment.timestamps.is_some()),
            ece: arrived.flags.has(crate::capture::Flags::ECE),
            header_predicted: arrived.plain && known,
            syn: false,
        };
        sender.on_ack(now, &ack);
        sender.data_snd_check(now);
        self.note_wake(at);
        self.drain(at, "an ACK");
    }

    fn drain(&mut self, at: i64, cause: &'static str) {
        while let Some(out) = self.side.sender.transmit() {
            let time = at - (self.trace.start - self.setup.origin);
            let (mut seq, mut left) = (out.seq, out.len);
            loop {
                let len = if out.mss == 0 { left } else { left.min(out.mss) };
                left -= len;
                let piece = Piece { time, seq, len, fin: out.fin && left == 0 };
                self.side.expected.push_back(Ours { piece, probe: out.probe, cause });
                seq += u64::from(len);
                if left == 0 {
                    break;
                }
            }
        }
    }

    fn now(&mut self, at: i64) -> Now {
        self.side.floor = self.side.floor.max(at);
        self.clock.now(Instant::from_nanos(self.side.floor))
    }

    fn compare(&mut self, sent: &Sent, at: i64, ours: Ours) {
        if is_same(sent, &ours) {
            let start = self.trace.start - self.setup.origin;
            let error = at - start - ours.piece.time;
            self.verdict.earliest = self.verdict.earliest.max(-error);
            self.verdict.latest = self.verdict.latest.max(error);
            if error < -self.setup.early || error > self.setup.late.max(if ours.cause == Input::Write.name() { self.setup.idle } else { 0 }) {
                self.differ(Kind::Time, Some(piece(sent, self.trace.start)), Some(ours), at);
            } else {
                self.verdict.explained += 1;
            }
            self.side.expected.pop_front();
            return;
        }
        let kind = if ours.piece.seq == sent.seq { Kind::Length } else { Kind::Order };
        self.differ(kind, Some(piece(sent, self.trace.start)), Some(ours), at);
    }

    fn missing(&mut self, sent: &Sent, at: i64) {
        self.differ(Kind::Missing, Some(piece(sent, self.trace.start)), None, at);
    }

    fn extra(&mut self, at: i64) {
        let ours = self.side.expected.front().copied();
        self.differ(Kind::Extra, None, ours, at);
        self.side.expected.clear();
    }

    fn differ(&mut self, kind: Kind, kernel: Option<Piece>, ours: Option<Ours>, at: i64) {
        let now = self.clock.now(Instant::from_nanos(at));
        self.verdict.differences.push(Difference {
            index: self.index,
            kind,
            kernel,
            ours: ours.map(|ours| ours.piece),
            cause: ours.map_or("", |ours| ours.cause),
            status: state::of(&self.side.sender, now, self.trace.start - self.setup.origin),
        });
    }
}

fn piece(sent: &Sent, start: i64) -> Piece {
    Piece { time: sent.time - start, seq: sent.seq, len: sent.len, fin: sent.fin }
}

fn is_same(sent: &Sent, ours: &Ours) -> bool {
    (sent.seq, sent.len, sent.fin) == (ours.piece.seq, ours.piece.len, ours.piece.fin)
}

/// What to add to milliseconds of the host's clock to get the sender's timestamps: a segment carries the
/// millisecond in which it was made, which is that of the capture or the one before.
fn offset(trace: &Trace, origin: i64) -> u32 {
    let of = |&(time, value): &(i64, u32)| value.wrapping_sub(((time - origin) / 1_000_000) as u32);
    let Some(first) = trace.stamps.first().map(of) else { return 0 };
    let ahead = trace.stamps.iter().map(|one| of(one).wrapping_sub(first).cast_signed());
    first.wrapping_add(ahead.max().unwrap_or(0).cast_unsigned())
}
