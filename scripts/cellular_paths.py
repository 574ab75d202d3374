"""Write docs/reference/cellular_paths.md: CUBIC and BBR over each of the measured cellular paths.

`python scripts/cellular_paths.py` (`make cellular-paths`) runs both alone and side by side on every
path of `airtcp list links cellular`, and writes the page, its figure, and
docs/reference/figures/cellular_paths.csv. Seeds are fixed: the table is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import airtcp
from airtcp import _native
from airtcp.plot.style import DASHES, DOUBLE_COLUMN, PALETTE, label_axes, save_svg, with_style
from airtcp.support.progress import progress_bar
from airtcp.support.units import base_units_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/reference/cellular_paths.md"
TABLE = ROOT / "docs/reference/figures/cellular_paths.csv"
FIGURE = ROOT / "docs/reference/figures/cellular_paths.svg"
FAMILY = "cellular"
SECONDS = 60
CONTROLS = ("cubic", "bbr")
QUARTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def names() -> list[str]:
    """The measured paths."""
    return [name for name, _ in _native.link_profiles() if name.startswith(f"{FAMILY}-")]


def document(name: str, flows: Sequence[str]) -> dict[str, Any]:
    """A path with an endless flow of each of these congestion controls."""
    return {
        "profile": "linux",
        "tcp": {"congestion": flows[0]},
        "path": {"hop": [{"link": name}]},
        "flow": [{"tcp": {"congestion": flow}} if flow != flows[0] else {} for flow in flows],
        "stop": {"time": f"{SECONDS}s", "replications": 1},
    }


def row(name: str) -> dict[str, Any]:
    """Goodput, delay and share on a path, alone and side by side."""
    scenario = airtcp.Scenario.from_dict(document(name, CONTROLS[:1]))
    hop = scenario.points()[0].data["path"]["hop"][0]
    found: dict[str, Any] = {"path": name, "rate_bps": int(base_units_of(hop["rate"]))}
    for control in CONTROLS:
        (alone,) = flows_of(document(name, [control]))
        found[f"{control}_goodput_bps"] = round(alone["goodput_bps"])
        found[f"{control}_delay_p95_s"] = round(alone["delay_p95"], 6)
    both = flows_of(document(name, CONTROLS))
    cubic, bbr = (flow["goodput_bps"] for flow in both)
    found["bbr_share"] = round(bbr / (cubic + bbr), 6) if cubic + bbr else np.nan
    return found


def flows_of(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics of each flow of a scenario, in their order."""
    table = airtcp.simulate(given, seed=1).to_pandas().sort_values("flow")
    return [
        {str(key): value for key, value in values.items()} for values in table.to_dict("records")
    ]


def main() -> int:
    """Run every path, and write table, figure and page."""
    with progress_bar(True, "paths", len(names())) as advance:
        rows = []
        for name in names():
            rows.append(row(name))
            advance(1)
    table = pd.DataFrame(rows)
    table.to_csv(TABLE, index=False, lineterminator="\n")
    save_svg(figure(table), FIGURE)
    PAGE.write_text(page(table), encoding="utf-8", newline="\n")
    print(f"{PAGE.relative_to(ROOT)}: {len(table)} paths")
    return 0


# ---- The page ------------------------------------------------------------------------------------


def quantities(table: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Quantities of every path: head -> values."""
    found = {}
    for control in CONTROLS:
        goodput = table[f"{control}_goodput_bps"]
        found[f"{control}: goodput / rate"] = goodput / table["rate_bps"]
        found[f"{control}: delay p95 (s)"] = table[f"{control}_delay_p95_s"]
    found["share of bbr beside cubic"] = table["bbr_share"]
    return found


@with_style
def figure(table: pd.DataFrame) -> Figure:
    """Distributions over the paths: goodput, delay and share."""
    drawn = Figure(figsize=(DOUBLE_COLUMN, 2.6), layout="constrained")
    goodput, delay, share = drawn.subplots(1, 3, sharey=True)
    for place, control in enumerate(CONTROLS):
        look = {"color": PALETTE[place], "linestyle": DASHES[place], "label": control}
        goodput.plot(*_steps(table[f"{control}_goodput_bps"] / 1e6), **look)
        delay.plot(*_steps(table[f"{control}_delay_p95_s"]), **look)
    share.plot(*_steps(table["bbr_share"]), color=PALETTE[2])
    label_axes(goodput, xlabel="goodput (Mbit/s)", ylabel="share of the paths")
    label_axes(delay, xlabel="delay p95 (s)", ylabel="")
    label_axes(share, xlabel="share of bbr beside cubic", ylabel="", log_x=False)
    goodput.legend()
    return drawn


def _steps(values: pd.Series[float]) -> tuple[Any, Any]:
    """The distribution function of a column."""
    ordered = np.sort(values.dropna().to_numpy())
    return ordered, np.arange(1, len(ordered) + 1) / len(ordered)


def page(table: pd.DataFrame) -> str:
    """The page in Markdown."""
    rows = "".join(
        f"| {head} | {' | '.join(f'{value:.3g}' for value in values.quantile(QUARTILES))} |\n"
        for head, values in quantities(table).items()
    )
    heads = " | ".join(f"{100 * share:g} %" for share in QUARTILES)
    more = (table["bbr_goodput_bps"] > table["cubic_goodput_bps"]).sum()
    shorter = (table["bbr_delay_p95_s"] < table["cubic_delay_p95_s"]).sum()
    leads = (table["bbr_share"] > 0.5).sum()
    return f"""# CUBIC and BBR on {len(table)} cellular paths

Generated by `make cellular-paths`; [every number](figures/cellular_paths.csv).

The paths are those of `airtcp list links cellular`: rate, buffer, delay and cross-traffic of \
{len(table)} cellular uplinks, learned from packet traces of the Pantheon project by iBoxNet (MIT \
licence). The way back was not measured; it has the values of the files, 100 Mbit/s and no delay. \
On each path an endless flow of each control ran alone for {SECONDS} s, and both ran side by side, \
in profile `linux`, one run each.

![Distribution functions over {len(table)} paths: goodput, delay p95, and the share of BBR beside \
CUBIC](figures/cellular_paths.svg)

| quantile over the paths | {heads} |
| --- |{" ---: |" * len(QUARTILES)}
{rows}
Alone, BBR gets more than CUBIC on {more} of {len(table)} paths and has the shorter \
[delay p95](glossary.md#delay-p95) on {shorter}. Side by side, it gets more than half \
of the goodput of both on {leads}.

Cross-traffic takes part of the rate, and on some paths all of it for seconds, so that goodput / \
rate is below 1 for every control. The delay is that of a packet from its first transmission to \
its first arrival.

## See also

- [Link profiles](../howto/links.md)
"""


if __name__ == "__main__":
    raise SystemExit(main())
