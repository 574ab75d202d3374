"""The figure of a time series: who gets what, how busy links are, what waits there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airtcp.errors import count
from airtcp.metrics.labels import readable_unit, scaled_label
from airtcp.plot.style import (
    DASHES,
    DOUBLE_COLUMN,
    INK,
    LEVEL,
    PALETTE,
    literal_text,
    with_style,
    wrapped_text,
)

if TYPE_CHECKING:
    from airtcp.simulation.timeseries import TimeSeries

MOST_NAMED = 7  # flows or links with a colour and a name of their own
_HEIGHT = 1.35  # of a panel, inches
_BAND_ALPHA = 0.2  # how opaque an interval is
_CAPTION_LETTERS = 130  # of a line of the caption
Look = Mapping[str, Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Panel:
    """Contents of a panel: a metric of some rows each, under a title."""

    title: str
    metric: str
    rows: Sequence[tuple[pandas.DataFrame, Look]]
    highest: float | None = None


@with_style
def timeseries_figure(series: TimeSeries) -> Figure:
    """Goodputs, Jain's index where there are several flows, utilisation, queues and waits.

    Bands are intervals, bin by bin. More than seven flows have a colour for each kind of TCP, no
    bands, and their mean; of links the seven busiest are shown.
    """
    panels = list(_panels(series))
    size = (DOUBLE_COLUMN, _HEIGHT * len(panels) + 0.6)
    figure = Figure(figsize=size, layout="constrained", dpi=300)
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    edges = np.append(series.fairness["time"], series.end)
    for axes, panel in zip(grid, panels, strict=True):
        _paint_panel(axes, panel, edges)
    grid[-1].set_xlabel("Time (s)")
    grid[0].set_xlim(0.0, series.end)
    figure.supxlabel(caption(series), fontsize=7, color=INK, x=0.01, ha="left")
    return figure


def _panels(series: TimeSeries) -> Sequence[_Panel]:
    looks, links = _flow_looks(series), _link_rows(series)
    rates = [(rows, looks[int(flow)]) for flow, rows in series.rates.groupby("flow")]
    if len(series.flows) > MOST_NAMED:
        rates = [(rows[["time", "goodput_bps"]], look) for rows, look in rates]
        mean = series.rates.groupby("time", as_index=False)["goodput_bps"].mean()
        rates.append((mean, {"color": INK, "linewidth": 1.6, "label": "mean of all"}))
    panels_found = [_Panel("What each flow gets", "goodput_bps", rates)]
    if len(series.flows) > 1:
        look = {"color": INK, "label": "all flows"}
        panels_found.append(_Panel("Fairness", "fairness", [(series.fairness, look)], 1.0))
    return [
        *panels_found,
        _Panel("Transmitters busy", "utilisation", links, 1.0),
        _Panel("What waits", "mean_queue", links),
        _Panel("How long it waits", "mean_sojourn", links),
    ]


def _flow_looks(series: TimeSeries) -> list[Look]:
    """A look for each flow; of many one for each kind of TCP."""
    if len(series.flows) <= MOST_NAMED:
        return _looks_of_names(series.flows)
    kinds = [name.partition(", ")[2] for name in series.flows]
    names = [f"{count(n, 'flow')}{', ' * bool(kind)}{kind}" for kind, n in Counter(kinds).items()]
    looks = dict(zip(dict.fromkeys(kinds), _looks_of_names(names), strict=True))
    return [{**looks[kind], "linewidth": 0.5} for kind in kinds]


def _link_rows(series: TimeSeries) -> list[tuple[pandas.DataFrame, Look]]:
    """The rows of the busiest links, in the order of hops."""
    busy = series.links.groupby(["hop", "direction"], observed=True)["utilisation"].mean()
    shown = sorted(busy[busy > 0.0].nlargest(MOST_NAMED).index, key=_link_place)
    looks = _looks_of_names([series.link_name(*link) for link in shown])
    return [(series.of_link(*link), look) for link, look in zip(shown, looks, strict=True)]


def _link_place(link: tuple[int, str]) -> tuple[int, bool]:
    return link[0], link[1] == "back"


def _looks_of_names(names: Sequence[str]) -> list[Look]:
    """Colours and dashes go apart, so that series differ in grey too."""
    return [
        {
            "color": PALETTE[n % len(PALETTE)],
            "linestyle": DASHES[n % len(DASHES)],
            "label": literal_text(name),
        }
        for n, name in enumerate(names)
    ]


def _largest_value(rows: Sequence[tuple[pandas.DataFrame, Look]], metric: str) -> float:
    return float(max((table[metric].max() for table, _ in rows), default=0.0))


def _axis_label_and_scale(metric: str, most: float) -> tuple[str, float]:
    """Label of an axis, and the number of the metric's units that make one of its own."""
    if metric == "mean_sojourn":
        unit, scale = readable_unit(metric, most)
        return f"Sojourn ({unit})", scale
    known = {
        "fairness": ("Jain's index", 1.0),
        "utilisation": ("Utilisation (%)", 0.01),
        "mean_queue": ("Queue (packets)", 1.0),
    }
    return known.get(metric) or scaled_label(metric, most)


