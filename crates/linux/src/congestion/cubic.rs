//! CUBIC [rules/cubic.md B; RFC 9438].

use super::cubic_root::cube_root;
use super::{CaState, Event, HyStart, HyStartPlus, Module, TcpSock, VariableSink, Window};
use crate::clock::{HZ, us_to_jiffies};

/// beta, in 1/1024.
const BETA: u32 = 717;
/// C, in 2^-40 packets per (1/1024 s)^3: 0.4 by 1024 / 10 per 100 ms.
const C: u64 = 410;
/// 2^40 / C.
pub(super) const CUBE_FACTOR: u64 = (1 << 40) / C;
/// Eight times the packets that Reno acknowledges per packet of growth at CUBIC's beta, per cwnd.
const RENO_SCALE: u32 = 8 * (1024 + BETA) / 3 / (1024 - BETA);

/// CUBIC's state; times are in jiffies modulo 2^32 unless stated otherwise.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// Packets to be acknowledged per packet of growth.
    pub cnt: u32,
    /// cwnd before the last reduction, or less [rules/cubic.md rule 7].
    pub last_max: u32,
    /// cwnd as the curve was last evaluated, and when.
    last_cwnd: u32,
    last_time: u32,
    /// The plateau of the curve.
    pub origin: u32,
    /// K: when the curve reaches it, in 1/1024 s.
    pub k: u32,
    /// Smallest round trip since the last timeout, in us.
    pub delay_min: u32,
    /// Start of the epoch; 0 if there is none.
    pub epoch_start: u32,
    /// Packets acknowledged that the estimate of Reno's window has not used.
    ack_cnt: u32,
    /// Reno's window.
    pub tcp_cwnd: u32,
    /// HyStart of Linux.
    pub hystart: HyStart,
    /// HyStart++ in its place, if chosen.
    pub hystart_plus: Option<HyStartPlus>,
    use_hystart_plus: bool,
}

impl Cubic {
    /// CUBIC with HyStart++ [RFC 9406] instead of HyStart.
    #[must_use]
    pub fn with_hystart_plus() -> Self {
        Cubic { use_hystart_plus: true, ..Cubic::default() }
    }

    /// Zeroes everything but the choice between HyStart and HyStart++ [rules/cubic.md rule 10].
    fn reset(&mut self, f: &TcpSock) {
        let (plus, choose_plus) = (self.hystart_plus.take(), self.use_hystart_plus);
        let hystart = HyStart { off: self.hystart.off, ..HyStart::new(f) };
        *self = Cubic {
            hystart,
            hystart_plus: plus,
            use_hystart_plus: choose_plus,
            ..Cubic::default()
        };
    }

    /// Sets `cnt` by the curve [rules/cubic.md rule 6].
    #[inline]
    fn update(&mut self, now: u32, cwnd: u32, acked: u32) {
        self.ack_cnt = self.ack_cnt.wrapping_add(acked); // step 1
        let since = now.wrapping_sub(self.last_time) as i32;
        if self.last_cwnd == cwnd && since <= (HZ / 32) as i32 {
            return; // step 2
        }
        self.evaluate(now, cwnd, acked);
    }

    /// Steps 3 to 9.
    #[inline(never)]
    fn evaluate(&mut self, now: u32, cwnd: u32, acked: u32) {
        if self.epoch_start == 0 || now != self.last_time {
            (self.last_cwnd, self.last_time) = (cwnd, now); // step 4
            if self.epoch_start == 0 {
                self.begin_epoch(now, cwnd, acked);
            }
            self.target_from_curve(now, cwnd);
        }
        self.apply_reno_friendly_region(cwnd);
        self.cnt = self.cnt.max(2); // step 9
    }

    /// Step 5.
    fn begin_epoch(&mut self, now: u32, cwnd: u32, acked: u32) {
        self.epoch_start = now;
        self.ack_cnt = acked;
        self.tcp_cwnd = cwnd;
        if self.last_max <= cwnd {
            (self.k, self.origin) = (0, cwnd);
        } else {
            let below = u64::from(self.last_max - cwnd);
            self.k = cube_root(CUBE_FACTOR.wrapping_mul(below));
            self.origin = self.last_max;
        }
    }

    /// Steps 6 and 7.
    fn target_from_curve(&mut self, now: u32, cwnd: u32) {
        let elapsed = i64::from(now.wrapping_sub(self.epoch_start) as i32) as u64;
        let ahead = elapsed.wrapping_add(us_to_jiffies(u64::from(self.delay_min)));
        let t = (ahead << 10) / u64::from(HZ);
        let k = u64::from(self.k);
        let offset = t.abs_diff(k);
        let cube = C.wrapping_mul(offset).wrapping_mul(offset).wrapping_mul(offset);
        let delta = (cube >> 40) as u32;
        let target =
            if t < k { self.origin.wrapping_sub(delta) } else { self.origin.wrapping_add(delta) };
        self.cnt = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.wrapping_mul(100) };
        if self.last_max == 0 && self.cnt > 20 {
            self.cnt = 20;
        }
    }

    /// Step 8: what Reno with CUBIC's beta would have reached.
    fn apply_reno_friendly_region(&mut self, cwnd: u32) {
        let per = (cwnd.wrapping_mul(RENO_SCALE) >> 3).max(1);
        if self.ack_cnt > per {
            let grown = (self.ack_cnt - 1) / per;
            self.ack_cnt -= grown * per;
            self.tcp_cwnd = self.tcp_cwnd.wrapping_add(grown);
        }
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }
}

