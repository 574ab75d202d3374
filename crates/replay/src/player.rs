//! Playback: our sender receives the segments that the kernel received, in the order of the capture.
//!
//! Arriving segments are processed at the times of the capture. Timers and writes act when those of our sender are due.
//! If the kernel acts somewhat later, our sender acts at the time at which the kernel sent its segment, so that one
//! late softirq does not displace all that follows.

use crate::lag::LagPattern;
use crate::prior_side::PriorSide;
use crate::setup::Setup;
use crate::side::{OurSegment, OurSide, SendTrigger};
use crate::state;
use crate::state_guess::StateGuess;
use crate::trace::{ArrivedSegment, Event, SentSegment, Trace};
use crate::verdict::{ComparedSegment, Difference, DifferenceKind};
use airtcp_linux::Clock;
use std::collections::VecDeque;

/// A replay under way.
#[derive(Clone)]
pub(crate) struct Player<'a> {
    trace: &'a Trace,
    setup: &'a Setup,
    pub our_side: OurSide<'a>,
    /// Our side before the last segment, timer or write.
    prior_side: PriorSide<'a>,
    /// Segments that arrived while the socket was busy.
    backlog: VecDeque<ArrivedSegment>,
    /// The place of the next event, and the number of the kernel's next segment.
    pub next_event: usize,
    pub next_segment: usize,
    /// True while our sender copies the kernel's segments instead of sending its own: from a difference to the next
    /// ACK.
    follows_kernel: bool,
    /// State in which our sender resumes after that ACK.
    pub state_guess: StateGuess,
    /// Time from the capture of a segment that arrives to its handling.
    pub lag: LagPattern,
    pub explained: usize,
    /// Largest time (ns) by which a segment of the kernel was earlier, and later, than our sender's segment.
    pub largest_early: i64,
    pub largest_late: i64,
    difference: Option<Difference>,
    /// Bursts in a row that left off the pace of our sender.
    off_pace_bursts: usize,
}

/// Time between a burst that pacing held back and the burst of our sender, in ns, above which the pacing rate is
/// doubted, and the number of such bursts in a row that make a doubt: high-resolution timers are seldom so late, and
/// the next burst makes up for what one missed.
const PACE_TOLERANCE: i64 = 200_000;
const DOUBTFUL_BURSTS: usize = 3;

/// Nanoseconds for which a host may stand still before it answers: other tasks have its processor for some slices.
const STANDSTILL: i64 = 15_000_000;
/// Fewest events in the same time before, among which a standstill shows: some for each ms.
const DENSE_EVENTS: usize = 32;

impl<'a> Player<'a> {
    pub(crate) fn new(trace: &'a Trace, setup: &'a Setup, clock: Clock) -> Self {
        let side = OurSide::new(trace, setup, clock);
        Player {
            trace,
            setup,
            prior_side: PriorSide::new(&side),
            our_side: side,
            backlog: VecDeque::new(),
            next_event: 0,
            next_segment: 0,
            follows_kernel: false,
            state_guess: StateGuess::default(),
            lag: LagPattern::default(),
            explained: 0,
            largest_early: 0,
            largest_late: 0,
            difference: None,
            off_pace_bursts: 0,
        }
    }

    /// A checkpoint from which trials can start.
    pub(crate) fn checkpoint(&self) -> Self {
        let mut place = self.clone();
        place.prior_side.require_snapshot();
        place
    }

    /// Turns a trial into the replay: it continues with the ticks of `clock` and without lags.
    pub(crate) fn resume(&mut self, clock: Clock) {
        self.our_side.clock = clock;
        self.lag = LagPattern::default();
        self.prior_side.require_snapshot();
    }

    /// Returns true if the capture is over.
    pub(crate) fn is_over(&self) -> bool {
        self.next_event > self.trace.events.len()
    }

    /// Time of the last event, in ns of the capture.
    pub(crate) fn time(&self) -> i64 {
        let last = self.trace.events.get(self.next_event.saturating_sub(1));
        last.or(self.trace.events.last()).map_or(self.trace.start, Event::time)
    }

    /// Takes the next event of the capture, and gives the difference at it, if there is one.
    pub(crate) fn step(&mut self) -> Option<Difference> {
        match self.trace.events.get(self.next_event) {
            Some(Event::Sent(sent)) => self.on_kernel_segment(sent),
            Some(Event::Arrived(arrived)) => self.on_arrival(*arrived),
            None => self.on_end_of_capture(),
        }
        self.next_event += 1;
        self.difference.take()
    }

    /// Returns true if the kernel's pacing rate seems to differ from ours, though no segment differs yet.
    pub(crate) fn is_off_pace(&self) -> bool {
        self.off_pace_bursts >= DOUBTFUL_BURSTS
    }

