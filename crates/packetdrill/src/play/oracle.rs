//! A host that does what the script expects, as far as packets and calls go: every script passes on it, or
//! the player is wrong. Code is left out, since its fields belong to a TCP.

use super::clock::TimeWindow;
use super::{Verdict, play};
use crate::call::Call;
use crate::host::{Answer, Host, Outcome};
use crate::options::{Definitions, Options};
use crate::packet::{Flags, Packet, TcpOption};
use crate::script::{Action, Event, Script, ScriptedCall, Segment, Tos};
use crate::settings::SettingChange;
use airtcp_core::Instant;
use std::collections::VecDeque;

/// Offset of the host's timestamps from the script's.
const STAMPS: u32 = 4_000_000_000;

struct ObedientHost {
    events: Vec<Event>,
    next: usize,
    clock: Instant,
    timers: VecDeque<(Instant, Packet)>,
    blocked: Option<(Instant, Answer)>,
    fd: i64,
    options: Options,
    /// Source and destination port, the host's first sequence number, the script's number for it, and the
    /// other end's first number.
    ports: (u16, u16),
    isn: u32,
    script_isn: u32,
    remote: u32,
}

impl ObedientHost {
    fn new(script: &Script) -> Self {
        ObedientHost {
            events: script.events.clone(),
            next: 0,
            clock: Instant::START,
            timers: VecDeque::new(),
            blocked: None,
            fd: 100,
            options: script.options.clone(),
            ports: (0, 0),
            isn: 3_000_000_000,
            script_isn: 0,
            remote: 0,
        }
    }

    /// Takes the event that is played now; the caller plans the host's actions up to the script's next
    /// input.
    fn next_event(&mut self, now: Instant) -> Option<Event> {
        let event = self.events.get(self.next).cloned();
        self.clock = now;
        self.next += 1;
        event
    }

    fn plan_event(&mut self) {
        while let Some(event) = self.events.get(self.next).cloned() {
            let window = TimeWindow::from_time(event.time, self.clock);
            // As late as it may be in a range, as timers are.
            let when = window.bounds.map_or(window.at, |(_, to)| to).max(self.clock);
            match &event.action {
                Action::Outbound(segment) => {
                    let packet = self.packet(segment);
                    self.timers.push_back((when, packet));
                }
                Action::Code(_) => {}
                Action::Command(orders) if orders.changes.is_empty() => {}
                _ => return,
            }
            self.clock = when;
            self.next += 1;
        }
    }

    fn packet(&mut self, segment: &Segment) -> Packet {
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        if syn {
            self.script_isn = segment.sequence;
        }
        let local = if syn { self.isn.wrapping_sub(self.script_isn) } else { self.isn };
        let remote = if syn { 0 } else { self.remote };
        let mut options = segment.options.clone().unwrap_or_default();
        for option in &mut options {
            match option {
                TcpOption::Timestamps { value, .. } => *value = value.wrapping_add(STAMPS),
                TcpOption::Sack(blocks) => blocks.iter_mut().for_each(|(left, right)| {
                    (*left, *right) = (left.wrapping_add(remote), right.wrapping_add(remote));
                }),
                _ => {}
            }
        }
        Packet {
            source: self.ports.0,
            destination: self.ports.1,
            flags: segment.flags,
            sequence: segment.sequence.wrapping_add(local),
            acknowledgment: if ack { segment.acknowledgment.wrapping_add(remote) } else { 0 },
            window: segment.window.unwrap_or(7),
            urgent: segment.urgent,
            options,
            payload: segment.payload.into(),
            tos: match segment.ip.tos {
                Tos::Any => 0,
                Tos::Ecn(mark) => mark,
                Tos::Ect => 2,
                Tos::Whole(tos) => tos,
            },
            ttl: segment.ip.ttl.unwrap_or(64),
            flow_label: segment.ip.flow_label.map_or(0, |label| label + 7),
        }
    }

    fn answer(&mut self, expected_call: &ScriptedCall) -> Answer {
        let mut answer =
            Answer { result: expected_call.result, error: 0, output: expected_call.output.clone() };
        answer.error = expected_call.error.unwrap_or(if expected_call.result < 0 { 22 } else { 0 });
        if expected_call.call.makes_descriptor() && expected_call.result >= 0 {
            self.fd += 1;
            answer.result = self.fd;
        }
        if matches!(expected_call.call, Call::Pipe) {
            self.fd += 2;
            let pair = [self.fd - 1, self.fd].map(crate::Value::Int);
            answer.output = crate::Value::List(pair.to_vec());
        }
        answer
    }
}

