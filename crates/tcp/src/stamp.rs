//! Timestamps [RFC 7323]: 32 bits of a clock that ticks every millisecond.

use airtcp_core::Instant;

/// Nanoseconds per tick: the fastest of RFC 7323 5.4.
const NANOS_PER_TICK: i64 = 1_000_000;

/// The clock of timestamps at `now`: milliseconds, modulo 2^32.
#[must_use]
pub fn timestamp_at(now: Instant) -> u32 {
    (now.nanos() / NANOS_PER_TICK) as u32
}

/// Returns whether `a` is earlier than `b`, modulo 2^32 [RFC 7323 5.2].
pub(crate) fn is_before(a: u32, b: u32) -> bool {
    b.wrapping_sub(a).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_wraps() {
        let seconds = |n: i64| timestamp_at(Instant::from_nanos(n * 1_000_000_000));
        assert_eq!([seconds(0), seconds(2), seconds(4_294_967)], [0, 2000, 4_294_967_000]);
        let (early, late) = (seconds(4_294_967), seconds(4_294_968));
        assert!(late < early && is_before(early, late) && !is_before(late, early));
        assert!(!is_before(late, late));
    }
}
