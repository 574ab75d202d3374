"""The page of a reproduction, the index of several, and what a notebook shows."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp._files import directory
from airtcp._references import bibtex
from airtcp.page import PAGE, Picture, cells, html_table, save_picture, write_page
from airtcp.papers.result import ALIKE, NEARLY, Reproduction, whole_percent

INDEX = "index.html"


def write_paper_report(reproduction: Reproduction, out: str | Path) -> Path:
    """Write the page of a paper or of one part: figures as SVG, tables as CSV, all claims.

    Returns the path of the page: `report.html` for a whole paper, `<part>.html` for a part.
    """
    folder = directory(out)
    parts = reproduction.parts or (reproduction,)
    claims_file = "claims.csv" if reproduction.parts else f"{reproduction.slug}-claims.csv"
    if reproduction.claims:
        reproduction.claims_table().to_csv(folder / claims_file, index=False)
    return write_page(
        folder / (PAGE if reproduction.parts else f"{reproduction.slug}.html"),
        "paper.html.j2",
        paper=reproduction,
        sections=[_section(part, folder) for part in parts],
        claims_file=claims_file,
        scale={"alike": whole_percent(ALIKE), "nearly": whole_percent(NEARLY)},
        citations=bibtex(reproduction.references),
        facts=cells(reproduction.facts),
        command=_command(reproduction, folder),
    )


def write_index(found: Sequence[Reproduction], out: str | Path) -> Path:
    """Write `index.html` over the pages of several papers; returns its path."""
    folder = directory(out)
    links = {one.name: one.report.relative_to(folder).as_posix() for one in found if one.report}
    return write_page(folder / INDEX, "index.html.j2", papers=found, links=links)


@dataclass(frozen=True)
class Section:
    """A part of a paper, ready for the page."""

    part: Reproduction
    picture: Picture | None
    table: str


def _section(part: Reproduction, folder: Path) -> Section:
    part.table.to_csv(folder / f"{part.slug}.csv", index=False)
    picture = None
    if part.figure is not None:
        picture = save_picture(part.figure, folder, part.slug, part.title)
    return Section(part, picture, html_table(part.table))


def _command(reproduction: Reproduction, folder: Path) -> str:
    words = ["airtcp", "reproduce", reproduction.name]
    words += ["--quick"] if reproduction.facts.get("quick") else []
    words += ["--seed", str(reproduction.facts.get("seed", 1)), "--out", str(folder)]
    return shlex.join(words)
