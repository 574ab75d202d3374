"""Companions of metrics that would mislead if they stood alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from airtcp.metrics.table import SIZES

UNFINISHED_SHARE_METRIC = "unfinished_share"


def with_companions(metrics: Sequence[str], known: Collection[str]) -> list[str]:
    """The metrics, each completion time followed by the share of transfers that are unfinished."""
    with_shares: list[str] = []
    for name in metrics:
        with_shares.append(name)
        beside = unfinished_share_metric(name)
        if beside in known and beside not in (*metrics, *with_shares):
            with_shares.append(beside)
    return with_shares


def unfinished_share_metric(metric: str) -> str:
    """The metric that is the share of unfinished transfers, for a completion time; else empty."""
    if not metric.startswith("completion"):
        return ""
    size = next(
        (size_name for size_name in SIZES if metric.startswith(f"completion_{size_name}")), ""
    )
    return f"{UNFINISHED_SHARE_METRIC}_{size}" if size else UNFINISHED_SHARE_METRIC


def unfinished_lines(metrics: Collection[str], most: float) -> list[str]:
    """A line on the effect of unfinished transfers on completion times; `most`: largest share."""
    if not any(map(unfinished_share_metric, metrics)) or not most > 0.0:
        return []
    times = [name for name in metrics if name.startswith("completion")]
    quantiles = [name for name in times if name.endswith(("_median", "_p95", "_p99"))]
    means = (
        "Means are of completed transfers only: unfinished ones would have taken longer, so that"
        " means are too small and grow with the length of the runs."
    )
    ends = (
        "Quantiles count unfinished transfers as longer than all others; their mean over runs is"
        " infinite (inf) if that of one run is."
    )
    times_said = [*([means] if len(quantiles) < len(times) else []), *([ends] if quantiles else [])]
    return [" ".join(times_said)]
