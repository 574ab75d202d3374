"""Text that `airtcp fit` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from airtcp.cli.text import grid, page, to_json
from airtcp.measured.facts_words import TextTable, facts_told
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from airtcp.fitted.result import Fit
    from airtcp.measured.facts import Facts

WIDTH = 80


def facts_page(found: Sequence[Facts], form: str) -> Printable:
    """The contents of files, for a terminal or as JSON."""
    if form == "json":
        return to_json([one.json() for one in found])
    return page(facts_text(found))


def facts_text(found: Sequence[Facts]) -> list[Any]:
    """Parts of a page: of each measurement a line, a table, and its oddities; of many a row."""
    lines: list[Any] = []
    for one in facts_told(found):
        lines += [*([""] if lines else []), *([one.title] if one.title else [])]
        lines += [grid(one.heads, one.rows), *one.below]
    return lines


def fit_text(found: Fit, form: str, out: str | None) -> Printable:
    """Models, TCP over them, and where the scenario is; as JSON the facts too."""
    from airtcp.fitted.rates_words import rates_told  # noqa: PLC0415
    from airtcp.fitted.words import beside_told, losses_told  # noqa: PLC0415

    if form == "json":
        return to_json(found.json())
    parts = found.parts
    lines: list[Any] = []
    for title, one in (("Outages", parts.outages), ("Delays", parts.delays)):
        if one is not None:
            lines += ["", *_paragraph(f"{title}: {one.why}")]
    if parts.rates is not None:
        lines += ["", *_table(rates_told(parts.rates))]
    if parts.losses is not None:
        lines += ["", *_table(losses_told(parts.losses, parts.channel))]
    if parts.beside:
        lines += ["", *_table(beside_told(parts.beside))]
    for remark in parts.remarks:
        lines += ["", *_paragraph(f"Note: {remark}.")]
    lines.append("")
    if out is None:
        lines.append("-o LINK.toml writes a scenario with this link, ready for airtcp run.")
    else:
        lines += [f"{out} has the scenario: airtcp run {out}"]
    return page(lines)


def _table(told: TextTable) -> Iterator[Any]:
    yield grid(told.heads, told.rows, numbers=told.numbers)
    for one in told.below:
        yield from [one] if one.startswith("* ") else _paragraph(one)


def _paragraph(text: str) -> list[str]:
    return wrap(text, WIDTH)
