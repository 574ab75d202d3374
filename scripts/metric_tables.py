"""The tables of metrics in docs/reference/metrics.md, from the table of metrics."""

from __future__ import annotations

import re
from pathlib import Path

from airtcp.engines.registry import run_storages
from airtcp.metrics.table import ENTRIES, KIND_WORDS, Metric, metrics_by_kind

PAGE = Path(__file__).parent.parent / "docs/reference/metrics.md"
_BLOCK = re.compile(r"(<!-- metrics: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def page() -> str:
    """The page with its tables made anew. Raises `ValueError` if it has not one of each kind.

    Engines that measure runs may have a table of their metrics too.
    """
    text = PAGE.read_text(encoding="utf-8")
    found = [match[2] for match in _BLOCK.finditer(text)]
    if sorted({*found} - {*run_storages()}) != sorted(KIND_WORDS) or len({*found}) < len(found):
        raise ValueError(f"{PAGE}: tables of {found}, not one of each of {[*KIND_WORDS]}")
    return _BLOCK.sub(lambda match: match[1] + _table(match[2]) + match[4], text)


def _table(kind: str) -> str:
    rows = ["| name | definition | is | unit | better |", "|---|---|---|---|---|"]
    for metric in _metrics(kind):
        said = metric.of.get(kind, metric.name)  # as it is, where it was measured
        quotient = "" if said == metric.name else _said(said)
        cells = (f"`{metric.name}`", metric.definition, quotient, metric.unit, metric.better)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _metrics(kind: str) -> list[Metric]:
    """The metrics of a kind, or of runs of an engine, in the order of the table."""
    if kind in KIND_WORDS:
        return [*metrics_by_kind(kind).values()]
    measured = run_storages()[kind].metrics
    return [metric for metric in ENTRIES if metric.name in measured]


def _said(quotient: str) -> str:
    """As a fraction: "(sent - resent) / sent"."""
    above, _, below = quotient.partition(" over ")
    parts = [f"({term})" if below and " " in term else term for term in (above, below) if term]
    return f"`{' / '.join(parts)}`"
