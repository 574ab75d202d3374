"""The index of the decisions: docs/decisions/index.md, from the records beside it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/decisions"
FILE = "docs/decisions/index.md"
_HEAD = """# Decisions

<!-- Made by scripts/decisions.py: add a record, NNN-title.md, and run make gen. -->

A dated record per decision: context, alternatives and consequences. A changed decision gets a new
record, and the old one refers to it. The date is that of the commit that first recorded it.
`ARCHITECTURE.md` in the repository shows the resulting structure. The
[dependencies](dependencies.md) have a table of their own.

| date | decision |
| --- | --- |
"""


def records() -> list[Path]:
    """The records in their order."""
    return sorted(FOLDER.glob("[0-9]*.md"))


def page() -> str:
    """docs/decisions/index.md."""
    return _HEAD + "".join(_line(path) for path in records())


def _line(path: Path) -> str:
    found = re.match(r"# (\d+)\. (.+)\n\n(\d{4}-\d\d-\d\d)\n", path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path.name} does not begin with a number, a title and a date")
    return f"| {found[3]} | {found[1]}. [{found[2]}]({path.name}) |\n"
