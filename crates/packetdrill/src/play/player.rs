//! The loop over the events, and the host between them.

use super::Failure;
use super::clock::{TimeWindow, seconds};
use super::tracked::Sockets;
use crate::code::Interpreter;
use crate::host::Host;
use crate::limits;
use crate::packet::Packet;
use crate::script::{Action, Event, Script, ScriptedCall};
use airtcp_core::{Cancel, Instant, Span};
use std::collections::{BTreeMap, VecDeque};

/// Reason for stopping a script.
pub(super) enum StopReason {
    Failure(Failure),
    Refusal { line: usize, column: usize, what: String },
    Cancelled,
}

pub(super) type Step<T = ()> = Result<T, StopReason>;

pub(super) const SECOND: i64 = 1_000_000_000;

/// A call that has not returned.
pub(super) struct PendingCall<'s> {
    pub(super) line: usize,
    pub(super) call: &'s ScriptedCall,
    pub(super) started_at: Instant,
    /// The end of the call, if the script calls it blocking.
    pub(super) end: Option<Instant>,
}

pub(super) struct Player<'s, 'h> {
    pub(super) script: &'s Script,
    pub(super) host: &'h mut dyn Host,
    pub(super) now: Instant,
    pub(super) sent: VecDeque<(Instant, Packet)>,
    pub(super) steps: u64,
    pub(super) configured: bool,
    pub(super) sockets: Sockets,
    /// The host's descriptors by the script's.
    pub(super) descriptors: BTreeMap<i64, i64>,
    pub(super) pending: Option<PendingCall<'s>>,
    pub(super) interpreter: Interpreter,
    /// Values of the counters at the last `nstat`.
    pub(super) counter_values: BTreeMap<String, u64>,
    pub(super) cancel: &'h Cancel,
}

impl<'s, 'h> Player<'s, 'h> {
    pub(super) fn new(script: &'s Script, host: &'h mut dyn Host, cancel: &'h Cancel) -> Self {
        Player {
            script,
            host,
            now: Instant::START,
            sent: VecDeque::new(),
            steps: 0,
            configured: false,
            sockets: Sockets::default(),
            descriptors: BTreeMap::new(),
            pending: None,
            interpreter: Interpreter::default(),
            counter_values: BTreeMap::new(),
            cancel,
        }
    }

    pub(super) fn into_printed(self) -> Vec<String> {
        self.interpreter.printed
    }

    /// Refuses calls and settings that the host does not support, before anything is played.
    fn check_support(&self) -> Step {
        let refused = |line: usize, column: usize, answer: Result<(), String>| {
            answer.map_err(|message| StopReason::Refusal { line, column, what: message })
        };
        let (line, settings) = &self.script.settings;
        refused(*line, 1, self.host.check_changes(&settings.changes))?;
        self.script.events.iter().try_for_each(|event| {
            let answer = match &event.action {
                Action::Call(asked) => self.host.check_call(&asked.call),
                Action::Command(orders) => self.host.check_changes(&orders.changes),
                _ => Ok(()),
            };
            refused(event.line, event.column, answer)
        })
    }

    pub(super) fn play(&mut self) -> Step {
        self.check_support()?;
        let (line, settings) = &self.script.settings;
        self.command(*line, 1, settings)?;
        // The event before, and its time.
        let mut last: Option<(&Event, Instant)> = None;
        // The time of the last one that is held against the clock.
        let mut checked: Option<Instant> = None;
        let inbound =
            |event: &Event| matches!(event.action, Action::Inbound(_) | Action::InboundIcmp(_));
        for event in &self.script.events {
            // Inbound packets in a row count from their times, other events from the moment now.
            let offset = match last {
                Some((before, at)) if inbound(before) && inbound(event) => at,
                _ => self.now,
            };
            let window = TimeWindow::from_time(event.time, offset);
            let tolerance = window.tolerance(&self.script.options, checked);
            if self.cancel.is_set() {
                return Err(StopReason::Cancelled);
            }
            self.event(event, offset, window, tolerance)?;
            last = Some((event, window.at));
            if !inbound(event) {
                checked = Some(window.at);
            }
        }
        self.await_return(SECOND)?;
        match &self.pending {
            Some(pending) => Err(failure(
                pending.line,
                format!("{} to end", pending.call.name),
                "it still blocks at the end of the script",
            )),
            None => Ok(()),
        }
    }

    fn event(
        &mut self,
        event: &'s Event,
        offset: Instant,
        window: TimeWindow,
        tolerance: Span,
    ) -> Step {
        if let Action::Outbound(segment) = &event.action {
            return self.outbound(event.line, segment, window, tolerance);
        }
        // A call waits for the one before it, a second at most.
        if matches!(event.action, Action::Call(_)) {
            self.await_return(SECOND)?;
        }
        self.run_until(window.at)?;
        window.check(self.now, tolerance).map_err(|actual| {
            let at = seconds(window.at);
            failure(event.line, format!("this at {at} s"), format!("it is reached {actual}"))
        })?;
        match &event.action {
            Action::Inbound(segment) => self.inbound(event, segment),
            Action::InboundIcmp(message) => self.icmp(event, message),
            Action::Call(asked) => self.call(event, asked, offset),
            Action::Command(orders) => self.command(event.line, event.column, orders),
            Action::Code(program) => self.code(event, program),
            Action::Outbound(_) => Ok(()),
        }
    }

    /// Takes the packets that the host sends now, and the result of a blocked call that returns.
    pub(super) fn drain_host(&mut self) -> Step {
        while let Some(packet) = self.host.transmit(self.now) {
            self.step()?;
            self.sent.push_back((self.now, packet));
        }
        if self.pending.is_some()
            && let Some(answer) = self.host.poll_blocked_call(self.now)
            && let Some(pending) = self.pending.take()
        {
            self.returned(&pending, &answer)?;
            // An answer may have made room, or a connection that was taken.
            return self.drain_host();
        }
        Ok(())
    }

    fn step(&mut self) -> Step {
        if self.cancel.is_set() {
            return Err(StopReason::Cancelled);
        }
        self.steps += 1;
        if self.steps <= limits::MAX_HOST_STEPS {
            return Ok(());
        }
        let actual =
            format!("it does not: more than {} packets and timers", limits::MAX_HOST_STEPS);
        Err(failure(1, "the host to come to rest", actual))
    }

    /// Lets the next timer expire if it is due before `until`; returns true if it did.
    pub(super) fn run_next_timer(&mut self, until: Instant) -> Step<bool> {
        let due = self.host.next_timer();
        if due >= until {
            return Ok(false);
        }
        self.step()?;
        self.now = self.now.max(due);
        self.host.on_timer(self.now);
        self.drain_host()?;
        Ok(true)
    }

    fn run_until(&mut self, until: Instant) -> Step {
        while self.run_next_timer(until)? {}
        self.now = self.now.max(until);
        Ok(())
    }

    /// Waits for the blocked call, for `patience` nanoseconds.
    pub(super) fn await_return(&mut self, patience: i64) -> Step {
        let until = self.now + Span::from_nanos(patience);
        while self.pending.is_some() {
            if !self.run_next_timer(until)? {
                break;
            }
        }
        Ok(())
    }
}

pub(super) fn failure(
    line: usize,
    expected: impl Into<String>,
    came: impl Into<String>,
) -> StopReason {
    StopReason::Failure(Failure { line, expected: expected.into(), actual: came.into() })
}

pub(super) fn no_socket(line: usize) -> StopReason {
    failure(line, "a socket for this packet", "the script has made none")
}
