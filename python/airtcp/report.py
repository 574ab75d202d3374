"""Reports: one self-contained HTML page each, with figures as SVG and data as CSV beside it.

The pages need no network: style and figures are inline. Figures take the page's colours, so that
they can be read on a dark screen and on paper.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from airtcp import _native
from airtcp.plot import GRID, INK, PAPER, save_svg, svg

if TYPE_CHECKING:
    from airtcp.papers._base import Reproduction
    from airtcp.run import RunResult

MOST_ROWS = 60  # of a table in a page; the CSV has them all
PAGE = "report.html"
_SHOWN = {INK: "var(--ink)", PAPER: "var(--paper)", GRID: "var(--grid)"}
_RUN_COLUMNS = {
    "analysis_throughput": "analysis",
    "analysis_lower": "lower bound",
    "analysis_upper": "upper bound",
    "simulation_throughput": "simulation",
    "half_width": "\N{PLUS-MINUS SIGN} 95 %",
    "z": "z",
    "analysis_transmissions_per_delivery": "sent per delivered, analysis",
    "simulation_transmissions_per_delivery": "sent per delivered, simulation",
}


@dataclass(frozen=True)
class Picture:
    """A figure in a page: inline SVG and the file that has it too."""

    svg: Markup
    file: str
    caption: str


def write_run_report(result: RunResult, out: str | Path) -> Path:
    """Write `report.html` and its figures for one scenario; returns the path of the page."""
    from airtcp.run_plot import QUANTITIES, run_figure  # noqa: PLC0415

    folder = _folder(out)
    points = result.scenario.points()
    table, coordinates = result.table, list(points[0].coordinates)
    pictures = [
        _picture(run_figure(table, coordinates, name), folder, name, label)
        for name, label in QUANTITIES.items()
        if table[[f"analysis_{name}", f"simulation_{name}"]].notna().to_numpy().any()
    ]
    page = _render(
        "run.html.j2",
        title=_run_title(result),
        fixed=_fixed(result),
        swept=_swept(result),
        source=result.scenario.to_toml(),
        pictures=pictures,
        panels_left_out=_panels_left_out(table, coordinates),
        method=", ".join(table["method"].unique()),
        analysed=result.analysis is not None,
        simulation=result.simulation,
        compared=_compared(result),
        notes=sorted({note for note in table["note"] if note}),
        table=_run_table(table, coordinates),
        citations=_bibtex(key for one in points for key in _native.citations(one.json)),
        facts=_run_facts(result),
        command=_run_command(result, folder),
        files=sorted(p.name for p in folder.glob("*") if p.suffix in (".csv", ".parquet", ".toml")),
    )
    return _write(folder / PAGE, page)


def write_paper_report(reproduction: Reproduction, out: str | Path) -> Path:
    """Write the page of a paper or of one part: figures as SVG, tables as CSV, all claims.

    Returns the path of the page: `report.html` for a whole paper, `<part>.html` for a part.
    """
    folder = _folder(out)
    parts = reproduction.parts or (reproduction,)
    sections = [_section(part, folder) for part in parts]
    if reproduction.claims:
        reproduction.claims_table().to_csv(folder / _claims_file(reproduction), index=False)
    page = _render(
        "paper.html.j2",
        paper=reproduction,
        sections=sections,
        claims_file=_claims_file(reproduction),
        citations=_bibtex(_paper_keys(reproduction)),
        facts=_facts(reproduction.facts),
        command=_paper_command(reproduction, folder),
    )
    return _write(folder / (PAGE if reproduction.parts else f"{_slug(reproduction)}.html"), page)


def fragment(reproduction: Reproduction) -> str:
    """A reproduction for a notebook cell: text, figure, verdicts."""
    figure = reproduction.figure
    label = reproduction.title
    picture = None if figure is None else inline_svg(figure, _slug(reproduction), label)
    return _render("fragment.html.j2", part=reproduction, picture=picture)


def inline_svg(figure: Figure, prefix: str, label: str) -> Markup:
    """The figure as an SVG element: own ids, the page's colours, as wide as its place."""
    text = svg(figure)
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'((?:xlink:)?href="|url\()#', rf"\g<1>#{prefix}-", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, variable in _SHOWN.items():
        text = text.replace(colour, variable)
    width = re.search(r'width="([\d.]+)pt" height="[\d.]+pt"', text)
    if width:
        most = min(2.1 * float(width[1]), 880.0)
        named = f'role="img" aria-label="{Markup.escape(label)}" style="max-width:{most:.0f}px"'
        text = text.replace(width[0], named, 1)
    return Markup(text)


