//! Entry of Loss at a timeout [rules/recovery.md E].

use super::Sender;
use super::queue::{Flags, NO_PACKET};
use crate::clock::TimeInUnits;
use crate::congestion::CaState;

impl Sender {
    /// [rules/recovery.md rule 44]
    pub(super) fn enter_loss(&mut self, now: TimeInUnits) {
        let state = self.state;
        self.mark_overdue(now);
        let fresh = state <= CaState::Disorder
            || self.high_seq <= self.una
            || (state == CaState::Loss && self.retransmits == 0);
        if fresh {
            self.undo.ssthresh = self.current_ssthresh();
            self.cc_window.prior_cwnd = self.cc_window.cwnd;
            let tcp_sock = self.tcp_sock(now);
            self.cc_window.ssthresh = self.control.ssthresh(&tcp_sock, &mut self.cc_window);
            self.save_undo_state();
        }
        self.cc_window.cwnd = self.queue.in_flight() + 1;
        self.cc_window.cwnd_count = 0;
        self.usage.stamp = now.jiffies;
        let reordering = self.sysctl.tcp_reordering as u32;
        if state <= CaState::Disorder && self.queue.sacked >= reordering {
            self.reordering = self.reordering.min(reordering);
        }
        self.set_state(now, CaState::Loss);
        self.high_seq = self.nxt;
        self.probe.high_seq = None;
        self.cwr_pending |= self.ecn;
        let follows = state < CaState::Recovery || self.retransmits > 0;
        self.uses_frto = self.sysctl.tcp_frto != 0 && follows;
    }

    /// Marks the packets considered lost at a timeout [rules/recovery.md rule 44.1, rules/rack.md rule 10].
    fn mark_overdue(&mut self, now: TimeInUnits) {
        let (head, tail) = (self.queue.head(), self.queue.tail());
        let reneged = self.queue.first().is_some_and(|p| p.flags.intersects(Flags::SACKED));
        if reneged {
            self.reneging = true;
            self.queue.sacked = 0;
            self.previous_sack.clear();
            for id in head..tail {
                self.queue.clear(id, Flags::SACKED);
            }
        } else if !self.sack {
            self.queue.sacked = 0;
        }
        let mut in_head = true;
        for id in head..tail {
            let packet = self.queue.packet(id);
            in_head &= id == head || !packet.flags.intersects(Flags::APP_LIMITED_FIRST);
            let overdue = packet.sent_us() + self.rack.rtt <= now.us;
            if reneged || in_head || overdue {
                self.mark_lost(now, id);
            }
        }
        self.queue.retransmit_hint = NO_PACKET;
        self.queue.restart_lost_cursor();
    }
}
