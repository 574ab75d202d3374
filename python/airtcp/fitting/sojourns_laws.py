"""Laws of lengths of time: maximum likelihood, standard errors, draws, a scenario's table of each.

Lengths are in seconds. Some are censored: known only to be longer than the part that was seen. All
may be truncated: lengths up to `least` are never seen, so the likelihood is conditional on longer
ones [Klein and Moeschberger 2003].
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from airtcp.fitting.estimates import Estimate

Floats = NDArray[np.float64]
_HALF_LOG_TAU = 0.5 * math.log(math.tau)


@dataclass(frozen=True, eq=False)
class Lengths:
    """Lengths in seconds; `censored` marks lengths whose end was not seen."""

    seen: Floats
    censored: NDArray[np.bool_]
    least: float = 0.0

    def __len__(self) -> int:
        """Number of lengths."""
        return len(self.seen)

    @property
    def ended(self) -> Floats:
        """Lengths of which the end was seen."""
        return np.asarray(self.seen[~self.censored])

    def select(self, kept: NDArray[Any]) -> Lengths:
        """Some of the lengths, by a mask or by places."""
        return Lengths(self.seen[kept], self.censored[kept], self.least)


class Law(ABC):
    """A fitted law; `parameters` are its numbers, in the order of `Law.fit`."""

    name: ClassVar[str]
    parameter_count: ClassVar[int]

    @classmethod
    @abstractmethod
    def fit(cls, data: Lengths) -> Law | None:
        """The law of greatest likelihood; None if there is none."""

    @abstractmethod
    def log_density(self, x: Floats) -> Floats:
        """Logarithm of the density, without regard to truncation."""

    @abstractmethod
    def log_survival(self, x: Floats) -> Floats:
        """Logarithm of the probability of more than x, without regard to truncation."""

    @abstractmethod
    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent lengths, without regard to truncation."""

    @abstractmethod
    def estimates(self, data: Lengths) -> tuple[Estimate, ...]:
        """Parameters with their standard errors and intervals."""

    @abstractmethod
    def scenario_table(self) -> dict[str, Any] | None:
        """The law as a scenario writes it; None where it cannot."""

    def cdf(self, x: Floats) -> Floats:
        """Probabilities of at most x."""
        return np.asarray(-np.expm1(self.log_survival(np.asarray(x, dtype=np.float64))))

    def seen_cdf(self, x: Floats, least: float) -> Floats:
        """Probabilities of at most x, of lengths longer than `least`."""
        hidden = self.log_survival(np.array([least]))
        return np.asarray(np.clip(-np.expm1(self.log_survival(x) - hidden), 0.0, 1.0))

    def simulate_seen(self, rng: np.random.Generator, n: int, least: float) -> Floats:
        """Independent lengths longer than `least`."""
        found = self.simulate(rng, n)
        for _ in range(1000):
            short = np.flatnonzero(found <= least)
            if least <= 0.0 or not short.size:
                break
            found[short] = self.simulate(rng, short.size)
        return np.maximum(found, least)

    def log_likelihoods(self, data: Lengths) -> Floats:
        """Log-likelihood of each length."""
        hidden = self.log_survival(np.array([data.least]))
        log = np.where(data.censored, self.log_survival(data.seen), self.log_density(data.seen))
        return np.asarray(log - hidden)

    def held_out_log_likelihoods(self, train: Lengths, test: Lengths) -> Floats:
        """Log-likelihoods of lengths outside of `train`, to which the law was fitted."""
        del train
        return self.log_likelihoods(test)


