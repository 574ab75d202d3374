"""Draw docs/img/pedestrian.svg, the figure of the README, from examples/pedestrian.toml, seed 1.

`python scripts/figure.py` writes it; with `--check` it computes everything again and exits 1 if the
file is out of date: if any text, colour or mark differs, or lies elsewhere by more than 0.05
points, which is 2e-4 packets per slot on the throughput axis. The names of SVG elements are not
compared, for they hash the last digits of coordinates.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import airtcp
from airtcp.plot.style import svg

ROOT = Path(__file__).parent.parent
SCENARIO = ROOT / "examples" / "pedestrian.toml"
FIGURE = ROOT / "docs" / "img" / "pedestrian.svg"
TOLERANCE = 0.05  # points

_NAME = re.compile(r'(?<=url\(#)\w+|(?<=href="#)\w+|(?<=id=")[^"]+')
_NUMBER = re.compile(r"-?\d+\.\d+")


def main() -> int:
    """Write or check the figure."""
    text = svg(airtcp.run(airtcp.Scenario.load(SCENARIO), seed=1).plot())
    check = "--check" in sys.argv[1:]
    stale = not (FIGURE.exists() and alike(FIGURE.read_text(encoding="utf-8"), text))
    if stale:
        print(f"{FIGURE.relative_to(ROOT)}: {'out of date: run make gen' if check else 'written'}")
    if stale and not check:
        FIGURE.write_text(text, encoding="utf-8")
    return int(check and stale)


def alike(first: str, second: str) -> bool:
    """True if two figures have the same texts and marks in the same places."""
    first, second = (_NAME.sub("", text) for text in (first, second))
    if _NUMBER.split(first) != _NUMBER.split(second):
        return False
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE for a, b in pairs)


if __name__ == "__main__":
    sys.exit(main())
