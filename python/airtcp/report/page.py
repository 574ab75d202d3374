"""Parts of the pages of a report: one self-contained HTML file, figures and tables inline.

A page needs no network. Its figures take its colours, so that they can be read on a dark screen and
on paper. The text that these functions return is HTML; templates mark it with ``|safe``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from airtcp import _native
from airtcp.plot.style import GRID, INK, LEVEL, PALETTE, PAPER, SINGLE_COLUMN, save_text, svg
from airtcp.report.digits import format_evenly
from airtcp.support.files import name_in_write_errors
from airtcp.support.format import EXACT_WORD
from airtcp.terminal import visible_line

MOST_ROWS = 60  # of a table in a page; the CSV has them all
PAGE = "report.html"
_DARK_NAMES = {PALETTE[0]: "blue", PALETTE[4]: "brown", PALETTE[6]: "grey"}  # too dark at night
_CSS_COLOURS = {INK: "var(--ink)", PAPER: "var(--paper)", GRID: "var(--grid)"} | {
    colour.lower(): f"var(--{name})" for colour, name in _DARK_NAMES.items()
}
# The ground of a figure and of its panels: that of the page, whose shadows show where to scroll.
_GROUND_RECT = re.compile(
    r'(<g id="[\w-]*-(?:figure|axes)_\d+">\s*<g id="[\w-]*-patch_\d+">\s*'
    r'<path d="[^"]*"\s*style="fill: )var\(--paper\)'
)
_MOST_WIDTH = 1100.0  # pixels
_LEAST_SCALE = 1.05  # pixels per point, at least: narrower screens scroll


@dataclass(frozen=True)
class Picture:
    """A figure in a page: inline SVG and the file that has it too."""

    svg: str
    file: str
    caption: str
    wide: bool = False  # panels beside each other


def write_page(path: Path, template: str, **values: Any) -> Path:
    """Fill in a template and write the page; returns its path.

    Raises `OSError` that names the page if the disk is full, `InputError` if it cannot be written.
    """
    page = render(template, **values)
    with name_in_write_errors(path):
        path.write_text(page, encoding="utf-8")
    return path


def render(template: str, **values: Any) -> str:
    """A template with its values; `version` and `level` (of the intervals) are always there."""
    page = _environment().get_template(template)
    return page.render(version=_native.__version__, level=LEVEL, **values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("airtcp"),
        autoescape=True,
        finalize=_escape_value,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["maths"] = maths_to_html
    return environment


def _escape_value(value: Any) -> Any:
    """Text, line by line, with what would steer the page made visible; HTML as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "\n".join(map(visible_line, value.split("\n")))


def save_picture(figure: Figure, folder: Path, name: str, caption: str) -> Picture:
    """Write the figure as `name`.svg and get it ready for the page."""
    text, path = svg(figure), folder / f"{name}.svg"
    save_text(text, path)
    wide = float(figure.get_figwidth()) > 1.5 * SINGLE_COLUMN
    return Picture(_inline_ids(text, name, caption), path.name, caption, wide)


def inline_svg(figure: Figure, prefix: str, label: str) -> str:
    """The figure as an SVG element: own ids, the page's colours, as wide as its place."""
    return _inline_ids(svg(figure), prefix, label)


def _inline_ids(text: str, prefix: str, label: str) -> str:
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", lambda tag: _own_tag(tag[0], prefix), text)
    text = re.sub(_GROUND_RECT, r"\1none", text)
    width = re.search(r'width="([\d.]+)pt" height="[\d.]+pt"', text)
    if width:
        most, least = min(2.1 * float(width[1]), _MOST_WIDTH), _LEAST_SCALE * float(width[1])
        size = f"max-width:{most:.0f}px;min-width:{least:.0f}px"
        named = f'role="img" aria-label="{escape(label)}" style="{size}"'
        text = text.replace(width[0], named, 1)
    return text


def _own_tag(tag: str, prefix: str) -> str:
    """A tag of a figure with ids of its own and the colours of the page."""
    tag = re.sub(r'\bid="', f'id="{prefix}-', tag)
    tag = re.sub(r'((?:xlink:)?href="|url\()#', rf"\g<1>#{prefix}-", tag)
    for colour, variable in _CSS_COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag


def html_table(table: pd.DataFrame, rows: int = MOST_ROWS, caption: str = "") -> str:
    """The first rows of a table; columns of numbers have even digits, nothing stands for NaN."""
    first = table.head(rows)
    columns = [_cells(first.iloc[:, place]) for place in range(len(first.columns))]
    numeric = [all(map(_is_number, column)) for column in columns]
    body = [list(zip(row, numeric, strict=True)) for row in zip(*columns, strict=True)]
    head = [
        (str(name).replace("_", " "), is_numeric)
        for name, is_numeric in zip(table, numeric, strict=True)
    ]
    left_out = max(0, len(table) - rows)
    return render("table.html.j2", head=head, body=body, left_out=left_out, caption=caption)


def _cells(column: pd.Series[Any]) -> list[str]:
    """A column as texts."""
    if column.dtype.kind == "f":
        return format_evenly(column.tolist())
    return [cell(value) for value in column.tolist()]


_NUMBER = re.compile(r"([\u2212+-]?[\d.]|[\u2212-]$|$|nan|inf)[^,]*")


def _is_number(text: str) -> bool:
    """True if a cell is a number, with or without an interval, or stands for none."""
    return bool(_NUMBER.fullmatch(text)) and not re.search(
        "[A-Za-z]{3}", text.replace(EXACT_WORD, "")
    )


def cells(values: Mapping[str, Any]) -> dict[str, str]:
    """Values by name, as text."""
    return {key: cell(value) for key, value in values.items()}


def cell(value: Any, digits: int = 6) -> str:
    """A value as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")
    return str(value)


def maths_to_html(text: str) -> str:
    """Symbols of plain text (P_E, f_dT, <=) as HTML."""
    escaped = escape(text).replace("&lt;=", "\N{LESS-THAN OR EQUAL TO}")
    escaped = escaped.replace("&gt;=", "\N{GREATER-THAN OR EQUAL TO}")
    return re.sub(r"\b([Pp])_([A-Z]+)\b|\b(f)_(d)(?=T\b)", _subscript, escaped)


def _subscript(match: re.Match[str]) -> str:
    letter, index = (group for group in match.groups() if group)
    return f"<i>{letter}</i><sub>{index}</sub>"
