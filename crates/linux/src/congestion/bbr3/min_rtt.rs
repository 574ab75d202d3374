//! The minimum round trip, and `ProbeRTT` that renews it [linux/bbr3.md rules 25 to 27].

use super::cycle::AckPhase;
use super::parameters::{INFINITY, MIN_RTT_WINDOW, PROBE_RTT_DURATION, PROBE_RTT_INTERVAL};
use super::short_term::ShortTerm;
use super::{Bbr3, State};
use crate::congestion::{Facts, RateSample, Window};
use crate::rate::Rate;

/// Minima of 10 s and of 5 s, in us.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub(super) rtt: u32,
    pub(super) stamp: u64,
    /// The one that says when the next `ProbeRTT` is due.
    pub(super) delay: u32,
    pub(super) delay_stamp: u64,
    expired: bool,
    /// When `ProbeRTT` may end; none: its time has not begun.
    pub(super) done_stamp: Option<u64>,
    round_done: bool,
}

impl MinRtt {
    pub(super) fn starting(us: u64, rtt: u32) -> Self {
        MinRtt {
            rtt,
            stamp: us,
            delay: rtt,
            delay_stamp: us,
            expired: false,
            done_stamp: None,
            round_done: false,
        }
    }

    pub(super) fn update(&mut self, us: u64, s: &RateSample) {
        self.expired = us > self.delay_stamp + PROBE_RTT_INTERVAL;
        if s.rtt_us >= 0 && (s.rtt_us < i64::from(self.delay) || self.expired) {
            (self.delay, self.delay_stamp) = (s.rtt_us.min(i64::from(INFINITY - 1)) as u32, us);
        }
        if self.delay < self.rtt || us > self.stamp + MIN_RTT_WINDOW {
            (self.rtt, self.stamp) = (self.delay, self.delay_stamp);
        }
    }
}

impl Bbr3 {
    pub(super) fn check_probe_rtt(&mut self, f: &Facts, w: &mut Window, s: &RateSample) {
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

    fn start_probe_rtt(&mut self, f: &Facts, w: &Window) {
        self.save_cwnd(f, w);
        self.state = State::ProbeRtt;
        self.min_rtt.done_stamp = None;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.begin(f);
    }

    /// Its samples are marked as limited by the application, for they are slow on purpose.
    fn handle_probe_rtt(&mut self, f: &Facts, w: &mut Window) {
        w.app_limited = Rate::limited(f.delivered, f.in_flight);
        if self.min_rtt.done_stamp.is_some() {
            self.min_rtt.round_done |= self.rounds.start;
            if self.min_rtt.round_done {
                self.check_probe_rtt_done(f, w);
            }
        } else if f.in_flight <= self.probe_rtt_cwnd() {
            self.min_rtt.done_stamp = Some(f.now.us + PROBE_RTT_DURATION);
            self.min_rtt.round_done = false;
            self.rounds.begin(f);
        }
    }

    /// Ends `ProbeRTT` after its time.
    pub(super) fn check_probe_rtt_done(&mut self, f: &Facts, w: &mut Window) {
        if self.min_rtt.done_stamp.is_some_and(|done| f.now.us > done) {
            self.min_rtt.delay_stamp = f.now.us;
            self.restore_cwnd(w);
            self.leave_probe_rtt(f);
        }
    }

    /// What is in flight is below the pipe's contents already, so that `ProbeBW_DOWN` has nothing to do.
    fn leave_probe_rtt(&mut self, f: &Facts) {
        self.short_term = ShortTerm::NONE;
        self.state = State::Startup;
        if self.full_bw.reached {
            self.start_down(f);
            self.state = State::Cruise;
        }
    }
}
