//! A sender played by hand: ACKs in, packet numbers out.

use airtcp_core::{Instant, Span};
use airtcp_tcp::{Block, CongestionSpec, RuleSource, Sack, Segment, Sender, SenderConfig, Variant};

pub(crate) const MSS: u32 = 1000;

/// Milliseconds.
pub(crate) fn ms(n: i64) -> Span {
    Span::from_nanos(n * 1_000_000)
}

/// A window of 1000 segments, ten at the start and the threshold there too: congestion avoidance.
pub(crate) fn config(variant: Variant) -> SenderConfig {
    SenderConfig {
        ssthresh: 10,
        ..SenderConfig::rfc(variant, CongestionSpec::default(), 1000, MSS, 40)
    }
}

/// A sender with endless data.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    now: Instant,
    mss: u64,
    echo: u32,
}

impl Script {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        Script::finite(config, u64::MAX)
    }

    /// A sender with `written` bytes.
    pub(crate) fn finite(config: &SenderConfig, written: u64) -> Self {
        let mut sender = Sender::new(config).expect("a variant of the RFCs");
        sender.write(written);
        Script { sender, now: Instant::START, mss: config.mss.into(), echo: 0 }
    }

    /// The time is `n` milliseconds.
    pub(crate) fn at(&mut self, n: i64) -> &mut Self {
        self.now = Instant::START + ms(n);
        self
    }

    /// ACKs echo `n` milliseconds from now on.
    pub(crate) fn echoing(&mut self, n: u32) -> &mut Self {
        self.echo = n;
        self
    }

    /// Numbers of the packets that the sender sends now.
    pub(crate) fn send(&mut self) -> String {
        let mut sent = vec![];
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            let Segment::Data { seq, .. } = segment else { panic!("{segment:?}") };
            assert_eq!(seq % self.mss, 0, "segments are aligned");
            sent.push((seq / self.mss).to_string());
        }
        sent.join(" ")
    }

    /// The ACK of all packets before `next` arrives.
    pub(crate) fn ack(&mut self, next: u64) -> String {
        self.sack(next, &[])
    }

    /// The ACK of all packets before `next` arrives with SACK blocks, in packets.
    pub(crate) fn sack(&mut self, next: u64, blocks: &[(u64, u64)]) -> String {
        let mut sack = Sack::default();
        for (start, end) in blocks {
            sack.push(next * self.mss, Block { start: start * self.mss, end: end * self.mss });
        }
        let ack = Segment::Ack { next: next * self.mss, bits: 320, sack, echo: self.echo };
        self.sender.on_segment(self.now, &ack);
        self.send()
    }

    /// The timer expires.
    pub(crate) fn timeout(&mut self) -> String {
        self.now = self.sender.poll_timeout();
        self.sender.on_timer(self.now);
        self.send()
    }

    /// Time until the timer expires, in milliseconds; `None` if it is off.
    pub(crate) fn timer(&self) -> Option<f64> {
        let expiry = self.sender.poll_timeout();
        (expiry < Instant::NEVER).then(|| (expiry - self.now).seconds() * 1e3)
    }

    /// Congestion window and threshold in segments.
    pub(crate) fn window(&self) -> (f64, f64) {
        let segments = |window: airtcp_tcp::Window| window.to_f64() / self.mss as f64;
        (segments(self.sender.view().cwnd), segments(self.sender.view().ssthresh))
    }
}

/// The variants whose timeouts can be watched: those that probe do so at every one.
pub(crate) fn classic() -> impl Iterator<Item = Variant> {
    Variant::with_rules_of(RuleSource::Rfc).filter(|variant| !variant.capabilities().probes)
}
