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
        one.name: {
            "label": one.label,
            "unit": one.unit,
            "better": one.better,
            "definition": one.definition,
            "most": None if math.isinf(one.most) else one.most,
            "of": of,
        }
        for one in ENTRIES
        if (of := {family: one.of[family] for family in FAMILIES if family in one.of})
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
