"""The tables and the figure of docs/evidence/kernel.md, from the runs in bench/kernel.csv.

python bench/kernel_page.py tables
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
from kernel import EXPERIMENTS, KERNELS, LINKS, ROWS, SEED, Kernel, by_the_rfcs, scenario
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from scipy import stats

import airtcp
from airtcp.plot.style import DOUBLE_COLUMN, INK, MARKERS, PALETTE, PAPER, save_svg, with_style

FIGURE = Path(__file__).parents[1] / "docs/img/kernel.svg"
RFC_RUNS = 400  # of profile rfc, whose runs over the same paths scatter more
CALM = 2  # timeouts of a run over short spikes that met none at most of them
TWO_FACED = ("short spikes", "reno")


@dataclass(frozen=True)
class Estimate:
    """A mean or a ratio with its interval of 95 %."""

    value: float
    half: float

    def text(self, digits: int) -> str:
        """As it is written in a table."""
        return f"{self.value:.{digits}f} ± {self.half:.{digits}f}"


@dataclass(frozen=True)
class Pair:
    """A TCP of the kernel on a link, and the simulator over the same sample paths."""

    link: str
    name: str
    kernel: pandas.DataFrame
    simulator: pandas.DataFrame
    invalid: int  # replications without a run with which the machine kept up

    @property
    def ratio(self) -> Estimate:
        """Kernel by simulator."""
        return ratio(*(runs["throughput_pps"].to_numpy() for runs in (self.kernel, self.simulator)))

    @property
    def more_timeouts(self) -> Estimate:
        """Of the kernel, per run."""
        return mean((self.kernel["timeouts"] - self.simulator["timeouts"]).to_numpy())


def mean(values: NDArray[np.float64]) -> Estimate:
    """By Student's t."""
    error = values.std(ddof=1) / math.sqrt(len(values))
    return Estimate(float(values.mean()), quantile(len(values) - 1) * error)


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> Estimate:
    """Of two means, from pairs; its error by linearisation."""
    value = above.mean() / below.mean()
    return Estimate(value, mean((above - value * below) / below.mean()).half)


def quantile(freedom: int) -> float:
    """Of Student's t, for 95 %."""
    return float(stats.t.ppf(0.975, freedom))


def kernel_runs(link: str, name: str) -> tuple[pandas.DataFrame, int]:
    """Of every replication the run with the fewest late packets, if valid; how many have none."""
    rows = pandas.read_csv(ROWS).groupby(["scenario", "kernel"]).get_group((link, name))
    best = rows.sort_values("late").drop_duplicates("replication")
    valid = best[best["valid"] == 1].set_index("replication").sort_index()
    return valid, len(best) - len(valid)


def simulated(document: dict[str, Any], replications: int) -> pandas.DataFrame:
    """Runs by replication."""
    point = airtcp.Scenario.from_dict(document)
    frame = airtcp.simulate(point, replications=replications, seed=SEED).to_pandas()
    return frame.set_index("replication").sort_index()


def pairs(kernels: dict[str, Kernel]) -> list[Pair]:
    """All that was measured of these."""
    return [
        pair(link, name, kernel)
        for link in LINKS
        for name, kernel in kernels.items()
        if link in kernel.links
    ]


def pair(link: str, name: str, kernel: Kernel) -> Pair:
    """One of them."""
    runs, invalid = kernel_runs(link, name)
    same = simulated(scenario(link, kernel), int(runs.index.max()) + 1).loc[runs.index]
    return Pair(link, name, runs, same, invalid)


def beside_rfc(found: Pair, setup: Kernel, **tcp: Any) -> str:
    """The kernel's mean by that of profile rfc."""
    if setup.counterpart is None:
        return ""
    runs = simulated(by_the_rfcs(found.link, setup, **tcp), RFC_RUNS)["throughput_pps"]
    kernel = adjusted(
        found.kernel["throughput_pps"].to_numpy(), runs[found.kernel.index].to_numpy(), runs.mean()
    )
    rfc = mean(runs.to_numpy())
    value = kernel.value / rfc.value
    half = value * math.hypot(kernel.half / kernel.value, rfc.half / rfc.value)
    return Estimate(value, half).text(2)


