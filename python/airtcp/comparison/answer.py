"""The answer of an engine to a scenario, in the same shape whatever the engine is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scipy import special

from airtcp.metrics.ratios import Floats
from airtcp.stats import CONFIDENCE
from airtcp.stats.verdict import Estimate

if TYPE_CHECKING:
    import pandas

    from airtcp.simulation.replications import SimulationResult


@dataclass(frozen=True, eq=False)
class Estimates:
    """Of metrics, by rows of `RunResult.table`, or by points where those are flows.

    - `engine`: whose they are; `estimates`: of each metric one per row, NaN where it has no value;
    - `why`: of each row the reason for which it is not to be compared; empty: it is;
    - `per_run`: of a metric the values of each row's runs, where they are known. Runs of one number
      met the same random numbers at all points, and of all engines; `numbers`: which runs a row
      has, None: the first ones, or those parts of runs that no other engine has.
    """

    engine: str
    estimates: Mapping[str, Sequence[Estimate]]
    why: Sequence[str]
    per_run: Mapping[str, Sequence[Floats]] = field(default_factory=dict)
    numbers: Sequence[Sequence[int]] | None = None

    def over(self, rows: int) -> Estimates:
        """The same in so many rows: flows of a point, of which nothing is known run by run."""
        each = rows // len(self.why)
        if each == 1:
            return self
        estimates = {
            name: [replace(one, telling=math.nan) for one in known for _ in range(each)]
            for name, known in self.estimates.items()
        }
        return Estimates(self.engine, estimates, [one for one in self.why for _ in range(each)])

    def columns(self) -> dict[str, list[Any]]:
        """Of each metric M `ENGINE_M`, its 95 % interval or bounds `ENGINE_M_low` and `_high`."""
        found: dict[str, list[Any]] = {}
        for metric, estimates in self.estimates.items():
            rows = [(one.value, *_ends(one)) for one in estimates]
            parts = (f"{self.engine}_{metric}{part}" for part in ("", "_low", "_high"))
            found |= dict(zip(parts, map(list, zip(*rows, strict=True)), strict=True))
        return found


@dataclass(frozen=True, eq=False)
class Answer:
    """What an engine says of all points of a scenario.

    - `engine`: its name; `said`: makes its estimates, once somebody asks for them;
    - `table`: what the engine alone can say (of the analysis and of real packets a table, of the
      simulation its result); None: the estimates are all.
    """

    engine: str
    said: Callable[[], Estimates]
    table: pandas.DataFrame | SimulationResult | None = None

    @cached_property
    def estimates(self) -> Estimates:
        """Those of all rows that it knows."""
        return self.said()


def _ends(one: Estimate) -> tuple[float, float]:
    if not one.runs:
        return one.bounds
    half = float(special.stdtrit(max(one.runs - 1, 1), 0.5 + CONFIDENCE / 2.0)) * one.error
    return one.value - half, one.value + half
