//! The next event: one entry per hop and one per timer, in the order of a classical event list.
//!
//! Events of one instant come in the order in which such a simulator would have scheduled them; what a
//! [`Key`] says of that is the business of the [timeline](super::timeline). Among equal keys
//! hops come before timers and lower numbers before higher. The few hops change with every packet
//! and are looked through. The timers may be many: a tournament keeps the winner of every pair, so that
//! a change costs one comparison per level. A deadline that only moves later, as retransmission timers
//! do, costs nothing until it is reached.

use airtcp_core::EventTime;

/// Time of an event, and its place among those of the same time, as one number of the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u128);

impl Key {
    /// Nothing to come.
    pub(super) const NEVER: Key = Key(u128::MAX);

    #[inline]
    pub(super) fn new(when: u64, place: u64) -> Self {
        Key(u128::from(when) << 64 | u128::from(place))
    }

    #[inline]
    pub(super) fn of(event: EventTime) -> Self {
        Key(event.key())
    }

    /// The event's time and order, of those that [`Key::of`] gave a key.
    #[inline]
    pub(super) fn event(self) -> EventTime {
        EventTime { seconds: f64::from_bits(self.when()), order: self.place() }
    }

    #[inline]
    pub(super) fn when(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    pub(super) fn place(self) -> u64 {
        self.0 as u64
    }
}

/// Component that an event is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Hop(usize),
    Timer(usize),
}

/// The next event of every hop and every timer.
pub(super) struct Agenda {
    /// The first two hops: a chain of one has no others, and its two are found without looking where they are.
    pair: [Key; 2],
    others: Vec<Key>,
    timers: Tournament,
}

impl Agenda {
    /// An empty agenda.
    pub(super) fn new(hops: usize, timers: usize) -> Self {
        Agenda {
            pair: [Key::NEVER; 2],
            others: vec![Key::NEVER; hops.saturating_sub(2)],
            timers: Tournament::new(timers),
        }
    }

    /// The next event of `hop` is due then.
    #[inline]
    pub(super) fn set_hop(&mut self, hop: usize, due: Key) {
        match self.pair.get_mut(hop) {
            Some(place) => *place = due,
            None => self.others[hop - 2] = due,
        }
    }

    /// Key of the event that `timer` waits for.
    #[inline]
    pub(super) fn timer(&self, timer: usize) -> Key {
        self.timers.wanted[timer]
    }

    /// `timer` expires then.
    #[inline]
    pub(super) fn set_timer(&mut self, timer: usize, due: Key) {
        self.timers.set(timer, due);
    }

    /// The next event: when, and of what; [`Key::NEVER`] if there is none. A timer is thereby
    /// stopped; a hop stays until it is set.
    #[inline(always)]
    pub(super) fn next(&mut self) -> (Key, Component) {
        let [a, b] = self.pair;
        let (mut first, mut hop) = if b < a { (b, 1) } else { (a, 0) };
        if !self.others.is_empty() {
            (first, hop) = earliest((first, hop), &self.others);
        }
        if self.timers.first < first
            && let Some((due, timer)) = self.timers.take_before(first)
        {
            return (due, Component::Timer(timer));
        }
        (first, Component::Hop(hop))
    }
}

/// The first of `known`, a key and its place, and of the keys of the hops after the first two. They are searched, for those
/// branches are predicted: a minimum taken by value would be waited for.
#[inline(always)]
fn earliest(known: (Key, usize), keys: &[Key]) -> (Key, usize) {
    let (mut first, mut place) = known;
    let mut others = keys.iter().enumerate();
    while let Some((earlier, key)) = others.find(|(_, key)| **key < first) {
        (first, place) = (*key, earlier + 2);
    }
    (first, place)
}

/// A tournament of timers.
struct Tournament {
    /// Winner of each match: the root at 1, the children of `i` at `2i` and `2i + 1`; leaves are not
    /// stored.
    winners: Vec<u32>,
    /// The key of the winner.
    first: Key,
    /// Key of each timer in the tournament, not later than the event for which the timer waits.
    keys: Vec<Key>,
    /// Key of the event that each timer waits for.
    wanted: Vec<Key>,
}

