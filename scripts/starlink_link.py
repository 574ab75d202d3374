"""Write the hop of the link profile `starlink-fjord` from the record that it is from.

`python scripts/starlink_link.py` prints [hop] of crates/scenario/links/starlink-fjord.toml, from
the first hour of fjordlink_starlink.parquet (ds-kiel/FjordLink, CC BY 4.0): for
every second the share of pings lost, and their round trip.

Starlink assigns satellites anew every 15 s, and in this record the round trip steps most where a
second with the stamp 13, 28, 43 or 58 of its minute begins. A period between two of these has one
level of the round trip, the least of its seconds; the rest of each second is jitter. Seconds with
losses are a chain of two states.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

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


def main() -> int:
    """Print the hop."""
    print(to_toml({"hop": hop(first_hour())}), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
