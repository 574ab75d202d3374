"""Cost of a packet to airtcp: by scenario, length of the run, number of flows, traced and not."""

from __future__ import annotations

import statistics
from typing import Any

import peers

RATE = {"lossy": 136.0, "clean": 97.66}  # packets sent a second of simulated time
LENGTHS = (10**5, 10**6, 10**7, 10**8)
FLOWS = (1, 2, 5, 10, 20, 50, 100)
PACKETS = 10**6
TRACED = 2 * 10**5  # a trace is kept in memory
# Scenarios whose instructions are counted, and lengths of some 10^6 to 10^7 packets, in seconds.
OTHERS = {
    "linux-cubic": 25_000,
    "linux-bbr": 1000,
    "fq-codel-1000": 40,
    "two-way": 4000,
}


def measure(python: str, rounds: int) -> dict[str, Any]:
    """Print what is measured; return nanoseconds a packet and memory by kind of row and label."""
    peers.needs(python, "pyarrow", "--scaling, which tabulates a trace,")
    found: dict[str, dict[str, Any]] = {}

    def row(
        kind: str, label: str, name: str, length: float, *more: str, once: bool = False
    ) -> None:
        runs = [peers.airtcp_run(python, name, length, *more) for _ in range(1 if once else rounds)]
        cost = statistics.median(1e9 / run.rate for run in runs)
        memory = max(run.peak_mib for run in runs)
        found.setdefault(kind, {})[label] = {
            "nanoseconds": float(f"{cost:.3g}"),
            "peak_mib": round(memory),
        }
        print(f"  {label:<14} {cost:8.1f} ns a packet, {memory:7.0f} MiB at most", flush=True)

    for name, rate in RATE.items():
        print(f"{name}, one flow, by length")
        for packets in LENGTHS:
            # The longest takes as long as all others together: once is enough.
            row(name, str(packets), name, packets / rate, once=packets == max(LENGTHS))
    print(f"lossy, {PACKETS:.0e} packets in all, by number of flows over a link so much faster")
    for flows in FLOWS:
        row("flows", str(flows), "lossy", PACKETS / RATE["lossy"] / flows, "--flows", str(flows))
    print(f"lossy, one flow, {TRACED:.0e} packets")
    for label, more in {"untraced": (), "traced": ("--trace",), "tabulated": ("--table",)}.items():
        row("traced", label, "lossy", TRACED / RATE["lossy"], *more)
    print("other scenarios")
    for name, length in OTHERS.items():
        row("scenarios", name, name, length)
    return found
