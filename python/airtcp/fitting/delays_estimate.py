"""Laws of delays that are independent or follow each other, and the correlation of neighbours.

Parameters of the law of a single delay maximise the likelihood as if delays were independent (a
composite likelihood). The correlation is between neighbours after the law has turned delays into
standard normal numbers (a Gaussian copula).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.signal import lfilter

from airtcp.fitting.delays_data import DelayCells, Floats
from airtcp.fitting.delays_laws import MarginalLaw

_MOST_CORRELATION = 0.999


@dataclass(frozen=True)
class DelayLaw:
    """A law of delays, and the correlation of one with the next; 0: independent."""

    marginal: MarginalLaw
    correlation: float = 0.0

    def scores(self, cells: DelayCells) -> Floats:
        """Log-likelihood of each delay given the one before."""
        alone = self.marginal.log_cell_probabilities(cells)[cells.cell]
        if self.correlation == 0.0:
            return np.asarray(alone)
        z = normal_means_in_cells(self.marginal, cells)[cells.cell]
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


def normal_means_in_cells(marginal: MarginalLaw, cells: DelayCells) -> Floats:
    """Mean of the standard normal number within each cell."""
    low, high = marginal.normal_ends(cells)
    inside = np.exp(marginal.log_cell_probabilities(cells))
    density = [np.exp(-0.5 * z * z) / math.sqrt(math.tau) for z in (low, high)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (density[0] - density[1]) / inside
    usable = np.isfinite(found) & (found >= low) & (found <= high) & (inside > 1e-12)
    return np.asarray(np.where(usable, found, 0.5 * (low + high)))


def neighbour_correlation(marginal: MarginalLaw, cells: DelayCells) -> float:
    """Correlation of neighbours, within (-1, 1), that explains the mean of their products.

    Its bias is removed: -(1 + 3 rho) / n for n products, because the mean of all is estimated too
    [Kendall 1954].
    """
    own, squares, after = _neighbour_products(marginal, cells)
    if not after.any():
        return 0.0
    found = float(own[after].sum() / squares[after].sum())
    found += (1.0 + 3.0 * found) / float(np.count_nonzero(after))
    return float(np.clip(found, -_MOST_CORRELATION, _MOST_CORRELATION))


def _neighbour_products(marginal: MarginalLaw, cells: DelayCells) -> tuple[Floats, Floats, Floats]:
    """Products of neighbours; their mean squares, less what the resolution hides; where they are.

    With a mean variance 1 - V within cells, the means within cells have the variance V, and the
    product of two neighbours has the mean V^2 times their correlation, nearly.
    """
    z = normal_means_in_cells(marginal, cells)[cells.cell]
    before = np.r_[0.0, z[:-1]]
    kept = 1.0 - float(normal_variances_in_cells(marginal, cells) @ cells.weight) / len(cells)
    return z * before, 0.5 * (z * z + before * before) * kept, cells.lag == 1


def normal_variances_in_cells(marginal: MarginalLaw, cells: DelayCells) -> Floats:
    """Variances of the standard normal number within each cell."""
    low, high = marginal.normal_ends(cells)
    width = high - low
    found = width * width / 12.0
    wide = width > 0.5  # where the normal law is not even within the cell
    inside = np.exp(marginal.log_cell_probabilities(cells))[wide]
    ends = [end * np.exp(-0.5 * end * end) / math.sqrt(math.tau) for end in (low[wide], high[wide])]
    exact = 1.0 + (ends[0] - ends[1]) / inside - normal_means_in_cells(marginal, cells)[wide] ** 2
    found[wide] = np.clip(exact, 0.0, 1.0)
    return np.asarray(found)
