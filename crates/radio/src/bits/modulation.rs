//! Bit error probabilities in white Gaussian noise, given the ratio g of energy per transmitted bit to
//! noise density [Proakis, Digital Communications, 1995, sections 5.2 to 5.4].

use airtcp_core::RegistryEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Modulation of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Modulation {
    /// Coherent BPSK: Q(sqrt(2g)).
    #[default]
    Bpsk,
    /// Differential BPSK: exp(-g)/2.
    Dpsk,
    /// Coherent orthogonal FSK: Q(sqrt(g)).
    Fsk,
    /// Non-coherent orthogonal FSK: exp(-g/2)/2.
    Ncfsk,
}

impl Modulation {
    /// Every one.
    pub const ALL: &'static [Modulation] =
        &[Modulation::Bpsk, Modulation::Dpsk, Modulation::Fsk, Modulation::Ncfsk];

    /// The listing.
    pub const ENTRIES: &'static [RegistryEntry] = &[
        RegistryEntry {
            name: "bpsk",
            summary: "Coherent BPSK: Q(sqrt(2g)).",
            sources: "proakis1995",
        },
        RegistryEntry {
            name: "dpsk",
            summary: "Differential BPSK: exp(-g)/2.",
            sources: "proakis1995",
        },
        RegistryEntry {
            name: "fsk",
            summary: "Coherent orthogonal FSK: Q(sqrt(g)).",
            sources: "proakis1995",
        },
        RegistryEntry {
            name: "ncfsk",
            summary: "Non-coherent orthogonal FSK: exp(-g/2)/2.",
            sources: "proakis1995",
        },
    ];

    /// The probability that a bit is in error at signal-to-noise ratio `snr` (linear) per transmitted bit.
    #[must_use]
    pub fn bit_error_rate(self, snr: f64) -> f64 {
        match self {
            Modulation::Bpsk => libm::erfc(snr.sqrt()) / 2.0,
            Modulation::Dpsk => libm::exp(-snr) / 2.0,
            Modulation::Fsk => libm::erfc((snr / 2.0).sqrt()) / 2.0,
            Modulation::Ncfsk => libm::exp(-snr / 2.0) / 2.0,
        }
    }

    /// Derivative of the bit error rate by the amplitude `sqrt(snr)`.
    pub(super) fn bit_error_rate_slope(self, amplitude: f64) -> f64 {
        let snr = amplitude * amplitude;
        let gauss = |x: f64| libm::exp(-x) / std::f64::consts::PI.sqrt();
        match self {
            Modulation::Bpsk => -gauss(snr),
            Modulation::Dpsk => -amplitude * libm::exp(-snr),
            Modulation::Fsk => -gauss(snr / 2.0) / std::f64::consts::SQRT_2,
            Modulation::Ncfsk => -amplitude * libm::exp(-snr / 2.0) / 2.0,
        }
    }
}
