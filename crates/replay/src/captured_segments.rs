//! The segments of a capture without those recorded late, and with the timestamps that its sender would have today.

use crate::artefact::{confirmed_unit, late};
use airtcp_capture::Segment;
use std::borrow::Cow;

/// Nanoseconds in which Linux counts timestamps since 4.13.
const MILLISECOND: i64 = 1_000_000;

/// The segments of a connection as a capture shows them.
pub(crate) struct CapturedSegments<'a> {
    pub segments: Cow<'a, [(bool, Segment)]>,
    /// Nanoseconds in which the host counts timestamps; here they count milliseconds.
    pub timestamp_unit: i64,
    /// Times at which segments were recorded that had been acknowledged by then; these segments are left out.
    pub recorded_late: Vec<i64>,
}

impl<'a> CapturedSegments<'a> {
    /// Makes it from the segments of a connection.
    pub(crate) fn from_segments(segments: &'a [(bool, Segment)]) -> Self {
        let unit = confirmed_unit(segments).unwrap_or(MILLISECOND);
        let mut shown = CapturedSegments {
            segments: Cow::Borrowed(segments),
            timestamp_unit: unit,
            recorded_late: vec![],
        };
        shown.convert_stamps_to_milliseconds();
        shown.remove_recorded_late();
        shown
    }

    /// Lines, in words, on the assumptions about the capture.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let times = self.timestamp_unit / MILLISECOND;
        let says = || format!("a Linux before 4.13: its timestamps count {times} ms each");
        (times > 1).then(says).into_iter().collect()
    }

    /// Own timestamps, and their echoes, counted in milliseconds from the first one.
    fn convert_stamps_to_milliseconds(&mut self) {
        let own = |(outgoing, segment): &(bool, Segment)| {
            segment.options.timestamps.filter(|_| *outgoing)
        };
        let Some((first, _)) = self.segments.iter().find_map(own) else { return };
        let times = (self.timestamp_unit / MILLISECOND) as u32;
        if times == 1 {
            return;
        }
        let scaled = |stamp: u32| first.wrapping_add(stamp.wrapping_sub(first).wrapping_mul(times));
        for (outgoing, segment) in self.segments.to_mut() {
            if let Some((value, echo)) = &mut segment.options.timestamps {
                let its = if *outgoing { value } else { echo };
                *its = scaled(*its);
            }
        }
    }

    fn remove_recorded_late(&mut self) {
        let places = late::places_recorded_late(&self.segments);
        if places.is_empty() {
            return;
        }
        self.recorded_late = places.iter().map(|&place| self.segments[place].1.time).collect();
        let mut place = 0;
        self.segments.to_mut().retain(|_| {
            place += 1;
            places.binary_search(&(place - 1)).is_err()
        });
    }
}
