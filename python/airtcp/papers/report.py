"""The page of a reproduction, the index of several, and the summary in a notebook."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import count
from airtcp.papers.claims import ALIKE, NEARLY, whole_percent
from airtcp.papers.result import Reproduction
from airtcp.report.messages import KeyFigure
from airtcp.report.page import PAGE, Picture, cells, html_table, save_picture, write_page
from airtcp.report.part_tables import fold_intervals, table_message
from airtcp.report.references import bibtex_entries
from airtcp.support.files import existing_directory, name_in_write_errors

INDEX = "index.html"


def write_paper_report(reproduction: Reproduction, out: str | Path) -> Path:
    """Write the page of a paper or of one part: figures as SVG, tables as CSV, all claims.

    Returns the path of the page: `report.html` for a whole paper, `<part>.html` for a part. Raises
    `OSError` that names the file if the disk is full, `InputError` if one cannot be written.
    """
    folder = existing_directory(out)
    parts = reproduction.parts or (reproduction,)
    for name, table in reproduction.files.items():
        with name_in_write_errors(folder / f"{name}.csv") as path:
            table.to_csv(path, index=False)
    return write_page(
        folder / (PAGE if reproduction.parts else f"{reproduction.slug}.html"),
        "paper.html.j2",
        paper=reproduction,
        key_figures=_key_figures(reproduction),
        sections=[_section(part, folder) for part in parts],
        scale={"alike": whole_percent(ALIKE), "nearly": whole_percent(NEARLY)},
        citations=bibtex_entries(reproduction.references),
        facts=cells(reproduction.facts),
        command=_command(reproduction, folder),
    )


def write_index(found: Sequence[Reproduction], out: str | Path) -> Path:
    """Write `index.html` over the pages of several papers; returns its path.

    For each paper it shows the verdicts and a figure, which is taken from the paper's folder.
    """
    folder = existing_directory(out)
    links = {
        reproduction.name: reproduction.report.relative_to(folder).as_posix()
        for reproduction in found
        if reproduction.report
    }
    pictures = {reproduction.name: _cover_file(reproduction, folder) for reproduction in found}
    return write_page(folder / INDEX, "index.html.j2", papers=found, links=links, pictures=pictures)


def _cover_file(whole: Reproduction, folder: Path) -> str:
    """The figure that stands for a paper, "zorzi/fig1.svg"; empty if it has none."""
    if whole.report is None:
        return ""
    drawn = [whole.report.with_name(f"{part.slug}.svg") for part in whole.parts]
    drawn = [path for path in drawn if path.exists()]
    named = [path for path in drawn if path.stem == whole.cover]
    return next((picture.relative_to(folder).as_posix() for picture in (*named, *drawn)), "")


@dataclass(frozen=True)
class Section:
    """A part of a paper, ready for the page."""

    part: Reproduction
    picture: Picture | None
    caption: str
    table: str


def _section(part: Reproduction, folder: Path) -> Section:
    picture = None
    if part.figure is not None:
        picture = save_picture(part.figure, folder, part.slug, part.title)
    table = html_table(fold_intervals(part.table), caption=table_message(part.table))
    return Section(part, picture, f"{part.title}. {table_message(part.table, part.unit)}", table)


_FACTS_SHOWN_ELSEWHERE = (
    "airtcp",
    "quick",
    "seconds",
)  # facts that the page has elsewhere, or that matter little


def _key_figures(whole: Reproduction) -> list[KeyFigure]:
    """Key figures: claims that hold, distance of simulation and analysis, sizes of the run."""
    place = "claims" if whole.parts else whole.slug
    told = [(number, word) for word, number in whole.verdicts.items() if number]
    counted = ", ".join(
        f"{number} {word if number == 1 else word.rstrip('s')}" for number, word in told
    )
    parts = count(len(whole.parts), "part") if whole.parts else whole.name
    what = (
        f"{count(len(whole.claims), 'claim')}{', provisional' if whole.facts.get('quick') else ''}"
    )
    found = [KeyFigure(what, counted, parts, place)] if counted else []
    if whole.agreement is not None:
        agreement = whole.agreement
        value = f"{agreement.misses} of {agreement.points} intervals miss"
        detail = (
            f"the analysis; {agreement.expected:.1f} are expected;"
            f" largest |z| {agreement.largest_z:.2f}"
        )
        first = whole.parts[0].slug if whole.parts else whole.slug
        found.append(KeyFigure("Simulation and exact analysis", value, detail, first))
    sizes = "; ".join(
        f"{key} {value}" for key, value in whole.facts.items() if key not in _FACTS_SHOWN_ELSEWHERE
    )
    kind = "quick" if whole.facts.get("quick") else "full"
    return [*found, KeyFigure("This run", kind, sizes, "citing")]


def _command(reproduction: Reproduction, folder: Path) -> str:
    words = ["airtcp", "reproduce", reproduction.name]
    words += ["--quick"] if reproduction.facts.get("quick") else []
    if "runs" in reproduction.facts:
        words += ["--runs", str(reproduction.facts["runs"])]
    words += ["--seed", str(reproduction.facts.get("seed", 1)), "--out", str(folder)]
    return shlex.join(words)