impl Host for ObedientHost {
    fn configure(&mut self, now: Instant, _: &Options, _: &[SettingChange]) -> Result<(), String> {
        if self.next == 0
            && self.clock == Instant::START
            && self.timers.is_empty()
            && self.fd == 100
        {
            // The first command is no event.
            self.fd += 1;
        } else {
            self.next_event(now);
        }
        self.plan_event();
        Ok(())
    }

    fn call(&mut self, now: Instant, call: &Call) -> Outcome {
        let offset = self.clock;
        let Some(Event { action: Action::Call(asked), time, .. }) = self.next_event(now) else {
            panic!("{call:?} out of turn")
        };
        assert_eq!(std::mem::discriminant(call), std::mem::discriminant(&asked.call));
        if matches!(call, Call::Connect { .. } | Call::Send { addressed: true, .. }) {
            // A new connection of the host, unless the script goes on with the old one.
            let syn = |event: &Event| match &event.action {
                Action::Outbound(segment) => {
                    Some(segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK))
                }
                _ => None,
            };
            if self.events[self.next..].iter().find_map(syn) == Some(true) {
                self.ports = (self.ports.0.max(40_000) + 1, self.options.connect_port);
                self.isn = self.isn.wrapping_add(900_000_000);
            }
        }
        let answer = self.answer(&asked);
        let outcome = match asked.end {
            Some(end) => {
                let relative = matches!(time, crate::script::Time::After(_));
                let from = if relative { offset } else { Instant::START };
                self.blocked = Some((from + end, answer));
                Outcome::Blocked
            }
            None => Outcome::Returned(answer),
        };
        self.plan_event();
        outcome
    }

    fn poll_blocked_call(&mut self, now: Instant) -> Option<Answer> {
        let due = self.blocked.as_ref().is_some_and(|(when, _)| *when <= now);
        if due { self.blocked.take().map(|(_, answer)| answer) } else { None }
    }

    fn receive(&mut self, now: Instant, packet: &Packet) {
        let Some(Event { action: Action::Inbound(segment), .. }) = self.next_event(now) else {
            panic!("{packet} out of turn")
        };
        if packet.flags.has(Flags::SYN) {
            self.remote = packet.sequence;
            if !packet.flags.has(Flags::ACK) && self.ports.0 < 40_000 {
                self.ports = (packet.destination, packet.source);
            }
        } else if segment.ports.is_none() && self.ports.0 < 40_000 {
            self.ports = (packet.destination, packet.source);
        }
        for option in &packet.options {
            if let (TcpOption::Timestamps { echo, .. }, true) =
                (option, packet.flags.has(Flags::ACK))
            {
                let scripted = segment.options.iter().flatten().find_map(|option| match option {
                    TcpOption::Timestamps { echo, .. } => Some(*echo),
                    _ => None,
                });
                assert_eq!(Some(*echo), scripted.map(|echo| echo.wrapping_add(STAMPS)));
            }
        }
        self.plan_event();
    }

    fn receive_icmp(&mut self, now: Instant, _: &crate::Icmp) -> Result<(), String> {
        self.next_event(now);
        self.plan_event();
        Ok(())
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let due = self.timers.front().is_some_and(|(when, _)| *when <= now);
        if due { self.timers.pop_front().map(|(_, packet)| packet) } else { None }
    }

    fn next_timer(&self) -> Instant {
        let packet = self.timers.front().map_or(Instant::NEVER, |(when, _)| *when);
        self.blocked.as_ref().map_or(packet, |(when, _)| packet.min(*when))
    }

    fn on_timer(&mut self, _: Instant) {}

    fn information(&self, _: Instant, _: i64, _: &str) -> Option<i128> {
        None
    }
}

/// Plays the script, without assertions and questions, on a host that obeys it.
fn obeyed(name: &str, text: &str) -> Option<Verdict> {
    let mut script = Script::parse(name, text, &Definitions::of_linux_selftests()).ok()?;
    for event in &mut script.events {
        match &mut event.action {
            Action::Code(program) => program.clear(),
            Action::Command(orders) => orders.questions.clear(),
            _ => {}
        }
    }
    Some(play(&script, &mut ObedientHost::new(&script)).verdict)
}

