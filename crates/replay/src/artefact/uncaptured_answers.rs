//! Answers that came and were not captured: the sender echoes a timestamp [RFC 7323 4.3] that no segment of its peer has.

use airtcp_capture::Segment;
use std::collections::BTreeSet;

/// Intervals in which the sender received segments that the capture lacks.
pub(crate) fn uncaptured_answers(segments: &[(bool, Segment)]) -> Vec<(i64, i64)> {
    let theirs = |(outgoing, segment): &(bool, Segment)| {
        segment.options.timestamps.filter(|_| !outgoing).map(|(value, _)| value)
    };
    let values: BTreeSet<u32> = segments.iter().filter_map(theirs).collect();
    let (mut newest, mut left, mut intervals) = (None, 0, vec![]);
    for (outgoing, segment) in segments {
        if let Some(value) = theirs(&(*outgoing, *segment)) {
            newest = Some(newest.filter(|&other| !is_newer(value, other)).unwrap_or(value));
        } else if let (Some((_, echo)), Some(before)) = (segment.options.timestamps, newest)
            && is_newer(echo, before)
            && !values.contains(&echo)
        {
            newest = Some(echo);
            intervals.push((left, segment.time));
        }
        left = if *outgoing { segment.time } else { left };
    }
    intervals
}

fn is_newer(value: u32, other: u32) -> bool {
    value.wrapping_sub(other).cast_signed() > 0
}
