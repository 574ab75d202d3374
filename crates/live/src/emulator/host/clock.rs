//! The only clock of the project.

use airtcp_core::Instant;
use nix::time::{ClockId, clock_gettime};

/// A clock that gives the nanoseconds since its creation, by CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    origin: i64,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock { origin: monotonic() }
    }

    /// The reading of CLOCK_MONOTONIC when this clock was made.
    pub(super) fn origin(self) -> i64 {
        self.origin
    }

    pub(super) fn now(self) -> Instant {
        Instant::from_nanos(monotonic() - self.origin)
    }
}

/// Reads the clock of the machine, as a driver in real time must. The call cannot fail: every Linux
/// has this clock.
fn monotonic() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
    1_000_000_000 * time.tv_sec() + time.tv_nsec()
}
