//! The pacing rate, and packets in flight that have not left the network yet
//! [rules/bbr.md rules 6, 14, 18 and 20].

use super::Bbr;
use super::burst::burst;
use super::parameters::{BW_SCALE, HIGH_GAIN, UNIT};
use crate::congestion::{TcpSock, Window};

/// Microseconds of a second, less the pacing margin of 1 %.
const PACED_US: u64 = 1_000_000 / 100 * 99;
/// Taken for the round trip before there is one.
const NOMINAL_RTT: u32 = 1000;

/// `bw` times `gain` in bytes per second, less 1 % [rules/bbr.md rule 6].
pub(super) fn bytes_per_second(bw: u32, mss: u32, gain: u32) -> u64 {
    let rate = u64::from(bw).wrapping_mul(u64::from(mss)).wrapping_mul(u64::from(gain)) >> 8;
    rate.wrapping_mul(PACED_US) >> BW_SCALE
}

impl Bbr {
    /// [rules/bbr.md rule 20]
    pub(super) fn init_pacing_rate(&mut self, f: &TcpSock, w: &mut Window) {
        let rtt = if f.srtt8 == 0 { NOMINAL_RTT } else { (f.srtt8 >> 3).max(1) };
        self.has_seen_rtt |= f.srtt8 != 0;
        let bw = (u64::from(w.cwnd) << BW_SCALE) / u64::from(rtt);
        w.pacing_rate = bytes_per_second(bw as u32, f.mss, HIGH_GAIN).min(f.max_pacing_rate);
    }

    /// [rules/bbr.md rule 14]
    pub(super) fn set_pacing_rate(&mut self, f: &TcpSock, w: &mut Window, gain: u32) {
        let rate = bytes_per_second(self.bandwidth(), f.mss, gain).min(f.max_pacing_rate);
        if !self.has_seen_rtt && f.srtt8 != 0 {
            self.init_pacing_rate(f, w);
        }
        if self.full_pipe || rate > w.pacing_rate {
            w.pacing_rate = rate;
        }
    }

    /// Packets of `in_flight` that are still in the network when the next one departs
    /// [rules/bbr.md rule 18].
    pub(super) fn in_network(&self, f: &TcpSock, w: &Window, in_flight: u32) -> u32 {
        let now = f.now.instant.nanos();
        let wait_us = (f.departure.max(now) - now) as u64 / 1000;
        let gone = (u64::from(self.bandwidth()).wrapping_mul(wait_us) >> BW_SCALE) as u32;
        let sending = if self.pacing_gain > UNIT { burst(f, w) } else { 0 };
        in_flight.saturating_add(sending).saturating_sub(gone)
    }
}
