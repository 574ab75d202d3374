//! The loop over the events, and the host between them.

use super::Failure;
use super::answers;
use super::clock::{Window, seconds};
use super::compare::{self, Expected};
use super::tracked::{Sockets, State};
use crate::call::Call;
use crate::code::{Machine, Problem, Program};
use crate::host::{Answer, Host, Outcome};
use crate::limits;
use crate::packet::{Flags, Icmp, Packet};
use crate::script::{Action, Asked, Event, Script, Segment, Tos};
use crate::settings::{Orders, Question};
use crate::symbols;
use crate::value::Value;
use airtcp_core::{Instant, Span};
use std::collections::{BTreeMap, VecDeque};

/// Why a script is not played on.
pub(super) enum Stop {
    Failure(Failure),
    Refusal { line: usize, column: usize, what: String },
}

type Step<T = ()> = Result<T, Stop>;

const SECOND: i64 = 1_000_000_000;

/// A call that has not returned.
struct Pending<'s> {
    line: usize,
    asked: &'s Asked,
    begun: Instant,
    /// Its end, if the script calls it blocking.
    end: Option<Instant>,
}

pub(super) struct Player<'s, 'h> {
    script: &'s Script,
    host: &'h mut dyn Host,
    now: Instant,
    sent: VecDeque<(Instant, Packet)>,
    steps: u64,
    configured: bool,
    sockets: Sockets,
    /// The host's descriptors by those of the script.
    descriptors: BTreeMap<i64, i64>,
    pending: Option<Pending<'s>>,
    machine: Machine,
    /// Counters at the last `nstat`.
    counted: BTreeMap<String, u64>,
}

