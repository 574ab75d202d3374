//! Playback: our sender gets the segments that came to the kernel, in the order of the capture.
//!
//! Segments that come are handled when the capture shows them. Timers and writes act when those of our sender are due.
//! If the kernel acts somewhat later, our sender acts at the time at which the kernel sent its segment, so that one
//! late softirq does not displace all that follows.

use crate::guess::Guess;
use crate::lag::Lag;
use crate::memory::Memory;
use crate::setup::Setup;
use crate::side::{Ours, SendTrigger, Side};
use crate::state;
use crate::trace::{Arrived, Event, Sent, Trace};
use crate::verdict::{Difference, Kind, Piece};
use airtcp_linux::Clock;
use std::collections::VecDeque;

/// A replay under way.
#[derive(Clone)]
pub(crate) struct Player<'a> {
    trace: &'a Trace,
    setup: &'a Setup,
    pub side: Side<'a>,
    /// Our side before the last segment, timer or write.
    memory: Memory<'a>,
    /// Segments that came while the socket was busy.
    backlog: VecDeque<Arrived>,
    /// The place of the next event, and the number of the kernel's next segment.
    pub at: usize,
    pub index: usize,
    /// True while our sender is only told what the kernel sends, until its next ACK.
    led: bool,
    /// The state in which our sender goes on after that ACK.
    pub guess: Guess,
    /// Time from the capture of a segment that comes to its handling.
    pub lag: Lag,
    pub explained: usize,
    /// Most by which the kernel's segments were earlier, and later, than those of our sender, in ns.
    pub earliest: i64,
    pub latest: i64,
    found: Option<Difference>,
    /// Bursts in a row that left off the pace of our sender.
    off_pace: usize,
}

/// Time between a burst that pacing held back and the burst of our sender, in ns, above which the pacing rate is
/// doubted, and the number of such bursts in a row that make a doubt: high-resolution timers are seldom so late, and
/// the next burst makes up for what one missed.
const PACE: i64 = 200_000;
const DOUBT: usize = 3;

/// Nanoseconds for which a host may stand still before it answers: other tasks have its processor for some slices.
const STANDSTILL: i64 = 15_000_000;
/// Fewest events in the same time before, among which a standstill shows: some for each ms.
const DENSE: usize = 32;

impl<'a> Player<'a> {
    pub(crate) fn new(trace: &'a Trace, setup: &'a Setup, clock: Clock) -> Self {
        let side = Side::new(trace, setup, clock);
        Player {
            trace,
            setup,
            memory: Memory::new(&side),
            side,
            backlog: VecDeque::new(),
            at: 0,
            index: 0,
            led: false,
            guess: Guess::default(),
            lag: Lag::default(),
            explained: 0,
            earliest: 0,
            latest: 0,
            found: None,
            off_pace: 0,
        }
    }

    /// A place from which a replay can go on otherwise.
    pub(crate) fn place(&self) -> Self {
        let mut place = self.clone();
        place.memory.seal();
        place
    }

    /// Goes on with the ticks of `clock` and without lags, as a replay does that is no trial.
    pub(crate) fn resume(&mut self, clock: Clock) {
        self.side.clock = clock;
        self.lag = Lag::default();
        self.memory.seal();
    }

    /// Says that the capture is over.
    pub(crate) fn is_over(&self) -> bool {
        self.at > self.trace.events.len()
    }

    /// Time of the last event, in ns of the capture.
    pub(crate) fn time(&self) -> i64 {
        let last = self.trace.events.get(self.at.saturating_sub(1));
        last.or(self.trace.events.last()).map_or(self.trace.start, Event::time)
    }

    /// Takes the next event of the capture, and gives the difference at it, if there is one.
    pub(crate) fn step(&mut self) -> Option<Difference> {
        match self.trace.events.get(self.at) {
            Some(Event::Sent(sent)) => self.observed(sent),
            Some(Event::Arrived(arrived)) => self.arrival(*arrived),
            None => self.silence(),
        }
        self.at += 1;
        self.found.take()
    }

