"""A gate that holds packets back, as delay spikes [kuusela]."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airtcp.support.units import base_units_of

Table = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class DelaySpikes:
    """Spikes, one after the other.

    - `intervals`, `lengths`: their distributions, as tables of a scenario in JSON;
    - `interval`, `length`: the means in s, `interval` from the start of a spike to the next start;
    - `reading`: where intervals begin, as in `airtcp.models.kuusela.renewal`.
    """

    intervals: str
    lengths: str
    interval: float
    length: float
    reading: str


def spikes_of(gate: Table) -> DelaySpikes | str:
    """The spikes of a gate; or why they are unknown."""
    if gate["kind"] == "spikes":
        if gate["direction"] != "both":
            return "the formulas cover no spikes in one direction alone"
        return _spikes(gate["interval"], gate["duration"], gap=gate["timing"] == "gap")
    distribution, key = {"on-off": ("exponential", "mean"), "periodic": ("fixed", "value")}[
        gate["kind"]
    ]
    lengths = (gate[name] for name in ("up", "down"))
    up, down = (
        length if isinstance(length, Mapping) else {"kind": distribution, key: length}
        for length in lengths
    )
    return _spikes(up, down, gap=True)


def _spikes(interval: Table, duration: Table, *, gap: bool) -> DelaySpikes | str:
    between, length = mean_of_distribution(interval), mean_of_distribution(duration)
    if between is None or length is None or duration["kind"] == "modulated":
        return "the formulas cover no spikes of such distributions"
    fixed = duration["kind"] == "fixed"
    if not gap and not fixed and interval["kind"] != "exponential":
        return "the formulas cover no spikes of random length that may meet"
    return DelaySpikes(
        intervals=json.dumps(interval, sort_keys=True),
        lengths=json.dumps(duration, sort_keys=True),
        interval=between + length if gap else between,
        length=length,
        reading="gap" if gap else ("restart" if fixed else "union"),
    )


def mean_of_distribution(distribution: Table) -> float | None:
    """Mean of a distribution in s; None where it is none that the model has."""
    match distribution["kind"]:
        case "fixed":
            return seconds_of_text(distribution["value"])
        case "uniform" if not distribution.get("correlation"):
            return (
                seconds_of_text(distribution["min"]) + seconds_of_text(distribution["max"])
            ) / 2.0
        case "pareto" if "min" in distribution:
            shape = float(distribution["shape"])
            return seconds_of_text(distribution["min"]) * shape / (shape - 1.0)
        case "exponential" | "pareto" | "lomax" if "deviation" not in distribution:
            return seconds_of_text(distribution["mean"])
        case "modulated":
            return _mean_of_modulated(distribution)
        case _:
            return None


def never_lasts(distribution: Table) -> bool:
    """True if a distribution gives only times of 0."""
    match distribution["kind"]:
        case "values":
            return not any(map(seconds_of_text, distribution["values"]))
        case "modulated":
            return all(map(never_lasts, distribution["laws"]))
        case _:
            return mean_of_distribution(distribution) == 0.0


def _mean_of_modulated(distribution: Table) -> float | None:
    from airtcp.models.kuusela.goodput import stationary  # noqa: PLC0415  (imports SciPy)

    means = [mean_of_distribution(part) for part in distribution["laws"]]
    known = [length for length in means if length is not None]
    if len(known) < len(means) or any(part["kind"] == "modulated" for part in distribution["laws"]):
        return None
    return float(stationary(distribution["transition"], len(known)) @ known)


def seconds_of_text(text: str) -> float:
    """Seconds in a length of time as a scenario writes it."""
    return float(base_units_of(text))