/// Rare events. The socket is passed by value, so that it is assembled only when they happen.
impl Cubic {
    #[cold]
    #[inline(never)]
    fn end_round(&mut self, f: TcpSock, w: &mut Window) {
        if let Some(plus) = &mut self.hystart_plus {
            plus.end_round(&f, w);
        }
    }

    /// Grows in slow start; how many packets are left of `acked`.
    #[cold]
    #[inline(never)]
    fn slow_start(&mut self, f: TcpSock, w: &mut Window, acked: u32) -> u32 {
        match &mut self.hystart_plus {
            Some(plus) => plus.slow_start(&f, w, acked),
            None => w.slow_start(acked),
        }
    }

    #[cold]
    #[inline(never)]
    fn sample_rtt_in_slow_start(&mut self, f: TcpSock, w: &mut Window, rtt: u32) {
        if let Some(plus) = &mut self.hystart_plus {
            plus.on_rtt(w, rtt);
        } else {
            self.hystart.update(&f, w, rtt, self.delay_min);
        }
    }
}

impl Module for Cubic {
    fn init(&mut self, f: &TcpSock, _w: &mut Window) {
        self.reset(f);
        self.hystart_plus = self.use_hystart_plus.then(|| HyStartPlus::new(f));
    }

    /// [rules/cubic.md rule 7]
    fn ssthresh(&mut self, _f: &TcpSock, w: &mut Window) -> u32 {
        self.epoch_start = 0;
        self.last_max =
            if w.cwnd < self.last_max { w.cwnd.wrapping_mul(1024 + BETA) / 2048 } else { w.cwnd };
        (w.cwnd.wrapping_mul(BETA) / 1024).max(2)
    }

    /// [rules/cubic.md rule 5]
    #[inline]
    fn cong_avoid(&mut self, f: &TcpSock, w: &mut Window, acked: u32) {
        if self.hystart_plus.is_some() {
            self.end_round(*f, w);
        }
        if !f.cwnd_limited {
            return;
        }
        let mut rest = acked;
        if w.in_slow_start() {
            rest = self.slow_start(*f, w, acked);
            if rest == 0 {
                return;
            }
        }
        self.update(f.now.jiffies as u32, w.cwnd, rest);
        w.additive_increase(self.cnt, rest);
    }

    /// [rules/cubic.md rule 11]
    #[inline]
    fn pkts_acked(&mut self, f: &TcpSock, w: &mut Window, rtt_us: i64) {
        if rtt_us < 0 {
            return;
        }
        let since = (f.now.jiffies as u32).wrapping_sub(self.epoch_start) as i32;
        if self.epoch_start != 0 && since < HZ as i32 {
            return;
        }
        let rtt = (rtt_us as u32).max(1);
        if self.delay_min == 0 || rtt < self.delay_min {
            self.delay_min = rtt;
        }
        if self.hystart_plus.is_some() || (!self.hystart.ended_slow_start && w.in_slow_start()) {
            self.sample_rtt_in_slow_start(*f, w, rtt);
        }
    }

    fn set_state(&mut self, f: &TcpSock, _w: &mut Window, state: CaState) {
        if state == CaState::Loss {
            self.reset(f);
        }
    }

    /// Idle time does not move the curve [rules/cubic.md rule 8].
    fn event(&mut self, f: &TcpSock, _w: &mut Window, event: Event) {
        let now = f.now.jiffies as u32;
        let idle = now.wrapping_sub(f.last_sent as u32) as i32;
        if event == Event::TxStart && self.epoch_start != 0 && idle > 0 {
            self.epoch_start = self.epoch_start.wrapping_add(idle as u32);
            if (self.epoch_start.wrapping_sub(now) as i32) > 0 {
                self.epoch_start = now;
            }
        }
    }

    fn show_variables(&self, show: VariableSink) {
        show("cnt", &self.cnt);
        show("last_max", &self.last_max);
        show("origin", &self.origin);
        show("k", &self.k);
        show("epoch_start", &self.epoch_start);
        show("delay_min", &self.delay_min);
        show("tcp_cwnd", &self.tcp_cwnd);
        show("hystart_found", &self.hystart.ended_slow_start);
        if let Some(plus) = &self.hystart_plus {
            show("conservative", &plus.is_conservative());
        }
    }
}

#[cfg(test)]
mod tests;