impl Tournament {
    fn new(timers: usize) -> Self {
        let leaves = timers.next_power_of_two().max(2);
        let mut this = Tournament {
            winners: vec![0; leaves],
            first: Key::NEVER,
            keys: vec![Key::NEVER; leaves],
            wanted: vec![Key::NEVER; leaves],
        };
        for timer in (0..leaves).step_by(2) {
            this.replay(timer);
        }
        this
    }

    #[inline]
    fn set(&mut self, timer: usize, due: Key) {
        self.wanted[timer] = due;
        if due < self.keys[timer] {
            self.enter(timer, due);
        }
    }

    /// Takes out the first timer if it expires before `limit`.
    #[cold]
    fn take_before(&mut self, limit: Key) -> Option<(Key, usize)> {
        loop {
            let timer = self.winners[1] as usize;
            if self.keys[timer] >= limit {
                return None;
            }
            let wanted = self.wanted[timer];
            if self.keys[timer] == wanted {
                self.wanted[timer] = Key::NEVER;
                self.enter(timer, Key::NEVER);
                return Some((wanted, timer));
            }
            self.enter(timer, wanted);
        }
    }

    fn enter(&mut self, timer: usize, key: Key) {
        self.keys[timer] = key;
        self.replay(timer);
    }

    /// Plays the matches on the way from `timer` to the root.
    fn replay(&mut self, timer: usize) {
        let pair = timer & !1;
        let mut winner = pair | usize::from(self.keys[pair | 1] < self.keys[pair]);
        let mut node = (self.winners.len() + timer) / 2;
        self.winners[node] = winner as u32;
        while node > 1 {
            let other = self.winners[node ^ 1] as usize;
            let (left, right) =
                if node.is_multiple_of(2) { (winner, other) } else { (other, winner) };
            winner = if self.keys[right] < self.keys[left] { right } else { left };
            node /= 2;
            self.winners[node] = winner as u32;
        }
        self.first = self.keys[winner];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(agenda: &mut Agenda) -> Vec<(u64, Component)> {
        let next = || {
            let (due, what) = agenda.next();
            if let Component::Hop(hop) = what {
                agenda.set_hop(hop, Key::NEVER);
            }
            (due < Key::NEVER).then_some((due.when(), what))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn events_of_one_instant_come_in_the_order_of_their_scheduling() {
        use Component::{Hop, Timer};
        let mut agenda = Agenda::new(3, 2);
        agenda.set_hop(0, Key::new(5, 4));
        agenda.set_hop(1, Key::new(3, 1));
        agenda.set_hop(2, Key::new(5, 4));
        agenda.set_timer(0, Key::new(5, 4));
        agenda.set_timer(1, Key::new(5, 2));
        let expected = [(3, Hop(1)), (5, Timer(1)), (5, Hop(0)), (5, Hop(2)), (5, Timer(0))];
        assert_eq!(drain(&mut agenda), expected);
    }

    #[test]
    fn a_deadline_may_move_in_both_directions_and_vanish() {
        use Component::Timer;
        let mut agenda = Agenda::new(1, 4);
        for timer in 0..4 {
            agenda.set_timer(timer, Key::new(10, 0));
        }
        agenda.set_timer(0, Key::new(20, 1));
        agenda.set_timer(1, Key::new(4, 1));
        agenda.set_timer(2, Key::NEVER);
        agenda.set_timer(3, Key::new(30, 1));
        agenda.set_timer(3, Key::new(12, 2));
        assert_eq!(drain(&mut agenda), [(4, Timer(1)), (12, Timer(3)), (20, Timer(0))]);
        agenda.set_timer(2, Key::new(40, 9));
        assert_eq!(drain(&mut agenda), [(40, Timer(2))]);
    }

    #[test]
    fn the_earliest_timer_wins_whatever_came_before() {
        let mut agenda = Agenda::new(1, 13);
        let (mut state, mut model) = (1_u64, vec![Key::NEVER; 13]);
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let timer = (state >> 33) as usize % 13;
            let due = Key::new((state >> 40) % 50, (state >> 50) % 3);
            agenda.timers.set(timer, due);
            model[timer] = due;
            if state >> 62 == 0 {
                let first = (0..13).min_by_key(|&t| (model[t], t)).unwrap();
                assert_eq!(agenda.next(), (model[first], Component::Timer(first)));
                model[first] = Key::NEVER;
            }
        }
    }
}
