"""Remarks on link profiles of which a scenario replaces values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from airtcp import _native
from airtcp.scenario.scenario import Point, Scenario

_OPEN_VALUES = {"rate": "1Mbps", "delay": "1ms", "queue": 50}  # for what a profile leaves open


def link_override_lines(points: Iterable[Point]) -> list[str]:
    """A line for each hop and link profile of which a point has other values."""
    found: dict[tuple[int, str], dict[str, None]] = {}
    for point in points:
        for i, hop in enumerate(point.data.get("path", {}).get("hop", [])):
            if name := hop.get("link"):
                profile = _profile_values(name, point.data["profile"])
                replaced = found.setdefault((i, name), {})
                replaced.update(dict.fromkeys(_replaced_keys(hop, profile)))
    return [
        f"path.hop[{i}]: the scenario's own values replace {', '.join(keys)} of link {name}."
        for (i, name), keys in found.items()
        if keys
    ]


def profile_of(name: str) -> dict[str, Any]:
    """The link profile of a known name, as data."""
    profile: dict[str, Any] = json.loads(_native.link_profile(name) or "")
    return profile


def has_value(hop: Mapping[str, Any], key: str) -> bool:
    """True if the hop of a profile has the key, or says a rate in another way."""
    return key in hop or (key == "rate" and ("rates" in hop or "opportunities" in hop))


@cache
def _profile_values(name: str, tcp_profile: str) -> Mapping[str, Any]:
    """The values of a link profile in the form in which points have theirs."""
    given = profile_of(name)["hop"]
    others = {key: value for key, value in _OPEN_VALUES.items() if not has_value(given, key)}
    document = {"profile": tcp_profile, "path": {"hop": [{"link": name} | others]}}
    hop = Scenario.from_dict(document).points()[0].data["path"]["hop"][0]
    return {key: hop[key] for key in given}


def _replaced_keys(own: Mapping[str, Any], profile: Mapping[str, Any]) -> Iterator[str]:
    """The keys of which a hop has another value or none: it has all that it takes over."""
    for key, value in profile.items():
        if key == "back" and isinstance(own.get(key), Mapping):
            yield from (f"{key}.{inner}" for inner in _replaced_keys(own[key], value))
        elif own.get(key) != value:
            yield key
