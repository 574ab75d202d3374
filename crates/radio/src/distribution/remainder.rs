//! The mean of a remainder of netem's correlated numbers, which its uniform delays are.
//!
//! In the long run a number is (1 - c) (U0 + c U1 + c² U2 + ...) of independent uniform ones, so that its characteristic
//! function is a product of sinc functions. With the Fourier series of a sawtooth, the mean of the remainder by s is
//! s/2 - s/π Σ sin(2π n m/s)/n Π sinc(π n (1 - c) c^k W/s). There n goes from 1 on and k from 0 on, m is the mean of the numbers, and W = 2^32.

use std::f64::consts::PI;

/// W: so many numbers there are.
const NUMBER_COUNT: f64 = 4_294_967_296.0;
/// The mean is off by no more than this share of the divisor.
const PRECISION: f64 = 1e-6;

/// The mean remainder by `divisor` of numbers of which the last weighs `c` of 1.
pub(super) fn mean_remainder(divisor: u32, c: f64) -> f64 {
    let divisor = f64::from(divisor);
    // A step rounds down, by a half in the mean; and a whole number stands for all up to the next one.
    let middle = (NUMBER_COUNT - 1.0 / (1.0 - c)) / 2.0;
    let first = PI * (1.0 - c) * NUMBER_COUNT / divisor;
    let harmonics = (1..).map(|n| (f64::from(n), sinc_product(f64::from(n) * first, c)));
    let sum: f64 = harmonics
        .take_while(|(_, sincs)| sincs.bound >= PRECISION)
        .map(|(n, sincs)| libm::sin(2.0 * PI * n * middle / divisor) / n * sincs.product)
        .sum();
    divisor / 2.0 - divisor / PI * sum - 0.5
}

/// A product of sinc functions.
struct SincProduct {
    product: f64,
    /// Above its size, and falling as its argument grows.
    bound: f64,
}

/// sinc(x) sinc(c x) sinc(c² x) ...
fn sinc_product(mut x: f64, c: f64) -> SincProduct {
    let (mut product, mut bound) = (1.0, 1.0);
    while x > 0.5 && bound >= PRECISION {
        product *= libm::sin(x) / x;
        bound /= x.max(1.0);
        x *= c;
    }
    let rest = small_sinc_product(x, c);
    SincProduct { product: product * rest, bound: bound * rest }
}

/// The product for `x` up to 1/2, by the power series of ln sinc.
fn small_sinc_product(x: f64, c: f64) -> f64 {
    let power = |x: f64, m: i32| libm::pow(x, f64::from(2 * m));
    let terms = (1..).zip([6.0, 180.0, 2835.0, 37_800.0, 467_775.0]);
    let sum: f64 = terms.map(|(m, part)| power(x, m) / part / (1.0 - power(c, m))).sum();
    libm::exp(-sum)
}
