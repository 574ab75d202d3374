"""Estimates of laws of delays, with standard errors that allow for delays that follow each other.

Parameters of the law of a single delay are those of greatest likelihood as if delays were
independent (a composite likelihood); the correlation is that of neighbours after the law has made
delays standard normal numbers (a Gaussian copula). Standard errors are those of the sandwich
[Godambe 1960], with the covariance of the scores over time after Andrews and Monahan [1992].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.signal import lfilter

from airtcp.fitting.delays_data import Cells, Floats
from airtcp.fitting.delays_laws import Marginal
from airtcp.fitting.estimates import Estimate, to_scale

_MOST = 0.999
_STEP = 1e-4


@dataclass(frozen=True)
class DelayLaw:
    """A law of delays, and the correlation of one with the next; 0: independent."""

    marginal: Marginal
    correlation: float = 0.0

    def scores(self, cells: Cells) -> Floats:
        """Log-likelihood of each delay given the one before."""
        alone = self.marginal.log_cells(cells)[cells.cell]
        if self.correlation == 0.0:
            return np.asarray(alone)
        z = middles(self.marginal, cells)[cells.cell]
        before = np.r_[0.0, z[:-1]]
        rho = np.where(cells.lag > 0, self.correlation ** np.maximum(cells.lag, 1), 0.0)
        rest = 1.0 - rho * rho
        pair = -0.5 * np.log(rest) - (
            rho * rho * (z * z + before * before) - 2 * rho * z * before
        ) / (2.0 * rest)
        return np.asarray(alone + pair)

    def simulate(self, rng: np.random.Generator, n: int) -> Floats:
        """Delays in ms of packets one after the other."""
        z = rng.standard_normal(n)
        if self.correlation != 0.0:
            rho = self.correlation
            z[1:] *= math.sqrt(1.0 - rho * rho)
            z = lfilter([1.0], [1.0, -rho], z)
        return np.asarray(self.marginal.base + np.interp(z, *self._quantiles))

    @cached_property
    def _quantiles(self) -> tuple[Floats, Floats]:
        grid = np.linspace(-6.0, 6.0, 4097)
        return grid, self.marginal.quantile(special.ndtr(-grid))


def middles(marginal: Marginal, cells: Cells) -> Floats:
    """Mean of the standard normal number within each cell."""
    low, high = marginal.ends(cells)
    inside = np.exp(marginal.log_cells(cells))
    density = [np.exp(-0.5 * z * z) / math.sqrt(math.tau) for z in (low, high)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (density[0] - density[1]) / inside
    usable = np.isfinite(found) & (found >= low) & (found <= high) & (inside > 1e-12)
    return np.asarray(np.where(usable, found, 0.5 * (low + high)))


def correlation(marginal: Marginal, cells: Cells) -> float:
    """Correlation of neighbours that makes their products in mean what they are, within (-1, 1)."""
    own, other, after = _products(marginal, cells)
    if not after.any():
        return 0.0
    found = float(own[after].sum() / other[after].sum())
    return float(np.clip(found, -_MOST, _MOST))


def _products(marginal: Marginal, cells: Cells) -> tuple[Floats, Floats, Floats]:
    """Products of neighbours; their mean squares, less what the resolution hides; where they are.

    With a mean variance 1 - V within cells, the means within cells have the variance V, and the
    product of two neighbours has the mean V^2 times their correlation, nearly.
    """
    z = middles(marginal, cells)[cells.cell]
    before = np.r_[0.0, z[:-1]]
    kept = 1.0 - float(hidden_variances(marginal, cells) @ cells.weight) / len(cells)
    return z * before, 0.5 * (z * z + before * before) * kept, cells.lag == 1


def hidden_variances(marginal: Marginal, cells: Cells) -> Floats:
    """Variances of the standard normal number within each cell."""
    low, high = marginal.ends(cells)
    width = np.minimum(high - low, 2.0)
    return np.asarray(width * width / 12.0)


def estimates(law: DelayLaw, cells: Cells) -> tuple[Estimate, ...]:
    """Parameters with standard errors; of an independent law, those of independent delays."""
    marginal = law.marginal
    place, size = marginal.place, len(marginal.place)
    is_correlated = law.correlation != 0.0
    gap = float(cells.high[0]) - marginal.base
    steps = np.array([_STEP, _STEP, 10.0 * _STEP * gap][:size])
    functions = _functions(law, place, cells, steps)
    slope = np.empty((functions.shape[1],) * 2)
    for i in range(size):
        shift = np.eye(size)[i] * steps[i] * 10.0
        ends = [
            _functions(law, place + sign * shift, cells, steps).mean(axis=0) for sign in (1, -1)
        ]
        slope[:, i] = (ends[0] - ends[1]) / (2.0 * shift[i])
    if is_correlated:
        ends = [
            _functions(DelayLaw(marginal, law.correlation + sign * 1e-4), place, cells, steps)
            for sign in (1, -1)
        ]
        slope[:, size] = (ends[0] - ends[1]).mean(axis=0) / 2e-4
    spread = _long_run(functions) if is_correlated else np.cov(functions.T, bias=True)
    try:
        inverse = np.linalg.inv(slope)
        covariance = inverse @ spread @ inverse.T / len(cells)
        deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    except np.linalg.LinAlgError:
        deviations = np.full(len(slope), np.nan)
    return _named(law, cells, deviations)


def _named(law: DelayLaw, cells: Cells, deviations: Floats) -> tuple[Estimate, ...]:
    marginal = law.marginal
    found = [
        Estimate.on_scale(name, place, float(se), "log", unit=unit)
        for name, place, se, unit in zip(
            marginal.names, marginal.place, deviations, marginal.units, strict=False
        )
    ]
    if marginal.is_free:
        base = Estimate.on_scale("base", marginal.base, float(deviations[2]), "identity", unit="ms")
    else:
        base = _lowest(law, cells)
    found.insert(0, base)
    if law.correlation != 0.0:
        slope = 1.0 - law.correlation**2
        place, se = to_scale("atanh", law.correlation), float(deviations[-1]) / slope
        found.append(Estimate.on_scale("correlation", place, se, "atanh"))
    return tuple(found)


def _lowest(law: DelayLaw, cells: Cells) -> Estimate:
    """The base where it is the lowest delay: above the base by what n delays leave with 95 %."""
    used = cells.used[0]
    low, high = float(cells.low[used]), float(cells.high[used])
    if not law.marginal.has_edge(law.marginal.first) and law.marginal.base < low:
        said = "at its bound: the law would have a base below 0"
        return Estimate("base", law.marginal.base, unit="ms", said=said)
    n = max(1.0, len(cells) * (1.0 - law.correlation) / (1.0 + law.correlation))
    missed = float(law.marginal.quantile(np.array([max(1.0 - 3.0 / n, 0.0)]))[0])
    ends = low - missed, high
    return Estimate("base", law.marginal.base, (ends[1] - ends[0]) / 4.0, *ends, "ms")


def _functions(law: DelayLaw, place: Floats, cells: Cells, steps: Floats) -> Floats:
    """Estimating functions of each delay: slopes of the log-likelihood, and of the correlation."""
    columns = []
    for i in range(len(place)):
        shift = np.eye(len(place))[i] * steps[i]
        ends = [law.marginal.at(place + sign * shift).log_cells(cells) for sign in (1, -1)]
        columns.append(((ends[0] - ends[1]) / (2.0 * steps[i]))[cells.cell])
    if law.correlation != 0.0:
        own, other, after = _products(law.marginal.at(place), cells)
        columns.append(np.where(after, own - law.correlation * other, 0.0))
    return np.column_stack(columns)


def _long_run(functions: Floats) -> Floats:
    """Covariance of the mean over time, times n: Bartlett's window after a first-order filter."""
    centred = functions - functions.mean(axis=0)
    scale = np.maximum(centred.std(axis=0), 1e-300)
    centred = centred / scale
    filtered, *_ = np.linalg.lstsq(centred[:-1], centred[1:], rcond=None)
    values = np.abs(np.linalg.eigvals(filtered)).max()
    if values > 0.99:
        filtered = filtered * (0.99 / values)
    rest = centred[1:] - centred[:-1] @ filtered
    n, width = len(rest), max(1, round(len(rest) ** (1.0 / 3.0)))
    total = rest.T @ rest / n
    for lag in range(1, width + 1):
        part = rest[lag:].T @ rest[:-lag] / n
        total += (1.0 - lag / (width + 1.0)) * (part + part.T)
    undone = np.linalg.inv(np.eye(len(total)) - filtered)
    return np.asarray(undone.T @ total @ undone * np.outer(scale, scale))
