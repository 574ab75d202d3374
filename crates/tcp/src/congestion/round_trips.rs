//! Round trips as the controls that go by delay see them: the least one, and rounds of the window.

use crate::scoreboard::RateSample;
use crate::view::View;
use airtcp_core::Span;
use serde::Serialize;

/// The round trips of a connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct RoundTrips {
    base: Option<Span>,
    /// The round lasts until more than this is acknowledged.
    round_end: u64,
}

impl RoundTrips {
    /// The least round trip so far.
    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.base
    }

    /// Takes the round trip of an ACK, if it has one.
    pub(super) fn on_sample(&mut self, sample: &RateSample) {
        self.base = self.base.into_iter().chain(sample.rtt).min();
    }

    /// Returns whether the current ACK ends a round: it covers data that left after the round began. The first one
    /// does.
    pub(super) fn is_round_over(&mut self, view: &View) -> bool {
        let ends = view.una > self.round_end;
        if ends {
            self.round_end = view.next;
        }
        ends
    }

    /// After a loss the sender may have gone back: the next ACK of new data ends the round.
    pub(super) fn on_loss(&mut self, view: &View) {
        self.round_end = view.una;
    }

    /// Restarts the search for the least RTT.
    pub(super) fn forget_base(&mut self) {
        self.base = None;
    }

    /// Part of `window` that waits in queues where a round trip is `rtt`: `window (1 - BaseRTT / RTT)`, the difference of the
    /// expected and the actual rate times `BaseRTT`. Nothing while there is no least round trip.
    pub(super) fn packets_in_queue(&self, window: f64, rtt: Span) -> f64 {
        let waits = |base: Span| 1.0 - base.seconds() / rtt.seconds();
        self.base.filter(|base| *base < rtt).map_or(0.0, |base| window * waits(base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brakmo and Peterson 1995, section III-B: at a base round trip of 100 ms and segments of 1 KB a difference of 30 KB/s
    /// is three buffers. Half the rate is expected where the round trip is twice the base: half the window waits.
    #[test]
    fn the_backlog_is_the_difference_of_the_rates_times_the_base() {
        let ms = |n: i64| Span::from_nanos(n * 1_000_000);
        let trips = RoundTrips { base: Some(ms(100)), round_end: 0 };
        let (window, rtt): (f64, _) = (15.0, ms(125));
        let difference = window / 0.1 - window / 0.125;
        assert!((difference - 30.0).abs() < 1e-9);
        assert!((trips.packets_in_queue(window, rtt) - 3.0).abs() < 1e-12);
        assert_eq!(trips.packets_in_queue(window, ms(200)), 7.5);
        assert_eq!(trips.packets_in_queue(window, ms(100)), 0.0);
        assert_eq!(RoundTrips::default().packets_in_queue(window, rtt), 0.0);
    }
}
