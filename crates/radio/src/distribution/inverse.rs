//! Quantiles of distributions whose distribution function has no inverse in closed form.

use std::f64::consts::{PI, SQRT_2};

/// A distribution function at a place: its value, one minus that, and its density.
struct DistributionPoint {
    below: f64,
    above: f64,
    density: f64,
}

/// Most steps of the search; it needs some ten.
const MAX_NEWTON_STEPS: usize = 200;

/// The place at which a distribution function is `u`, in (0, 1): Newton's steps on the logarithm of the smaller tail,
/// in which the search is as good far out as in the middle, and halves where a step leaves the bracket.
fn inverse_distribution(
    u: f64,
    start: f64,
    distribution: impl Fn(f64) -> DistributionPoint,
) -> f64 {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut x, mut reach) = (start, 1.0);
    for _ in 0..MAX_NEWTON_STEPS {
        let at = distribution(x);
        let (off, tail) = if u < 0.5 {
            (libm::log(at.below) - libm::log(u), at.below)
        } else {
            (libm::log1p(-u) - libm::log(at.above), at.above)
        };
        if off > 0.0 {
            high = x;
        } else {
            low = x;
        }
        // Where the tail is flat a step would lead out of the numbers.
        let step = x - (off * tail / at.density).clamp(-reach, reach);
        let next = if step > low && step < high {
            step
        } else if low.is_finite() && high.is_finite() {
            f64::midpoint(low, high)
        } else {
            reach *= 2.0;
            if low.is_finite() { low + reach } else { high - reach }
        };
        if (next - x).abs() <= 1e-14 * (1.0 + x.abs()) {
            return next;
        }
        x = next;
    }
    x
}

/// The standard normal distribution function.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The standard normal quantile of `u` in [0, 1).
pub(crate) fn normal_quantile(u: f64) -> f64 {
    if u <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // A logistic distribution of the same deviation is near.
    let start = (libm::log(u) - libm::log1p(-u)) * 3.0_f64.sqrt() / PI;
    inverse_distribution(u, start, |z| DistributionPoint {
        below: normal_cdf(z),
        above: normal_cdf(-z),
        density: libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt(),
    })
}

/// The quantile of `u` in [0, 1) of the gamma distribution of this shape and scale 1.
pub(super) fn gamma_quantile(u: f64, shape: f64) -> f64 {
    if u <= 0.0 {
        return 0.0;
    }
    // Near 0 the distribution function is x^shape / Gamma(shape + 1). The search is in log x.
    let near_zero = (libm::log(u) + libm::lgamma(shape + 1.0)) / shape;
    let start = if shape > 1.0 { libm::log(shape) } else { near_zero.min(libm::log(shape + 1.0)) };
    let x = inverse_distribution(u, start, |log_x| {
        let (below, above) = gamma_tails(shape, libm::exp(log_x));
        let density = libm::exp(shape * log_x - libm::exp(log_x) - libm::lgamma(shape));
        DistributionPoint { below, above, density }
    });
    libm::exp(x)
}

/// The incomplete gamma functions P and Q: by the series below the mean, by the continued fraction above it.
fn gamma_tails(shape: f64, x: f64) -> (f64, f64) {
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / shape, 1.0 / shape, shape);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        let below = (front * sum).min(1.0);
        return (below, 1.0 - below);
    }
    // Numerators k (shape - k) and denominators x + 2k + 1 - shape, from the front on.
    const TINY: f64 = 1e-300;
    let mut denominator = x + 1.0 - shape;
    let (mut ahead, mut behind) = (1.0 / TINY, 1.0 / denominator);
    let mut fraction = behind;
    for k in 1..10_000 {
        let k = f64::from(k);
        let numerator = k * (shape - k);
        denominator += 2.0;
        behind = numerator * behind + denominator;
        behind = 1.0 / if behind.abs() < TINY { TINY } else { behind };
        ahead = denominator + numerator / ahead;
        ahead = if ahead.abs() < TINY { TINY } else { ahead };
        fraction *= ahead * behind;
        if (ahead * behind - 1.0).abs() < 1e-16 {
            break;
        }
    }
    let above = (front * fraction).min(1.0);
    (1.0 - above, above)
}

