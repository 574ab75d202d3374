"""Write docs/explanation/formulas.md: the formulas, their ranges and their maps.

`python scripts/validity.py` simulates every point of every grid (some half an hour of processor
time), or of the grids that are named (`python scripts/validity.py bbr`), and writes
docs/evidence/models/validity.csv, the ranges of the models, a map per model as SVG, and the page.
Finished runs are kept in out/validity: interrupt it, and it goes on where it was. With `--draw` it
writes ranges, maps and page anew from the CSV file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from airtcp import _native
from airtcp.comparison import validity
from airtcp.models.zoo import ZOO, validity_range
from airtcp.models.zoo.grids import VALIDITY_GRIDS, ValidityGrid, grids_of
from airtcp.models.zoo.model import Model, range_words
from airtcp.plot.style import save_svg
from airtcp.report.references import bibliography
from airtcp.report.validity_map import validity_map
from airtcp.support.progress import progress_bar

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FOLDER = DOCS / "evidence/models"
TABLE = FOLDER / "validity.csv"
RUNS = ROOT / "out/validity"
RANGES = ROOT / "python/airtcp/models/zoo/ranges.py"


def main() -> int:
    """Compute if asked, and write."""
    FOLDER.mkdir(exist_ok=True)
    RUNS.mkdir(parents=True, exist_ok=True)
    named = [argument for argument in sys.argv[1:] if argument != "--draw"]
    if wrong := set(named) - {sort.name for sort in VALIDITY_GRIDS}:
        print(
            f"no grid {min(wrong)!r}: {', '.join(grid.name for grid in VALIDITY_GRIDS)}",
            file=sys.stderr,
        )
        return 2
    if "--draw" not in sys.argv[1:]:
        grids = [grid for grid in VALIDITY_GRIDS if grid.name in named] if named else VALIDITY_GRIDS
        try:
            simulate(grids)
        except KeyboardInterrupt:
            print("interrupted: the same command goes on from out/validity", file=sys.stderr)
            return 130
    table = kept()
    ranges = validity_range.ranges_by_profile(table)
    RANGES.write_text(source(ranges), encoding="utf-8")
    maps = [(name, sort) for name in ZOO for sort in grids_of(name)]
    for name, sort in maps:
        save_svg(validity_map(table, name, sort), FOLDER / f"{stem(name, sort)}.svg")
    (DOCS / "explanation/formulas.md").write_text(page(table, ranges), encoding="utf-8")
    print(f"{FOLDER}: {len(maps)} maps")
    return 0


def simulate(grids: Sequence[ValidityGrid]) -> None:
    """Their points, in place of those that the table has of them."""
    total = validity.count_points(grids=grids)
    with progress_bar(sys.stderr.isatty(), "simulating", total) as advance:
        new = validity.validity(advance=advance, folder=RUNS, grids=grids)
    new = new.assign(version=_native.MODEL_VERSION)
    if len(grids) < len(VALIDITY_GRIDS):
        old = kept()
        new = pd.concat([old[~old["grid"].isin([grid.name for grid in grids])], new])
        place = {sort.name: place for place, sort in enumerate(VALIDITY_GRIDS)}
        new = new.sort_values("grid", key=lambda names: names.map(place), kind="stable")
    new.to_csv(TABLE, index=False, float_format="%.6g")


def kept() -> pd.DataFrame:
    """The table as it lies in the docs."""
    return pd.read_csv(TABLE, keep_default_na=False, na_values=[""])


def stem(model: str, sort: ValidityGrid) -> str:
    """The name of a map: of the model, and of the profile where the model has several."""
    return model if sort is grids_of(model)[0] else f"{model}-{sort.profile}"


def source(ranges: Ranges) -> str:
    """The ranges as a module of `airtcp.models.zoo`."""
    lines = []
    for name, by_profile in ranges.items():
        lines += [f'    "{name}": {{']
        for profile, box in by_profile.items():
            lines += [f'        "{profile}": {{']
            lines += [
                f'            "{key}": ({low!r}, {high!r}),' for key, (low, high) in box.items()
            ]
            lines += ["        },"]
        lines += ["    },"]
    return MODULE.format(ranges="\n".join(lines))


MODULE = '''"""Ranges where each model is accurate: written by scripts/validity.py from its maps.

By profile, the lowest and highest value of each coordinate
(`airtcp.models.zoo.model.coordinate`).
"""

from __future__ import annotations

RANGES: dict[str, dict[str, dict[str, tuple[float, float]]]] = {{
{ranges}
}}
'''


Ranges = dict[str, dict[str, validity_range.Box]]


def page(table: pd.DataFrame, ranges: Ranges) -> str:
    """The page: every model, the range in which it was found accurate, and its map."""
    parts = [HEAD, summary(table), METHOD.format(version=int(table["version"].iloc[0]))]
    for name, model in ZOO.items():
        parts += [f"## `{name}` {{ #{name} }}", f"{model.title[0].upper()}{model.title[1:]}."]
        sorts = grids_of(name)
        rows = table[table["model"] == name]
        own = [rows[rows["grid"] == sort.name] for sort in sorts]
        boxes = [ranges[name][sort.profile] for sort in sorts]
        found = [facts(*drawn) for drawn in zip(own, sorts, boxes, strict=True)]
        parts += [facts_table(found, paper(model)), *(picture(model, sort) for sort in sorts)]
    return "\n\n".join(parts) + "\n"


HEAD = """# Formulas and where they hold

