"""Record the library of tests/captures: the TCP of this machine's kernel over the emulated path.

    python scripts/captures.py FOLDER [GROUP ...]   # those that FOLDER lacks; needs root
    python scripts/captures.py --seed 7 --most 30 FOLDER [GROUP ...]  # others of the same kind
    python scripts/captures.py --pack FOLDER        # tests/captures/GROUP.zip of what FOLDER has

The list of captures is fixed: what is lost, written and set is drawn from a seed, that of the
library being 0. `--most` draws so many of each group. A capture is a
pcapng file with a description as its first comment (tests/captures/README.md).
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from airtcp.errors import InputError
from airtcp.live import live

ROOT = Path(__file__).parent.parent
ENDS = Path(__file__).parent / "capture_ends.py"
LIBRARY = ROOT / "tests" / "captures"
WORKERS = 2
CONTROLS = ("reno", "cubic", "bbr")
HOP: dict[str, Any] = {"rate": "5Mbps", "delay": "20ms", "queue": 100}
SLOW = HOP | {"rate": "1500kbps"}


def uniform(least: str, most: str) -> dict[str, str]:
    """A law of the scenario."""
    return {"kind": "uniform", "min": least, "max": most}


# The six links of docs/evidence/kernel.md. Those whose gate closes rarely have a lower rate here,
# so that 200 segments meet it.
LINKS: dict[str, dict[str, Any]] = {
    "iid": HOP | {"channel": {"kind": "iid", "loss_rate": 0.02}},
    "gilbert-elliott": HOP
    | {"channel": {"kind": "gilbert-elliott", "p": 0.015, "r": 0.25, "h": 0.3}},
    "spikes": SLOW
    | {
        "gate": {
            "kind": "spikes",
            "interval": uniform("1s", "5s"),
            "duration": uniform("0.5s", "1s"),
        }
    },
    "short-spikes": SLOW
    | {
        "delay": "40ms",
        "gate": {
            "kind": "spikes",
            "interval": uniform("0.5s", "2.5s"),
            "duration": uniform("0.3s", "0.6s"),
        },
    },
    "disconnections": SLOW | {"gate": {"kind": "on-off", "up": "0.6s", "down": "0.1s"}},
    "arq": HOP
    | {
        "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 20},
        "arq": {
            "fragment": "250B",
            "overhead": "10B",
            "attempts": 2,
            "feedback_delay": "20ms",
        },
    },
}

Plan = dict[str, Any]


def plans(seed: int = 0) -> dict[str, list[Plan]]:
    """All captures by their group."""
    groups = {
        "links": links,
        "forced": forced,
        "writes": writes,
        "receivers": receivers,
        "long": long,
    }
    made = {
        name: list(group(random.Random(20 + number + 1000 * seed)))
        for number, (name, group) in enumerate(groups.items())
    }
    for group, these in made.items():
        for number, plan in enumerate(these):
            plan["name"] = f"{group}/{number:03d}-{plan['kind']}-{plan['control']}" + (
                "-sack" if plan["sack"] else ""
            )
    return made


def common(rng: random.Random, control: str, *, sack: bool) -> Plan:
    """Random settings of every capture: timestamps, buffer, time of closing the connection."""
    return {
        "control": control,
        "sack": sack,
        "stamps": rng.random() < 0.6,
        "sndbuf": rng.choice([4_000_000, 4_000_000, 0]),
        "fin": rng.random() < 0.3,
        "nodelay": int(rng.random() < 0.3),
        "quick": rng.random() < 0.25,
        "seed": rng.randrange(1, 10**6),
        "seconds": 25,
    }


def bulk(plan: Plan, packets: int, rng: random.Random) -> list[list[int]]:
    """Writes that keep the sender busy: one, or many of a size."""
    size = packets * payload(plan)
    if plan["sndbuf"] and rng.random() < 0.6:
        return [[0, size]]
    chunk = rng.choice([4096, 16384, 65536, 131072])
    return [[0, min(chunk, size - at)] for at in range(0, size, chunk)]


def payload(plan: Plan) -> int:
    """Of a full packet."""
    return 1448 if plan["stamps"] else 1460


def links(rng: random.Random) -> Iterator[Plan]:
    """Bulk data over the six links."""
    for round_ in range(5):
        for link, hop in LINKS.items():
            for control in CONTROLS:
                for sack in (True, False):
                    plan = common(rng, control, sack=sack)
                    packets = rng.randint(60, 190)
                    drop = {"queue": rng.choice([15, 30, 100])} if round_ % 2 else {}
                    yield plan | {
                        "kind": link,
                        "hop": hop | drop,
                        "writes": bulk(plan, packets, rng),
                    }


def forced(rng: random.Random) -> Iterator[Plan]:
    """1 to 8 losses at places drawn, further copies and ACKs among them."""
    for _ in range(21):
        for control in CONTROLS:
            for sack in (True, False):
                plan = common(rng, control, sack=sack)
                packets = rng.randint(40, 120)
                drop, acks = losses(rng, packets)
                back = {"back": {"drop": acks}} if acks else {}
                delay = rng.choice(["2ms", "10ms", "25ms", "60ms"])
                rate = rng.choice(["2Mbps", "4Mbps", "10Mbps"])
                hop = HOP | {"rate": rate, "delay": delay, "drop": drop} | back
                yield plan | {"kind": "forced", "hop": hop, "writes": bulk(plan, packets, rng)}


def losses(rng: random.Random, packets: int) -> tuple[list[list[int]], list[list[int]]]:
    """Of packets and of ACKs, as `path.hop.drop` has them."""
    drop: dict[tuple[int, int], None] = {}
    acks: dict[tuple[int, int], None] = {}
    near = rng.randrange(packets)
    for _ in range(rng.randint(1, 8)):
        kind = rng.random()
        number = (
            rng.randrange(packets)
            if rng.random() < 0.6
            else min(near + rng.randint(0, 6), packets - 1)
        )
        if kind < 0.65 or not drop:
            drop[(number, 1)] = None
        elif kind < 0.85:  # a further copy of one that is lost already
            number = rng.choice(list(drop))[0]
            drop[(number, 1 + max(copy for dropped, copy in drop if dropped == number))] = None
        else:
            first = rng.randrange(packets)
            for delayed in range(first, min(first + rng.choice([1, 1, 3, 10]), packets)):
                acks[(delayed, 1)] = None
    return [list(dropped) for dropped in sorted(drop)], [list(ack) for ack in sorted(acks)]


def writes(rng: random.Random) -> Iterator[Plan]:
    """Small writes with pauses, under losses."""
    for _ in range(6):
        for control in CONTROLS:
            for sack in (True, False):
                plan = common(rng, control, sack=sack) | {"sndbuf": 4_000_000}
                pause = rng.choice([500, 3_000, 12_000, 40_000])
                sizes = rng.choice([(1, 400), (100, 3000), (1448, 9000)])
                made = [
                    [rng.randint(0, 2 * pause) if rng.random() < 0.8 else 0, rng.randint(*sizes)]
                    for _ in range(rng.randint(30, 90))
                ]
                if rng.random() < 0.4:  # a rest between
                    made[len(made) // 2][0] = rng.choice([600_000, 1_500_000])
                loss = {"channel": {"kind": "iid", "loss_rate": rng.choice([0.0, 0.02, 0.05])}}
                delay = rng.choice(["2ms", "10ms", "25ms"])
                hop = HOP | {"delay": delay} | (loss if loss["channel"]["loss_rate"] else {})
                yield plan | {"kind": "writes", "hop": hop, "writes": made}


def receivers(rng: random.Random) -> Iterator[Plan]:
    """Receivers with small buffers, and such that read slowly."""
    for _ in range(4):
        for control in CONTROLS:
            for sack in (True, False):
                plan = common(rng, control, sack=sack)
                packets = rng.randint(60, 150)
                size = packets * payload(plan)
                buffer = rng.choice([4096, 8192, 20_000, 60_000])
                reads = []
                if rng.random() < 0.7:
                    part = rng.choice([4000, 20_000, 40_000])
                    wait = rng.choice([0.02, 0.1, 0.35])
                    reads = [[wait, part]] * min(size // part, 8)
                loss = rng.choice([{}, {"channel": {"kind": "iid", "loss_rate": 0.02}}])
                hop = HOP | {"delay": rng.choice(["2ms", "20ms"])} | loss
                yield plan | {
                    "kind": "receiver",
                    "hop": hop,
                    "writes": bulk(plan, packets, rng),
                    "receiver": {"rcvbuf": buffer, "reads": reads},
                }


def long(rng: random.Random) -> Iterator[Plan]:
    """Two thousand segments and more."""
    fast = {"rate": "8Mbps"}
    for link in ("iid", "gilbert-elliott", "arq"):
        for control in CONTROLS:
            for sack in (True, False) if control != "bbr" else (True,):
                plan = common(rng, control, sack=sack) | {"seconds": 60}
                yield plan | {
                    "kind": link,
                    "hop": LINKS[link] | fast,
                    "writes": bulk(plan, rng.randint(2200, 2800), rng),
                }


def settings(plan: Plan) -> dict[str, str]:
    """Of both namespaces."""
    return {
        "net.ipv4.tcp_sack": str(int(plan["sack"])),
        "net.ipv4.tcp_timestamps": str(int(plan["stamps"])),
        "net.ipv4.tcp_no_metrics_save": "1",
    }


def scenario(plan: Plan) -> dict[str, Any]:
    """The path; its numbers of packets count the kernel's full segments."""
    variant = "sack" if plan["sack"] else "newreno"
    stamps = {"spurious": "eifel"} if plan["stamps"] else {}
    return {
        "profile": "rfc",
        "tcp": {"packet": "1500B", "variant": variant} | stamps,
        "path": {"hop": [plan["hop"]]},
        "flow": [{"packets": 1000}],
        "stop": {"time": f"{plan['seconds']}s"},
    }