    /// Says that the kernel's pace seems to differ from that of our sender, though no segment differs yet.
    pub(crate) fn is_off_pace(&self) -> bool {
        self.off_pace >= DOUBT
    }

    /// Accepts the pace as it is.
    pub(crate) fn trust_pace(&mut self) {
        self.off_pace = 0;
    }

    fn host(&self, time: i64) -> i64 {
        time - self.setup.origin
    }

    /// The kernel sent this.
    fn observed(&mut self, sent: &Sent) {
        let at = self.host(sent.time);
        if self.led {
            self.tell(sent, at);
        } else {
            self.expect(sent, at);
        }
        self.index += 1;
        if self.side.expected.is_empty() {
            self.catch_up(at);
        }
    }

    fn expect(&mut self, sent: &Sent, at: i64) {
        loop {
            if let Some(&ours) = self.side.expected.front() {
                return self.compare(sent, at, ours);
            }
            let Some((due, trigger)) = self.side.next_input() else {
                return self.differ(Kind::Missing, Some(sent), None, at);
            };
            let (early, late) = self.side.tolerance(due, trigger);
            if due > at + early {
                return self.differ(Kind::Missing, Some(sent), None, at);
            }
            self.memory.keep(&self.side, self.at);
            self.side.act(due.min(at.max(self.side.floor)), trigger);
            if due > at && self.side.expected.is_empty() {
                self.side = self.memory.before();
                return self.differ(Kind::Missing, Some(sent), None, at);
            }
            if due < at && !self.side.expected.is_empty() && at - due <= late {
                self.side = self.memory.before();
                self.side.act(at, trigger);
            }
        }
    }

    /// This came to the kernel.
    fn arrival(&mut self, arrived: Arrived) {
        let at = self.host(arrived.time) + self.lag.of(self.at);
        if self.led {
            self.follow();
        }
        loop {
            if !self.side.expected.is_empty() {
                if self.is_about_to_send() {
                    return self.backlog.push_back(arrived);
                }
                let ours = self.side.expected.front().copied();
                self.backlog.push_back(arrived);
                return self.differ(Kind::Extra, None, ours, at);
            }
            let Some((due, trigger)) = self.side.next_input() else { break };
            if due > at {
                break;
            }
            let (_, late) = self.side.tolerance(due, trigger);
            self.memory.keep(&self.side, self.at);
            self.side.act(due, trigger);
            let acted = !self.side.expected.is_empty();
            if acted && at - due <= late && !self.is_about_to_send() {
                self.side = self.memory.before(); // the kernel had not come to it
                break;
            }
        }
        self.backlog.push_back(arrived);
        self.catch_up(at);
    }

    /// Handles segments that came meanwhile.
    fn catch_up(&mut self, at: i64) {
        while self.side.expected.is_empty()
            && let Some(arrived) = self.backlog.pop_front()
        {
            self.side.close_if_due(self.host(arrived.time));
            self.memory.note(&self.side, self.at, &arrived, at);
            self.side.handle(&arrived, at);
        }
    }

    /// Says that the kernel soon sends the segment that our sender has sent.
    fn is_about_to_send(&self) -> bool {
        let Some(ours) = self.side.expected.front() else { return false };
        let until = ours.range.1 + self.trace.start;
        let later = self.trace.events.iter().enumerate().skip(self.at);
        later
            .take_while(|(_, event)| event.time() <= until + STANDSTILL)
            .find_map(|(place, event)| match event {
                Event::Sent(sent) => Some((place, sent)),
                Event::Arrived(_) => None,
            })
            .is_some_and(|(place, sent)| {
                is_same(sent, ours) && sent.time <= until + self.standstill(ours, place)
            })
    }

    /// Nanoseconds for which the host stood still, and nothing came or left, between the last input and the event at
    /// `place`, if that is an answer which would otherwise be too late.
    fn standstill(&self, ours: &Ours, place: usize) -> i64 {
        let (events, input) = (&self.trace.events, self.memory.event.min(place));
        let is_dense = input.checked_sub(DENSE).is_some_and(|before| {
            events[input].time().saturating_sub(events[before].time()) < STANDSTILL
        });
        if ours.trigger != SendTrigger::Ack || !is_dense {
            return 0;
        }
        let between = &events[input..=place];
        let gaps = between.windows(2).map(|pair| pair[1].time().saturating_sub(pair[0].time()));
        gaps.max().unwrap_or(0).min(STANDSTILL)
    }

