"""Models of a rate that changes: a modulated process, with standard errors and a test.

The rate is a monotone function of a Gaussian process, which is a sum of few autoregressive ones:
`autoregressive` of `rates` in a scenario. The distribution of rates is that of the record; memories
are fitted to correlations of ranks. Standard errors come from records drawn from the fitted process
and fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from airtcp.fitting.estimates import Estimate
from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.rates_data import Floats, Rates
from airtcp.fitting.rates_memory import (
    Memories,
    Ranks,
    correlations,
    lags_of,
    memories_of,
    refined,
)
from airtcp.fitting.rates_tests import fit_test
from airtcp.support.progress import Report

NAME = "autoregressive"
FEWEST = 500  # steps of a record to which a process is fitted
DRAWS = 199  # records drawn for errors and for the test
_AFTER = (0.1, 1.0, 10.0)  # s, after which correlations are told


@dataclass(frozen=True, eq=False)
class RateModel:
    """A process of rates as fitted.

    - `rates`: the record on its grid; `memories`: of the normal scores, in steps;
    - `estimates`: mean rate, scatter, share of steps without a rate, correlations, memories;
    - `p_value`: p value of the hypothesis that the process made the record.
    """

    rates: Rates
    memories: Memories
    estimates: Sequence[Estimate]
    p_value: float

    @property
    def is_rejected(self) -> bool:
        """True where the process would make such a record in fewer than 5 % of cases."""
        return self.p_value < TEST_LEVEL

    def keys(self) -> dict[str, Any]:
        """`rates` of a hop."""
        levels, found = self.rates.levels()
        shares = _rounded(found)
        memories, every = self.memories, self.rates.every / 1e9
        return {
            "kind": NAME,
            "every": f"{every * 1e3:g}ms",
            "levels": [
                {"rate": f"{rate / 1e6:.6g}Mbps" if rate >= 1.0 else "0bps", "share": share}
                for rate, share in zip(levels.tolist(), shares, strict=True)
            ],
            "memories": [
                {"time": f"{time * every:.4g}s", "share": math.floor(1e4 * share) / 1e4}
                for time, share in zip(memories.times, memories.shares, strict=True)
            ],
        }

    def json(self) -> dict[str, Any]:
        """The model as JSON has it."""
        return {
            "model": NAME,
            "step_s": self.rates.every / 1e9,
            "steps": len(self.rates.bps),
            "parameters": [one.json() for one in self.estimates],
            "p_value": self.p_value,
            "is_rejected": self.is_rejected,
        }


def fit_rates(
    rates: Rates, *, seed: int, draws: int = DRAWS, report: Report | None = None
) -> RateModel | None:
    """Fit the process to a record; None where it has too few steps, or rates that do not change."""
    n = len(rates.bps)
    if n < FEWEST or np.ptp(rates.bps) == 0.0:
        return None
    ranks, lags = Ranks(rates.bps), lags_of(n)
    found = ranks.scores(correlations(ranks.of(rates.bps), lags))
    memories = memories_of(found, lags)
    rng = np.random.default_rng(seed)
    records, again = [], []
    for draw in range(draws):
        if report is not None:
            report("rates drawn from the model", draw, draws)
        record = ranks.values(memories.scores(rng, n))
        records.append(record)
        told = ranks.scores(correlations(ranks.of(record), lags))
        again.append(_places(record, refined(told, lags, memories), rates.every))
    own = _places(rates.bps, memories, rates.every)
    errors = np.std(again, axis=0, ddof=1)
    estimates = tuple(_estimates(own, errors, len(memories.times)))
    p_value = fit_test(ranks, rates.bps, records)
    return RateModel(rates, memories, estimates, p_value)


def _rounded(shares: Floats) -> list[float]:
    """Shares in millionths whose sum is 1."""
    ends = np.round(1e6 * np.cumsum(shares)).astype(np.int64)
    ends[-1] = 1_000_000
    return [int(one) / 1e6 for one in np.diff(ends, prepend=0)]


def _names(memories: int) -> Iterator[tuple[str, Any, str]]:
    """Name, scale and unit of every parameter."""
    yield "mean rate", "log", "bit/s"
    yield "standard deviation / mean", "log", ""
    yield "share of time without a rate", "identity", ""
    for after in _AFTER:
        yield f"correlation after {after:g} s", "identity", ""
    for i in range(memories):
        yield f"memories[{i}].time", "log", "s"
    for i in range(memories):
        yield f"memories[{i}].share", "identity", ""


def _places(bps: Floats, memories: Memories, every: int) -> Floats:
    """The parameters on their scales, of a record and its memories."""
    step, mean = every / 1e9, max(float(bps.mean()), 1.0)
    correlation = memories.correlation(np.array(_AFTER) / step)
    return np.concatenate(
        [
            [math.log(mean), math.log(max(float(bps.std()), 1e-9 * mean) / mean)],
            [float((bps == 0.0).mean())],
            correlation,
            np.log(memories.times * step),
            memories.shares,
        ]
    )


def _estimates(places: Floats, errors: Floats, memories: int) -> Iterator[Estimate]:
    for (name, scale, unit), place, se in zip(_names(memories), places, errors, strict=True):
        yield Estimate.on_scale(name, float(place), float(se), scale, unit=unit)
