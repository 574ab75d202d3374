//! HyStart++ [RFC 9406], an option of Reno and CUBIC that Linux does not have: where the round trip
//! rises, slow start goes on at a quarter of its pace until it is clear whether that was noise. Windows
//! count packets or bytes.

use super::{INFINITE_SSTHRESH, TcpSock, Window};

// RFC 9406 section 4.3: the recommended constants; times in us.
const MIN_RTT_THRESH: u32 = 4000;
const MAX_RTT_THRESH: u32 = 16_000;
const MIN_RTT_DIVISOR: u32 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u32 = 5;
/// L, for senders that do not pace.
const BURST_LIMIT: u32 = 8;

/// No value: the RFC's infinity.
const NONE: u32 = u32::MAX;

/// The variables of RFC 9406 section 4.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyStartPlus {
    window_end: u64,
    last_round_min: u32,
    round_min: u32,
    samples: u32,
    /// Minimum of the round in which conservative slow start began; `NONE` outside it.
    baseline: u32,
    css_rounds: u32,
    /// Packets acknowledged in conservative slow start that have not grown the window yet.
    credit: u32,
}

impl HyStartPlus {
    /// State with nothing acknowledged, and `nxt` the next to be sent.
    #[must_use]
    pub fn begin(nxt: u64) -> Self {
        HyStartPlus {
            window_end: nxt,
            last_round_min: NONE,
            round_min: NONE,
            samples: 0,
            baseline: NONE,
            css_rounds: 0,
            credit: 0,
        }
    }

    /// Returns whether conservative slow start is active.
    #[must_use]
    pub fn is_conservative(&self) -> bool {
        self.baseline != NONE
    }

    /// An ACK gave the round trip `rtt` in us [RFC 9406 section 4.2].
    pub fn sample(&mut self, rtt: u32) {
        self.round_min = self.round_min.min(rtt);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        if self.is_conservative() {
            if self.round_min < self.baseline {
                self.baseline = NONE;
            }
        } else if self.last_round_min != NONE {
            let rise =
                (self.last_round_min / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
            if self.round_min >= self.last_round_min.saturating_add(rise) {
                (self.baseline, self.css_rounds, self.credit) = (self.round_min, 0, 0);
            }
        }
    }

    /// Increase of the window by an ACK of `acked`, with full segments of `smss`.
    pub fn increase(&mut self, acked: u32, smss: u32, paced: bool) -> u32 {
        let most = if paced { u32::MAX } else { BURST_LIMIT.saturating_mul(smss) };
        let acked = acked.min(most);
        if !self.is_conservative() {
            return acked;
        }
        self.credit = self.credit.saturating_add(acked);
        let increase = self.credit / CSS_GROWTH_DIVISOR;
        self.credit %= CSS_GROWTH_DIVISOR;
        increase
    }

    /// Ends the round if an ACK of all before `una` covers it. Returns whether slow start ends, after five conservative
    /// rounds, the first of which may be partial [RFC 9406 section 4.2].
    pub fn round(&mut self, una: u64, nxt: u64) -> bool {
        if una < self.window_end {
            return false;
        }
        self.window_end = nxt;
        (self.last_round_min, self.round_min, self.samples) = (self.round_min, NONE, 0);
        if self.is_conservative() {
            self.css_rounds += 1;
        }
        self.is_conservative() && self.css_rounds >= CSS_ROUNDS
    }
}

/// As Reno and CUBIC of Linux use it: in the initial slow start alone [RFC 9406 section 4.3].
impl HyStartPlus {
    /// State at establishment.
    #[must_use]
    pub fn new(f: &TcpSock) -> Self {
        HyStartPlus::begin(f.nxt)
    }

    /// An ACK gave the round trip `rtt`.
    pub fn on_rtt(&mut self, w: &Window, rtt: u32) {
        if w.ssthresh == INFINITE_SSTHRESH {
            self.sample(rtt);
        }
    }

