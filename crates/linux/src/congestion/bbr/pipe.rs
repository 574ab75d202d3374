//! A sender that always has data, on a bottleneck with a fixed round trip: BBR in whole rounds.

use std::collections::VecDeque;

use airtcp_core::Instant;

use super::{Bbr, Mode};
use crate::Clock;
use crate::congestion::tests::{tcp_sock, window};
use crate::congestion::{Module, RateSample, TcpSock, Window};
use crate::rate::{AckTotals, DeliveryRecord, Rate, Transmission};

struct Packet {
    acked_at: i64,
    sent: i64,
    end: u64,
    record: DeliveryRecord,
}

/// Packets of 1448 bytes in nanoseconds.
struct Pipe {
    bbr: Bbr,
    window: Window,
    rate: Rate,
    tcp_sock: TcpSock,
    flight: VecDeque<Packet>,
    sent: u64,
    free_at: i64,
    service: i64,
    delay: i64,
    now: i64,
}

impl Pipe {
    /// `per_second` packets and a round trip of `rtt_us` without a queue, from 1 s on.
    fn new(per_second: i64, rtt_us: i64) -> Self {
        let mut pipe = Pipe {
            bbr: Bbr::default(),
            window: window(10),
            rate: Rate::default(),
            tcp_sock: TcpSock {
                srtt8: 8 * rtt_us as u32,
                min_rtt: rtt_us as u32,
                delivered: 1,
                ..tcp_sock()
            },
            flight: VecDeque::new(),
            sent: 0,
            free_at: 0,
            service: 1_000_000_000 / per_second,
            delay: rtt_us * 1000 - 1_000_000_000 / per_second,
            now: 1_000_000_000,
        };
        pipe.rate.delivered = 1; // the SYN
        pipe.bbr.init(&pipe.tcp_sock, &mut pipe.window);
        pipe
    }

    fn observe(&mut self) {
        self.tcp_sock.now = Clock::default().units_at(Instant::from_nanos(self.now));
        self.tcp_sock.in_flight = self.flight.len() as u32;
        self.tcp_sock.packets_out = self.tcp_sock.in_flight;
        self.tcp_sock.delivered = self.rate.delivered;
        self.tcp_sock.delivered_us = self.rate.delivered_us;
    }

    /// Sends the next packet or takes the next ACK, whichever comes first. True: it was an ACK.
    fn step(&mut self) -> bool {
        let room = self.flight.len() < self.window.cwnd as usize;
        let departs = self.tcp_sock.departure.max(self.now);
        if room && self.flight.front().is_none_or(|p| departs <= p.acked_at) {
            self.now = departs;
            self.send();
            return false;
        }
        self.ack();
        true
    }

    /// rules/sending.md rule 14
    fn send(&mut self) {
        let credit = self.now - self.tcp_sock.departure;
        self.sent += 1448;
        let record = self.rate.on_sent(&Transmission {
            us: self.now as u64 / 1000,
            nothing_outstanding: self.flight.is_empty(),
            in_flight: self.flight.len() as u32 + 1,
            app_limited: self.window.app_limited,
        });
        self.free_at = self.free_at.max(self.now) + self.service;
        let acked_at = self.free_at + self.delay;
        self.flight.push_back(Packet { acked_at, sent: self.now, end: self.sent, record });
        let interval = 1448 * 1_000_000_000 / self.window.pacing_rate as i64;
        self.tcp_sock.departure = self.now + interval - credit.min(interval / 2);
    }

    fn ack(&mut self) {
        let prior_in_flight = self.flight.len() as u32;
        let packet = self.flight.pop_front().unwrap();
        self.now = packet.acked_at;
        let rtt_us = (self.now / 1000 - packet.sent / 1000) as u32;
        self.tcp_sock.min_rtt = self.tcp_sock.min_rtt.min(rtt_us);
        self.rate.begin_sample();
        self.rate.delivered += 1;
        self.rate.on_delivered(&packet.record, packet.sent as u64 / 1000, packet.end, false);
        let ack = AckTotals {
            now_us: self.now as u64 / 1000,
            delivered: 1,
            lost: 0,
            prior_in_flight,
            min_rtt: self.tcp_sock.min_rtt,
            rtt_us: i64::from(rtt_us),
            reneging: false,
            ack_delayed: false,
        };
        let sample: RateSample = self.rate.sample(&ack, &mut self.window.app_limited);
        self.observe();
        self.bbr.cong_control(&self.tcp_sock, &mut self.window, &sample);
    }

    /// Runs until `done`, which is asked after each ACK; the time in seconds.
    fn until(&mut self, mut done: impl FnMut(&Pipe) -> bool) -> f64 {
        for _ in 0..3_000_000 {
            if self.step() && done(self) {
                return self.now as f64 / 1e9;
            }
        }
        panic!("it does not come to that");
    }
}

