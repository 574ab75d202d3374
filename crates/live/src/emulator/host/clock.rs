//! The only clock of the project.

use airtcp_core::Instant;

/// Nanoseconds since it was made, by the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(std::time::Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a driver in real time reads a real clock")]
    pub(super) fn new() -> Self {
        Clock(std::time::Instant::now())
    }

    pub(super) fn now(self) -> Instant {
        Instant::from_nanos(i64::try_from(self.0.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }
}
