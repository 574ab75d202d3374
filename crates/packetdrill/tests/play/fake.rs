//! A host that answers each call in turn, answers a SYN by a SYN-ACK, and sends packets at the times that a test
//! sets.

use airtcp_core::{Instant, Span};
use airtcp_packetdrill::{
    Answer, Call, Flags, Host, Options, Outcome, Packet, SettingChange, TcpOption, Value,
};
use std::collections::{BTreeMap, VecDeque};

/// First sequence number of the host.
pub(crate) const ISN: u32 = u32::MAX - 100;

#[derive(Default)]
pub(crate) struct Fake {
    /// Answers of calls that have no answer by their kind: at once, or after these milliseconds.
    pub(crate) answers: VecDeque<(i64, Answer)>,
    /// Packets to send these milliseconds after the SYN of the other end: sequence and acknowledgement numbers
    /// count from the first ones.
    pub(crate) later: Vec<(i64, Packet)>,
    pub(crate) fields: BTreeMap<&'static str, i128>,
    /// A counter, and the amount that it counts per second.
    counts: Option<(&'static str, u64)>,
    pub(crate) received: Vec<(Instant, Packet)>,
    pub(crate) called: Vec<Call>,
    pub(crate) changes: Vec<SettingChange>,
    /// Reason for which the host refuses settings, if it does.
    pub(crate) refuses: Option<String>,
    timers: VecDeque<(Instant, Packet)>,
    sending: VecDeque<Packet>,
    blocked: Option<(Instant, Answer)>,
    peer: (u16, u16, u32),
    fd: i64,
}

/// A millisecond.
pub(crate) const fn ms(n: i64) -> Span {
    Span::from_nanos(n * 1_000_000)
}

/// A segment with data after the handshake.
pub(crate) fn data(sequence: u32, payload: u32, flags: Flags) -> Packet {
    let flags = flags.with(Flags::ACK);
    Packet { flags, sequence, acknowledgment: 1, window: 100, payload, ..Packet::default() }
}

impl Fake {
    /// A host that sends these packets so many milliseconds after the SYN that it gets.
    pub(crate) fn sending(later: &[(i64, Packet)]) -> Self {
        Fake { later: later.to_vec(), ..Fake::default() }
    }

    /// A host that answers calls with these answers, one after the other, each after its milliseconds.
    pub(crate) fn answering(answers: &[(i64, Answer)]) -> Self {
        Fake { answers: answers.iter().cloned().collect(), ..Fake::default() }
    }

    /// A host with a counter that counts `rate` per second.
    pub(crate) fn counting(name: &'static str, rate: u64) -> Self {
        Fake { counts: Some((name, rate)), ..Fake::default() }
    }

    fn send(&self, packet: &Packet) -> Packet {
        let (source, destination, isn) = self.peer;
        Packet {
            source,
            destination,
            sequence: packet.sequence.wrapping_add(ISN),
            acknowledgment: packet.acknowledgment.wrapping_add(isn),
            ..packet.clone()
        }
    }
}

impl Host for Fake {
    fn configure(
        &mut self,
        _: Instant,
        _: &Options,
        changes: &[SettingChange],
    ) -> Result<(), String> {
        self.changes.extend_from_slice(changes);
        self.refuses.clone().map_or(Ok(()), Err)
    }

    fn call(&mut self, now: Instant, call: &Call) -> Outcome {
        self.called.push(call.clone());
        let opens = matches!(call, Call::Socket { .. } | Call::Accept { .. } | Call::EpollCreate);
        let plain = matches!(call, Call::Bind { .. } | Call::Listen { .. } | Call::Close { .. });
        if opens && self.answers.is_empty() {
            self.fd += 1;
            return Outcome::Returned(Answer::from_result(100 + self.fd));
        }
        if plain {
            return Outcome::Returned(Answer::from_result(0));
        }
        match (self.answers.pop_front(), call) {
            (Some((0, answer)), _) => Outcome::Returned(answer),
            (Some((after, answer)), _) => {
                self.blocked = Some((now + ms(after), answer));
                Outcome::Blocked
            }
            (None, Call::Send { buffers, .. }) => {
                Outcome::Returned(Answer::from_result(buffers.total() as i64))
            }
            (None, _) => Outcome::Returned(Answer::from_result(0)),
        }
    }

    fn poll_blocked_call(&mut self, now: Instant) -> Option<Answer> {
        let due = self.blocked.as_ref().is_some_and(|(when, _)| *when <= now);
        if due { self.blocked.take().map(|(_, answer)| answer) } else { None }
    }

    fn receive(&mut self, now: Instant, packet: &Packet) {
        self.received.push((now, packet.clone()));
        if !packet.flags.has(Flags::SYN) {
            return;
        }
        self.peer = (packet.destination, packet.source, packet.sequence);
        let flags = Flags::SYN.with(Flags::ACK);
        let options = vec![TcpOption::Mss(1460)];
        let answer = Packet { flags, acknowledgment: 1, window: 100, options, ..Packet::default() };
        self.sending.push_back(self.send(&answer));
        let mut later = std::mem::take(&mut self.later);
        later.sort_by_key(|(after, _)| *after);
        self.timers = later.iter().map(|(after, p)| (now + ms(*after), self.send(p))).collect();
    }

    fn transmit(&mut self, _: Instant) -> Option<Packet> {
        self.sending.pop_front()
    }

    fn next_timer(&self) -> Instant {
        let packet = self.timers.front().map_or(Instant::NEVER, |(when, _)| *when);
        self.blocked.as_ref().map_or(packet, |(when, _)| packet.min(*when))
    }

    fn on_timer(&mut self, now: Instant) {
        while self.timers.front().is_some_and(|(when, _)| *when <= now) {
            self.sending.extend(self.timers.pop_front().map(|(_, packet)| packet));
        }
    }

    fn counter(&self, now: Instant, name: &str) -> Option<u64> {
        let (_, rate) = self.counts.filter(|(known, _)| *known == name)?;
        Some(now.nanos() as u64 / 1_000_000_000 * rate)
    }

    fn information(&self, _: Instant, _: i64, field: &str) -> Option<i128> {
        self.fields.get(field).copied()
    }
}

/// An answer with an output besides its result.
pub(crate) fn with(result: i64, output: Value) -> Answer {
    Answer { output, ..Answer::from_result(result) }
}

/// A listening socket and a connection to it, at time 0.
pub(crate) const CONNECTED: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 1000 <mss 1000>
   +0 > S. 0:0(0) ack 1 <mss 1460>
   +0 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
";
