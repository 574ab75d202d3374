//! Numbers that several files share [rules/bbr.md B].

/// A gain of one.
pub(super) const UNIT: u32 = 256;
/// 2 / ln 2, which doubles the rate per round.
pub(super) const HIGH_GAIN: u32 = UNIT * 2885 / 1000 + 1;
/// The inverse, which empties the queue that startup built.
pub(super) const DRAIN_GAIN: u32 = UNIT * 1000 / 2885;
/// Fractional bits of a bandwidth.
pub(super) const BW_SCALE: u32 = 24;
/// Smallest cwnd.
pub(super) const MIN_CWND: u32 = 4;
/// No round trip was measured.
pub(super) const NO_RTT: u32 = u32::MAX;
