"""Laws of delays above a base: probabilities of cells, greatest likelihood, quantiles."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import optimize, special

from airtcp.fitting.delays_data import DelayCells, Floats
from airtcp.fitting.sojourns_laws import round_to_four_digits, seconds_text

_LEAST_PROBABILITY = 1e-300
_EDGE_SHARE = 0.05  # of the cell of the lowest delay
_SINGLE_CELLS, _WIDE_CELLS = 10, 50  # cells of rough searches


@dataclass(frozen=True)
class MarginalLaw(ABC):
    """A law of delays in ms: a base and two parameters of what is above it.

    `has_free_base`: False where the base is at a bound, or at a kink of the likelihood.
    """

    base: float
    first: float
    second: float
    has_free_base: bool
    name: ClassVar[str]
    parameter_names: ClassVar[tuple[str, str]]
    parameter_units: ClassVar[tuple[str, str]]

    @abstractmethod
    def below(self, x: Floats) -> Floats:
        """Probabilities of less than x ms above the base."""

    @abstractmethod
    def above(self, x: Floats) -> Floats:
        """Probabilities of more than x ms above the base."""

    @abstractmethod
    def quantile(self, upper: Floats) -> Floats:
        """Delays above the base which are exceeded with these probabilities."""

    @classmethod
    @abstractmethod
    def parameters_from_moments(cls, mean: float, deviation: float) -> tuple[float, float]:
        """Parameters of a law above the base with this mean and deviation."""

    @abstractmethod
    def scenario_table(self) -> dict[str, Any]:
        """The law of what is above the base, as a scenario writes it."""

    def to_search_place(self, edge: float) -> Floats:
        """Logarithms of both parameters and, if the base is free, of its distance from `edge`."""
        both = [math.log(self.first), math.log(self.second)]
        return np.array([*both, math.log(edge - self.base)] if self.has_free_base else both)

    def from_search_place(self, place: Floats, edge: float) -> MarginalLaw:
        """This family at another place, with the base of this law where that is not free."""
        base = edge - math.exp(place[2]) if self.has_free_base else self.base
        return type(self)(base, math.exp(place[0]), math.exp(place[1]), self.has_free_base)

    def log_cell_probabilities(self, cells: DelayCells) -> Floats:
        """Logarithms of the probabilities of all cells."""
        edges, low, high = cells.edges
        x = np.maximum(edges - self.base, 0.0)
        below = self.below(x)
        inside = below[high] - below[low]
        first = int(np.searchsorted(below, 0.5))
        above = self.above(x[first:])
        far = low >= first
        inside[far] = above[low[far] - first] - above[high[far] - first]
        return np.asarray(np.log(np.maximum(inside, _LEAST_PROBABILITY)))

    def normal_ends(self, cells: DelayCells) -> tuple[Floats, Floats]:
        """Ends of the cells on the scale of a standard normal number."""
        return tuple(
            self._to_normal(np.maximum(x - self.base, 0.0)) for x in (cells.low, cells.high)
        )  # type: ignore[return-value]

    def _to_normal(self, x: Floats) -> Floats:
        below = self.below(x)
        with np.errstate(divide="ignore"):
            found = np.where(below < 0.5, special.ndtri(below), -special.ndtri(self.above(x)))
        return np.asarray(np.clip(found, -37.0, 37.0))

    def log_likelihood(self, cells: DelayCells) -> float:
        """Log-likelihood of all delays, as if they were independent."""
        return float(self.log_cell_probabilities(cells) @ cells.weight)

    @classmethod
    def fit(cls, cells: DelayCells, lowest: float, start: MarginalLaw | None = None) -> MarginalLaw:
        """The law of greatest likelihood with a base not below `lowest`.

        The base is held below the lowest cell, even if that has no delay, so that no delay left out
        of a fit is impossible. The search begins at `start`, if given.
        """
        counts = cells.weight
        used = np.flatnonzero(counts)
        counts = counts[used]
        index = np.arange(len(used))
        few = DelayCells(cells.low[used], cells.high[used], index, index)
        rough, rough_counts = _group_cells(few, counts)
        edge, unit = float(cells.high[0]), float(cells.high[0] - cells.low[0])
        room = max(edge - lowest, unit)
        mean = float(np.average(few.middles, weights=counts))
        deviation = math.sqrt(float(np.average((few.middles - mean) ** 2, weights=counts)))
        deviation = max(deviation, unit)

        def loss(place: Floats, some: DelayCells, counts: Floats) -> float:
            law = cls(edge - math.exp(place[2]), math.exp(place[0]), math.exp(place[1]), True)
            return -float(law.log_cell_probabilities(some) @ counts) / len(cells)

        bounds = [(-9.0, 9.0), (-14.0, 14.0), (math.log(_EDGE_SHARE * unit), math.log(room))]

        def search(gap: float, both: tuple[float, float]) -> Any:
            at = np.clip(np.log([*both, gap]), *np.transpose(bounds))
            return optimize.minimize(
                loss, at, (rough, rough_counts), method="Nelder-Mead", bounds=bounds,
                options={"xatol": 1e-2, "fatol": 1e-5, "initial_simplex": _simplex(at, 0.2)},
            )  # fmt: skip

        if start is not None:
            best = search(edge - start.base, (start.first, start.second))
        else:
            gaps = [min(gap, room) for gap in (unit, 0.3 * deviation, 2.0 * deviation)]
            tried = [
                search(gap, cls.parameters_from_moments(max(mean - edge + gap, unit), deviation))
                for gap in gaps
            ]
            best = min(tried, key=lambda minimum: float(minimum.fun))
        best = optimize.minimize(
            loss, best.x, (few, counts), method="Nelder-Mead", bounds=bounds,
            options={"xatol": 1e-5, "fatol": 1e-10, "initial_simplex": _simplex(best.x, 0.02)},
        )  # fmt: skip
        first, second, gap = (math.exp(logarithm) for logarithm in best.x)
        inside = 1.01 * _EDGE_SHARE * unit < gap < 0.999 * room
        at_kink = cls.has_edge(first) and abs(gap - unit) < 0.01 * unit  # the end of a cell
        return cls(edge - gap, first, second, inside and not at_kink)

    @staticmethod
    def has_edge(first: float) -> bool:
        """True if the density rises so fast at the base that the lowest delay determines it."""
        del first
        return False


def _group_cells(cells: DelayCells, counts: Floats) -> tuple[DelayCells, Floats]:
    """The lowest cells, and some wide ones above: enough to find a place to search from."""
    n = len(counts)
    wide = np.linspace(
        min(_SINGLE_CELLS, n), n, min(_WIDE_CELLS, max(n - _SINGLE_CELLS, 0)) + 1
    ).astype(np.int64)
    first = np.r_[np.arange(min(_SINGLE_CELLS, n)), wide[:-1]]
    last = np.r_[first[1:], n] - 1
    index = np.arange(len(first))
    return DelayCells(cells.low[first], cells.high[last], index, index), np.add.reduceat(
        counts, first
    )


def _simplex(place: Floats, size: float) -> Floats:
    """Corners around a place, from which a search begins; steps are down, as bounds are above."""
    return np.vstack([place, place - size * np.eye(len(place))])


@dataclass(frozen=True)
class ShiftedGamma(MarginalLaw):
    """A gamma law above the base: `first` is its shape, `second` its mean."""

    name: ClassVar[str] = "gamma"
    parameter_names: ClassVar[tuple[str, str]] = ("shape", "mean")
    parameter_units: ClassVar[tuple[str, str]] = ("", "ms")

    @staticmethod
    def has_edge(first: float) -> bool:
        """True for shapes up to 2."""
        return first <= 2.0

    def below(self, x: Floats) -> Floats:
        """Probabilities of less than x ms above the base."""
        return np.asarray(special.gammainc(self.first, x * (self.first / self.second)))

    def above(self, x: Floats) -> Floats:
        """Probabilities of more than x ms above the base."""
        return np.asarray(special.gammaincc(self.first, x * (self.first / self.second)))

    def quantile(self, upper: Floats) -> Floats:
        """Delays above the base which are exceeded with these probabilities."""
        return np.asarray(special.gammainccinv(self.first, upper) * (self.second / self.first))

    @classmethod
    def parameters_from_moments(cls, mean: float, deviation: float) -> tuple[float, float]:
        """Parameters of a law above the base with this mean and deviation."""
        return (mean / deviation) ** 2, mean

    def scenario_table(self) -> dict[str, Any]:
        """The law of what is above the base, as a scenario writes it."""
        return {
            "kind": "gamma",
            "shape": round_to_four_digits(self.first),
            "mean": seconds_text(self.second / 1e3),
        }


@dataclass(frozen=True)
class ShiftedLogNormal(MarginalLaw):
    """A log-normal law above the base: `first` is its median, `second` its sigma."""

    name: ClassVar[str] = "log-normal"
    parameter_names: ClassVar[tuple[str, str]] = ("median", "sigma")
    parameter_units: ClassVar[tuple[str, str]] = ("ms", "")

    def _standard(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray((np.log(x) - math.log(self.first)) / self.second)

    def below(self, x: Floats) -> Floats:
        """Probabilities of less than x ms above the base."""
        return np.asarray(special.ndtr(self._standard(x)))

    def above(self, x: Floats) -> Floats:
        """Probabilities of more than x ms above the base."""
        return np.asarray(special.ndtr(-self._standard(x)))

    def quantile(self, upper: Floats) -> Floats:
        """Delays above the base which are exceeded with these probabilities."""
        return np.asarray(self.first * np.exp(-self.second * special.ndtri(upper)))

    @classmethod
    def parameters_from_moments(cls, mean: float, deviation: float) -> tuple[float, float]:
        """Parameters of a law above the base with this mean and deviation."""
        variance = math.log1p((deviation / mean) ** 2)
        return mean * math.exp(-variance / 2.0), math.sqrt(variance)

    def scenario_table(self) -> dict[str, Any]:
        """The law of what is above the base, as a scenario writes it."""
        median = seconds_text(self.first / 1e3)
        return {"kind": "log-normal", "median": median, "sigma": round_to_four_digits(self.second)}


LAWS: tuple[type[MarginalLaw], ...] = (ShiftedGamma, ShiftedLogNormal)
