//! Reductions that turn out to be wrong are taken back [rules/recovery.md D, Undo].

use super::Sender;
use super::context::AckContext;
use super::queue::{Flags, NO_PACKET};
use crate::clock::TimeInUnits;
use crate::congestion::CaState;

impl Sender {
    /// Returns whether the ACK covers data sent before the first retransmission (Eifel).
    pub(super) fn packet_delayed(&self, c: &AckContext) -> bool {
        match self.retrans_stamp {
            Some(stamp) => c.echo.is_some_and(|echo| (echo.wrapping_sub(stamp) as i32) < 0),
            None => self.sack || self.una < self.high_seq,
        }
    }

    fn may_undo(&self, c: &AckContext) -> bool {
        let allowed = self.undo.marker.is_some() && !self.options.changed.no_undo;
        allowed && (self.undo.retrans == 0 || self.packet_delayed(c))
    }

    fn undo_reduction(&mut self, now: TimeInUnits, unmark: bool) {
        if unmark {
            for id in self.queue.head()..self.queue.tail() {
                self.queue.clear(id, Flags::LOST);
            }
            self.queue.lost = 0;
            self.queue.retransmit_hint = NO_PACKET;
            self.queue.restart_lost_cursor();
        }
        if self.undo.ssthresh != 0 {
            let tcp_sock = self.tcp_sock(now);
            self.cc_window.cwnd = self.control.undo_cwnd(&tcp_sock, &mut self.cc_window);
            if self.undo.ssthresh > self.cc_window.ssthresh {
                self.cc_window.ssthresh = self.undo.ssthresh;
                self.cwr_pending = false;
            }
        }
        self.usage.stamp = now.jiffies;
        self.undo.marker = None;
        self.rack.advanced = true;
    }

    /// Returns whether the state must be kept so that late duplicates do not start another recovery.
    fn stays_in_state(&mut self) -> bool {
        if self.sack || self.una != self.high_seq {
            return false;
        }
        self.forget_retransmissions();
        true
    }

    /// Ends Recovery or Loss [rules/recovery.md rule 38]; returns true if the state stays.
    pub(super) fn end_recovery(&mut self, now: TimeInUnits, c: &AckContext) -> bool {
        if self.may_undo(c) {
            self.undo_reduction(now, false);
        } else if self.rack.persist > 0 {
            self.rack.persist -= 1;
        }
        if self.stays_in_state() {
            return true;
        }
        self.set_state(now, CaState::Open);
        self.reneging = false;
        false
    }

    /// All retransmissions were reported as duplicates [rules/recovery.md rule 39].
    pub(super) fn undo_by_dsack(&mut self, now: TimeInUnits) -> bool {
        if self.undo.marker.is_none() || self.undo.retrans != 0 {
            return false;
        }
        self.rack.persist = (self.rack.persist + 1).min(16);
        self.undo_reduction(now, false);
        true
    }

    /// Handles a partial ACK in Recovery [rules/recovery.md rule 40]; returns whether the ACK is finished.
    pub(super) fn undo_partial(&mut self, now: TimeInUnits, c: &AckContext) -> bool {
        if self.undo.marker.is_none() || !self.packet_delayed(c) {
            return false;
        }
        self.update_reordering(c.una);
        if self.queue.retrans > 0 {
            return true;
        }
        self.forget_retransmissions();
        self.undo_reduction(now, true);
        self.enter_open_or_disorder(now);
        false
    }

    /// A timeout was spurious [rules/recovery.md rule 42].
    pub(super) fn undo_loss(&mut self, now: TimeInUnits, c: &AckContext, frto: bool) -> bool {
        if !frto && !self.may_undo(c) {
            return false;
        }
        self.undo_reduction(now, true);
        self.retransmits = 0;
        if self.stays_in_state() {
            return true;
        }
        if frto || self.sack {
            self.set_state(now, CaState::Open);
            self.reneging = false;
        }
        true
    }

    /// Returns whether something retransmitted is outstanding [rules/recovery.md rule 34].
    pub(super) fn any_retransmission(&self) -> bool {
        let head = self.queue.first();
        self.queue.retrans > 0
            || head.is_some_and(|head| head.flags.intersects(Flags::EVER_RETRANS))
    }

    pub(super) fn forget_retransmissions(&mut self) {
        if !self.any_retransmission() {
            self.retrans_stamp = None;
        }
    }
}
