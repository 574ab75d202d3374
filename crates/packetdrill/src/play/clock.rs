//! Checks that something happened at its time.

use crate::options::Options;
use crate::script::Time;
use airtcp_core::{Instant, Span};

/// The window in which an event may happen: times of the script, from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeWindow {
    /// Earliest and latest time; `None` if any time is right.
    pub(super) bounds: Option<(Instant, Instant)>,
    /// The time of the event: as the script gives it, or the current time if it gives none.
    pub(super) at: Instant,
}

impl TimeWindow {
    /// The window of an event whose relative times count from `offset`.
    pub(super) fn from_time(time: Time, offset: Instant) -> Self {
        let bounds = match time {
            Time::Any => None,
            Time::At(at) => Some((at, at)),
            Time::After(span) => Some((offset + span, offset + span)),
            Time::Between(from, to) => Some((from, to)),
            Time::AfterBetween(from, to) => Some((offset + from, offset + to)),
        };
        TimeWindow { bounds, at: bounds.map_or(offset, |(from, _)| from) }
    }

    /// The tolerance for the time of an event, if the event before was at `before`.
    pub(super) fn tolerance(self, options: &Options, before: Option<Instant>) -> Span {
        let since = before.map_or(Span::ZERO, |before| self.at - before);
        let share = (options.tolerance_percent / 100.0 * since.nanos() as f64) as i64;
        options.tolerance.max(Span::from_nanos(share))
    }

    /// Checks that `actual` is in the window; the error describes the difference.
    pub(super) fn check(self, actual: Instant, tolerance: Span) -> Result<(), String> {
        let Some((from, to)) = self.bounds else { return Ok(()) };
        let tolerance = tolerance.nanos();
        let early = actual.nanos() < from.nanos().saturating_sub(tolerance);
        let late = actual.nanos() > to.nanos().saturating_add(tolerance);
        if !early && !late {
            return Ok(());
        }
        let span = seconds(Instant::from_nanos(tolerance));
        Err(format!(
            "at {} s, which is too {} (tolerance {span} s)",
            seconds(actual),
            if early { "early" } else { "late" }
        ))
    }
}

/// An instant in seconds, without trailing zeros.
pub(super) fn seconds(instant: Instant) -> String {
    let (whole, part) = (instant.nanos() / 1_000_000_000, instant.nanos() % 1_000_000_000);
    let text = format!("{whole}.{part:09}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: i64) -> Span {
        Span::from_nanos(n * 1_000_000)
    }

    fn at(n: i64) -> Instant {
        Instant::START + ms(n)
    }

    #[test]
    fn four_milliseconds_or_an_eighth_of_the_time_before() {
        let options = Options::default();
        let check = |time, offset, before, actual| {
            let window = TimeWindow::from_time(time, at(offset));
            window.check(at(actual), window.tolerance(&options, before)).is_ok()
        };
        let short = |actual| check(Time::After(ms(10)), 100, Some(at(100)), actual);
        assert!(short(106) && short(114) && !short(105) && !short(115));
        let long = |actual| check(Time::After(ms(800)), 100, Some(at(100)), actual);
        assert!(long(800) && long(1000) && !long(799) && !long(1001));
        let range = |actual| check(Time::AfterBetween(ms(10), ms(20)), 100, None, actual);
        assert!(range(106) && range(124) && !range(105) && !range(125));
        assert!(check(Time::Any, 0, None, 99_999));
    }

    #[test]
    fn seconds_are_written_exactly() {
        assert_eq!(seconds(at(1250)), "1.25");
        assert_eq!(seconds(Instant::START), "0");
        assert_eq!(seconds(Instant::from_nanos(1)), "0.000000001");
    }
}
