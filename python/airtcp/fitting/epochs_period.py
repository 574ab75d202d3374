"""Period, place and averages of records in which delay and losses change at equal times.

A link that is reallocated at equal times keeps a delay in between. A record of it may hold means
over some rows: means over a whole epoch show no step, but a delay that changes evenly from one
level to the next. Period, place and averages follow from moments. For a process that is constant
within epochs and has noise in each row, the correlation of differences of such means is a sum of
known kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from scipy.stats import f as f_distribution

from airtcp.fitting.epochs_data import Floats, LossDelayRows, mean_product

SHORTEST_PERIOD, LONGEST_PERIOD = 5, 60  # rows of an epoch
_SURE_P_VALUE = 1e-6  # p value below which a period is there
_EPOCHS = 4  # after which levels are alike, as far as differences tell
_ERROR_RATIO = 0.8  # ratio of the errors of two averages, above which the shorter one is taken


@dataclass(frozen=True)
class Period:
    """Epochs of `rows` rows that begin at places `first`, `first + rows`, ..., with the p value."""

    rows: int
    first: int
    p_value: float


@dataclass(frozen=True)
class AveragingWindows:
    """Rows over which the record has means: of delays, and of shares of losses.

    `noise`: variance of single rows around the level of their epoch, before averaging.
    """

    delay: int
    loss: int
    noise: float


def find_period(rows: LossDelayRows) -> tuple[int, float]:
    """Length of the epoch, in rows, that explains losses or bends of the delay best; its p value.

    The p value is that of an analysis of variance over places in the epoch, for the better of the
    two, times the number of periods tried.
    """
    bends = np.abs(_differences(rows, 2))
    lost = rows.series((rows.loss_share > 0.0).astype(np.float64))
    bends = np.clip(bends, None, np.nanquantile(bends, 0.99))
    best, p_value, size = 0, 1.0, 0.0
    for period in range(SHORTEST_PERIOD, min(LONGEST_PERIOD, len(lost) // 20) + 1):
        ratios = [_variance_ratio(series, period) for series in (bends, lost)]
        if sum(ratio for ratio, _ in ratios) > size:
            size = sum(ratio for ratio, _ in ratios)
            best, p_value = period, min(p for _, p in ratios)
    tried = 2.0 * (LONGEST_PERIOD - SHORTEST_PERIOD + 1)
    return best, min(1.0, tried * p_value)


def is_sure(p_value: float) -> bool:
    """True of a period that chance does not make."""
    return p_value < _SURE_P_VALUE


def find_averages(rows: LossDelayRows, period: int) -> AveragingWindows:
    """Rows over which delays and shares are means, and the noise between rows."""
    steps = _differences(rows, 1)
    lags = np.arange(3 * period + 1)
    told = np.array([mean_product(steps, int(lag)) for lag in lags])
    fits = [_noise_error(told, window, period) for window in range(1, period + 1)]
    best = min(error for error, _ in fits)
    window = next(i for i, (error, _) in enumerate(fits, 1) if _ERROR_RATIO * error <= best)
    return AveragingWindows(window, _loss_window(rows), fits[window - 1][1])


def find_phase(rows: LossDelayRows, period: int, window: int) -> int:
    """The place at which epochs begin: there, means within epochs scatter most."""
    delay = rows.series(rows.delay)
    scatter = [np.nanvar(epoch_delays(delay, period, first, window)) for first in range(period)]
    return int(np.argmax(scatter))


def epoch_delays(delay: Floats, period: int, first: int, window: int) -> Floats:
    """Mean delay of every epoch, from `first` on, NaN where rows are missing.

    Only the last rows of an epoch count: their means are over that epoch alone.
    """
    whole = (len(delay) - first) // period
    table = delay[first : first + whole * period].reshape(whole, period)
    found: Floats = table[:, window - 1 :].mean(axis=1)
    found[np.isnan(table).any(axis=1)] = np.nan
    return found


def _differences(rows: LossDelayRows, order: int) -> Floats:
    """Differences of delays by place, NaN in gaps."""
    delay = rows.series(rows.delay)
    return np.concatenate([np.full(order, np.nan), np.diff(delay, order)])


def _variance_ratio(values: Floats, period: int) -> tuple[float, float]:
    """F of an analysis of variance over places in the period, and its p value."""
    known = np.flatnonzero(np.isfinite(values))
    place, value = known % period, values[known]
    count = np.bincount(place, minlength=period)
    if (count < 2).any():
        return 0.0, 1.0
    mean = np.bincount(place, value, minlength=period) / count
    between = count @ (mean - value.mean()) ** 2 / (period - 1)
    within = (value @ value - count @ mean**2) / (len(value) - period)
    if within <= 0.0:
        return 0.0, 1.0
    ratio = float(between / within)
    return ratio, float(f_distribution.sf(ratio, period - 1, len(value) - period))


def _noise_error(told: Floats, window: int, period: int) -> tuple[float, float]:
    """Error of the model for differences of means over `window` rows, and the noise of a row."""
    reach = len(told) + window + 1
    lag = np.arange(-reach, reach + 1)
    columns: list[Floats] = [
        np.maximum(0.0, 1.0 - np.abs(np.abs(lag) - epoch * period) / period)
        for epoch in range(_EPOCHS + 1)
    ]
    columns.append((lag == 0).astype(np.float64))
    weights = np.convolve(np.ones(window), np.ones(window)) / window**2
    kernel = np.convolve(weights, [-1.0, 2.0, -1.0])
    design = np.array(
        [np.convolve(column, kernel, "same")[reach : reach + len(told)] for column in columns]
    )
    shares, error = nnls(design.T, told)
    return float(error), float(shares[-1])


def _loss_window(rows: LossDelayRows) -> int:
    """Number of rows that show one lost probe: the usual length of a run of rows with losses.

    A length is usual if more than half of all runs have it, and few are shorter; without one: 1.
    """
    lost = np.nan_to_num(rows.series(rows.loss_share)) > 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    if not lengths.size:
        return 1
    usual = int(np.bincount(lengths).argmax())
    shorter, same = (lengths < usual).mean(), (lengths == usual).mean()
    return usual if same > 0.5 and shorter < 0.2 else 1
