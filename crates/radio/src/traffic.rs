//! Departure times of cross-traffic packets.

use crate::distribution::Draws;
use airtcp_core::{Instant, Span, Stream};

/// Configuration of a source of cross-traffic.
#[derive(Debug)]
pub struct SourceConfig {
    /// Length of a packet on the air.
    pub bits: u64,
    /// Nanoseconds from one packet to the next.
    pub interval: f64,
    /// Start and end of the source.
    pub active_interval: (Instant, Instant),
    /// Lengths of its bursts and pauses, and the stream that draws them; none: it is on all the time.
    pub bursts: Option<Bursts>,
}

/// Lengths of bursts and pauses.
#[derive(Debug)]
pub struct Bursts {
    /// Lengths of time during which it is on.
    pub on_times: Draws,
    /// Lengths of time in between.
    pub off_times: Draws,
    /// Stream from which they are drawn.
    pub stream: Stream,
}

/// State of a source of cross-traffic in a run.
#[derive(Debug)]
pub struct TrafficSource {
    bits: u64,
    interval: f64,
    end: Instant,
    bursts: Option<Bursts>,
    /// Begin and end of the present burst, and the number of packets that have left in it.
    burst_start: Instant,
    burst_end: Instant,
    left: u64,
    /// Time at which the next packet leaves.
    next: Instant,
}

impl TrafficSource {
    /// Returns the source that `config` describes.
    #[must_use]
    pub fn new(config: SourceConfig) -> Self {
        let (start, end) = config.active_interval;
        let mut source = TrafficSource {
            bits: config.bits,
            interval: config.interval,
            end,
            bursts: config.bursts,
            burst_start: start,
            burst_end: Instant::NEVER,
            left: 0,
            next: start,
        };
        source.turn_on(start);
        source
    }

    /// Time at which the next packet leaves; [`Instant::NEVER`] after the last.
    #[must_use]
    pub fn due(&self) -> Instant {
        if self.next < self.end { self.next } else { Instant::NEVER }
    }

    /// The packet that is due leaves: its length on the air.
    pub fn send(&mut self) -> u64 {
        self.left += 1;
        // From the start of the burst, so that nothing adds up.
        let offset = (self.left as f64 * self.interval).round().min(1e18);
        self.next = self.burst_start + Span::from_nanos(offset as i64);
        if self.next >= self.burst_end {
            self.pause();
        }
        self.bits
    }

    fn turn_on(&mut self, at: Instant) {
        (self.burst_start, self.next, self.left) = (at, at, 0);
        let Some(Bursts { on_times: on, stream, .. }) = &mut self.bursts else { return };
        match on.next(stream) {
            Some(length) => self.burst_end = at + length,
            None => self.next = Instant::NEVER,
        }
    }

    fn pause(&mut self) {
        let Some(Bursts { off_times: off, stream, .. }) = &mut self.bursts else { return };
        match off.next(stream) {
            Some(length) => self.turn_on(self.burst_end + length),
            None => self.next = Instant::NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::{Fixed, Spec};
    use airtcp_core::Duration;

    fn leaves(bursts: Option<Bursts>, end: i64) -> Vec<i64> {
        let at = |ms: i64| Instant::START + Span::from_nanos(ms * 1_000_000);
        let mut source = TrafficSource::new(SourceConfig {
            bits: 8000,
            interval: 1e6,
            active_interval: (at(2), at(end)),
            bursts,
        });
        let mut found = vec![];
        while source.due() < Instant::NEVER {
            found.push(source.due().nanos() / 1_000_000);
            assert_eq!(source.send(), 8000);
        }
        found
    }

    #[test]
    fn a_packet_per_interval_until_the_end() {
        assert_eq!(leaves(None, 6), [2, 3, 4, 5]);
    }

    #[test]
    fn bursts_begin_with_a_packet() {
        let distribution = |micros: i64| {
            let value = Duration::from_span(Span::from_nanos(micros * 1000));
            Fixed { value }.build().unwrap()
        };
        let bursts = Bursts {
            on_times: distribution(2500),
            off_times: distribution(3000),
            stream: Stream::new(1, "", 0),
        };
        // On from 2 to 4.5 ms and from 7.5 to 10 ms.
        assert_eq!(leaves(Some(bursts), 20)[..6], [2, 3, 4, 7, 8, 9]);
    }
}
