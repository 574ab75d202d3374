"""Linux's TCP over links that err: the runs behind docs/evidence/kernel.md, in real time.

    python bench/kernel.py [LINK ...]    # those that bench/kernel.csv lacks

A run is `SECONDS` of the built-in transfer (`airtcp live`), with the settings of the scenario;
`WORKERS` emulators run at once; `chrt -f 10` before the command keeps other programs from making
them late. Every run is kept, also one with which the machine did not keep up
(`valid` is 0): it is made once more when the script is called again. Seed and replication are those
of a simulation, which then meets the same sample paths.
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

from airtcp.errors import InputError
from airtcp.live import transfer

ROWS = Path(__file__).with_suffix(".csv")
SEED, SECONDS, WORKERS = 1, 30.0, 6
RUNS = 10  # of a pair
PAYLOAD = 1460
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
    """A TCP of the kernel, what is said of it, and its counterpart of the RFCs."""

    congestion: str
    sack: bool = True
    counterpart: tuple[str, str] | None = None  # in profile rfc: variant and growth
    sysctl: dict[str, int] = field(default_factory=dict)
    links: tuple[str, ...] = tuple(LINKS)


RENO, SACK, CUBIC = ("newreno", "reno"), ("sack", "reno"), ("sack", "cubic")
KERNELS = {
    "reno": Kernel("reno", False, RENO),
    "reno, SACK": Kernel("reno", True, SACK),
    "cubic": Kernel("cubic", True, CUBIC),
    "bbr": Kernel("bbr"),
}
# Settings to switch off in search of the cause of a difference.
EXPERIMENTS = {
    "reno, SACK, no TLP": Kernel(
        "reno",
        True,
        SACK,
        sysctl={"tcp_early_retrans": 0},
        links=("iid", "gilbert-elliott", "short spikes", "disconnections"),
    ),
}
# Runs where 10 do not bring the interval of the ratio below 0.03.
MORE = {
    ("gilbert-elliott", "reno"): 40,
    ("gilbert-elliott", "reno, SACK"): 25,
    ("gilbert-elliott", "cubic"): 75,
    ("spikes", "cubic"): 25,
    ("spikes", "bbr"): 25,
    ("short spikes", "reno"): 40,
    ("disconnections", "reno"): 50,
    ("disconnections", "reno, SACK"): 40,
    ("disconnections", "cubic"): 90,
    ("disconnections", "bbr"): 130,
    ("arq", "reno"): 30,
    ("arq", "reno, SACK"): 75,
    ("arq", "cubic"): 30,
}


def scenario(name: str, kernel: Kernel) -> dict[str, Any]:
    """One of the links, and the TCP of Linux as the kernel gets it."""
    window, hop = LINKS[name]
    room = f"4096 {8 * window * PAYLOAD} {8 * window * PAYLOAD}"
    tcp = {
        "congestion": kernel.congestion,
        "sack": kernel.sack,
        "timestamps": False,
        "window": window,
        "sysctl": {"tcp_dsack": 0, "tcp_frto": 0, "tcp_rmem": room, "tcp_wmem": room}
        | kernel.sysctl,
    }
    return {"profile": "linux", "tcp": tcp, "path": {"hop": [hop]}, "stop": {"time": f"{SECONDS}s"}}


def by_the_rfcs(name: str, kernel: Kernel, **tcp: Any) -> dict[str, Any]:
    """The link by the RFCs, with Linux's values for settings that they leave open."""
    assert kernel.counterpart is not None
    window, hop = LINKS[name]
    variant, growth = kernel.counterpart
    rules = {
        "variant": variant,
        "congestion": growth,
        "window": window,
        "initial_window": 10,
        "abc_limit": 1000,
        "rto_margin": "200ms",
        "min_rto": "200ms",
        "delayed_ack": "40ms",
    }
    return {
        "profile": "rfc",
        "tcp": rules | tcp,
        "path": {"hop": [hop]},
        "stop": {"time": f"{SECONDS}s"},
    }


def run(names: list[str]) -> None:
    """Make the runs that are missing, and keep each as it ends."""
    done = {
        (row["scenario"], row["kernel"], int(row["replication"]))
        for row in rows()
        if int(row["valid"])
    }
    todo = [
        (name, kernel, replication)
        for replication in range(max(MORE.values()))
        for name in names or LINKS
        for kernel, setup in (KERNELS | EXPERIMENTS).items()
        if name in setup.links
        and replication < MORE.get((name, kernel), RUNS)
        and (name, kernel, replication) not in done
    ]
    lock = threading.Lock()

    def play(task: tuple[str, str, int]) -> None:
        try:
            row = measured(*task)
        except InputError as error:  # it did not come about: the machine was too slow to start it
            print(f"{task}: {error}", flush=True)
            return
        with lock:
            append(row)
            print(", ".join(str(value) for value in row.values()), flush=True)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(play, todo))


def measured(name: str, kernel: str, replication: int) -> dict[str, Any]:
    """A row of the file."""
    setup = (KERNELS | EXPERIMENTS)[kernel]
    found = transfer(
        scenario(name, setup),
        seconds=SECONDS,
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
    """The rows in the file."""
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
    run(sys.argv[1:])
