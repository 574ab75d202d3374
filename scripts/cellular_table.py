"""Write the table of measured cellular paths from the files that they were published in.

`python scripts/cellular_table.py FOLDER` reads FOLDER/network-profiles/COUNTRY/cellular/*.json of
microsoft/internet-in-a-box and writes crates/scenario/links/cellular.csv. The files have values for
both directions, of which only the one that data flowed in was learned; the others are equal in all
files, which is checked, and stand in cellular.toml.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "crates" / "scenario" / "links" / "cellular.csv"
HEAD = [
    "country",
    "number",
    "result",
    "peer",
    "rate_kbps",
    "buffer_bytes",
    "delay_ms",
    "cross_kbps",
]
NOT_LEARNED = {
    "bottleneck_bandwidth": 100_000,
    "buffer_size_bytes": 15_000_000,
    "buffer_size_packets": 10_000,
    "propagation_delay": 0,
    "cross_traffic_pattern": [],
}
RESULT = re.compile(r"https://pantheon\.stanford\.edu/result/(\d+)/")


def table(folder: Path) -> str:
    """The text of the table. Raises `ValueError` for a file that is not as the others."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(sorted(_rows(folder)))
    return text.getvalue()


def _rows(folder: Path) -> Iterator[list[Any]]:
    for file in folder.glob("network-profiles/*/cellular/network-profile-*.json"):
        said = json.loads(file.read_text(encoding="utf-8"))
        result = RESULT.fullmatch(said["data_source_url"])
        config = said["config"]
        if said["data_flow_direction"] != "upload" or config["downlink"] != NOT_LEARNED:
            raise ValueError(f"{file}: the uplink is not the direction that was learned")
        if result is None:
            raise ValueError(f"{file}: {said['data_source_url']!r} names no result of Pantheon")
        learned = config["uplink"]
        yield [
            file.parts[-3],
            int(file.stem.removeprefix("network-profile-")),
            int(result[1]),
            said["peer_cloud_server"],
            learned["bottleneck_bandwidth"],
            learned["buffer_size_bytes"],
            learned["propagation_delay"],
            " ".join(map(str, learned["cross_traffic_pattern"])),
        ]


def main() -> int:
    """Write the table."""
    text = table(Path(sys.argv[1]))
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(f"{TABLE.relative_to(ROOT)}: {len(text.splitlines()) - 1} paths")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
