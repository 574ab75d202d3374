"""Every claim of the paper under other readings of its open points: verdicts and intervals.

`make sensitivity` runs it in full and writes docs/papers/lahanas_sensitivity.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from airtcp import stats
from airtcp.metrics.ratios import linearised_ratio
from airtcp.papers.base import Claim, Statement, percent
from airtcp.papers.lahanas import best
from airtcp.papers.lahanas.pairs import GRAFTED_PAIRS
from airtcp.papers.lahanas.parts import FIGURES, TABLES
from airtcp.papers.lahanas.quoted import QUOTED, Pair, QuotedDifferences
from airtcp.papers.lahanas.readings import Reading
from airtcp.papers.lahanas.study import LOSSY_RATES, ON_LENGTHS, QUANTITIES, WORDS, LahanasStudy

_LOW_ERROR_RATES, _HIGH_ERROR_RATES = (1, 10, 20, 33), (20, 33, 50, 99)  # %
TIME_MEASURE, OVERHEAD_MEASURE = "time without errors, s", "overhead without errors, %"
PRINTED_MET_WORDS = {"time_s": "printed times met", "overhead_pct": "printed overheads met"}


@dataclass(frozen=True)
class Measure:
    """Relative differences of the first of each pair to the second, averaged over cells."""

    words: str
    pairs: tuple[Pair, ...]
    on: tuple[int, ...]
    rates: tuple[int, ...]
    quantity: str = "time_s"

    def interval(self, study: LahanasStudy) -> tuple[float, float, float]:
        """The mean difference and its 95 % interval; runs are paired, cells of a run are not
        taken for independent."""
        cells = [
            _influence_values(
                study.values(self.quantity, first, on, rate),
                study.values(self.quantity, other, on, rate),
            )
            for first, other in self.pairs
            for on in self.on
            for rate in self.rates
        ]
        found = stats.mean_intervals(np.mean(cells, axis=0)[np.newaxis, :])
        return float(found["mean"][0]), float(found["low"][0]), float(found["high"][0])


def _influence_values(first: Any, other: Any) -> Any:
    """Values whose mean is the relative difference of the means, and which scatter as it does."""
    return linearised_ratio(first, other, np.zeros(first.size, dtype=np.intp)) - 1.0


def _probing_measures(
    rates: tuple[int, ...], on: tuple[int, ...] = ON_LENGTHS, quantity: str = "time_s"
) -> tuple[Measure, ...]:
    words = "overhead" if quantity == "overhead_pct" else "time"
    return tuple(
        Measure(
            f"{words}, {WORDS[first]} against {WORDS[other]}",
            ((first, other),),
            on,
            rates,
            quantity,
        )
        for first, other in GRAFTED_PAIRS
    )


def _measure_against(
    name: str, others: Iterable[str], on: tuple[int, ...], rates: tuple[int, ...]
) -> Any:
    return tuple(
        Measure(f"time, {WORDS[name]} against {WORDS[other]}", ((name, other),), on, rates)
        for other in others
    )


def _measures_of_quoted(quoted: QuotedDifferences) -> tuple[Measure, ...]:
    return tuple(
        Measure(
            f"{quoted.quantity.partition('_')[0]}, {WORDS[pair[0]]} against {WORDS[pair[1]]},"
            f" quoted {percent(float(np.mean(list(values.values()))))}",
            (pair,),
            (quoted.on,),
            tuple(values),
            quoted.quantity,
        )
        for pair, values in quoted.values.items()
    )


# The quantities that claims are about, by name; of the others the finding says it.
MEASURES: dict[str, tuple[Measure, ...]] = {
    "faster-at-99": _probing_measures((99,)),
    "overhead-at-99": _probing_measures((99,), quantity="overhead_pct"),
    "faster-from-20": _probing_measures(_HIGH_ERROR_RATES),
    "cost-at-1": (*_probing_measures((1,)), *_probing_measures((1,), quantity="overhead_pct")),
    "overhead-3s": _probing_measures(LOSSY_RATES, (3,), "overhead_pct"),
    "same-gain-2-3-4-s": tuple(
        Measure(f"time, both, On {on} s", GRAFTED_PAIRS, (on,), LOSSY_RATES) for on in (2, 3, 4)
    ),
    "longer-errors-hurt-more": tuple(
        Measure(f"time, both, On {on} s", GRAFTED_PAIRS, (on,), (99,)) for on in ON_LENGTHS
    ),
    "adaptive-between": _measure_against(
        "adaptive", ("tahoe-probing", "reno-probing"), (1, 2, 3), LOSSY_RATES
    ),
    "adaptive-best-99-1s": _measure_against(
        "adaptive", ("tahoe-probing", "reno-probing", "skip"), (1,), (99,)
    ),
    "skip-faster-at-low-rates": _measure_against(
        "skip", ("adaptive",), ON_LENGTHS, _LOW_ERROR_RATES
    ),
    "skip-slower-at-high-rates": _measure_against("skip", ("adaptive",), (1,), (50, 99)),
    **{quoted.name: _measures_of_quoted(quoted) for quoted in QUOTED.values()},
}


class ReadingStudy(LahanasStudy):
    """A run over the paper under one reading."""

    def __init__(self, reading: Reading, **options: Any) -> None:
        """Take the reading, and the options of every study."""
        super().__init__(**options)
        self.reading = reading


def statements() -> list[Statement]:
    """All statements of the paper, as they are judged."""
    parts = (*TABLES.values(), *FIGURES.values(), best.PART)
    return list(
        {statement.name: statement for part in parts for statement in part.statements}.values()
    )


def claims(study: LahanasStudy) -> Iterator[tuple[Claim, pd.DataFrame]]:
    """All claims of the paper, judged by this study, with the numbers of the table that each is
    about; those of figures are about the study."""
    for part in TABLES.values():
        built = part.build(study)
        yield from ((claim, built.table) for claim in built.claims)
    for part in (*FIGURES.values(), best.PART):
        yield from ((statement(study), pd.DataFrame()) for statement in part.statements)


def judge_readings(study: ReadingStudy) -> pd.DataFrame:
    """One row per claim and measure of it; only relative differences have an interval."""
    rows = [
        _row(claim, study) | {"measure": words, "value": value, "low": low, "high": high}
        for claim, table in claims(study)
        for words, (value, low, high) in _measures_of_claim(claim, table, study)
    ]
    return pd.DataFrame(rows)


def _row(claim: Claim, study: ReadingStudy) -> dict[str, Any]:
    return {
        "reading": study.reading.name,
        "seed": study.seed,
        "runs": study.size,
        "claim": claim.name,
        "verdict": claim.verdict,
    }


def _measures_of_claim(
    claim: Claim, table: pd.DataFrame, study: LahanasStudy
) -> list[tuple[str, tuple[float, float, float]]]:
    if claim.name in MEASURES:
        return [(measure.words, measure.interval(study)) for measure in MEASURES[claim.name]]
    return [(words, (value, np.nan, np.nan)) for words, value in _plain_quantities(claim, table)]


def _plain_quantities(claim: Claim, table: pd.DataFrame) -> list[tuple[str, float]]:
    """The quantities of the other claims, without an interval."""
    numbers = claim.numbers
    if claim.name == "without-errors":
        return [(TIME_MEASURE, numbers["time, s"]), (OVERHEAD_MEASURE, numbers["overhead, %"])]
    if claim.name == "ten-runs-enough":
        return [("half-width of the interval of a mean of 10 runs, median", numbers["median"])]
    met = (table["p"] >= 0.05).groupby(table["quantity"]).sum()
    return [(PRINTED_MET_WORDS[quantity], float(met[quantity])) for quantity in QUANTITIES]