    /// Nothing more is in the capture.
    fn silence(&mut self) {
        let Some(last) = self.trace.events.last() else { return };
        let end = self.host(last.time());
        while self.side.expected.is_empty() {
            match self.side.next_input() {
                Some((due, trigger)) if due + self.side.tolerance(due, trigger).1 <= end => {
                    self.side.act(due, trigger);
                }
                _ => return,
            }
        }
        let ours = self.side.expected.front().copied();
        if ours.is_some_and(|ours| ours.range.1 + self.trace.start <= last.time()) {
            self.differ(Kind::Extra, None, ours, end);
        }
    }

    fn compare(&mut self, sent: &Sent, at: i64, ours: Ours) {
        if !is_same(sent, &ours) {
            let same_start = ours.piece.seq == sent.seq;
            let kind = if same_start { Kind::Length } else { Kind::Order };
            return self.differ(kind, Some(sent), Some(ours), at);
        }
        let since = sent.time - self.trace.start;
        let error = since - ours.piece.time;
        self.side.expected.pop_front();
        if let Some(due) = ours.paced {
            let is_off = (since - due).abs() > PACE;
            self.off_pace = if is_off { self.off_pace + 1 } else { 0 };
        }
        let is_late =
            since > ours.range.1 && since > ours.range.1 + self.standstill(&ours, self.at);
        if since < ours.range.0 || is_late {
            return self.differ(Kind::Time, Some(sent), Some(ours), at);
        }
        self.earliest = self.earliest.max(-error);
        self.latest = self.latest.max(error);
        self.explained += 1;
    }

    fn differ(&mut self, kind: Kind, kernel: Option<&Sent>, ours: Option<Ours>, at: i64) {
        let now = self.side.now(at.max(self.side.floor));
        self.found = Some(Difference {
            index: self.index,
            kind,
            kernel: kernel.map(|sent| piece(sent, self.trace.start)),
            ours: ours.map(|ours| ours.piece),
            trigger: ours.map_or("", |ours| ours.trigger.name()),
            status: state::of(&self.side.sender, now, self.trace.start - self.setup.origin),
        });
    }

    /// Goes on after a difference: our sender is told what the kernel sent since the last event that made our sender
    /// send, and is led until the kernel's next ACK.
    pub(crate) fn give_in(&mut self, difference: &Difference) {
        if difference.kind == Kind::Time {
            return;
        }
        let sent_already = !self.side.expected.is_empty() || difference.kind == Kind::Extra;
        if sent_already {
            self.side = self.memory.before();
        }
        self.side.expected.clear();
        self.side.sender.mute(true);
        let from = if sent_already { self.memory.event } else { self.at - 1 };
        for event in from..self.at {
            match self.trace.events[event.min(self.trace.events.len() - 1)] {
                Event::Sent(sent) => self.tell(&sent, self.host(sent.time)),
                Event::Arrived(arrived) if !self.led => {
                    let at = self.host(arrived.time);
                    self.side.handle(&arrived, at);
                    self.side.expected.clear();
                }
                Event::Arrived(_) => {}
            }
        }
        self.backlog.clear();
        self.memory.seal();
        self.led = true;
    }

    fn tell(&mut self, sent: &Sent, at: i64) {
        self.side.tell(sent, at);
    }

    /// The end of being led.
    fn follow(&mut self) {
        self.led = false;
        self.side.sender.mute(false);
        self.guess.apply(&mut self.side.sender);
    }
}

fn piece(sent: &Sent, start: i64) -> Piece {
    Piece { time: sent.time - start, seq: sent.seq, len: sent.len, fin: sent.fin }
}

fn is_same(sent: &Sent, ours: &Ours) -> bool {
    (sent.seq, sent.len, sent.fin) == (ours.piece.seq, ours.piece.len, ours.piece.fin)
}
