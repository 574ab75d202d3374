"""Cost of a packet to airtcp: by length of the run, number of flows, traced and not."""

from __future__ import annotations

import statistics

import peers

RATE = {"lossy": 136.0, "clean": 97.66}  # packets sent a second of simulated time
LENGTHS = (10**5, 10**6, 10**7, 10**8)
FLOWS = (1, 2, 5, 10, 20, 50, 100)
PACKETS = 10**6
TRACED = 2 * 10**5  # a trace is kept in memory


def measure(python: str, rounds: int) -> None:
    peers.needs(python, "pyarrow", "--scaling, which tabulates a trace,")
    for name in RATE:
        print(f"{name}, one flow, by length")
        for packets in LENGTHS:
            # The longest takes as long as all others together: once is enough.
            row(python, rounds if packets < 10**8 else 1, f"{packets:.0e}", name, packets)
    print(f"lossy, {PACKETS:.0e} packets in all, by number of flows over a link so much faster")
    for flows in FLOWS:
        row(python, rounds, str(flows), "lossy", PACKETS, "--flows", str(flows))
    print(f"lossy, one flow, {TRACED:.0e} packets")
    row(python, rounds, "untraced", "lossy", TRACED)
    row(python, rounds, "traced", "lossy", TRACED, "--trace")
    row(python, rounds, "tabulated", "lossy", TRACED, "--table")


def row(python: str, rounds: int, label: str, name: str, packets: int, *more: str) -> None:
    flows = int(more[1]) if more[:1] == ("--flows",) else 1
    seconds = packets / (RATE[name] * flows)
    runs = [peers.airtcp_run(python, name, seconds, *more) for _ in range(rounds)]
    cost = statistics.median(1e9 / run.rate for run in runs)
    memory = max(run.peak_mib for run in runs)
    print(f"  {label:<10} {cost:8.1f} ns a packet, {memory:7.0f} MiB at most", flush=True)
