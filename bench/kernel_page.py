"""The table and the figure of docs/kernel.md, from the runs in bench/kernel.csv.

python bench/kernel_page.py table
python bench/kernel_page.py figure    # docs/img/kernel.svg
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from kernel import EXPERIMENTS, KERNELS, LINKS, ROWS, SEED, Kernel, scenario
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from scipy import stats

import airtcp
from airtcp.plot.style import DOUBLE_COLUMN, INK, MARKERS, PALETTE, PAPER, save_svg, styled

FIGURE = Path(__file__).parents[1] / "docs/img/kernel.svg"
REPLICATIONS = 400  # of the simulator
BY_THE_RFCS = {"abc_limit": 1, "rto_margin": "0s"}


@dataclass(frozen=True)
class Estimate:
    """A mean in packets/s with its interval."""

    mean: float
    half: float
    runs: int


def simulated(link: str, one: Kernel, **tcp: Any) -> pandas.DataFrame:
    """The runs of the simulator's counterpart, by replication."""
    assert one.simulator is not None
    point = airtcp.Scenario.from_dict(scenario(link, *one.simulator, **one.tcp | tcp))
    frame = airtcp.simulate(point, replications=REPLICATIONS, seed=SEED).to_pandas()
    return frame.set_index("replication").sort_index()


def plain(values: NDArray[np.float64]) -> Estimate:
    """By Student's t."""
    error = values.std(ddof=1) / math.sqrt(len(values))
    return Estimate(values.mean(), quantile(len(values) - 1) * error, len(values))


def adjusted(values: NDArray[np.float64], same: NDArray[np.float64], known: float) -> Estimate:
    """Of the kernel, with the simulator's runs over the same sample paths as control variate.

    Part of what the runs scatter by is the path, which both meet: the simulator's mean of these few
    paths, beside its mean of very many (`known`), says how much.
    """
    spread = same - same.mean()
    slope = (spread @ values) / (spread @ spread)
    rest = values - values.mean() - slope * spread
    n, away = len(values), same.mean() - known
    variance = (rest @ rest) / (n - 2) * (1.0 / n + away**2 / (spread @ spread))
    half = quantile(n - 2) * math.sqrt(variance)
    return Estimate(values.mean() - slope * away, half, n)


def quantile(freedom: int) -> float:
    """Of Student's t, for 95 %."""
    return float(stats.t.ppf(0.975, freedom))


@dataclass(frozen=True)
class Pair:
    """A TCP of the kernel on a link, and of the simulator if that has it."""

    link: str
    name: str
    kernel: Estimate
    simulator: Estimate | None
    timeouts: tuple[float, float]
    invalid: int  # replications without a run with which the machine kept up


def pairs(kernels: dict[str, Kernel], **tcp: Any) -> list[Pair]:
    """All that was measured of these, beside the simulator with other values of `tcp`."""
    groups = pandas.read_csv(ROWS).groupby(["scenario", "kernel"])
    return [
        pair(link, name, groups.get_group((link, name)), one, tcp)
        for link in LINKS
        for name, one in kernels.items()
        if link in one.links
    ]


def pair(link: str, name: str, rows: pandas.DataFrame, one: Kernel, tcp: dict[str, Any]) -> Pair:
    """One of them: of every replication the run with the fewest late packets, if that is valid."""
    best = rows.sort_values("late").drop_duplicates("replication")
    best = best[best["valid"] == 1].set_index("replication").sort_index()
    values, timeouts = best["throughput_pps"].to_numpy(), best["timeouts"].mean()
    invalid = rows["replication"].nunique() - len(best)
    if one.simulator is None:
        return Pair(link, name, plain(values), None, (timeouts, math.nan), invalid)
    runs = simulated(link, one, **tcp)
    paths = runs["throughput_pps"]
    kernel = adjusted(values, paths[best.index].to_numpy(), paths.mean())
    both = (timeouts, runs["timeouts"].mean())
    return Pair(link, name, kernel, plain(paths.to_numpy()), both, invalid)


def table() -> None:
    """Print the tables as Markdown."""
    print("| link | kernel | packets/s | simulator | ratio | timeouts | by the RFCs | runs |")
    print("|---|---|---|---|---|---|---|---|")
    plainly = {(one.link, one.name): one for one in pairs(KERNELS, **BY_THE_RFCS)}
    for one in pairs(KERNELS):
        cells = [*cells_of(one), ratio(plainly[one.link, one.name]), runs_of(one)]
        print(f"| {one.link} | {one.name} | {' | '.join(cells)} |")
    print()
    for one in pairs(EXPERIMENTS):
        print(f"| {one.link} | {one.name} | {' | '.join(cells_of(one))} | {runs_of(one)} |")


def cells_of(one: Pair) -> list[str]:
    """Packets/s of both, their ratio and the timeouts per run."""
    kernel = f"{one.kernel.mean:.1f} ± {one.kernel.half:.1f}"
    if one.simulator is None:
        return [kernel, "", "", f"{one.timeouts[0]:.1f}"]
    simulator = f"{one.simulator.mean:.1f} ± {one.simulator.half:.1f}"
    return [kernel, simulator, ratio(one), "{:.1f}, {:.1f}".format(*one.timeouts)]


def runs_of(one: Pair) -> str:
    """How many, and of how many replications none is valid."""
    return f"{one.kernel.runs} ({one.invalid})"


def ratio(one: Pair) -> str:
    """Kernel by simulator with its interval: errors of both, added as squares."""
    if one.simulator is None:
        return ""
    value = one.kernel.mean / one.simulator.mean
    relative = math.hypot(
        one.kernel.half / one.kernel.mean, one.simulator.half / one.simulator.mean
    )
    return f"{value:.3f} ± {value * relative:.3f}"


@styled
def figure() -> None:
    """Packets/s of both by link; filled: the kernel."""
    drawn = Figure(figsize=(DOUBLE_COLUMN, 3.2), layout="constrained")
    axes = drawn.subplots()
    for one in pairs(KERNELS):
        index = list(KERNELS).index(one.name)
        draw_pair(axes, one, list(LINKS).index(one.link) + (index - 1.5) * 0.2, index)
    axes.set_xticks(range(len(LINKS)), list(LINKS))
    axes.set(ylabel="packets/s", ylim=(0, None))
    axes.grid(axis="x", visible=False)
    drawn.legend(handles=handles(), loc="outside lower center", ncols=5)
    print(save_svg(drawn, FIGURE))


def draw_pair(axes: Axes, one: Pair, at: float, index: int) -> None:
    """The kernel's mean, filled, and left of it the simulator's, open."""
    style: dict[str, Any] = {"color": PALETTE[index], "marker": MARKERS[index], "linestyle": "none"}
    axes.errorbar(at + 0.03, one.kernel.mean, yerr=one.kernel.half, **style)
    if one.simulator is not None:
        style |= {"markerfacecolor": PAPER, "markeredgewidth": 0.9}
        axes.errorbar(at - 0.05, one.simulator.mean, yerr=one.simulator.half, **style)


def handles() -> list[Line2D]:
    """For the legend."""
    kernels = [
        Line2D([], [], color=PALETTE[i], marker=MARKERS[i], linestyle="none", label=name)
        for i, name in enumerate(KERNELS)
    ]
    look: dict[str, Any] = {"color": INK, "marker": "o", "linestyle": "none"}
    return [*kernels, Line2D([], [], markerfacecolor=PAPER, label="open: simulator", **look)]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["table"]:
            table()
        case ["figure"]:
            figure()
        case _:
            sys.exit(__doc__)
