//! The size of segments [rules/sending.md rule 16].

use super::Sender;

/// IP and TCP headers without options.
const HEADERS: u32 = 40;
/// The timestamp option with its padding.
const TIMESTAMP_BYTES: u32 = 12;
/// MSS of a peer that announces none; windows above it are not filled by one segment.
const DEFAULT_MSS: u64 = 536;

impl Sender {
    pub(super) fn sync_mss(&mut self) {
        let stamps = if self.timestamps.is_some() { TIMESTAMP_BYTES } else { 0 };
        let mss = (self.mtu - HEADERS).min(self.mss_clamp);
        let mss = mss.max(self.sysctl.tcp_min_snd_mss as u32) - stamps;
        self.mss_cache = self.limit_to_half_window(u64::from(mss)) as u32;
    }

    /// `size` limited to half the peer's largest window.
    pub(super) fn limit_to_half_window(&self, size: u64) -> u64 {
        let half =
            if self.max_window > DEFAULT_MSS { self.max_window / 2 } else { self.max_window };
        let header = 20 + if self.timestamps.is_some() { u64::from(TIMESTAMP_BYTES) } else { 0 };
        if half > 0 && size > half { half.max(68 - header) } else { size }
    }

    /// The MSS beside the SACK blocks that a segment carries now.
    #[inline]
    pub(super) fn current_mss(&self) -> u32 {
        self.mss_cache - self.sack_bytes
    }

    /// Bytes of a buffer that a bulk write fills.
    pub(super) fn size_goal(&self) -> u32 {
        let most = self.limit_to_half_window(u64::from(self.options.gso_max_size)) as u32;
        let mss = self.current_mss();
        (most / mss * mss).max(mss)
    }

    /// Bytes of SACK blocks in the segments that follow.
    #[inline]
    pub fn set_sack_bytes(&mut self, bytes: u32) {
        self.sack_bytes = bytes;
    }

    /// MSS in bytes, without SACK blocks.
    #[must_use]
    pub fn mss(&self) -> u32 {
        self.mss_cache
    }
}
