//! Time as a simulator with a list of events keeps it: a double, and the order of scheduling.

use crate::{Instant, Span};
use std::cmp::Ordering;

/// The place of an event in the list of ns: its time in seconds and, among events at equal doubles, how many had
/// been scheduled before it.
#[derive(Clone, Copy, Debug)]
pub struct EventTime {
    /// When it happens.
    pub seconds: f64,
    /// Number of events that had been scheduled before it.
    pub order: u64,
}

impl EventTime {
    /// Later than any event.
    pub const NEVER: EventTime = EventTime { seconds: f64::INFINITY, order: u64::MAX };

    /// The event at `instant` that was scheduled before the run began.
    #[must_use]
    pub fn scheduled_before_run(instant: Instant) -> Self {
        EventTime { seconds: seconds(instant), order: 0 }
    }

    /// Key that sorts like the event time: non-negative doubles sort like their bits.
    #[inline]
    #[must_use]
    pub fn sort_key(self) -> u128 {
        u128::from(self.seconds.to_bits()) << 64 | u128::from(self.order)
    }

    /// The nearest nanosecond.
    #[inline]
    #[must_use]
    pub fn instant(self) -> Instant {
        instant(self.seconds)
    }
}

impl PartialEq for EventTime {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.sort_key() == other.sort_key()
    }
}

impl PartialOrd for EventTime {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.sort_key().cmp(&other.sort_key()))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.sort_key() < other.sort_key()
    }
}

/// The nanosecond nearest to `seconds`, which is not negative; the end of time beyond. After 52 days it may be one off:
/// doubles are then a nanosecond apart.
#[inline]
fn instant(seconds: f64) -> Instant {
    Instant::from_nanos((seconds * 1e9 + 0.5) as i64)
}

/// An instant in seconds; infinity for the end of time.
fn seconds(instant: Instant) -> f64 {
    if instant == Instant::NEVER {
        f64::INFINITY
    } else {
        Span::from_nanos(instant.nanos()).seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_doubles_are_told_apart_by_their_order() {
        let at = |seconds, order| EventTime { seconds, order };
        assert!(at(0.1 + 0.2, 0) > at(0.3, 9), "one place apart");
        assert!(at(0.3, 1) < at(0.3, 2));
        assert!(at(1e300, 5) < EventTime::NEVER);
        assert_eq!(EventTime::scheduled_before_run(Instant::from_nanos(300_000_000)), at(0.3, 0));
    }

    #[test]
    fn instants_come_back() {
        for nanos in [0, 1, 300_000_000, 86_399_999_999_999] {
            let whole = Instant::from_nanos(nanos);
            assert_eq!(instant(seconds(whole)), whole);
        }
        assert_eq!(instant(seconds(Instant::NEVER)), Instant::NEVER);
    }
}
