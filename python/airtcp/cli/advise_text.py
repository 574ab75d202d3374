"""Text that `airtcp advise` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airtcp.advice.alternatives import describe_value
from airtcp.cli.text import make_table, records, render_page, to_csv, to_json
from airtcp.errors import count
from airtcp.metrics.labels import column_head, readable_unit
from airtcp.metrics.table import TABLE
from airtcp.support.format import short_names
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from airtcp.advice.advised import Advice

MOST_ROWS = 40


def advise_text(advice: Advice, form: str) -> Printable:
    """The advice and the choices, the best first."""
    if form == "csv":
        return to_csv(advice.table)
    if form == "json":
        return to_json(
            {
                "best": advice.best,
                "goal": advice.goal,
                "metric": advice.metric,
                "zone": advice.zone,
                "confidence": advice.confidence,
                "settled": advice.settled,
                "runs": advice.runs,
                "confirmation": advice.confirmation,
                "choices": records(advice.table),
            }
        )
    rows = records(advice.table.head(MOST_ROWS))
    unit, scale = readable_unit(advice.metric, float(advice.table["mean"].abs().max()))
    head = column_head(advice.metric, unit, "\n")
    heads = [*short_names(advice.keys), "", head, "runs"]
    cells = [
        [
            *(describe_value(row[key]) for key in advice.keys),
            _reason_text(row),
            _mean_text(row, scale),
            str(row["runs"]),
        ]
        for row in rows
    ]
    left = len(advice.table) - len(rows)
    return render_page(
        [
            *([advice.title] if advice.title else []),
            advice.sentence,
            *([advice.confirmation] if advice.confirmation else []),
            "",
            make_table(heads, cells, numbers=2),
            "",
            *([f"{count(left, 'more choice')}: --format csv has all of them."] if left else []),
            f"{advice.metric}: {TABLE[advice.metric].definition};"
            f" {'high' if advice.high else 'low'} values are better."
            f" {count(advice.runs, 'run')} in all.",
        ]
    )


def _mean_text(row: dict[str, Any], scale: float) -> str:
    if math.isnan(row["mean"]):
        return "-"
    half = (row["high"] - row["low"]) / 2.0 / scale
    return f"{row['mean'] / scale:.4g}" + (f" ± {half:.2g}" if half else "")


def _reason_text(row: dict[str, Any]) -> str:
    return f"{row['verdict']}: {row['why']}" if row["why"] else str(row["verdict"])
