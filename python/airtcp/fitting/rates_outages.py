"""Outages of a link that are longer than a process of its rate makes: found, and as a gate.

A monotone function of one Gaussian process cannot have short times without a rate everywhere and a
few of seconds: with the memories of the former it spreads the latter over many slow spells, which
delay more packets. So long outages alternate with the process, as the off states of on-off models
do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.outages_runs import SHORTEST_OUTAGE_NS
from airtcp.fitting.rates_data import Floats, Rates
from airtcp.fitting.rates_memory import Ranks, memories_of_record
from airtcp.fitting.sojourns import FEWEST_ENDED
from airtcp.fitting.sojourns_laws import round_to_four_digits, seconds_text
from airtcp.measured.runs import run_bounds, run_lengths

_DRAWS = 39  # records that tell the longest time without a rate: 38 are not above the limit
_AT_ONCE = "1us"
_LEAST = SHORTEST_OUTAGE_NS / 1e9  # s


@dataclass(frozen=True, eq=False)
class LongOutages:
    """Outages of a record that are longer than the process fitted to the rest makes.

    - `rest`: the record, its rates not known in these outages;
    - `lengths`: of the outages, in seconds;
    - `limit`: seconds that all of them exceed, by which the shortest were taken.
    """

    rest: Rates
    lengths: Floats
    limit: float

    @property
    def share(self) -> float:
        """Share of the time in outages."""
        return float(self.lengths.sum()) / self.rest.seconds

    @property
    def mean_between(self) -> float:
        """Mean time from the start of one outage to that of the next, in seconds."""
        return self.rest.seconds / len(self.lengths)

    def gate(self) -> dict[str, Any]:
        """The gate of a scenario: lengths as recorded in random order, memoryless times between.

        A gate is up at first. With the probability of the share an outage comes at once, so that
        runs begin in one as often as the record is in one; elsewhere two then join. Times between
        are longer by as much, which keeps the share.
        """
        at_once = round_to_four_digits(self.share)
        values = [seconds_text(length) for length in self.lengths.tolist()]
        marginal = {"kind": "values", "values": values}
        return {
            "kind": "spikes",
            "interval": {
                "kind": "hyper-exponential",
                "weights": [at_once, float(f"{1.0 - at_once:.12g}")],
                "means": [_AT_ONCE, seconds_text(self.mean_between)],
            },
            "duration": {"kind": "autoregressive", "marginal": marginal, "correlation": 0.0},
            "timing": "gap",
            "direction": "forward",
        }

    def words(self) -> str:
        """Number and lengths of the outages, and the rule that found them."""
        low, high = (
            seconds_text(float(length)) for length in (self.lengths.min(), self.lengths.max())
        )
        if self.limit == _LEAST:
            rule = "the least that counts as an outage"
        else:
            often = f"once in {1.0 / TEST_LEVEL:.0f} records"
            rule = f"which a process fitted with the shortest of them exceeds {often}"
        limit = seconds_text(self.limit)
        return f"{len(self.lengths)} outages of {low} to {high}, longer than {limit}, {rule}"

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "lengths_s": self.lengths.tolist(),
            "mean_between_s": self.mean_between,
            "limit_s": self.limit,
        }


def long_outages(rates: Rates, *, seed: int) -> LongOutages | None:
    """Find long outages; None where they are fewer than a distribution of lengths needs.

    Times without a rate are outages if they are longer than the longest one of 95 % of records
    drawn from the process, and than any break in which losses count as an outage. What remains is
    fitted again, until nothing is longer.
    """
    rng = np.random.default_rng([seed, 1])
    found = rates.bps.copy()
    starts, ends = run_bounds(rates.bps == 0.0)
    lengths = rates.every * (ends - starts) / 1e9
    taken, limit = np.zeros(len(starts), dtype=bool), 0.0
    while True:  # each turn takes one or more, by a lower limit than the turn before
        known = found[np.isfinite(found)]
        if not len(known) or np.ptp(known) == 0.0:
            return None
        own_limit = max(rates.every * _longest(found, rng) / 1e9, _LEAST)
        fresh = ~taken & (lengths > own_limit)
        if not fresh.any():
            break
        taken, limit = taken | fresh, own_limit
        for start, end in zip(starts[fresh], ends[fresh], strict=True):
            found[start:end] = np.nan
    if taken.sum() < FEWEST_ENDED:
        return None
    return LongOutages(replace(rates, bps=found), lengths[taken], limit)


def _longest(bps: Floats, rng: np.random.Generator) -> float:
    """Steps that the longest time without a rate exceeds in 5 % of records of the process."""
    n, known = len(bps), np.isfinite(bps)
    ranks = Ranks(bps)
    memories = memories_of_record(ranks, bps)
    longest = [
        run_lengths(known & (ranks.values(memories.scores(rng, n)) == 0.0)).max(initial=0)
        for _ in range(_DRAWS)
    ]
    return float(np.quantile(longest, 1.0 - TEST_LEVEL, method="weibull"))