    /// Takes an ACK of `acked` packets in slow start; returns those left for congestion avoidance.
    pub fn slow_start(&mut self, f: &TcpSock, w: &mut Window, acked: u32) -> u32 {
        if w.ssthresh != INFINITE_SSTHRESH {
            return w.slow_start(acked);
        }
        let rest = w.slow_start(self.increase(acked, 1, f.paced));
        if self.is_conservative() { 0 } else { rest }
    }

    /// Ends the round if this ACK covers it, and slow start if that is over.
    pub fn end_round(&mut self, f: &TcpSock, w: &mut Window) {
        if w.ssthresh == INFINITE_SSTHRESH && self.round(f.una, f.nxt) {
            w.ssthresh = w.cwnd;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{tcp_sock, window};

    /// One round of `acks` ACKs of one packet each with the same round trip.
    fn round(h: &mut HyStartPlus, w: &mut Window, acks: u32, rtt: u32) {
        let mut f = TcpSock { una: h.window_end - 1, nxt: h.window_end + 100_000, ..tcp_sock() };
        for n in 1..=acks {
            h.on_rtt(w, rtt);
            f.una += u64::from(n == acks);
            h.end_round(&f, w);
            if w.in_slow_start() {
                h.slow_start(&f, w, 1);
            }
        }
    }

    fn start() -> (HyStartPlus, Window) {
        (HyStartPlus::new(&TcpSock { nxt: 10_000, ..tcp_sock() }), window(10))
    }

    #[test]
    fn a_steady_round_trip_is_slow_start() {
        let (mut h, mut w) = start();
        for expected in [20, 40, 80, 160] {
            let acks = w.cwnd;
            round(&mut h, &mut w, acks, 40_000);
            assert_eq!(w.cwnd, expected);
        }
        assert!(!h.is_conservative());
    }

    #[test]
    fn a_rise_of_an_eighth_begins_conservative_rounds_five_of_which_end_slow_start() {
        let (mut h, mut w) = start();
        round(&mut h, &mut w, 10, 40_000);
        round(&mut h, &mut w, 20, 45_000);
        assert!(h.is_conservative());
        // The eighth sample shows the rise; that ACK and 12 more give 13 / 4 packets.
        assert_eq!((w.cwnd, h.css_rounds), (20 + 7 + 3, 1));
        for expected in 2..=4 {
            round(&mut h, &mut w, 30, 46_000);
            assert_eq!((h.css_rounds, w.ssthresh), (expected, INFINITE_SSTHRESH));
        }
        round(&mut h, &mut w, 30, 46_000);
        assert_eq!(w.ssthresh, w.cwnd);
    }

    #[test]
    fn less_than_the_threshold_is_no_rise() {
        for (last, rise) in [(8_000, 4_000), (80_000, 10_000), (1_000_000, 16_000)] {
            let (mut h, mut w) = start();
            round(&mut h, &mut w, 10, last);
            round(&mut h, &mut w, 10, last + rise - 1);
            assert!(!h.is_conservative());
            let (mut h, mut w) = start();
            round(&mut h, &mut w, 10, last);
            round(&mut h, &mut w, 7, last + rise); // seven samples do not count
            assert!(!h.is_conservative());
            let (mut h, mut w) = start();
            round(&mut h, &mut w, 10, last);
            round(&mut h, &mut w, 8, last + rise);
            assert!(h.is_conservative());
        }
    }

    #[test]
    fn a_round_trip_below_the_baseline_resumes_slow_start() {
        let (mut h, mut w) = start();
        round(&mut h, &mut w, 10, 40_000);
        round(&mut h, &mut w, 10, 60_000);
        assert!(h.is_conservative());
        round(&mut h, &mut w, 7, 59_999);
        assert!(h.is_conservative());
        round(&mut h, &mut w, 8, 59_999);
        assert!(!h.is_conservative());
    }

    #[test]
    fn only_senders_that_pace_grow_by_more_than_eight() {
        let (mut h, mut w) = start();
        h.slow_start(&tcp_sock(), &mut w, 20);
        assert_eq!(w.cwnd, 18);
        h.slow_start(&TcpSock { paced: true, ..tcp_sock() }, &mut w, 20);
        assert_eq!(w.cwnd, 38);
    }
}
