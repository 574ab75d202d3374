//! Losses under Jakes' classical simulator of fading, a sum of a few oscillators [jakes1974, section 1.7].
//!
//! Use it to repeat published results that used it. It is not Rayleigh fading: with 8 oscillators deep fades are too
//! rare, and loss rates are too low by some per cent. `rayleigh` is the process that it approximates.
//!
//! ```toml
//! kind = "jakes"
//! snr = "20dB"
//! doppler = "10Hz"
//! oscillators = 8
//! ```

use super::faded::{FadedChannel, Mode, check_doppler};
use super::process::Process;
use super::spec::Spec;
use crate::bits::{Code, ErrorTable, Modulation};
use crate::fading::{self, GainPath, Generator, MAX_OSCILLATORS, check_cycles};
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Decibels, Frequency, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bit errors under a sum of oscillators.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JakesOscillators")]
pub struct Jakes {
    /// Mean ratio of energy per transmitted bit to noise density, in dB. Example: `"20dB"`.
    pub snr: Decibels,
    /// Maximum Doppler shift. Example: `"10Hz"`.
    pub doppler: Frequency,
    /// Number of oscillators below the maximum Doppler shift (`N_0`). Example: `16`.
    #[serde(default = "default_oscillators")]
    #[schemars(range(min = 1, max = 1024))]
    pub oscillators: u32,
    /// Modulation of bits. Example: `"dpsk"`.
    #[serde(default)]
    pub modulation: Modulation,
    /// Error-correcting code of every packet. Absent: none. Example: `"bch(255,87)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Code")]
    pub code: Option<Code>,
    /// Method of computing packet losses; both give the same distribution, `fast` in less time. Example: `"bits"`.
    #[serde(default)]
    pub mode: Mode,
}

fn default_oscillators() -> u32 {
    8
}

impl Jakes {
    fn check(&self) -> Result<(), SpecError> {
        if !(1..=MAX_OSCILLATORS).contains(&self.oscillators) {
            let message = format!("{} is outside 1 to {MAX_OSCILLATORS}", self.oscillators);
            return Err(SpecError::new("oscillators", message));
        }
        Ok(())
    }
}

impl Spec for Jakes {
    fn build(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        self.check()?;
        let generator = Generator::Jakes(fading::Jakes::new(self.oscillators, stream.clone()));
        let path = GainPath::new(generator, self.doppler, 0.0);
        let errors = ErrorTable::new(self.modulation);
        let faded =
            FadedChannel::new(path, self.snr.ratio(), errors, self.code, self.mode, &stream);
        Ok(Process::Other(Box::new(faded)))
    }

    /// Losses in fading are no chain.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.check().map(|()| None)
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        self.code.map_or(bits, |code| code.bits_on_air(bits))
    }

    fn check_rate(&self, rate: Rate) -> Result<(), SpecError> {
        check_doppler(self.doppler, rate)
    }

    fn check_end(&self, seconds: f64) -> Result<(), SpecError> {
        check_cycles(self.doppler, seconds)
    }
}
