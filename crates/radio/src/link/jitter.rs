//! Effects of the wire on packets: delays that change from one to the next, packets that overtake, and second copies.

use crate::distribution::correlated::{Correlated, in_32_bits};
use crate::distribution::{DistributionSpec, Draws, Spec as _};
use crate::spec_error::SpecError;
use airtcp_core::{Probability, Span, Stream};

/// An extra delay for every packet, drawn as its transmission starts.
#[derive(Debug)]
pub struct Jitter {
    packet_draws: (Draws, Stream),
    /// Copies draw apart, so that the packets' delays are the same with and without them.
    copy_draws: (Draws, Stream),
}

impl Jitter {
    /// Delays by `distribution`, drawn from `stream`. After the last length of a distribution that has one, there is no extra delay.
    ///
    /// # Errors
    /// If the values of the distribution contradict each other.
    pub fn new(distribution: &DistributionSpec, stream: Stream) -> Result<Self, SpecError> {
        let copies = (distribution.build()?, stream.child(1));
        Ok(Jitter { packet_draws: (distribution.build()?, stream), copy_draws: copies })
    }

    pub(super) fn packet_delay(&mut self) -> Span {
        draw(&mut self.packet_draws)
    }

    pub(super) fn copy_delay(&mut self) -> Span {
        draw(&mut self.copy_draws)
    }
}

fn draw((draws, stream): &mut (Draws, Stream)) -> Span {
    draws.next_or_zero(stream).unwrap_or(Span::ZERO)
}

/// netem's reordering: some packets are not delayed at all, and so overtake those on the wire.
#[derive(Debug)]
pub struct Overtaking {
    probability: u32,
    /// Between two packets that overtake at least so many are delayed.
    min_delayed_between: u32,
    /// Number of packets that were delayed since the last one that overtook.
    delayed_since_last: u32,
    numbers: Correlated,
    stream: Stream,
}

impl Overtaking {
    /// Packets overtake with this probability, by numbers of this correlation, and at most one in `gap`.
    ///
    /// # Errors
    /// If the correlation is 1.
    pub fn new(
        probability: Probability,
        correlation: Option<Probability>,
        gap: u32,
        stream: Stream,
    ) -> Result<Self, SpecError> {
        let (probability, numbers) = (in_32_bits(probability), Correlated::new(correlation)?);
        Ok(Overtaking {
            probability,
            min_delayed_between: gap.saturating_sub(1),
            delayed_since_last: 0,
            numbers,
            stream,
        })
    }

    /// Decides whether the next packet overtakes. Only of packets that the channel lets through.
    pub(super) fn draw(&mut self) -> bool {
        let may = self.delayed_since_last >= self.min_delayed_between;
        let overtakes = may && self.numbers.next(&mut self.stream) <= self.probability;
        self.delayed_since_last =
            if overtakes { 0 } else { self.delayed_since_last.saturating_add(1) };
        overtakes
    }
}

/// Packets that arrive twice.
#[derive(Debug)]
pub struct Duplication {
    probability: f64,
    stream: Stream,
}

impl Duplication {
    /// Each packet does with this probability, independent of the others.
    #[must_use]
    pub fn new(probability: f64, stream: Stream) -> Self {
        Duplication { probability, stream }
    }

    /// Decides whether the next packet arrives twice.
    pub(super) fn draw(&mut self) -> bool {
        self.stream.chance(self.probability)
    }
}