impl<'s, 'h> Player<'s, 'h> {
    pub(super) fn new(script: &'s Script, host: &'h mut dyn Host) -> Self {
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
            machine: Machine::default(),
            counted: BTreeMap::new(),
        }
    }

    pub(super) fn into_printed(self) -> Vec<String> {
        self.machine.printed
    }

    pub(super) fn play(&mut self) -> Step {
        let (line, settings) = &self.script.settings;
        self.command(*line, 1, settings)?;
        // The event before, and its time.
        let mut last: Option<(&Event, Instant)> = None;
        for event in &self.script.events {
            let inbound =
                |event: &Event| matches!(event.action, Action::Inbound(_) | Action::InboundIcmp(_));
            // Inbound packets in a row count from their times, other events from the moment now.
            let offset = match last {
                Some((before, at)) if inbound(before) && inbound(event) => at,
                _ => self.now,
            };
            let window = Window::of(event.time, offset);
            let tolerance = window.tolerance(&self.script.options, last.map(|(_, at)| at));
            self.event(event, offset, window, tolerance)?;
            last = Some((event, window.at));
        }
        self.await_return(SECOND)?;
        match &self.pending {
            Some(pending) => Err(failure(
                pending.line,
                format!("{} to end", pending.asked.name),
                "it still blocks at the end of the script",
            )),
            None => Ok(()),
        }
    }

    fn event(
        &mut self,
        event: &'s Event,
        offset: Instant,
        window: Window,
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
        window.check(self.now, tolerance).map_err(|came| {
            let at = seconds(window.at);
            failure(event.line, format!("this at {at} s"), format!("it is reached {came}"))
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

    fn command(&mut self, line: usize, column: usize, orders: &Orders) -> Step {
        // The first one takes the options of the script, whatever it changes.
        if !orders.changes.is_empty() || !self.configured {
            self.configured = true;
            let taken = self.host.configure(self.now, &self.script.options, &orders.changes);
            taken.map_err(|what| Stop::Refusal { line, column, what })?;
            self.settle()?;
        }
        for question in &orders.questions {
            self.question(line, column, question)?;
        }
        Ok(())
    }

    /// Compares what a counter has counted, and begins anew.
    fn question(&mut self, line: usize, column: usize, question: &Question) -> Step {
        if let Some(name) = &question.counter {
            let count = self.host.counter(self.now, name);
            let what = || format!("this host has no counter '{name}'");
            let count = count.ok_or_else(|| Stop::Refusal { line, column, what: what() })?;
            let since = count.saturating_sub(self.counted.get(name).copied().unwrap_or(0));
            if question.wanted.map_or(since == 0, |wanted| wanted != since) {
                let wanted =
                    question.wanted.map_or("more than 0".into(), |wanted| wanted.to_string());
                return Err(failure(
                    line,
                    format!("counter {name} at {wanted}"),
                    format!("it is at {since}"),
                ));
            }
        }
        if question.anew {
            let now = self.now;
            for name in asked_for(self.script) {
                let count = self.host.counter(now, name).unwrap_or(0);
                self.counted.insert(name.to_owned(), count);
            }
        }
        Ok(())
    }

    // The host.

    /// Takes what the host sends now, and what a blocked call returns.
    fn settle(&mut self) -> Step {
        while let Some(packet) = self.host.transmit(self.now) {
            self.step()?;
            self.sent.push_back((self.now, packet));
        }
        if self.pending.is_some()
            && let Some(answer) = self.host.returned(self.now)
            && let Some(pending) = self.pending.take()
        {
            self.returned(&pending, &answer)?;
            // An answer may have made room, or a connection that was taken.
            return self.settle();
        }
        Ok(())
    }

    fn step(&mut self) -> Step {
        self.steps += 1;
        if self.steps <= limits::STEPS {
            return Ok(());
        }
        let came = format!("it does not: more than {} packets and timers", limits::STEPS);
        Err(failure(1, "the host to come to rest", came))
    }

    /// Lets the next timer expire if it is due before `until`; whether it did.
    fn timer(&mut self, until: Instant) -> Step<bool> {
        let due = self.host.next_timer();
        if due >= until {
            return Ok(false);
        }
        self.step()?;
        self.now = self.now.max(due);
        self.host.on_timer(self.now);
        self.settle()?;
        Ok(true)
    }

    fn run_until(&mut self, until: Instant) -> Step {
        while self.timer(until)? {}
        self.now = self.now.max(until);
        Ok(())
    }

    /// Waits for the blocked call, for so many nanoseconds.
    fn await_return(&mut self, patience: i64) -> Step {
        let until = self.now + Span::from_nanos(patience);
        while self.pending.is_some() {
            if !self.timer(until)? {
                break;
            }
        }
        Ok(())
    }

    // Packets.

    fn inbound(&mut self, event: &Event, segment: &Segment) -> Step {
        let options = &self.script.options;
        let tracked = self.sockets.for_inbound(segment, options.bind_port);
        let Some(tracked) = tracked else { return Err(no_socket(event.line)) };
        let (source, destination) = segment.ports.unwrap_or_default();
        let or = |port: u16, known: u16| if port == 0 { known } else { port };
        let tos = match segment.ip.tos {
            Tos::Ecn(mark) => mark,
            Tos::Whole(tos) => tos,
            Tos::Any | Tos::Ect => 0,
        };
        let mut packet = Packet {
            source: or(source, tracked.remote),
            destination: or(destination, tracked.local),
            flags: segment.flags,
            sequence: segment.sequence,
            acknowledgment: segment.acknowledgment,
            window: segment.window.unwrap_or_default(),
            urgent: segment.urgent,
            options: segment.options.clone().unwrap_or_default(),
            payload: segment.payload.into(),
            tos,
            ttl: segment.ip.ttl.unwrap_or(64),
            flow_label: segment.ip.flow_label.unwrap_or_default(),
        };
        let mapped = tracked.mapping.to_live(&mut packet, options.scaled_echoes);
        mapped.map_err(|came| failure(event.line, "an echo of a timestamp that was sent", came))?;
        self.host.receive(self.now, &packet);
        self.settle()
    }

    fn icmp(&mut self, event: &Event, message: &Icmp) -> Step {
        let Some(tracked) = self.sockets.under_test() else { return Err(no_socket(event.line)) };
        let sequence = tracked.mapping.live_sequence(message.sequence);
        let (local, remote) = (tracked.local, tracked.remote);
        let message = Icmp { sequence, local, remote, ..message.clone() };
        let (line, column) = (event.line, event.column);
        let taken = self.host.receive_icmp(self.now, &message);
        taken.map_err(|what| Stop::Refusal { line, column, what })?;
        self.settle()
    }

    fn outbound(&mut self, line: usize, wanted: &Segment, window: Window, tolerance: Span) -> Step {
        if self.sockets.for_outbound(wanted).is_none() {
            return Err(no_socket(line));
        }
        let expected = || {
            let when = match window.bounds {
                None => "at any time".to_owned(),
                Some((from, to)) if from == to => format!("at {} s", seconds(from)),
                Some((from, to)) => format!("from {} to {} s", seconds(from), seconds(to)),
            };
            format!("{} {when}", Expected(wanted))
        };
        let latest = window.bounds.map_or(window.at, |(_, to)| to).max(self.now);
        let patience = latest + tolerance + Span::from_nanos(limits::SILENCE * SECOND);
        let mut parts: Vec<Packet> = vec![];
        let mut length = 0_u32;
        let mut when = self.now;
        while parts.is_empty()
            || (length < u32::from(wanted.payload) && !self.script.options.strict_segments)
        {
            let Some((at, packet)) = self.next_packet(wanted, patience)? else {
                let until = seconds(patience);
                let came = match parts.len() {
                    0 => format!("nothing came until {until} s"),
                    n => format!("{n} segments of {length} bytes came until {until} s"),
                };
                return Err(failure(line, expected(), came));
            };
            if let Some(before) = parts.last() {
                let missing = u32::from(wanted.payload) - length;
                let joins = compare::joins(before, &packet, missing);
                joins.map_err(|why| {
                    let came =
                        format!("{packet} came at {} s after {length} bytes: {why}", seconds(at));
                    failure(line, expected(), came)
                })?;
            }
            length = length.saturating_add(packet.payload);
            when = at;
            parts.push(packet);
        }
        let Some(mut came) = compare::joined(&parts) else { return Err(no_socket(line)) };
        let Some(tracked) = self.sockets.under_test() else { return Err(no_socket(line)) };
        let verdict =
            compare::compare(wanted, &mut came, &mut tracked.mapping, &self.script.options);
        let verdict = verdict.and_then(|()| {
            let wrong = window.check(when, tolerance);
            wrong.map_err(|when| format!("it was sent {when}"))
        });
        verdict.map_err(|why| {
            failure(line, expected(), format!("{came} came at {} s: {why}", seconds(when)))
        })
    }

    /// The next packet of the socket under test, with the script's numbers; those of others are dropped.
    fn next_packet(
        &mut self,
        wanted: &Segment,
        patience: Instant,
    ) -> Step<Option<(Instant, Packet)>> {
        loop {
            while let Some((at, mut packet)) = self.sent.pop_front() {
                let Some(tracked) = self.sockets.under_test() else { continue };
                if !tracked.owns(&packet) {
                    continue;
                }
                let answers = wanted.flags.has(Flags::SYN.with(Flags::ACK));
                if tracked.state == State::Begun && answers {
                    tracked.state = State::SynAckSent;
                    tracked.mapping.live_local = packet.sequence;
                }
                tracked.mapping.to_script(&mut packet);
                return Ok(Some((at, packet)));
            }
            if !self.timer(patience)? {
                return Ok(None);
            }
        }
    }

    // Calls.

    fn call(&mut self, event: &'s Event, asked: &'s Asked, offset: Instant) -> Step {
        if self.pending.is_some() {
            let came = "the call before it still blocks";
            return Err(failure(event.line, format!("{} to begin", asked.name), came));
        }
        let mut call = asked.call.clone();
        for fd in call.descriptors() {
            let known = self.descriptors.get(fd).copied();
            *fd = known.ok_or_else(|| {
                failure(
                    event.line,
                    format!("descriptor {fd}"),
                    "the script has opened none of that number",
                )
            })?;
        }
        self.before(&asked.call);
        let relative = matches!(event.time, crate::script::Time::After(_));
        let from = if relative { offset } else { Instant::START };
        let end = asked.end.map(|end| from + end);
        let pending = Pending { line: event.line, asked, begun: self.now, end };
        let outcome = self.host.call(self.now, &call);
        match outcome {
            Outcome::Returned(answer) => self.returned(&pending, &answer)?,
            Outcome::Blocked => self.pending = Some(pending),
        }
        self.settle()?;
        if end.is_none() && self.pending.is_some() {
            self.await_return(limits::BLOCKED * SECOND)?;
            if self.pending.take().is_some() {
                let came = format!("it still blocks after {} s", limits::BLOCKED);
                return Err(failure(event.line, format!("{} to return", asked.name), came));
            }
        }
        Ok(())
    }

    /// What a call says about its socket before it is made: packets may come before it returns.
    fn before(&mut self, call: &Call) {
        let port = self.script.options.connect_port;
        match call {
            Call::Connect { fd, family } | Call::Send { fd, family, addressed: true, .. } => {
                self.sockets.connects(*fd, port, *family == Some(symbols::AF_UNSPEC));
            }
            _ => {}
        }
    }

    fn returned(&mut self, pending: &Pending, answer: &Answer) -> Step {
        let Pending { line, asked, begun, end } = pending;
        let name = &asked.name;
        answers::check(asked, answer, &self.script.options).map_err(|came| {
            let expected = format!("{name} with {}", answers::expected(asked));
            failure(*line, expected, format!("{came} came at {} s", seconds(self.now)))
        })?;
        if let Some(end) = end {
            let window = Window { bounds: Some((*end, *end)), at: *end };
            let tolerance = window.tolerance(&self.script.options, Some(*begun));
            window.check(self.now, tolerance).map_err(|came| {
                let expected = format!("{name} to return at {} s", seconds(*end));
                failure(*line, expected, format!("it returned {came}"))
            })?;
        }
        self.after(*line, asked, answer)
    }

    /// What a call has changed in what the script knows.
    fn after(&mut self, line: usize, asked: &Asked, answer: &Answer) -> Step {
        if answer.result < 0 {
            return Ok(());
        }
        if asked.call.makes_descriptor() {
            self.opened(line, asked.result, answer.result)?;
        }
        match (&asked.call, &asked.output, &answer.output) {
            (Call::Socket { .. }, ..) => self.sockets.made(asked.result),
            (Call::Listen { fd, .. }, ..) => self.sockets.listens(*fd),
            (Call::Accept { .. }, ..) => self.sockets.accepted(asked.result),
            (Call::Close { fd }, ..) => {
                self.descriptors.remove(fd);
                self.sockets.closed(*fd);
            }
            (Call::Pipe, Value::List(wanted), Value::List(made)) => {
                for (script, live) in wanted.iter().zip(made) {
                    if let (Some(script), Some(live)) = (script.int(), live.int()) {
                        self.opened(line, script, live)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn opened(&mut self, line: usize, script: i64, live: i64) -> Step {
        if self.descriptors.insert(script, live).is_none() {
            return Ok(());
        }
        Err(failure(line, format!("a new descriptor {script}"), "the script has that number open"))
    }

    // Code.

    fn code(&mut self, event: &Event, program: &Program) -> Step {
        let fd = self.sockets.under_test().and_then(|one| one.fd);
        let live = fd.and_then(|fd| self.descriptors.get(&fd).copied());
        let Some(live) = live else {
            let came = "the connection under test has no descriptor (not accepted, or closed)";
            return Err(failure(event.line, "code about a connection", came));
        };
        let (host, now) = (&*self.host, self.now);
        let ran = self.machine.run(program, |name| host.information(now, live, name));
        ran.map_err(|problem| match problem {
            Problem::Assertion { line, text, came } => {
                failure(program.line + line, format!("{text} at {} s", seconds(now)), came)
            }
            Problem::Error { line, what } => {
                failure(program.line + line, "code that can be computed", what)
            }
        })
    }
}

fn failure(line: usize, expected: impl Into<String>, came: impl Into<String>) -> Stop {
    Stop::Failure(Failure { line, expected: expected.into(), came: came.into() })
}

/// The counters that a script asks for.
fn asked_for(script: &Script) -> impl Iterator<Item = &str> {
    let orders = script.events.iter().filter_map(|event| match &event.action {
        Action::Command(orders) => Some(orders),
        _ => None,
    });
    orders.flat_map(|orders| &orders.questions).filter_map(|question| question.counter.as_deref())
}

fn no_socket(line: usize) -> Stop {
    failure(line, "a socket for this packet", "the script has made none")
}
