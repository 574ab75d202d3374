"""The scenario of a contest: a case for each meeting of two variants.

Two different variants meet in both orders, because the flow that starts first has an advantage that
is not its variant's. A variant meets its own kind once: both of its sides are that variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from airtcp import _native
from airtcp.errors import InputError, known_name, set_words
from airtcp.metrics.layout import KEYS_OF_ONE_TRANSFER
from airtcp.scenario import spec
from airtcp.scenario.bands import BandMember, forced_loss_key, with_band_members
from airtcp.scenario.scenario import Scenario
from airtcp.support.units import nanoseconds

START_DELAY_NS = 100_000_000  # ns by which the second variant of a meeting starts after the first
TRANSFER_KEYS = (*KEYS_OF_ONE_TRANSFER, "arrivals")  # keys of flows that carry given amounts
Meeting = tuple[str, str]  # the variant that starts first, and the other


def meetings(variants: Sequence[str]) -> list[Meeting]:
    """Every ordered pair, a variant with its own kind among them."""
    return [(first_started, behind) for first_started in variants for behind in variants]


def case_name(meeting: Meeting) -> str:
    """The name of a meeting's case."""
    return " against ".join(meeting)


def contest_scenario(base: Scenario, variants: Sequence[str], flows: int) -> Scenario:
    """The scenario with a case per meeting of `flows` flows of each variant. Raises `InputError`.

    Settings of `base` that name a flow by its number must mean the same for both variants, and are
    refused where they cannot.
    """
    document: dict[str, Any] = dict(base.to_dict())
    if base.family != "path":
        raise InputError("profile: a contest needs a path; profiles on slots have none")
    if "case" in document:
        raise InputError("case: a contest makes its own cases; give a scenario without them")
    keys = {name: _variant_key(document["profile"], name) for name in variants}
    _reduce_lists_of_variants(document, keys.values())
    document = dict(_without_lists(document, _only_point(document)))
    given = document.pop("flow", None) or [{}]
    pattern = _common_flow_keys(given[0])
    _renumber_flows(document, _count_flows(given), 2 * flows)
    document["case"] = [
        {
            "name": case_name(meeting),
            "flow": [
                {
                    **pattern,
                    "count": flows,
                    "tcp": keys[variant],
                    "start": _start_of_flows(pattern, place),
                }
                for place, variant in enumerate(meeting)
            ],
        }
        for meeting in meetings(variants)
    ]
    return Scenario.from_dict(document)


def _variant_key(profile: str, name: str) -> dict[str, str]:
    """The key of `tcp` that takes the variant's name, with that value."""
    known = keys_of_variants(profile)
    known_name("variants", name, list(known))
    return {known[name]: name}


def keys_of_variants(profile: str) -> dict[str, str]:
    """The variants and congestion controls of a profile, each with the key of `tcp` for it."""
    of_profile = _native.congestion_controls().get(profile, [])
    has_variants = any(key.name == "variant" for key in fields(spec.TRANSPORTS[profile]))
    variants = _native.registry()["variants"] if has_variants else []
    known = {entry[0]: "variant" for entry in variants}
    return known | {entry[0]: "congestion" for entry in of_profile}


def _reduce_lists_of_variants(document: dict[str, Any], keys: Any) -> None:
    """Give a list in `tcp` one value where every variant replaces it."""
    replaced = set.intersection(*(set(key) for key in keys))
    tcp = dict(document.get("tcp", {}))
    for name in replaced & tcp.keys():
        if isinstance(tcp[name], (list, tuple)):
            tcp[name] = tcp[name][0]
    document["tcp"] = tcp


def _only_point(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of the only point of a scenario."""
    points = Scenario.from_dict(document).points()
    if len(points) == 1:
        return points[0].data
    shown = [point.coordinates for point in points.representative_points()]
    key = next(
        k for k in points.varying if len({repr(coordinates.get(k)) for coordinates in shown}) > 1
    )
    raise InputError(
        f"{key}: has several values; a contest is on one link, without lists and ranges: choose"
        f" one, such as {set_words(key, _value_text(shown[0].get(key)))}"
    )


def _without_lists(written: Any, point: Any) -> Any:
    """The written document, with the point's value wherever that is in a list of one.

    Keys that are not written stay so: with another variant their default may differ.
    """
    if isinstance(written, Mapping) and isinstance(point, Mapping):
        return {
            key: _without_lists(value, point[key]) if key in point else value
            for key, value in written.items()
        }
    if isinstance(written, (list, tuple)) and isinstance(point, list):
        pairs = zip(written, point, strict=True)
        return [_without_lists(*pair) for pair in pairs] if len(written) == len(point) else point
    return point


def _value_text(value: object) -> str:
    return "VALUE" if value is None or isinstance(value, (dict, list)) else str(value)


def _common_flow_keys(first: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that the flows of both variants have from the first flow of the scenario."""
    pattern = {key: value for key, value in first.items() if (key, value) != ("count", 1)}
    if own := sorted({"variant", "tcp", "count"} & pattern.keys()):
        raise InputError(
            f"flow[0].{own[0]}: a contest sets the TCP and the number of flows; leave it out"
        )
    if ended := [key for key in TRANSFER_KEYS if key in pattern]:
        raise InputError(
            f"flow[0].{ended[0]}: a contest compares flows that do not end; leave it out, or"
            " compare completion times with airtcp run"
        )
    return pattern


def _count_flows(given: Sequence[Mapping[str, Any]]) -> int:
    return sum(int(flow.get("count", 1)) for flow in given)


def _start_of_flows(pattern: Mapping[str, Any], place: int) -> str:
    """The start of a variant's flows; the second variant starts a tenth of a second later."""
    return f"{nanoseconds(str(pattern.get('start', '0s'))) + place * START_DELAY_NS}ns"


def _renumber_flows(document: dict[str, Any], before: int, now: int) -> None:
    """Make the flow numbers in hops cover both variants; raises `InputError` if that fails."""
    hops = [
        _hop(hop, f"path.hop[{place}]", before, now)
        for place, hop in enumerate(document["path"]["hop"])
    ]
    document["path"] = {**document["path"], "hop": hops}


def _hop(hop: Mapping[str, Any], where: str, before: int, now: int) -> dict[str, Any]:
    if key := forced_loss_key(hop):
        raise InputError(
            f"{where}.{key}: forced losses apply only to the first flow, so only one of the two"
            " variants would suffer them; leave them out, or give the hop a channel"
        )
    return with_band_members(
        hop, where, lambda old_number, at: _members(old_number, at, before, now)
    )


def _members(flow: BandMember, where: str, before: int, now: int) -> list[BandMember]:
    """Give the pattern's number to all flows, and move cross-traffic behind them."""
    if flow in (0, "flow[0]"):
        return list(range(now))
    if isinstance(flow, str) and not flow.startswith("flow"):
        return [flow]
    if isinstance(flow, str) or flow < before:
        raise InputError(
            f"{where}: {'' if isinstance(flow, str) else 'flow '}{flow} takes no part in a"
            " contest, whose flows are copies of the first; give 0 for flows of both variants, and"
            f' {before} or more, or "traffic[0]", for cross-traffic'
        )
    return [now + flow - before]