@dataclass(frozen=True)
class Exponential(Law):
    """A law without memory: the chance of an end does not depend on the time so far."""

    mean: float
    name: ClassVar[str] = "exponential"
    parameter_count: ClassVar[int] = 1

    @classmethod
    def fit(cls, data: Lengths) -> Exponential | None:
        """The law whose mean is all the time seen divided by the number of ends."""
        ends = len(data.ended)
        total = float(np.sum(data.seen - data.least))
        return cls(total / ends) if ends and total > 0.0 else None

    def log_density(self, x: Floats) -> Floats:
        """Logarithm of the density."""
        return np.asarray(-math.log(self.mean) - x / self.mean)

    def log_survival(self, x: Floats) -> Floats:
        """Logarithm of the probability of more than x."""
        return np.asarray(-np.maximum(x, 0.0) / self.mean)

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent lengths."""
        return rng.exponential(self.mean, n)

    def estimates(self, data: Lengths) -> tuple[Estimate, ...]:
        """Parameters with their standard errors and intervals."""
        se = 1.0 / math.sqrt(len(data.ended))
        return (Estimate.on_scale("mean", math.log(self.mean), se, "log", unit="s"),)

    def scenario_table(self) -> dict[str, Any]:
        """The law as a scenario writes it."""
        return {"kind": self.name, "mean": seconds_text(self.mean)}


@dataclass(frozen=True)
class Pareto(Law):
    """Pareto's law of type I: P(T > t) = (least / t)^shape, from a least length on.

    Intervals are exact without censoring: of n lengths, twice the shape times the sum of the
    logarithms of length / least seen is a chi-squared number of 2 (n - 1) degrees of freedom, and n
    estimate log(least seen / least) an F number of 2 and 2 (n - 1) [Malik 1970].
    """

    least: float
    shape: float
    name: ClassVar[str] = "pareto"
    parameter_count: ClassVar[int] = 2

    @classmethod
    def fit(cls, data: Lengths) -> Pareto | None:
        """The least length is the shortest one seen; the shape has a closed form."""
        whole = data.ended
        if len(whole) < 2 or whole.min() <= 0.0:
            return None
        least = float(whole.min())
        total = float(np.log(np.maximum(data.seen, least) / least).sum())
        return cls(least, (len(whole) - 1) / total) if total > 0.0 else None

    def log_density(self, x: Floats) -> Floats:
        """Logarithm of the density."""
        with np.errstate(divide="ignore"):
            log = np.log(x)
        inside = math.log(self.shape) + self.shape * math.log(self.least) - (self.shape + 1.0) * log
        return np.where(x >= self.least, inside, -np.inf)

    def log_survival(self, x: Floats) -> Floats:
        """Logarithm of the probability of more than x."""
        return np.asarray(-self.shape * np.log(np.maximum(x, self.least) / self.least))

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent lengths."""
        return np.asarray(self.least * np.exp(rng.standard_exponential(n) / self.shape))

    def estimates(self, data: Lengths) -> tuple[Estimate, ...]:
        """Parameters with their standard errors and intervals."""
        n = len(data.ended)
        total = (n - 1) / self.shape
        low, high = (float(q) / (2.0 * total) for q in stats.chi2.ppf((0.025, 0.975), 2 * (n - 1)))
        at_risk = int((data.seen >= self.least).sum())  # any of them could have been the shortest
        below = float(stats.f.ppf(0.95, 2, 2 * (n - 1))) / (at_risk * self.shape)
        least = Estimate(
            "min", self.least, self.least / (at_risk * self.shape), self.least * math.exp(-below),
            self.least, "s",
        )  # fmt: skip
        return (least, Estimate("shape", self.shape, self.shape / math.sqrt(n - 1), low, high))

    def scenario_table(self) -> dict[str, Any] | None:
        """The law as a scenario writes it."""
        if not 1.0 < self.shape <= 1000.0:
            return None
        return {
            "kind": self.name,
            "shape": round_to_four_digits(self.shape),
            "min": seconds_text(self.least),
        }

    def held_out_log_likelihoods(self, train: Lengths, test: Lengths) -> Floats:
        """Log-likelihoods that allow for the uncertainty of the least length after n lengths.

        Data left out have lengths below the shortest one of the others, which no law from there on
        allows. Given the shape, log(least seen / least) is exponential of mean 1 / (n shape);
        averaged over it the density is n / (n + 1) of the law's above the least length seen, and
        below it shape / x * n / (n + 1) * (x / least seen)^(n shape).
        """
        n, x = len(train.ended), test.seen
        below = x < self.least
        with np.errstate(divide="ignore"):
            fall = n * self.shape * np.log(np.minimum(x / self.least, 1.0))
            density = math.log(self.shape) - np.log(x) + fall
        share = math.log(n / (n + 1.0))
        inside = np.where(below, density, self.log_density(np.maximum(x, self.least)))
        beyond = np.where(below, np.log1p(-np.exp(fall) / (n + 1.0)), self.log_survival(x) + share)
        return np.where(test.censored, beyond, inside + share)


