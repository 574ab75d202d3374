//! A sender played by hand: ACKs and answers to probes in, packet numbers and probes out.

use airtcp_core::{Instant, Span};
use airtcp_tcp::{ProbeId, ProbeKind, Sack, Segment, Sender, SenderConfig, Variant};

pub(crate) const MSS: u32 = 1000;
pub(crate) const PROBING: [Variant; 4] =
    [Variant::TahoeProbing, Variant::RenoProbing, Variant::AdaptiveProbing, Variant::SkipProbing];

/// Milliseconds.
pub(crate) fn ms(n: i64) -> Span {
    Span::from_nanos(n * 1_000_000)
}

/// Eight segments at the start, above the threshold of four: congestion avoidance. The clock ticks at
/// whole and half seconds.
pub(crate) fn config(variant: Variant) -> SenderConfig {
    SenderConfig {
        initial_window: 8,
        ssthresh: 4,
        ..SenderConfig::bsd(variant, 8, MSS, 20, (ms(500), Span::ZERO))
    }
}

pub(crate) struct Script {
    pub(crate) sender: Sender,
    now: Instant,
    /// The probes sent, in order.
    probes: Vec<ProbeId>,
}

impl Script {
    /// A sender with endless data.
    pub(crate) fn new(config: &SenderConfig) -> Self {
        Script::finite(config, u64::MAX)
    }

    /// A sender with `written` bytes.
    pub(crate) fn finite(config: &SenderConfig, written: u64) -> Self {
        let mut sender = Sender::new(config).expect("a variant of the source");
        sender.write(written);
        Script { sender, now: Instant::START, probes: vec![] }
    }

    /// A sender that has sent 0 to 7 at time 0 and 8 on the ACK of 0 at 100 ms: the best round trip.
    pub(crate) fn after_one(config: &SenderConfig) -> Self {
        let mut script = Script::new(config);
        assert_eq!(script.send(), "0 1 2 3 4 5 6 7");
        assert_eq!(script.at(100).ack(1), "8");
        script
    }

    /// The sender of `after_one`, with a cycle begun by duplicate ACKs at 110 ms.
    pub(crate) fn duplicates(config: &SenderConfig) -> Self {
        let mut script = Script::after_one(config);
        assert_eq!([script.at(110).ack(1), script.ack(1)], ["", ""]);
        assert_eq!(script.ack(1), "P1");
        script
    }

    /// The sender of `after_one`, with a cycle begun by a timeout at 1 s: the timer started at 100 ms, for two ticks.
    pub(crate) fn timed_out(config: &SenderConfig) -> Self {
        let mut script = Script::after_one(config);
        assert_eq!(script.timeout(), "P1");
        assert_eq!(script.now(), 1000);
        script
    }

    /// The time is `n` milliseconds.
    pub(crate) fn at(&mut self, n: i64) -> &mut Self {
        self.now = Instant::START + ms(n);
        self
    }

    /// `n` milliseconds pass.
    pub(crate) fn after(&mut self, n: i64) -> &mut Self {
        self.now = self.now + ms(n);
        self
    }

    /// The time in milliseconds.
    pub(crate) fn now(&self) -> i64 {
        self.now.nanos() / 1_000_000
    }

    /// Packets that the sender sends now: their numbers, P1 and P2.
    pub(crate) fn send(&mut self) -> String {
        let mut sent = vec![];
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            sent.push(match segment {
                Segment::Data { seq, .. } => (seq / u64::from(MSS)).to_string(),
                Segment::Probe { id, .. } => self.note(id),
                Segment::Ack { .. } | Segment::ProbeAck { .. } => panic!("{segment:?}"),
            });
        }
        sent.join(" ")
    }

    fn note(&mut self, id: ProbeId) -> String {
        assert!(!self.probes.contains(&id), "every probe has a number of its own");
        self.probes.push(id);
        if id.kind() == ProbeKind::First { "P1".into() } else { "P2".into() }
    }

    /// The ACK of all packets before `next` arrives.
    pub(crate) fn ack(&mut self, next: u64) -> String {
        let next = next * u64::from(MSS);
        let ack = Segment::Ack { next, bits: 160, sack: Sack::default(), echo: 0 };
        self.sender.on_segment(self.now, &ack);
        self.send()
    }

    /// The answer to the last probe arrives; it acknowledges all packets before `next`.
    pub(crate) fn answer(&mut self, next: u64) -> String {
        self.answer_to(self.probes.len() - 1, next)
    }

    /// The answer to the probe that was sent as number `index`, from 0.
    pub(crate) fn answer_to(&mut self, index: usize, next: u64) -> String {
        self.answer_with(self.probes[index], next)
    }

    pub(crate) fn answer_with(&mut self, id: ProbeId, next: u64) -> String {
        let answer = Segment::ProbeAck { next: next * u64::from(MSS), id, bits: 224 };
        self.sender.on_segment(self.now, &answer);
        self.send()
    }

    /// Answers to both probes after so many milliseconds each; what the second one lets go.
    pub(crate) fn probe(&mut self, times: [i64; 2], next: u64) -> String {
        assert_eq!(self.after(times[0]).answer(next), "P2");
        self.after(times[1]).answer(next)
    }

    /// The timer expires.
    pub(crate) fn timeout(&mut self) -> String {
        self.now = self.sender.poll_timeout();
        self.sender.on_timer(self.now);
        self.send()
    }

    /// Milliseconds until the timer expires; `None` if it is off.
    pub(crate) fn timer(&self) -> Option<i64> {
        let expiry = self.sender.poll_timeout();
        (expiry < Instant::NEVER).then(|| (expiry - self.now).nanos() / 1_000_000)
    }

    /// Congestion window and threshold in bytes.
    pub(crate) fn window(&self) -> (u64, u64) {
        (self.sender.view().cwnd.floor(), self.sender.view().ssthresh.floor())
    }
}
