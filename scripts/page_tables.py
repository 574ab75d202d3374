"""Tables in a page of the documentation: each between `<!-- NAME -->` and the next empty line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def with_tables(page: Path, text: str, made: Mapping[str, str]) -> str:
    """The text of a page with these tables in their places. Ends the script where one has none."""
    for name, rows in made.items():
        place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=\n\n|\n\Z)", re.DOTALL)
        text, found = place.subn(lambda _, rows=rows: rows, text)  # type: ignore[misc]
        if found != 1:
            raise SystemExit(f"{page.name}: {found} places for {name}")
    return text


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