/// The quantile of `u` in [0, 1) of a mixture of exponential distributions, given by weights, of sum 1, and means.
pub(super) fn mixture_quantile(u: f64, phases: &[(f64, f64)]) -> f64 {
    if u <= 0.0 {
        return 0.0;
    }
    let mean: f64 = phases.iter().map(|(weight, mean)| weight * mean).sum();
    let start = libm::log(mean * -libm::log1p(-u));
    let x = inverse_distribution(u, start, |log_x| {
        let x = libm::exp(log_x);
        let sum = |of: fn(f64) -> f64| phases.iter().map(|(w, mean)| w * of(x / mean)).sum::<f64>();
        DistributionPoint {
            below: sum(|x| -libm::expm1(-x)),
            above: sum(|x| libm::exp(-x)),
            density: sum(|x| x * libm::exp(-x)),
        }
    });
    libm::exp(x)
}

#[cfg(test)]
mod tests {
    use super::{gamma_quantile, mixture_quantile, normal_quantile};

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-11 * expected.abs(), "{found} for {expected}");
    }

    /// References: SciPy 1.17, `norm.ppf` and `gamma.ppf`.
    #[test]
    fn quantiles_are_those_of_the_literature() {
        near(normal_quantile(0.975), 1.959_963_984_540_054);
        near(normal_quantile(1e-12), -7.034483825301131);
        near(gamma_quantile(1e-06, 0.05), 5.844632057286552e-121);
        near(gamma_quantile(0.2, 0.05), 6.128540904101326e-15);
        near(gamma_quantile(0.5, 0.05), 5.573878440746256e-07);
        near(gamma_quantile(0.99, 0.05), 1.0876274000918094);
        near(gamma_quantile(0.999999999, 0.05), 15.116740106874813);
        near(gamma_quantile(1e-06, 0.5), 7.853981633978593e-13);
        near(gamma_quantile(0.2, 0.5), 0.0320923773336508);
        near(gamma_quantile(0.5, 0.5), 0.227468211559786);
        near(gamma_quantile(0.99, 0.5), 3.3174483005106072);
        near(gamma_quantile(0.999999999, 0.5), 18.66244655325936);
        near(gamma_quantile(1e-06, 1.0), 1.0000005000003338e-06);
        near(gamma_quantile(0.2, 1.0), 0.22314355131420974);
        near(gamma_quantile(0.5, 1.0), 0.6931471805599455);
        near(gamma_quantile(0.99, 1.0), 4.60517018598809);
        near(gamma_quantile(0.999999999, 1.0), 20.723265865228342);
        near(gamma_quantile(1e-06, 3.7), 0.050610571164472734);
        near(gamma_quantile(0.2, 3.7), 2.064392021122802);
        near(gamma_quantile(0.5, 3.7), 3.3725380132364133);
        near(gamma_quantile(0.99, 3.7), 9.56325004956786);
        near(gamma_quantile(0.999999999, 3.7), 28.429252045741126);
        near(gamma_quantile(1e-06, 250.0), 181.90130500977932);
        near(gamma_quantile(0.2, 250.0), 236.60492653583634);
        near(gamma_quantile(0.5, 250.0), 249.6667457944369);
        near(gamma_quantile(0.99, 250.0), 288.24640625582725);
        near(gamma_quantile(0.999999999, 250.0), 356.77732089330937);
    }

    #[test]
    fn a_mixture_of_one_is_exponential() {
        for u in [1e-9, 0.3, 0.5, 0.999_999] {
            near(mixture_quantile(u, &[(0.25, 3.0), (0.75, 3.0)]), -3.0 * libm::log1p(-u));
        }
        let (u, phases) = (0.9, [(0.9, 1.0), (0.1, 20.0)]);
        let x = mixture_quantile(u, &phases);
        near(phases.iter().map(|(w, mean)| w * libm::exp(-x / mean)).sum(), 0.1);
    }

    #[test]
    fn nothing_is_below_the_least() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(gamma_quantile(0.0, 0.5), 0.0);
        assert_eq!(mixture_quantile(0.0, &[(1.0, 1.0)]), 0.0);
    }
}