def adjusted(values: NDArray[np.float64], same: NDArray[np.float64], known: float) -> Estimate:
    """Of the kernel, by regression on the simulator's runs over the same sample paths.

    Part of what the runs scatter by is the path, which both meet: the simulator's mean of these few
    paths, beside its mean of very many (`known`), says how much.
    """
    spread = same - same.mean()
    slope = (spread @ values) / (spread @ spread)
    rest = values - values.mean() - slope * spread
    n, away = len(values), same.mean() - known
    variance = (rest @ rest) / (n - 2) * (1.0 / n + away**2 / (spread @ spread))
    return Estimate(values.mean() - slope * away, quantile(n - 2) * math.sqrt(variance))


def tables() -> None:
    """Print the tables as Markdown."""
    found = pairs(KERNELS)
    print("| link | kernel | packets/s | `linux` | ratio | timeouts | difference | runs |")
    print("|---|---|---|---|---|---|---|---|")
    for found_pair in found:
        print(line(found_pair))
    print("\n| link | kernel / `rfc`: reno | reno, SACK | cubic |\n|---|---|---|---|")
    named = {(found_pair.link, found_pair.name): found_pair for found_pair in found}
    for link in LINKS:
        cells = [
            beside_rfc(named[link, name], kernel)
            for name, kernel in KERNELS.items()
            if kernel.counterpart
        ]
        print(f"| {link} | {' | '.join(cells)} |")
    print("\n| link | kernel | packets/s | `linux` | ratio | timeouts | difference | runs |")
    print("|---|---|---|---|---|---|---|---|")
    for found_pair in pairs(EXPERIMENTS):
        print(line(found_pair))
    print()
    two_faces(named[TWO_FACED])


def line(pair: Pair) -> str:
    """Of a table."""
    kernel, simulator = (
        f"{runs['throughput_pps'].mean():.1f}" for runs in (pair.kernel, pair.simulator)
    )
    timeouts = ", ".join(f"{runs['timeouts'].mean():.1f}" for runs in (pair.kernel, pair.simulator))
    cells = [pair.link, pair.name, kernel, simulator, pair.ratio.text(3), timeouts]
    runs = f"{len(pair.kernel)}{f' ({pair.invalid})' if pair.invalid else ''}"
    return f"| {' | '.join([*cells, pair.more_timeouts.text(1), runs])} |"


def two_faces(pair: Pair) -> None:
    """The share of calm runs, and the mean of either kind."""
    both = (pair.kernel, pair.simulator)
    calm = [runs["timeouts"] <= CALM for runs in both]
    same = calm[0] == calm[1]
    print(f"runs {len(same)}; calm {calm[0].sum()}, {calm[1].sum()}; of the same kind {same.sum()}")
    for is_calm in (True, False):
        these = same & (calm[0] == is_calm)
        values = [runs["throughput_pps"][these].to_numpy() for runs in both]
        means = ", ".join(f"{value.mean():.1f}" for value in values)
        kind = "calm" if is_calm else "stormy"
        print(f"{kind}: {means}: {ratio(*values).text(3)} (n = {these.sum()})")


@with_style
def figure() -> None:
    """Packets/s of both by link; filled: the kernel."""
    drawn = Figure(figsize=(DOUBLE_COLUMN, 3.2), layout="constrained")
    axes = drawn.subplots()
    middle = (len(KERNELS) - 1) / 2
    for found_pair in pairs(KERNELS):
        index = list(KERNELS).index(found_pair.name)
        draw_pair(
            axes, found_pair, list(LINKS).index(found_pair.link) + (index - middle) * 0.17, index
        )
    axes.set_xticks(range(len(LINKS)), list(LINKS))
    axes.set(ylabel="packets/s", ylim=(0, None))
    axes.grid(axis="x", visible=False)
    drawn.legend(handles=handles(), loc="outside lower center", ncols=len(KERNELS) + 1)
    print(save_svg(drawn, FIGURE))


def draw_pair(axes: Axes, pair: Pair, at: float, index: int) -> None:
    """The kernel's mean, filled, and left of it the simulator's over the same paths, open."""
    style: dict[str, Any] = {"color": PALETTE[index], "marker": MARKERS[index], "linestyle": "none"}
    kernel, simulator = (
        mean(runs["throughput_pps"].to_numpy()) for runs in (pair.kernel, pair.simulator)
    )
    axes.errorbar(at + 0.03, kernel.value, yerr=kernel.half, **style)
    style |= {"markerfacecolor": PAPER, "markeredgewidth": 0.9}
    axes.errorbar(at - 0.05, simulator.value, yerr=simulator.half, **style)


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
        case ["tables"]:
            tables()
        case ["figure"]:
            figure()
        case _:
            sys.exit(__doc__)
