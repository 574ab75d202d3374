//! Segments recorded behind the answer to them: a program that reads packets from a queue, as programs for tunnels do,
//! records packets that wait there only when it comes to them. No host sends data that were acknowledged.

use airtcp_capture::distance;
use airtcp_capture::{Flags, Segment};
use std::collections::VecDeque;

/// Nanoseconds after the recording of an ACK during which segments that it covers may still leave: the host has not
/// processed the ACK yet.
const CROSSING_TIME: i64 = 50_000;
/// Acknowledgements that are remembered.
const KEPT_ACKS: usize = 1024;

/// Places of the segments that had been acknowledged before they were recorded; no places if most were, for then a program
/// made the numbers up.
pub(crate) fn places_recorded_late(segments: &[(bool, Segment)]) -> Vec<usize> {
    let mut answers = RecentAcks::default();
    let (mut places, mut all) = (vec![], 0);
    for (place, (outgoing, segment)) in segments.iter().enumerate() {
        if !outgoing {
            answers.record(segment);
        } else if segment.length > 1 {
            all += 1;
            places.extend(answers.covers(segment).then_some(place));
        }
    }
    if 2 * places.len() > all { vec![] } else { places }
}

/// Rising acknowledgements, and when they came.
#[derive(Debug, Default)]
struct RecentAcks(VecDeque<(u32, i64)>);

impl RecentAcks {
    fn record(&mut self, segment: &Segment) {
        if !segment.flags.contains(Flags::ACK) || segment.flags.contains(Flags::RST) {
            return;
        }
        if self.0.back().is_none_or(|&(highest, _)| distance(segment.ack, highest) > 0) {
            self.0.push_back((segment.ack, segment.time));
        }
        if self.0.len() > KEPT_ACKS {
            self.0.pop_front();
        }
    }

    /// Returns true if a segment was acknowledged clearly before it was recorded.
    fn covers(&self, segment: &Segment) -> bool {
        let until = self.0.partition_point(|&(ack, _)| distance(ack, segment.end_seq()) < 0);
        self.0
            .get(until)
            .is_some_and(|&(_, since)| segment.time.saturating_sub(since) > CROSSING_TIME)
    }
}
