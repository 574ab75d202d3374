//! Artefacts of capturing, as opposed to behaviour of the sender. They are named, put right where that is
//! possible, and not blamed on the sender.

pub(crate) mod copies;
pub(crate) mod late;
pub(crate) mod order;
pub(crate) mod retransmissions;
mod silence;
mod stamps;
mod step;
pub(crate) mod steps;
pub(crate) mod synthetic_times;
pub(crate) mod uncaptured_answers;

pub use retransmissions::UncapturedRetransmission;
pub(crate) use stamps::confirmed_unit;

use airtcp_capture::Damage;
use serde_json::{Value, json};

/// Something that is in the capture and was not on the wire, or the other way round.
#[derive(Clone, Debug, PartialEq)]
pub enum Artefact {
    /// Number of packets that were recorded more than once.
    Copies(usize),
    /// Number of packets that stand behind later ones.
    Disorder(usize),
    /// Steps of a clock that was set: the time since the first packet, and the size of the step, both in seconds.
    Steps(Vec<(f64, f64)>),
    /// Data that left and were not captured.
    Uncaptured {
        /// Full segments that they make.
        segments: u64,
        /// Bytes.
        bytes: u64,
        /// Segments that were retransmitted.
        retransmissions: usize,
    },
    /// Number of times that the sender echoed a timestamp which the capture does not show from its peer.
    UncapturedAnswers(usize),
    /// Number of segments that were recorded behind the answer to them.
    RecordedLate(usize),
    /// Number of packets shorter than the length in their IP headers.
    ShorterThanClaimed(usize),
    /// The file ends as a capture before its last byte.
    Damage(Damage),
    /// Number of TCP headers that were cut, with the bytes that were kept of a packet.
    Truncated {
        /// Segments.
        segments: usize,
        /// Bytes of a packet.
        kept: usize,
    },
}

impl Artefact {
    /// Name for programs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Artefact::Copies(_) => "recorded-twice",
            Artefact::Disorder(_) => "out-of-order",
            Artefact::Steps(_) => "clock-step",
            Artefact::Uncaptured { .. } | Artefact::UncapturedAnswers(_) => "not-captured",
            Artefact::RecordedLate(_) => "recorded-late",
            Artefact::ShorterThanClaimed(_) => "wrong-length",
            Artefact::Damage(Damage { is_truncated: true, .. }) => "cut-short",
            Artefact::Damage(_) => "trailing-bytes",
            Artefact::Truncated { .. } => "snap-length",
        }
    }

    /// Describes in one line the artefact and its correction.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Artefact::Copies(packets) => format!(
                "{} recorded more than once (several interfaces, a bridge, a mirror port): the first \
                 record counts",
                packets_with_verb(*packets)
            ),
            Artefact::Disorder(packets) => {
                format!("{} recorded behind later ones: put in order", packets_with_verb(*packets))
            }
            Artefact::Steps(steps) => {
                let listed: Vec<String> =
                    steps.iter().map(|&(at, by)| format!("{by:+.3} s at {at:.3} s")).collect();
                format!("the clock of the capture was set ({}): taken back", listed.join(", "))
            }
            Artefact::Uncaptured { segments, bytes, retransmissions: again } => {
                let again = match again {
                    0 => String::new(),
                    again => format!(", and {again} were sent again"),
                };
                format!(
                    "{bytes} bytes ({segments} full segments) were sent{again} without being captured: our sender \
                     sends them unseen"
                )
            }
            Artefact::UncapturedAnswers(times) => format!(
                "acknowledgements came without being captured, {times} at least, as the timestamps that the sender echoes \
                 show: what it sent upon them is not judged"
            ),
            Artefact::RecordedLate(packets) => format!(
                "{} recorded behind the acknowledgement of what is in it, so that nobody knows when it was sent: \
                 left out",
                packets_with_verb(*packets)
            ),
            Artefact::ShorterThanClaimed(packets) => format!(
                "{} recorded shorter than the IP header says: left out",
                packets_with_verb(*packets)
            ),
            Artefact::Damage(damage) if damage.is_truncated => format!(
                "the file is cut within the packet that begins at byte {}: the {} before it count",
                damage.at, damage.packets
            ),
            Artefact::Damage(damage) => format!(
                "the last {} bytes, from byte {} on, are no packets: the {} before them count",
                damage.bytes, damage.at, damage.packets
            ),
            Artefact::Truncated { segments, kept } => format!(
                "{kept} bytes were kept of a packet, which cuts the options of {segments} segments: what \
                 was cut, such as SACK blocks, is unknown"
            ),
        }
    }

    /// The artefact as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({"kind": self.name(), "text": self.text()})
    }
}

fn packets_with_verb(packets: usize) -> String {
    if packets == 1 { "1 packet was".to_owned() } else { format!("{packets} packets were") }
}
