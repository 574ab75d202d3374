//! The next event: one entry per hop and one per timer, in the order of a classical event list.
//!
//! Events of one instant come in the order in which such a simulator would have scheduled them; the order encoded in an
//! [`EventKey`] is defined by the [timeline](super::timeline). Among equal keys hops come before timers and lower
//! numbers before higher. The few hops change with every packet and are looked through. The timers may be many: a
//! tournament keeps the winner of every pair, so that a change costs one comparison per level. A deadline that only
//! moves later, as retransmission timers do, costs nothing until it is reached.

use airtcp_core::EventTime;

/// Time of an event and its rank among events of the same time, packed into one number that sorts the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey(u128);

impl EventKey {
    /// Key of no event: later than all others.
    pub(super) const NEVER: EventKey = EventKey(u128::MAX);

    #[inline]
    pub(super) fn new(when: u64, place: u64) -> Self {
        EventKey(u128::from(when) << 64 | u128::from(place))
    }

    #[inline]
    pub(super) fn from_event(event: EventTime) -> Self {
        EventKey(event.sort_key())
    }

    /// Time and rank of an event, from a key made by [`EventKey::from_event`].
    #[inline]
    pub(super) fn event_time(self) -> EventTime {
        EventTime { seconds: f64::from_bits(self.time_bits()), order: self.sequence() }
    }

    #[inline]
    pub(super) fn time_bits(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    pub(super) fn sequence(self) -> u64 {
        self.0 as u64
    }
}

/// Component that an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Hop(usize),
    Timer(usize),
}

/// The next event of every hop and every timer.
pub(super) struct Agenda {
    /// The first two hops: a chain of one has no others, and its two are found without looking where they are.
    pair: [EventKey; 2],
    further_hops: Vec<EventKey>,
    timers: Tournament,
}

impl Agenda {
    /// An empty agenda.
    pub(super) fn new(hops: usize, timers: usize) -> Self {
        Agenda {
            pair: [EventKey::NEVER; 2],
            further_hops: vec![EventKey::NEVER; hops.saturating_sub(2)],
            timers: Tournament::new(timers),
        }
    }

    /// Sets the due time of `hop`.
    #[inline(always)]
    pub(super) fn set_hop(&mut self, hop: usize, due: EventKey) {
        match self.pair.get_mut(hop) {
            Some(place) => *place = due,
            None => self.further_hops[hop - 2] = due,
        }
    }

    /// Key of the event that `timer` waits for.
    #[inline]
    pub(super) fn timer(&self, timer: usize) -> EventKey {
        self.timers.timers[timer].deadline
    }

    /// Sets the expiry of `timer`.
    #[inline]
    pub(super) fn set_timer(&mut self, timer: usize, due: EventKey) {
        self.timers.set(timer, due);
    }

    /// Due times of the first two hops.
    #[inline(always)]
    pub(super) fn first_two_hops(&self) -> [EventKey; 2] {
        self.pair
    }

    /// Returns whether a timer may expire before `limit`.
    #[inline(always)]
    pub(super) fn has_timer_before(&self, limit: EventKey) -> bool {
        self.timers.first < limit
    }

    /// Stops the next timer if it expires before `limit`, and returns its time and number.
    pub(super) fn take_timer_before(&mut self, limit: EventKey) -> Option<(EventKey, usize)> {
        self.timers.take_before(limit)
    }

    /// The next event if it is due before `limit`: its time and its component. A timer is stopped by this; a hop stays
    /// on the agenda until it is set again.
    #[inline(always)]
    pub(super) fn next(&mut self, limit: EventKey) -> Option<(EventKey, Component)> {
        let (first, hop) = self.next_hop();
        if self.has_timer_before(first)
            && let Some((due, timer)) = self.timers.take_before(first.min(limit))
        {
            return Some((due, Component::Timer(timer)));
        }
        (first < limit).then_some((first, Component::Hop(hop)))
    }

    /// Due time of the next event; [`EventKey::NEVER`] if there is none.
    pub(super) fn next_due(&mut self) -> EventKey {
        let (first, _) = self.next_hop();
        self.timers.first_before(first).map_or(first, |(due, _)| due)
    }

    #[inline(always)]
    fn next_hop(&self) -> (EventKey, usize) {
        let [a, b] = self.pair;
        let known = if b < a { (b, 1) } else { (a, 0) };
        if self.further_hops.is_empty() { known } else { earliest_hop(known, &self.further_hops) }
    }
}

/// The first of `known`, a key and its place, and of the keys of the hops after the first two. They are searched one by one, for
/// those branches are predicted: a minimum taken by value would be waited for.
#[inline(always)]
fn earliest_hop(known: (EventKey, usize), keys: &[EventKey]) -> (EventKey, usize) {
    match keys {
        // A chain of two hops.
        [third, fourth] if *third < known.0 => earlier_hop((*third, 2), (*fourth, 3)),
        [_, fourth] => earlier_hop(known, (*fourth, 3)),
        _ => earliest_hop_of_many(known, keys),
    }
}

/// The earlier of two hops; the first one exists for certain.
#[inline(always)]
fn earlier_hop(known: (EventKey, usize), other: (EventKey, usize)) -> (EventKey, usize) {
    if other.0 < known.0 { other } else { known }
}

