//! What happens next: one entry per component, in the order of a classical event list.
//!
//! Events of one instant come in the order in which such a simulator would have scheduled them: a
//! key is (when, since, component), `since` being the instant at which the event became certain.
//! A deadline that only moves later, as retransmission timers do, costs nothing until it is reached.

use airtcp_core::Instant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When an event is due, and since when that is certain.
pub(super) type Due = (Instant, Instant);

/// Nothing to come.
pub(super) const NEVER: Due = (Instant::NEVER, Instant::NEVER);

/// The next event of every component.
pub(super) struct Agenda {
    heap: BinaryHeap<Reverse<(Due, u32)>>,
    /// What each component waits for.
    wanted: Vec<Due>,
    /// The key of its valid entry in the heap, not later than what it waits for.
    queued: Vec<Due>,
}

impl Agenda {
    /// An empty agenda for `components`.
    pub(super) fn new(components: usize) -> Self {
        Agenda {
            heap: BinaryHeap::with_capacity(2 * components),
            wanted: vec![NEVER; components],
            queued: vec![NEVER; components],
        }
    }

    /// `component` waits for `due` from now on.
    #[inline]
    pub(super) fn set(&mut self, component: usize, due: Due) {
        self.wanted[component] = due;
        if due < self.queued[component] {
            self.queued[component] = due;
            self.heap.push(Reverse((due, component as u32)));
        }
    }

    /// What `component` waits for.
    #[inline]
    pub(super) fn wanted(&self, component: usize) -> Due {
        self.wanted[component]
    }

    /// Takes out the next event: when, and whose. `None` if there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Instant, usize)> {
        while let Some(Reverse((due, component))) = self.heap.pop() {
            let component = component as usize;
            if due != self.queued[component] {
                continue;
            }
            let wanted = self.wanted[component];
            if wanted == due {
                (self.wanted[component], self.queued[component]) = (NEVER, NEVER);
                return Some((due.0, component));
            }
            self.queued[component] = wanted;
            if wanted != NEVER {
                self.heap.push(Reverse((wanted, component as u32)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(when: i64, since: i64) -> Due {
        (Instant::from_nanos(when), Instant::from_nanos(since))
    }

    fn drain(agenda: &mut Agenda) -> Vec<(i64, usize)> {
        std::iter::from_fn(|| agenda.next().map(|(t, c)| (t.nanos(), c))).collect()
    }

    #[test]
    fn events_of_one_instant_come_in_the_order_of_their_scheduling() {
        let mut agenda = Agenda::new(3);
        agenda.set(0, at(5, 4));
        agenda.set(1, at(5, 2));
        agenda.set(2, at(3, 1));
        assert_eq!(drain(&mut agenda), [(3, 2), (5, 1), (5, 0)]);
    }

    #[test]
    fn a_deadline_may_move_in_both_directions_and_vanish() {
        let mut agenda = Agenda::new(4);
        for component in 0..4 {
            agenda.set(component, at(10, 0));
        }
        agenda.set(0, at(20, 1));
        agenda.set(1, at(4, 1));
        agenda.set(2, NEVER);
        agenda.set(3, at(30, 1));
        agenda.set(3, at(12, 2));
        assert_eq!(drain(&mut agenda), [(4, 1), (12, 3), (20, 0)]);
        agenda.set(2, at(40, 9));
        assert_eq!(drain(&mut agenda), [(40, 2)]);
    }
}
