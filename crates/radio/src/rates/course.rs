//! Rates of a link over time: sample paths of segments.

use airtcp_core::{Instant, Rate};

/// A time in which the rate is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// First instant of the segment.
    pub from: Instant,
    /// The first instant behind it.
    pub until: Instant,
    /// The rate; none: nothing is sent.
    pub rate: Option<Rate>,
}

/// A sample path of rates: segments that follow each other from the start of the run on, the last one without end.
pub trait RateCourse: std::fmt::Debug + Send {
    /// The next segment, of which there is one.
    fn next(&mut self) -> Segment;

    /// Allows the course to skip segments that are over at `now`.
    fn skip(&mut self, _now: Instant) {}
}
