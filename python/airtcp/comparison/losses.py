"""Lines on loss rates that differ from the ones asked for, and on flows that delivered nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airtcp.comparison.realised import clock_of, realised_loss_rate_lines
from airtcp.comparison.side_by_side import rows_of_answer
from airtcp.comparison.undelivered import undelivered_lines
from airtcp.scenario.axes import TableAxes

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult


def realised_loss_lines(result: RunResult, shown: Mapping[str, str]) -> list[str]:
    """Lines on the leading answer; `shown` has the coordinates that vary."""
    if result.leading_answer is None:
        return []
    axes = TableAxes.from_scenario(result.scenario)
    rows = [{**row, **axes.row(row)} for row in rows_of_answer(result, result.leading_answer)]
    data = [point.data for point in result.scenario.points()]
    return [
        *realised_loss_rate_lines(rows, shown, clock_of(data)),
        *undelivered_lines(rows, shown, data[0]["profile"]),
    ]