    /// Accepts the pace as it is.
    pub(crate) fn trust_pace(&mut self) {
        self.off_pace_bursts = 0;
    }

    fn host_time(&self, time: i64) -> i64 {
        time - self.setup.clock_origin
    }

    /// The kernel sent this.
    fn on_kernel_segment(&mut self, sent: &SentSegment) {
        let at = self.host_time(sent.time);
        if self.follows_kernel {
            self.impose_segment(sent, at);
        } else {
            self.run_until_sent(sent, at);
        }
        self.next_segment += 1;
        if self.our_side.expected.is_empty() {
            self.handle_backlog(at);
        }
    }

    fn run_until_sent(&mut self, sent: &SentSegment, at: i64) {
        loop {
            if let Some(&ours) = self.our_side.expected.front() {
                return self.compare(sent, at, ours);
            }
            let Some((due, trigger)) = self.our_side.next_input() else {
                return self.record_difference(DifferenceKind::Missing, Some(sent), None, at);
            };
            let (early, late) = self.our_side.tolerance(due, trigger);
            if due > at + early {
                return self.record_difference(DifferenceKind::Missing, Some(sent), None, at);
            }
            self.prior_side.prepare(&self.our_side, self.next_event);
            self.our_side.carry_out_input(due.min(at.max(self.our_side.earliest_time)), trigger);
            if due > at && self.our_side.expected.is_empty() {
                self.our_side = self.prior_side.restore();
                return self.record_difference(DifferenceKind::Missing, Some(sent), None, at);
            }
            if due < at && !self.our_side.expected.is_empty() && at - due <= late {
                self.our_side = self.prior_side.restore();
                self.our_side.carry_out_input(at, trigger);
            }
        }
    }

    /// The kernel received `arrived`.
    fn on_arrival(&mut self, arrived: ArrivedSegment) {
        let at = self.host_time(arrived.time) + self.lag.at_event(self.next_event);
        if self.follows_kernel {
            self.end_following();
        }
        loop {
            if !self.our_side.expected.is_empty() {
                if self.kernel_sends_soon() {
                    return self.backlog.push_back(arrived);
                }
                let ours = self.our_side.expected.front().copied();
                self.backlog.push_back(arrived);
                return self.record_difference(DifferenceKind::Extra, None, ours, at);
            }
            let Some((due, trigger)) = self.our_side.next_input() else { break };
            if due > at {
                break;
            }
            let (_, late) = self.our_side.tolerance(due, trigger);
            self.prior_side.prepare(&self.our_side, self.next_event);
            self.our_side.carry_out_input(due, trigger);
            let acted = !self.our_side.expected.is_empty();
            if acted && at - due <= late && !self.kernel_sends_soon() {
                self.our_side = self.prior_side.restore(); // the kernel had not come to it
                break;
            }
        }
        self.backlog.push_back(arrived);
        self.handle_backlog(at);
    }

    /// Processes segments that arrived while the socket was busy.
    fn handle_backlog(&mut self, at: i64) {
        while self.our_side.expected.is_empty()
            && let Some(arrived) = self.backlog.pop_front()
        {
            self.our_side.close_if_due(self.host_time(arrived.time));
            self.prior_side.record_input(&self.our_side, self.next_event, &arrived, at);
            self.our_side.on_arrival(&arrived, at);
        }
    }

    /// Returns true if the kernel will soon send the segment that our sender has already sent.
    fn kernel_sends_soon(&self) -> bool {
        let Some(ours) = self.our_side.expected.front() else { return false };
        let until = ours.timer_interval.1 + self.trace.start;
        let later = self.trace.events.iter().enumerate().skip(self.next_event);
        later
            .take_while(|(_, event)| event.time() <= until + STANDSTILL)
            .find_map(|(place, event)| match event {
                Event::Sent(sent) => Some((place, sent)),
                Event::Arrived(_) => None,
            })
            .is_some_and(|(place, sent)| {
                is_same_range(sent, ours) && sent.time <= until + self.standstill(ours, place)
            })
    }

    /// Longest gap (ns) without any packet between the last input and the event at `place`, if that event answers an
    /// ACK and is late: the host stood still.
    fn standstill(&self, ours: &OurSegment, place: usize) -> i64 {
        let (events, input) = (&self.trace.events, self.prior_side.event.min(place));
        let is_dense = input.checked_sub(DENSE_EVENTS).is_some_and(|before| {
            events[input].time().saturating_sub(events[before].time()) < STANDSTILL
        });
        if ours.trigger != SendTrigger::Ack || !is_dense {
            return 0;
        }
        let between = &events[input..=place];
        let gaps = between.windows(2).map(|pair| pair[1].time().saturating_sub(pair[0].time()));
        gaps.max().unwrap_or(0).min(STANDSTILL)
    }

