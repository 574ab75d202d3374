"""Write the table of docs/evidence/referee.md: the cases of tests/referee.toml, by the kernel and
by us.

`python scripts/referee.py` runs every case in real time, which needs what `airtcp live` needs, and
writes the table; tests/test_referee.py does the same and compares.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from page_tables import with_tables

from airtcp.live.referee import SYSCTLS_WITHOUT_PROBES, RefereeRuling, SentPackets, judge

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/evidence/referee.md"
CASES = ROOT / "tests" / "referee.toml"
PACKETS = 80
JOBS = 4  # runs at a time; they mostly wait
VARIANTS = ("newreno", "sack")

Json = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """A case, the rulings by variant, and SACK without tail loss probes where SACK differs."""

    case: Json
    rulings: Mapping[str, RefereeRuling]
    without_probes: RefereeRuling | None


def main() -> None:
    """Write the page."""
    text = PAGE.read_text(encoding="utf-8")
    made = with_table(text, table(rulings()))
    if made != text:
        PAGE.write_text(made, encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)}: written")


def document() -> Json:
    """The cases, and the scenario that they share."""
    return tomllib.loads(CASES.read_text(encoding="utf-8"))


def scenario(case: Json, variant: str) -> Json:
    """The scenario of a case."""
    shared = document()["scenario"]
    rules = {key: case[key] for key in ("initial_window", "delayed_ack") if key in case}
    back = {"back": {"drop": case["acks"]}} if "acks" in case else {}
    return {
        "profile": shared["profile"],
        "tcp": shared["tcp"] | rules | {"variant": variant},
        "path": {"hop": [shared["path"] | {"drop": case["drop"]} | back]},
        "flow": [{"packets": PACKETS}],
        "stop": shared["stop"],
    }


def rulings() -> list[Found]:
    """All cases, in their order."""
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(ruling_of, document()["case"]))


def ruling_of(case: Json) -> Found:
    """One case."""
    judged = {variant: judge(scenario(case, variant)) for variant in VARIANTS}
    differs = "sack" in case
    plain = judge(scenario(case, "sack"), settings=SYSCTLS_WITHOUT_PROBES) if differs else None
    return Found(case, judged, plain)


def kernel() -> str:
    """The kernel's name and version, as the page gives them."""
    return f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"


def table(all_found: Iterable[Found]) -> str:
    """The cases as a table, with the kernel that was asked."""
    head = f"| {kernel()} | lost | without SACK | with SACK | why |\n|---|---|---|---|---|"
    return "\n".join([head, *map(_row, all_found)])


def with_table(text: str, made: str) -> str:
    """The page with this table in its place."""
    return with_tables(PAGE, text, {"cases": made})


def _row(judged: Found) -> str:
    why = dict.fromkeys(word for variant in VARIANTS for word in judged.case.get(variant, ()))
    cells = [
        judged.case["name"],
        _lost(judged.case),
        *map(_cell, judged.rulings.values()),
        ", ".join(why),
    ]
    return f"| {' | '.join(cells)} |"


def _lost(case: Json) -> str:
    """Packets and ACKs; what is not a first copy with its number behind a #."""
    parts = [_numbers(case["drop"])] if case["drop"] else []
    if "acks" in case:
        parts.append(f"ACK {_numbers(case['acks'])}")
    return ", ".join(parts)


def _numbers(lost: list[list[int]]) -> str:
    """First copies as runs of numbers, then others as runs of copies."""
    firsts = runs(number for number, copy in lost if copy == 1)
    later = [copy for copy in lost if copy[1] > 1]
    again = [
        f"{number}#{number_sent}"
        for number, group in groupby(later, key=lambda copy: copy[0])
        for number_sent in runs(copy for _, copy in group)
    ]
    return ", ".join([*firsts, *again])


def _cell(ruling: RefereeRuling) -> str:
    ours, theirs = _sent(ruling.ours), _sent(ruling.kernel)
    return ours if ours == theirs else f"ours {ours}; kernel {theirs}"


def _sent(sends: SentPackets) -> str:
    """The packets that were sent again, and the timeouts."""
    again = ", ".join(runs(sends.retransmitted_numbers)) or "nothing"
    timeouts = {0: "", 1: " (T)"}.get(int(sends.timeouts), f" ({sends.timeouts:g} T)")
    return again + timeouts


def runs(numbers: Iterable[int]) -> Iterator[str]:
    """Numbers, three or more in a row as a range."""
    keyed = enumerate(numbers)
    for _, group in groupby(keyed, key=lambda pair: pair[1] - pair[0]):
        row = [number for _, number in group]
        if len(row) > 2:
            yield f"{row[0]}-{row[-1]}"
        else:
            yield from map(str, row)


if __name__ == "__main__":
    main()
