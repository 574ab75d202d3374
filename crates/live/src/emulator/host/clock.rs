//! The only clock of the project.

use airtcp_core::Instant;
use nix::time::{ClockId, clock_gettime};

/// Nanoseconds since it was made, by CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    origin: i64,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock { origin: monotonic() }
    }

    /// What CLOCK_MONOTONIC said as it was made.
    pub(super) fn origin(self) -> i64 {
        self.origin
    }

    pub(super) fn now(self) -> Instant {
        Instant::from_nanos(monotonic() - self.origin)
    }
}

/// A driver in real time reads a real clock. This one cannot fail: Linux has it.
fn monotonic() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
    1_000_000_000 * time.tv_sec() + time.tv_nsec()
}
