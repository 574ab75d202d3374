"""A figure of our own: the best protocol by On length and error rate, and its certainty.

Run r of every protocol meets the same phases, so differences are paired. All pairs of protocols in
all cells of a quantity are one family of tests, corrected after Holm: with probability 0.95 no
difference of a map is claimed that does not exist.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from airtcp import stats
from airtcp.papers.base import Part, Reproduction
from airtcp.papers.lahanas import adaptive, claims
from airtcp.papers.lahanas.drawing import LABELS, MapTile, map_figure
from airtcp.papers.lahanas.study import (
    ON_LENGTHS,
    PROBING_PROTOCOLS,
    PROTOCOLS,
    QUANTITIES,
    RATES,
    STANDARD_PROTOCOLS,
    LahanasStudy,
    needs_of_cells,
)
from airtcp.stats import CONFIDENCE, Ranking

_STATEMENTS = (
    claims.faster_at_99,
    claims.less_overhead_at_99,
    claims.judge_faster_from_20,
    claims.judge_cost_at_1,
    claims.judge_longer_errors,
    claims.judge_same_gain,
    adaptive.judge_adaptive_between,
    adaptive.judge_skip_not_slower,
    claims.judge_ten_runs,
)


def make(study: LahanasStudy) -> Reproduction:
    """Both maps and their numbers."""
    tables = {quantity: best_protocols(study, quantity) for quantity in QUANTITIES}
    return Reproduction(
        title="Which protocol is best, by On length and error rate",
        text="Not in the paper. Bold: the best mean; below it who is not significantly worse; then"
        " by which share the best probing protocol differs from the better of Tahoe and Reno,"
        " shaded where that is significant. Paired differences on common random numbers, two-sided"
        " at 5 % for a whole map (Holm).",
        table=pd.concat(tables.values(), ignore_index=True),
        figure=study.draw_figure(
            lambda: map_figure(
                [(LABELS[name], _map_tiles(table)) for name, table in tables.items()]
            )
        ),
    )


def best_protocols(study: LahanasStudy, quantity: str) -> pd.DataFrame:
    """One row per cell; `relative`: the best probing protocol against the better standard one."""
    places = [(on, rate) for on in ON_LENGTHS for rate in RATES]
    points = [[study.values(quantity, name, on, rate) for name in PROTOCOLS] for on, rate in places]
    rankings = stats.rank_points(points, list(PROTOCOLS), better="low", families="all")
    rows = [
        {"quantity": quantity, "on_s": on, "error_rate_pct": rate}
        | _best_protocol_row(study, quantity, on, rate, cell_ranking)
        for (on, rate), cell_ranking in zip(places, rankings, strict=True)
    ]
    return pd.DataFrame(rows)


def _best_protocol_row(
    study: LahanasStudy, quantity: str, on: int, rate: int, ranking: Ranking
) -> dict[str, Any]:
    standard, probing = (
        next(name for name in ranking.names if name in kind)
        for kind in (STANDARD_PROTOCOLS, PROBING_PROTOCOLS)
    )
    pair = next(i for i, names in enumerate(ranking.pairs) if {*names} == {standard, probing})
    first, other = (study.values(quantity, name, on, rate) for name in (probing, standard))
    difference = stats.paired_difference(first, other)
    return {
        "best": ranking.names[0],
        "mean": float(ranking.mean[0]),
        "alike": " ".join(ranking.winners[1:]),
        "standard": standard,
        "probing": probing,
        "relative": difference.relative,
        "relative_low": difference.relative_low,
        "relative_high": difference.relative_high,
        "adjusted_p": float(ranking.adjusted[pair]),
    }


def _map_tiles(table: pd.DataFrame) -> dict[tuple[int, int], MapTile]:
    return {
        (row.on_s, row.error_rate_pct): MapTile(
            row.best, row.alike.split(), row.relative, bool(row.adjusted_p <= 1.0 - CONFIDENCE)
        )
        for row in table.itertuples()
    }


PART = Part(make, _STATEMENTS, lambda _: needs_of_cells(*ON_LENGTHS))
