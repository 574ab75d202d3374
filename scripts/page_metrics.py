"""The table of metrics for the page in a browser: web/src/statistics/metrics.json."""

from __future__ import annotations

import json
import math

from airtcp.metrics.table import ENTRIES

FILE = "web/src/statistics/metrics.json"
FAMILIES = ("slot", "path")


def text() -> str:
    """The metrics of flows: their words, and how they follow from counts."""
    found = {
        metric.name: {
            "label": metric.label,
            "unit": metric.unit,
            "better": metric.better,
            "definition": metric.definition,
            "most": None if math.isinf(metric.most) else metric.most,
            "of": quotients,
        }
        for metric in ENTRIES
        if (quotients := {family: metric.of[family] for family in FAMILIES if family in metric.of})
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
