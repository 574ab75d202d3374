//! The metric of reordering [rules/recovery.md rule 21].

use super::Sender;

impl Sender {
    /// Records reordering: data from `low` on were delivered after data sent later.
    ///
    /// Without SACK the point up to which something is known is una: the pointer of the kernel stays at the head.
    pub(super) fn update_reordering(&mut self, low: u64) {
        let highest = if self.sack { self.highest_sacked() } else { self.una };
        if low >= highest {
            return;
        }
        let (distance, mss) = (highest - low, u64::from(self.mss_cache));
        if distance > u64::from(self.reordering) * mss {
            self.reordering = distance.div_ceil(mss).min(self.sysctl.tcp_max_reordering) as u32;
        }
        self.reord_seen += 1;
    }
}