def _paint_panel(axes: Axes, panel: _Panel, edges: Floats) -> None:
    metric = panel.metric
    label, scale = _axis_label_and_scale(metric, _largest_value(panel.rows, metric))
    drawn: dict[str, Any] = {}
    for rows, look in panel.rows:
        line = axes.stairs(rows[metric] / scale, edges, baseline=None, **{"linewidth": 1.0, **look})
        drawn.setdefault(str(look["label"]), line)
        if f"{metric}_low" in rows:
            interval = rows[[f"{metric}_low", f"{metric}_high"]].to_numpy(float) / scale
            _draw_band(
                axes, edges, interval.clip(0.0, panel.highest and panel.highest / scale), look
            )
    axes.set(title=panel.title, ylabel=label)
    axes.set_ylim(0.0, None if panel.highest is None else 1.04 * panel.highest / scale)
    axes.legend(drawn.values(), drawn.keys(), loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_band(axes: Axes, edges: Floats, interval: Floats, look: Look) -> None:
    """The interval of each bin, where there is one."""
    if np.isnan(interval).all():
        return
    low, high = np.vstack([interval, interval[-1:]]).T
    style = {"color": look["color"], "alpha": _BAND_ALPHA, "linewidth": 0}
    axes.fill_between(edges, low, high, step="post", **style)


def caption(series: TimeSeries) -> str:
    """The number of runs, the kind of intervals, and the message of the figure."""
    n = series.replications
    runs = f"n = {n} runs, bands: {LEVEL} intervals of the mean, bin by bin"
    if n == 1:
        runs = "one run, in which nothing is random" if series.chance else "one run: no intervals"
    messages = wrapped_text(f"{'; '.join(_caption_sentences(series))}.", _CAPTION_LETTERS)
    return f"Means over bins of {series.width:g} s; {runs}.\n{messages}"


def _caption_sentences(series: TimeSeries) -> Iterator[str]:
    """Sentences that name the flow with most, the busiest link, and the longest wait."""
    if len(series.flows) > 1:
        rates = series.rates.pivot(index="time", columns="flow", values="goodput_bps")
        together = rates.dropna()
        got = (rates if together.empty else together).sum()
        share, whose = got.max() / max(got.sum(), 1.0), series.flows[int(got.idxmax())]
        when = "" if together.empty else " while all take part"
        yield f"{whose} gets most{when}, {100 * share:.0f} %"
    link = series.busiest
    busy = series.of_link(*link)["utilisation"].mean()
    yield f"{series.link_name(*link)} is busiest, {100 * busy:.0f} % of the time"
    waits = series.links["mean_sojourn"]
    if waits.max() > 0.0:
        row = series.links.loc[waits.idxmax()]
        where = series.link_name(row["hop"], row["direction"])
        unit, scale = readable_unit(
            "mean_sojourn", _largest_value(_link_rows(series), "mean_sojourn")
        )
        wait = f"{row['mean_sojourn'] / scale:.3g} {unit}"
        yield f"packets wait longest for {where}, {wait} from {row['time']:g} s on"
