//! The congestion window as a fixed-point number, so that equal inputs give equal runs everywhere.

use serde::Serialize;
use std::fmt;

/// A window in sequence numbers, which count packets or bytes; Q32.32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Window(u64);

const ONE: u64 = 1 << 32;

impl Window {
    /// One packet.
    pub const ONE: Window = Window(ONE);

    /// A window of `n` packets.
    #[must_use]
    pub const fn packets(n: u32) -> Self {
        Window((n as u64) << 32)
    }

    /// A window of `n` sequence numbers, or of 2^32 - 1 if that is less.
    #[must_use]
    pub const fn whole(n: u64) -> Self {
        Window(if n < ONE { n << 32 } else { (ONE - 1) << 32 })
    }

    /// A window of `n` sequence numbers, rounded down to 2^-32 of one.
    #[must_use]
    pub fn from_f64(n: f64) -> Self {
        Window((n * ONE as f64) as u64)
    }

    /// Whole sequence numbers in the window.
    #[must_use]
    #[inline]
    pub const fn floor(self) -> u64 {
        self.0 >> 32
    }

    /// The window as a number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// `ceil(self / 2)`, in whole packets.
    #[must_use]
    pub const fn half_rounded_up(self) -> Self {
        Window((self.0.div_ceil(2 * ONE)) << 32)
    }

    /// `self + 1/self`; the window is at least one packet.
    #[must_use]
    #[inline]
    pub const fn plus_inverse(self) -> Self {
        // 1/w in Q32.32 is floor(2^64/raw), and 2^64 is one more than u64::MAX.
        let (quotient, rest) = (u64::MAX / self.0, u64::MAX % self.0);
        let inverse = quotient + (rest + 1 == self.0) as u64;
        Window(self.0.saturating_add(inverse))
    }

    /// `self - n`, but not below one.
    #[must_use]
    pub const fn minus(self, n: u64) -> Self {
        let rest = self.0.saturating_sub(n.saturating_mul(ONE));
        if rest < ONE { Window::ONE } else { Window(rest) }
    }

    /// `self + n`.
    #[must_use]
    #[inline]
    pub const fn plus(self, n: u32) -> Self {
        Window(self.0.saturating_add((n as u64) << 32))
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_up() {
        let half = |n| Window::packets(n).half_rounded_up().floor();
        assert_eq!([1, 2, 3, 4, 24, 25].map(half), [1, 1, 2, 2, 12, 13]);
        let above_four = Window::packets(4).plus_inverse();
        assert_eq!(above_four.half_rounded_up().floor(), 3);
    }

    #[test]
    fn avoidance_from_one_grows_as_in_the_paper() {
        let mut w = Window::ONE;
        let mut seen = vec![];
        for _ in 0..4 {
            seen.push(format!("{w:?}").chars().take(5).collect::<String>());
            w = w.plus_inverse();
        }
        assert_eq!(seen, ["1", "2", "2.5", "2.899"], "2.9 is not a binary fraction");
    }
}
