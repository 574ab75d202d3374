//! `ProbeRTT`, which renews the minimum round trip [rules/bbr3.md rules 26 and 27].

use super::parameters::PROBE_RTT_DURATION;
use super::probe::AckPhase;
use super::short_term::ShortTerm;
use super::{Bbr3, State};
use crate::congestion::{RateSample, TcpSock, Window};
use crate::rate::Rate;

impl Bbr3 {
    pub(super) fn check_probe_rtt(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        if self.state != State::ProbeRtt && self.min_rtt.expired && !self.idle_restart {
            self.start_probe_rtt(f, w);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(f, w);
        }
        if s.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn start_probe_rtt(&mut self, f: &TcpSock, w: &Window) {
        self.save_cwnd(f, w);
        self.state = State::ProbeRtt;
        self.min_rtt.done_stamp = None;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.start_round(f);
    }

    /// Samples in `ProbeRTT` are marked as application-limited, since they are slow on purpose.
    fn handle_probe_rtt(&mut self, f: &TcpSock, w: &mut Window) {
        w.app_limited = Rate::app_limited_until(f.delivered, f.in_flight);
        if self.min_rtt.done_stamp.is_some() {
            self.min_rtt.round_done |= self.rounds.round_start;
            if self.min_rtt.round_done {
                self.check_probe_rtt_done(f, w);
            }
        } else if f.in_flight <= self.probe_rtt_cwnd() {
            self.min_rtt.done_stamp = Some(f.now.us + PROBE_RTT_DURATION);
            self.min_rtt.round_done = false;
            self.rounds.start_round(f);
        }
    }

    /// Ends `ProbeRTT` after its time.
    pub(super) fn check_probe_rtt_done(&mut self, f: &TcpSock, w: &mut Window) {
        if self.min_rtt.done_stamp.is_some_and(|done| f.now.us > done) {
            self.min_rtt.delay_stamp = f.now.us;
            self.restore_cwnd(w);
            self.leave_probe_rtt(f);
        }
    }

    /// Skips `ProbeBW_DOWN`, for less is in flight than fills the pipe.
    fn leave_probe_rtt(&mut self, f: &TcpSock) {
        self.short_term = ShortTerm::NONE;
        self.state = State::Startup;
        if self.full_bw.reached {
            self.start_down(f);
            self.state = State::Cruise;
        }
    }
}
