"""Pieces of text: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp.cli.widths import fit_widths, natural_width, would_break_words
from airtcp.terminal import Printable, escape_json, visible_line

if TYPE_CHECKING:
    import pandas
    from rich.table import Table
    from rich.text import Text


FORMATS = ("table", "json", "csv")


def to_csv(table: pandas.DataFrame) -> Printable:
    """A table as CSV."""
    shown = table.rename(columns=lambda name: visible_line(str(name)))
    for place, kind in enumerate(shown.dtypes):
        if kind.kind == "O":
            shown.isetitem(place, _visible_cells(shown.iloc[:, place]))
    return Printable(shown.to_csv(index=False, lineterminator="\n"))


def _visible_cells(column: pandas.Series[Any]) -> pandas.Series[Any]:
    cells = [visible_line(value) if isinstance(value, str) else value for value in column]
    return type(column)(cells, index=column.index, dtype=object)


def to_json(data: Any) -> Printable:
    """JSON text; what is not a finite number becomes null."""
    return escape_json(
        json.dumps(_replace_nonfinite(data), indent=2, ensure_ascii=False, default=str) + "\n"
    )


def records(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def listing(entries: Iterable[Mapping[str, str]], form: str) -> Printable:
    """Named things with a line each, in one of `FORMATS`."""
    rows = list(entries)
    if form == "json":
        return to_json(rows)
    if form == "csv":
        import pandas  # noqa: PLC0415  (slow to import)

        return to_csv(pandas.DataFrame(rows))
    return render_page([_entry_table(rows)])


def listings(entries: Mapping[str, list[dict[str, str]]], form: str) -> Printable:
    """Several kinds of named things, one below the other, in one of `FORMATS`."""
    if form == "json":
        return to_json(entries)
    if form == "csv":
        all_rows = [{"kind": kind, **row} for kind, rows in entries.items() for row in rows]
        return listing(all_rows, form)
    parts = ((kind.capitalize(), "", _entry_table(rows), "") for kind, rows in entries.items())
    return render_page([part for four in parts for part in four][:-1])


def _entry_table(rows: Sequence[Mapping[str, str]]) -> Table:
    heads = list(rows[0]) if rows else []
    table = make_table(heads, ([row[head] for head in heads] for row in rows))
    if table.columns:
        table.columns[0].no_wrap = True  # a name that is broken cannot be copied
    return table


def make_table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> Table:
    """A rich table; its last `numbers` columns are aligned right. Cells are text, not markup.

    A head may have several lines.
    """
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  (slow to import)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for index, head in enumerate(heads):
        right = index >= len(heads) - numbers
        table.add_column(
            Text(_head_text(head)), justify="right" if right else "left", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    return table


def join_columns(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Columns of text as one, which wraps between words: "bbr, 1Gbps, codel"."""
    if not columns:
        return {}
    return {", ".join(columns): [", ".join(row) for row in zip(*columns.values(), strict=True)]}


def cell_texts(*tables: Table) -> list[str]:
    """The texts in the cells of tables, without the heads."""
    return [str(cell) for table in tables for column in table.columns for cell in column.cells]


def _head_text(text: str) -> str:
    return "\n".join(map(visible_line, text.split("\n")))


def render_page(parts: Iterable[Any]) -> Printable:
    """Tables and lines one below the other, as wide as the terminal; a `Text` is not wrapped."""
    from rich.console import Console  # noqa: PLC0415  (slow to import)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, Table):
                fit_widths(part, console.width)
            console.print(_render_part(part), soft_wrap=isinstance(part, Text))
    return Printable("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def _render_part(part: Any) -> Any:
    """A table as it is, a line as text in which nothing steers the terminal."""
    from rich.text import Text  # noqa: PLC0415  (slow to import)

    if isinstance(part, (str, Text)):
        return Text(visible_line(str(part)))
    return part


def report_line(file: object) -> Text:
    """Line that names the report, however long: a name that wraps cannot be copied."""
    from rich.text import Text  # noqa: PLC0415  (slow to import)

    return Text(f"Report: {file}")


def fits(table: Table, *, heads: bool = False) -> bool:
    """True if a table needs no wrapped cells on this terminal, nor `heads` that wrap."""
    return (
        natural_width(table) <= _terminal_width() if heads else fit_widths(table, _terminal_width())
    )


def breaks_words(table: Table) -> bool:
    """True if words or numbers of a table break on this terminal, however its cells wrap."""
    return would_break_words(table, _terminal_width())


def _terminal_width() -> int:
    from rich.console import Console  # noqa: PLC0415  (slow to import)

    return Console(file=sys.stdout).width


def _replace_nonfinite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _replace_nonfinite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_nonfinite(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return _replace_nonfinite(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
