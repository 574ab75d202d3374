//! Phase two: from the loss of `una` in slot 0 to the start of the next cycle.
//!
//! Every pattern of successes in slots 1, 2, .. is followed as a tree, its probability multiplied
//! slot by slot [zorzi, sections IV-B to IV-E]. Where the less likely state of a slot has a
//! probability below a floor, it is not followed: the likelier state takes its probability.
//! Nothing new is sent during recovery.

use super::channel::{Slot, SlotDistribution};
use super::link::Fates;
use super::model::Model;
use super::problem::Variant;
use super::receiver::{Mask, advance, bit_at, next_hole};
use super::sack::RecoveryState;
use super::window::{Class, CycleStart};

/// One outcome of phase two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) probability: f64,
    /// The growth path of the next cycle.
    pub(super) path: usize,
    /// The receiver's mask at that point.
    pub(super) mask: Mask,
    /// The channel in the slot before the next cycle.
    pub(super) slot_before_next_cycle: SlotDistribution,
    /// Mean slots with and without a transmission, after the packet of slot 0.
    pub(super) busy_slots: f64,
    pub(super) idle_slots: f64,
    /// Probability that the timer was over before the last packet was sent.
    pub(super) late_probability: f64,
    pub(super) transmissions: u32,
    pub(super) delivered: u32,
    pub(super) timeouts: u32,
    pub(super) fast_retransmits: u32,
}

/// Follows phase two from a class of windows and a mask while `sink` returns true; returns the probability of the
/// branches below `floor` that were cut.
pub(super) fn outcomes<F: FnMut(&Outcome) -> bool>(
    model: &Model,
    class: Class,
    mask: Mask,
    floor: f64,
    sink: F,
) -> f64 {
    let mut tree =
        Tree { model, class, mask, floor, pruned_probability: 0.0, stopped: false, sink };
    tree.visit_slot(Node { slot: 0, last_fate: Slot::Bad, arrived: 0, probability: 1.0 });
    tree.pruned_probability
}

pub(super) struct Tree<'a, F> {
    pub(super) model: &'a Model,
    class: Class,
    mask: Mask,
    floor: f64,
    pruned_probability: f64,
    stopped: bool,
    sink: F,
}

/// The history of phase two up to a slot.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) slot: u32,
    last_fate: Slot,
    /// The packets that arrived since slot 0; each is one duplicate ACK.
    arrived: Mask,
    probability: f64,
}

