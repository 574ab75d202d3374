//! Without SACK, duplicates stand for SACKed packets [rules/recovery.md G].

use super::Sender;
use super::queue::Flags;
use crate::clock::TimeInUnits;
use crate::congestion::CaState;

impl Sender {
    /// [rules/recovery.md rule 48]
    pub(super) fn add_reno_sacks(&mut self, duplicates: u32) {
        if duplicates == 0 {
            return;
        }
        let before = self.queue.sacked;
        self.queue.sacked += duplicates;
        self.limit_reno_sacks(0);
        let grown = self.queue.sacked.saturating_sub(before);
        self.rate.delivered = self.rate.delivered.wrapping_add(grown);
    }

    /// [rules/recovery.md rule 49]
    pub(super) fn remove_reno_sacks(&mut self, acked: u32) {
        if acked > 0 {
            let delivered = acked.saturating_sub(self.queue.sacked).max(1);
            self.rate.delivered = self.rate.delivered.wrapping_add(delivered);
            self.queue.sacked = self.queue.sacked.saturating_sub(acked - 1);
        }
        self.limit_reno_sacks(acked);
    }

    /// [rules/recovery.md rule 50]
    fn limit_reno_sacks(&mut self, acked: u32) {
        let out = self.queue.packets_out();
        let holes = self.queue.lost.max(1).min(out);
        if self.queue.sacked + holes > out {
            self.queue.sacked = out - holes;
            self.reordering = (out + acked).min(self.sysctl.tcp_max_reordering as u32);
            self.reord_seen += 1;
        }
    }

    /// [rules/recovery.md rule 35]
    pub(super) fn mark_newreno(&mut self, now: TimeInUnits, advanced: bool) {
        let fast = self.state < CaState::Recovery && self.queue.sacked >= self.reordering;
        let partial = self.state == CaState::Recovery && advanced;
        if (fast || partial) && !self.queue.is_empty() {
            let head = self.queue.head();
            if !self.queue.packet(head).flags.intersects(Flags::LOST) {
                self.queue.begin_buffer(head + 1);
                self.mark_lost(now, head);
            }
        }
    }
}
