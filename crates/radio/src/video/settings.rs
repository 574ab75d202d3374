//! A video and its player, as a scenario gives them.

use super::choice::VideoChoice;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video in chunks, and its player, which asks for one chunk after the other, on one connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Bitrates in which each chunk is available, from the lowest to the highest.
    #[schemars(length(min = 1, max = 100))]
    pub bitrates: Vec<Rate>,
    /// Playing time of a chunk.
    #[serde(default = "usual_chunk")]
    pub chunk: Duration,
    /// Capacity of the playback buffer; the player requests a chunk as soon as it fits.
    #[serde(default = "usual_buffer")]
    pub buffer: Duration,
    /// Content of the buffer at which playback starts, and resumes after a stall. Absent: one chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub prebuffer: Option<Duration>,
    /// Length of the video: whole chunks, the last of which may be longer than what is left. Absent: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub length: Option<Duration>,
    /// Rule that chooses the bitrate of each chunk.
    #[serde(default)]
    pub choice: VideoChoice,
}

fn seconds(seconds: i64) -> Duration {
    Duration::from_span(Span::from_nanos(1_000_000_000 * seconds))
}

fn usual_chunk() -> Duration {
    seconds(4)
}

fn usual_buffer() -> Duration {
    seconds(30)
}

impl Video {
    /// Content of the buffer before it plays.
    #[must_use]
    pub fn ready(&self) -> Span {
        self.prebuffer.unwrap_or(self.chunk).span()
    }

    /// Number of chunks; none: without end.
    #[must_use]
    pub fn chunks(&self) -> Option<u64> {
        let whole = |length: Duration| {
            (length.span().nanos() as u64).div_ceil(self.chunk.span().nanos() as u64)
        };
        self.length.map(whole)
    }

    /// Bytes of a chunk at `bitrate`, in bit/s.
    pub(super) fn bytes(&self, bitrate: f64) -> u64 {
        (bitrate * self.chunk.span().seconds() / 8.0).round().max(1.0) as u64
    }

    /// Checks that it can be played.
    ///
    /// # Errors
    /// If its values contradict each other.
    pub fn check(&self) -> Result<(), SpecError> {
        let rates = || self.bitrates.iter().map(|rate| rate.bits_per_second());
        if let Some((low, high)) = self
            .bitrates
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .find(|(low, high)| low.bits_per_second() >= high.bits_per_second())
        {
            let message = format!("{high} after {low}: give them from the lowest to the highest");
            return Err(SpecError::new("bitrates", message));
        }
        if self.chunk.span() <= Span::ZERO {
            return Err(SpecError::new(
                "chunk",
                format!("{}: a chunk plays for some time", self.chunk),
            ));
        }
        if rates().any(|rate| rate * self.chunk.span().seconds() < 8.0) {
            return Err(SpecError::new("bitrates", "a chunk has a byte or more"));
        }
        if self.buffer < self.chunk {
            let message = format!("{} has no room for a chunk of {}", self.buffer, self.chunk);
            return Err(SpecError::new("buffer", message));
        }
        let most = self.buffer.span().nanos() / self.chunk.span().nanos();
        if self.ready().nanos() > most * self.chunk.span().nanos() {
            let message =
                format!("a buffer of {} holds {most} chunks of {}", self.buffer, self.chunk);
            return Err(SpecError::new("prebuffer", message));
        }
        if self.length.is_some_and(|length| length.span() <= Span::ZERO) {
            return Err(SpecError::new("length", "a video plays for some time"));
        }
        match self.choice {
            VideoChoice::Buffer(rule) if rule.full <= rule.reservoir => {
                let message = format!("{} is not above reservoir = {}", rule.full, rule.reservoir);
                Err(SpecError::new("choice.full", message))
            }
            _ => Ok(()),
        }
    }
}
