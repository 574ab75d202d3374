//! One direction of a connection.

use super::record::{Blocks, Record};
use airtcp_capture::{AnswerTimes, CapturePoint, Flags};

/// Nanoseconds within which a host answers by itself.
pub(super) const HOST_ANSWER_TIME: i64 = 100_000;

/// Records in which the soonest answers are looked for.
const SAMPLED_RECORDS: usize = 1 << 20;

/// Records of a connection, seen from the end that sends the data in question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction<'a> {
    pub records: &'a [Record],
    pub blocks: &'a [Blocks],
    /// True for data of the end that sent the first segment.
    pub outgoing: bool,
    /// The MSS that the receiver takes, as it said in the handshake.
    pub mss: Option<u16>,
}

impl<'a> Direction<'a> {
    /// Segments with data.
    pub(super) fn data_segments(self) -> impl Iterator<Item = &'a Record> {
        let outgoing = self.outgoing;
        self.records
            .iter()
            .filter(move |record| record.length > 0 && record.is_outgoing() == outgoing)
    }

    /// The first number of its data; `None` if it has none.
    pub(super) fn first_number(self) -> Option<u32> {
        self.data_segments().next().map(|record| record.seq)
    }

    /// The place where the capture was taken; the handshake decides only if nothing else does.
    pub(super) fn answer_times_and_place(self) -> (AnswerTimes, CapturePoint) {
        // A clock that stands still, as in captures of simulations, does not show when its stamps are echoed.
        let stands = [true, false].map(|outgoing| {
            let its = self.records.iter().filter(|record| record.is_outgoing() == outgoing);
            let mut stamps = its.filter_map(|record| Some(record.timestamps()?.0));
            stamps.next().is_some_and(|first| stamps.all(|stamp| stamp == first))
        });
        let stands = stands.contains(&true);
        let segments = |with_handshake: bool| {
            let some = self.records.iter().take(SAMPLED_RECORDS);
            let all =
                some.filter(move |record| with_handshake || !record.flags.contains(Flags::SYN));
            AnswerTimes::from_segments(all.map(|record| {
                let mut segment = record.segment();
                segment.options.timestamps = segment.options.timestamps.filter(|_| !stands);
                (record.is_outgoing() == self.outgoing, segment)
            }))
        };
        let mut place = segments(false);
        if place.sender.is_none() || place.receiver.is_none() {
            let shake = segments(true);
            // Both at once are answers of a handshake without duration, as captures of simulations have it.
            let at_once = |took: Option<i64>| took.is_some_and(|took| took <= HOST_ANSWER_TIME);
            if !(at_once(shake.sender) && at_once(shake.receiver)) {
                place.sender = place.sender.or(shake.sender);
                place.receiver = place.receiver.or(shake.receiver);
            }
        }
        (place, place.capture_point())
    }
}
