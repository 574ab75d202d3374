"""Write the frames of one 802.11 link of the ORBIT grid, the one of median loss, as a CSV.

`python scripts/wifi_record.py --noise DBM OUT.csv` reads orbit_wifi.parquet of the shared
traces, in which each pair of nodes sent frames 0 to 300; a frame that is missing, or came with an
error (rssi 128), was lost. Pairs of which no frame came are not in the file.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared"))
FRAMES = 301
ERRORED = 128  # rssi of a frame with errors


def median_link(noise: int) -> tuple[str, str, pd.DataFrame]:
    """The nodes (sender, receiver) of the median link under this noise, and its frames."""
    every = pd.read_parquet(SHARED / "traces" / "orbit_wifi.parquet")
    every = every[every["noise_dbm"] == noise]
    links = []
    for (sender, receiver), frames in every.groupby(["tx", "rx"]):
        arrived = set(frames.loc[frames["rssi"] != ERRORED, "seq"])
        lost = [int(number not in arrived) for number in range(FRAMES)]
        links.append((sum(lost), str(sender), str(receiver), lost))
    _, sender, receiver, lost = sorted(links)[len(links) // 2]
    return sender, receiver, pd.DataFrame({"seq": range(FRAMES), "lost": lost})


def main() -> int:
    """Write the CSV."""
    parser = argparse.ArgumentParser(description="Write the frames of the median 802.11 link.")
    parser.add_argument("--noise", type=int, required=True)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    sender, receiver, frames = median_link(given.noise)
    frames.to_csv(given.out, index=False)
    print(f"{given.out}: {sender} to {receiver}, {frames['lost'].sum()} of {FRAMES} lost")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
