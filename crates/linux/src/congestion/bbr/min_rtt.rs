//! The minimum round trip, and `PROBE_RTT` that renews it [rules/bbr.md rule 12].

use super::parameters::MIN_CWND;
use super::{Bbr, Mode};
use crate::clock::{HZ, ms_to_jiffies};
use crate::congestion::{RateSample, TcpSock, Window};
use crate::rate::{Rate, is_after};

/// Lifetime of a minimum, in jiffies.
const WINDOW: u32 = 10 * HZ;
/// Duration in jiffies for which `PROBE_RTT` keeps cwnd at four packets.
const PROBE_TIME: u32 = ms_to_jiffies(200) as u32;

impl Bbr {
    pub(super) fn update_min_rtt(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        let now = f.now.jiffies as u32;
        let expired = is_after(now, self.min_rtt_stamp.wrapping_add(WINDOW));
        let smaller = s.rtt_us < i64::from(self.min_rtt);
        if s.rtt_us >= 0 && (smaller || (expired && !s.ack_delayed)) {
            (self.min_rtt, self.min_rtt_stamp) = (s.rtt_us as u32, now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(w);
            self.probe_rtt_done_stamp = 0;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(f, w, now);
        }
        if s.delivered > 0 {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, f: &TcpSock, w: &mut Window, now: u32) {
        w.app_limited = Rate::app_limited_until(f.delivered, f.in_flight);
        if self.probe_rtt_done_stamp == 0 {
            if f.in_flight <= MIN_CWND {
                self.probe_rtt_done_stamp = now.wrapping_add(PROBE_TIME);
                self.probe_rtt_round_done = false;
                self.next_round = f.delivered;
            }
            return;
        }
        if self.round_start {
            self.probe_rtt_round_done = true;
        }
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(f, w);
        }
    }

    /// Ends `PROBE_RTT` after its time.
    pub(super) fn check_probe_rtt_done(&mut self, f: &TcpSock, w: &mut Window) {
        let now = f.now.jiffies as u32;
        if self.probe_rtt_done_stamp == 0 || !is_after(now, self.probe_rtt_done_stamp) {
            return;
        }
        self.min_rtt_stamp = now;
        w.cwnd = w.cwnd.max(self.prior_cwnd);
        self.leave_probe_rtt(f);
    }
}
