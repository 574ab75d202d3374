"""What models say of a path, beside the simulation, in the report of a run."""

from __future__ import annotations

from typing import Any

import pandas as pd

from airtcp.models.path_analysis import OF_A_MODEL
from airtcp.report.page import html_table
from airtcp.support.format import measured

_SIMULATED = "simulation_throughput_pps"


def models_table(models: pd.DataFrame) -> str:
    """A row per point and model as HTML, with the coordinates that vary."""
    head = list(models.columns[: models.columns.get_loc(OF_A_MODEL[0])])
    varying = [name for name in head if models[name].nunique(dropna=False) > 1]
    columns: dict[str, Any] = {name.rpartition(".")[2]: models[name] for name in varying}
    columns |= {"model": models["model"], "packets/s": models["throughput_pps"]}
    if models["error_percent"].notna().any():
        half = (models[f"{_SIMULATED}_high"] - models[f"{_SIMULATED}_low"]) / 2.0
        means = zip(models[_SIMULATED], half, strict=True)
        columns["simulation"] = [measured(mean, width) for mean, width in means]
        columns["error, %"] = models["error_percent"]
    columns["within its range"] = models["within_range"].map({True: "yes", False: "no"})
    columns["remark"] = models["remark"]
    return html_table(pd.DataFrame(columns), digits={"error, %": 3, "packets/s": 5})
