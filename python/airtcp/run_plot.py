"""Figures of a user's run: which coordinate becomes the abscissa, which ones tell curves apart.

The numeric coordinate with most values is the abscissa; the variant gives the colour, the channel
the dash, and whatever else varies a panel of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from airtcp.plot import (
    DASHES,
    DOUBLE_COLUMN,
    SINGLE_COLUMN,
    Curve,
    panels_figure,
    throughput_figure,
)

AXIS_LABELS = {
    "tcp.window": "Window (packets)",
    "tcp.dupacks": "Duplicate ACKs that trigger a fast retransmit",
    "tcp.timeout": "Timer (slots)",
    "channel.loss_rate": "Packet loss rate",
    "channel.doppler": "Normalised Doppler shift",
    "channel.fading_margin_db": "Fading margin (dB)",
    "channel.mean_burst": "Mean burst of losses (packets)",
    "ack.delay": "ACK delay (slots)",
    "ack.loss_rate": "ACK loss rate",
}
QUANTITIES = {
    "throughput": "Throughput (packets per slot)",
    "transmissions_per_delivery": "Packets sent per packet delivered",
}
MOST_PANELS = 6
_DECADE = 10.0


@dataclass(frozen=True)
class Roles:
    """What each varying coordinate does in a figure; `x` is "" if nothing numeric varies."""

    x: str
    colour: tuple[str, ...]
    line: tuple[str, ...]
    panel: tuple[str, ...]

    @classmethod
    def of(cls, table: pd.DataFrame, coordinates: Sequence[str]) -> Roles:
        """Choose from the coordinates of a table of results."""
        varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
        numeric = [name for name in varying if _is_numeric(table[name])]
        values = {name: (table[name].nunique(), name.startswith("channel.")) for name in numeric}
        x = max(numeric, key=lambda name: values[name], default="")
        rest = [name for name in varying if name != x]
        colour = [name for name in rest if name == "tcp.variant"]
        channel = [name for name in rest if name.startswith("channel.")]
        others = [name for name in rest if name not in (*colour, *channel)]
        if not colour and others:
            colour = [others.pop(0)]
        elif not colour:
            colour, channel = channel, []
        if channel and table[channel].drop_duplicates().shape[0] > len(DASHES):
            channel, others = [], channel + others
        return cls(x, tuple(colour or ["tcp.variant"]), tuple(channel), tuple(others))


def _is_numeric(column: pd.Series[Any]) -> bool:
    values = column.tolist()
    return all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in values) and (
        bool(np.isfinite(np.asarray(values, dtype=float)).all())
    )


def run_figure(
    table: pd.DataFrame, coordinates: Sequence[str], quantity: str = "throughput"
) -> Figure:
    """One quantity of `RunResult.table` over its coordinates: analysis and simulation."""
    roles = Roles.of(table, coordinates)
    wide = table.assign(**_quantity(table, quantity), **_positions(table, roles))
    panels = [
        (_words(values, roles.panel), _curves(part, roles))
        for values, part in _groups(wide, roles.panel)
    ][:MOST_PANELS]
    look: dict[str, Any] = {
        "xlabel": AXIS_LABELS.get(roles.x, roles.x),
        "ylabel": QUANTITIES[quantity],
        "log_x": _spans_a_decade(table, roles.x),
        "y_range": (0.0, 1.0) if quantity == "throughput" else None,
    }
    if len(panels) > 1:
        figure = panels_figure(panels, width=DOUBLE_COLUMN, **look)
    else:
        figure = throughput_figure(panels[0][1], width=1.3 * SINGLE_COLUMN, **look)
    _ticks(figure, table, roles)
    return figure


def panel_count(table: pd.DataFrame, coordinates: Sequence[str]) -> int:
    """How many panels there would be without the limit of `MOST_PANELS`."""
    return sum(1 for _ in _groups(table, Roles.of(table, coordinates).panel))


def _quantity(table: pd.DataFrame, quantity: str) -> dict[str, Any]:
    """The columns of one quantity under common names."""
    if quantity == "throughput":
        names = {
            "analysis": "analysis_throughput",
            "lower": "analysis_lower",
            "upper": "analysis_upper",
            "mean": "simulation_throughput",
            "low": "simulation_low",
            "high": "simulation_high",
        }
        return {name: table[column] for name, column in names.items()}
    simulated = f"simulation_{quantity}"
    return {
        "analysis": table[f"analysis_{quantity}"],
        "lower": np.nan,
        "upper": np.nan,
        "mean": table[simulated],
        "low": table[f"{simulated}_low"],
        "high": table[f"{simulated}_high"],
    }


def _positions(table: pd.DataFrame, roles: Roles) -> dict[str, Any]:
    """The abscissa: a coordinate, or a place for each series if nothing numeric varies."""
    if roles.x:
        return {"x": table[roles.x].astype(float)}
    words = _series_words(table, roles)
    return {"x": pd.Categorical(words, categories=list(dict.fromkeys(words))).codes.astype(float)}


def _series_words(table: pd.DataFrame, roles: Roles) -> list[str]:
    names = (*roles.colour, *roles.line)
    return [_words(tuple(row), names) for row in table[list(names)].itertuples(index=False)]


def _curves(table: pd.DataFrame, roles: Roles) -> list[Curve]:
    keys = (*roles.colour, *roles.line)
    return [
        _curve(
            rows.sort_values("x"),
            _words(values[: len(roles.colour)], roles.colour),
            _words(values[len(roles.colour) :], roles.line),
            connected=bool(roles.x),
        )
        for values, rows in _groups(table, keys)
    ]


def _curve(rows: pd.DataFrame, colour: str, line: str, *, connected: bool) -> Curve:
    analysed = rows.dropna(subset=["analysis"])
    simulated = rows.dropna(subset=["mean"])
    banded = not analysed[["lower", "upper"]].isna().to_numpy().any()
    return Curve(
        colour=colour,
        line=line,
        connected=connected,
        x=analysed["x"],
        y=analysed["analysis"],
        lower=analysed["lower"] if banded and connected else None,
        upper=analysed["upper"] if banded and connected else None,
        points_x=simulated["x"],
        points=simulated["mean"],
        points_low=simulated["low"].fillna(simulated["mean"]),
        points_high=simulated["high"].fillna(simulated["mean"]),
    )


def _groups(table: pd.DataFrame, names: Sequence[str]) -> Any:
    """(values, rows) in order of appearance; one group of everything if there are no names."""
    if not names:
        return [((), table)]
    return table.groupby(list(names), sort=False, dropna=False)


def _words(values: Sequence[Any], names: Sequence[str]) -> str:
    """ "window 6, delay 2": the value alone where its key says nothing new."""
    said = []
    for name, value in zip(names, values, strict=True):
        key = name.rpartition(".")[2].replace("_", " ")
        if value is None or (isinstance(value, float) and np.isnan(value)):
            continue
        if isinstance(value, (bool, np.bool_)):
            said.append(key if value else f"no {key}")
        elif isinstance(value, str):
            said.append(value if key in ("kind", "variant") else f"{value} {key}")
        else:
            said.append(f"{key} {value:g}")
    return ", ".join(said)


def _spans_a_decade(table: pd.DataFrame, x: str) -> bool:
    if not x:
        return False
    values = table[x].astype(float)
    return bool(values.min() > 0.0 and values.max() / values.min() >= _DECADE)


def _ticks(figure: Figure, table: pd.DataFrame, roles: Roles) -> None:
    """Name the places of series, where they take the place of numbers."""
    if roles.x:
        return
    words = list(dict.fromkeys(_series_words(table, roles)))
    for axes in figure.axes:
        axes.set_xticks(range(len(words)), words)
        axes.set_xlim(-0.6, len(words) - 0.4)
        if max(map(len, words)) * len(words) > 40:
            axes.tick_params(axis="x", rotation=30)
