//! Answers that came and were not captured: the sender echoes a timestamp [RFC 7323 4.3] that no segment of its peer has.

use airtcp_capture::Segment;
use std::collections::BTreeSet;

/// Intervals of the capture in which the sender heard segments that are not in it.
pub(crate) fn uncaptured_answers(segments: &[(bool, Segment)]) -> Vec<(i64, i64)> {
    let theirs = |(outgoing, one): &(bool, Segment)| {
        one.options.stamps.filter(|_| !outgoing).map(|(value, _)| value)
    };
    let told: BTreeSet<u32> = segments.iter().filter_map(theirs).collect();
    let (mut newest, mut left, mut found) = (None, 0, vec![]);
    for (outgoing, one) in segments {
        if let Some(value) = theirs(&(*outgoing, *one)) {
            newest = Some(newest.filter(|&other| !is_newer(value, other)).unwrap_or(value));
        } else if let (Some((_, echo)), Some(before)) = (one.options.stamps, newest)
            && is_newer(echo, before)
            && !told.contains(&echo)
        {
            newest = Some(echo);
            found.push((left, one.time));
        }
        left = if *outgoing { one.time } else { left };
    }
    found
}

fn is_newer(value: u32, other: u32) -> bool {
    value.wrapping_sub(other).cast_signed() > 0
}
