//! The state machine of recovery, on a dubious ACK [rules/recovery.md D].

use super::Sender;
use super::context::{Context, Verdict};
use super::timer::Slot;
use crate::clock::{Now, ms_to_jiffies, us_to_jiffies};
use crate::congestion::CaState;

/// Least wait of a receiver that reneges, in ms [rules/recovery.md rule 28].
const RENEGING: u64 = 10;

impl Sender {
    /// Runs it; `duplicates`: what the ACK counts as a duplicate.
    pub(super) fn alert(&mut self, now: Now, c: &mut Context, duplicates: u32) -> Verdict {
        if self.queue.is_empty() {
            self.queue.sacked = 0;
        }
        if c.ece {
            self.undo.ssthresh = 0;
        }
        if c.reneging && c.advanced {
            let wait = us_to_jiffies(u64::from(self.rtt.srtt8 >> 4)).max(ms_to_jiffies(RENEGING));
            self.arm(now, Slot::Rto, wait);
            c.rearm = false;
            return Verdict::None;
        }
        if self.leave(now, c) {
            return Verdict::None;
        }
        match self.state {
            CaState::Recovery => self.in_recovery(now, c, duplicates),
            CaState::Loss => {
                let verdict = self.in_loss(now, c, duplicates);
                let retrans = self.queue.retrans;
                self.identify(now, c);
                if self.state != CaState::Open && self.queue.retrans >= retrans {
                    return verdict;
                }
                self.in_open(now, c, duplicates)
            }
            _ => self.in_open(now, c, duplicates),
        }
    }

    /// [rules/recovery.md rule 29]; whether the state stays and nothing else is done.
    fn leave(&mut self, now: Now, c: &Context) -> bool {
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
    fn in_recovery(&mut self, now: Now, c: &mut Context, duplicates: u32) -> Verdict {
        if !c.advanced {
            if !self.sack {
                self.add_reno_sacks(duplicates);
            }
        } else if self.undo_partial(now, c) {
            return Verdict::None;
        }
        if self.undo_by_dsack(now) {
            self.try_to_open(now, c);
        }
        self.identify(now, c);
        if self.state != CaState::Recovery {
            if self.queue.lost == 0 {
                return Verdict::None;
            }
            self.enter_recovery(now, c.ece);
        }
        Verdict::Lost
    }

    /// [rules/recovery.md rule 41]
    fn in_loss(&mut self, now: Now, c: &Context, duplicates: u32) -> Verdict {
        let recovered = self.una >= self.high_seq;
        if c.advanced && self.undo_loss(now, c, false) {
            return Verdict::None;
        }
        if self.frto {
            if c.orig_sacked && self.undo_loss(now, c, true) {
                return Verdict::None;
            }
            if self.nxt > self.high_seq {
                if c.newly_sacked || duplicates > 0 {
                    self.frto = false;
                }
            } else if c.advanced && !recovered {
                self.high_seq = self.nxt;
                if !self.unsent.is_empty() && self.una + self.snd_wnd > self.nxt {
                    return Verdict::New;
                }
                self.frto = false;
            }
        }
        if recovered {
            self.end_recovery(now, c);
            return Verdict::None;
        }
        if !self.sack {
            if self.nxt > self.high_seq && duplicates > 0 {
                self.add_reno_sacks(duplicates);
            } else if c.advanced {
                self.queue.sacked = 0;
            }
        }
        Verdict::Lost
    }

    /// Open, Disorder and CWR [rules/recovery.md rule 32].
    fn in_open(&mut self, now: Now, c: &mut Context, duplicates: u32) -> Verdict {
        if !self.sack {
            if c.advanced {
                self.queue.sacked = 0;
            }
            self.add_reno_sacks(duplicates);
        }
        if self.state <= CaState::Disorder {
            self.undo_by_dsack(now);
        }
        self.identify(now, c);
        if self.queue.lost == 0 {
            self.try_to_open(now, c);
            return Verdict::None;
        }
        self.enter_recovery(now, c.ece);
        Verdict::Lost
    }

    /// [rules/recovery.md rule 34]
    fn try_to_open(&mut self, now: Now, c: &Context) {
        self.forget_retransmissions();
        if c.ece {
            self.enter_cwr(now);
        }
        if self.state != CaState::Cwr {
            self.keep_open(now);
        }
    }

    pub(super) fn keep_open(&mut self, now: Now) {
        let left_out = self.queue.sacked + self.queue.lost > 0;
        let state =
            if left_out || self.any_retransmission() { CaState::Disorder } else { CaState::Open };
        if self.state != state {
            self.set_state(now, state);
            self.high_seq = self.nxt;
        }
    }

    /// [rules/recovery.md rule 35]
    fn identify(&mut self, now: Now, c: &mut Context) {
        if self.queue.is_empty() {
            return;
        }
        if !self.sack {
            self.mark_newreno(now, c.advanced);
        } else if self.rack_on_ack(now) {
            c.rearm = false;
        }
    }
}
