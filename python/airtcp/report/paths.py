"""Answers of models for a path, beside the simulation, in the report of a run."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from airtcp.comparison.models_beside import means_column, means_engine, rows_in_range
from airtcp.errors import count
from airtcp.models.path_analysis import MODEL_COLUMNS
from airtcp.plot.style import LEVEL
from airtcp.report.digits import estimate_cells, format_evenly
from airtcp.report.page import html_table
from airtcp.support.half_width import half_width_of_row


def models_table(models: pd.DataFrame) -> str:
    """A row per point and model as HTML, with the coordinates that vary."""
    all_models, (models, out) = models, rows_in_range(models)
    if not len(models):
        remarks = "; ".join(sorted({*all_models["remark"]} - {""}))
        return f"<p>{escape(out)} {escape(remarks[:1].upper() + remarks[1:])}.</p>"
    keys = list(models.columns[: models.columns.get_loc(MODEL_COLUMNS[0])])
    varying = [name for name in keys if models[name].nunique(dropna=False) > 1]
    columns: dict[str, Any] = {name.rpartition(".")[2]: models[name] for name in varying}
    columns |= {
        "model": models["model"],
        "packets/s": format_evenly(models["throughput_pps"].tolist(), 4),
    }
    if models["error_percent"].notna().any():
        name = means_column(models)
        half = half_width_of_row(models, name)
        known = half.where(half > 0.0).tolist()  # the table of the simulation says why
        columns[means_engine(models)] = estimate_cells(models[name].tolist(), known)
        columns["error (%)"] = format_evenly(models["error_percent"].tolist(), 3)
    columns["within its range"] = models["within_range"].map({True: "yes", False: "no"})
    columns["remark"] = models["remark"]
    return html_table(
        pd.DataFrame(columns), caption=" ".join(filter(None, (_caption(models), out)))
    )


def _caption(models: pd.DataFrame) -> str:
    """Sentence on the rows within the range of their model: how many, and the errors there."""
    inside = models["within_range"].astype(bool)
    caption = f"{int(inside.sum())} of {count(len(models), 'row')} within the range of the model"
    errors = models["error_percent"].where(inside).abs().dropna()
    if errors.empty:
        return f"{caption}."
    return (
        f"{caption}; there the model lies {errors.min():.2g} to {errors.max():.2g} % from the mean"
        f" of the simulation, {errors.median():.2g} % in the median. \N{PLUS-MINUS SIGN}: half the"
        f" {LEVEL} interval of the simulation."
    )
