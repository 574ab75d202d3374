//! The place where a capture was taken, by the times in which the sender and its peer answer there.
//!
//! The answer to a segment that passes a place on its way to a host comes back there after twice the distance, at
//! least. Answers are the parts of the handshake, acknowledgements of data, and echoes of timestamps; the soonest
//! counts.

use super::serial::distance;
use super::tcp::{Flags, Segment};
use std::borrow::Borrow;
use std::collections::VecDeque;

/// Nanoseconds within which a host answers by itself: a capture is at its end then.
const HOST_ANSWER_TIME: i64 = 100_000;
/// Answer time (ns) above which the sender is too far away for a replay.
const REMOTE_ANSWER_TIME: i64 = 1_000_000;
/// A capture is at one end if the other end takes at least this many times as long to answer.
const FAR_TO_NEAR_RATIO: i64 = 3;

/// Shortest times in which both ends answered, in ns; `None` where there was nothing to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerTimes {
    /// The sender.
    pub sender: Option<i64>,
    /// The peer of the sender.
    pub receiver: Option<i64>,
}

/// Places at which a capture may have been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturePoint {
    /// At the sender's end.
    Sender,
    /// Between both ends, but close enough to the sender for a replay.
    NearSender,
    /// Between both ends.
    Middle,
    /// At the receiver's end.
    Receiver,
    /// Unknown, since there are no answers.
    Unknown,
}

impl CapturePoint {
    /// The place in a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CapturePoint::Sender => "sender",
            CapturePoint::NearSender => "near-sender",
            CapturePoint::Middle => "middle",
            CapturePoint::Receiver => "receiver",
            CapturePoint::Unknown => "unknown",
        }
    }
}

impl AnswerTimes {
    /// Takes the times from the segments of a connection, in their order, each with true if the sender sent it.
    #[must_use]
    pub fn from_segments(segments: impl IntoIterator<Item = (bool, impl Borrow<Segment>)>) -> Self {
        let mut ends = [EndAnswers::default(), EndAnswers::default()];
        for (outgoing, segment) in segments {
            let [sender, receiver] = &mut ends;
            let (own, other) = if outgoing { (sender, receiver) } else { (receiver, sender) };
            own.on_answer(segment.borrow());
            other.on_request(segment.borrow());
        }
        AnswerTimes { sender: ends[0].shortest_answer, receiver: ends[1].shortest_answer }
    }

    /// The place that follows from the two times.
    #[must_use]
    pub fn capture_point(self) -> CapturePoint {
        let (Some(sender), Some(receiver)) = (self.sender, self.receiver) else {
            return match self.sender {
                Some(own) if own <= HOST_ANSWER_TIME => CapturePoint::Sender,
                _ => CapturePoint::Unknown,
            };
        };
        if sender <= HOST_ANSWER_TIME
            || sender.saturating_mul(FAR_TO_NEAR_RATIO) <= receiver && sender <= REMOTE_ANSWER_TIME
        {
            CapturePoint::Sender
        } else if receiver.saturating_mul(FAR_TO_NEAR_RATIO) <= sender {
            CapturePoint::Receiver
        } else if sender <= REMOTE_ANSWER_TIME {
            CapturePoint::NearSender
        } else {
            CapturePoint::Middle
        }
    }

    /// Describes the place in a line.
    #[must_use]
    pub fn description(self) -> String {
        let ms = |ns: Option<i64>| {
            ns.map_or("never".to_owned(), |ns| format!("{:.3} ms", ns as f64 / 1e6))
        };
        let (sender, receiver) = (ms(self.sender), ms(self.receiver));
        let there = match self.capture_point() {
            CapturePoint::Sender => "at the sender's end",
            CapturePoint::NearSender => "near the sender's end, or at both",
            CapturePoint::Middle => "between both ends",
            CapturePoint::Receiver => "at the receiver's end",
            CapturePoint::Unknown => "at the sender's end, as is assumed",
        };
        format!("{there}: there the sender answers after {sender}, its peer after {receiver}")
    }
}

/// One end: segments it has received and not answered, and its shortest answer time.
#[derive(Debug, Default)]
struct EndAnswers {
    unanswered_numbers: VecDeque<(u32, i64)>,
    unanswered_timestamps: VecDeque<(u32, i64)>,
    shortest_answer: Option<i64>,
}

impl EndAnswers {
    fn on_request(&mut self, segment: &Segment) {
        if segment.end_seq() != segment.seq {
            push_request(&mut self.unanswered_numbers, segment.end_seq(), segment.time);
        }
        if let Some((value, _)) = segment.options.timestamps {
            push_request(&mut self.unanswered_timestamps, value, segment.time);
        }
    }

    fn on_answer(&mut self, segment: &Segment) {
        let by_number = segment
            .flags
            .contains(Flags::ACK)
            .then(|| pop_answered(&mut self.unanswered_numbers, segment.ack));
        let echo = segment.options.timestamps.filter(|_| segment.flags.contains(Flags::ACK));
        let by_stamp = echo.map(|(_, echo)| pop_answered(&mut self.unanswered_timestamps, echo));
        let since = [by_number.flatten(), by_stamp.flatten()].into_iter().flatten().max();
        if let Some(since) = since {
            let took = segment.time.saturating_sub(since);
            self.shortest_answer =
                Some(self.shortest_answer.map_or(took, |soonest| soonest.min(took)));
        }
    }
}

/// Notes when something came that is above all before.
fn push_request(requests: &mut VecDeque<(u32, i64)>, what: u32, time: i64) {
    if requests.back().is_none_or(|&(last, _)| distance(what, last) > 0) {
        requests.push_back((what, time));
    }
}

/// Time of the last segment that `answer` answers exactly; segments below are answered as well.
fn pop_answered(requests: &mut VecDeque<(u32, i64)>, answer: u32) -> Option<i64> {
    let mut last = None;
    while let Some(&(what, time)) = requests.front()
        && distance(answer, what) >= 0
    {
        last = Some((what, time));
        requests.pop_front();
    }
    last.filter(|&(what, _)| what == answer).map(|(_, time)| time)
}
