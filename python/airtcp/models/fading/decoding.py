"""From bit errors to packets, given the fading: an array of packets at a time.

Given the fading, bit errors are independent, with probabilities that vary slowly along a packet:
sums over its bits are N times a Gauss rule over its time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln

from airtcp.models.fading.codes import Code

Floats = NDArray[np.float64]

_EXPANSION_ORDER = 12  # of the expansion about the binomial distribution
_LAST_TERM = 1e-9  # a term of the expansion that ends it
_TABLE_STEPS = 2**17  # of a table of the binomial distribution: errors below 1e-8
_CERTAIN_FATE = 1e-12  # a codeword's fate is taken as certain, as far as the mean error rate says


@dataclass(frozen=True)
class UncodedPacket:
    """A packet of `bits` bits that is lost with its first bit error: one part."""

    bits: int
    parts: ClassVar[int] = 1
    fatal_errors: ClassVar[int] = 1  # that lose a part

    @property
    def air_bits(self) -> int:
        """Bits on the air."""
        return self.bits

    @property
    def half_loss_bit_error_rate(self) -> float:
        """The bit error rate, below 1/2, at which about half of the packets are lost."""
        return 0.5 * -math.expm1(-2.0 * math.log(2.0) / self.bits)

    def arrival_probabilities(self, bit_errors: Floats, weights: Floats) -> Floats:
        """P[no bit error] of each part from bit error rates (..., parts, nodes)."""
        logs = np.zeros_like(bit_errors)
        some = bit_errors > 0.0
        logs[some] = np.log1p(-bit_errors[some])
        intact: Floats = np.exp(self.bits * (logs @ weights))
        return intact


@dataclass(frozen=True)
class CodedPacket:
    """A packet of `parts` full codewords, lost if any of them has more than t errors.

    [chockalingam reading, section 2]
    """

    code: Code
    parts: int

    @property
    def fatal_errors(self) -> int:
        """Bit errors that lose a part."""
        return self.code.t + 1

    @property
    def air_bits(self) -> int:
        """Bits on the air."""
        return self.parts * self.code.n

    @property
    def half_loss_bit_error_rate(self) -> float:
        """The bit error rate at which about half of the codewords are lost."""
        return min(0.4, (self.code.t + 0.7) / self.code.n)

    def arrival_probabilities(self, bit_errors: Floats, weights: Floats) -> Floats:
        """P[at most t errors] of each codeword from bit error rates (..., words, nodes)."""
        return decoding_probability(bit_errors, weights, self.code)


def decoding_probability(bit_errors: Floats, weights: Floats, code: Code) -> Floats:
    """P[at most t errors in a codeword] from bit error rates (..., nodes).

    The count of errors is Poisson-binomial. With w = z - 1, u = w/(1 + pw) and p the mean rate,
    its generating function is (1 + pw)^n exp(sum_j (-1)^(j+1) g_j u^j / j), g_j = sum_i (p_i - p)^j
    over the bits: an expansion about the binomial distribution, in Krawtchouk polynomials
    [roos2000].
    """
    mean = bit_errors @ weights
    at_most = _binomial(mean, code)
    unsure = (at_most > _CERTAIN_FATE) & (at_most < 1.0 - _CERTAIN_FATE)
    spread = bit_errors[unsure] - mean[unsure][..., None]
    at_most[unsure] -= _excess_over_exact(mean[unsure], spread, weights, code)
    return np.clip(at_most, 0.0, 1.0)


def _binomial(rates: Floats, code: Code) -> Floats:
    """P[at most t errors] at bit error rates, on the lines of a table."""
    place = rates * (2.0 * _TABLE_STEPS)
    step = np.minimum(place.astype(np.int32), _TABLE_STEPS - 1)
    place -= step
    values, slopes = _binomial_table(code)
    probability: Floats = values[step] + place * slopes[step]
    return probability


@lru_cache(maxsize=16)
def _binomial_table(code: Code) -> tuple[Floats, Floats]:
    """P[at most t errors] and its steps, by the bit error rate on a grid up to 1/2."""
    values = bdtr(code.t, code.n, np.linspace(0.0, 0.5, _TABLE_STEPS + 1))
    return values, np.diff(values)


def _excess_over_exact(p: Floats, spread: Floats, weights: Floats, code: Code) -> Floats:
    """Excess of the binomial distribution of mean rate `p` over the exact one."""
    n, t = code.n, code.t
    exactly = np.exp(_log_choices(n, t) + t * np.log(p) + (n - t) * np.log1p(-p))
    total = np.zeros_like(p)
    for order, coefficient in _coefficients(spread, weights, n):
        correction = coefficient * exactly * _krawtchouk_ratio(order, p, code)
        total += correction
        if np.abs(correction).max(initial=0.0) < _LAST_TERM:
            break
    return total


def _coefficients(spread: Floats, weights: Floats, n: int) -> Iterator[tuple[int, Floats]]:
    """The coefficient of u^k for each k >= 2, by the power series of an exponential."""
    most = min(_EXPANSION_ORDER, n)
    power, moments = spread, [np.zeros(0), np.zeros(0)]
    series: list[Floats] = [np.ones(spread.shape[:-1]), np.zeros(spread.shape[:-1])]
    for k in range(2, most + 1):
        power = power * spread
        moments.append(n * (power @ weights))
        terms = [(-1) ** (j + 1) * moments[j] * series[k - j] for j in range(2, k + 1)]
        series.append(np.sum(terms, axis=0) / k)
        yield k, series[k]


def _krawtchouk_ratio(k: int, p: Floats, code: Code) -> Floats:
    """The coefficient of z^t in (z - 1)^(k-1) (1 - p + pz)^(n-k), over that in (1 - p + pz)^n.

    With a minus sign it is the sum of the coefficients of z^0 .. z^t in (z - 1)^k (1 - p +
    pz)^(n-k), since summing divides by 1 - z. Term i has z^(t-i) from the binomial.
    """
    odds = (1.0 - p) / p
    total = np.zeros_like(p)
    for i in reversed(range(min(k, code.t + 1))):
        choices = 0.0
        if code.t - i <= code.n - k:
            log_ratio = _log_choices(code.n - k, code.t - i) - _log_choices(code.n, code.t)
            choices = math.comb(k - 1, i) * (-1.0) ** (k - 1 - i) * np.exp(log_ratio)
        total = total * odds + choices
    difference: Floats = total * (1.0 - p) ** -k
    return difference


def _log_choices(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
