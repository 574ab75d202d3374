"""Reproductions as text: a page for people, JSON and CSV for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airtcp.campaign.manifest import SIMULATION
from airtcp.cli.text import csv, fits, grid, page, records, report_line, to_json
from airtcp.support.format import coordinate, deviate, with_interval
from airtcp.support.half_width import half_width_of
from airtcp.terminal import Printable

if TYPE_CHECKING:
    import pandas

    from airtcp.papers.base import Reproduction


MAIN = (
    *("channel", "variant", "code", "ll_bytes", "packet_bytes", "attempts", "doppler", "snr"),
    *("window", "loss_rate", "mean_burst", "throughput", SIMULATION, "fit", "fading", "z"),
)

HINT = "Figures and a page: add --out DIR."


def reproduction_text(found: list[Reproduction], form: str) -> Printable:
    """Papers, or one part of a paper, as "table", "json" or "csv"."""
    if form == "csv":
        return Printable("\n".join(csv(one.table) for one in found))
    if form == "json":
        return to_json(_data(found[0]) if len(found) == 1 else [_data(one) for one in found])
    hint = [] if any(one.report for one in found) else ["", HINT]
    return page([*(part for one in found for part in _page(one)), *hint])


def _data(one: Reproduction) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "text": one.text,
        "facts": dict(one.facts),
        "agreement": None if one.agreement is None else asdict(one.agreement),
        "provisional": is_quick(one),
        "claims": [asdict(claim) for claim in one.claims],
        "rows": records(one.table),
        **{name: records(table) for name, table in one.tables.items()},
        "parts": [_data(part) for part in one.parts],
    }


def _page(one: Reproduction) -> Iterator[Any]:
    yield f"{one.name}: {one.title}"
    yield from one.text.splitlines()
    if not one.parts:  # the table of a whole paper says again what the claims say
        yield from _numbers(one.table)
    if one.agreement is not None:
        yield ""
        yield f"Simulation against analysis: {one.agreement}."
    if one.claims:
        verdicts = ", ".join(f"{number} {word}" for word, number in one.verdicts.items())
        yield from ("", f"Claims of the paper: {verdicts}.{_provisional(one)}", "")
        rows = ([c.verdict, c.where, f"{c.text} {c.finding} Rule: {c.rule}."] for c in one.claims)
        yield grid(["verdict", "where", "claim, finding and rule"], rows)
    if one.report is not None:
        yield ""
        yield report_line(one.report)


def _provisional(one: Reproduction) -> str:
    """A remark on verdicts of a quick run."""
    return " Provisional: a quick run, without --quick there are more." if is_quick(one) else ""


def is_quick(one: Reproduction) -> bool:
    """Say that fewer and shorter runs were made than for the paper in full."""
    return bool(one.facts.get("quick"))


def _numbers(table: pandas.DataFrame) -> Iterator[Any]:
    """The table without the columns that do not vary, which are named above it."""
    if table.empty:
        return
    fixed = [name for name in table if len(table) > 1 and table[name].nunique(dropna=False) == 1]
    said = [f"{name} {coordinate(table[name].iloc[0])}" for name in fixed]
    if said:
        yield from ("", ", ".join(said))
    yield ""
    yield from _rows(table.drop(columns=fixed))


def _rows(table: pandas.DataFrame) -> Iterator[Any]:
    """All columns if they fit, else those that are no bounds or references, else the main ones."""
    rows = records(table)
    if not rows or not rows[0]:
        return
    everything = _grid(rows, list(rows[0]))
    main = [name for name in MAIN if name in rows[0]]
    lean = [name for name in rows[0] if not _is_beside(name)]
    if fits(everything) or (not main and len(lean) in (0, len(rows[0]))):
        yield everything
        return
    has_intervals = {SIMULATION, f"{SIMULATION}_low", f"{SIMULATION}_high"} <= set(rows[0])
    narrow = _grid(rows, lean)
    if not main or (lean and fits(narrow) and not has_intervals):
        yield narrow
        yield ""
        yield f"{len(lean)} of {len(rows[0])} columns; --format csv has all."
        return
    if has_intervals:
        for row in rows:
            row[SIMULATION] = with_interval(row[SIMULATION], half_width_of(row, SIMULATION))
    yield _grid(rows, main)
    yield ""
    yield f"{len(main)} of {len(rows[0])} columns; --format csv has all."


def _is_beside(name: str) -> bool:
    """Say that a column belongs to another one, as bounds, spread and references do."""
    ends = ("_low", "_high", "_sd", "_replications")
    return name in ("low", "high") or name.endswith(ends) or name.startswith("reference_")


def _grid(rows: list[dict[str, Any]], names: list[str]) -> Any:
    return grid(names, ([_cell(name, row[name]) for name in names] for row in rows))


def _cell(name: str, value: Any) -> str:
    return deviate(value) if name == "z" else coordinate(value)
