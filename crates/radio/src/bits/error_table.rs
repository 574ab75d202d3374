//! The bit error probability as a function of the amplitude, tabulated: it is asked for once per bit.

use super::modulation::Modulation;

/// Cells per unit of amplitude: the relative error of a cubic in them is below 1e-5.
const CELLS_PER_AMPLITUDE: f64 = 64.0;
/// Probabilities below are taken as 0: no run has so many bits.
const NEGLIGIBLE_PROBABILITY: f64 = 1e-20;

/// Bit error probability by amplitude, the square root of the signal-to-noise ratio.
#[derive(Clone, Debug)]
pub struct ErrorTable {
    cubics: Vec<[f64; 4]>,
}

impl ErrorTable {
    /// The table of `modulation`.
    #[must_use]
    pub fn new(modulation: Modulation) -> Self {
        let at = |i: u32| f64::from(i) / CELLS_PER_AMPLITUDE;
        let value = |i| modulation.bit_error_rate(at(i) * at(i));
        let slope = |i| modulation.bit_error_rate_slope(at(i)) / CELLS_PER_AMPLITUDE;
        let cells = (0..).take_while(|i| value(*i) >= NEGLIGIBLE_PROBABILITY);
        let cubic = |i| hermite_cubic([value(i), value(i + 1)], [slope(i), slope(i + 1)]);
        ErrorTable { cubics: cells.map(cubic).collect() }
    }

    /// The amplitude from which on nothing is lost.
    #[must_use]
    pub fn lossless_amplitude(&self) -> f64 {
        self.cubics.len() as f64 / CELLS_PER_AMPLITUDE
    }

    /// The probability that a bit is in error.
    #[inline]
    #[must_use]
    pub fn error_probability(&self, amplitude: f64) -> f64 {
        let x = amplitude * CELLS_PER_AMPLITUDE;
        let cell = x as usize;
        let Some([a, b, c, d]) = self.cubics.get(cell) else { return 0.0 };
        let s = x - cell as f64;
        ((d * s + c) * s + b) * s + a
    }
}

/// The cubic with these values and slopes at 0 and 1.
fn hermite_cubic([p, q]: [f64; 2], [m, n]: [f64; 2]) -> [f64; 4] {
    [p, m, 3.0 * (q - p) - 2.0 * m - n, 2.0 * (p - q) + m + n]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_five_digits() {
        for modulation in Modulation::ALL {
            let table = ErrorTable::new(*modulation);
            for i in 0..20_000 {
                let amplitude = f64::from(i) * 3.1e-4;
                let exact = modulation.bit_error_rate(amplitude * amplitude);
                let error = (table.error_probability(amplitude) / exact - 1.0).abs();
                assert!(error < 1e-5, "{modulation:?} {amplitude}: {error}");
            }
            assert!(
                modulation.bit_error_rate(table.lossless_amplitude() * table.lossless_amplitude())
                    < NEGLIGIBLE_PROBABILITY
            );
            assert_eq!(table.error_probability(table.lossless_amplitude() + 1.0), 0.0);
        }
    }
}
