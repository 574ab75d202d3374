//! State of a player in a run: it requests a chunk as soon as the buffer has space for it, in the bitrate that its rule chooses.

use super::playback::{Playback, VideoCounts};
use super::settings::Video;
use super::view::View;
use airtcp_core::{Instant, Span};

/// A player in motion.
#[derive(Debug)]
pub struct Player {
    video: Video,
    bitrates: Vec<f64>,
    /// Chunks that were not asked for yet; none: without end.
    left: Option<u64>,
    start: Instant,
    playback: Playback,
    /// Bitrates of the chunk at hand and of the one before, the instant when it was asked for, and its bytes.
    level: usize,
    before: Option<usize>,
    asked: Instant,
    bytes: u64,
    throughputs: Vec<f64>,
}

/// Throughputs that are kept at most: rules look at fewer.
const KEPT: usize = 1000;

impl Player {
    /// One that asks for its first chunk at `start`.
    #[must_use]
    pub fn new(video: &Video, start: Instant) -> Self {
        Player {
            bitrates: video.bitrates.iter().map(|rate| rate.bits_per_second()).collect(),
            left: video.chunks(),
            video: video.clone(),
            start,
            playback: Playback::new(start),
            level: 0,
            before: None,
            asked: start,
            bytes: 0,
            throughputs: Vec::new(),
        }
    }

    /// Asks for the next chunk at `now`, and returns its bytes; none after the last.
    pub fn ask(&mut self, now: Instant) -> Option<u64> {
        if self.left == Some(0) {
            return None;
        }
        self.left = self.left.map(|left| left - 1);
        self.playback = self.playback.at(now, false);
        let view = View {
            bitrates: &self.bitrates,
            last: self.level,
            fill: self.fill(),
            throughputs: &self.throughputs,
        };
        self.level = self.video.choice.next(&view);
        self.asked = now;
        self.bytes = self.video.bytes(self.bitrates[self.level]);
        Some(self.bytes)
    }

    /// The chunk that it asked for has come at `now`: when it asks for the next one; [`Instant::NEVER`] after the last.
    pub fn take(&mut self, now: Instant) -> Instant {
        let (chunk, is_last) = (self.video.chunk.span(), self.left == Some(0));
        self.playback = self.playback.at(now, false);
        // The last chunk plays however short it is.
        let ready = if is_last { Span::ZERO } else { self.video.ready() };
        self.playback.take(chunk, ready, self.start);
        self.count(chunk);
        if self.throughputs.len() == KEPT {
            self.throughputs.remove(0);
        }
        let time = (now - self.asked).max(Span::from_nanos(1));
        self.throughputs.push(8.0 * self.bytes as f64 / time.seconds());
        if is_last { Instant::NEVER } else { now + self.pause() }
    }

    fn count(&mut self, chunk: Span) {
        let counts = &mut self.playback.counts;
        counts.chunks += 1;
        counts.chunk_time = counts.chunk_time + chunk;
        counts.chunk_bits += 8 * self.bytes;
        counts.switches += u64::from(self.before.is_some_and(|before| before != self.level));
        self.before = Some(self.level);
    }

    /// Largest content of the buffer when a chunk is asked for.
    fn room(&self) -> Span {
        Span::from_nanos(self.video.buffer.span().nanos() - self.video.chunk.span().nanos())
    }

    /// Share of that which is in it; 0 where there is room for one chunk alone.
    fn fill(&self) -> f64 {
        let room = self.room();
        if room > Span::ZERO { self.playback.buffer.seconds() / room.seconds() } else { 0.0 }
    }

    /// Time until there is room for a chunk.
    fn pause(&self) -> Span {
        let more = self.playback.buffer.nanos() - self.room().nanos();
        Span::from_nanos(if self.playback.plays() { more.max(0) } else { 0 })
    }

    /// Counts up to `now`.
    #[must_use]
    pub fn counts(&self, now: Instant) -> VideoCounts {
        let has_all =
            self.left == Some(0) && self.video.chunks() == Some(self.playback.counts.chunks);
        self.playback.at(now, has_all).counts
    }
}