/// Two connections of a server, the second under the descriptor of the first.
const SERVER: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 < S 500:500(0) win 1000 <mss 1000,sackOK,TS val 1 ecr 9,nop,wscale 7>
   +0 > S. 77:77(0) ack 501 <mss 1460,sackOK,TS val 100 ecr 1,nop,wscale 8>
  +.1 < . 1:1001(1000) ack 1 win 257 <nop,nop,TS val 2 ecr 100>
   +0 accept(3, ..., ...) = 4
+.04~+.05 > . 1:1(0) ack 1001 <nop,nop,TS val 240 ecr 2>
   +0 %{ assert 1 }%
   +0...0.2 read(4, ..., 10) = -1 EAGAIN (Resource temporarily unavailable)
 +.03 < . 1001:1001(0) ack 1 win 257 <nop,nop,TS val 2 ecr 240>
 +.02 < . 1001:1001(0) ack 1 win 257 <nop,nop,TS val 2 ecr 100>
  +.3 close(3) = 0
   +0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 < S 900:900(0) win 1000 <mss 1000>
   +0 > S. 5:5(0) ack 901 <...>
   +0 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
   +0 > F. 1:1(0) ack 1
   +0 pipe([5, 6]) = 0
   +0 splice(4, NULL, 6, NULL, 1, 0) = 1";

/// Two connections that a client begins; the answer to the first SYN has a sequence number of its own.
const CLIENT: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.010 connect(3, ..., ...) = 0
   +0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 8>
 +.01 < S. 123:123(0) ack 1 win 5840 <mss 1040,sackOK,TS val 7 ecr 100>
   +0 > . 1:1(0) ack 1 <...>
 +.01 close(3) = 0
   +0 > F. 1:1(0) ack 1
 +.01 < F. 1:1(0) ack 2 win 92
   +0 > . 2:2(0) ack 2
   +0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 4
   +0 sendto(4, ..., 1000, MSG_FASTOPEN, ..., ...) = 1000
   +0 > S 0:1000(1000) <mss 1460,FO abcd1234,nop,nop>
 +.01 < icmp unreachable frag_needed mtu 1200 [0:1000(1000)]
    * > S 0:0(0) <mss 1460>
   +0 < S. 0:0(0) ack 1 win 5840
   +0 > P. 1:1001(1000) ack 1";

#[test]
fn scripts_pass_on_a_host_that_obeys_them() {
    for text in [SERVER, CLIENT] {
        assert_eq!(obeyed("t.pkt", text), Some(Verdict::Passes));
    }
}

#[test]
fn a_host_that_obeys_another_script_fails() {
    for (text, from, to) in [
        (SERVER, "ack 501 <mss", "ack 502 <mss"),
        (SERVER, "> F. 1:1(0) ack 1", "> F. 2:2(0) ack 1"),
        (CLIENT, "> S 0:1000(1000)", "> S 0:999(999)"),
        (CLIENT, "> . 2:2(0) ack 2", "> . 2:2(0) ack 3"),
    ] {
        let other = text.replace(from, to);
        assert_ne!(other, text);
        let parse = |text: &str| Script::parse("t.pkt", text, &Definitions::default()).unwrap();
        let verdict = play(&parse(text), &mut ObedientHost::new(&parse(&other))).verdict;
        assert!(matches!(verdict, Verdict::Fails(_)), "{from}: {verdict:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "where they lie is the caller's")]
fn scripts_of_a_folder_pass_on_a_host_that_obeys_them() {
    let Ok(folder) = std::env::var("AIRTCP_PACKETDRILL") else { return };
    let (mut waiting, mut passed, mut failed) = (vec![std::path::PathBuf::from(folder)], 0, 0);
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "pkt") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match obeyed(&name, &std::fs::read_to_string(&path).unwrap()) {
                Some(Verdict::Passes) => passed += 1,
                Some(other) => {
                    println!("{name}: {other:?}");
                    failed += 1;
                }
                None => {}
            }
        }
    }
    println!("{passed} pass, {failed} do not");
}
