"""The alternatives to choose among: every combination of the values given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

from airtcp.errors import InputError, count, quote_value, refusal
from airtcp.scenario.renamed import present_path
from airtcp.scenario.scenario import Point, Scenario
from airtcp.scenario.spec import Hop
from airtcp.support.format import format_coordinate

MOST_ALTERNATIVES = 1000


@dataclass(frozen=True)
class Alternative:
    """A combination: the `values` by key, and the point that they make of the scenario."""

    values: Mapping[str, Any]
    scenario: Scenario

    @property
    def point(self) -> Point:
        """The point to simulate."""
        return self.scenario.points()[0]


def describe_combination(values: Mapping[str, Any]) -> str:
    """A combination as readers see it."""
    return ", ".join(f"{key}={describe_value(value)}" for key, value in values.items())


def describe_value(value: Any) -> str:
    """A short text for a value; a table is named by its kind, with its other keys."""
    if isinstance(value, Mapping):
        other_keys = [
            f"{key} {describe_value(part)}" for key, part in value.items() if key != "kind"
        ]
        return " ".join([str(value.get("kind", "")), *other_keys]).strip()
    return format_coordinate(value)


@dataclass(frozen=True)
class AlternativeSet:
    """The alternatives, and the combinations that the scenario refuses, with the reasons."""

    keys: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    refused: tuple[tuple[Mapping[str, Any], str], ...]


def form_alternatives(scenario: Scenario, over: Mapping[str, Sequence[Any]]) -> AlternativeSet:
    """Every combination of values of the keys of `over`. Raises `InputError`."""
    values = {
        _full_path(scenario, key): _axis_values(key, given)
        for key, given in _check_axes(over).items()
    }
    if len(values) < len(over):
        raise InputError("over: two of the keys mean the same; give it once")
    number = 1
    for several in values.values():
        number *= len(several)
    if number > MOST_ALTERNATIVES:
        raise InputError(f"over: {count(number, 'combination')}; at most {MOST_ALTERNATIVES}")
    alternatives, refused = [], []
    for combination in product(*values.values()):
        chosen = dict(zip(values, combination, strict=True))
        try:
            point_scenario = scenario.replace(chosen)
        except InputError as error:
            refused.append((chosen, str(error).removeprefix("scenario: ")))
        else:
            _check_single_link(point_scenario)
            alternatives.append(Alternative(chosen, point_scenario))
    if not alternatives:
        raise InputError(f"over: no combination is possible; the first is refused: {refused[0][1]}")
    return AlternativeSet(tuple(values), tuple(alternatives), tuple(refused))


def _check_single_link(scenario: Scenario) -> None:
    """Refuse more than one link: advice is about one."""
    first, *others = scenario.points().representative_points()
    if others:
        keys = first.coordinates
        several = [key for key in keys if any(p.coordinates[key] != keys[key] for p in others)]
        raise InputError(
            f"{several[0]}: has several values; choose one by --set, or add it to --over"
        )


def _check_axes(over: object) -> Mapping[str, Sequence[Any]]:
    if not isinstance(over, Mapping) or not over:
        raise refusal("over", over, 'a table such as {"tcp.variant": ["sack", "reno"]}')
    return over


def _axis_values(key: str, given: object) -> list[Any]:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence) or not given:
        raise InputError(f"over: {key} = {quote_value(given)}: give a list of values")
    return list(given)


def _full_path(scenario: Scenario, key: object) -> str:
    """The key in full: on a path `queue` and `link.arq.attempts` are keys of its only hop."""
    if not isinstance(key, str):
        raise refusal("over", key, "keys of the scenario, such as tcp.variant")
    key = present_path(key, scenario.profile)
    first, _, key_below = key.partition(".")
    if scenario.family == "slot" or first not in _HOP_KEYS:
        return key
    hops = len(scenario.points()[0].data["path"]["hop"])
    of_hop = key_below if first == "link" else key
    if hops != 1:
        places = " or ".join(f"path.hop[{place}].{of_hop}" for place in range(hops))
        raise InputError(f"over: {key}: the path has {hops} hops; use {places}")
    return f"path.hop[0].{of_hop}"


_HOP_KEYS = {"link", *(field.name for field in fields(Hop))}
