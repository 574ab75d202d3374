"""The page of an advice: what is best, every choice with its mean, and why the others were left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from airtcp import _native
from airtcp.metrics.labels import readable_unit
from airtcp.metrics.table import TABLE
from airtcp.plot.advice import advice_figure
from airtcp.report.digits import estimate_cells
from airtcp.report.messages import metric_head
from airtcp.report.page import html_table, inline_svg, write_page

if TYPE_CHECKING:
    from airtcp.advice.advised import Advice


def write_advice(advice: Advice, path: str | Path) -> Path:
    """Write one self-contained HTML file; returns its path. Raises `OSError` and `InputError`."""
    figure = advice_figure(advice.table, advice.metric, advice.sentence)
    return write_page(
        Path(path),
        "advice.html.j2",
        title=advice.title or "Advice",
        advice=advice,
        definition=TABLE[advice.metric].definition,
        figure=inline_svg(figure, "advice", advice.sentence),
        table=html_table(_shown_columns(advice)),
        model=_native.MODEL_VERSION,
    )


def _shown_columns(advice: Advice) -> pd.DataFrame:
    table = advice.table
    unit, scale = readable_unit(advice.metric, float(table["mean"].abs().max()))
    halves = (table["high"] - table["low"]) / 2.0 / scale
    cells = estimate_cells(table["mean"] / scale, halves.where(halves > 0.0))
    name = metric_head(advice.metric, unit)
    columns = {"choice": table["choice"], name: cells}
    return pd.DataFrame({**columns, **{key: table[key] for key in ("runs", "verdict", "why")}})
