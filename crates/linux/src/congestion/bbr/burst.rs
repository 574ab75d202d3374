//! Packets that leave together [rules/bbr.md rule 15c].

use crate::congestion::{TcpSock, Window};

/// Below this rate, in bytes per second, bursts may have one packet.
const SLOW_RTT_LIMIT: u64 = 150_000;
/// Largest burst in bytes, and in packets.
const MAX_BURST: u64 = 65_535 - 320;
const MAX_BURST_PACKETS: u32 = 127;

/// Packets of a burst, at least.
pub(super) fn min_burst(w: &Window) -> u32 {
    if w.pacing_rate < SLOW_RTT_LIMIT { 1 } else { 2 }
}

/// Packets of a burst: a millisecond's worth.
pub(super) fn burst(f: &TcpSock, w: &Window) -> u32 {
    let bytes = (w.pacing_rate >> 10).min(MAX_BURST) as u32;
    (bytes / f.mss.max(1)).max(min_burst(w)).min(MAX_BURST_PACKETS)
}
