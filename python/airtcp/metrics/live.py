"""Layout of a run of real packets: its metrics by name, and its validity."""

from __future__ import annotations

from airtcp.metrics.table import LIVE, metrics_by_kind

VALID = "valid"  # 1 where the machine kept up, else 0: its mean is the share of such runs
METRICS = tuple(sorted(metrics_by_kind(LIVE).keys() - {VALID}))  # the journal keeps this order
COLUMNS = (*METRICS, VALID)
KEYS = ("stack", "congestion")  # with the point: whose TCP a row is of, under which control
SECTION = "live."  # paths of what simulated runs do not know
