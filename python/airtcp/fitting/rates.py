"""Models of a rate that changes: a modulated process, with standard errors and a test.

The rate is a monotone function of a Gaussian process, which is a sum of few autoregressive ones:
`autoregressive` of `rates` in a scenario. The distribution of rates is that of the record; memories
are fitted to correlations of ranks. Intervals come from records drawn from the fitted process and
fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from airtcp.fitting.estimates import NORMAL_95, Estimate, to_scale
from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.rates_data import Floats, Rates
from airtcp.fitting.rates_memory import (
    Memories,
    Ranks,
    correlations,
    lags_of,
    memories_of_record,
    refined,
)
from airtcp.fitting.rates_outages import LongOutages, long_outages
from airtcp.fitting.rates_tests import fit_test
from airtcp.support.progress import Report

NAME = "autoregressive"
FEWEST = 500  # steps of a record to which a process is fitted
DRAWS = 199  # records drawn for errors and for the test
NO_SCATTER = "records drawn from the process all show this value, or any"
SHORT_QUEUE = 50  # packets, of the shortest queue over which a process stands for its record
_MOST_BUNCHED = 0.1  # of a short queue: by so much goodput over the process may differ
MOST_BUNCH = _MOST_BUNCHED * SHORT_QUEUE  # packets
_AFTER = (0.1, 1.0, 10.0)  # s, after which correlations are told


@dataclass(frozen=True, eq=False)
class RateModel:
    """A process of rates as fitted.

    - `rates`: the record on its grid; `memories`: of the normal scores, in steps;
    - `estimates`: mean rate, scatter, share of steps without a rate, correlations, memories, all of
      means over steps: what changes within a step is not in them;
    - `p_value`: p value of the hypothesis that the process made the record;
    - `outages`: outages longer than the process makes, in which `rates` are not known: a gate; None
      if they are too few, or were not looked for.
    """

    rates: Rates
    memories: Memories
    estimates: Sequence[Estimate]
    p_value: float
    outages: LongOutages | None = None

    @property
    def is_rejected(self) -> bool:
        """True where the process would make such a record in fewer than 5 % of cases."""
        return self.p_value < TEST_LEVEL

    @property
    def evens_out_bunches(self) -> bool:
        """True where bunches within steps of the record take much of a short queue.

        The test sees whole steps, and the process spreads packets evenly within them.
        """
        return self.rates.bunch > MOST_BUNCH

    @property
    def stands_for_record(self) -> bool:
        """True where nothing is known that TCP does otherwise over the process."""
        return not self.is_rejected and not self.evens_out_bunches

    def objections(self) -> str:
        """Words on all that speaks against the process; empty if nothing does."""
        said = [self.rejection()] if self.is_rejected else []
        if self.evens_out_bunches:
            said.append(
                f"opportunities within steps of {self.rates.every / 1e6:g} ms come in bunches, for"
                f" which {self.rates.bunch:.2g} packets wait: more than"
                f" {100 * _MOST_BUNCHED:g} % of a queue of {SHORT_QUEUE}, and the process evens"
                " them out"
            )
        return "; ".join(said)

    def rejection(self) -> str:
        """Words on a rejection, and on what it does not prove."""
        return (
            f"a goodness-of-fit test rejects the process of rates (p = {self.p_value:.2g}), as it"
            " often does true ones whose steps are shorter than"
            f" {self.rates.every / 1e6:g} ms"
        )

    def keys(self) -> dict[str, Any]:
        """`rates` of a hop."""
        levels, found = self.rates.levels()
        names = [f"{rate / 1e6:.6g}Mbps" if rate >= 1.0 else "0bps" for rate in levels.tolist()]
        # Rates that differ by less than their digits show are one level.
        _, first = np.unique(names, return_index=True)
        begins = np.sort(first)
        shares = _rounded(np.add.reduceat(found, begins))
        memories, every = self.memories, self.rates.every / 1e9
        return {
            "kind": NAME,
            "every": f"{every * 1e3:g}ms",
            "levels": [
                {"rate": names[at], "share": share}
                for at, share in zip(begins.tolist(), shares, strict=True)
            ],
            "memories": [
                {"time": f"{time * every:.4g}s", "share": math.floor(1e4 * share) / 1e4}
                for time, share in zip(memories.times, memories.shares, strict=True)
            ],
        }

    def hop(self) -> dict[str, Any]:
        """Keys of a hop: `rates`, and the `gate` of its outages if there are any."""
        gate = {} if self.outages is None else {"gate": self.outages.gate()}
        return {"rates": self.keys(), **gate}

    def json(self) -> dict[str, Any]:
        """The model as JSON has it."""
        return {
            "model": NAME,
            "step_s": self.rates.every / 1e9,
            "steps": len(self.rates.bps),
            "parameters": [estimate.json() for estimate in self.estimates],
            "p_value": self.p_value,
            "is_rejected": self.is_rejected,
            "bunch_packets": self.rates.bunch,
            "evens_out_bunches": self.evens_out_bunches,
            "outages": self.outages and self.outages.json(),
        }


def fit_rates_and_outages(
    rates: Rates, *, seed: int, draws: int = DRAWS, report: Report | None = None
) -> RateModel | None:
    """Fit outages that are longer than the process makes, and the process to the rest.

    None where `fit_rates` has none for the record.
    """
    outages = long_outages(rates, seed=seed) if _can_be_fitted(rates) else None
    if outages is not None and _can_be_fitted(outages.rest):
        found = fit_rates(outages.rest, seed=seed, draws=draws, report=report)
        return None if found is None else replace(found, outages=outages)
    return fit_rates(rates, seed=seed, draws=draws, report=report)


def _can_be_fitted(rates: Rates) -> bool:
    return len(rates.known) >= FEWEST and bool(np.ptp(rates.known) > 0.0)


def fit_rates(
    rates: Rates, *, seed: int, draws: int = DRAWS, report: Report | None = None
) -> RateModel | None:
    """Fit the process to a record; None where it has too few steps, or rates that do not change."""
    n, known = len(rates.bps), np.isfinite(rates.bps)
    if not _can_be_fitted(rates):
        return None
    ranks, lags = Ranks(rates.bps), lags_of(n)
    memories = memories_of_record(ranks, rates.bps)
    rng = np.random.default_rng(seed)
    records, again, scatters = [], [], []
    for draw in range(draws):
        if report is not None:
            report("rates drawn from the model", draw, draws)
        record = np.where(known, ranks.values(memories.scores(rng, n)), np.nan)
        records.append(record[known])
        told = ranks.scores(correlations(ranks.normal_scores(record), lags))
        fitted = refined(told, lags, memories, n)
        again.append(_places(record, fitted, rates.every))
        scatters.append(math.sqrt(fitted.of_mean(n)))
    own = _places(rates.bps, memories, rates.every)
    errors = _errors(np.array(again) - own, np.array(scatters), math.sqrt(memories.of_mean(n)))
    estimates = tuple(_estimates(own, errors, len(memories.times)))
    p_value = fit_test(ranks, rates.known, records)  # gaps are left out of all alike
    return RateModel(rates, memories, estimates, p_value)


def _errors(apart: Floats, scatters: Floats, own: float) -> Floats:
    """Standard errors whose normal intervals cover 95 % of drawn records.

    - `apart`: deviations of the parameters fitted to drawn records from the true ones;
    - `scatters`, `own`: scatter of the mean by the memories fitted to drawn records, and to the
      record.

    A record that wanders too little shows too short a memory, and seems surer than it is. So
    deviations are taken in units of the scatter that each record itself shows (bootstrap-t).
    """
    ratios = np.abs(apart) / scatters[:, None]
    found: Floats = (
        np.quantile(ratios, 1.0 - TEST_LEVEL, axis=0, method="weibull") * own / NORMAL_95
    )
    return found


def _rounded(shares: Floats) -> list[float]:
    """Shares in millionths whose sum is 1."""
    ends = np.round(1e6 * np.cumsum(shares)).astype(np.int64)
    ends[-1] = 1_000_000
    return [int(millionths) / 1e6 for millionths in np.diff(ends, prepend=0)]


def _names(memories: int) -> Iterator[tuple[str, Any, str]]:
    """Name, scale and unit of every parameter."""
    yield "mean rate", "log", "bit/s"
    yield "standard deviation / mean", "log", ""
    yield "share of time without a rate", "arcsine of root", ""
    for after in _AFTER:
        yield f"correlation after {after:g} s", "identity", ""
    for i in range(memories):
        yield f"memories[{i}].time", "log", "s"
    for i in range(memories):
        yield f"memories[{i}].share", "arcsine of root", ""


def _places(bps: Floats, memories: Memories, every: int) -> Floats:
    """The parameters on their scales, of a record and its memories."""
    bps = bps[np.isfinite(bps)]
    step, mean = every / 1e9, max(float(bps.mean()), 1.0)
    correlation = memories.correlation(np.array(_AFTER) / step)
    return np.concatenate(
        [
            [math.log(mean), math.log(max(float(bps.std()), 1e-9 * mean) / mean)],
            [to_scale("arcsine of root", float((bps == 0.0).mean()))],
            correlation,
            np.log(memories.times * step),
            np.arcsin(np.sqrt(memories.shares)),
        ]
    )


def _estimates(places: Floats, errors: Floats, memories: int) -> Iterator[Estimate]:
    for (name, scale, unit), place, se in zip(_names(memories), places, errors, strict=True):
        found = Estimate.on_scale(name, float(place), float(se), scale, unit=unit)
        yield found if found.low is not None else replace(found, remark=NO_SCATTER)
