"""The figures of speed in the pages, from bench/measured.json and bench/instructions/limits.json.

`bench/peers/compare.py --write` measures the first beside ns-2 and ns-3 (`--scaling`: alone), and
`bench/instructions/count.py` counts the second. A page has a place for each table, between two
comments, so that no two pages can say different things.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_DOCS = ("docs/evidence/comparison.md", "docs/evidence/performance.md")
PAGES = ("README.md", "bench/README.md", *_DOCS)
_PLACE = re.compile(r"(<!-- measured: ([a-z ]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_OTHERS = {
    "ns-2": "ns-2, as Debian builds it",
    "ns-2 tuned": "ns-2, a heap for its events and only the headers in use",
    "ns-3": "ns-3, the wheel: release profile, asserts and logging compiled in",
}


def page(name: str) -> str:
    """The page with its figures made anew. Raises `ValueError` where a page has none."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if not _PLACE.search(text):
        raise ValueError(f"{name} has no place for what was measured")
    return _PLACE.sub(lambda match: match[1] + TABLES[match[2]]() + match[4], text)


def _json(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "bench" / name).read_text(encoding="utf-8"))
    return found


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def ratios() -> str:
    """A table of speed ratios of airtcp to other simulators, by scenario."""
    scenarios = _json("measured.json")["scenarios"]
    head = ["airtcp is so many times as fast as", *(f"`{name}`" for name in scenarios)]
    rows = [
        [words, *(_ratio(here[peer]["times_as_fast"]) for here in scenarios.values())]
        for peer, words in _OTHERS.items()
    ]
    return _table(head, rows)


def _ratio(spread: dict[str, float]) -> str:
    median, least, most = (f"{spread[name]:.3g}" for name in ("median", "least", "most"))
    return f"{median} ({least} to {most})"


def rates() -> str:
    """Packets per second of CPU time, by simulator and scenario."""
    found = _json("measured.json")
    scenarios = found["scenarios"]
    head = ["packets per second of CPU time", *(f"`{name}`" for name in scenarios), "build"]
    rows = [
        [name, *(_rate(here[name]["packets_per_second"]) for here in scenarios.values()), build]
        for name, build in found["builds"].items()
    ]
    return _table(head, rows)


def _rate(spread: dict[str, float]) -> str:
    unit, word = (1e6, "million") if spread["median"] >= 5e5 else (1e3, "thousand")
    median, least, most = (f"{spread[name] / unit:.3g}" for name in ("median", "least", "most"))
    return f"{median} {word} ({least} to {most})"


def when() -> str:
    """The date and the machine of the comparison."""
    found = _json("measured.json")
    return (
        f"{found['date']}, {found['machine']}, medians of {found['rounds']} rounds in turn,"
        " least to most in brackets.\n"
    )


def costs() -> str:
    """Nanoseconds of CPU time a packet, by scenario, length and number of flows."""
    found = _json("measured.json")["scaling"]
    head = ["nanoseconds of CPU time a packet", "", "million packets/s"]
    rows = [[words, *_costs(found[kind], labels)] for words, kind, labels in _ALONE]
    rounds = (
        f"{found['date']}, {found['machine']}, medians of {found['rounds']} rounds, the longest"
        " runs (10^8 packets) once.\n"
    )
    return f"{rounds}\n{_table(head, rows)}"


_LENGTHS = ["100000", "1000000", "10000000", "100000000"]
_FLOWS = ["1", "2", "5", "10", "20", "50", "100"]
_TRACED = "`lossy`, 2 10^5 packets: untraced; recorded; with its Arrow table"
_LINUX = "profile `linux`, 50 Mbit/s, 40 ms, 1 % lost: CUBIC, BBR"
_ALONE = [
    ("`lossy`, 10^5, 10^6, 10^7, 10^8 packets", "lossy", _LENGTHS),
    ("`clean`, the same", "clean", _LENGTHS),
    ("`lossy`, 1, 2, 5, 10, 20, 50, 100 flows", "flows", _FLOWS),
    (_TRACED, "traced", ["untraced", "traced", "tabulated"]),
    (_LINUX, "scenarios", ["linux-cubic", "linux-bbr"]),
    ("1000 flows over FQ-CoDel at 1 Gbit/s", "scenarios", ["fq-codel-1000"]),
    ("a flow each way", "scenarios", ["two-way"]),
]


def _costs(found: dict[str, Any], labels: list[str]) -> tuple[str, str]:
    values = [found[label]["nanoseconds"] for label in labels]
    return ", ".join(f"{value:.0f}" for value in values), ", ".join(
        f"{1e3 / value:.3g}" for value in values
    )


def memory() -> str:
    """The most memory that runs of all lengths take."""
    found = _json("measured.json")["scaling"]
    peaks = [peak["peak_mib"] for name in ("lossy", "clean") for peak in found[name].values()]
    least, most = min(peaks), max(peaks)
    if most > 1.1 * least:
        raise ValueError(f"memory grows with the packets: {least} to {most} MiB")
    between = f"{most} MiB" if least == most else f"{least} to {most} MiB"
    return (
        f"Memory does not grow with the packets: {between}, Python included, from 10^5 to 10^8.\n"
    )


def instructions() -> str:
    """Instructions and cache misses a packet, by scenario."""
    now = _json("instructions/limits.json")["scenarios"]
    before = _json("instructions/before.json")
    head = ["scenario", f"instructions a packet, {before['date']}", "now", "ratio", "misses"]
    return _table(
        head, [_row(name, counts, before["instructions"]) for name, counts in now.items()]
    )


def _row(name: str, counts: dict[str, Any], before: dict[str, float]) -> list[str]:
    """Of one scenario; those that came later have nothing before them."""
    then = before.get(name)
    ratio = "-" if then is None else f"{counts['instructions'] / then:.2f}"
    now = [f"{counts['instructions']:.0f}", ratio, f"{counts['misses']:.2f}"]
    return [f"`{name}`", "-" if then is None else f"{then}", *now]


def sentence() -> str:
    """The ratios in a sentence."""
    scenarios = list(_json("measured.json")["scenarios"].values())
    words = [_between(peer, scenarios) for peer in _OTHERS]
    return (
        f"In a bulk transfer of Reno or NewReno, airtcp is {words[0]} times as fast as Debian's"
        f" ns-2. Against an ns-2 compiled and set up for speed it is {words[1]} times as fast,"
        f" against the ns-3 on PyPI (assertions and logging compiled in) {words[2]} times.\n"
    )


def _between(peer: str, scenarios: list[dict[str, Any]]) -> str:
    values = sorted(here[peer]["times_as_fast"]["median"] for here in scenarios)
    return f"{values[0]:.3g} to {values[-1]:.3g}"


TABLES: dict[str, Callable[[], str]] = {
    "ratios": ratios,
    "rates": rates,
    "when": when,
    "instructions": instructions,
    "costs": costs,
    "memory": memory,
    "sentence": sentence,
}