A formula of TCP's throughput rests on assumptions that a link may not meet, and is often quoted
without them. Here every formula is compared with the simulator over a grid of links, and a map
shows its error. `airtcp run` shows the formulas that cover a point beside the simulation;
`airtcp.analyse` has all of them, `airtcp list models` their names, `airtcp.models.zoo` their
code.

A formula *covers* a point if it has an answer there. The path must carry one bulk transfer and
nothing else, with losses of known mean and at most one gate. Its profile is `rfc`, or `linux`
except for formulas with a timer of their own (outages, spikes, slots). A formula is *in range*
where the map found it within 20 % of the simulator. A *remark* names what it leaves out, or that
it has no range for the profile. Judge other timers than those of the maps yourself.

Look at two coordinates first. Formulas of random losses treat losses one by one, but a run of
losses causes one reduction, not many: they hold for small `clustering`. And none includes the
queue, which overflows where a formula promises much of the rate of the link (`load`)."""

METHOD = """## How a range is found

A map has a cell per simulated point, and panels for the other values of its grid. The colour is
the error of the formula: + it promises more than the simulation gives, - less. A range is the
largest box in which at least 90 % of the answered points are within 20 %, and at least 80 % of
those at each value of each coordinate and of each variant. Its coordinates:

| coordinate | meaning |
|---|---|
| `load` | answer of the formula as a share of the rate of the link |
| `clustering` | how many times longer runs of losses are than those of independent losses |
| `pipe` | rate times round trip, in packets |
| `feedback`, `timer` | from the end of a packet to its ACK, and the timeout, in transmissions |

The shortest timeout is 1 s in profile `rfc`, and the round trip plus 0.2 s in profile `linux`.
Without slots, a queue of one rate x round trip, at least 10 packets, precedes the link, and the
window is never the limit. In profile `linux` slow start ends as in Linux, and its overshoot falls
into the first tenth, which is not counted. Every point has as many runs as the stop rule needs
for a half-width of 2 % of the mean, between 20 and 60, so some intervals are wider. A run lasts a
number of losses, outages or spikes, but at most 300 000 packets (column `seconds`). Points that
no formula of a grid answers are not simulated.

`python scripts/validity.py` simulates every point and writes this page (`make validity`; model
version {version} of the simulator). All numbers are in
[validity.csv](../evidence/models/validity.csv)."""


def summary(table: pd.DataFrame) -> str:
    """A table of points that each formula answers, and of its accuracy."""
    head = ["| formula | profile | TCP | points | answered | within 5 % | 10 % | 20 % | source |"]
    rows = [*head, "|---|---|---|---|---|---|---|---|---|"]
    profiles = {sort.name: sort.profile for sort in VALIDITY_GRIDS}
    for (grid, name, variant), own in table.groupby(["grid", "model", "variant"], sort=False):
        error = own["error_percent"].abs().dropna()
        counts = [len(own), len(error), *(int((error <= most).sum()) for most in (5, 10, 20))]
        profile = profiles[str(grid)]
        cells = [f"[`{name}`](#{name})", profile, variant, *counts, ZOO[str(name)].source]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def paper(model: Model) -> str:
    """The title and the key of the source of a model."""
    entry = bibliography()[model.source]
    title = next(line.strip() for line in entry.splitlines() if line.strip().startswith("title"))
    title = title.partition("=")[2].strip(" {},").replace("{", "").replace("}", "")
    return f"{title} (`{model.source}`)"


FACTS = ("range", "grid", "answers", "refuses where", "runs; half-width of the 95 % interval")


def facts(own: pd.DataFrame, sort: ValidityGrid, box: validity_range.Box) -> list[str]:
    """The profile of a map, its range, its grid, and how sure its points are."""
    range_ = ", ".join(f"`{key}` {range_words(*ends)}" for key, ends in box.items()) or "none"
    answered = own.dropna(subset=["error_percent"])
    half = 50.0 * (answered["high"] - answered["low"]) / answered["simulation"]
    fewest, most = int(answered["runs"].min()), int(answered["runs"].max())
    good = int((half <= 2.0).sum())
    sure = f"at most 2 % at {good} of {len(answered)} points, median {half.median():.1f} %"
    silent = "; ".join(sorted(set(own["note"].dropna()))) or "-"
    answers = f"{len(answered)} of {len(own)} points"
    return [f"`{sort.profile}`", range_, sort.words, answers, silent, f"{fewest} to {most}; {sure}"]


def facts_table(found: list[list[str]], source: str) -> str:
    """A column per profile; the source stands in the first."""
    head, *rows = zip(*found, strict=True)
    lines = [["", *head], ["---"] * (len(head) + 1)]
    lines += [[name, *cells] for name, cells in zip(FACTS, rows, strict=True)]
    lines += [["source", source, *[""] * (len(head) - 1)]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def picture(model: Model, sort: ValidityGrid) -> str:
    """The map."""
    profile = f", profile `{sort.profile}`" if len(grids_of(model.name)) > 1 else ""
    return f"![Map of {model.name}{profile}](../evidence/models/{stem(model.name, sort)}.svg)"


if __name__ == "__main__":
    sys.exit(main())