def record(folder: Path, plan: Plan) -> str:
    """Make one; what went wrong, or nothing."""
    target = folder / f"{plan['name']}.pcapng"
    if target.exists():
        return ""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(".part")
    path = {"hop": plan["hop"], "seed": plan["seed"], "receiver": plan.get("receiver", {})}
    told = {
        key: plan[key]
        for key in ("name", "control", "sndbuf", "fin", "nodelay", "writes", "seconds")
    }
    ends = [sys.executable, "-I", "-S", str(ENDS)]
    server = [*ends, "receive", json.dumps(plan.get("receiver", {}))]
    try:
        report = live(
            scenario(plan),
            [*ends, "send", json.dumps(told | {"path": path}), str(fresh)],
            server=shlex.join(server),
            seconds=plan["seconds"] + 10,
            seed=plan["seed"],
            settings=settings(plan),
        )
    except InputError as error:
        return str(error)
    if report.exit_code or not fresh.exists():
        return f"ended with {report.exit_code}"
    fresh.replace(target)
    return ""


def make(folder: Path, groups: list[str], seed: int, most: int | None) -> None:
    """Make those that are missing."""
    every = plans(seed)
    rng = random.Random(seed)
    todo = [plan for group in groups or every for plan in some(every[group], most, rng)]
    with ThreadPoolExecutor(WORKERS) as pool:
        for plan, why in zip(todo, pool.map(lambda item: record(folder, item), todo), strict=True):
            if why:
                print(f"{plan['name']}: {why}", flush=True)


def some(these: list[Plan], most: int | None, rng: random.Random) -> list[Plan]:
    """All, or so many of them in their order."""
    chosen = range(len(these))
    if most is not None and most < len(these):
        chosen = sorted(rng.sample(chosen, most))
    return [these[number] for number in chosen]


def pack(folder: Path) -> None:
    """Put the captures of each group into one file."""
    LIBRARY.mkdir(exist_ok=True)
    for group, these in plans().items():
        with zipfile.ZipFile(
            LIBRARY / f"{group}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9
        ) as archive:
            for plan in these:
                file = folder / f"{plan['name']}.pcapng"
                if file.exists():
                    about = zipfile.ZipInfo(file.name, (2026, 1, 1, 0, 0, 0))
                    about.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(about, file.read_bytes())


def main() -> None:
    """Record or pack."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--most", type=int)
    asked.add_argument("--pack", action="store_true")
    asked.add_argument("folder", type=Path)
    asked.add_argument("group", nargs="*")
    told = asked.parse_args()
    if told.pack:
        pack(told.folder)
    else:
        make(told.folder, told.group, told.seed, told.most)


if __name__ == "__main__":
    main()
