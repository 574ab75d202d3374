//! Timestamps of a connection: values, echoes, and old segments found out [rules/options.md rules 6 to 9].

use crate::clock::TimeInUnits;
use crate::segment::{Segment, Timestamps};
use airtcp_core::Instant;

/// Age (ms) above which a stored timestamp no longer orders segments.
const STALE_AFTER_MS: u64 = 2_147_483;

/// State of timestamps.
#[derive(Clone, Copy, Debug)]
pub struct TimestampState {
    /// True if segments carry them.
    pub is_enabled: bool,
    /// Offset from the clock of milliseconds.
    pub offset: u32,
    recent: u32,
    /// Time at which `recent` was stored.
    recent_at: Instant,
}

impl Default for TimestampState {
    fn default() -> Self {
        TimestampState { is_enabled: false, offset: 0, recent: 0, recent_at: Instant::START }
    }
}

#[inline]
fn ms(instant: Instant) -> u64 {
    instant.nanos() as u64 / 1_000_000
}

impl TimestampState {
    /// State of the timestamps; `on` if they are offered.
    #[must_use]
    pub fn new(on: bool, offset: u32) -> Self {
        TimestampState { is_enabled: on, offset, ..TimestampState::default() }
    }

    /// The clock of timestamps with its offset.
    #[must_use]
    #[inline]
    pub fn timestamp_at(&self, instant: Instant) -> u32 {
        (ms(instant) as u32).wrapping_add(self.offset)
    }

    /// The option of a segment that leaves at `departure`.
    #[must_use]
    #[inline]
    pub fn timestamp_option(&self, departure: Instant) -> Option<Timestamps> {
        self.is_enabled
            .then(|| Timestamps { value: self.timestamp_at(departure), echo: self.recent })
    }

    /// Timestamp that is echoed.
    #[must_use]
    pub fn recent(&self) -> u32 {
        self.recent
    }

    /// The value of a SYN is echoed from now on.
    #[inline]
    pub fn set_initial(&mut self, now: TimeInUnits, value: u32) {
        (self.recent, self.recent_at) = (value, now.instant);
    }

    /// Returns whether a segment's timestamp is older than the stored one by more than `slack` ms [rules/options.md
    /// rule 8].
    #[must_use]
    pub fn segment_is_old(&self, now: TimeInUnits, segment: &Segment, slack: i32) -> bool {
        segment.timestamps.is_some_and(|stamps| self.is_old(now, stamps, slack))
    }

    /// Returns whether timestamps are.
    #[inline]
    pub(crate) fn is_old(&self, now: TimeInUnits, stamps: Timestamps, slack: i32) -> bool {
        let behind = self.recent.wrapping_sub(stamps.value).cast_signed();
        self.is_enabled && behind > slack && self.recent != 0 && !self.is_stale(now)
    }

    #[cold]
    fn is_stale(&self, now: TimeInUnits) -> bool {
        ms(now.instant) - ms(self.recent_at) > STALE_AFTER_MS
    }

    /// Takes the value of a segment that begins at or before the last acknowledged point
    /// [rules/options.md rule 7].
    pub fn update_recent(&mut self, now: TimeInUnits, segment: &Segment, acknowledged: u64) {
        if let (true, Some(stamps)) = (self.is_enabled, segment.timestamps)
            && segment.seq <= acknowledged
            && !self.segment_is_old(now, segment, 0)
        {
            self.set_initial(now, stamps.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    fn at(ms: i64) -> TimeInUnits {
        Clock::default().units_at(Instant::from_nanos(ms * 1_000_000))
    }

    fn segment(seq: u64, value: u32) -> Segment {
        let timestamps = Some(Timestamps { value, echo: 0 });
        Segment { seq, timestamps, ..Segment::default() }
    }

    #[test]
    fn the_first_of_delayed_segments_is_echoed() {
        let mut stamps =
            TimestampState { is_enabled: true, offset: 7, ..TimestampState::default() };
        stamps.set_initial(at(0), 100);
        stamps.update_recent(at(1), &segment(1, 110), 1);
        stamps.update_recent(at(2), &segment(1001, 120), 1);
        let timestamps = stamps.timestamp_option(at(3).instant).unwrap();
        assert_eq!((timestamps.value, timestamps.echo), (10, 110));
    }

    #[test]
    fn old_values_are_found_out_unless_the_echo_is_stale() {
        let mut stamps = TimestampState { is_enabled: true, ..TimestampState::default() };
        stamps.set_initial(at(0), 100);
        assert!(stamps.segment_is_old(at(5), &segment(1, 98), 1));
        assert!(!stamps.segment_is_old(at(5), &segment(1, 99), 1), "within the slack");
        assert!(!stamps.segment_is_old(at(3_000_000_000), &segment(1, 98), 1), "24 days later");
        stamps.update_recent(at(5), &segment(1, 99), 1);
        assert_eq!(stamps.timestamp_option(at(6).instant).unwrap().echo, 100);
    }
}
