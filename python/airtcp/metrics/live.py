"""What is kept of a run of real packets: its metrics by name, and whether the machine kept up."""

from __future__ import annotations

METRICS = (
    "throughput_pps",
    "goodput_bps",
    "efficiency",
    "timeouts",
    "transfer_time",
    "overhead",
    "probes",
)
VALID = "valid"  # 1 where the machine kept up, else 0: its mean is the share of such runs
COLUMNS = (*METRICS, VALID)
KEYS = ("stack", "congestion")  # with the point: whose TCP a row is of, under which control
SHOWN = ("throughput_pps", "efficiency", "timeouts", "transfer_time", VALID)
