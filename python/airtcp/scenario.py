"""A scenario: one description of a link and a TCP, for every engine.

`Scenario` is checked when it is made, from a file, a dictionary or the dataclasses of
`airtcp.spec`: whoever holds one holds a valid one. Its `points` are the cases of its sweep.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from airtcp import _native, spec
from airtcp._document import plain, read, refuse_non_json, to_toml
from airtcp._html import html_rows
from airtcp.errors import InputError, ScenarioError, count, refusal, shown

if TYPE_CHECKING:
    from airtcp.two_state import TwoState

Document = dict[str, Any]
Given: TypeAlias = "Scenario | Mapping[str, Any] | str | Path"

SWEPT = ("tcp", "link", "channel", "ack")
ALWAYS = ("tcp.variant", "channel.kind")
IN_PYTHON = "scenario"


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(spec.Scenario):
    """One link and one TCP; a value that is a list or a `spec.Range` is an axis of a sweep.

    ``Scenario(profile="zorzi", tcp=spec.Tcp(variant=["tahoe", "reno"]),
    channel=spec.Iid(loss_rate=0.01))``. Dictionaries may stand for the dataclasses.
    The keys are listed in docs/reference/scenario.md. Raises `InputError`.
    """

    _document: Document = field(init=False, compare=False)
    _points: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check what the fields hold."""
        given = {one.name: getattr(self, one.name) for one in fields(spec.Scenario)}
        self._adopt(plain(given), IN_PYTHON)

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """The scenario in a TOML (or .json) file.

        Raises `InputError` with one line, ``FILE: path: reason``.
        """
        return cls.from_dict(read(path), source=str(path))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, source: str = IN_PYTHON) -> Scenario:
        """The scenario that nested dictionaries describe, as TOML or JSON would hold it.

        `source` stands in front of error messages. Raises `InputError`.
        """
        scenario = object.__new__(cls)
        scenario._adopt(plain(document), source)
        return scenario

    def to_dict(self) -> Document:
        """Nested dictionaries, as in a file: ``Scenario.from_dict(s.to_dict()) == s``."""
        return copy.deepcopy(self._document)

    def to_toml(self) -> str:
        """The text of a scenario file."""
        return to_toml(self._document)

    def replace(self, path: str | Mapping[str, Any], value: Any = None) -> Scenario:
        """A new scenario with one value, or several, replaced.

        ``replace("tcp.window", 6)`` or ``replace({"tcp.window": 6, "tcp.timeout": [50, 100]})``;
        the value None leaves a key out. Raises `InputError`.
        """
        if not isinstance(path, (str, Mapping)):
            raise _no_path(path)
        changes = {path: value} if isinstance(path, str) else path
        return self.from_dict(with_values(self.to_dict(), changes))

    def points(self) -> list[Point]:
        """The cases of the sweep; the first axis of the document varies slowest."""
        return list(self._cases)

    @cached_property
    def _cases(self) -> tuple[Point, ...]:
        all_data = [json.loads(text) for text in self._points]
        paths = coordinate_paths(all_data)
        return tuple(
            Point(text, data, {path: value_at(data, path) for path in paths})
            for text, data in zip(self._points, all_data, strict=True)
        )

    @property
    def replications(self) -> int:
        """Runs per point, the profile's if the document says nothing."""
        return int(json.loads(self._points[0])["stop"]["replications"])

    def __len__(self) -> int:
        """The number of points."""
        return len(self._points)

    def __repr__(self) -> str:
        """What the document says, and how many points that is."""
        said = ", ".join(f"{key}={value!r}" for key, value in leaves(self._document))
        return f"Scenario({said}) [{count(len(self), 'point')}]"

    def _repr_html_(self) -> str:
        rows = {key: _shown(value) for key, value in leaves(self._document)}
        return html_rows(f"Scenario, {count(len(self), 'point')}", rows)

    def _adopt(self, document: Any, source: str) -> None:
        """Become what `document` says, if it is valid."""
        points = expand(document, source)
        object.__setattr__(self, "_document", document)
        object.__setattr__(self, "_points", points)
        for one in fields(spec.Scenario):
            object.__setattr__(self, one.name, _typed(one.name, document.get(one.name)))


