//! HyStart, which ends slow start before a loss [rules/cubic.md rules 12 to 17; Ha and Rhee, "Taming the
//! elephants: New TCP slow start", Computer Networks 2011].

use super::{TcpSock, Window};

/// Smallest window, in packets, at which it acts.
const LOW_WINDOW: u32 = 16;
/// Samples of a round that are taken before one is judged.
const SAMPLES: u8 = 8;
/// ACKs closer than this belong to one train, in us.
const ACK_TRAIN_GAP_US: i32 = 2000;
/// Bounds of the rise of the round trip that ends slow start, in us.
const DELAY_THRESHOLD_RANGE: (u32, u32) = (4000, 16_000);

/// State of HyStart in the present round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HyStart {
    /// True if HyStart has ended slow start.
    pub ended_slow_start: bool,
    /// Samples of this round, up to 8.
    pub samples: u8,
    /// Start of the round in us modulo 2^32.
    pub round_start: u32,
    /// When the last ACK of the train came.
    pub last_ack: u32,
    /// The round ends when something beyond this number is acknowledged.
    pub end_seq: u64,
    /// Smallest round trip of this round in us.
    pub curr_rtt: u32,
    /// Ways of detection that are switched off, as bits: 1 by trains, 2 by delay (`hystart_detect`).
    pub off: u8,
}

impl HyStart {
    /// State in which nothing is found yet and a round begins.
    #[must_use]
    pub fn new(f: &TcpSock) -> Self {
        let mut hystart = HyStart::default();
        hystart.begin_round(f);
        hystart
    }

    /// [rules/cubic.md rule 12]
    fn begin_round(&mut self, f: &TcpSock) {
        self.round_start = f.now.us as u32;
        self.last_ack = self.round_start;
        self.end_seq = f.nxt;
        self.curr_rtt = u32::MAX;
        self.samples = 0;
    }

    /// An ACK in slow start gave the round trip `rtt`; both in us.
    pub fn update(&mut self, f: &TcpSock, w: &mut Window, rtt: u32, delay_min: u32) {
        if f.una > self.end_seq {
            self.begin_round(f);
        }
        if w.cwnd < LOW_WINDOW {
            return; // rules/cubic.md rule 13
        }
        let train = self.off & 1 == 0 && self.ack_train_is_long(f, w, delay_min);
        let delay = self.off & 2 == 0 && self.delay_rose(rtt, delay_min);
        if train || delay {
            self.ended_slow_start = true;
            w.ssthresh = w.cwnd;
        }
    }

    /// Returns whether the ACKs of this round come in one train as long as a round trip [rules/cubic.md rule 14].
    fn ack_train_is_long(&mut self, f: &TcpSock, w: &Window, delay_min: u32) -> bool {
        let now = f.now.us as u32;
        if (now.wrapping_sub(self.last_ack) as i32) > ACK_TRAIN_GAP_US {
            return false;
        }
        self.last_ack = now;
        let threshold = delay_min.wrapping_add(ack_delay(f, w)) >> u32::from(!f.paced);
        now.wrapping_sub(self.round_start) > threshold
    }

    /// Returns whether this round's smallest round trip is an eighth above the minimum [rules/cubic.md rule 15].
    fn delay_rose(&mut self, rtt: u32, delay_min: u32) -> bool {
        self.curr_rtt = self.curr_rtt.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.curr_rtt
            > delay_min.wrapping_add(
                (delay_min >> 3).clamp(DELAY_THRESHOLD_RANGE.0, DELAY_THRESHOLD_RANGE.1),
            )
    }
}

