//! Records out of the order in which packets passed: times that go back for a few records, and new data of the sender
//! in another order than their numbers, which is that in which every sender sends them.

use super::steps::Evidence;
use airtcp_capture::Segment;
use airtcp_capture::distance;
use std::ops::Range;

/// Records behind which an earlier one may stand: a capture has a buffer per processor, or per direction.
const MAX_DISPLACEMENT: usize = 64;
/// Nanoseconds within which new data in another order were swapped: beyond, they were retransmitted.
const REORDERING_TIME: i64 = 1_000_000;

/// Puts records in order; how many stood behind later ones. Times that go back and stay back are left: the clock was
/// set.
pub(crate) fn restore_order(segments: &mut [(bool, Segment)]) -> usize {
    sort_by_time(segments) + sort_new_data(segments)
}

fn sort_by_time(segments: &mut [(bool, Segment)]) -> usize {
    let evidence = Evidence::from_segments(segments);
    let (mut at, mut moved) = (1, 0);
    while at < segments.len() {
        if segments[at].1.time >= segments[at - 1].1.time {
            at += 1;
            continue;
        }
        let Some(stretch) = disordered_range(segments, at) else {
            at += 1;
            continue;
        };
        if evidence.is_step(segments, &(at..stretch.end)) {
            at += 1;
            continue;
        }
        let latest = segments[at - 1].1.time;
        moved += segments[at..stretch.end].iter().filter(|record| record.1.time < latest).count();
        at = stretch.end;
        segments[stretch].sort_by_key(|record| record.1.time);
    }
    moved
}

/// The records among which those from `at` on belong that are earlier than the one before; `None` where that is not
/// a few.
fn disordered_range(segments: &[(bool, Segment)], at: usize) -> Option<Range<usize>> {
    let latest = segments[at - 1].1.time;
    let until =
        segments[at..].iter().take(MAX_DISPLACEMENT + 1).position(|record| record.1.time >= latest);
    let end = match until {
        Some(behind) => at + behind,
        None if segments.len() - at <= MAX_DISPLACEMENT => segments.len(),
        None => return None,
    };
    let earliest = segments[at..end].iter().map(|record| record.1.time).min()?;
    let near = segments[..at].iter().enumerate().rev().take(MAX_DISPLACEMENT);
    let from = near.take_while(|(_, record)| record.1.time > earliest).last()?.0;
    Some(from..end)
}

/// Moves segments that fill a gap in the sender's new data before the segment that left the gap.
fn sort_new_data(segments: &mut [(bool, Segment)]) -> usize {
    let (mut next, mut moved): (Option<u32>, usize) = (None, 0);
    for at in 0..segments.len() {
        let (outgoing, segment) = segments[at];
        if !outgoing || segment.end_seq() == segment.seq {
            continue;
        }
        let expected = next.unwrap_or(segment.seq);
        if distance(segment.seq, expected) > 0
            && let Some(late) = find_filler(segments, at, expected)
        {
            segments[late].1.time = segment.time;
            segments[at..=late].rotate_right(1);
            moved += 1;
        }
        let end = segments[at].1.end_seq();
        if distance(end, expected) >= 0 {
            next = Some(end);
        }
    }
    moved
}

/// The place of the sender's segment that begins with number `expected`, recorded just behind the one at `at`; before
/// an answer could come.
fn find_filler(segments: &[(bool, Segment)], at: usize, expected: u32) -> Option<usize> {
    let until = segments[at].1.time.saturating_add(REORDERING_TIME);
    let near = segments.iter().enumerate().skip(at + 1).take(MAX_DISPLACEMENT);
    near.take_while(|(_, (_, segment))| segment.time <= until)
        .take_while(|(_, (outgoing, segment))| *outgoing || !is_acknowledged_by(segment, expected))
        .find(|(_, (outgoing, segment))| {
            *outgoing && segment.seq == expected && segment.end_seq() != segment.seq
        })
        .map(|(late, _)| late)
}

/// Returns true if an arriving segment acknowledges up to `expected` in answer to data sent above that number.
fn is_acknowledged_by(arrived: &Segment, expected: u32) -> bool {
    arrived.ack == expected && arrived.options.sack_count > 0
}
