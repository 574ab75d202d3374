"""Writes overflows.csv: what ns-2 drops where a flow overflows a queue, on round numbers."""

from __future__ import annotations

import csv
import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from differential import by_ns

FILE = Path(__file__).with_name("overflows.csv")
COLUMNS = ("rate", "delay", "queue", "drops")
RATES = (0.8e6, 1e6, 1.5e6, 2e6)
DELAYS = (0.0098, 0.02, 0.05, 0.098, 0.1, 0.2)
QUEUES = (5, 10, 20)
DROPS = 8  # of each run: packet@seconds


def described(rate: float, delay: float, queue: int) -> dict[str, object]:
    """One Tahoe flow with a window of 65 packets of 1000 bytes, 20 s."""
    flows = [("tahoe", 65, 0.0, 0)]
    hops = [(rate, delay, queue)]
    return {
        "end": 20,
        "hops": hops,
        "size": 1000,
        "ssthresh": 0,
        "flows": flows,
        "ways": [(0, len(hops))] * len(flows),
    }


def main() -> None:
    """Ask ns-2."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for rate, delay, queue in itertools.product(RATES, DELAYS, QUEUES):
            drops = by_ns(described(rate, delay, queue)).get(("d", 0, False), [])[:DROPS]
            said = " ".join(f"{drop.packet}@{drop.time:.6f}" for drop in drops)
            rows.writerow((rate, delay, queue, said))


if __name__ == "__main__":
    main()
