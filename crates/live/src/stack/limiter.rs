//! A limit on the rate of answers to packets that may be forged [RFC 5961, section 7].

use airtcp_core::{Instant, Span};

/// Allows at most `most` answers per period.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    most: u32,
    period: Span,
    since: Instant,
    count: u32,
}

impl Limiter {
    pub(super) fn new(most: u32, period: Span) -> Self {
        Limiter { most, period, since: Instant::START, count: 0 }
    }

    /// Challenge ACKs of a connection: 10 in 5 s, the values of RFC 5961.
    pub(super) fn challenges() -> Self {
        Limiter::new(10, Span::from_nanos(5_000_000_000))
    }

    /// Counts one more answer; returns true if it may be sent.
    pub(super) fn allow(&mut self, now: Instant) -> bool {
        if now >= self.since + self.period {
            (self.since, self.count) = (now, 0);
        }
        self.count += 1;
        self.count <= self.most
    }
}
