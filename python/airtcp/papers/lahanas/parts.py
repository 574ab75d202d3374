"""Tables 1 to 4 and the figures drawn from them."""

from __future__ import annotations

from dataclasses import dataclass

from airtcp.papers.base import Part, Reproduction
from airtcp.papers.lahanas.adaptive import judge_adaptive_best, judge_skip_degraded
from airtcp.papers.lahanas.cells import cell_statistics, cell_table
from airtcp.papers.lahanas.claims import (
    judge_overhead_3s,
    judge_transfer_without_errors,
    printed_cells,
)
from airtcp.papers.lahanas.drawing import LABELS, cells_figure
from airtcp.papers.lahanas.quoted import QUOTED
from airtcp.papers.lahanas.study import ON_LENGTHS, LahanasStudy, needs_of_cells

_FOUR_PROTOCOLS = ("tahoe", "tahoe-probing", "reno", "reno-probing")
_THREE_PROTOCOLS = ("tahoe-probing", "reno-probing", "adaptive")
_TWO_PROTOCOLS = ("adaptive", "skip")
_GROUPS = {
    _FOUR_PROTOCOLS: "Tahoe and Reno with and without probing",
    _THREE_PROTOCOLS: "Adaptive beside Tahoe- and Reno-Probing",
    _TWO_PROTOCOLS: "Skip beside Adaptive",
}
_STATEMENTS_OF_FIGURE = {
    "fig6": judge_overhead_3s,
    "fig9": judge_adaptive_best,
    "fig18": judge_skip_degraded,
}
_READING_NOTE = (
    "Bars: where 95 % of means of 10 runs fall, drawn with replacement from ours. Crosses: printed"
    " means of 10 runs."
)


@dataclass(frozen=True)
class CellTable:
    """Table n, for the On length n s."""

    on: int

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        clean_statements = (judge_transfer_without_errors,) if self.on == 1 else ()
        return Part(
            self._make,
            (printed_cells(self.on), *clean_statements),
            lambda _: needs_of_cells(self.on),
        )

    def _make(self, study: LahanasStudy) -> Reproduction:
        """Both quantities of six protocols at seven error rates."""
        table = cell_table(study, [self.on])
        return Reproduction(
            title=f"Table {self.on}: On {self.on} s, Off 5 s on average",
            text="Printed means of 10 runs beside ours; p is the two-sided probability that a"
            " mean of 10 of our runs, drawn with replacement, lies at least as far out.",
            table=table,
            tables={"cells": cell_statistics(study, [self.on])},
        )


@dataclass(frozen=True)
class CellFigure:
    """One quantity of some protocols at one On length, by error rate."""

    number: int
    protocols: tuple[str, ...]
    quantity: str
    on: int

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        name = f"fig{self.number}"
        quoted = (QUOTED[name].statement,) if name in QUOTED else ()
        own_statements = (_STATEMENTS_OF_FIGURE[name],) if name in _STATEMENTS_OF_FIGURE else ()
        return Part(self._make, (*quoted, *own_statements), lambda _: needs_of_cells(self.on))

    def _make(self, study: LahanasStudy) -> Reproduction:
        """The rows of a table as a figure."""
        rows = cell_table(study, [self.on], self.protocols, [self.quantity])
        what = LABELS[self.quantity].partition(" (")[0].lower()
        return Reproduction(
            title=f"Fig. {self.number}: {what}, On {self.on} s, {_GROUPS[self.protocols]}",
            text=_READING_NOTE,
            table=rows,
            figure=study.draw_figure(lambda: cells_figure(rows, self.quantity)),
        )


def _figures(
    protocols: tuple[str, ...], times: dict[int, int], overheads: dict[int, int]
) -> list[CellFigure]:
    """Figures by number with their On lengths."""
    return [
        *(CellFigure(number, protocols, "time_s", on) for number, on in times.items()),
        *(CellFigure(number, protocols, "overhead_pct", on) for number, on in overheads.items()),
    ]


TABLES = {f"table{on}": CellTable(on).part for on in ON_LENGTHS}
FIGURES = {
    f"fig{figure.number}": figure.part
    for figure in (
        *_figures(_FOUR_PROTOCOLS, {2: 1, 3: 3, 4: 4}, {5: 1, 6: 3, 7: 4}),
        *_figures(_THREE_PROTOCOLS, {9: 1, 10: 2, 12: 3, 13: 4}, {14: 1, 15: 2, 16: 3, 17: 4}),
        *_figures(_TWO_PROTOCOLS, {18: 1, 19: 2, 20: 3, 21: 4}, {22: 1, 23: 2, 24: 3, 25: 4}),
    )
}
