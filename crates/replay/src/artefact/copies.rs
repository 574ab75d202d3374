//! Packets recorded more than once: on several interfaces (`-i any`), on a bridge and behind it, by a mirror port that
//! shows both directions.
//!
//! A sender gives each packet an identification of its own [RFC 6864 4.1 leaves it 0 for atomic ones], and a network that
//! doubles packets does so on the way to somebody: what a sender's own packets show twice is the capture.

use airtcp_capture::Segment;
use std::collections::VecDeque;

/// Nanoseconds within which copies are recorded: beyond, a packet was sent again.
const COPY_WINDOW: i64 = 1_000_000;

/// Drops copies; how many. Without a copy of the sender's own packets there are none: those that came may have been
/// doubled on the way, and then the sender saw both.
pub(crate) fn drop_copies(segments: &mut Vec<(bool, Segment)>) -> usize {
    let is_copy = mark_copies(segments);
    let own = segments.iter().zip(&is_copy).any(|((outgoing, _), &copy)| *outgoing && copy);
    if !own {
        return 0;
    }
    let mut keep = is_copy.iter().map(|copy| !copy);
    let before = segments.len();
    segments.retain(|_| keep.next().unwrap_or(true));
    before - segments.len()
}

fn mark_copies(segments: &[(bool, Segment)]) -> Vec<bool> {
    let mut recent: VecDeque<(bool, Segment)> = VecDeque::new();
    let mut last_came = None;
    let mut is_copy = Vec::with_capacity(segments.len());
    for &(outgoing, segment) in segments {
        while recent.front().is_some_and(|(_, old)| {
            segment.time.saturating_sub(old.time).saturating_abs() > COPY_WINDOW
        }) || recent.len() > RECENT_PACKETS
        {
            recent.pop_front();
        }
        let copied = recent.iter().any(|(endpoints, old)| {
            *endpoints == outgoing
                && is_same_packet(old, &segment)
                && (segment.id != 0 || !outgoing || last_came.is_none_or(|at| at < old.time))
        });
        is_copy.push(copied);
        if !copied {
            recent.push_back((outgoing, segment));
            if !outgoing {
                last_came = Some(segment.time);
            }
        }
    }
    is_copy
}

/// Packets among which a copy is looked for.
const RECENT_PACKETS: usize = 256;

/// Says that two segments are the same except for the time of recording and the fields that routers change.
fn is_same_packet(one: &Segment, other: &Segment) -> bool {
    *one == Segment { time: one.time, ttl: one.ttl, ecn: one.ecn, ..*other }
}
