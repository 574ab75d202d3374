//! The congestion window: a double, as in ns, whose traces show six digits of it after thousands of
//! ACKs. Sums and quotients of doubles are the same everywhere.

use serde::Serialize;
use std::fmt;

/// A window in sequence numbers, which count packets or bytes: at least 0, and not infinite.
#[derive(Clone, Copy, PartialEq, PartialOrd, Serialize)]
pub struct Window(f64);

impl Window {
    /// One packet.
    pub const ONE: Window = Window(1.0);

    /// A window of `n` packets.
    #[must_use]
    pub const fn from_packets(n: u32) -> Self {
        Window(n as f64)
    }

    /// A window of `n` sequence numbers, or of 2^32 - 1 if that is less.
    #[must_use]
    pub const fn from_whole(n: u64) -> Self {
        Window(if n < u32::MAX as u64 { n as f64 } else { u32::MAX as f64 })
    }

    /// A window of `n` sequence numbers.
    #[must_use]
    pub const fn from_f64(n: f64) -> Self {
        Window(n)
    }

    /// Whole sequence numbers in the window.
    #[must_use]
    #[inline]
    pub const fn floor(self) -> u64 {
        // By way of a signed number, which takes half the instructions.
        (self.0 as i64).cast_unsigned()
    }

    /// The window as a number.
    #[must_use]
    pub const fn to_f64(self) -> f64 {
        self.0
    }

    /// `ceil(self / 2)`, in whole packets.
    #[must_use]
    pub fn half_rounded_up(self) -> Self {
        Window((self.0 / 2.0).ceil())
    }

    /// `self + 1/self`; the window is at least one packet.
    #[must_use]
    #[inline]
    pub const fn increased_by_inverse(self) -> Self {
        Window(self.0 + 1.0 / self.0)
    }

    /// `self - n`, but not below one.
    #[must_use]
    pub const fn minus(self, n: u64) -> Self {
        Window((self.0 - n as f64).max(1.0))
    }

    /// `self + n`.
    #[must_use]
    #[inline]
    pub const fn plus(self, n: u32) -> Self {
        Window(self.0 + n as f64)
    }

    /// The smaller of two windows.
    #[must_use]
    #[inline]
    pub const fn min(self, other: Window) -> Self {
        Window(self.0.min(other.0))
    }

    /// The larger of two windows.
    #[must_use]
    pub const fn max(self, other: Window) -> Self {
        Window(self.0.max(other.0))
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
        let half = |n| Window::from_packets(n).half_rounded_up().floor();
        assert_eq!([1, 2, 3, 4, 24, 25].map(half), [1, 1, 2, 2, 12, 13]);
        let above_four = Window::from_packets(4).increased_by_inverse();
        assert_eq!(above_four.half_rounded_up().floor(), 3);
    }

    #[test]
    fn avoidance_from_one_grows_as_in_the_paper() {
        let mut w = Window::ONE;
        let mut seen = vec![];
        for _ in 0..4 {
            seen.push(format!("{w:?}").chars().take(5).collect::<String>());
            w = w.increased_by_inverse();
        }
        assert_eq!(seen, ["1", "2", "2.5", "2.9"]);
    }

    /// ns 2.35 prints 43.1178 as the window after 926 ACKs of avoidance from 2, which is 43.11775005.
    #[test]
    fn long_growth_shows_the_digits_of_ns() {
        let grown = (0..926).fold(Window::from_packets(2), |w, _| w.increased_by_inverse());
        assert_eq!(format!("{:.4}", grown.to_f64()), "43.1178");
    }
}
