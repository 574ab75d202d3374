"""Queues and error models of a script as keys of a hop."""

from __future__ import annotations

import math
from typing import Any

from .script import Script
from .words import Unknown, rate, seconds, truth

#: Settings of RED that `ns-red` has not, with the value that leaves them out.
ABSENT = {
    "adaptive_": "0",
    "cautious_": "0",
    "drop_tail_": "true",
    "drop_front_": "false",
    "drop_rand_": "false",
}


def queue_of(script: Script, link: dict[str, str]) -> Any:
    """The queue of a link.

    Raises Unknown for any but drop-tail and RED."""
    kind, values = script.classes[link["queue"]], script.values[link["queue"]]
    if kind == "Queue/DropTail":
        return int(values["limit_"])
    if kind != "Queue/RED":
        raise Unknown(f"{kind.removeprefix('Queue/')} queues")
    for key, value in ABSENT.items():
        if truth(values[key]) != truth(value):
            raise Unknown(f"RED with {key}")
    return _red(script, link, {key: value for key, value in values.items() if value})


def _red(script: Script, link: dict[str, str], values: dict[str, str]) -> dict[str, Any]:
    mean = int(float(values["mean_pktsize_"]))
    per_second = rate(link["rate"]) / (8.0 * mean)
    low = float(values["thresh_"])
    if low == 0:
        low = max(5.0, float(values["targetdelay_"]) * per_second / 2.0)
    high = float(values["maxthresh_"]) or 3.0 * low
    red = {
        "kind": "ns-red",
        "min": low,
        "max": high,
        "max_p": 1.0 / float(values["linterm_"]),
        "weight": _weight(float(values["q_weight_"]), per_second, seconds(link["first_delay"])),
        "gentle": truth(values["gentle_"]),
        "wait": truth(values["wait_"]),
        "mean_packet": f"{mean}B",
        "by_size": truth(values["bytes_"]),
        "in_bytes": truth(values["queue_in_bytes_"]),
        "ecn": truth(values["setbit_"]),
        "ns1_compat": truth(values["ns1_compat_"]),
        "packets": int(values["limit_"]),
        "drawn": 2 * len(script.of("Agent/TCP")),
    }
    if truth(values["use_mark_p_"]):
        red["mark_p"] = float(values["mark_p_"])
    return red


def _weight(weight: float, per_second: float, delay: float) -> float:
    """The weight of RED's average, where 0, -1 and -2 stand for what ns computes (`Queue/RED`)."""
    if weight == 0:
        return 1.0 - math.exp(-1.0 / per_second)
    if weight == -2:
        return 1.0 - math.exp(-10.0 / per_second)
    if weight == -1:
        round_trip = max(3.0 * (delay + 1.0 / per_second), 0.1)
        return 1.0 - math.exp(-1.0 / (10.0 * round_trip * per_second))
    return weight


def errors_of(script: Script, modules: list[str]) -> dict[str, Any]:
    """Losses and marks of a link's error models.

    Raises Unknown for models that do something else, and for several modules in a row.
    """
    flows = {script.values[agent]["fid_"] for agent in script.of("Agent/TCP")}
    taken: dict[str, set[int]] = {"exit": set(), "marks": set()}
    models = [(name, model) for name in modules for model in script.values[name]["models"].split()]
    for module, model in models:
        values = script.values[model]
        if truth(values.get("delay_pkt_", "0")):
            raise Unknown("an error model that delays packets")
        if flows & set(values.get("flows_", "").split()):
            if module != modules[-1]:
                raise Unknown("error modules in a row")
            key = "marks" if truth(values.get("markecn_", "0")) else "exit"
            taken[key] |= _taken(script.classes[model], values)
    return {key: _trace(packets) for key, packets in taken.items() if packets}


def _trace(packets: set[int]) -> dict[str, Any]:
    fates = [int(n in packets) for n in range(max(packets) + 1)]
    return {"kind": "trace", "lost": fates, "repeat": False}


def _taken(kind: str, values: dict[str, str]) -> set[int]:
    """The packets that an error model takes, counted from 0."""
    if kind == "ErrorModel/List":
        listed = values.get("droplist_", "").replace("{", "").replace("}", "")
        return {int(n) for n in listed.split()}
    if "offset_" not in values:
        return set()
    offset, period, burst = (
        int(float(values.get(key, "0"))) for key in ("offset_", "period_", "burstlen_")
    )
    if period <= 5000:
        raise Unknown("an error model that takes packets again and again")
    first = max(offset, 1) - 1
    return {first, *range(first + 1, first + burst)}
