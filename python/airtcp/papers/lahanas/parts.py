"""Tables 1 to 4 and the figures drawn from them."""

from __future__ import annotations

from dataclasses import dataclass

from airtcp.papers.base import Part, Reproduction
from airtcp.papers.lahanas.adaptive import adaptive_best, skip_degraded
from airtcp.papers.lahanas.cells import cells, table
from airtcp.papers.lahanas.claims import clean, overhead_3s, printed_cells
from airtcp.papers.lahanas.drawing import LABELS, cells_figure
from airtcp.papers.lahanas.quoted import QUOTED
from airtcp.papers.lahanas.study import ON, Study, cells_of

_FOUR = ("tahoe", "tahoe-probing", "reno", "reno-probing")
_THREE = ("tahoe-probing", "reno-probing", "adaptive")
_TWO = ("adaptive", "skip")
_GROUPS = {
    _FOUR: "Tahoe and Reno with and without probing",
    _THREE: "Adaptive beside Tahoe- and Reno-Probing",
    _TWO: "Skip beside Adaptive",
}
_OWN = {"fig6": overhead_3s, "fig9": adaptive_best, "fig18": skip_degraded}
_READ = (
    "Bars: where 95 % of means of 10 runs fall, drawn with replacement from ours. Crosses: printed"
    " means of 10 runs."
)


@dataclass(frozen=True)
class Table:
    """Table n, for the On length n s."""

    on: int

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        own = (clean,) if self.on == 1 else ()
        return Part(self._make, (printed_cells(self.on), *own), lambda _: cells_of(self.on))

    def _make(self, study: Study) -> Reproduction:
        """Both quantities of six protocols at seven error rates."""
        found = table(study, [self.on])
        return Reproduction(
            title=f"Table {self.on}: On {self.on} s, Off 5 s on average",
            text="Printed means of 10 runs beside ours; chance is the two-sided probability that a"
            " mean of 10 of our runs, drawn with replacement, lies at least as far out.",
            table=found,
            tables={"cells": cells(study, [self.on])},
        )


@dataclass(frozen=True)
class Figure:
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
        own = (_OWN[name],) if name in _OWN else ()
        return Part(self._make, (*quoted, *own), lambda _: cells_of(self.on))

    def _make(self, study: Study) -> Reproduction:
        """The rows of a table as a figure."""
        rows = table(study, [self.on], self.protocols, [self.quantity])
        what = LABELS[self.quantity].partition(" (")[0].lower()
        return Reproduction(
            title=f"Fig. {self.number}: {what}, On {self.on} s, {_GROUPS[self.protocols]}",
            text=_READ,
            table=rows,
            figure=study.drawn(lambda: cells_figure(rows, self.quantity)),
        )


def _figures(
    protocols: tuple[str, ...], times: dict[int, int], overheads: dict[int, int]
) -> list[Figure]:
    """Figures by number with their On lengths."""
    return [
        *(Figure(number, protocols, "time_s", on) for number, on in times.items()),
        *(Figure(number, protocols, "overhead_pct", on) for number, on in overheads.items()),
    ]


TABLES = {f"table{on}": Table(on).part for on in ON}
FIGURES = {
    f"fig{figure.number}": figure.part
    for figure in (
        *_figures(_FOUR, {2: 1, 3: 3, 4: 4}, {5: 1, 6: 3, 7: 4}),
        *_figures(_THREE, {9: 1, 10: 2, 12: 3, 13: 4}, {14: 1, 15: 2, 16: 3, 17: 4}),
        *_figures(_TWO, {18: 1, 19: 2, 20: 3, 21: 4}, {22: 1, 23: 2, 24: 3, 25: 4}),
    )
}
