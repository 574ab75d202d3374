"""Write the tables of docs/evidence/replay.md that follow from the library of captures.

`python scripts/replay_tables.py [NAME ...]` (`make replay`) replays the library as often as they
ask for, in minutes; with names only those tables. A table stands between `<!-- NAME -->` and the
next empty line.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from page_tables import markdown, with_tables  # noqa: E402

from airtcp.live.captures import ReplayExplanation, explain  # noqa: E402
from rewritten_captures import packets, pcap  # noqa: E402

PAGE = ROOT / "docs/evidence/replay.md"
LIBRARY = ROOT / "tests" / "captures"
SHORT = ("links", "forced", "writes", "receivers")
CONTROLS = ("reno", "cubic", "bbr")
CHANGED = (
    ("(none)", "links"),
    ("(none)", "forced"),
    ("no-prr", "forced"),
    ("double-reordering", "forced"),
    ("no-hystart", "links"),
    ("no-undo", "links"),
    ("initial-window-3", "links"),
)

Shares = dict[str, tuple[int, int]]


def shares(found: Sequence[tuple[str, bool]]) -> Shares:
    """For each congestion control, the number of explained captures, and of all."""
    return {
        control: (
            sum(whole for sender, whole in found if sender == control),
            sum(sender == control for sender, _ in found),
        )
        for control in CONTROLS
    }


def of_groups(groups: Sequence[str], *changes: str) -> Shares:
    """Of the captures as they are."""
    return shares(
        [
            (str(capture.facts["control"]), capture.agrees)
            for group in groups
            for capture in explain(LIBRARY / f"{group}.zip", changes=changes, differences=1)
        ]
    )


def control_of(name: str) -> str:
    """The congestion control in the name of a capture of the library."""
    return next(control for control in CONTROLS if f"-{control}" in name)


def plain(
    groups: Sequence[str], folder: Path, *, told: bool
) -> Iterator[tuple[str, ReplayExplanation]]:
    """Their controls and verdicts as plain files, `told` the control or not."""
    for group in groups:
        with zipfile.ZipFile(LIBRARY / f"{group}.zip") as archive:
            for name in archive.namelist():
                file, truth = folder / "one.pcap", control_of(name)
                file.write_bytes(pcap(list(packets(archive.read(name)))))
                (found,) = explain(file, control=truth if told else None, differences=1)
                yield truth, found


def library(folder: Path) -> list[list[str]]:
    """A table of the share of the library that is explained."""
    described_ones = of_groups(SHORT)
    plain_ones = shares(
        [(truth, capture.agrees) for truth, capture in plain(SHORT, folder, told=True)]
    )
    long = of_groups(["long"])
    rows = (
        ("`links`, `forced`, `writes`, `receivers`", described_ones),
        (
            "the same as plain pcap files with microseconds, which say nothing of the host but"
            " the control",
            plain_ones,
        ),
        ("`long`, 2100 to 2800 segments each", long),
    )
    heads = ["captures explained to the last segment", *CONTROLS]
    return [
        heads,
        *([name, *(share_text(these[control]) for control in CONTROLS)] for name, these in rows),
    ]


def controls(folder: Path) -> list[list[str]]:
    """A table of the controls that the replay finds where nobody names them."""
    rows = [["sent by", "captures", "named alone", "named among equals", "another named"]]
    found = list(plain(SHORT, folder, told=False))
    for control in CONTROLS:
        named = [equals(capture) for truth, capture in found if truth == control]
        alone = sum(these == {control} for these in named)
        among = sum(control in these for these in named) - alone
        rows.append([control, *map(str, (len(named), alone, among, len(named) - alone - among))])
    return rows


def equals(found: ReplayExplanation) -> set[str]:
    """The controls that explain as much as the one that was taken."""
    best = found.facts["tried"][0]
    far = (best["first"], best["explained"])
    tried = found.facts["tried"]
    return {row["control"] for row in tried if (row["first"], row["explained"]) == far}


def changed(_: Path) -> list[list[str]]:
    """Senders with one rule changed."""
    rows = [["rule", "group", "reno", "cubic"]]
    for rule, group in CHANGED:
        found = of_groups([group], *([] if rule == "(none)" else [rule]))
        without = " (has none)" if rule == "no-hystart" else ""
        name = rule if rule == "(none)" else f"`{rule}`"
        rows.append(
            [name, f"`{group}`", share_text(found["reno"]) + without, share_text(found["cubic"])]
        )
    return rows


def share_text(counts: tuple[int, int]) -> str:
    """A share."""
    return f"{counts[0]} of {counts[1]}"


TABLES: dict[str, Callable[[Path], list[list[str]]]] = {
    "library": library,
    "controls": controls,
    "changed": changed,
}


def main() -> int:
    """Write the page."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or TABLES:
            heads, *rows = TABLES[name](Path(folder))
            text = with_tables(PAGE, text, {name: markdown(heads, rows)})
            PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
