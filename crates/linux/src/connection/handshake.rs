//! Options of both SYNs, and the timers of SYN and SYN-ACK.

use crate::clock::{Clock, TimeInUnits, ms_to_jiffies};
use crate::segment::{Ecn, Flags, Segment};
use airtcp_core::Instant;

/// The first timeout, in jiffies.
const RTO: u64 = 250;

/// State of a handshake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Handshake {
    pub(super) client: bool,
    /// Send time of the first SYN (or SYN-ACK) in us, and its timestamp.
    pub(super) first_us: u64,
    pub(super) first_stamp: u32,
    /// Transmissions of the SYN (or SYN-ACK), and timeouts.
    pub(super) copies: u32,
    pub(super) timeouts: u32,
    rto: u64,
    fires: Option<Instant>,
    /// ECN: asked for, and agreed.
    pub(super) requested_ecn: bool,
    pub(super) ecn: bool,
    pub(super) peer: PeerOptions,
}

/// Options of the other end's SYN.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PeerOptions {
    pub(super) mss: Option<u16>,
    pub(super) scale: Option<u8>,
    pub(super) sack: bool,
    pub(super) timestamps: bool,
}

impl PeerOptions {
    /// Options of a SYN that this host has too.
    pub(super) fn from_syn(syn: &Segment, scaling: bool, sack: bool, timestamps: bool) -> Self {
        PeerOptions {
            mss: syn.mss,
            // More than 14 counts as 14 [RFC 7323 2.3].
            scale: syn.scale.filter(|_| scaling).map(|shift| shift.min(14)),
            sack: syn.sack_permitted && sack,
            timestamps: syn.timestamps.is_some() && timestamps,
        }
    }
}

impl Handshake {
    pub(super) fn begin(clock: Clock, now: TimeInUnits, stamp: u32, client: bool) -> Self {
        let mut handshake = Handshake { client, rto: RTO, ..Handshake::default() };
        (handshake.first_us, handshake.first_stamp) = (now.us, stamp);
        handshake.arm(clock, now);
        handshake
    }

    pub(super) fn arm(&mut self, clock: Clock, now: TimeInUnits) {
        self.fires = Some(clock.timer_fires_at(now.jiffies, now.jiffies + self.rto));
    }

    pub(super) fn next_timer(&self) -> Instant {
        self.fires.unwrap_or(Instant::NEVER)
    }

    pub(super) fn stop(&mut self) {
        self.fires = None;
    }

    /// A timeout of a SYN, after which it is retransmitted [rules/timers.md rules 13, 16].
    pub(super) fn syn_timeout(
        &mut self,
        clock: Clock,
        now: TimeInUnits,
        linear: u64,
        rto_max_ms: u64,
    ) {
        self.timeouts += 1;
        self.copies += 1;
        if u64::from(self.timeouts) > linear {
            self.rto = (2 * self.rto).min(ms_to_jiffies(rto_max_ms));
        }
        self.arm(clock, now);
    }

    /// Returns whether the handshake has lasted as long as `retries` with doubled timeouts [rules/timers.md rule 16].
    pub(super) fn has_exhausted_retries(
        &self,
        now: TimeInUnits,
        retries: u64,
        rto_max_ms: u64,
    ) -> bool {
        let most = rto_max_ms / 1000;
        let doublings = u64::from(most.max(1).ilog2());
        let doubled = retries.min(doublings);
        let seconds = (2_u64 << doubled) - 1 + (retries - doubled) * most;
        now.us - self.first_us >= seconds * 1_000_000
    }

    /// A timeout of a SYN-ACK [rules/timers.md rule 17].
    pub(super) fn syn_ack_timeout(&mut self, clock: Clock, now: TimeInUnits, rto_max_ms: u64) {
        self.timeouts += 1;
        self.copies += 1;
        self.rto = (RTO << self.timeouts.min(20)).min(ms_to_jiffies(rto_max_ms));
        self.arm(clock, now);
    }

    /// Returns whether a host answers a SYN that asks for ECN with ECE [rules/options.md rule 10].
    pub(super) fn accepts_ecn(syn: &Segment, setting: u64) -> bool {
        let asks = syn.flags.has(Flags(Flags::ECE.0 | Flags::CWR.0));
        asks && syn.ecn == Ecn::NotEct && matches!(setting, 1 | 2)
    }
}

/// At most one challenge ACK per interval [rules/receiver.md rule 14].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateLimit {
    last_sent: Option<u64>,
}

impl RateLimit {
    pub(super) fn allows_now(&mut self, now: TimeInUnits, limit_ms: u64) -> bool {
        let limit = ms_to_jiffies(limit_ms);
        let allowed = self.last_sent.is_none_or(|last| now.jiffies - last >= limit);
        if allowed {
            self.last_sent = Some(now.jiffies);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timers.md rule 16 with the wheel of rule 2; the phase is the host's.
    #[test]
    fn syns_are_repeated_four_times_a_second_apart_and_then_back_off() {
        let clock = Clock { phase: 1_000_000 };
        let mut handshake = Handshake::begin(clock, clock.units_at(Instant::START), 0, true);
        let mut times = vec![];
        for _ in 0..7 {
            let now = clock.units_at(handshake.next_timer());
            times.push(now.us as f64 / 1e6);
            handshake.syn_timeout(clock, now, 4, 120_000);
        }
        // Observed on a kernel with another phase: 1.01, 2.03, 3.05, 4.08, 5.10, 7.12, 11.31 s.
        let observed = [1.01, 2.03, 3.05, 4.08, 5.10, 7.12, 11.31];
        for (time, observed) in times.iter().zip(observed) {
            assert!((time - observed).abs() < 0.26, "{times:?}");
        }
        assert!(times[3] - times[2] < 1.04 && times[5] - times[4] > 1.99, "{times:?}");
    }

    #[test]
    fn answers_are_half_a_second_apart() {
        let clock = Clock::default();
        let at = |ms: i64| clock.units_at(Instant::from_nanos(ms * 1_000_000));
        let mut limit = RateLimit::default();
        let allowed = [0, 1, 499, 500, 999, 1000].map(|ms| limit.allows_now(at(ms), 500));
        assert_eq!(allowed, [true, false, false, true, false, true]);
    }
}