@dataclass(frozen=True)
class Section:
    """A part of a paper, ready for the page."""

    part: Reproduction
    slug: str
    picture: Picture | None
    table: Markup


def _section(part: Reproduction, folder: Path) -> Section:
    slug = _slug(part)
    part.table.to_csv(folder / f"{slug}.csv", index=False)
    picture = None
    if part.figure is not None:
        picture = _picture(part.figure, folder, slug, part.title)
    return Section(part, slug, picture, html_table(part.table))


def _picture(figure: Figure, folder: Path, name: str, caption: str) -> Picture:
    path = save_svg(figure, folder / f"{name}.svg")
    return Picture(inline_svg(figure, name, caption), path.name, caption)


def html_table(
    table: pd.DataFrame, rows: int = MOST_ROWS, digits: Mapping[str, int] | None = None
) -> Markup:
    """The first rows of a table; numbers with six digits or as said, nothing for NaN."""
    shown = digits or {}
    columns = [
        (str(name), pd.api.types.is_numeric_dtype(table[name]), shown.get(str(name), 6))
        for name in table
    ]
    body = [
        [
            (cell(value, precision), numeric)
            for (_, numeric, precision), value in zip(columns, row, strict=True)
        ]
        for row in table.head(rows).itertuples(index=False)
    ]
    head = [(name.replace("_", " "), numeric) for name, numeric, _ in columns]
    return Markup(
        _render("table.html.j2", head=head, body=body, left_out=max(0, len(table) - rows))
    )


