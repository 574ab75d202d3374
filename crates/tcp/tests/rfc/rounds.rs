//! A sender in rounds of one round trip: everything sent in a round is acknowledged, packet by packet, at the end of it.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{CongestionSpec, SenderConfig, Variant};

/// The round trip in milliseconds, if nobody says otherwise.
pub(crate) const RTT: i64 = 100;

/// A SACK sender with this growth that begins with `window` segments, in congestion avoidance.
pub(crate) fn avoiding(growth: &str, window: u32) -> SenderConfig {
    let growth = CongestionSpec::named(growth).expect("it is registered").into();
    SenderConfig {
        growth,
        window: 10_000,
        initial_window: window,
        ssthresh: window,
        ..config(Variant::Sack)
    }
}

pub(crate) struct Rounds {
    pub(crate) script: Script,
    pub(crate) acked: u64,
    pub(crate) time: i64,
}

impl Rounds {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        let mut script = Script::new(config);
        script.send();
        Rounds { script, acked: 0, time: 0 }
    }

    pub(crate) fn high(&self) -> u64 {
        self.script.sender.view().high / u64::from(MSS)
    }

    pub(crate) fn round(&mut self) {
        self.round_of(RTT);
    }

    /// A round that takes so many milliseconds.
    pub(crate) fn round_of(&mut self, rtt: i64) {
        self.time += rtt;
        let high = self.high();
        while self.acked < high {
            self.acked += 1;
            self.script.at(self.time).ack(self.acked);
        }
    }

    /// The windows after rounds that take so long.
    pub(crate) fn windows<const N: usize>(&mut self, rtts: [i64; N]) -> [f64; N] {
        rtts.map(|rtt| {
            self.round_of(rtt);
            self.cwnd()
        })
    }

    /// The first packet of the round is lost, is repaired at once, and recovery is over.
    pub(crate) fn lose(&mut self) {
        self.time += RTT;
        let (first, high) = (self.acked, self.high());
        for end in first + 2..=high {
            self.script.at(self.time).sack(first, &[(first + 1, end)]);
        }
        self.acked = self.high();
        self.time += RTT;
        self.script.at(self.time).ack(self.acked);
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.script.window().0
    }

    pub(crate) fn ssthresh(&self) -> f64 {
        self.script.window().1
    }
}
