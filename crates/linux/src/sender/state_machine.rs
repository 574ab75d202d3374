//! The state machine of recovery, on a dubious ACK [rules/recovery.md D].

use super::Sender;
use super::context::{AckContext, LossVerdict};
use super::timer::TimerPurpose;
use crate::clock::{TimeInUnits, ms_to_jiffies, us_to_jiffies};
use crate::congestion::CaState;

/// Least wait of a receiver that reneges, in ms [rules/recovery.md rule 28].
const RENEGING_WAIT_MS: u64 = 10;

impl Sender {
    /// Runs the state machine; `duplicates`: number of duplicates that the ACK counts for.
    pub(super) fn on_dubious_ack(
        &mut self,
        now: TimeInUnits,
        c: &mut AckContext,
        duplicates: u32,
    ) -> LossVerdict {
        if self.queue.is_empty() {
            self.queue.sacked = 0;
        }
        if c.ece {
            self.undo.ssthresh = 0;
        }
        if c.reneging && c.una_advanced {
            let wait =
                us_to_jiffies(u64::from(self.rtt.srtt8 >> 4)).max(ms_to_jiffies(RENEGING_WAIT_MS));
            self.arm(now, TimerPurpose::Rto, wait);
            c.rearm_rto = false;
            return LossVerdict::None;
        }
        if self.leave_state(now, c) {
            return LossVerdict::None;
        }
        match self.state {
            CaState::Recovery => self.on_ack_in_recovery(now, c, duplicates),
            CaState::Loss => {
                let verdict = self.on_ack_in_loss(now, c, duplicates);
                let retrans = self.queue.retrans;
                self.identify_loss(now, c);
                if self.state != CaState::Open && self.queue.retrans >= retrans {
                    return verdict;
                }
                self.on_ack_in_open(now, c, duplicates)
            }
            _ => self.on_ack_in_open(now, c, duplicates),
        }
    }

    /// [rules/recovery.md rule 29]; whether the state stays and nothing else is done.
    fn leave_state(&mut self, now: TimeInUnits, c: &AckContext) -> bool {
        if self.state == CaState::Open {
            self.retrans_stamp = None;
        } else if self.una >= self.high_seq {
            match self.state {
                CaState::Cwr if self.una > self.high_seq => {
                    self.end_reduction(now);
                    self.set_state(now, CaState::Open);
                }
                CaState::Recovery => {
                    if !self.sack {
                        self.queue.sacked = 0;
                    }
                    if self.end_recovery(now, c) {
                        return true;
                    }
                    self.end_reduction(now);
                }
                _ => {}
            }
        }
        false
    }

    /// [rules/recovery.md rule 30]
    fn on_ack_in_recovery(
        &mut self,
        now: TimeInUnits,
        c: &mut AckContext,
        duplicates: u32,
    ) -> LossVerdict {
        if !c.una_advanced {
            if !self.sack {
                self.add_reno_sacks(duplicates);
            }
        } else if self.undo_partial(now, c) {
            return LossVerdict::None;
        }
        if self.undo_by_dsack(now) {
            self.try_to_open(now, c);
        }
        self.identify_loss(now, c);
        if self.state != CaState::Recovery {
            if self.queue.lost == 0 {
                return LossVerdict::None;
            }
            self.enter_recovery(now, c.ece);
        }
        LossVerdict::Lost
    }

    /// [rules/recovery.md rule 41]
    fn on_ack_in_loss(&mut self, now: TimeInUnits, c: &AckContext, duplicates: u32) -> LossVerdict {
        let recovered = self.una >= self.high_seq;
        if c.una_advanced && self.undo_loss(now, c, false) {
            return LossVerdict::None;
        }
        if self.uses_frto {
            if c.orig_sacked && self.undo_loss(now, c, true) {
                return LossVerdict::None;
            }
            if self.nxt > self.high_seq {
                if c.newly_sacked || duplicates > 0 {
                    self.uses_frto = false;
                }
            } else if c.una_advanced && !recovered {
                self.high_seq = self.nxt;
                if !self.unsent.is_empty() && self.una + self.snd_wnd > self.nxt {
                    return LossVerdict::New;
                }
                self.uses_frto = false;
            }
        }
        if recovered {
            self.end_recovery(now, c);
            return LossVerdict::None;
        }
        if !self.sack {
            if self.nxt > self.high_seq && duplicates > 0 {
                self.add_reno_sacks(duplicates);
            } else if c.una_advanced {
                self.queue.sacked = 0;
            }
        }
        LossVerdict::Lost
    }

    /// Open, Disorder and CWR [rules/recovery.md rule 32].
    fn on_ack_in_open(
        &mut self,
        now: TimeInUnits,
        c: &mut AckContext,
        duplicates: u32,
    ) -> LossVerdict {
        if !self.sack {
            if c.una_advanced {
                self.queue.sacked = 0;
            }
            self.add_reno_sacks(duplicates);
        }
        if self.state <= CaState::Disorder {
            self.undo_by_dsack(now);
        }
        self.identify_loss(now, c);
        if self.queue.lost == 0 {
            self.try_to_open(now, c);
            return LossVerdict::None;
        }
        self.enter_recovery(now, c.ece);
        LossVerdict::Lost
    }

    /// [rules/recovery.md rule 34]
    fn try_to_open(&mut self, now: TimeInUnits, c: &AckContext) {
        self.forget_retransmissions();
        if c.ece {
            self.enter_cwr(now);
        }
        if self.state != CaState::Cwr {
            self.enter_open_or_disorder(now);
        }
    }

    pub(super) fn enter_open_or_disorder(&mut self, now: TimeInUnits) {
        let left_out = self.queue.sacked + self.queue.lost > 0;
        let state =
            if left_out || self.any_retransmission() { CaState::Disorder } else { CaState::Open };
        if self.state != state {
            self.set_state(now, state);
            self.high_seq = self.nxt;
        }
    }

    /// [rules/recovery.md rule 35]
    fn identify_loss(&mut self, now: TimeInUnits, c: &mut AckContext) {
        if self.queue.is_empty() {
            return;
        }
        if !self.sack {
            self.mark_newreno(now, c.una_advanced);
        } else if self.rack_on_ack(now) {
            c.rearm_rto = false;
        }
    }
}
