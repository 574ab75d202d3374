//! The pacing rate and the send quantum [rules/bbr3.md rules 28 and 29].

use super::Bbr3;
use super::parameters::{
    BW_SCALE, MAX_QUANTUM, MIN_QUANTUM, PACING_MARGIN, PERCENT, STARTUP_PACING_GAIN,
};
use crate::congestion::{TcpSock, Window};

/// Taken for the round trip before there is one, in us.
const NOMINAL_RTT: u32 = 1000;
/// Microseconds of a second, less the pacing margin.
const PACED_US: u64 = 1_000_000 / PERCENT as u64 * (PERCENT - PACING_MARGIN) as u64;

/// `bw` times `gain` in bytes per second, less 1 %.
pub(super) fn bytes_per_second(bw: u32, mss: u32, gain: u32) -> u64 {
    let rate = u64::from(bw) * u64::from(mss) * u64::from(gain) / u64::from(PERCENT);
    rate.saturating_mul(PACED_US) >> BW_SCALE
}

/// Packets per burst: a millisecond at the pacing rate.
pub(super) fn send_quantum(f: &TcpSock, w: &Window) -> u32 {
    let bytes = (w.pacing_rate / 1000).min(MAX_QUANTUM) as u32;
    (bytes / f.mss.max(1)).max(MIN_QUANTUM)
}

impl Bbr3 {
    /// The first rate: the initial window per round trip, without the margin.
    pub(super) fn init_pacing_rate(&mut self, f: &TcpSock, w: &mut Window) {
        let rtt = if f.srtt8 == 0 { NOMINAL_RTT } else { (f.srtt8 >> 3).max(1) };
        self.has_seen_rtt = f.srtt8 != 0;
        let window = u64::from(self.initial_cwnd) * u64::from(f.mss) * 1_000_000;
        let rate = window / u64::from(rtt) * u64::from(STARTUP_PACING_GAIN) / u64::from(PERCENT);
        w.pacing_rate = rate.min(f.max_pacing_rate);
    }

    pub(super) fn set_pacing_rate(&mut self, f: &TcpSock, w: &mut Window, gain: u32) {
        if !self.has_seen_rtt && f.srtt8 != 0 {
            self.init_pacing_rate(f, w);
        }
        let rate = bytes_per_second(self.bw, f.mss, gain).min(f.max_pacing_rate);
        if self.full_bw.reached || rate > w.pacing_rate {
            w.pacing_rate = rate;
        }
    }
}
