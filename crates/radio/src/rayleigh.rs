//! The two-state chain of a threshold on Rayleigh fading, sampled once per packet
//! [zorzi, section III-A, after its reference 16].
//!
//! With F the fading margin, rho = |J0(2 pi `f_dT`)| the correlation of two samples, a packet is lost
//! iff the power is below 1/F of its mean: `P_E = 1 - exp(-1/F)`, and
//! `p_BG = [Q1(theta, rho theta) - Q1(rho theta, theta)] / (exp(1/F) - 1)` with
//! `theta^2 = 2/(F (1 - rho^2))`. The difference of Marcum functions cancels badly in slow fading.
//! Written over the Poisson kernel `K(u) = (1 - rho^2)/(1 + rho^2 - 2 rho cos u)` it is
//! `(1/pi) int_0^pi [1 - exp(-K(u)/F)] du`: every term positive.

use crate::two_state::TwoState;
use std::f64::consts::PI;

/// The chain for `inverse_margin` = 1/F (linear, positive) and normalised Doppler `doppler` = `f_dT`
/// (positive).
#[must_use]
pub fn rayleigh_two_state(inverse_margin: f64, doppler: f64) -> TwoState {
    let (one_minus_rho, rho) = correlation(doppler);
    let both = crossing_mass(inverse_margin, one_minus_rho, rho);
    let p_bg = (both / libm::expm1(inverse_margin)).min(1.0);
    // p_GB = p_BG P_E/(1 - P_E), and P_E/(1 - P_E) = exp(1/F) - 1.
    TwoState { p_gb: both.min(1.0), p_bg }
}

/// `(1 - rho, rho)` for rho = |J0(2 pi `f_dT`)|, without cancellation in slow fading.
fn correlation(doppler: f64) -> (f64, f64) {
    let x = 2.0 * PI * doppler;
    if x > 0.5 {
        let rho = libm::j0(x).abs();
        return (1.0 - rho, rho);
    }
    // 1 - J0(x) = -sum_{k>=1} (-x^2/4)^k / k!^2: eight terms leave less than 1e-20 of the first.
    let z = -x * x / 4.0;
    let (mut term, mut sum) = (1.0, 0.0);
    for k in 1..=8 {
        term *= z / f64::from(k * k);
        sum -= term;
    }
    (sum, 1.0 - sum)
}

/// `(1/pi) int_0^pi 1 - exp(-K(u)/F) du` by Gauss-Legendre on panels that double away from the
/// kernel's peak at 0, whose width is `1 - rho`.
fn crossing_mass(inverse_margin: f64, one_minus_rho: f64, rho: f64) -> f64 {
    let kernel = |u: f64| {
        let s = libm::sin(u / 2.0);
        one_minus_rho * (1.0 + rho) / (one_minus_rho * one_minus_rho + 4.0 * rho * s * s)
    };
    let integrand = |u: f64| -libm::expm1(-inverse_margin * kernel(u));
    let (mut from, mut to, mut sum) = (0.0, (one_minus_rho / 4.0).max(1e-300), 0.0);
    while from < PI {
        let end = f64::min(to, PI);
        sum += panel(&integrand, from, end);
        from = end;
        to = end * 1.5;
    }
    sum / PI
}

/// Ten-point Gauss-Legendre.
fn panel(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const NODES: [(f64, f64); 5] = [
        (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
        (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
        (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
        (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
        (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    ];
    let (middle, half) = (f64::midpoint(from, to), (to - from) / 2.0);
    half * NODES
        .iter()
        .map(|&(x, w)| w * (f(middle - half * x) + f(middle + half * x)))
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table I of the paper, with its misprints corrected; to the printed digits.
    #[test]
    fn table_one() {
        let cases = [
            (0.01, 0.001, 0.999_329, 0.329_452),
            (0.01, 0.01, 0.997_518, 0.754_305),
            (0.01, 0.1, 0.991_872, 0.926_851),
            (0.08, 0.01, 0.990_680, 0.077_286),
            (0.08, 0.1, 0.940_354, 0.463_188),
            (0.64, 0.001, 0.999_000, 0.001_185),
            (0.64, 0.1, 0.901_820, 0.116_376),
        ];
        for (doppler, loss, p_gg, p_bb) in cases {
            let chain = rayleigh_two_state(-libm::log1p(-loss), doppler);
            assert!((1.0 - chain.p_gb - p_gg).abs() < 6e-7, "{doppler} {loss} {chain:?}");
            assert!((1.0 - chain.p_bg - p_bb).abs() < 6e-7, "{doppler} {loss} {chain:?}");
            assert!((chain.loss_rate() - loss).abs() < 1e-14);
        }
    }

    #[test]
    fn slow_fading_keeps_its_precision() {
        // Level crossings of a slow process: p_GB -> f_dT sqrt(2 pi/F) as f_dT -> 0, to the order of
        // f_dT^2 [Jakes, Microwave Mobile Communications, 1974, section 1.3.4].
        for doppler in [1e-5, 1e-6, 1e-7] {
            let chain = rayleigh_two_state(0.01, doppler);
            let rate = doppler * libm::sqrt(2.0 * PI * 0.01);
            assert!((chain.p_gb / rate - 1.0).abs() < 1e-3, "{doppler} {}", chain.p_gb / rate);
        }
    }
}
