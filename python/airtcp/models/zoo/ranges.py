"""Where each model was found accurate, by scripts/validity.py from docs/models/validity.csv.

Lowest and highest value of each coordinate (`airtcp.models.zoo.model.coordinate`).
"""

from __future__ import annotations

RANGES: dict[str, dict[str, tuple[float, float]]] = {}
