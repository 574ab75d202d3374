//! Airtime: the time for which a transmission occupies the medium, in one place.

use crate::{Rate, Span};

/// Largest accepted relative error of an airtime by rounding to whole nanoseconds; airtimes of 500 ns or more stay
/// within it.
pub const MAX_ROUNDING_ERROR: f64 = 1e-3;

/// The time that `bits` bits take at `rate`, rounded to the nearest nanosecond, at least one.
#[must_use]
pub fn airtime(bits: u64, rate: Rate) -> Span {
    Span::from_nanos((exact_nanos(bits, rate).round() as i64).max(1))
}

/// Relative rounding error of [`airtime`].
#[must_use]
pub fn relative_rounding_error(bits: u64, rate: Rate) -> f64 {
    let exact = exact_nanos(bits, rate);
    (airtime(bits, rate).nanos() as f64 - exact).abs() / exact
}

fn exact_nanos(bits: u64, rate: Rate) -> f64 {
    bits as f64 * 1e9 / rate.bits_per_second()
}

/// The airtimes of transmissions one after the other. Where rounding each by itself would change it by more than
/// [`MAX_ROUNDING_ERROR`], what it leaves goes on to the next, so that a link carries its rate however short they are.
#[derive(Clone, Debug)]
pub struct Airtimes {
    rate: Rate,
    /// Length of the last transmission before coding; its airtime, rounded, and exact if needed.
    bits: u64,
    span: Span,
    exact: Option<f64>,
    /// Time from its rounded end to the real end of the last one, in nanoseconds; below 0: it ends earlier.
    remainder: f64,
}

impl Airtimes {
    /// Airtimes at `rate`, before the first transmission.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Airtimes { rate, bits: 0, span: Span::ZERO, exact: None, remainder: 0.0 }
    }

    /// The airtime of `bits` bits, of which a code makes `on_air`; `follows` says that they start as the transmission before ends.
    #[inline]
    pub fn next_airtime(
        &mut self,
        bits: u64,
        on_air: impl FnOnce(u64) -> u64,
        follows: bool,
    ) -> Span {
        if self.bits != bits {
            self.update_length(bits, on_air(bits));
        }
        match self.exact {
            None => self.span,
            Some(exact) => self.round_with_carry(exact, follows),
        }
    }

    /// Changes the rate from the next transmission on.
    pub fn set_rate(&mut self, rate: Rate) {
        (self.rate, self.bits) = (rate, 0);
    }

    /// Takes back the remainder that the transmission last asked for, of airtime `span`, took over from the one before, and
    /// leaves that to the next one, in nanoseconds: it ends at another rate.
    pub fn revoke_last(&mut self, span: Span) -> f64 {
        let Some(exact) = self.exact else { return 0.0 };
        self.remainder = span.nanos() as f64 + self.remainder - exact;
        self.remainder
    }

    /// Sets the nanoseconds by which the previous transmission ends after its rounded end.
    pub fn set_remainder(&mut self, left: f64) {
        self.remainder = left;
    }

    #[cold]
    fn update_length(&mut self, bits: u64, on_air: u64) {
        self.bits = bits;
        self.span = airtime(on_air, self.rate);
        self.exact = (relative_rounding_error(on_air, self.rate) > MAX_ROUNDING_ERROR)
            .then(|| exact_nanos(on_air, self.rate));
    }

    #[inline(never)]
    fn round_with_carry(&mut self, exact: f64, follows: bool) -> Span {
        let lasts = exact + if follows { self.remainder } else { 0.0 };
        self.remainder = lasts - lasts.round();
        Span::from_nanos(lasts.round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        Rate::try_from(text.to_string()).unwrap()
    }

    /// Airtime of transmissions of these bits, back to back.
    fn together(bits: &[u64], at: &str) -> i64 {
        let mut airtimes = Airtimes::new(rate(at));
        bits.iter().map(|bits| airtimes.next_airtime(*bits, |bits| bits, true).nanos()).sum()
    }

    #[test]
    fn a_packet_of_the_paper_lasts_seven_and_a_half_milliseconds() {
        assert_eq!(airtime(1400 * 8, rate("1.5Mbps")), Span::from_nanos(7_466_667));
    }

    #[test]
    fn short_packets_do_not_exceed_the_rate() {
        assert_eq!(together(&[560; 1000], "400Gbps"), 1400); // 1.4 ns each
        assert_eq!(together(&[320; 1000], "1e6Gbps"), 0); // 0.00032 ns each
        assert_eq!(together(&[320; 10_000], "1e6Gbps"), 3);
        assert_eq!(together(&[12_000, 560].repeat(1000), "70Gbps"), 179_429); // 171.43 ns and 8 ns
    }

    #[test]
    fn what_rounding_leaves_ends_with_a_pause() {
        let mut airtimes = Airtimes::new(rate("400Gbps"));
        let lasting = [true, true, true, false, true]
            .map(|follows| airtimes.next_airtime(560, |b| b, follows));
        assert_eq!(lasting.map(Span::nanos), [1, 2, 1, 1, 2]);
    }

    #[test]
    fn longer_ones_are_rounded_each_by_itself() {
        let each = airtime(1001 * 8, rate("1.5Mbps")).nanos();
        assert_eq!(together(&[1001 * 8; 1000], "1.5Mbps"), 1000 * each);
        assert!(relative_rounding_error(4000, rate("7.99999Gbps")) < MAX_ROUNDING_ERROR);
    }
}
