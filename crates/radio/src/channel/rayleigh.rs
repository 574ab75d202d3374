//! Bit errors under Rayleigh or Rician fading (Clarke/Jakes spectrum); the fading varies within a packet [chockalingam
//! section III-A].
//!
//! `snr` is the mean ratio of energy per transmitted bit to noise density. Without a code a packet is lost if any of
//! its bits is in error. With a code, a packet is sent as full code words (the last one is padded), which also
//! determine its airtime, and it is lost if any word has more errors than the code corrects. Codes are the primitive
//! BCH codes of length 7 to 511 by length and dimension, or any `"bch(n,k,t)"`.
//!
//! Parity bits have the same `snr` as data bits. With `bch(255,87)`, 256 bits are three words of 255 bits, so a slot at
//! 1.5 Mbit/s takes 510 us instead of 171 us. `mode = "bits"` computes every bit; `"fast"` uses one random number per
//! word where bounds on the word's error probability are enough to decide.
//!
//! The gain is a Gaussian process whose autocorrelation is within 2e-4 of J0(2 pi f_d tau) up to 1000 cycles and within
//! 0.002 beyond. It goes on while nothing is sent, and a packet's fate depends only on it and on the packet's start, so
//! all variants meet the same fading.
//!
//! ```toml
//! kind = "rayleigh"
//! snr = "20dB"
//! doppler = "10Hz"
//! modulation = "bpsk"     # or "dpsk", "fsk", "ncfsk"
//! code = "bch(255,87)"    # absent: none
//! ```

use super::faded::{FadedChannel, Mode, check_doppler};
use super::process::Process;
use super::spec::Spec;
use crate::bits::{Code, ErrorTable, Modulation};
use crate::fading::{Clarke, GainPath, Generator, check_cycles};
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Decibels, Frequency, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bit errors under Rayleigh fading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rayleigh {
    /// Mean ratio of energy per transmitted bit to noise density, in dB. Example: `"20dB"`.
    pub snr: Decibels,
    /// Maximum Doppler shift. Example: `"10Hz"`.
    pub doppler: Frequency,
    /// Modulation of bits. Example: `"dpsk"`.
    #[serde(default)]
    pub modulation: Modulation,
    /// Error-correcting code of every packet. Absent: none. Example: `"bch(255,87)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Code")]
    pub code: Option<Code>,
    /// Rician K factor, a ratio of powers: direct path to scattered paths; 0: Rayleigh fading. Example: `4`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1e6))]
    pub rician_k: f64,
    /// Method of computing packet losses; both give the same distribution, `fast` in less time. Example: `"bits"`.
    #[serde(default)]
    pub mode: Mode,
}

impl Rayleigh {
    fn check(&self) -> Result<(), SpecError> {
        if !(0.0..=1e6).contains(&self.rician_k) {
            let message = format!("{} is outside 0 to 1e6", self.rician_k);
            return Err(SpecError::new("rician_k", message));
        }
        Ok(())
    }
}

impl Spec for Rayleigh {
    fn build(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        self.check()?;
        let generator = Generator::Clarke(Box::new(Clarke::new(&stream)));
        let path = GainPath::new(generator, self.doppler, self.rician_k);
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
