"""Figures of our own parts: effects that the fit hides, energy, advice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from airtcp.papers.chockalingam.drawing import (
    SNR_LABEL,
    THROUGHPUT_LABEL,
    CurveLook,
    Words,
    draw_errors,
    legend,
)
from airtcp.plot.style import DASHES, DOUBLE_COLUMN, INK, PALETTE, PAPER, with_style


@with_style
def misfit_figure(runs: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Above shares of lost slots by the run they sit in, below throughput over n_l."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 4.6), layout="constrained")
    dopplers = sorted(table["doppler"].unique())
    grid = figure.subplots(2, len(dopplers), sharey="row")
    for column, doppler in enumerate(dopplers):
        _draw_runs(grid[0, column], runs[runs["doppler"] == doppler])
        _draw_attempts(grid[1, column], table[table["doppler"] == doppler])
        grid[0, column].set_title(f"$f_d$ = {doppler:g} Hz")
    grid[0, 0].set_ylabel("Share of lost slots in\nruns at least that long")
    grid[1, 0].set_ylabel(THROUGHPUT_LABEL)
    handles = [
        Line2D([], [], color=INK, marker="o", markersize=4.0, label="the fading itself"),
        Line2D(
            [],
            [],
            color=PALETTE[1],
            linestyle=DASHES[1],
            marker="s",
            markersize=4.0,
            markerfacecolor=PAPER,
            label="two-state Markov fit",
        ),
        Line2D(
            [],
            [],
            color=PALETTE[0],
            linestyle=DASHES[2],
            label="chain of 3 loss and 3 delivery states",
        ),
    ]
    legend(figure, handles)
    return figure


def _draw_runs(axes: Axes, runs: pd.DataFrame) -> None:
    looks = {
        "fading": {"color": INK, "linestyle": "-", "linewidth": 1.6},
        "two_state": {"color": PALETTE[1], "linestyle": DASHES[1]},
        "six_state": {"color": PALETTE[0], "linestyle": DASHES[2]},
    }
    for name, look in looks.items():
        axes.plot(runs["length"], runs[name], **look)
    axes.set(xscale="log", ylim=(0.0, 1.0), xlabel="Length of the run (slots)")


def _draw_attempts(axes: Axes, rows: pd.DataFrame) -> None:
    axes.plot(rows["attempts"], rows["throughput"], color=PALETTE[1], linestyle=DASHES[1])
    fit = {"color": PALETTE[1], "marker": "s", "markerfacecolor": PAPER, "linestyle": "none"}
    fading = {"color": INK, "marker": "o", "markerfacecolor": INK, "linestyle": "-"}
    for name, look in (("fit", fit), ("fading", fading)):
        draw_errors(
            axes, rows["attempts"], rows[name], rows[f"{name}_low"], rows[f"{name}_high"], **look
        )
    ticks = rows["attempts"].tolist()
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(ylim=(0.0, 1.0), xlabel="Transmissions of a fragment, $n_l$")


@with_style
def energy_figure(table: pd.DataFrame, word: Words) -> Figure:
    """Above bits on the air per delivered bit, below net throughput over the energy of one."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 4.8), layout="constrained")
    dopplers = sorted(table["doppler"].unique())
    grid = figure.subplots(2, len(dopplers), sharey="row", sharex="row")
    look = CurveLook(table.apply(word, axis=1), [""])
    for column, doppler in enumerate(dopplers):
        above, below = grid[:, column]
        for _, rows in table[table["doppler"] == doppler].groupby(
            table.apply(word, axis=1), sort=False
        ):
            _draw_energy(above, below, rows, look, word(rows.iloc[0]))
        above.set(xlabel=SNR_LABEL, title=f"$f_d$ = {doppler:g} Hz", yscale="log", ylim=(0.9, 7.0))
        above.set_yticks([1, 2, 3, 5], ["1", "2", "3", "5"])
        above.minorticks_off()
        below.set(xlabel="Energy per delivered bit over $N_0$ (dB)", ylim=(0.0, 1.0))
    grid[0, 0].set_ylabel("Bits on the air\nper delivered bit")
    grid[1, 0].set_ylabel("Net throughput\n(share of the bit rate)")
    kinds = [
        Line2D([], [], color=INK, linewidth=0.8, label="model, on the fit"),
        Line2D([], [], color=INK, marker="o", markersize=4.0, label="simulated on the fading"),
    ]
    legend(figure, [*look.handles(), *kinds], 4)
    return figure


def _draw_energy(above: Axes, below: Axes, rows: pd.DataFrame, look: CurveLook, word: str) -> None:
    colour, simulated_rows = look.colour(word), rows.dropna(subset=["fading"])
    thin: dict[str, Any] = {"color": colour, "linewidth": 0.8}
    full: dict[str, Any] = {"color": colour, "marker": look.marker(word), "markersize": 3.5}
    above.plot(rows["snr"], rows["bits"], **thin)
    above.plot(simulated_rows["snr"], simulated_rows["fading_bits"], **full)
    below.plot(rows["snr"] + 10.0 * np.log10(rows["bits"]), rows["net_throughput"], **thin)
    energy = simulated_rows["snr"] + 10.0 * np.log10(simulated_rows["fading_bits"])
    rate = simulated_rows["net_throughput"] / simulated_rows["throughput"]
    draw_errors(
        below,
        energy,
        simulated_rows["fading_net_throughput"],
        simulated_rows["fading_low"] * rate,
        simulated_rows["fading_high"] * rate,
        **full,
    )


@with_style
def advice_figure(table: pd.DataFrame) -> Figure:
    """The best link layer by SNR and Doppler shift, a panel per objective."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 3.0), layout="constrained")
    row = figure.subplots(1, 2, sharey=True)
    titles = {"throughput": "Most throughput", "energy": "Fewest bits on the air"}
    for axes, (objective, title) in zip(row, titles.items(), strict=True):
        _draw_advice(axes, table[table["objective"] == objective])
        axes.set_title(title)
    row[0].set_ylabel(SNR_LABEL)
    shades = figure.colorbar(row[0].images[0], ax=row, aspect=30)
    shades.set_label("Net throughput on the fading\n(share of the bit rate)")
    shades.outline.set_visible(False)
    return figure


def _draw_advice(axes: Axes, rows: pd.DataFrame) -> None:
    cells = rows.pivot(index="snr", columns="doppler", values="fading_net_throughput")
    axes.imshow(cells, origin="lower", aspect="auto", vmin=0.0, vmax=1.0, cmap="cividis")
    for row in rows.to_dict("records"):
        place = (cells.columns.get_loc(row["doppler"]), cells.index.get_loc(row["snr"]))
        shade = INK if row["fading_net_throughput"] > 0.55 else PAPER
        axes.text(*place, _cell(row), ha="center", va="center", fontsize=6, color=shade)
    axes.set_xticks(range(cells.shape[1]), [f"{column:g}" for column in cells.columns])
    axes.set_yticks(range(cells.shape[0]), [f"{snr:g}" for snr in cells.index])
    axes.set_xlabel("Maximum Doppler shift (Hz)")
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _cell(row: dict[str, Any]) -> str:
    layer = (
        "no link layer" if row["attempts"] == 0 else f"{row['ll_bytes']} B, $n_l$ {row['attempts']}"
    )
    return (
        f"{row['words']}, {layer}\n{row['fading_net_throughput']:.2f}"
        f" (fit: {row['net_throughput']:.2f})\n{row['fading_bits']:.2f} bits"
    )
