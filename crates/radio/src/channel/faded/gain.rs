//! The gain of a link and what both modes know of its bits.

use crate::bits::{Code, ErrorTable, Word};
use crate::fading::GainPath;
use airtcp_core::{CancelCheck, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Method by which fates are found. Both are the same in distribution.
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
pub(in crate::channel) struct FadedChannel {
    pub(super) path: GainPath,
    /// Amplitude of the signal at gain 1, by the noise.
    pub(super) amplitude_at_unit_gain: f64,
    pub(super) errors: ErrorTable,
    pub(super) code: Option<(Code, Word)>,
    pub(super) mode: Mode,
    pub(super) draws: Stream,
    /// Nothing is lost before this place on the grid.
    pub(super) clear_until: f64,
    pub(super) watch: CancelCheck,
}

/// A stretch of bits of equal length, by places on the grid of the fading.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitRun {
    pub(super) start: f64,
    /// Grid steps per bit.
    pub(super) steps_per_bit: f64,
    pub(super) bits: u64,
}

impl BitRun {
    pub(super) fn end(&self) -> f64 {
        self.start + self.steps_per_bit * self.bits as f64
    }

    /// The middle of a bit.
    pub(super) fn bit_middle(&self, bit: u64) -> f64 {
        self.start + self.steps_per_bit * (bit as f64 + 0.5)
    }

    /// The part of `bits` bits from bit `from` on.
    pub(super) fn sub_run(&self, from: u64, bits: u64) -> BitRun {
        BitRun { start: self.start + self.steps_per_bit * from as f64, bits, ..*self }
    }
}

/// The part of the stream that fates are drawn from; the fading has its own.
const FATE_STREAM: u64 = 1;

impl FadedChannel {
    /// `stream` drives fates; `snr` is the mean ratio of energy per transmitted bit to noise density.
    pub(in crate::channel) fn new(
        path: GainPath,
        snr: f64,
        errors: ErrorTable,
        code: Option<Code>,
        mode: Mode,
        stream: &Stream,
    ) -> Self {
        FadedChannel {
            path,
            amplitude_at_unit_gain: snr.sqrt(),
            errors,
            code: code.map(|code| (code, Word::for_code(code))),
            mode,
            draws: stream.child(FATE_STREAM),
            clear_until: f64::NEG_INFINITY,
            watch: CancelCheck::default(),
        }
    }

    /// Returns whether no bit of the stretch can be in error. Remembers from where to where that holds.
    pub(super) fn is_clear(&mut self, start: f64, end: f64) -> bool {
        let floor = self.errors.lossless_amplitude() / self.amplitude_at_unit_gain;
        let mut step = start.floor();
        while step <= end && !self.watch.is_cancelled() {
            if self.path.segment_from(step as i64).bounds(0.0, 1.0).0 < floor {
                return false;
            }
            step += 1.0;
        }
        self.clear_until = step;
        true
    }

    /// The probability that the bit at a place on the grid is in error.
    pub(super) fn bit_error(&mut self, place: f64) -> f64 {
        self.errors.error_probability(
            self.amplitude_at_unit_gain * self.path.gain(place).norm_sqr().sqrt(),
        )
    }
}
