"""Reproductions as text: a page for people, JSON and CSV for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airtcp.campaign.manifest import SIMULATION
from airtcp.cli.text import fits, make_table, records, render_page, report_line, to_csv, to_json
from airtcp.support.format import format_coordinate, format_deviate, short_mean_with_interval
from airtcp.support.half_width import half_width
from airtcp.terminal import Printable

if TYPE_CHECKING:
    import pandas

    from airtcp.papers.base import Reproduction


LEADING_COLUMNS = (  # columns that say most about a part, the first ones most
    *("printed", "found", "expected", "mean", SIMULATION, "throughput", "goodput", "computed"),
    *("exact", "bits", "fit", "fading", "renewal", "z", "p", "chance", "agrees", "verdict"),
    "reference",
)
MOST_NAMED_COLUMNS = 8  # columns left out

OUT_HINT = "Figures and a page: add --out DIR."


def reproduction_text(reproductions: list[Reproduction], form: str) -> Printable:
    """Papers, or one part of a paper, as "table", "json" or "csv"."""
    if form == "csv":
        return Printable("\n".join(to_csv(reproduction.table) for reproduction in reproductions))
    if form == "json":
        return to_json(
            _reproduction_data(reproductions[0])
            if len(reproductions) == 1
            else [_reproduction_data(reproduction) for reproduction in reproductions]
        )
    hint = [] if any(reproduction.report for reproduction in reproductions) else ["", OUT_HINT]
    return render_page(
        [*(part for reproduction in reproductions for part in _page_parts(reproduction)), *hint]
    )


def _reproduction_data(reproduction: Reproduction) -> dict[str, Any]:
    return {
        "name": reproduction.name,
        "title": reproduction.title,
        "text": reproduction.text,
        "facts": dict(reproduction.facts),
        "agreement": None if reproduction.agreement is None else asdict(reproduction.agreement),
        "provisional": is_quick(reproduction),
        "claims": [asdict(claim) for claim in reproduction.claims],
        "rows": records(reproduction.table),
        **{name: records(table) for name, table in reproduction.tables.items()},
        "parts": [_reproduction_data(part) for part in reproduction.parts],
    }


def _page_parts(reproduction: Reproduction) -> Iterator[Any]:
    yield f"{reproduction.name}: {reproduction.title}"
    yield from reproduction.text.splitlines()
    if not reproduction.parts:  # the table of a whole paper says again what the claims say
        yield from _numbers_table(reproduction)
    if reproduction.agreement is not None:
        yield ""
        yield f"Simulation against analysis: {reproduction.agreement}."
    if reproduction.claims:
        verdicts = ", ".join(f"{number} {word}" for word, number in reproduction.verdicts.items())
        yield from ("", f"Claims of the paper: {verdicts}.{_quick_run_remark(reproduction)}", "")
        rows = (
            [c.verdict, c.where, f"{c.text} {c.finding} Rule: {c.rule}."]
            for c in reproduction.claims
        )
        yield make_table(["verdict", "where", "claim, finding and rule"], rows)
    if reproduction.report is not None:
        yield ""
        yield report_line(reproduction.report)


def _quick_run_remark(reproduction: Reproduction) -> str:
    """A remark on verdicts of a quick run."""
    return (
        " Provisional: a quick run; without --quick there are more runs."
        if is_quick(reproduction)
        else ""
    )


def is_quick(reproduction: Reproduction) -> bool:
    """True if fewer and shorter runs were made than for the paper in full."""
    return bool(reproduction.facts.get("quick"))


def _numbers_table(reproduction: Reproduction) -> Iterator[Any]:
    """The table without the columns that do not vary, which are named above it."""
    table = reproduction.table
    if table.empty:
        return
    fixed = [name for name in table if len(table) > 1 and table[name].nunique(dropna=False) == 1]
    fixed_words = [f"{name} {format_coordinate(table[name].iloc[0])}" for name in fixed]
    if fixed_words:
        yield from ("", ", ".join(fixed_words))
    if ordinate := _ordinate_line(reproduction):
        yield from ("", ordinate)
    yield ""
    yield from _table_rows(table.drop(columns=fixed))


def _ordinate_line(reproduction: Reproduction) -> str:
    """A line on what was simulated, which the figure of a part says."""
    if SIMULATION not in reproduction.table:
        return ""
    labels = (
        [axes.get_ylabel() for axes in reproduction.figure.axes]
        if reproduction.figure is not None
        else []
    )
    named = next(filter(None, labels), "").partition(" (")[0].replace("$", "")
    if not named:
        return ""
    unit, factor = reproduction.unit
    of = f", of which {factor:g} make 1 {unit}" if unit and factor != 1.0 else ""
    return f"Values: {named[:1].lower()}{named[1:]}{of}."


def _table_rows(table: pandas.DataFrame) -> Iterator[Any]:
    """All columns if they fit, else the columns that identify rows and the most important others.

    Bounds stand beside their value then.
    """
    rows = records(table)
    if not rows or not rows[0]:
        return
    everything = _grid(rows, list(rows[0]), _cell_text)
    if fits(everything, heads=True):
        yield everything
        return
    lean = [name for name in rows[0] if not _is_auxiliary_column(name)]
    keys = _identifying_columns(table[lean])
    values = sorted((name for name in lean if name not in keys), key=_column_rank)
    size = len(values)
    while size > 1 and not fits(_grid(rows, [*keys, *values[:size]], _short_cell_text)):
        size -= 1
    yield _grid(rows, [*keys, *values[:size]], _short_cell_text)
    left = values[size:]
    named = ", ".join(left[:MOST_NAMED_COLUMNS]) if left else "spreads, bounds and references"
    more = f" and {len(left) - MOST_NAMED_COLUMNS} more" if len(left) > MOST_NAMED_COLUMNS else ""
    yield ""
    yield f"Not shown: {named}{more}; --format csv has all {len(rows[0])} columns."


def _identifying_columns(table: pandas.DataFrame) -> list[str]:
    """The first columns that together identify each row; else the columns without fractions."""
    names = list(table.columns)
    for size in range(1, len(names) + 1):
        if not table[names[:size]].duplicated().any():
            return names[:size] if size < len(names) else names[:-1]
    return [name for name in names if table[name].dtype.kind != "f"]


def _column_rank(name: str) -> int:
    return LEADING_COLUMNS.index(name) if name in LEADING_COLUMNS else len(LEADING_COLUMNS)


def _is_auxiliary_column(name: str) -> bool:
    """True if a column belongs to another one, as bounds, spread and references do."""
    ends = ("_low", "_high", "_sd", "_replications", "_error")
    beside = ("low", "high", "sd", "runs", "replications")
    return name in beside or name.endswith(ends) or name.startswith("reference_")


Cell = Callable[[Mapping[str, Any], str], str]


def _grid(rows: list[dict[str, Any]], names: list[str], cell_text: Cell) -> Any:
    numbers = next(
        (at for at, name in enumerate(reversed(names)) if not _is_number(rows, name)), len(names)
    )
    return make_table(names, ([cell_text(row, name) for name in names] for row in rows), numbers)


def _is_number(rows: list[dict[str, Any]], name: str) -> bool:
    return all(isinstance(row[name], (int, float)) for row in rows)


def _cell_text(row: Mapping[str, Any], name: str) -> str:
    return format_deviate(row[name]) if name == "z" else format_coordinate(row[name])


def _short_cell_text(row: Mapping[str, Any], name: str) -> str:
    """A cell with few digits, and half of the interval where its bounds are known."""
    value, bounds = (
        row[name],
        ("low", "high") if name == "mean" else (f"{name}_low", f"{name}_high"),
    )
    if name == "z" or isinstance(value, bool) or not isinstance(value, float):
        return _cell_text(row, name)
    if math.isnan(value) or not all(bound in row for bound in bounds):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return short_mean_with_interval(value, half_width(value, *(row[bound] for bound in bounds)))
