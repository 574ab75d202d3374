"""Linux's TCP beside the simulator over five links: the runs, the table and the figure of docs/kernel.md.

    python bench/kernel.py run [SCENARIO ...]    # the runs that bench/kernel.csv lacks, in real time
    python bench/kernel.py table                 # what they come to
    python bench/kernel.py figure                # docs/img/kernel.svg

A run is `SECONDS` of the built-in transfer (`airtcp live`); it needs what that needs. `WORKERS` emulators
run at once. Every run is kept, also one with which the machine did not keep up: it says so. The simulator
runs the same seed and replications, that is the same sample paths, and many more.
"""

from __future__ import annotations

import csv
import datetime
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import airtcp
from airtcp.live import transfer

ROWS = Path(__file__).with_suffix(".csv")
SEED, SECONDS, WORKERS = 1, 30.0, 6
LINK: dict[str, Any] = {"rate": "5Mbps", "delay": "20ms", "queue": 100}  # 2.4 ms per packet
SPIKES: dict[str, Any] = {  # those of kuusela2004, ten times as fast
    "kind": "spikes",
    "interval": {"kind": "uniform", "min": "1s", "max": "5s"},
    "duration": {"kind": "uniform", "min": "0.5s", "max": "1s"},
}
SHORT: dict[str, Any] = {  # about as long as a timeout
    "kind": "spikes",
    "interval": {"kind": "uniform", "min": "0.5s", "max": "2.5s"},
    "duration": {"kind": "uniform", "min": "0.3s", "max": "0.6s"},
}
LINKS: dict[str, tuple[int, dict[str, Any]]] = {  # window in packets, and the hop
    "iid": (100, LINK | {"channel": {"kind": "iid", "loss_rate": 0.01}}),
    # Bad for 10 ms every 0.5 s; 30 % of the packets arrive then.
    "gilbert-elliott": (
        100,
        LINK | {"channel": {"kind": "gilbert-elliott", "p": 0.005, "r": 0.25, "h": 0.3}},
    ),
    "spikes": (40, LINK | {"gate": SPIKES}),
    "short spikes": (100, LINK | {"delay": "40ms", "gate": SHORT}),
    "disconnections": (100, LINK | {"gate": {"kind": "on-off", "up": "1s", "down": "0.1s"}}),
    # Fragments of 0.4 ms, bad for 8 ms every 80 ms; each is sent twice at most.
    "arq": (
        100,
        LINK
        | {
            "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 20},
            "arq": {
                "fragment": "250B",
                "overhead": "10B",
                "attempts": 2,
                "feedback_delay": "20ms",
            },
        },
    ),
}


@dataclass(frozen=True)
class Kernel:
    """A TCP of the kernel: which of the simulator's variants it is set up as, and what besides."""

    variant: str
    congestion: str
    settings: dict[str, str] = field(default_factory=dict)
    runs: int = 20


KERNELS = {
    "reno": Kernel("newreno", "reno"),
    "reno, SACK": Kernel("sack", "reno"),
    "cubic": Kernel("sack", "cubic", runs=10),
    "bbr": Kernel("sack", "bbr", runs=10),
}


def scenario(name: str, variant: str, growth: str = "reno", **tcp: Any) -> dict[str, Any]:
    """One of the links, with the settings of the kernel."""
    window, hop = LINKS[name]
    kernel = {
        "window": window,
        "initial_window": 10,
        "rto_margin": "200ms",
        "min_rto": "200ms",
        "delayed_ack": "40ms",
    }
    return {
        "profile": "rfc",
        "tcp": kernel | {"variant": variant, "growth": growth} | tcp,
        "path": {"hop": [hop]},
        "stop": {"time": f"{SECONDS}s"},
    }


def run(names: list[str]) -> None:
    """Make the runs that are missing, and keep each as it ends."""
    done = {(row["scenario"], row["kernel"], int(row["replication"])) for row in rows()}
    todo = [
        (name, kernel, replication)
        for replication in range(max(one.runs for one in KERNELS.values()))
        for name in names or LINKS
        for kernel, one in KERNELS.items()
        if replication < one.runs and (name, kernel, replication) not in done
    ]
    lock = threading.Lock()

    def one(task: tuple[str, str, int]) -> None:
        row = measured(*task)
        with lock:
            append(row)
            print(", ".join(str(value) for value in row.values()), flush=True)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, todo))


def measured(name: str, kernel: str, replication: int) -> dict[str, Any]:
    """A row of the file."""
    one = KERNELS[kernel]
    found = transfer(
        scenario(name, one.variant),
        seconds=SECONDS,
        congestion=one.congestion,
        settings=one.settings,
        seed=SEED,
        replication=replication,
    )
    data, acks = (sum(fates.values()) for fates in found.report.fates)
    return {
        "scenario": name,
        "kernel": kernel,
        "replication": replication,
        "throughput_pps": round(found.throughput_pps, 3),
        "efficiency": round(found.efficiency, 5),
        "timeouts": found.timeouts,
        "packets": data,
        "acks": acks,
        "late": round(found.report.late, 5),
        "valid": int(found.report.valid),
        "release": os.uname().release,
        "date": datetime.date.today().isoformat(),
    }


def rows() -> list[dict[str, str]]:
    """What is in the file."""
    if not ROWS.exists():
        return []
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def append(row: dict[str, Any]) -> None:
    """Add one to the file."""
    begins = not ROWS.exists()
    with ROWS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    run(sys.argv[2:])