@dataclass(frozen=True, eq=False)
class Point:
    """One case of a scenario: every value given, no axes.

    - `json`: the point as the compiled part wants it; `data`: the same as a dictionary;
    - `coordinates`: the values that vary over the scenario, by dotted path, None where a kind of
      channel has no such key; `tcp.variant` and `channel.kind` are always there.
    """

    json: str
    data: Document
    coordinates: dict[str, Any]

    @cached_property
    def hash(self) -> str:
        """16 hex digits that name the point: equal for whatever gives equal runs.

        Of SHA-256 over the canonical JSON without title, replications and analysis.
        """
        named = {key: self.data[key] for key in self.data if key not in ("title", "analysis")}
        named["stop"] = {k: v for k, v in named["stop"].items() if k != "replications"}
        canonical = json.dumps(named, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def two_state(self) -> TwoState | None:
        """The chain of its losses on slots; None if they form no two-state chain."""
        return self._chain

    @cached_property
    def _chain(self) -> TwoState | None:
        from airtcp.two_state import TwoState  # noqa: PLC0415  (imports NumPy)

        chain = _native.two_state(self.json)
        return None if chain is None else TwoState(p_gb=chain[0], p_bg=chain[1])


def scenario_of(given: object) -> Scenario:
    """A scenario from what may stand for one: a dictionary, or the name of a file."""
    if isinstance(given, Scenario):
        return given
    if isinstance(given, Mapping):
        return Scenario.from_dict(given)
    if isinstance(given, (str, os.PathLike)):
        return Scenario.load(os.fspath(given))
    raise refusal("scenario", given, "a Scenario, a dictionary, or the name of a file")


def expand(document: Any, source: str) -> tuple[str, ...]:
    """The points of a document as JSON, or `InputError`."""
    refuse_non_json(document, source)
    try:
        return tuple(_native.expand(json.dumps(document)))
    except _native.ScenarioError as error:
        raise ScenarioError(source, *error.args) from None


def with_values(document: Document, changes: Mapping[str, Any]) -> Document:
    """`document` with the values at dotted paths replaced; None removes a key."""
    for path, value in changes.items():
        if not isinstance(path, str):
            raise _no_path(path)
        *tables, key = path.split(".")
        table: Any = document
        for depth, name in enumerate(tables):
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                inside = ".".join(tables[: depth + 1])
                reason = f"{inside} is {shown(table)}, which holds no keys to replace"
                raise ScenarioError("", path, reason)
        if value is None:
            table.pop(key, None)
        else:
            table[key] = plain(value)
    return document


def _no_path(given: object) -> InputError:
    return refusal("path", given, 'a dotted path such as "tcp.window", or a table of them')


def coordinate_paths(points: list[Document]) -> list[str]:
    """The leaf paths that vary over `points`, and those that are always shown, in file order."""
    seen: dict[str, list[Any]] = {}
    for data in points:
        swept = {key: data[key] for key in SWEPT}
        for path, _ in leaves(swept):
            seen.setdefault(path, [])
    order = {key: index for index, key in enumerate(SWEPT)}
    paths = sorted(seen, key=lambda path: order[path.split(".", 1)[0]])
    first = {path: value_at(points[0], path) for path in paths}
    return [
        path
        for path in paths
        if path in ALWAYS or any(value_at(data, path) != first[path] for data in points)
    ]


def value_at(data: Document, path: str) -> Any:
    """The value at a dotted path, None if there is none."""
    found: Any = data
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def leaves(data: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """(dotted path, value) of everything in nested dictionaries."""
    found: list[tuple[str, Any]] = []
    for key, value in data.items():
        if isinstance(value, dict) and "from" not in value:  # a range is one value
            found += leaves(value, f"{above}{key}.")
        else:
            found.append((f"{above}{key}", value))
    return found


def _typed(name: str, value: Any) -> Any:
    """A section of a valid document as its dataclass."""
    if name == "channel":
        return tuple(map(_channel, value)) if isinstance(value, list) else _channel(value)
    if value is not None and name in spec.SECTIONS:
        return spec.SECTIONS[name](**_values(value))
    return value


def _channel(table: Document) -> spec.Channel:
    values = {key: value for key, value in table.items() if key != "kind"}
    return spec.CHANNELS[table["kind"]](**_values(values))


def _values(table: Document) -> Document:
    return {key: _value(value) for key, value in table.items()}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return spec.Range(value["from"], value["to"], value["points"], value["scale"])
    return tuple(value) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
