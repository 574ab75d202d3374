"""Write docs/models.md: every formula of the zoo, and maps of where it holds, from simulations.

`python scripts/validity.py` simulates every point of every grid (about ten minutes of processor
time) and writes docs/models/validity.csv, a map per model as SVG, and the page; with `--draw` maps
and page anew from that file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from airtcp import _native
from airtcp.models.zoo import ZOO, validity
from airtcp.models.zoo.model import Model
from airtcp.models.zoo.validity_map import CLASSES, classes, validity_map
from airtcp.plot.style import save_svg
from airtcp.report.references import bibliography
from airtcp.support.progress import progress_bar

DOCS = Path(__file__).parent.parent / "docs"
FOLDER = DOCS / "models"
TABLE = FOLDER / "validity.csv"


def main() -> int:
    """Compute if asked, and write."""
    FOLDER.mkdir(exist_ok=True)
    if "--draw" not in sys.argv[1:]:
        with progress_bar(sys.stderr.isatty(), "simulating", validity.points()) as advance:
            table = validity.validity(advance=advance)
        table.to_csv(TABLE, index=False, float_format="%.6g")
    table = pd.read_csv(TABLE, keep_default_na=False, na_values=[""])
    for name in ZOO:
        save_svg(validity_map(table, name), FOLDER / f"{name}.svg")
    (DOCS / "models.md").write_text(page(table), encoding="utf-8")
    print(f"{FOLDER}: {len(ZOO)} maps")
    return 0


def page(table: pd.DataFrame) -> str:
    """What every model is, where it was found accurate, and its map."""
    parts = [HEAD.format(version=_native.MODEL_VERSION), summary(table), METHOD]
    for name, model in ZOO.items():
        parts += [f"## `{name}` {{ #{name} }}", section(table[table["model"] == name], model)]
    return "\n\n".join(parts) + "\n"


HEAD = """# Formulas and where they hold

Written by `python scripts/validity.py`, which simulates every point (`make validity`; model version
{version} of the simulator). `airtcp run` shows every formula that covers a point of a path beside
the simulation, with its error; `airtcp.analyse` has all of them; `airtcp list models` names them.
In Python they are in `airtcp.models.zoo`.

A formula *covers* a point if it has an answer there: a bulk transfer of profile `rfc` alone on its
path, losses of known mean, no more than an on-off gate. It is *in range* where the maps below found
it within 20 % of the simulator. Losses in a row, and round trips and timers other than those of the
maps, are the reader's to judge: a remark says what a formula leaves out."""

METHOD = """A map has a cell per simulated point: {axes}. The round trip is 0.1 s, the shortest
timeout 1 s, a queue of one rate x round trip lies before the link, the window is never the limit,
and every packet is acknowledged at once. A queue that overflows is part of the simulation, and of
no formula.""".format(
    axes="loss rate by rate x round trip, for losses that come in runs of 1 (independent) to 8"
    " packets; for outages the share of time down by rate x round trip, for mean times up of 1 to"
    " 100 s"
)


def summary(table: pd.DataFrame) -> str:
    """How many points each formula answers, and how well."""
    head = ["| formula | TCP | points | answered | within 5 % | 10 % | 20 % | source |"]
    rows = [*head, "|---|---|---|---|---|---|---|---|"]
    for (name, variant), own in table.groupby(["model", "variant"], sort=False):
        error = own["error_percent"].abs().dropna()
        counts = [len(own), len(error), *(int((error <= most).sum()) for most in (5, 10, 20))]
        cells = [f"[`{name}`](#{name})", variant, *counts, ZOO[str(name)].source]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def section(own: pd.DataFrame, model: Model) -> str:
    """A model: what it is, its range, its map."""
    limits = ", ".join(f"`{key}` {low:g} to {high:g}" for key, (low, high) in model.range.items())
    title = f"{model.title[0].upper()}{model.title[1:]}"
    entry = bibliography()[model.source]
    paper = next(line.strip() for line in entry.splitlines() if line.strip().startswith("title"))
    paper = paper.partition("=")[2].strip(" {},")
    answered = own.dropna(subset=["error_percent"])
    half = 50.0 * (answered["high"] - answered["low"]) / answered["simulation"]
    good = int((half <= 2.0).sum())
    reasons = "; ".join(sorted(set(own["note"].dropna())))
    refused = f"It does not answer where {reasons}." if reasons else "It answers at every point."
    lines = [
        f"{title}. Source: {paper.replace('{', '').replace('}', '')} (`{model.source}`).",
        f"Range: {limits}. {refused}",
    ]
    runs = int(own["runs"].iloc[0])
    n = len(own)
    caption = (
        f"*{n} points, each the mean of {runs} runs; the half-width of the 95 % interval is at most"
        f" 2 % of the mean at {good} of the {len(answered)} points with an answer, its median"
        f" {half.median():.1f} %. {message(own)} Numbers: [validity.csv](models/validity.csv).*"
    )
    return "\n\n".join(
        [" ".join(lines), f"![Where {model.name} holds](models/{model.name}.svg)", caption]
    )


def message(own: pd.DataFrame) -> str:
    """What the map says, in words that follow from its numbers."""
    said = []
    for variant, rows in own.groupby("variant", sort=False):
        found = classes(rows["error_percent"])
        answered = rows["error_percent"].notna().sum()
        fair = int((found <= len(CLASSES) - 2).sum())
        said.append(f"{variant}: within 20 % at {fair} of {answered}")
    return f"{'; '.join(said)}."


if __name__ == "__main__":
    sys.exit(main())
