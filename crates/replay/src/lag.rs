//! Time from the capture of a segment to its handling by the host: some microseconds, which a capture does not show
//! and which decide where a rule compares times to the microsecond [crates/linux/rules/bbr.md rule 9].

use airtcp_core::Stream;

/// Longest time between capture and handling that is tried, in ns.
const MAX_LAG: u64 = 40_000;
/// Patterns that are tried.
const PATTERN_COUNT: u64 = 15;

/// One pattern of lags over the events of a capture; by default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LagPattern {
    pattern: u64,
}

impl LagPattern {
    /// The patterns that are tried.
    pub(crate) fn patterns() -> impl Iterator<Item = LagPattern> {
        (1..=PATTERN_COUNT).map(|pattern| LagPattern { pattern })
    }

    /// The lag of an event in ns.
    pub(crate) fn at_event(self, event: usize) -> i64 {
        match self.pattern {
            0 => 0,
            pattern => (Stream::new(pattern, "lag", event as u64).next_u64() % MAX_LAG) as i64,
        }
    }
}