impl<F: FnMut(&Outcome) -> bool> Tree<'_, F> {
    fn visit_slot(&mut self, node: Node) {
        if self.stopped {
            return;
        }
        if self.fast_retransmit_due(node) {
            return self.fast_retransmit(node);
        }
        if node.slot + 1 == self.class.floor {
            return self.timeout(node);
        }
        let slot = node.slot + 1;
        let odds =
            self.split_probability(node.probability, self.model.packets.next_fate(node.last_fate));
        if odds.good > 0.0 {
            let arrived = node.arrived | bit_at(slot);
            self.visit_slot(Node { slot, last_fate: Slot::Good, arrived, probability: odds.good });
        }
        if odds.bad > 0.0 {
            self.visit_slot(Node { slot, last_fate: Slot::Bad, probability: odds.bad, ..node });
        }
    }

    /// The probability of a node shared between its two successors, or given to the likelier one.
    pub(super) fn split_probability(
        &mut self,
        probability: f64,
        odds: SlotDistribution,
    ) -> SlotDistribution {
        let (good, bad) = (probability * odds.good, probability * odds.bad);
        if good.min(bad) >= self.floor {
            return SlotDistribution { good, bad };
        }
        self.pruned_probability += good.min(bad);
        if good > bad {
            SlotDistribution { good: probability, bad: 0.0 }
        } else {
            SlotDistribution { good: 0.0, bad: probability }
        }
    }

    fn fast_retransmit_due(&self, node: Node) -> bool {
        self.model.variant != Variant::OldTahoe && node.arrived.count_ones() == self.model.dupacks
    }

    /// The window is exhausted, and the timer of `una` runs.
    fn timeout(&mut self, node: Node) {
        let outcome = self.new_outcome(node);
        self.finish_wait(outcome, self.sent_since(node, 0), node.last_fate);
    }

    /// Silence until the timer of the oldest packet of `sent` expires.
    fn finish_wait(&mut self, outcome: Outcome, sent: Fates<u32>, last: Slot) {
        let wait = self.model.timer.wait_after(sent, last);
        let (before, idle, late) = (wait.last_slot, wait.idle_slots, wait.late_probability);
        self.emit_outcome(&Outcome {
            slot_before_next_cycle: before,
            idle_slots: idle,
            late_probability: late,
            timeouts: 1,
            ..outcome
        });
    }

    fn fast_retransmit(&mut self, node: Node) {
        match self.model.variant {
            Variant::OldTahoe => unreachable!("OldTahoe has no fast retransmit"),
            Variant::Tahoe => {
                let outcome = Outcome { fast_retransmits: 1, ..self.new_outcome(node) };
                self.emit_outcome(&outcome);
            }
            Variant::Reno => self.recover(node, 1),
            Variant::NewReno => self.recover(node, u32::MAX),
            Variant::Sack => {
                let outcome = Outcome { fast_retransmits: 1, ..self.new_outcome(node) };
                self.resend_holes(node, RecoveryState::new(outcome));
            }
        }
    }

    /// Resends the holes of the window one by one, at most `resends` of them.
    fn recover(&mut self, node: Node, resends: u32) {
        let mut outcome = Outcome { fast_retransmits: 1, ..self.new_outcome(node) };
        // Offset, in packets and so in slots since slot 0, of the hole to resend next.
        let mut hole = 0;
        for good_resends in 0..resends {
            outcome.transmissions += 1;
            let odds = self
                .split_probability(outcome.probability, self.model.packets.next_fate(Slot::Good));
            if odds.bad > 0.0 {
                let air = outcome.busy_slots + self.model.packets.slots.gb;
                let failed = Outcome { probability: odds.bad, busy_slots: air, ..outcome };
                let resent = Fates { gg: good_resends, gb: 1, ..Fates::default() };
                self.recovery_timeout(failed, node, hole, resent, Slot::Bad);
            }
            if odds.good == 0.0 {
                return;
            }
            outcome.probability = odds.good;
            outcome.busy_slots += self.model.packets.slots.gg;
            outcome.delivered += 1;
            hole += next_hole(outcome.mask);
            outcome.mask = advance(outcome.mask);
            if hole > node.slot {
                return self.emit_recovered(outcome);
            }
        }
        let resent = Fates { gg: resends, ..Fates::default() };
        self.recovery_timeout(outcome, node, hole, resent, Slot::Good);
    }

    /// The timer of a hole runs since its slot, after the packets `resent`, the last one with fate
    /// `last`; the window had grown by one for each duplicate ACK and each good resend.
    pub(super) fn recovery_timeout(
        &mut self,
        outcome: Outcome,
        node: Node,
        hole: u32,
        resent: Fates<u32>,
        last: Slot,
    ) {
        let model = self.model;
        let window =
            (self.class.half_window + model.dupacks + resent.gg + resent.bg).min(model.max_window);
        let path = model.windows.path_index(CycleStart::SlowStart, window.div_ceil(2));
        let sent =
            self.sent_since(node, hole).zip(resent).map_each(|(window, resent)| window + resent);
        self.finish_wait(Outcome { path, ..outcome }, sent, last);
    }

    /// The fates of the packets of the slots from `first` on.
    fn sent_since(&self, node: Node, first: u32) -> Fates<u32> {
        let mut sent = fates_between(node.arrived, first.max(1), node.slot);
        if first == 0 {
            match self.class.slot_before_loss {
                Slot::Good => sent.gb += 1,
                Slot::Bad => sent.bb += 1,
            }
        }
        sent
    }

    /// Every hole of this window is filled: congestion avoidance continues at half the window.
    pub(super) fn emit_recovered(&mut self, outcome: Outcome) {
        let path = self.model.windows.path_index(CycleStart::Recovered, self.class.half_window);
        self.emit_outcome(&Outcome { path, ..outcome });
    }

    fn emit_outcome(&mut self, outcome: &Outcome) {
        self.stopped |= !(self.sink)(outcome);
    }

    /// The outcome if the next cycle began right after this slot, in slow start.
    fn new_outcome(&self, node: Node) -> Outcome {
        Outcome {
            probability: node.probability,
            path: self.model.windows.path_index(CycleStart::SlowStart, self.class.half_window),
            mask: self.mask | node.arrived,
            slot_before_next_cycle: match node.last_fate {
                Slot::Good => SlotDistribution { good: 1.0, bad: 0.0 },
                Slot::Bad => SlotDistribution { good: 0.0, bad: 1.0 },
            },
            busy_slots: self.model.packets.mean_slots(fates_between(node.arrived, 1, node.slot)),
            idle_slots: 0.0,
            late_probability: 0.0,
            transmissions: node.slot,
            delivered: (node.arrived & !self.mask).count_ones(),
            timeouts: 0,
            fast_retransmits: 0,
        }
    }
}