    /// The capture is over.
    fn on_end_of_capture(&mut self) {
        let Some(last) = self.trace.events.last() else { return };
        let end = self.host_time(last.time());
        while self.our_side.expected.is_empty() {
            match self.our_side.next_input() {
                Some((due, trigger)) if due + self.our_side.tolerance(due, trigger).1 <= end => {
                    self.our_side.carry_out_input(due, trigger);
                }
                _ => return,
            }
        }
        let ours = self.our_side.expected.front().copied();
        if ours.is_some_and(|ours| ours.timer_interval.1 + self.trace.start <= last.time()) {
            self.record_difference(DifferenceKind::Extra, None, ours, end);
        }
    }

    fn compare(&mut self, sent: &SentSegment, at: i64, ours: OurSegment) {
        if !is_same_range(sent, &ours) {
            let same_start = ours.segment.seq == sent.seq;
            let kind = if same_start { DifferenceKind::Length } else { DifferenceKind::Order };
            return self.record_difference(kind, Some(sent), Some(ours), at);
        }
        let since = sent.time - self.trace.start;
        let error = since - ours.segment.time;
        self.our_side.expected.pop_front();
        if let Some(due) = ours.pacing_release {
            let is_off = (since - due).abs() > PACE_TOLERANCE;
            self.off_pace_bursts = if is_off { self.off_pace_bursts + 1 } else { 0 };
        }
        let is_late = since > ours.timer_interval.1
            && since > ours.timer_interval.1 + self.standstill(&ours, self.next_event);
        if since < ours.timer_interval.0 || is_late {
            return self.record_difference(DifferenceKind::Time, Some(sent), Some(ours), at);
        }
        self.largest_early = self.largest_early.max(-error);
        self.largest_late = self.largest_late.max(error);
        self.explained += 1;
    }

    fn record_difference(
        &mut self,
        kind: DifferenceKind,
        kernel: Option<&SentSegment>,
        ours: Option<OurSegment>,
        at: i64,
    ) {
        let now = self.our_side.now(at.max(self.our_side.earliest_time));
        self.difference = Some(Difference {
            index: self.next_segment,
            kind,
            kernel_segment: kernel.map(|sent| compared_segment(sent, self.trace.start)),
            our_segment: ours.map(|ours| ours.segment),
            trigger: ours.map_or("", |ours| ours.trigger.name()),
            status: state::from_sender(
                &self.our_side.sender,
                now,
                self.trace.start - self.setup.clock_origin,
            ),
        });
    }

    /// Continues after a difference: our sender takes over the kernel's segments since the last input that made it
    /// send, and copies the kernel until the next ACK.
    pub(crate) fn resume_from_guess(&mut self, difference: &Difference) {
        if difference.kind == DifferenceKind::Time {
            return;
        }
        let sent_already =
            !self.our_side.expected.is_empty() || difference.kind == DifferenceKind::Extra;
        if sent_already {
            self.our_side = self.prior_side.restore();
        }
        self.our_side.expected.clear();
        self.our_side.sender.set_muted(true);
        let from = if sent_already { self.prior_side.event } else { self.next_event - 1 };
        for event in from..self.next_event {
            match self.trace.events[event.min(self.trace.events.len() - 1)] {
                Event::Sent(sent) => self.impose_segment(&sent, self.host_time(sent.time)),
                Event::Arrived(arrived) if !self.follows_kernel => {
                    let at = self.host_time(arrived.time);
                    self.our_side.on_arrival(&arrived, at);
                    self.our_side.expected.clear();
                }
                Event::Arrived(_) => {}
            }
        }
        self.backlog.clear();
        self.prior_side.require_snapshot();
        self.follows_kernel = true;
    }

    fn impose_segment(&mut self, sent: &SentSegment, at: i64) {
        self.our_side.impose_segment(sent, at);
    }

    /// The end of being led.
    fn end_following(&mut self) {
        self.follows_kernel = false;
        self.our_side.sender.set_muted(false);
        self.state_guess.apply(&mut self.our_side.sender);
    }
}

fn compared_segment(sent: &SentSegment, start: i64) -> ComparedSegment {
    ComparedSegment { time: sent.time - start, seq: sent.seq, len: sent.len, fin: sent.fin }
}

fn is_same_range(sent: &SentSegment, ours: &OurSegment) -> bool {
    (sent.seq, sent.len, sent.fin) == (ours.segment.seq, ours.segment.len, ours.segment.fin)
}
