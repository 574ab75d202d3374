//! A limit on the rate of answers to packets that may be forged [RFC 5961, section 7].

use airtcp_core::{Instant, Span};

/// Allows at most `max_answers` answers per period.
#[derive(Clone, Debug)]
pub(super) struct AnswerLimiter {
    max_answers: u32,
    period: Span,
    period_start: Instant,
    count: u32,
}

impl AnswerLimiter {
    pub(super) fn new(most: u32, period: Span) -> Self {
        AnswerLimiter { max_answers: most, period, period_start: Instant::START, count: 0 }
    }

    /// Challenge ACKs of a connection: 10 in 5 s, the values of RFC 5961.
    pub(super) fn for_challenge_acks() -> Self {
        AnswerLimiter::new(10, Span::from_nanos(5_000_000_000))
    }

    /// Counts one more answer; returns true if it may be sent.
    pub(super) fn allows_answer(&mut self, now: Instant) -> bool {
        if now >= self.period_start + self.period {
            (self.period_start, self.count) = (now, 0);
        }
        self.count += 1;
        self.count <= self.max_answers
    }
}
