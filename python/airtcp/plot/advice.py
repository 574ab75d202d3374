"""The figure of an advice: every choice with its mean and interval."""

from __future__ import annotations

import pandas
from matplotlib.figure import Figure

from airtcp.metrics.labels import scaled_label
from airtcp.plot.style import (
    DOUBLE_COLUMN,
    INK,
    LEVEL,
    PALETTE,
    literal_text,
    with_style,
    wrapped_text,
)

MOST_ROWS = 30  # choices in the figure
_ROW_HEIGHT = 0.2  # inches


@with_style
def advice_figure(table: pandas.DataFrame, metric: str, sentence: str) -> Figure:
    """A row per choice that was simulated or answered by a model, the best on top.

    `table` and `sentence` are fields of an `airtcp.advice.advised.Advice`.
    """
    rows = table[table["mean"].notna()].head(MOST_ROWS)[::-1]
    label, scale = scaled_label(metric, float(rows["high"].abs().max()))
    figure = Figure(figsize=(DOUBLE_COLUMN, 1.1 + _ROW_HEIGHT * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, (_, row) in enumerate(rows.iterrows()):
        best = place == len(rows) - 1
        axes.errorbar(
            row["mean"] / scale,
            place,
            xerr=[[(row["mean"] - row["low"]) / scale], [(row["high"] - row["mean"]) / scale]],
            color=PALETTE[1 if best else 0],
            marker="D" if best else "o",
            capsize=2,
            linestyle="none",
        )
    axes.set_yticks(
        range(len(rows)),
        [literal_text(f"{row['choice']} ({row['runs']})") for _, row in rows.iterrows()],
    )
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel(label)
    left = len(table[table["mean"].notna()]) - len(rows)
    more = f" {left} more are not shown." if left else ""
    caption = f"{sentence} Bars: {LEVEL} interval of the mean; in brackets: number of runs.{more}"
    figure.supxlabel(wrapped_text(caption, 120), fontsize=7, color=INK, x=0.01, ha="left")
    return figure
