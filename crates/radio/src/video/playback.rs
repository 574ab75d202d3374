//! Playback as the viewer sees it: the video plays while something is in the buffer, and stalls while nothing is.

use airtcp_core::{Instant, Span, counts};

counts! {
    /// Counts of a video up to some instant.
    pub struct VideoCounts {
        /// Chunks that have come.
        chunks: u64, sum => ["chunks" sum: chunks];
        /// Sum of the playing times of these chunks.
        chunk_time: Span, sum => ["chunk_ns" sum: chunk_time];
        /// Bits of the chunks that have come.
        chunk_bits: u64, sum => ["chunk_bits" sum: chunk_bits];
        /// Chunks of another bitrate than the one before.
        switches: u64, sum => ["switches" sum: switches];
        /// Time for which it has played.
        played: Span, sum => ["played_ns" sum: played];
        /// Time for which it has stalled since it first played.
        stalled: Span, sum => ["stalled_ns" sum: stalled];
        /// Number of stalls.
        stalls: u64, sum => ["stalls" sum: stalls];
        /// Time from the start of the flow until it first played.
        startup: Option<Span>, once => ["startup_ns" single_occurrence: startup];
    }
}

/// State of the playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaybackState {
    /// Has not played yet.
    NotStarted,
    Plays,
    Stalls,
}

/// A video as it is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playback {
    state: PlaybackState,
    /// Content of the buffer at `since`.
    pub(super) buffer: Span,
    since: Instant,
    pub(super) counts: VideoCounts,
}

impl Playback {
    /// Playback of a video that is requested at `start`.
    pub(super) fn new(start: Instant) -> Self {
        let (state, counts) = (PlaybackState::NotStarted, VideoCounts::default());
        Playback { state, buffer: Span::ZERO, since: start, counts }
    }

    /// State advanced to `now`; with `is_whole` all chunks have arrived, so that playback ends with the buffer.
    pub(super) fn advanced_to(mut self, now: Instant, is_whole: bool) -> Self {
        if now <= self.since {
            return self;
        }
        let time = now - self.since;
        self.since = now;
        if self.state == PlaybackState::Plays {
            let plays = time.min(self.buffer);
            self.counts.played = self.counts.played + plays;
            self.buffer = Span::from_nanos((self.buffer.nanos()) - plays.nanos());
            if plays < time && !is_whole {
                self.state = PlaybackState::Stalls;
                self.counts.stalls += 1;
                self.counts.stalled =
                    self.counts.stalled + Span::from_nanos(time.nanos() - plays.nanos());
            }
        } else if self.state == PlaybackState::Stalls {
            self.counts.stalled = self.counts.stalled + time;
        }
        self
    }

    /// Adds a chunk of `length` that has arrived; playback starts once the buffer holds `ready`.
    pub(super) fn add_chunk(&mut self, length: Span, ready: Span, start: Instant) {
        self.buffer = self.buffer + length;
        if self.state != PlaybackState::Plays && self.buffer >= ready {
            if self.state == PlaybackState::NotStarted {
                self.counts.startup = Some(self.since - start);
            }
            self.state = PlaybackState::Plays;
        }
    }

    /// Returns whether it plays.
    pub(super) fn is_playing(&self) -> bool {
        self.state == PlaybackState::Plays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: i64) -> Span {
        Span::from_nanos(1_000_000_000 * n)
    }

    fn at(n: i64) -> Instant {
        Instant::START + seconds(n)
    }

    /// Chunks of 4 s come at 3, 5 and 20 s: it plays from 3 to 11, stalls until 20, and plays on.
    #[test]
    fn it_stalls_while_nothing_is_in_the_buffer() {
        let mut playback = Playback::new(at(1));
        for n in [3, 5, 20] {
            playback = playback.advanced_to(at(n), false);
            playback.add_chunk(seconds(4), seconds(4), at(1));
        }
        let counts = playback.advanced_to(at(22), false).counts;
        assert_eq!(counts.startup, Some(seconds(2)));
        assert_eq!((counts.played, counts.stalled, counts.stalls), (seconds(10), seconds(9), 1));
    }

    /// With 8 s to come first, it begins at 5 s, and after the stall at 13 s waits for two chunks.
    #[test]
    fn it_plays_once_there_is_enough() {
        let mut playback = Playback::new(at(0));
        for n in [3, 5, 20, 21] {
            playback = playback.advanced_to(at(n), false);
            playback.add_chunk(seconds(4), seconds(8), at(0));
        }
        assert_eq!(playback.counts.startup, Some(seconds(5)));
        assert_eq!((playback.counts.stalled, playback.counts.stalls), (seconds(8), 1));
        assert!(playback.is_playing());
    }

    #[test]
    fn its_end_is_no_stall() {
        let mut playback = Playback::new(at(0)).advanced_to(at(1), false);
        playback.add_chunk(seconds(4), seconds(4), at(0));
        assert_eq!(playback.advanced_to(at(9), true).counts.stalls, 0);
        assert_eq!(playback.advanced_to(at(9), false).counts.stalled, seconds(4));
    }

    #[test]
    fn what_was_counted_before_is_taken_off() {
        let mut playback = Playback::new(at(0)).advanced_to(at(2), false);
        playback.add_chunk(seconds(4), seconds(4), at(0));
        let before = playback.advanced_to(at(3), false).counts;
        let part = playback.advanced_to(at(8), false).counts.since(&before);
        assert_eq!((part.played, part.stalled, part.startup), (seconds(3), seconds(2), None));
        assert_eq!(before.since(&VideoCounts::default()).startup, Some(seconds(2)));
    }
}
