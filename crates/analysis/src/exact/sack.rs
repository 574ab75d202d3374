//! Recovery of SACK: each hole of the window is resent once, in turn, whatever became of the one before.
//!
//! [zorzi, section V] has one sentence on SACK: with instant feedback it is NewReno. That holds until a
//! retransmission is lost. Then NewReno is silent until the timer expires, for no ACK tells it of the
//! next hole; SACK knows the others, and they are still resent. The lost one waits for its timer.
//!
//! The sender is taken to know all that the receiver holds. The simulated one knows what the blocks of
//! ACKs have reported since its last timeout, which is less only if the receiver has held more than four
//! runs at once: never at windows up to 9 packets.

use super::channel::Slot;
use super::link::Fates;
use super::phase2::{Node, Outcome, Tree};
use super::receiver::{advance, bit_at, hole_after};

/// A recovery in progress.
#[derive(Clone, Copy)]
pub(super) struct RecoveryState {
    outcome: Outcome,
    /// Offset of `una`, in packets since the first loss.
    una: u32,
    /// Offset of the hole to resend next, in packets since `una`: above 0 once a resend is lost.
    hole: u32,
    /// The fates of the packets resent, and the last of them.
    resent_fates: Fates<u32>,
    last_fate: Slot,
}

impl RecoveryState {
    /// A recovery that begins after a success, the last duplicate ACK.
    pub(super) fn new(outcome: Outcome) -> Self {
        Self { outcome, una: 0, hole: 0, resent_fates: Fates::default(), last_fate: Slot::Good }
    }

    /// Continues with the resent hole arriving, which has this probability.
    fn with_arrival(mut self, probability: f64) -> Self {
        self.add_resend(Slot::Good, probability);
        let mask = &mut self.outcome.mask;
        if self.hole == 0 {
            self.una += hole_after(*mask, 0);
            *mask = advance(*mask);
        } else {
            *mask |= bit_at(self.hole);
            self.hole = hole_after(*mask, self.hole);
        }
        self.outcome.delivered += 1;
        self
    }

    /// Continues with the resent hole being lost again, which has this probability.
    fn with_loss(mut self, probability: f64) -> Self {
        self.add_resend(Slot::Bad, probability);
        self.hole = hole_after(self.outcome.mask, self.hole);
        self
    }

    fn add_resend(&mut self, fate: Slot, probability: f64) {
        let pair = match (self.last_fate, fate) {
            (Slot::Bad, Slot::Bad) => &mut self.resent_fates.bb,
            (Slot::Bad, Slot::Good) => &mut self.resent_fates.bg,
            (Slot::Good, Slot::Bad) => &mut self.resent_fates.gb,
            (Slot::Good, Slot::Good) => &mut self.resent_fates.gg,
        };
        *pair += 1;
        self.last_fate = fate;
        self.outcome.probability = probability;
        self.outcome.transmissions += 1;
    }
}

impl<F: FnMut(&Outcome) -> bool> Tree<'_, F> {
    /// Resends the holes of the window that are left.
    pub(super) fn resend_holes(&mut self, node: Node, repair: RecoveryState) {
        let window_is_over = repair.una + repair.hole > node.slot;
        if window_is_over && repair.hole == 0 {
            return self.emit_recovered(self.outcome_at_timer(repair));
        }
        if window_is_over || self.is_timer_expired(node, &repair) {
            let RecoveryState { una, resent_fates: resent, last_fate: last, .. } = repair;
            return self.recovery_timeout(self.outcome_at_timer(repair), node, una, resent, last);
        }
        let next = self.model.packets.next_fate(repair.last_fate);
        let odds = self.split_probability(repair.outcome.probability, next);
        if odds.good > 0.0 {
            self.resend_holes(node, repair.with_arrival(odds.good));
        }
        if odds.bad > 0.0 {
            self.resend_holes(node, repair.with_loss(odds.bad));
        }
    }

    /// True if the timer of `una` ends with the last slot: every packet takes at least one slot.
    fn is_timer_expired(&self, node: Node, repair: &RecoveryState) -> bool {
        let resent: u32 = repair.resent_fates.to_array().iter().sum();
        u64::from(node.slot + 1 - repair.una + resent) >= self.model.timer.slots
    }

    /// The outcome with the time that the resends took.
    fn outcome_at_timer(&self, repair: RecoveryState) -> Outcome {
        let air = repair.outcome.busy_slots + self.model.packets.mean_slots(repair.resent_fates);
        Outcome { busy_slots: air, ..repair.outcome }
    }
}
