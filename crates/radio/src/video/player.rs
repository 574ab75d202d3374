//! State of a player in a run: it requests a chunk as soon as the buffer has space for it, in the bitrate that its rule chooses.

use super::playback::{Playback, VideoCounts};
use super::settings::Video;
use super::view::PlayerView;
use airtcp_core::{Instant, Span};

/// A player in motion.
#[derive(Debug)]
pub struct Player {
    video: Video,
    bitrates: Vec<f64>,
    /// Chunks that were not asked for yet; none: without end.
    chunks_left: Option<u64>,
    start: Instant,
    playback: Playback,
    /// Bitrates of the chunk at hand and of the one before, the instant when it was asked for, and its bytes.
    level: usize,
    previous_level: Option<usize>,
    request_time: Instant,
    bytes: u64,
    throughputs: Vec<f64>,
}

/// Throughputs that are kept at most: rules look at fewer.
const MAX_THROUGHPUTS: usize = 1000;

impl Player {
    /// Player that requests its first chunk at `start`.
    #[must_use]
    pub fn new(video: &Video, start: Instant) -> Self {
        Player {
            bitrates: video.bitrates.iter().map(|rate| rate.bits_per_second()).collect(),
            chunks_left: video.chunk_count(),
            video: video.clone(),
            start,
            playback: Playback::new(start),
            level: 0,
            previous_level: None,
            request_time: start,
            bytes: 0,
            throughputs: Vec::new(),
        }
    }

    /// Requests the next chunk at `now`, and returns its size in bytes; `None` after the last.
    pub fn request_chunk(&mut self, now: Instant) -> Option<u64> {
        if self.chunks_left == Some(0) {
            return None;
        }
        self.chunks_left = self.chunks_left.map(|left| left - 1);
        self.playback = self.playback.advanced_to(now, false);
        let view = PlayerView {
            bitrates: &self.bitrates,
            last: self.level,
            fill: self.fill_share(),
            throughputs: &self.throughputs,
        };
        self.level = self.video.choice.next(&view);
        self.request_time = now;
        self.bytes = self.video.chunk_bytes(self.bitrates[self.level]);
        Some(self.bytes)
    }

    /// The chunk that it asked for has come at `now`: when it asks for the next one; [`Instant::NEVER`] after the last.
    pub fn receive_chunk(&mut self, now: Instant) -> Instant {
        let (chunk, is_last) = (self.video.chunk.span(), self.chunks_left == Some(0));
        self.playback = self.playback.advanced_to(now, false);
        // The last chunk plays however short it is.
        let ready = if is_last { Span::ZERO } else { self.video.start_content() };
        self.playback.add_chunk(chunk, ready, self.start);
        self.count_chunk(chunk);
        if self.throughputs.len() == MAX_THROUGHPUTS {
            self.throughputs.remove(0);
        }
        let time = (now - self.request_time).max(Span::from_nanos(1));
        self.throughputs.push(8.0 * self.bytes as f64 / time.seconds());
        if is_last { Instant::NEVER } else { now + self.time_to_room() }
    }

    fn count_chunk(&mut self, chunk: Span) {
        let counts = &mut self.playback.counts;
        counts.chunks += 1;
        counts.chunk_time = counts.chunk_time + chunk;
        counts.chunk_bits += 8 * self.bytes;
        counts.switches +=
            u64::from(self.previous_level.is_some_and(|before| before != self.level));
        self.previous_level = Some(self.level);
    }

    /// Largest content of the buffer when a chunk is asked for.
    fn max_content(&self) -> Span {
        Span::from_nanos(self.video.buffer.span().nanos() - self.video.chunk.span().nanos())
    }

    /// Share of the largest content that the buffer holds; 0 if there is room for one chunk only.
    fn fill_share(&self) -> f64 {
        let room = self.max_content();
        if room > Span::ZERO { self.playback.buffer.seconds() / room.seconds() } else { 0.0 }
    }

    /// Time until there is room for a chunk.
    fn time_to_room(&self) -> Span {
        let more = self.playback.buffer.nanos() - self.max_content().nanos();
        Span::from_nanos(if self.playback.is_playing() { more.max(0) } else { 0 })
    }

    /// Counts up to `now`.
    #[must_use]
    pub fn counts(&self, now: Instant) -> VideoCounts {
        let has_all = self.chunks_left == Some(0)
            && self.video.chunk_count() == Some(self.playback.counts.chunks);
        self.playback.advanced_to(now, has_all).counts
    }
}
