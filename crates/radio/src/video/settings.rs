//! A video and its player, as a scenario gives them.

use super::choice::VideoChoice;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video in chunks, and a player that requests one chunk after another over one connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Bitrates in which each chunk is available, from the lowest to the highest. Example: `["300kbps", "750kbps",
    /// "1.5Mbps"]`.
    #[schemars(length(min = 1, max = 100))]
    pub bitrates: Vec<Rate>,
    /// Playing time of a chunk. Example: `"2s"`.
    #[serde(default = "default_chunk")]
    pub chunk: Duration,
    /// Capacity of the playback buffer; the player requests a chunk as soon as it fits. Example: `"60s"`.
    #[serde(default = "default_buffer")]
    pub buffer: Duration,
    /// Content of the buffer, as playing time, at which playback starts and at which it resumes after a stall.
    /// Absent: one chunk. Example: `"8s"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub prebuffer: Option<Duration>,
    /// Playing time of the whole video, rounded up to whole chunks. Absent: without end. Example: `"300s"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub length: Option<Duration>,
    /// Rule of bitrate adaptation, by which the player chooses the bitrate of each chunk. Example: `"throughput"`.
    #[serde(default)]
    pub choice: VideoChoice,
}

fn seconds(seconds: i64) -> Duration {
    Duration::from_span(Span::from_nanos(1_000_000_000 * seconds))
}

fn default_chunk() -> Duration {
    seconds(4)
}

fn default_buffer() -> Duration {
    seconds(30)
}

impl Video {
    /// Content of the buffer before it plays.
    #[must_use]
    pub fn start_content(&self) -> Span {
        self.prebuffer.unwrap_or(self.chunk).span()
    }

    /// Number of chunks; none: without end.
    #[must_use]
    pub fn chunk_count(&self) -> Option<u64> {
        let whole = |length: Duration| {
            (length.span().nanos() as u64).div_ceil(self.chunk.span().nanos() as u64)
        };
        self.length.map(whole)
    }

    /// Bytes of a chunk at `bitrate`, in bit/s.
    pub(super) fn chunk_bytes(&self, bitrate: f64) -> u64 {
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
            let message = format!("{high} comes after {low}, but bitrates must increase");
            return Err(SpecError::new("bitrates", message));
        }
        if self.chunk.span() <= Span::ZERO {
            return Err(SpecError::new(
                "chunk",
                format!("{} is too short; must be above 0s", self.chunk),
            ));
        }
        if rates().any(|rate| rate * self.chunk.span().seconds() < 8.0) {
            return Err(SpecError::new(
                "bitrates",
                "a chunk of the lowest bitrate has less than a byte",
            ));
        }
        if self.buffer < self.chunk {
            let message = format!("{} is less than a chunk, {}", self.buffer, self.chunk);
            return Err(SpecError::new("buffer", message));
        }
        let most = self.buffer.span().nanos() / self.chunk.span().nanos();
        if self.start_content().nanos() > most * self.chunk.span().nanos() {
            let message = format!(
                "is too long: a buffer of {} holds only {most} chunks of {}",
                self.buffer, self.chunk
            );
            return Err(SpecError::new("prebuffer", message));
        }
        if self.length.is_some_and(|length| length.span() <= Span::ZERO) {
            return Err(SpecError::new("length", "0s is too short; must be above 0s"));
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
