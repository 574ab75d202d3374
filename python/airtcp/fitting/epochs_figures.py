"""Figures of records of losses and delays by the second, and their comparison with a model's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from airtcp.fitting.epochs_data import Floats, LossDelayRows, mean_product

_AFTER = (1.0, 5.0, 15.0, 60.0)  # s, after which correlations of the delay are told
STATISTIC_NAMES = (
    "drop rate",
    "share of rows with drops",
    *(f"autocorrelation of the delay at {after:g} s" for after in _AFTER),
    "99 % of delays (ms)",
    "drop rate of an hour, standard deviation of the logarithm",
)


@dataclass(frozen=True)
class StatisticComparison:
    """A figure of a record, the median of records from a model, and 95 % of these."""

    name: str
    record: float
    model: float
    low: float
    high: float

    @property
    def is_within_model(self) -> bool:
        """True if the record's is among 95 % of the model's."""
        return self.low <= self.record <= self.high

    def json(self) -> dict[str, Any]:
        """The figure as JSON has it."""
        return {
            "name": self.name,
            "record": self.record,
            "model": self.model,
            "low": self.low,
            "high": self.high,
        }


def record_statistics(rows: LossDelayRows) -> Floats:
    """`STATISTIC_NAMES` of a record, all rows pooled."""
    delay = rows.series(rows.delay)
    apart = delay - rows.delay.mean()
    power = float(np.nanmean(apart**2))
    found = [float(rows.loss_share.mean()), float((rows.loss_share > 0.0).mean())]
    for after in _AFTER:
        lag = max(1, round(after / rows.step))
        if power == 0.0 or lag >= len(apart):
            found.append(0.0)
            continue
        found.append(mean_product(apart, lag) / power)
    rates = hourly_drop_rates(rows)
    scatter = float(np.std(np.log(np.maximum(rates, 1e-6)))) if len(rates) > 1 else 0.0
    return np.array([*found, float(np.quantile(rows.delay, 0.99)) / 1e6, scatter])


def tested_statistics(rows: LossDelayRows) -> Floats:
    """`STATISTIC_NAMES` and what a test compares beside them: trends, quantiles, rows with losses.

    Trends are differences of the two halves in the logarithm of drop rates and in delays.
    """
    half = len(rows.loss_share) // 2
    first, last = (
        np.log(max(float(half_shares.mean()), 1e-6))
        for half_shares in np.split(rows.loss_share, [half])
    )
    before, after = (float(half_delays.mean()) for half_delays in np.split(rows.delay, [half]))
    lost = rows.series((rows.loss_share > 0.0).astype(np.float64))
    pairs = [mean_product(lost, lag) for lag in (2, 5, 15)]
    quantiles = np.quantile(rows.delay, [0.05, 0.5, 0.95]) / 1e6
    most = float(np.quantile(rows.loss_share, 0.999))
    return np.array(
        [*record_statistics(rows), last - first, (after - before) / 1e6, *quantiles, most, *pairs]
    )


def hourly_drop_rates(rows: LossDelayRows) -> Floats:
    """Drop rates of the hours of a record."""
    return np.array([float(rows.loss_share[hour].mean()) for hour in rows.hour_indices])
