//! Steps worked by hand from the draft. 100 packets per 40 ms are 41943 in the units of a bandwidth; with a round trip
//! of 40 ms the pipe holds 100 packets.

mod cycle;
mod losses;
mod model;
mod random;
mod round_trip;
mod startup;

use super::*;
use crate::Clock;
use crate::congestion::tests::{tcp_sock, window};
use airtcp_core::Instant;

/// 100 packets per 40 ms.
const BW: u32 = 41_943;

/// A connection at `ms` whose round trip is 40 ms.
fn at(ms: i64, delivered: u32) -> TcpSock {
    let now = Clock::default().units_at(Instant::from_nanos(ms * 1_000_000));
    TcpSock { now, delivered, delivered_us: now.us, srtt8: 320_000, min_rtt: 40_000, ..tcp_sock() }
}

/// `delivered` packets since `prior_delivered`, in 40 ms; 100 were in flight.
fn sample(prior_delivered: u32, delivered: i32) -> RateSample {
    RateSample {
        prior_delivered,
        prior_us: 1,
        delivered,
        interval_us: 40_000,
        rtt_us: 40_000,
        losses: 0,
        acked_sacked: 1,
        prior_in_flight: 0,
        app_limited: false,
        ack_delayed: false,
        tx_in_flight: 100,
        lost: 0,
    }
}

/// An ACK that says nothing.
fn nothing() -> RateSample {
    let none = RateSample { delivered: -1, interval_us: -1, rtt_us: -1, ..sample(0, 0) };
    RateSample { acked_sacked: 0, tx_in_flight: 0, ..none }
}

fn lost(seq: u64, tx_in_flight: u32, lost: u32) -> LostPacket {
    LostPacket { seq, end: seq + 1448, tx_in_flight, lost, app_limited: false }
}

/// Established at `ms`.
fn started(ms: i64) -> (Bbr3, Window) {
    let (mut bbr, mut w) = (Bbr3::default(), window(10));
    bbr.init(&at(ms, 1), &mut w);
    (bbr, w)
}

/// A BBR in `state` at 1 s, with a pipe of 100 packets that it has filled.
fn cruising(state: State) -> (Bbr3, Window) {
    let (mut bbr, mut w) = started(1000);
    (bbr.max_bw, bbr.bw, bbr.full_bw.reached) = (MaxBw::from_bw(BW), BW, true);
    (bbr.cycle.start_us, bbr.cycle.wait_us) = (at(1000, 1).now.us, 2_500_000);
    (bbr.state, bbr.rounds.next_delivered, w.cwnd) = (state, 1000, 200);
    (bbr, w)
}

#[test]
fn the_gains_are_those_of_the_drafts_table() {
    let gains = |state: State| (state.pacing_gain(), state.cwnd_gain());
    assert_eq!(gains(State::Startup), (277, 200));
    assert_eq!(gains(State::Drain), (50, 200));
    assert_eq!(gains(State::Down), (90, 200));
    assert_eq!(gains(State::Cruise), (100, 200));
    assert_eq!(gains(State::Refill), (100, 200));
    assert_eq!(gains(State::Up), (125, 225));
    assert_eq!(gains(State::ProbeRtt), (100, 50));
}