/// Time by which bursts and aggregation may stretch a train, in us [rules/cubic.md rule 14].
fn ack_delay(f: &TcpSock, w: &Window) -> u32 {
    let bursts = u64::from(f.gso_max_size) * 4_000_000;
    bursts.checked_div(w.pacing_rate).unwrap_or(0).min(1000) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;
    use crate::congestion::INFINITE_SSTHRESH;
    use crate::congestion::tests::{tcp_sock, window};
    use airtcp_core::Instant;

    /// An ACK at `us` of a round that ends at number 100_000.
    fn ack(hystart: &mut HyStart, w: &mut Window, us: i64, rtt: u32) -> bool {
        let now = Clock::default().units_at(Instant::from_nanos(us * 1000));
        let f = TcpSock { now, una: 50_000, nxt: 200_000, ..tcp_sock() };
        hystart.update(&f, w, rtt, 40_000);
        hystart.ended_slow_start
    }

    fn round_at(us: i64) -> HyStart {
        let now = Clock::default().units_at(Instant::from_nanos(us * 1000));
        HyStart::new(&TcpSock { now, nxt: 100_000, ..tcp_sock() })
    }

    #[test]
    fn a_train_of_half_the_minimum_round_trip_ends_slow_start() {
        let (mut hystart, mut w) = (round_at(1_000_000), window(16));
        for step in 1..=10 {
            assert!(!ack(&mut hystart, &mut w, 1_000_000 + 2000 * step, 40_000));
        }
        assert_eq!(w.ssthresh, INFINITE_SSTHRESH);
        assert!(ack(&mut hystart, &mut w, 1_020_001, 40_000)); // 20 001 > 40 000 / 2
        assert_eq!(w.ssthresh, 16);
    }

    #[test]
    fn paced_trains_are_measured_against_a_whole_round_trip_and_their_bursts() {
        let (mut hystart, mut w) = (round_at(1_000_000), window(16));
        w.pacing_rate = 500_000_000; // 65215 * 4e6 / 5e8 = 521 us
        let paced = |us: i64| {
            let now = Clock::default().units_at(Instant::from_nanos(us * 1000));
            TcpSock { now, una: 50_000, nxt: 200_000, paced: true, ..tcp_sock() }
        };
        for step in 1..=20 {
            hystart.update(&paced(1_000_000 + 2000 * step), &mut w, 40_000, 40_000);
        }
        hystart.update(&paced(1_040_521), &mut w, 40_000, 40_000);
        assert!(!hystart.ended_slow_start);
        hystart.update(&paced(1_040_522), &mut w, 40_000, 40_000);
        assert!(hystart.ended_slow_start);
        w.pacing_rate = 1_000_000;
        assert_eq!(ack_delay(&tcp_sock(), &w), 1000);
        w.pacing_rate = 0;
        assert_eq!(ack_delay(&tcp_sock(), &w), 0);
    }

    #[test]
    fn a_gap_ends_the_train() {
        let (mut hystart, mut w) = (round_at(1_000_000), window(16));
        assert!(!ack(&mut hystart, &mut w, 1_002_001, 40_000));
        assert!(!ack(&mut hystart, &mut w, 1_030_000, 40_000));
        assert!(!ack(&mut hystart, &mut w, 1_031_000, 40_000));
    }

    #[test]
    fn the_ninth_sample_above_the_threshold_ends_slow_start() {
        // The threshold is 40 000 + 40 000 / 8 = 45 000.
        for (rtt, is_found) in [(45_000, false), (45_001, true)] {
            let (mut hystart, mut w) = (round_at(1_000_000), window(20));
            for step in 1..=8 {
                assert!(!ack(&mut hystart, &mut w, 1_000_000 + 3000 * step, 70_000));
            }
            assert_eq!(ack(&mut hystart, &mut w, 1_027_000, rtt), is_found);
            assert_eq!(w.ssthresh, if is_found { 20 } else { INFINITE_SSTHRESH });
        }
    }

    #[test]
    fn one_small_sample_of_a_round_is_enough_to_go_on() {
        let (mut hystart, mut w) = (round_at(1_000_000), window(20));
        assert!(!ack(&mut hystart, &mut w, 1_003_000, 41_000));
        for step in 2..=30 {
            assert!(!ack(&mut hystart, &mut w, 1_000_000 + 3000 * step, 70_000));
        }
    }

    #[test]
    fn small_windows_take_no_samples_but_count_rounds() {
        let (mut hystart, mut w) = (round_at(1_000_000), window(15));
        for step in 1..=30 {
            assert!(!ack(&mut hystart, &mut w, 1_000_000 + 1000 * step, 70_000));
        }
        assert_eq!(hystart.samples, 0);
        let f = TcpSock { una: 100_001, nxt: 300_000, ..tcp_sock() };
        hystart.update(&f, &mut w, 40_000, 40_000);
        assert_eq!((hystart.end_seq, hystart.round_start), (300_000, 1_000_000));
    }
}
