"""Losses and delays of a link by the second, on a clock: rows at equal steps, with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.measurement import Measurement

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LONGEST_STEP = 5.0  # s, of rows that could show epochs of seconds
_GAP_STEPS = 1.5  # steps without a row that are a gap
_LONG_GAP = 4 * 3600.0  # s, to which longer gaps are cut: what was before is forgotten then
HOUR = 3600.0
_PAUSE = 60.0  # s, after which an hour begins anew
_FULL_HOUR_SHARE = 0.9  # part of an hour that is one


@dataclass(frozen=True, eq=False)
class LossDelayRows:
    """Rows of records of one link, in the order of time.

    - `step`: s from row to row; `place`: whole steps since the first row, gaps included;
    - `phase`: s since 1970 of the first row, or 0 where that is not known;
    - `loss_share`: share of the probes that were lost, per row; `probes`: mean number of probes in
      a row;
    - `delay`: mean delay of the answered probes, ns; NaN if none was answered.
    """

    step: float
    place: Ints
    began: float
    loss_share: Floats
    probes: float
    delay: Floats

    @property
    def hour_indices(self) -> list[Ints]:
        """Indices of the rows of every full hour; after a pause hours are counted anew."""
        many = round(HOUR / self.step)
        begins = np.flatnonzero(np.diff(self.place) * self.step > _PAUSE) + 1
        found = []
        for stretch in np.split(np.arange(len(self.place)), begins):
            found += [stretch[i : i + many] for i in range(0, len(stretch), many)]
        return [hour for hour in found if len(hour) >= _FULL_HOUR_SHARE * many]

    def series(self, values: Floats) -> Floats:
        """Values by place, NaN in gaps."""
        found = np.full(int(self.place[-1]) + 1, np.nan)
        found[self.place] = values
        return found

    def with_values(self, share: Floats, delay: Floats) -> LossDelayRows:
        """Other values in these rows."""
        return LossDelayRows(self.step, self.place, self.began, share, self.probes, delay)


def rows_of_measurements(chosen: Sequence[Measurement]) -> LossDelayRows | None:
    """The rows of records; None where they do not hold losses and delays at equal short steps."""
    counts = [
        (measurement, measurement.intervals)
        for measurement in chosen
        if measurement.intervals is not None
    ]
    starts, shares, delays, probes = [], [], [], []
    for number, (measurement, rows) in enumerate(counts):
        kept = rows.has_loss_counts & np.isfinite(rows.delay)
        if not measurement.is_probing or not kept.any():
            return None
        apart = 0.0 if measurement.began is not None else number * 2.0 * _LONG_GAP
        starts.append((measurement.began or apart) + rows.start[kept] / 1e9)
        shares.append(rows.lost[kept] / rows.sent[kept])
        delays.append(rows.delay[kept])
        probes.append(rows.sent[kept])
    if not starts:
        return None
    start = np.concatenate(starts)
    order = np.argsort(start, kind="stable")
    start = start[order]
    step = float(np.median(np.diff(start))) if len(start) > 1 else 0.0
    if not 0.0 < step <= LONGEST_STEP:
        return None
    step = round(step, 1) if step >= 0.5 else step
    place = _places(start, step)
    fresh = np.append(True, np.diff(place) > 0)
    share, delay = (np.concatenate(parts)[order][fresh] for parts in (shares, delays))
    mean = float(np.concatenate(probes).mean())
    return LossDelayRows(step, place[fresh], float(start[0]), share, mean, delay)


def mean_product(values: Floats, lag: int) -> float:
    """Mean product of values so many places apart; those next to a gap (NaN) do not count."""
    return float(np.nanmean(values[lag:] * values[: len(values) - lag]))


def _places(start: Floats, step: float) -> Ints:
    """Whole steps since the first row.

    Within a stretch, rows follow one another step by step, however their stamps scatter; after a
    gap, stamps count. Long gaps are shortened by whole quarters of an hour, which keeps the place
    in an epoch.
    """
    apart = np.diff(start)
    begins = np.append(0, np.flatnonzero(apart > (1.0 + _GAP_STEPS) * step) + 1)
    ends = np.append(begins[1:], len(start))
    place = np.zeros(len(start), dtype=np.int64)
    cut, next_free = 0.0, 0
    for begin, end in zip(begins, ends, strict=True):
        if begin and start[begin] - start[begin - 1] > _LONG_GAP:
            cut += (start[begin] - start[begin - 1] - _LONG_GAP) // 900.0 * 900.0
        along = np.arange(end - begin)
        offset = float(np.median(start[begin:end] - start[0] - cut - along * step))
        first = max(round(offset / step), next_free)
        place[begin:end] = first + along
        next_free = first + int(end - begin)
    return place
