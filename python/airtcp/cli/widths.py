"""Widths of the columns of a table: no word and no number is broken where there is another way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Column, Table

COLUMN_GAP = 2  # letters between two columns
_PIECE_PATTERN = re.compile(r"[^ _.\n]+[_.]*|[_.]+")


def fit_widths(table: Table, width: int) -> bool:
    """Give the columns of a table their widths; say that no cell of it then wraps.

    Heads that are wider than what stands below them have several lines where that is needed. If
    that is not enough, text wraps between words, that of the widest column first.
    """
    if not table.columns:
        return True
    room = width - COLUMN_GAP * (len(table.columns) - 1)
    bodies = [
        max((_longest_line(cell) for cell in _column_cells(column)), default=0)
        for column in table.columns
    ]
    heads = [_longest_line(column.header) for column in table.columns]
    full_widths = [max(pair) for pair in zip(bodies, heads, strict=True)]
    pieces = [_longest_piece(column) for column in table.columns]
    least = [max(pair) for pair in zip(bodies, pieces, strict=True)]
    fits = sum(least) <= room
    words = [
        max(least_word, piece)
        for least_word, piece in zip(map(_longest_word, table.columns), pieces, strict=True)
    ]
    widths = (
        _shrink_widths(full_widths, least, room) if fits else _shrink_widths(least, words, room)
    )
    for column, size in zip(table.columns, widths, strict=True):
        column.width = size if sum(widths) <= room else None
        if sum(widths) <= room and _longest_line(column.header) > size:
            column.header = _break_head(column.header, size)
    return fits


def would_break_words(table: Table, width: int) -> bool:
    """True if words or numbers of a table would break, however its text wraps between words."""
    least = sum(max(_longest_word(column), _longest_piece(column)) for column in table.columns)
    return least + COLUMN_GAP * (len(table.columns) - 1) > width


def natural_width(table: Table) -> int:
    """The width of a table in which nothing wraps."""
    widths = (
        max(map(_longest_line, [column.header, *_column_cells(column)])) for column in table.columns
    )
    return sum(widths) + COLUMN_GAP * (len(table.columns) - 1)


def _shrink_widths(wide: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fill the room: the widest column above its least width shrinks first."""
    widths = list(wide)
    while sum(widths) > room:
        able = [place for place, size in enumerate(widths) if size > least[place]]
        if not able:
            break
        widths[max(able, key=lambda place: widths[place])] -= 1
    return widths


def _column_cells(column: Column) -> Sequence[Any]:
    return list(column.cells)


def _plain_text(cell: Any) -> str:
    return str(getattr(cell, "plain", cell))


def _longest_line(cell: Any) -> int:
    from rich.cells import cell_len  # noqa: PLC0415  (slow to import)

    return max(map(cell_len, _plain_text(cell).split("\n")), default=0)


def _longest_word(column: Column) -> int:
    """The width below which a column would break words; numbers, and names to copy, stay whole."""
    cells = _column_cells(column)
    if column.justify == "right" or column.no_wrap:
        return max(map(_longest_line, cells), default=0)
    return max((_longest_line("\n".join(_plain_text(cell).split())) for cell in cells), default=0)


def _longest_piece(column: Column) -> int:
    return _longest_line("\n".join(_pieces(_plain_text(column.header))))


def _pieces(head: str) -> list[str]:
    """Parts of a head between which a line may end."""
    return _PIECE_PATTERN.findall(head) or [head]


def _break_head(head: Any, width: int) -> Any:
    """A head in lines of at most `width` letters; its own line breaks stay."""
    from rich.text import Text  # noqa: PLC0415  (slow to import)

    lines: list[str] = []
    for line in _plain_text(head).split("\n"):
        start = True
        for blank, piece in _split_with_spaces(line):
            joined = f"{lines[-1]}{blank}{piece}" if lines and not start else piece
            if start or _longest_line(joined) > width:
                lines.append(piece)
            else:
                lines[-1] = joined
            start = False
    return Text("\n".join(lines))


def _split_with_spaces(line: str) -> list[tuple[str, str]]:
    """The pieces of a line, each with the blank before it."""
    pieces_found = [(match.start(), match[0]) for match in _PIECE_PATTERN.finditer(line)]
    return [
        (" " if start and line[start - 1] == " " else "", piece) for start, piece in pieces_found
    ]
