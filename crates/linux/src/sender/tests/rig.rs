//! A sender, a clock, and what it sent.

use crate::clock::{Clock, TimeInUnits};
use crate::sender::{AckIn, AckVerdict, Establishment, Outgoing, Sender, SenderOptions};
use crate::sysctl::Sysctl;
use airtcp_core::Instant;

/// MSS of a path of 1500 bytes without timestamps.
pub(in crate::sender) const MSS: u64 = 1460;

/// The sender and its time.
pub(in crate::sender) struct Rig {
    pub s: Sender,
    pub clock: Clock,
    /// Nanoseconds.
    pub time: i64,
    /// Segments that left, with the time in us.
    pub sent: Vec<(i64, Outgoing)>,
    pub window: u64,
    /// The peer's own number.
    pub seq: u64,
    /// Timestamp to echo in ms of the sender's clock.
    pub echo: Option<u32>,
}

pub(in crate::sender) fn establishment(rtt_us: u64) -> Establishment {
    Establishment {
        client: true,
        mss_clamp: 1460,
        mtu: 1500,
        sack: true,
        timestamps: None,
        ecn: false,
        window: 1 << 24,
        scale: 10,
        seq: 0,
        rtt_us: Some(rtt_us),
        syn_copies: 0,
        timeouts: 0,
        first_syn_echoed: false,
        initial_window: 10,
    }
}

impl Rig {
    /// A client with CUBIC whose handshake took `rtt_us`.
    pub(in crate::sender) fn new(rtt_us: u64) -> Rig {
        Rig::with(&Sysctl::default(), SenderOptions::default(), &establishment(rtt_us))
    }

    pub(in crate::sender) fn with(
        sysctl: &Sysctl,
        options: SenderOptions,
        e: &Establishment,
    ) -> Rig {
        let clock = Clock { phase: 1_700_000 };
        let mut s = Sender::new(sysctl, clock, options);
        let time = 1_000_000_000;
        s.establish(clock.units_at(Instant::from_nanos(time)), e);
        Rig { s, clock, time, sent: Vec::new(), window: e.window, seq: 1, echo: None }
    }

    pub(in crate::sender) fn now(&self) -> TimeInUnits {
        self.clock.units_at(Instant::from_nanos(self.time))
    }

    /// Lets time pass, and timers expire on the way.
    pub(in crate::sender) fn wait_us(&mut self, us: i64) {
        let end = self.time + us * 1000;
        while self.s.next_timer().nanos() <= end {
            self.time = self.time.max(self.s.next_timer().nanos());
            let now = self.now();
            self.s.on_timer(now);
            self.drain();
        }
        self.time = end;
    }

    pub(in crate::sender) fn wait_ms(&mut self, ms: i64) {
        self.wait_us(1000 * ms);
    }

    pub(in crate::sender) fn write(&mut self, bytes: u64) -> u64 {
        let now = self.now();
        let taken = self.s.write(now, bytes, false);
        self.drain();
        taken
    }

    /// A segment arrives without data.
    pub(in crate::sender) fn segment(
        &mut self,
        ack: u64,
        sack: &[(u64, u64)],
        ece: bool,
    ) -> AckVerdict {
        let now = self.now();
        let verdict = self.s.on_ack(
            now,
            &AckIn {
                ack,
                seq: self.seq,
                has_data: false,
                window: self.window,
                sack,
                ts: self.echo.map(|echo| (1, echo)),
                ece,
                header_predicted: false,
                syn: false,
            },
        );
        self.drain();
        self.s.data_snd_check(now);
        self.drain();
        self.check();
        verdict
    }

    pub(in crate::sender) fn ack(&mut self, ack: u64) {
        assert_eq!(self.segment(ack, &[], false), AckVerdict::Ok);
    }

    pub(in crate::sender) fn sack(&mut self, ack: u64, sack: &[(u64, u64)]) {
        assert_eq!(self.segment(ack, sack, false), AckVerdict::Ok);
    }

    pub(in crate::sender) fn drain(&mut self) {
        while let Some(outgoing) = self.s.transmit() {
            self.sent.push((self.time / 1000, outgoing));
        }
    }

    /// Forgets what was sent so far.
    pub(in crate::sender) fn forget(&mut self) {
        self.sent.clear();
    }

    /// Packets sent since then.
    pub(in crate::sender) fn packets(&self) -> u32 {
        self.sent.iter().map(|(_, outgoing)| outgoing.packets).sum()
    }

    /// First numbers of what was repeated since then.
    pub(in crate::sender) fn repeated(&self) -> Vec<u64> {
        let bursts = self.sent.iter().filter(|(_, o)| o.retransmission);
        bursts
            .flat_map(|(_, o)| (0..o.packets).map(|n| o.seq + u64::from(n) * u64::from(o.mss)))
            .collect()
    }

    /// cwnd and ssthresh.
    pub(in crate::sender) fn windows(&self) -> (u32, u32) {
        (self.s.window().cwnd, self.s.window().ssthresh)
    }

    pub(in crate::sender) fn info(&self, field: &str) -> i128 {
        self.s.information(self.now(), field).unwrap()
    }

    /// The counts O, S, L and R are as many as the packets with each flag, and RACK's order is the order of send times.
    pub(in crate::sender) fn check(&self) {
        super::super::check::check_invariants(&self.s);
    }
}
