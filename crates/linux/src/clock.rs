//! Clocks of the kernel: microseconds, and jiffies of 4 ms whose phase is the host's
//! [rules/README.md Notation, rules/timers.md rules 1 and 2].

use airtcp_core::Instant;

/// Jiffies per second.
pub const HZ: u32 = 250;
/// Nanoseconds per jiffy.
pub const TICK: i64 = 1_000_000_000 / HZ as i64;
/// Microseconds per jiffy.
pub const TICK_US: u64 = 1_000_000 / HZ as u64;

/// The phase of a host's ticks.
///
/// ```
/// use airtcp_core::Instant;
/// use airtcp_linux::Clock;
/// let clock = Clock { phase: 1_000_000 };
/// assert_eq!(clock.units_at(Instant::from_nanos(2_999_999)).jiffies, 0);
/// assert_eq!(clock.units_at(Instant::from_nanos(3_000_000)).jiffies, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time from the start of jiffy 0 to instant 0, in nanoseconds. It may be longer than a jiffy: where on
    /// the wheel a host stands shows in coarse timers.
    pub phase: i64,
}

/// One instant in all the units that rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeInUnits {
    /// Nanoseconds.
    pub instant: Instant,
    /// Microseconds, truncated.
    pub us: u64,
    /// The number of the present jiffy.
    pub jiffies: u64,
}

impl Clock {
    /// `instant` in all units.
    #[must_use]
    pub fn units_at(self, instant: Instant) -> TimeInUnits {
        let nanos = instant.nanos();
        TimeInUnits {
            instant,
            us: nanos as u64 / 1000,
            jiffies: ((nanos + self.phase) / TICK) as u64,
        }
    }

    /// Start of jiffy `number`.
    #[must_use]
    pub fn jiffy_start(self, number: u64) -> Instant {
        Instant::from_nanos((number as i64).saturating_mul(TICK) - self.phase)
    }

    /// Time at which a wheel timer fires that was armed in jiffy `armed` for jiffy `expiry`: never early, late by the
    /// granularity of its level [rules/timers.md rule 2].
    #[must_use]
    #[inline]
    pub fn timer_fires_at(self, armed: u64, expiry: u64) -> Instant {
        let shift = bucket_width_exponent(expiry.saturating_sub(armed));
        self.jiffy_start(((expiry >> shift) + 1) << shift)
    }
}

/// Jiffies between the buckets of the level on which a timer lands that is `delta` jiffies away, as a power of 2.
#[inline]
fn bucket_width_exponent(delta: u64) -> u32 {
    let mut shift = 0;
    while delta >> shift >= 63 && shift < 24 {
        shift += 3;
    }
    shift
}

/// Microseconds as jiffies, rounded up.
#[must_use]
pub const fn us_to_jiffies(us: u64) -> u64 {
    us.div_ceil(TICK_US)
}

/// Milliseconds as jiffies, rounded up.
#[must_use]
pub const fn ms_to_jiffies(ms: u64) -> u64 {
    us_to_jiffies(ms * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_land_on_the_buckets_of_their_level() {
        let clock = Clock::default();
        let fires = |armed, delay| clock.timer_fires_at(armed, armed + delay).nanos() / TICK;
        assert_eq!(fires(100, 62), 163);
        assert_eq!(fires(100, 63), 168); // expiry 163, buckets of 8
        assert_eq!(fires(0, 503), 504);
        assert_eq!(fires(0, 504), 512);
        assert_eq!(fires(0, 4032), 4096 + 512 - 512);
    }

    #[test]
    fn times_round_up_to_jiffies() {
        assert_eq!([0, 1, 4000, 4001].map(us_to_jiffies), [0, 1, 1, 2]);
        assert_eq!(ms_to_jiffies(10), 3);
    }
}