@dataclass(frozen=True)
class LogNormal(Law):
    """A law whose logarithm is normal; intervals are exact if no length is censored."""

    median: float
    sigma: float
    name: ClassVar[str] = "log-normal"
    parameter_count: ClassVar[int] = 2

    @classmethod
    def fit(cls, data: Lengths) -> LogNormal | None:
        """Mean and deviation of the logarithms; by search where some are censored or truncated."""
        whole = data.ended
        if len(whole) < 2 or whole.min() <= 0.0 or whole.min() == whole.max():
            return None
        logs = np.log(whole)
        start = np.array([logs.mean(), math.log(logs.std())])
        if len(whole) == len(data) and data.least <= 0.0:
            return cls.from_place(start)
        place = maximise(
            lambda place: float(cls.from_place(place).log_likelihoods(data).sum()), start
        )
        return None if place is None else cls.from_place(place)

    @classmethod
    def from_place(cls, place: Floats) -> LogNormal:
        """At logarithms of median and sigma."""
        median, sigma = np.exp(np.clip(place, -600.0, 600.0))
        return cls(float(median), float(sigma))

    def _standard(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray((np.log(np.maximum(x, 0.0)) - math.log(self.median)) / self.sigma)

    def log_density(self, x: Floats) -> Floats:
        """Logarithm of the density."""
        with np.errstate(divide="ignore"):
            log = np.log(np.maximum(x, 0.0))
        z = (log - math.log(self.median)) / self.sigma
        with np.errstate(invalid="ignore"):
            found = -0.5 * z * z - log - math.log(self.sigma) - _HALF_LOG_TAU
        return np.where(x > 0.0, found, -np.inf)

    def log_survival(self, x: Floats) -> Floats:
        """Logarithm of the probability of more than x."""
        return np.asarray(special.log_ndtr(-self._standard(x)))

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent lengths."""
        return np.asarray(self.median * np.exp(self.sigma * rng.standard_normal(n)))

    def estimates(self, data: Lengths) -> tuple[Estimate, ...]:
        """Parameters with their standard errors and intervals."""
        if not data.censored.any() and data.least <= 0.0:
            return self._exact_estimates(len(data))
        place = np.log([self.median, self.sigma])
        covariance = inverse_information(
            lambda place: float(LogNormal.from_place(place).log_likelihoods(data).sum()), place
        )
        median, sigma = np.sqrt(np.diag(covariance))
        return (
            Estimate.on_scale("median", place[0], median, "log", unit="s"),
            Estimate.on_scale("sigma", place[1], sigma, "log"),
        )

    def _exact_estimates(self, n: int) -> tuple[Estimate, ...]:
        off = float(stats.t.ppf(0.975, n - 1)) * self.sigma / math.sqrt(n - 1)
        ends = self.median * math.exp(-off), self.median * math.exp(off)
        high, low = np.sqrt(n / stats.chi2.ppf((0.025, 0.975), n - 1)) * self.sigma
        deviation = self.sigma / math.sqrt(n)
        return (
            Estimate("median", self.median, self.median * deviation, *ends, "s"),
            Estimate("sigma", self.sigma, deviation / math.sqrt(2.0), float(low), float(high)),
        )

    def scenario_table(self) -> dict[str, Any]:
        """The law as a scenario writes it."""
        return {
            "kind": self.name,
            "median": seconds_text(self.median),
            "sigma": round_to_four_digits(self.sigma),
        }


@dataclass(frozen=True)
class HyperExponential(Law):
    """A mixture of two exponential laws: lengths of a shorter kind and of a longer one.

    `weight` is the share of the shorter kind.
    """

    weight: float
    short: float
    long: float
    name: ClassVar[str] = "hyper-exponential"
    parameter_count: ClassVar[int] = 3

    @classmethod
    def fit(cls, data: Lengths) -> HyperExponential | None:
        """By expectation and maximisation from several starts, then by search.

        What exceeds `least` is hyper-exponential too, with the same means.
        """
        ends = len(data.ended)
        if ends < 3:
            return None
        above = Lengths(data.seen - data.least, data.censored)
        mean = float(above.seen.sum()) / ends
        if mean <= 0.0:
            return None
        tried = [
            cls._maximise(above, np.array([share, mean * short, mean * long]))
            for share, short, long in ((0.5, 0.3, 1.7), (0.85, 0.5, 3.8), (0.2, 0.05, 1.24))
        ]
        best = max(tried, key=lambda law: float(law.log_likelihoods(above).sum()))
        place = maximise(
            lambda place: float(cls.from_place(place).log_likelihoods(above).sum()), best._place()
        )
        if place is None:
            return None
        found = cls.from_place(place)
        if found.short > found.long:
            found = cls(1.0 - found.weight, found.long, found.short)
        return found._shifted(data.least)

    @classmethod
    def _maximise(cls, data: Lengths, start: Floats, rounds: int = 40) -> HyperExponential:
        weight, short, long = start
        ended = ~data.censored
        for _ in range(rounds):
            from_short = math.log(weight) - data.seen / short - ended * math.log(short)
            from_long = math.log1p(-weight) - data.seen / long - ended * math.log(long)
            share = special.expit(from_short - from_long)
            weight = float(np.clip(share.mean(), 1e-6, 1.0 - 1e-6))
            for_short = float(share[ended].sum()), float(share @ data.seen)
            for_long = float(ended.sum()) - for_short[0], float((1.0 - share) @ data.seen)
            short = max(for_short[1], 1e-300) / max(for_short[0], 1e-9)
            long = max(for_long[1], 1e-300) / max(for_long[0], 1e-9)
        return cls(weight, short, long)

    @classmethod
    def from_place(cls, place: Floats) -> HyperExponential:
        """At the logit of the weight and the logarithms of the means."""
        weight = float(np.clip(special.expit(place[0]), 1e-12, 1.0 - 1e-12))
        return cls(
            weight, math.exp(np.clip(place[1], -600, 600)), math.exp(np.clip(place[2], -600, 600))
        )

    def _place(self) -> Floats:
        return np.array([special.logit(self.weight), math.log(self.short), math.log(self.long)])

    def _shifted(self, by: float) -> HyperExponential:
        """The law of lengths whose excess over `by` follows this law."""
        if by <= 0.0:
            return self
        logit = special.logit(self.weight) + by / self.short - by / self.long
        weight = float(np.clip(special.expit(logit), 1e-12, 1.0 - 1e-12))
        return HyperExponential(weight, self.short, self.long)

    def log_density(self, x: Floats) -> Floats:
        """Logarithm of the density."""
        in_short = math.log(self.weight / self.short) - x / self.short
        in_long = math.log((1.0 - self.weight) / self.long) - x / self.long
        return np.asarray(np.logaddexp(in_short, in_long))

    def log_survival(self, x: Floats) -> Floats:
        """Logarithm of the probability of more than x."""
        x = np.maximum(x, 0.0)
        in_short = math.log(self.weight) - x / self.short
        in_long = math.log1p(-self.weight) - x / self.long
        return np.asarray(np.logaddexp(in_short, in_long))

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Independent lengths."""
        means = np.where(rng.random(n) < self.weight, self.short, self.long)
        return np.asarray(means * rng.standard_exponential(n))

    def estimates(self, data: Lengths) -> tuple[Estimate, ...]:
        """Parameters with their standard errors and intervals."""
        place = self._place()
        covariance = inverse_information(
            lambda place: float(HyperExponential.from_place(place).log_likelihoods(data).sum()),
            place,
        )
        weight, short, long = np.sqrt(np.diag(covariance))
        return (
            Estimate.on_scale("weights[0]", place[0], weight, "logit"),
            Estimate.on_scale("means[0]", place[1], short, "log", unit="s"),
            Estimate.on_scale("means[1]", place[2], long, "log", unit="s"),
        )

    def scenario_table(self) -> dict[str, Any]:
        """The law as a scenario writes it."""
        weight = round_to_four_digits(self.weight)
        weights = [weight, float(f"{1.0 - weight:.12g}")]
        means = [seconds_text(self.short), seconds_text(self.long)]
        return {"kind": self.name, "weights": weights, "means": means}


LAWS: tuple[type[Law], ...] = (Exponential, Pareto, LogNormal, HyperExponential)


def maximise(log_likelihood: Callable[[Floats], float], start: Floats) -> Floats | None:
    """Place of the greatest likelihood; None if the search runs away or the value is not finite."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = optimize.minimize(lambda place: -log_likelihood(place), start, method="BFGS")
    place = np.asarray(found.x)
    if not math.isfinite(found.fun) or np.abs(place - start).max() > 30.0:
        return None
    return place


def inverse_information(log_likelihood: Callable[[Floats], float], place: Floats) -> Floats:
    """Covariance by the observed information, from second differences; NaN without curvature."""
    n, step = len(place), 1e-3
    at = np.eye(n) * step
    information = np.empty((n, n))
    middle = log_likelihood(place)
    for i in range(n):
        for j in range(i + 1):
            if i == j:
                apart = log_likelihood(place + at[i]) - 2.0 * middle + log_likelihood(place - at[i])
                information[i, i] = -apart / step**2
            else:
                apart = (
                    log_likelihood(place + at[i] + at[j])
                    - log_likelihood(place + at[i] - at[j])
                    - log_likelihood(place - at[i] + at[j])
                    + log_likelihood(place - at[i] - at[j])
                )
                information[i, j] = information[j, i] = -apart / (4.0 * step**2)
    return inverse_or_nan(information)


def inverse_or_nan(information: Floats) -> Floats:
    """Inverse of a positive definite matrix; NaN if the matrix is not."""
    if not np.isfinite(information).all():
        return np.full_like(information, np.nan)
    values = np.linalg.eigvalsh(information)
    if values[0] <= 1e-9 * max(values[-1], 0.0):
        return np.full_like(information, np.nan)
    return np.asarray(np.linalg.inv(information))


def round_to_four_digits(value: float) -> float:
    """A number to four digits."""
    return float(f"{value:.4g}")


def seconds_text(value: float) -> str:
    """A length of time to four digits, in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{number_text(round_to_four_digits(value / size))}{unit}"
    return f"{max(1, round(value / 1e-9))}ns"


def number_text(value: float) -> str:
    """A number without an exponent."""
    return f"{value:.10f}".rstrip("0").rstrip(".")
