//! Losses of packets whose bits meet a fading gain. The fading varies within a packet; given it, the
//! errors of bits are independent.
//!
//! The fading is a function of time, and what else is drawn for a packet belongs to the instant at which it
//! starts: questions in between change nothing, and all who ask meet the same fading.

mod brute;
mod fast;

use super::{Burst, Channel, Fate, SpecError};
use crate::bits::{Code, ErrorTable, Word};
use crate::fading::Path;
use airtcp_core::{Cancel, Frequency, Rate, Stream, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How fates are found. Both are the same in law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Mode {
    /// One draw per packet or word, against bounds of its probability, which is computed only where they
    /// leave it open.
    #[default]
    Fast,
    /// Bit by bit.
    Bits,
}

/// A link's fading and what it does to bits.
#[derive(Debug)]
pub(super) struct Faded {
    path: Path,
    /// Amplitude of the signal at gain 1, by the noise.
    scale: f64,
    errors: ErrorTable,
    code: Option<(Code, Word)>,
    mode: Mode,
    draws: Stream,
    /// Nothing is lost before this place on the grid.
    clear_until: f64,
    watch: Watch,
}

/// A stretch of bits of equal length, by places on the grid of the fading.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: f64,
    /// Grid steps per bit.
    pace: f64,
    bits: u64,
}

impl Stretch {
    fn end(&self) -> f64 {
        self.start + self.pace * self.bits as f64
    }

    /// The middle of a bit.
    fn middle(&self, bit: u64) -> f64 {
        self.start + self.pace * (bit as f64 + 0.5)
    }

    /// The part of `bits` bits from bit `from` on.
    fn part(&self, from: u64, bits: u64) -> Stretch {
        Stretch { start: self.start + self.pace * from as f64, bits, ..*self }
    }
}

/// The part of the stream that fates are drawn from; the fading has its own.
const FATES: u64 = 1;

impl Faded {
    /// `stream` drives fates; `snr` is the mean ratio of energy per transmitted bit to noise density.
    pub(super) fn new(
        path: Path,
        snr: f64,
        errors: ErrorTable,
        code: Option<Code>,
        mode: Mode,
        stream: &Stream,
    ) -> Self {
        Faded {
            path,
            scale: snr.sqrt(),
            errors,
            code: code.map(|code| (code, Word::coded(code))),
            mode,
            draws: stream.child(FATES),
            clear_until: f64::NEG_INFINITY,
            watch: Watch::default(),
        }
    }

    /// Whether no bit of the stretch can be in error. Remembers from where to where that holds.
    fn is_clear(&mut self, start: f64, end: f64) -> bool {
        let floor = self.errors.clear() / self.scale;
        let mut step = start.floor();
        while step <= end && !self.watch.ends() {
            if self.path.segment(step as i64).bounds(0.0, 1.0).0 < floor {
                return false;
            }
            step += 1.0;
        }
        self.clear_until = step;
        true
    }

    fn is_lost(&mut self, burst: Burst) -> bool {
        let start = self.path.place(burst.start.nanos());
        let end = self.path.place(burst.end.nanos());
        let bits = self.bits_on_air(burst.bits);
        let packet = Stretch { start, pace: (end - start) / bits as f64, bits };
        let mut draws = self.draws.at(burst.start.nanos());
        let word = self.code.as_ref().map_or(bits, |(code, _)| u64::from(code.n()));
        (0..bits / word).any(|i| {
            let word = packet.part(i * word, word);
            self.watch.ends()
                || match self.mode {
                    Mode::Fast => self.loses_fast(word, &mut draws),
                    Mode::Bits => self.loses_bitwise(word, &mut draws),
                }
        })
    }

    /// The probability that the bit at a place on the grid is in error.
    fn bit_error(&mut self, place: f64) -> f64 {
        self.errors.at(self.scale * self.path.gain(place).norm_sqr().sqrt())
    }
}

impl Channel for Faded {
    #[inline]
    fn fate(&mut self, burst: Burst) -> Fate {
        let end = self.path.place(burst.end.nanos());
        if end < self.clear_until {
            return Fate::Clean;
        }
        let start = self.path.place(burst.start.nanos());
        if self.is_clear(start, end) || !self.is_lost(burst) { Fate::Clean } else { Fate::Erased }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = Watch::new(cancel);
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        self.code.as_ref().map_or(bits, |(code, _)| code.bits_on_air(bits))
    }
}

/// The gain is taken as constant over a bit: it must not turn more than once in two of them.
pub(super) fn check_doppler(doppler: Frequency, rate: Rate) -> Result<(), SpecError> {
    let most = rate.bits_per_second() / 2.0;
    if doppler.hertz() <= most {
        return Ok(());
    }
    let message = format!(
        "{doppler} is above half the rate at which the gain is sampled, once per bit: at most {most}Hz at {rate}"
    );
    Err(SpecError::new("doppler", message))
}
