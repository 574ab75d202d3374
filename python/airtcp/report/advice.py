"""The page of an advice: what is best, every choice with its mean, and why the others were left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from airtcp import _native
from airtcp.metrics.labels import readable_unit
from airtcp.metrics.table import TABLE
from airtcp.plot.advice import advice_figure
from airtcp.report.digits import estimates
from airtcp.report.messages import metric_head
from airtcp.report.page import html_table, inline_svg, write_page

if TYPE_CHECKING:
    from airtcp.advice.advised import Advice


def write_advice(found: Advice, path: str | Path) -> Path:
    """Write one self-contained HTML file; returns its path. Raises `OSError` and `InputError`."""
    figure = advice_figure(found.table, found.metric, found.sentence)
    return write_page(
        Path(path),
        "advice.html.j2",
        title=found.title or "Advice",
        advice=found,
        definition=TABLE[found.metric].definition,
        figure=inline_svg(figure, "advice", found.sentence),
        table=html_table(_shown(found)),
        model=_native.MODEL_VERSION,
    )


def _shown(found: Advice) -> pd.DataFrame:
    table = found.table
    unit, scale = readable_unit(found.metric, float(table["mean"].abs().max()))
    halves = (table["high"] - table["low"]) / 2.0 / scale
    said = estimates(table["mean"] / scale, halves.where(halves > 0.0))
    name = metric_head(found.metric, unit)
    columns = {"choice": table["choice"], name: said}
    return pd.DataFrame({**columns, **{key: table[key] for key in ("runs", "verdict", "why")}})
