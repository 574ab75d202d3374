"""Laws of intervals and of spike lengths: numbers, samples and distributions of SciPy.

A distribution answers for the mean number of packets that a `Ramp` sends between spikes, and for
the mean of a function. Distributions with atoms (`DiscreteDistribution`) do that by sums,
distributions with a density (`ContinuousDistribution`) by integrals of their survival function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, real_number, refusal
from airtcp.models.kuusela.quadrature import integral, panel_integrals
from airtcp.models.kuusela.ramp import LN2, Ramp

Floats = NDArray[np.float64]
ALLOWED_DISTRIBUTIONS = "a frozen SciPy distribution, samples, or a number, in s"
_TAIL_PROBABILITIES = np.array(
    [1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 - 1e-6]
)
_LATTICE_TAIL = 1e-10  # probability beyond which the points of a lattice are taken together
_LATTICE_POINTS = 1_000_000
_SMALL_TAIL = 1e-3  # of the mean: below it the mean less an integral loses digits


class DiscreteDistribution:
    """Finitely many values with their probabilities: a number, samples, a lattice."""

    def __init__(self, values: Floats, weights: Floats) -> None:
        """Keep them in increasing order, each once."""
        self.values, places = np.unique(values, return_inverse=True)
        self.weights = np.bincount(places, weights=weights)
        self.mean = float(self.weights @ self.values)
        self.least, self.most = float(self.values[0]), float(self.values[-1])

    def mean_packets(self, ramp: Ramp, spike: float) -> float:
        """E[A(T)], T having this distribution, in packets."""
        return float(self.weights @ ramp.packets_sent(self.values - spike))

    def expectation(self, function: Callable[[float], float]) -> float:
        """E[function(T)]."""
        return float(self.weights @ np.array([function(float(value)) for value in self.values]))


class ContinuousDistribution:
    """A distribution with a density: a frozen continuous distribution of SciPy."""

    def __init__(self, distribution: Any) -> None:
        """Take `distribution` with `mean`, `support`, and `sf`, `isf` or `ccdf`, `iccdf`."""
        self.survival: Callable[[Floats], Floats] = (
            distribution.sf if hasattr(distribution, "sf") else distribution.ccdf
        )
        self.quantile: Callable[[Floats], Floats] = (
            distribution.isf if hasattr(distribution, "isf") else distribution.iccdf
        )
        self.mean = float(distribution.mean())
        self.least, self.most = (float(bound) for bound in distribution.support())
        ends = np.concatenate([self.quantile(_TAIL_PROBABILITIES), [self.least, self.most]])
        self.knots = np.unique(ends[np.isfinite(ends)])  # where the survival function may bend

    def mean_packets(self, ramp: Ramp, spike: float) -> float:
        """E[A(T)] = int_0^L X(u) P[T > SD + u] du + C_max E[(T - SD - L)^+], in packets.

        Where T >= SD + L surely that is C_max (E[T] - SD - delay), whatever the distribution.
        """
        if self.least >= spike + ramp.climb_time:
            return ramp.capacity * (self.mean - spike - ramp.equivalent_delay)
        climbed = self._integral(
            lambda t: ramp.rate(t - spike) * self.survival(t), spike, spike + ramp.climb_time
        )
        return climbed + ramp.capacity * self.mean_excess(spike + ramp.climb_time)

    def mean_excess(self, limit: float) -> float:
        """E[(T - limit)^+], by the mean, or where that would lose digits by the quantiles."""
        mean_excess = self.mean - self._integral(self.survival, 0.0, limit)
        if mean_excess > _SMALL_TAIL * self.mean:
            return mean_excess
        beyond = float(self.survival(np.array([limit]))[0])

        def over(y: Floats) -> Floats:
            part = np.maximum(beyond * np.exp(-y), np.finfo(float).tiny)
            values: Floats = np.maximum(self.quantile(part) - limit, 0.0) * part
            return values

        # int_0^P (isf(q) - limit) dq with q = P exp(-y); light tails end long before y = 256
        edges = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0])
        return integral(over, edges) if beyond > np.finfo(float).tiny else 0.0

    def expectation(self, function: Callable[[float], float]) -> float:
        """E[function(T)], by the quantiles; `function` is bounded."""

        def at(v: Floats) -> Floats:  # q = 3 v^2 - 2 v^3 takes the sting out of both ends
            values = [function(float(length)) for length in self.quantile(v * v * (3.0 - 2.0 * v))]
            integrand: Floats = 6.0 * v * (1.0 - v) * np.array(values)
            return integrand

        return integral(at, np.array([0.0, 0.5, 1.0]))

    def integrated_survival(self, at: Floats) -> Floats:
        """The integral of P[T > t] from 0 to each of the close, increasing `at`; at[0] is 0."""
        integrals: Floats = np.append(
            0.0, np.cumsum(panel_integrals(self.survival, at[:-1], at[1:]))
        )
        return integrals

    def _integral(self, function: Callable[[Floats], Floats], low: float, high: float) -> float:
        inside = self.knots[(self.knots > low) & (self.knots < high)]
        return integral(function, np.concatenate([[low], inside, [high]]))


class ExponentialDistribution(ContinuousDistribution):
    """The exponential distribution, for which the mean number of packets has a closed form."""

    def mean_packets(self, ramp: Ramp, spike: float) -> float:
        """E[A(T)] = m exp(-SD/m) X(SD) (1 + l phi(e l)), in packets.

        m = E[T], l = ln(C_max / X(SD)), e = R / (m ln 2) - 1, phi(x) = (1 - exp(-x)) / x: the
        printed form, which is 0/0 at R / m = ln 2, rearranged.
        """
        excess = ramp.rtt / (self.mean * LN2) - 1.0
        rate = ramp.initial_rate * (1.0 + ramp.log_growth * _phi(excess * ramp.log_growth))
        return float(self.mean * np.exp(-spike / self.mean) * rate)


Distribution = DiscreteDistribution | ContinuousDistribution


def distribution_of(field: str, value: Any) -> Distribution:
    """The distribution that a user gave, or `InputError`: finite mean, nothing below 0."""
    if hasattr(value, "sf") or hasattr(value, "ccdf"):
        return _scipy_distribution(field, value)
    return _samples(field, value)


def _samples(field: str, value: Any) -> DiscreteDistribution:
    try:
        array = None if isinstance(value, (str, bytes, bool)) else np.asarray(value)
        numbers = None if array is None or array.dtype == bool else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or numbers.ndim > 1 or numbers.size == 0:
        raise refusal(field, value, ALLOWED_DISTRIBUTIONS)
    flat = np.atleast_1d(numbers)
    for index in np.flatnonzero(~(np.isfinite(flat) & (flat >= 0.0)))[:1]:
        name = f"{field}[{index}]" if numbers.ndim else field
        raise refusal(name, float(flat[index]), "a finite number >= 0, in s")
    return DiscreteDistribution(flat, np.full(flat.size, 1.0 / flat.size))


def _scipy_distribution(field: str, value: Any) -> Distribution:
    try:
        distribution = value.freeze() if hasattr(value, "freeze") else value
    except TypeError:
        allowed = f"{ALLOWED_DISTRIBUTIONS}: this one lacks its parameters"
        raise refusal(field, value, allowed) from None
    name = _distribution_name(distribution)
    average = np.asarray(distribution.mean())
    plain = average.item() if average.ndim == 0 else average
    mean = real_number(f"mean of {field}", plain, "finite, of a single law")
    below = np.asarray(distribution.cdf(np.nextafter(0.0, -1.0)))
    if mean < 0.0 or not np.all(below == 0.0):
        raise InputError(f"{field}: a distribution with values below 0: must be >= 0, in s")
    if name == "expon" and distribution.support()[0] == 0.0:
        return ExponentialDistribution(distribution)
    return (
        _lattice(field, distribution)
        if hasattr(distribution, "dist") and hasattr(distribution, "pmf")
        else ContinuousDistribution(distribution)
    )


def _distribution_name(distribution: Any) -> str:
    return str(getattr(getattr(distribution, "dist", None), "name", ""))


def _lattice(field: str, distribution: Any) -> DiscreteDistribution:
    """A discrete distribution; its part beyond the 1 - 1e-10 quantile is one atom at its mean.

    The packets sent are linear in long intervals, so that this changes them by less than 1e-10 of
    the capacity times the spike and the climb.
    """
    listed = getattr(distribution.dist, "xk", None)
    if listed is not None:
        values = np.asarray(listed, dtype=np.float64).ravel()
        shift = float(distribution.support()[0]) - float(values.min())
        return DiscreteDistribution(
            values + shift, np.asarray(distribution.dist.pk, dtype=np.float64).ravel()
        )
    low, high = _quantile_range(field, distribution)
    values = np.arange(low, high + 1.0)
    weights = np.asarray(distribution.pmf(values), dtype=np.float64)
    tail = float(distribution.sf(high))
    if tail <= 0.0:
        return DiscreteDistribution(values, weights / weights.sum())
    weights *= (1.0 - tail) / weights.sum()
    beyond = max(high, (float(distribution.mean()) - float(weights @ values)) / tail)
    return DiscreteDistribution(np.append(values, beyond), np.append(weights, tail))


def _quantile_range(field: str, distribution: Any) -> tuple[float, float]:
    """Values with all but 1e-10 on either side; SciPy's own search for them may take hours."""
    least, most = (float(bound) for bound in distribution.support())
    middle, reach = float(distribution.mean()) // 1.0, 16.0
    while reach < _LATTICE_POINTS:
        low, high = max(least, middle - reach), min(most, middle + reach)
        if distribution.sf(high) <= _LATTICE_TAIL and distribution.cdf(low - 1.0) <= _LATTICE_TAIL:
            return low, high
        reach *= 2.0
    raise InputError(f"{field}: a discrete distribution over more than {_LATTICE_POINTS} values")


def _phi(x: float) -> float:
    return float(-np.expm1(-x) / x) if x != 0.0 else 1.0
