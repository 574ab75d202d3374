//! The place where a capture was taken, as a replay takes it.

use airtcp_capture::{AnswerTimes, CapturePoint, Refusal};
use serde_json::{Value, json};

/// The place as JSON, its times in seconds.
pub(crate) fn place_to_json(place: AnswerTimes) -> Value {
    let seconds = |ns: Option<i64>| ns.map(|ns| ns as f64 / 1e9);
    json!({
        "place": place.capture_point().name(), "text": place.description(),
        "sender_answers": seconds(place.sender), "receiver_answers": seconds(place.receiver),
    })
}

/// Refuses a capture from which the departure times of the sender's segments, and the segments received by then, cannot
/// be read.
pub(crate) fn check(place: AnswerTimes) -> Result<(), Refusal> {
    match place.capture_point() {
        CapturePoint::Receiver | CapturePoint::Middle => Err(Refusal::Content(format!(
            "was taken {}; replay asks for a capture of the sender's end",
            place.description()
        ))),
        _ => Ok(()),
    }
}
