//! Time is an integer: nanoseconds since the start of the run, in 64 bits (292 years).

use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Sub};

/// A point in simulated time, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instant(i64);

/// A length of simulated time, in nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span(i64);

impl Instant {
    /// The start of the run.
    pub const START: Instant = Instant(0);
    /// Later than any event.
    pub const NEVER: Instant = Instant(i64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Instant(nanos)
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub const fn nanos(self) -> i64 {
        self.0
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// Longer than anything.
    pub const MAX: Span = Span(i64::MAX);

    /// A span of `nanos` nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Span(nanos)
    }

    /// Length in nanoseconds.
    #[must_use]
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self * n`, or `None` past the end of time.
    #[must_use]
    pub fn checked_mul(self, n: i64) -> Option<Span> {
        self.0.checked_mul(n).map(Span)
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, span: Span) -> Instant {
        self.0.checked_add(span.0).map_or(Instant::NEVER, Instant)
    }
}

impl Sub for Instant {
    type Output = Span;
    fn sub(self, earlier: Instant) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Mul<i64> for Span {
    type Output = Span;
    fn mul(self, n: i64) -> Span {
        Span(self.0.saturating_mul(n))
    }
}
