//! The delays of LEDBAT [RFC 6817 2.4.2, 3.1.1]: the current one is the least of the last few round trips, the base the
//! least of the last ten minutes.

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Round trips of the current delay (`CURRENT_FILTER`).
const CURRENT_SAMPLES: usize = 4;
/// Minutes of the base delay (`BASE_HISTORY`).
const BASE_MINUTES: usize = 10;
const MINUTE: i64 = 60_000_000_000;

/// The last round trips, and the least of every minute.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct DelayHistory {
    current: [Option<Span>; CURRENT_SAMPLES],
    /// Place of the next entry.
    next_entry: usize,
    minutes: [Option<Span>; BASE_MINUTES],
    /// The current minute, counted from the start.
    minute: i64,
}

impl DelayHistory {
    pub(super) fn on_sample(&mut self, now: Instant, rtt: Span) {
        self.current[self.next_entry] = Some(rtt);
        self.next_entry = (self.next_entry + 1) % CURRENT_SAMPLES;
        self.start_minute(now.nanos() / MINUTE);
        let least = &mut self.minutes[0];
        *least = Some(least.map_or(rtt, |least| least.min(rtt)));
    }

    /// The least round trip of the last ten minutes.
    pub(super) fn base(&self) -> Option<Span> {
        self.minutes.iter().flatten().min().copied()
    }

    /// The queueing delay; none before the first sample.
    pub(super) fn queueing(&self) -> Span {
        let current = self.current.iter().flatten().min().copied();
        current
            .zip(self.base())
            .map_or(Span::ZERO, |(current, base)| Span::from_nanos(current.nanos() - base.nanos()))
    }

    /// Minutes that are over move on; those before the last ten are forgotten.
    fn start_minute(&mut self, minute: i64) {
        let over =
            (minute - std::mem::replace(&mut self.minute, minute)).clamp(0, BASE_MINUTES as i64);
        for _ in 0..over {
            self.minutes.rotate_right(1);
            self.minutes[0] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_is_the_least_of_four_less_the_least_of_ten_minutes() {
        let ms = |n: i64| Span::from_nanos(n * 1_000_000);
        let at = |seconds: i64| Instant::from_nanos(seconds * 1_000_000_000);
        let mut delays = DelayHistory::default();
        assert_eq!((delays.base(), delays.queueing()), (None, Span::ZERO));
        for rtt in [50, 80, 95, 90, 85] {
            delays.on_sample(at(1), ms(rtt));
        }
        assert_eq!((delays.base(), delays.queueing()), (Some(ms(50)), ms(30)));
        delays.on_sample(at(599), ms(90));
        assert_eq!(delays.base(), Some(ms(50)));
        delays.on_sample(at(600), ms(95));
        assert_eq!(delays.base(), Some(ms(90)));
        for _ in 0..4 {
            delays.on_sample(at(601), ms(100));
        }
        assert_eq!(delays.queueing(), ms(10));
    }
}
