//! Time from the capture of a segment to its handling by the host: some microseconds, which a capture does not show
//! and which decide where a rule compares times to the microsecond [crates/linux/rules/bbr.md rule 9].

use airtcp_core::Stream;

/// Longest time between capture and handling that is tried, in ns.
const LONGEST: u64 = 40_000;
/// Patterns that are tried.
const PATTERNS: u64 = 15;

/// One pattern of lags over the events of a capture; by default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lag {
    pattern: u64,
}

impl Lag {
    /// The patterns that are tried.
    pub(crate) fn patterns() -> impl Iterator<Item = Lag> {
        (1..=PATTERNS).map(|pattern| Lag { pattern })
    }

    /// The lag of an event in ns.
    pub(crate) fn of(self, event: usize) -> i64 {
        match self.pattern {
            0 => 0,
            pattern => (Stream::new(pattern, "lag", event as u64).next_u64() % LONGEST) as i64,
        }
    }
}
