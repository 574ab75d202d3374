//! The cycle of `ProbeBW` [rules/bbr3.md rules 15 to 18].

use super::bandwidth::delivery_rate;
use super::parameters::{HEADROOM, INFINITY, MIN_PIPE_CWND, PERCENT, share};
use super::probe::AckPhase;
use super::short_term::ShortTerm;
use super::{Bbr3, State};
use crate::congestion::{RateSample, TcpSock, Window};

impl Bbr3 {
    /// Enters `ProbeBW_DOWN`, also from Drain and `ProbeRTT`.
    pub(super) fn start_down(&mut self, f: &TcpSock) {
        self.latest.reset();
        self.growth.stop();
        self.choose_probe_wait();
        self.cycle.start_us = f.now.us;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.start_round(f);
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self, f: &TcpSock) {
        self.short_term = ShortTerm::NONE;
        self.growth.reset();
        self.cycle.precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.rounds.start_round(f);
        self.state = State::Refill;
    }

    fn start_up(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        self.cycle.is_probe_sample = true;
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.rounds.start_round(f);
        self.full_bw.restart(delivery_rate(s));
        self.state = State::Up;
        self.growth.raise_slope(w.cwnd);
    }

    pub(super) fn update_cycle(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        if !self.full_bw.reached || s.acked_sacked == 0 || self.adapt_long_term(f, w, s) {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe(f, w) => self.start_refill(f),
            State::Down if self.is_time_to_cruise(f, w) => self.state = State::Cruise,
            State::Refill if self.rounds.round_start => self.start_up(f, w, s),
            State::Up if self.is_time_to_go_down(f, w, s) => {
                self.cycle.too_high = false;
                self.start_down(f);
            }
            _ => {}
        }
    }

    /// The queue is empty, and others find room.
    fn is_time_to_cruise(&self, f: &TcpSock, w: &Window) -> bool {
        f.in_flight <= self.inflight_with_headroom()
            && f.in_flight <= self.inflight_at(f, w, self.max_bw.bandwidth(), PERCENT)
    }

    /// A plateau that no bound makes, or the level at which the last probe lost too much.
    fn is_time_to_go_down(&mut self, f: &TcpSock, w: &Window, s: &RateSample) -> bool {
        if self.cycle.too_high && f.in_flight >= self.inflight_longterm {
            self.cycle.precautionary = true;
            return true;
        }
        if f.cwnd_used && w.cwnd >= self.inflight_longterm {
            self.full_bw.restart(delivery_rate(s));
            return false;
        }
        self.full_bw.reached_this_round
    }

    /// `inflight_longterm` less the headroom for other flows.
    pub(super) fn inflight_with_headroom(&self) -> u32 {
        let bound = self.inflight_longterm;
        if bound == INFINITY {
            return INFINITY;
        }
        bound.saturating_sub(share(bound, HEADROOM).max(1)).max(MIN_PIPE_CWND)
    }
}
