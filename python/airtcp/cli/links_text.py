"""Link profiles as text: a line for each, or one with the origin of every number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby
from textwrap import fill
from typing import Any

from airtcp import _native
from airtcp.cli.text import listing
from airtcp.errors import unknown_name
from airtcp.scenario import spec
from airtcp.scenario.document import inline_toml
from airtcp.scenario.link_overrides import has_value, profile_of
from airtcp.support.units import base_units_of
from airtcp.terminal import Printable, printable_lines

LINE_WIDTH = 78
MOST_LIST_CHARACTERS = 60  # characters of a list
KEY_ORDER = [*(key.name for key in fields(spec.Hop)), "traffic"]


def link_listing(name: str | None, form: str) -> Printable:
    """All profiles, those whose names begin so, or the one of this name."""
    if name is None:
        return listing(link_rows(), form)
    text = _native.link_profile(name)
    if text is not None:
        profile = json.loads(text)
        text = (
            json.dumps(profile, indent=2) if form == "json" else "\n".join(_profile_lines(profile))
        )
        return printable_lines(text.splitlines())
    several = [row["name"] for row in _all_profiles() if row["name"].startswith(f"{name}-")]
    if several:
        return listing(map(_row_of_path, several), form)
    raise unknown_name("list links", name, [name for name, _ in _families()])


def link_rows() -> Iterator[dict[str, str]]:
    """A row for each profile, or for all that differ in a last number."""
    for name, rows in _families():
        if len(rows) == 1:
            yield rows[0]
            continue
        hops = [profile_of(row["name"])["hop"] for row in rows]
        numbers = ", ".join(_range_text([hop[key] for hop in hops]) for key in ("rate", "delay"))
        yield {"name": name, "summary": f"{len(rows)} paths, {numbers}: airtcp list links {name}"}


def _families() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Profiles whose names differ in a last number, under the rest of it; no profile is read."""
    for stem, siblings in groupby(_all_profiles(), lambda row: _name_without_number(row["name"])):
        rows = list(siblings)
        yield stem if len(rows) > 1 else rows[0]["name"], rows


def _row_of_path(name: str) -> dict[str, str]:
    """A row by which a profile is told from others of the same source."""
    profile = profile_of(name)
    numbers = [f"{key} {profile['hop'][key]}" for key in ("rate", "delay", "queue")]
    sources = profile.get("traffic", [])
    numbers.append(f"traffic of {_value_text('traffic', sources)}" if sources else "no traffic")
    return {"name": name, "summary": f"{', '.join(numbers)}. {profile['summary']}"}


def _range_text(values: Sequence[str]) -> str:
    """The least and the greatest of quantities, as they are written."""
    ordered = sorted(values, key=base_units_of)
    return f"{ordered[0]} to {ordered[-1]}"


def _all_profiles() -> Iterator[dict[str, str]]:
    return ({"name": name, "summary": summary} for name, summary in _native.link_profiles())


def _name_without_number(name: str) -> str:
    """A name without the number at its end."""
    stem, _, end = name.rpartition("-")
    return stem if end.isdecimal() else name


def _profile_lines(profile: dict[str, Any]) -> list[str]:
    found = [
        fill(f"{profile['name']}: {profile['summary']}", LINE_WIDTH),
        fill(f"Not modelled: {profile['not_modelled']}", LINE_WIDTH),
    ]
    values = profile["hop"] | {key: profile[key] for key in ("traffic",) if key in profile}
    for key, value in sorted(values.items(), key=lambda item: KEY_ORDER.index(item[0])):
        about = profile["about"][key]
        found += ["", f"{key} = {_value_text(key, value)}"]
        found += [
            fill(
                f"{head}: {about[word]}", LINE_WIDTH, initial_indent="  ", subsequent_indent="    "
            )
            for word, head in (
                ("source", "source"),
                ("command", "command"),
                ("not_modelled", "not modelled"),
            )
        ]
    given = [key for key in ("rate", "delay", "queue") if not has_value(profile["hop"], key)]
    if given:
        found += ["", f"Your scenario gives {', '.join(given)}."]
    return found


def _value_text(key: str, value: Any) -> str:
    if key == "traffic":
        return f"{len(value)} sources, {_rates_text(value)}"
    if isinstance(value, dict):
        inside = (f"{word} = {_value_text(word, item)}" for word, item in value.items())
        return f"{{{', '.join(inside)}}}"
    text = inline_toml(value)
    return (
        f"[{len(value)} values]"
        if isinstance(value, list) and len(text) > MOST_LIST_CHARACTERS
        else text
    )


def _rates_text(sources: Sequence[dict[str, Any]]) -> str:
    rates = sorted(base_units_of(source["rate"]) / 1000 for source in sources)
    return f"{rates[0].normalize():f} to {rates[-1].normalize():f} kbit/s"