/// Fates before and fates of the slots `first` to `last`, both above 0; that of slot 0 is a loss.
fn fates_between(arrived: Mask, first: u32, last: u32) -> Fates<u32> {
    let (now, before) = (arrived << 1, arrived << 2);
    let slots: Mask = (2 << last) - (1 << first);
    Fates { bb: !now & !before, bg: now & !before, gb: !now & before, gg: now & before }
        .map_each(|pair| (pair & slots).count_ones())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::problem::Problem;
    use super::*;

    fn collect(variant: Variant, window: u32, mask: Mask, floor: f64) -> (Vec<Outcome>, f64) {
        let model = Model::new(&Problem::new(variant, 0.1, 0.4).with_window(window));
        let mut all = Vec::new();
        let class =
            Class { floor: window, half_window: window.div_ceil(2), slot_before_loss: Slot::Good };
        let cut = outcomes(&model, class, mask, floor, |outcome| {
            all.push(*outcome);
            true
        });
        (all, cut)
    }

    #[test]
    fn outcomes_are_a_distribution_with_and_without_a_floor() {
        for variant in Variant::ALL {
            for floor in [0.0, 1e-3] {
                let (all, cut) = collect(variant, 12, 0b1011_0010, floor);
                let sum: f64 = all.iter().map(|outcome| outcome.probability).sum();
                assert!((sum - 1.0).abs() < 1e-13);
                assert_eq!(cut > 0.0, floor > 0.0);
            }
        }
    }

    #[test]
    fn a_window_of_one_waits_for_its_timer() {
        let (all, _) = collect(Variant::NewReno, 1, 0, 0.0);
        assert_eq!((all.len(), all[0].busy_slots, all[0].idle_slots), (1, 0.0, 99.0));
    }

    /// Window 5, `K` = 3: the third duplicate ACK comes in slot 3, or in slot 4 after a second
    /// loss. Reno does not recover from that, `NewReno` needs another slot for it, and there is
    /// nothing to recover where the receiver already holds the packet.
    #[test]
    fn a_second_loss_is_a_hole_unless_it_is_held() {
        let recovery_ends = |variant, mask| {
            let (all, _) = collect(variant, 5, mask, 0.0);
            let recovered = all.iter().filter(|outcome| outcome.timeouts == 0);
            recovered.map(|outcome| outcome.busy_slots as u64).collect::<BTreeSet<u64>>()
        };
        assert_eq!(recovery_ends(Variant::Reno, 0), BTreeSet::from([4]));
        assert_eq!(recovery_ends(Variant::NewReno, 0), BTreeSet::from([4, 6]));
        for variant in [Variant::Reno, Variant::NewReno] {
            assert_eq!(recovery_ends(variant, 0b111), BTreeSet::from([4, 5]));
        }
    }
}
