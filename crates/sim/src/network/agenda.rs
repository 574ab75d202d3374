//! What happens next: one entry per component, in the order of a classical event list.
//!
//! Events of one instant come in the order in which such a simulator would have scheduled them: a
//! key is (when, since), `since` being the instant at which the event became certain; among equal keys
//! the lower component comes first. A tournament keeps the winner of every pair of components, so that
//! a change costs one comparison per level and the next event is the root's. A deadline that only moves
//! later, as retransmission timers do, costs nothing until it is reached.

use airtcp_core::Instant;

/// When an event is due, and since when that is certain.
pub(super) type Due = (Instant, Instant);

/// Nothing to come.
pub(super) const NEVER: Due = (Instant::NEVER, Instant::NEVER);

/// A due time as one number of the same order: instants are never negative.
type Key = u128;

fn key((when, since): Due) -> Key {
    Key::from(when.nanos().cast_unsigned()) << 64 | Key::from(since.nanos().cast_unsigned())
}

/// The next event of every component.
pub(super) struct Agenda {
    /// Winner of each match: the root at 1, the children of `i` at `2i` and `2i + 1`; leaves are not
    /// stored.
    winners: Vec<u32>,
    /// By component: the key it stands in the tournament with, not later than what it waits for.
    keys: Vec<Key>,
    /// What each component waits for.
    wanted: Vec<Due>,
    leaves: usize,
}

impl Agenda {
    /// An empty agenda for `components`.
    pub(super) fn new(components: usize) -> Self {
        let leaves = components.next_power_of_two().max(2);
        let mut this = Agenda {
            winners: vec![0; leaves],
            keys: vec![key(NEVER); leaves],
            wanted: vec![NEVER; leaves],
            leaves,
        };
        for component in (0..leaves).step_by(2) {
            this.replay(component);
        }
        this
    }

    /// `component` waits for `due` from now on.
    #[inline]
    pub(super) fn set(&mut self, component: usize, due: Due) {
        self.wanted[component] = due;
        if key(due) < self.keys[component] {
            self.enter(component, key(due));
        }
    }

    /// What `component` waits for.
    #[inline]
    pub(super) fn wanted(&self, component: usize) -> Due {
        self.wanted[component]
    }

    /// Takes out the next event: when, and whose; `None` if there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Instant, usize)> {
        loop {
            let component = self.winners[1] as usize;
            let wanted = self.wanted[component];
            if self.keys[component] == key(wanted) {
                if wanted == NEVER {
                    return None;
                }
                self.wanted[component] = NEVER;
                return Some((wanted.0, component));
            }
            self.enter(component, key(wanted));
        }
    }

    #[inline]
    fn enter(&mut self, component: usize, key: Key) {
        self.keys[component] = key;
        self.replay(component);
    }

    /// Plays the matches on the way from `component` to the root.
    #[inline]
    fn replay(&mut self, component: usize) {
        let pair = component & !1;
        let mut winner = pair | usize::from(self.keys[pair | 1] < self.keys[pair]);
        let mut node = (self.leaves + component) / 2;
        self.winners[node] = winner as u32;
        while node > 1 {
            let other = self.winners[node ^ 1] as usize;
            let (left, right) =
                if node.is_multiple_of(2) { (winner, other) } else { (other, winner) };
            winner = if self.keys[right] < self.keys[left] { right } else { left };
            node /= 2;
            self.winners[node] = winner as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(when: i64, since: i64) -> Due {
        (Instant::from_nanos(when), Instant::from_nanos(since))
    }

    fn drain(agenda: &mut Agenda) -> Vec<(i64, usize)> {
        std::iter::from_fn(|| agenda.next().map(|(when, c)| (when.nanos(), c))).collect()
    }

    #[test]
    fn events_of_one_instant_come_in_the_order_of_their_scheduling() {
        let mut agenda = Agenda::new(4);
        agenda.set(0, at(5, 4));
        agenda.set(1, at(5, 2));
        agenda.set(2, at(3, 1));
        agenda.set(3, at(5, 4));
        assert_eq!(drain(&mut agenda), [(3, 2), (5, 1), (5, 0), (5, 3)]);
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

    #[test]
    fn the_earliest_wins_whatever_came_before() {
        let mut agenda = Agenda::new(13);
        let (mut state, mut model) = (1_u64, vec![NEVER; 13]);
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let component = (state >> 33) as usize % 13;
            let due = at((state >> 40) as i64 % 50, (state >> 50) as i64 % 3);
            agenda.set(component, due);
            model[component] = due;
            if state >> 62 == 0 {
                let first = (0..13).min_by_key(|&c| (model[c], c)).unwrap();
                assert_eq!(agenda.next(), Some((model[first].0, first)));
                model[first] = NEVER;
            }
        }
    }
}