def cell(value: Any, digits: int = 6) -> str:
    """A value as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")
    return str(value)


def _run_title(result: RunResult) -> str:
    title = result.scenario.title
    return title if isinstance(title, str) and title else "A run of airtcp"


def _leaves(result: RunResult) -> list[dict[str, Any]]:
    from airtcp.scenario import leaves  # noqa: PLC0415

    return [dict(leaves(point.data)) for point in result.scenario.points()]


def _fixed(result: RunResult) -> dict[str, str]:
    """What all points have in common."""
    points = _leaves(result)
    if result.simulation is not None:
        points = [point | {"stop.replications": result.simulation.replications} for point in points]
    first = points[0]
    return {
        key: cell(value)
        for key, value in first.items()
        if key != "title" and all(point.get(key, None) == value for point in points)
    }


def _swept(result: RunResult) -> dict[str, str]:
    """What varies, with its values."""
    points = [point.coordinates for point in result.scenario.points()]
    values = {key: list(dict.fromkeys(point[key] for point in points)) for key in points[0]}
    return {
        key: ", ".join(cell(value) for value in found if value is not None)
        for key, found in values.items()
        if len(found) > 1
    }


def _panels_left_out(table: pd.DataFrame, coordinates: list[str]) -> int:
    from airtcp.run_plot import MOST_PANELS, panel_count  # noqa: PLC0415

    return max(0, panel_count(table, coordinates) - MOST_PANELS)


def _compared(result: RunResult) -> dict[str, Any] | None:
    from airtcp._compare import covered  # noqa: PLC0415

    inside, points = covered(result.table)
    if not points:
        return None
    largest = float(result.table["z"].abs().max())
    return {"inside": inside, "points": points, "expected": 0.95 * points, "largest": largest}


def _run_table(table: pd.DataFrame, coordinates: list[str]) -> Markup:
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    half = (table["simulation_high"] - table["simulation_low"]) / 2.0
    wide = table.assign(half_width=half)
    shown = [name for name in _RUN_COLUMNS if wide[name].notna().any()]
    short = wide[varying + shown].rename(columns=_RUN_COLUMNS)
    short = short.rename(columns={name: name.rpartition(".")[2] for name in varying})
    return html_table(short, digits={_RUN_COLUMNS["half_width"]: 2, "z": 3})


def _run_facts(result: RunResult) -> dict[str, str]:
    facts: dict[str, Any] = {"airtcp": _native.__version__, "model": _native.MODEL_VERSION}
    if result.simulation is not None:
        facts |= {
            "seed": result.simulation.seed,
            "replications": result.simulation.replications,
            "runs": result.simulation.runs.num_rows,
        }
    return _facts(facts)


def _facts(facts: Mapping[str, Any]) -> dict[str, str]:
    return {key: cell(value) for key, value in facts.items()}


def _run_command(result: RunResult, folder: Path) -> str:
    words = ["airtcp", "run", str(folder / "scenario.toml")]
    if result.simulation is None:
        words += ["--engine", "analysis"]
    else:
        if result.analysis is None:
            words += ["--engine", "simulation"]
        words += ["--seed", str(result.simulation.seed)]
        words += ["--replications", str(result.simulation.replications)]
    return shlex.join([*words, "--out", str(folder)])


def _paper_command(reproduction: Reproduction, folder: Path) -> str:
    words = ["airtcp", "reproduce", reproduction.name]
    words += ["--quick"] if reproduction.facts.get("quick") else []
    words += ["--seed", str(reproduction.facts.get("seed", 1)), "--out", str(folder)]
    return shlex.join(words)


def _paper_keys(reproduction: Reproduction) -> tuple[str, ...]:
    from airtcp.papers import paper  # noqa: PLC0415

    keys: tuple[str, ...] = paper(reproduction.name.partition("/")[0]).REFERENCES
    return keys


@cache
def _bibliography() -> dict[str, str]:
    """Entries of the bibliography by key."""
    entries = re.findall(r"^@\w+\{([^,]+),.*?^\}", _native.references(), re.DOTALL | re.MULTILINE)
    texts = re.finditer(r"^@\w+\{.*?^\}", _native.references(), re.DOTALL | re.MULTILINE)
    return dict(zip(entries, (text.group() for text in texts), strict=True))


def _bibtex(keys: Iterable[str]) -> str:
    known = _bibliography()
    return "\n\n".join(known[key] for key in dict.fromkeys(keys) if key in known)


def _slug(reproduction: Reproduction) -> str:
    return reproduction.name.rpartition("/")[2]


def _claims_file(reproduction: Reproduction) -> str:
    return "claims.csv" if reproduction.parts else f"{_slug(reproduction)}-claims.csv"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("airtcp"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["maths"] = maths
    return environment


def maths(text: str) -> Markup:
    """Symbols of plain text (P_E, f_dT, <=) as HTML."""
    escaped = str(Markup.escape(text)).replace("&lt;=", "\N{LESS-THAN OR EQUAL TO}")
    escaped = escaped.replace("&gt;=", "\N{GREATER-THAN OR EQUAL TO}")
    return Markup(re.sub(r"\b([Pp])_([A-Z]+)\b|\b(f)_(d)(?=T\b)", _subscript, escaped))


def _subscript(found: re.Match[str]) -> str:
    letter, index = (one for one in found.groups() if one)
    return f"<i>{letter}</i><sub>{index}</sub>"


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(version=_native.__version__, **values)


def _folder(out: str | Path) -> Path:
    from airtcp.run import directory  # noqa: PLC0415

    return directory(out)


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