#[inline]
fn earliest_hop_of_many(known: (EventKey, usize), keys: &[EventKey]) -> (EventKey, usize) {
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
    first: EventKey,
    timers: Vec<Timer>,
}

/// A timer.
#[derive(Clone, Copy)]
struct Timer {
    /// Its key in the tournament, not later than the event for which it waits.
    key: EventKey,
    /// Key of the event that it waits for.
    deadline: EventKey,
}

impl Tournament {
    fn new(timers: usize) -> Self {
        let leaves = timers.next_power_of_two().max(2);
        let mut this = Tournament {
            winners: vec![0; leaves],
            first: EventKey::NEVER,
            timers: vec![Timer { key: EventKey::NEVER, deadline: EventKey::NEVER }; leaves],
        };
        for timer in (0..leaves).step_by(2) {
            this.replay_matches(timer);
        }
        this
    }

    #[inline]
    fn set(&mut self, timer: usize, due: EventKey) {
        let entry = &mut self.timers[timer];
        entry.deadline = due;
        if due < entry.key {
            self.insert(timer, due);
        }
    }

    /// Takes out the first timer if it expires before `limit`.
    #[cold]
    fn take_before(&mut self, limit: EventKey) -> Option<(EventKey, usize)> {
        let (due, timer) = self.first_before(limit)?;
        self.timers[timer].deadline = EventKey::NEVER;
        self.insert(timer, EventKey::NEVER);
        Some((due, timer))
    }

    /// The first timer if it expires before `limit`. Timers whose deadline has moved behind `limit` stay where they
    /// are.
    #[cold]
    fn first_before(&mut self, limit: EventKey) -> Option<(EventKey, usize)> {
        loop {
            let timer = self.winners[1] as usize;
            let Timer { key, deadline: wanted } = self.timers[timer];
            if key >= limit {
                return None;
            }
            if key == wanted {
                return Some((key, timer));
            }
            self.insert(timer, wanted);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, timer: usize, key: EventKey) {
        self.timers[timer].key = key;
        self.replay_matches(timer);
    }

    /// Plays the matches on the way from `timer` to the root.
    fn replay_matches(&mut self, timer: usize) {
        let pair = timer & !1;
        let mut winner = pair | usize::from(self.timers[pair | 1].key < self.timers[pair].key);
        let mut node = (self.winners.len() + timer) / 2;
        self.winners[node] = winner as u32;
        while node > 1 {
            let other = self.winners[node ^ 1] as usize;
            let (left, right) =
                if node.is_multiple_of(2) { (winner, other) } else { (other, winner) };
            winner = if self.timers[right].key < self.timers[left].key { right } else { left };
            node /= 2;
            self.winners[node] = winner as u32;
        }
        self.first = self.timers[winner].key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(agenda: &mut Agenda) -> Vec<(u64, Component)> {
        let next = || {
            let first = agenda.next_due();
            let (due, what) = agenda.next(EventKey::NEVER)?;
            assert_eq!(first, due);
            if let Component::Hop(hop) = what {
                agenda.set_hop(hop, EventKey::NEVER);
            }
            Some((due.time_bits(), what))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn events_of_one_instant_come_in_the_order_of_their_scheduling() {
        use Component::{Hop, Timer};
        let mut agenda = Agenda::new(3, 2);
        agenda.set_hop(0, EventKey::new(5, 4));
        agenda.set_hop(1, EventKey::new(3, 1));
        agenda.set_hop(2, EventKey::new(5, 4));
        agenda.set_timer(0, EventKey::new(5, 4));
        agenda.set_timer(1, EventKey::new(5, 2));
        let expected = [(3, Hop(1)), (5, Timer(1)), (5, Hop(0)), (5, Hop(2)), (5, Timer(0))];
        assert_eq!(drain(&mut agenda), expected);
    }

    #[test]
    fn a_deadline_may_move_in_both_directions_and_vanish() {
        use Component::Timer;
        let mut agenda = Agenda::new(1, 4);
        for timer in 0..4 {
            agenda.set_timer(timer, EventKey::new(10, 0));
        }
        agenda.set_timer(0, EventKey::new(20, 1));
        agenda.set_timer(1, EventKey::new(4, 1));
        agenda.set_timer(2, EventKey::NEVER);
        agenda.set_timer(3, EventKey::new(30, 1));
        agenda.set_timer(3, EventKey::new(12, 2));
        assert_eq!(drain(&mut agenda), [(4, Timer(1)), (12, Timer(3)), (20, Timer(0))]);
        agenda.set_timer(2, EventKey::new(40, 9));
        assert_eq!(drain(&mut agenda), [(40, Timer(2))]);
    }

    #[test]
    fn the_earliest_timer_wins_whatever_came_before() {
        let mut agenda = Agenda::new(1, 13);
        let (mut state, mut model) = (1_u64, vec![EventKey::NEVER; 13]);
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let timer = (state >> 33) as usize % 13;
            let due = EventKey::new((state >> 40) % 50, (state >> 50) % 3);
            agenda.timers.set(timer, due);
            model[timer] = due;
            if state >> 62 == 0 {
                let first = (0..13).min_by_key(|&t| (model[t], t)).unwrap();
                let due = model[first];
                assert_eq!(agenda.next(due), None, "not before it is due");
                assert_eq!(agenda.next(EventKey::NEVER), Some((due, Component::Timer(first))));
                model[first] = EventKey::NEVER;
            }
        }
    }
}
