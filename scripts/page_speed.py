"""Measure the page of `airtcp explore` in Debian's chromium: `make web-speed`; half a minute.

Milliseconds on this machine, of whatever else it does: no test compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from environment import end_with

from explorer_page import address_of_page, node


def main() -> int:
    """One line for each figure."""
    with address_of_page() as address:
        found = node("speed.mjs", {"address": address})
    for name, value in found.items():
        print(f"{name}: {' and '.join(map(str, value)) if isinstance(value, list) else value} ms")
    return 0


if __name__ == "__main__":
    end_with(main)
