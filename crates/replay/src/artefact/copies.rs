//! Packets recorded more than once: on several interfaces (`-i any`), on a bridge and behind it, by a mirror port that
//! shows both directions.
//!
//! A sender gives each packet an identification of its own [RFC 6864 4.1 leaves it 0 for atomic ones], and a network that
//! doubles packets does so on the way to somebody: what a sender's own packets show twice is the capture.

use airtcp_capture::Segment;
use std::collections::VecDeque;

/// Nanoseconds within which copies are recorded: beyond, a packet was retransmitted.
const COPY_WINDOW: i64 = 1_000_000;

/// Drops copies and returns their number. If none of the sender's own packets is recorded twice, nothing is dropped:
/// packets that arrive twice may have been duplicated by the network, and then the sender saw both.
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

/// Returns true if two segments differ only in the time of recording and in the fields that routers change.
fn is_same_packet(segment: &Segment, other: &Segment) -> bool {
    *segment == Segment { time: segment.time, ttl: segment.ttl, ecn: segment.ecn, ..*other }
}