#[test]
fn startup_doubles_the_window_per_round_until_the_pipe_is_full() {
    let mut pipe = Pipe::new(10_000, 40_000); // 400 packets
    let mut windows = Vec::new();
    for round in 1..=6 {
        pipe.until(|p| p.bbr.rounds == round);
        windows.push(pipe.window.cwnd);
        assert_eq!((pipe.bbr.mode, pipe.bbr.pacing_gain), (Mode::Startup, 739));
    }
    // A round begins with the ACK of the first packet of the last one: 10 + 1 and so on. Packets that
    // are paced to leave after that fall short of twice the window by up to a tenth.
    assert_eq!(windows[0], 11);
    for pair in windows.windows(2) {
        let growth = f64::from(pair[1]) / f64::from(pair[0]);
        assert!((1.8..=2.0).contains(&growth), "{windows:?}");
    }
    pipe.until(|p| p.bbr.full_pipe);
    let bw = f64::from(pipe.bbr.bandwidth()) / f64::from(1 << 24) * 1e6;
    assert!((9_990.0..=10_010.0).contains(&bw), "{bw}");
    // The pipe is full in round 7 or 8; three rounds without growth follow.
    assert!((10..=12).contains(&pipe.bbr.rounds), "{}", pipe.bbr.rounds);
}

#[test]
fn drain_empties_the_queue_of_startup_and_the_cycle_follows() {
    let mut pipe = Pipe::new(10_000, 40_000);
    pipe.until(|p| p.bbr.mode == Mode::Drain);
    assert_eq!((pipe.bbr.pacing_gain, pipe.bbr.cwnd_gain), (88, 739));
    assert!(pipe.flight.len() > 600, "{}", pipe.flight.len());
    let began = pipe.now;
    pipe.bbr.force_phase(Some(4));
    pipe.until(|p| p.bbr.mode == Mode::ProbeBw);
    // 0.343 of the rate goes in; the excess of about 800 packets leaves at 0.657 of it in 120 ms.
    assert!(pipe.now - began < 200_000_000);
    assert!(pipe.flight.len() <= 412, "{}", pipe.flight.len());
    assert_eq!((pipe.bbr.cycle_index, pipe.bbr.pacing_gain, pipe.bbr.cwnd_gain), (4, 256, 512));
}

#[test]
fn the_cycle_visits_its_gains_in_turn_a_round_trip_each() {
    let mut pipe = Pipe::new(10_000, 40_000);
    pipe.bbr.force_phase(Some(7));
    pipe.until(|p| p.bbr.mode == Mode::ProbeBw);
    let (mut index, mut since, mut gains) = (7, pipe.now, Vec::new());
    for _ in 0..17 {
        pipe.until(|p| p.bbr.cycle_index != index);
        assert_eq!(pipe.bbr.cycle_index, (index + 1) % 8);
        if index > 1 {
            assert!((40_000_000..=43_000_000).contains(&(pipe.now - since)), "{index}");
        }
        (index, since) = (pipe.bbr.cycle_index, pipe.now);
        gains.push(pipe.bbr.pacing_gain);
    }
    let cruise = [320, 192, 256, 256, 256, 256, 256, 256];
    assert_eq!(gains[..16], [cruise, cruise].concat());
}

#[test]
fn the_round_trip_is_probed_ten_seconds_after_its_minimum() {
    let mut pipe = Pipe::new(2_000, 40_000);
    let first = pipe.until(|p| p.bbr.mode == Mode::ProbeRtt);
    let saved = pipe.bbr.prior_cwnd;
    assert!(saved > 100 && pipe.window.cwnd == 4 && pipe.window.app_limited > 0);
    let end = pipe.until(|p| p.bbr.mode == Mode::ProbeBw);
    // Draining two BDPs takes a round trip or two, then 200 ms and a round.
    assert!((0.2..0.4).contains(&(end - first)), "{}", end - first);
    assert_eq!(pipe.window.cwnd, saved);
    let second = pipe.until(|p| p.bbr.mode == Mode::ProbeRtt);
    // More than 10 s after the end of the first, to the jiffy and the next ACK.
    assert!((10.0..10.01).contains(&(second - end)), "{}", second - end);
}

#[test]
fn steady_state_holds_the_bandwidth_and_about_one_bdp() {
    let mut pipe = Pipe::new(10_000, 40_000);
    pipe.until(|p| p.now > 3_000_000_000);
    let (acked, mut most) = (pipe.rate.delivered, 0);
    pipe.until(|p| {
        most = most.max(p.flight.len());
        p.now > 8_000_000_000
    });
    let throughput = f64::from(pipe.rate.delivered - acked) / 5.0;
    assert!((9_900.0..=10_000.1).contains(&throughput), "{throughput}");
    assert!((480..560).contains(&most), "{most}"); // 1.25 BDP and the bursts
}
