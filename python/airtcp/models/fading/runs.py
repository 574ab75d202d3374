"""Runs of losses and of deliveries: their distribution in a trace and in a chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.models.table import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class RunStats:
    """A distribution of run lengths, in slots.

    - `mean`, `median`: mean and median length of a run;
    - `length_biased`: mean length of the run that a random slot of this kind lies in, E[L^2]/E[L].
    """

    mean: float
    median: int
    length_biased: float


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one kind in a trace, and in the fitted chain.

    - `data`, `model`: mean, median and length-biased mean;
    - `table`: for each `length`, the share of runs at least that long (`data`, `model`), and the
      share of *slots* of this kind in such runs (`data_slots`, `model_slots`);
    - `distance`, `slot_distance`: largest difference between data and model, for runs and for
      slots.
    """

    data: RunStats
    model: RunStats
    table: Table
    distance: float
    slot_distance: float


@dataclass(frozen=True, eq=False)
class GeometricMixture:
    """Geometric run lengths, mixed: P[L >= n] = sum_i w_i s_i^(n-1)."""

    weights: Floats
    stay: Floats

    def at_least(self, lengths: Ints) -> Floats:
        """P[L >= n]."""
        return np.power(self.stay, lengths[:, None] - 1) @ self.weights

    def slots_at_least(self, lengths: Ints) -> Floats:
        """Share of slots in runs of at least n: E[L; L >= n] / E[L]."""
        rest = lengths[:, None] - 1 + 1.0 / (1.0 - self.stay)
        in_long = (np.power(self.stay, lengths[:, None] - 1) * rest) @ self.weights
        share: Floats = in_long / self.mean
        return share

    @property
    def mean(self) -> float:
        """E[L]."""
        return float(self.weights @ (1.0 / (1.0 - self.stay)))

    @property
    def stats(self) -> RunStats:
        """Mean, median, length-biased mean."""
        square = float(self.weights @ ((1.0 + self.stay) / (1.0 - self.stay) ** 2))
        return RunStats(self.mean, self._median(), square / self.mean)

    def _median(self) -> int:
        """The least n with P[L > n] <= 1/2, by bisection."""
        low, high = 0, 1
        while self.at_least(np.array([high + 1]))[0] > 0.5:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            above = self.at_least(np.array([middle + 1]))[0] > 0.5
            low, high = (middle, high) if above else (low, middle)
        return high


def compare_runs(lengths: Ints, model: GeometricMixture) -> Runs:
    """The runs of a trace beside the runs of a chain."""
    sizes, counts = np.unique(lengths, return_counts=True)
    size = sizes.astype(np.float64)
    data = _tail_shares(counts / counts.sum())
    data_slots = _tail_shares(counts * size / (counts @ size))
    known, known_slots = model.at_least(sizes), model.slots_at_least(sizes)
    # between two lengths that occur, the distribution of the data is constant
    after, after_slots = model.at_least(sizes + 1), model.slots_at_least(sizes + 1)
    biased = float(counts @ size**2 / (counts @ size))
    stats = RunStats(float(lengths.mean()), int(np.median(lengths)), biased)
    columns = {
        "length": sizes,
        "data": data,
        "model": known,
        "data_slots": data_slots,
        "model_slots": known_slots,
    }
    return Runs(
        data=stats,
        model=model.stats,
        table=Table(columns),
        distance=_ks_distance(data, known, after),
        slot_distance=_ks_distance(data_slots, known_slots, after_slots),
    )


def _tail_shares(shares: Floats) -> Floats:
    tail: Floats = np.cumsum(shares[::-1])[::-1]
    return tail


def _ks_distance(data: Floats, at: Floats, after: Floats) -> float:
    beyond = np.append(data[1:], 0.0)
    return float(max(np.abs(data - at).max(), np.abs(beyond - after).max()))


def run_lengths(lost: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Lengths of the loss runs and of the delivery run after each, in order.

    Only whole runs: the first and the last of the trace are cut, and left out.
    """
    changes = np.flatnonzero(lost[1:] != lost[:-1]) + 1
    lengths = np.diff(changes)
    starts_lost = bool(lost[changes[0]]) if changes.size else True
    whole = lengths if starts_lost else lengths[1:]
    pairs = whole[: 2 * (whole.size // 2)].reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
