//! Negative acknowledgements on their way to the sender. The receiver knows of every fragment that was
//! sent, and sends one for each that is lost; it repeats those that are lost themselves.

use super::config::ArqConfig;
use airtcp_core::{Instant, Span, Stream};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A part of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fragment {
    /// Serial number of the packet.
    pub(super) packet: u64,
    /// Bits of the packet that it carries.
    pub(super) bits: u64,
    /// Number of times that it was sent.
    pub(super) attempts: u32,
}

/// Fragments whose losses the sender is going to learn of.
#[derive(Debug)]
pub(super) struct Feedback {
    delay: Span,
    /// `1 / ln(loss)`; none: no NAK is lost.
    inverse_log_loss: Option<f64>,
    stream: Stream,
    /// NAKs under way, ordered by arrival, and within an instant by transmission.
    under_way: BinaryHeap<Reverse<(Instant, u64, Fragment)>>,
    nak_count: u64,
}

impl Feedback {
    pub(super) fn new(config: &ArqConfig) -> Self {
        let loss = config.feedback_loss;
        Feedback {
            delay: config.feedback_delay,
            inverse_log_loss: (loss > 0.0).then(|| 1.0 / libm::log(loss)),
            stream: config.feedback.clone(),
            under_way: BinaryHeap::new(),
            nak_count: 0,
        }
    }

    /// `fragment` was lost: its transmission took `airtime` and ended at `end`.
    pub(super) fn record_loss(&mut self, end: Instant, airtime: Span, fragment: Fragment) {
        let repeats = (self.delay + airtime) * self.draw_lost_naks();
        self.nak_count += 1;
        self.under_way.push(Reverse((end + self.delay + repeats, self.nak_count, fragment)));
    }

    /// NAKs lost before the one that arrives: geometric, by inversion.
    fn draw_lost_naks(&mut self) -> i64 {
        let Some(inverse_log_loss) = self.inverse_log_loss else { return 0 };
        (libm::log1p(-self.stream.uniform()) * inverse_log_loss) as i64
    }

    /// Number of those under way.
    pub(super) fn len(&self) -> usize {
        self.under_way.len()
    }

    /// Arrival of the next NAK; [`Instant::NEVER`] if none is under way.
    pub(super) fn next(&self) -> Instant {
        self.under_way.peek().map_or(Instant::NEVER, |Reverse((at, _, _))| *at)
    }

    /// The next one that has arrived by `now`.
    pub(super) fn take(&mut self, now: Instant) -> Option<Fragment> {
        if self.next() > now {
            return None;
        }
        self.under_way.pop().map(|Reverse((_, _, fragment))| fragment)
    }

    /// The link went down: none arrives.
    pub(super) fn lose_all(&mut self) {
        self.under_way.clear();
    }
}
