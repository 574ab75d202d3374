"""Write the hops of the Starlink link profiles from the record that they are from.

`python scripts/starlink_link.py starlink-fjord` prints [hop] of that profile in
crates/scenario/links, from the first hour of fjordlink_starlink.parquet (ds-kiel/FjordLink, CC BY
4.0): for every second the share of pings lost, and their round trip. `starlink-2025` is the joint
model of delays and losses that `airtcp fit` fits to all of its hours; seconds.

Starlink assigns satellites anew every 15 s, and in this record the round trip steps most where a
second with the stamp 13, 28, 43 or 58 of its minute begins. A period between two of these has one
level of the round trip, the least of its seconds; the rest of each second is jitter. Seconds with
losses are a chain of two states.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import airtcp
from airtcp.errors import unknown_name
from airtcp.scenario.document import to_toml

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared"))
RECORD = SHARED / "traces" / "fjordlink_starlink.parquet"
PERIOD, FIRST = 15, 13  # seconds, of a minute


def first_hour() -> pd.DataFrame:
    """Seconds of the first session, in their order."""
    every = pd.read_parquet(RECORD)
    return every[every["session"] == every["session"].iloc[0]].sort_values("time")


def hop(seconds: pd.DataFrame) -> dict[str, Any]:
    """Keys of a hop whose round trip and losses are those of the record."""
    stamps = seconds["time"].dt.as_unit("s").astype("int64")
    periods = (stamps - FIRST) // PERIOD
    latency = seconds["latency_ms"].astype(float)
    levels = latency.groupby(periods).min()
    above = latency - periods.map(levels)
    half = float(levels.min()) / 2.0
    begin = (levels.index.to_numpy() * PERIOD + FIRST - int(stamps.iloc[0])).clip(0)
    changes = [
        {"at": f"{at}s", "delay": f"{level - half:.2f}ms"}
        for at, level in zip(begin, levels, strict=True)
    ]
    return {
        "delay": changes[0]["delay"],
        "delays": changes[1:],
        "jitter": {
            "kind": "gamma",
            "shape": round(float(above.mean() ** 2 / above.var()), 3),
            "mean": f"{above.mean():.2f}ms",
        },
        "channel": channel(seconds["drop_rate"].to_numpy(float)),
        "back": {"delay": f"{half:.2f}ms"},
    }


def channel(drops: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    """A chain of seconds with losses and without, from their counts."""
    bad = drops > 0.0
    enters = float(bad[1:][~bad[:-1]].mean())
    leaves = float(1.0 - bad[1:][bad[:-1]].mean())
    return {
        "kind": "states",
        "loss": [0.0, round(float(drops[bad].mean()), 5)],
        "transition": [
            [round(1.0 - enters, 5), round(enters, 5)],
            [round(leaves, 5), round(1.0 - leaves, 5)],
        ],
        "clock": "1s",
    }


def fitted_hop() -> dict[str, Any]:
    """Keys of a hop with the model fitted to all hours: a table of a terminal for each session."""
    every = pd.read_parquet(RECORD).sort_values("time")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for session, seconds in every.groupby("session", observed=True):
            table = pd.DataFrame(
                {
                    "time": seconds["time"].dt.as_unit("ms").astype("int64") / 1000.0,
                    "drop_rate": seconds["drop_rate"],
                    "latency_ms": seconds["latency_ms"],
                }
            )
            files.append(Path(folder) / f"{session}.csv")
            table.to_csv(files[-1], index=False)
        found = airtcp.fit(files, check=False)
    fitted: dict[str, Any] = found.scenario.to_dict()["path"]["hop"][0]
    return {key: fitted[key] for key in ("delay", "channel")}


HOPS = {"starlink-fjord": lambda: hop(first_hour()), "starlink-2025": fitted_hop}


def main() -> int:
    """Print the hop of a profile."""
    for name in sys.argv[1:]:
        if name not in HOPS:
            print(unknown_name("starlink_link", name, HOPS), file=sys.stderr)
            return 2
        print(to_toml({"hop": HOPS[name]()}), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
