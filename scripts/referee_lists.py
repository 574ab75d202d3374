"""Record what the kernel sends under forced losses, for docs/evidence/referee.md and its test.

    python scripts/referee_lists.py          # tests/referee_linux.jsonl gets what it lacks
    python scripts/referee_lists.py --show   # how the simulator compares, by control

The lists of losses are the cases of tests/referee.toml and 200 random ones: 1 to 8 losses, further
copies and ACKs among them. The kernel plays everything twice, under reno and CUBIC with SACK,
in real time, which needs what `airtcp live` needs; `chrt -f 10` before the command keeps other
programs from making it late.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from referee import document, runs

from airtcp.errors import InputError
from airtcp.live.referee import SentPackets, judge, sent_packets_of_trace
from airtcp.live.session import point_of
from airtcp.simulation.traces import trace_point
from captures import losses

FILE = Path(__file__).parents[1] / "tests" / "referee_linux.jsonl"
CONTROLS = ("reno", "cubic")
LISTS, SEED, PACKETS = 200, 20, 80
PLAYS, JOBS = 2, 4

Json = dict[str, Any]


def lists() -> Iterator[Json]:
    """The cases, then the random lists: name, lost packets and ACKs."""
    for case in document()["case"]:
        kept = {key: case[key] for key in ("name", "drop", "acks", "initial_window") if key in case}
        yield kept
    rng = random.Random(SEED)
    for number in range(LISTS):
        drop, acks = losses(rng, PACKETS)
        yield {"name": f"list {number}", "drop": drop} | ({"acks": acks} if acks else {})


def scenario(case: Json, control: str) -> Json:
    """The flow of docs/evidence/referee.md under profile linux, without timestamps."""
    window = {"initial_window": case["initial_window"]} if "initial_window" in case else {}
    back = {"back": {"drop": case["acks"]}} if "acks" in case else {}
    hop = {"rate": "4Mbps", "delay": "25ms", "queue": 1000, "drop": case["drop"]}
    return {
        "profile": "linux",
        "tcp": {"congestion": control, "packet": "576B", "timestamps": False} | window,
        "path": {"hop": [hop | back]},
        "flow": [{"packets": PACKETS}],
        "stop": {"time": "60s"},
    }


def simulated(case: Json, control: str) -> SentPackets:
    """The packets that the simulator sends."""
    return sent_packets_of_trace(trace_point(point_of(scenario(case, control)), 1, 0))


def text(numbers: tuple[int, ...]) -> str:
    """The order of sends, with ranges."""
    return " ".join(runs(numbers))


def recorded() -> list[Json]:
    """The lines in the file."""
    if not FILE.exists():
        return []
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def record() -> None:
    """Play what the file lacks, and keep each as it ends."""
    done = {(row["name"], row["control"]) for row in recorded()}
    todo = [(case, control) for case in lists() for control in CONTROLS]
    lock = threading.Lock()

    def play(task: tuple[Json, str]) -> None:
        case, control = task
        try:
            plays = [judge(scenario(case, control)).kernel for _ in range(PLAYS)]
        except InputError as error:
            print(f"{case['name']}, {control}: {error}", flush=True)
            return
        row = case | {"control": control, "kernel": [text(sent.numbers) for sent in plays]}
        row["timeouts"] = [sent.timeouts for sent in plays]
        with lock, FILE.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(play, [task for task in todo if (task[0]["name"], task[1]) not in done]))


def numbers(said: str) -> tuple[int, ...]:
    """Packets in the order of `text`."""
    ends = ([int(end) for end in part.split("-")] for part in said.split())
    return tuple(number for end in ends for number in range(end[0], end[-1] + 1))


def verdicts(row: Json) -> dict[str, str]:
    """Of all sends, and of those again: `same`, `other`, or `kernel`, whose own plays differ."""
    plays = [SentPackets(numbers(said), 0) for said in row["kernel"]]
    ours = simulated(row, row["control"])
    return {
        "sent": _verdict([play.numbers for play in plays], ours.numbers),
        "sent again": _verdict(
            [play.retransmitted_numbers for play in plays], ours.retransmitted_numbers
        ),
    }


def _verdict(plays: list[tuple[int, ...]], ours: tuple[int, ...]) -> str:
    if len(set(plays)) > 1:
        return "kernel"
    return "same" if plays[0] == ours else "other"


def show() -> None:
    """Print the shares, and what differs."""
    found: dict[tuple[str, str, str], Counter[str]] = {}
    for row in recorded():
        kind = "list" if row["name"].startswith("list ") else "case"
        said = verdicts(row)
        for what, which in said.items():
            found.setdefault((kind, row["control"], what), Counter())[which] += 1
        if "other" in said.values():
            print(f"{row['name']}, {row['control']}: lost {row['drop']} {row.get('acks', '')}")
            print(f"  kernel {row['kernel'][0]}")
            print(f"  ours   {text(simulated(row, row['control']).numbers)}")
    for (kind, control, what), counts in sorted(found.items()):
        print(f"{kind}, {control}, {what}: {dict(counts)}")


if __name__ == "__main__":
    show() if sys.argv[1:] == ["--show"] else record()
