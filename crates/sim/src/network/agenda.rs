//! What happens next: one entry per hop and one per timer, in the order of a classical event list.
//!
//! Events of one instant come in the order in which such a simulator would have scheduled them: a
//! key is (when, since), `since` being the instant at which the event became certain; among equal keys
//! hops come before timers and lower numbers before higher. The few hops change with every packet
//! and are looked through. The timers may be many: a tournament keeps the winner of every pair, so that
//! a change costs one comparison per level. A deadline that only moves later, as retransmission timers
//! do, costs nothing until it is reached.

use airtcp_core::Instant;

/// When an event is due, and since when that is certain.
pub(super) type Due = (Instant, Instant);

/// Nothing to come.
pub(super) const NEVER: Due = (Instant::NEVER, Instant::NEVER);

/// A due time as one number of the same order: instants are never negative.
type Key = u128;

#[inline]
fn key((when, since): Due) -> Key {
    Key::from(when.nanos().cast_unsigned()) << 64 | Key::from(since.nanos().cast_unsigned())
}

/// What an event is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Hop(usize),
    Timer(usize),
}

/// The next event of every hop and every timer.
pub(super) struct Agenda {
    hops: Vec<Key>,
    timers: Tournament,
}

impl Agenda {
    /// An empty agenda.
    pub(super) fn new(hops: usize, timers: usize) -> Self {
        Agenda { hops: vec![key(NEVER); hops], timers: Tournament::new(timers) }
    }

    /// The next event of `hop` is due then.
    #[inline]
    pub(super) fn set_hop(&mut self, hop: usize, due: Due) {
        self.hops[hop] = key(due);
    }

    /// `timer` expires then. One that keeps its deadline keeps its place.
    #[inline]
    pub(super) fn set_timer(&mut self, timer: usize, now: Instant, expiry: Instant) {
        if expiry != self.timers.wanted[timer].0 {
            let since = if expiry == Instant::NEVER { Instant::NEVER } else { now };
            self.timers.set(timer, (expiry, since));
        }
    }

    /// The next event: when, and of what; at [`Instant::NEVER`] if there is none. A timer is thereby
    /// stopped; a hop stays until it is set.
    #[inline(always)]
    pub(super) fn next(&mut self) -> (Instant, Component) {
        // A search by place: its branches are predicted, a minimum taken by value would be waited for.
        let mut hop = 0;
        while let Some(n) = self.hops[hop + 1..].iter().position(|key| *key < self.hops[hop]) {
            hop += 1 + n;
        }
        let first = self.hops[hop];
        if self.timers.first < first
            && let Some((when, timer)) = self.timers.take_before(first)
        {
            return (when, Component::Timer(timer));
        }
        (instant(first), Component::Hop(hop))
    }
}

/// When the event of a key is due.
#[inline]
fn instant(key: Key) -> Instant {
    Instant::from_nanos(((key >> 64) as u64).cast_signed())
}

/// A tournament of timers.
struct Tournament {
    /// Winner of each match: the root at 1, the children of `i` at `2i` and `2i + 1`; leaves are not
    /// stored.
    winners: Vec<u32>,
    /// The key of the winner.
    first: Key,
    /// By timer: the key it stands in the tournament with, not later than what it waits for.
    keys: Vec<Key>,
    /// What each timer waits for.
    wanted: Vec<Due>,
}

impl Tournament {
    fn new(timers: usize) -> Self {
        let leaves = timers.next_power_of_two().max(2);
        let mut this = Tournament {
            winners: vec![0; leaves],
            first: key(NEVER),
            keys: vec![key(NEVER); leaves],
            wanted: vec![NEVER; leaves],
        };
        for timer in (0..leaves).step_by(2) {
            this.replay(timer);
        }
        this
    }

    #[inline]
    fn set(&mut self, timer: usize, due: Due) {
        self.wanted[timer] = due;
        if key(due) < self.keys[timer] {
            self.enter(timer, key(due));
        }
    }

    /// Takes out the first timer if it expires before `limit`.
    #[cold]
    fn take_before(&mut self, limit: Key) -> Option<(Instant, usize)> {
        loop {
            let timer = self.winners[1] as usize;
            if self.keys[timer] >= limit {
                return None;
            }
            let wanted = self.wanted[timer];
            if self.keys[timer] == key(wanted) {
                self.wanted[timer] = NEVER;
                self.enter(timer, key(NEVER));
                return Some((wanted.0, timer));
            }
            self.enter(timer, key(wanted));
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

    fn at(nanos: i64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn drain(agenda: &mut Agenda) -> Vec<(i64, Component)> {
        let next = || {
            let (when, what) = agenda.next();
            if let Component::Hop(hop) = what {
                agenda.set_hop(hop, NEVER);
            }
            (when < Instant::NEVER).then_some((when.nanos(), what))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn events_of_one_instant_come_in_the_order_of_their_scheduling() {
        use Component::{Hop, Timer};
        let mut agenda = Agenda::new(3, 2);
        agenda.set_hop(0, (at(5), at(4)));
        agenda.set_hop(1, (at(3), at(1)));
        agenda.set_hop(2, (at(5), at(4)));
        agenda.set_timer(0, at(4), at(5));
        agenda.set_timer(1, at(2), at(5));
        let expected = [(3, Hop(1)), (5, Timer(1)), (5, Hop(0)), (5, Hop(2)), (5, Timer(0))];
        assert_eq!(drain(&mut agenda), expected);
    }

    #[test]
    fn a_deadline_may_move_in_both_directions_and_vanish() {
        use Component::Timer;
        let mut agenda = Agenda::new(1, 4);
        for timer in 0..4 {
            agenda.set_timer(timer, at(0), at(10));
        }
        agenda.set_timer(0, at(1), at(20));
        agenda.set_timer(1, at(1), at(4));
        agenda.set_timer(2, at(1), Instant::NEVER);
        agenda.set_timer(3, at(1), at(30));
        agenda.set_timer(3, at(2), at(12));
        assert_eq!(drain(&mut agenda), [(4, Timer(1)), (12, Timer(3)), (20, Timer(0))]);
        agenda.set_timer(2, at(9), at(40));
        assert_eq!(drain(&mut agenda), [(40, Timer(2))]);
    }

    #[test]
    fn the_earliest_timer_wins_whatever_came_before() {
        let mut agenda = Agenda::new(1, 13);
        let (mut state, mut model) = (1_u64, vec![NEVER; 13]);
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let timer = (state >> 33) as usize % 13;
            let due = (at((state >> 40) as i64 % 50), at((state >> 50) as i64 % 3));
            agenda.timers.set(timer, due);
            model[timer] = due;
            if state >> 62 == 0 {
                let first = (0..13).min_by_key(|&t| (model[t], t)).unwrap();
                assert_eq!(agenda.next(), (model[first].0, Component::Timer(first)));
                model[first] = NEVER;
            }
        }
    }
}
