"""A scenario: one description of a link or a path and a TCP, for every engine.

`Scenario` is checked when it is made, from a file, a dictionary or the dataclasses of
`airtcp.spec`: whoever holds one holds a valid one. Its `points` are the cases of its sweep.
"""

from __future__ import annotations

import copy
import hashlib
import json
import operator
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from airtcp import _native
from airtcp.errors import (
    InputError,
    ScenarioError,
    count,
    nearest_name_error,
    quote_value,
    refusal,
    with_hint,
)
from airtcp.scenario import spec
from airtcp.scenario.document import (
    MOST_BYTES,
    plain_document,
    read_document,
    refuse_crowd,
    refuse_non_json,
    to_toml,
    too_long_error,
)
from airtcp.scenario.renamed import earlier_document, present_changes, present_document
from airtcp.scenario.tables import with_files
from airtcp.scenario.two_state import TwoState
from airtcp.support.html import html_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from airtcp.scenario.two_state import TwoState

Document = dict[str, Any]
Given: TypeAlias = "Scenario | Mapping[str, Any] | str | Path"

CASE = "case"
SWEPT_KEYS = (CASE, "tcp", "link", "channel", "ack", "path", "flow", "traffic", "live")
ALWAYS_SHOWN = (
    ("tcp.variant", "tcp.congestion"),
    ("channel.kind",),
)  # of each the first that there is
UNSHOWN_KEYS = ("title", "analysis", "live", CASE)  # they change no simulated run
REPLICATION_KEYS = ("replications", "precision")  # of [stop]: they change no run
PYTHON_SOURCE = "scenario"
MOST_CACHED_POINTS = 10_000  # points that stay once they were formed; more would fill the memory
MOST_TABLES = 1000  # of a list, to be told apart by their numbers; longer ones count as one value


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(spec.Scenario):
    """A link or a path and the TCP over it; a list or `spec.Range` of values is an axis of a sweep.

    Dictionaries may stand for the dataclasses of `airtcp.spec`. Files that the scenario names are
    read at once. Every key is described in docs/reference/scenario.md.

    Raises
    ------
    InputError
        For a scenario that is refused; the message names key, value and domain.

    Examples
    --------
    >>> from airtcp import Scenario, spec
    >>> tcp = spec.ZorziTcp(variant=["tahoe", "reno"])
    >>> len(Scenario(profile="zorzi", tcp=tcp, channel=spec.Iid(loss_rate=0.01)).points())
    2
    >>> path = spec.Path(hop=[spec.Hop(rate="1.5Mbps", delay="10ms")])
    >>> Scenario(profile="ns2", tcp=spec.Ns2Tcp(variant="sack"), path=path).family
    'path'
    """

    _document: Document = field(init=False, compare=False)
    _points: Points = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check what the fields hold."""
        given = {key.name: getattr(self, key.name) for key in fields(spec.Scenario)}
        self._adopt(given, PYTHON_SOURCE, "")

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """Read the scenario in a file.

        Parameters
        ----------
        path : str or Path
            A TOML or .json file; files that it names lie beside it.

        Returns
        -------
        Scenario
            The scenario.

        Raises
        ------
        InputError
            With one line, ``FILE: path: reason``.
        """
        return cls.from_dict(read_document(path), source=str(path), folder=Path(path).parent)

    @classmethod
    def from_dict(
        cls, document: Mapping[str, Any], *, source: str = PYTHON_SOURCE, folder: str | Path = ""
    ) -> Scenario:
        """Make a scenario from nested dictionaries, as TOML or JSON would hold it.

        Parameters
        ----------
        document : dict
            The keys of docs/reference/scenario.md.
        source : str, default "scenario"
            Name in front of error messages.
        folder : str or Path, optional
            Where files that the scenario names are looked for; by default the current folder.

        Returns
        -------
        Scenario
            The scenario.

        Raises
        ------
        InputError
            For a scenario that is refused.

        Examples
        --------
        >>> import airtcp as at
        >>> channel = {"kind": "iid", "loss_rate": 0.01}
        >>> document = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
        >>> link = at.Scenario.from_dict(document)
        >>> len(link.replace("tcp.window", [6, 24]).points())
        2
        """
        scenario = object.__new__(cls)
        scenario._adopt(document, source, folder)
        return scenario

    def to_dict(self) -> Document:
        """Nested dictionaries, as in a file: ``Scenario.from_dict(s.to_dict()) == s``."""
        return copy.deepcopy(self._document)

    def to_toml(self) -> str:
        """The text of a scenario file."""
        return to_toml(self._document)

    def replace(self, path: str | Mapping[str, Any], value: Any = None) -> Scenario:
        """Replace one value, or several.

        Parameters
        ----------
        path : str or dict
            The key, with list entries counted from 0: ``"path.hop[1].delay"``; or keys with their
            values: ``{"tcp.window": 6, "tcp.timeout": [50, 100]}``. The end of a path is enough
            where it is that of one key: "rate". The key "case" keeps the case of this name.
        value : optional
            The value of the one key; None leaves the key out.

        Returns
        -------
        Scenario
            The new scenario.

        Raises
        ------
        InputError
            For an unknown key and a value that is refused.
        """
        if not isinstance(path, (str, Mapping)):
            raise _no_path_error(path)
        changes = {path: value} if isinstance(path, str) else path
        return self.from_dict(with_values(self.to_dict(), changes))

    def points(self) -> Points:
        """The cases of the sweep; the first axis of the document varies slowest."""
        return self._points

    @property
    def replications(self) -> int:
        """Runs per point, the profile's if the document says nothing."""
        return int(self._points[0].data["stop"]["replications"])

    @property
    def family(self) -> str:
        """Kind of scenario: "slot" for one link divided into slots, "path" for hops."""
        return self._points[0].family

    def __len__(self) -> int:
        """The number of points."""
        return len(self._points)

    def __repr__(self) -> str:
        """The keys and values of the document, and the number of its points."""
        key_words = ", ".join(
            f"{key}={quote_value(value)}" for key, value in leaf_values(self._document)
        )
        return f"Scenario({key_words}) [{count(len(self), 'point')}]"

    def _repr_html_(self) -> str:
        rows = {key: _cell_text(value) for key, value in leaf_values(self._document)}
        return html_rows(f"Scenario, {count(len(self), 'point')}", rows)

    def _adopt(self, given: Mapping[str, Any], source: str, folder: str | Path) -> None:
        """Become what a document says, if it is valid."""
        refuse_crowd(given, source)
        document = plain_document(given)
        refuse_non_json(document, source)
        document = present_document(with_files(document, folder, source))
        refuse_crowd(document, source)
        points = Points(document, source)
        object.__setattr__(self, "_document", document)
        object.__setattr__(self, "_points", points)
        for key in fields(spec.Scenario):
            typed_value = _to_dataclass(key.name, document.get(key.name), document["profile"])
            object.__setattr__(self, key.name, typed_value)


_CANONICAL_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, eq=False)
class Point:
    """One case of a scenario: every value given, no axes.

    Attributes
    ----------
    compiled
        The point as the compiled part has read it.
    coordinates : dict
        The values that vary over the scenario, by dotted path; None where a kind of channel has no
        such key. `tcp.variant` is always there (in profile linux `tcp.congestion`), and on slots
        `channel.kind`. Lists are told apart by a text. Where the scenario has cases, `case` (the
        name of the point's) stands for all that they set.
    """

    compiled: _native.Point
    _among: Points

    @cached_property
    def json(self) -> str:
        """The point as text."""
        return self.compiled.json

    @cached_property
    def data(self) -> Document:
        """The point as a dictionary."""
        document: Document = json.loads(self.json)
        return document

    @cached_property
    def coordinates(self) -> dict[str, Any]:
        """Coordinates that distinguish the point from the others."""
        flat = _flatten_point(self.data, in_full=self._among.control_in_full)
        return {path: shorten_value(flat.get(path)) for path in self._among.varying}

    @cached_property
    def hash(self) -> str:
        """16 hex digits that name the point: equal for whatever gives equal simulated runs.

        Of SHA-256 over the canonical JSON without title, analysis, what it says to live runs, the
        name of its case, and what says how many runs there are.
        """
        named = {
            key: value
            for key, value in earlier_document(self.data).items()
            if key not in UNSHOWN_KEYS
        }
        named["stop"] = {k: v for k, v in named["stop"].items() if k not in REPLICATION_KEYS}
        return hashlib.sha256(_CANONICAL_ENCODER.encode(named).encode()).hexdigest()[:16]

    @property
    def family(self) -> str:
        """ "slot" or "path", as `Scenario.family`."""
        return family_of(self.data)

    @cached_property
    def is_random(self) -> bool:
        """True if two runs can differ; if not, all seeds and replications give the same."""
        return _native.is_random(self.compiled)

    @property
    def method(self) -> str:
        """Method of the analysis; empty where the profile has no analysis."""
        return str(self.data.get("analysis", {}).get("method", ""))

    def as_path(self) -> Scenario:
        """Turn the point into a path, whose link real packets can take.

        A point on slots becomes a slotted hop with the same sample path of losses under the same
        seed, and profile rfc with its window, its timeout as the shortest, one packet at first and
        no delayed ACK: no idealised TCP.

        Returns
        -------
        Scenario
            The path.

        Raises
        ------
        InputError
            If its packets cannot be real ones.
        """
        try:
            return Scenario.from_dict(json.loads(_native.as_path(self.compiled).json))
        except _native.ScenarioError as error:
            raise InputError(": ".join(error.args)) from None

    def two_state(self) -> TwoState | None:
        """The chain of its losses on slots; None if they form no two-state chain."""
        return self._chain

    @cached_property
    def _chain(self) -> TwoState | None:

        chain = _native.two_state(self.compiled)
        return None if chain is None else TwoState(p_gb=chain[0], p_bg=chain[1])


class Points(Sequence[Point]):
    """The points of a document in their order, each formed when it is asked for.

    All were checked when this was made. A million of them take 9 MB.
    """

    def __init__(self, document: Any, source: str) -> None:
        """Raises `InputError` for a document that is none of a scenario."""
        self._given = (document, source)
        text = json.dumps(document)
        if len(text) > MOST_BYTES:
            raise too_long_error(source)
        try:
            self._native = _native.Points(text)
        except _native.ScenarioError as error:
            path, reason = error.args
            raise ScenarioError(source, path, with_hint(path, reason)) from None
        self._kept: dict[int, Point] = {}

    def __len__(self) -> int:
        """The number of points."""
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> list[Point]: ...
    def __getitem__(self, index: int | slice) -> Point | list[Point]:
        """One point, or a list of several."""
        all_places = range(len(self))
        if isinstance(index, slice):
            return [self._point(place) for place in all_places[index]]
        return self._point(all_places[operator.index(index)])

    def distinct(self) -> NDArray[np.uint64]:
        """The number of the first of each that give equal runs, ascending."""
        import numpy as np  # noqa: PLC0415  (slow to import)

        return np.frombuffer(memoryview(self._native.distinct()), np.uint64)

    def random(self) -> NDArray[np.bool_]:
        """Flags of the points, true where two runs of the point can differ."""
        import numpy as np  # noqa: PLC0415  (slow to import)

        return np.frombuffer(self._native.random(), np.bool_)

    def representative_points(self) -> list[Point]:
        """A few points that show what varies: what is the same in these is the same in all."""
        return [self._point(place) for place in self._native.telling()]

    @cached_property
    def varying(self) -> list[str]:
        """Paths of the values that vary, and paths that are always shown."""
        points = [
            _flatten_point(data, in_full=self.control_in_full) for data in self._representative_data
        ]
        return _varying(points, self._native.case_keys())

    @cached_property
    def control_in_full(self) -> bool:
        """True if some congestion control has parameters: then the parameters of all are shown."""
        controls = (
            tcp.get("congestion") for data in self._representative_data for tcp in _tcp_tables(data)
        )
        return any(isinstance(control, dict) for control in controls)

    @cached_property
    def _representative_data(self) -> list[Document]:
        return [point.data for point in self.representative_points()]

    def _point(self, place: int) -> Point:
        cached_point = self._kept.get(place)
        if cached_point is None:
            cached_point = Point(self._native[place], self)
            if len(self) <= MOST_CACHED_POINTS:
                self._kept[place] = cached_point
        return cached_point

    def __reduce__(self) -> tuple[type[Points], tuple[Any, str]]:
        """Copies and pickles are made of the document."""
        return Points, self._given


def scenario_of(given: object) -> Scenario:
    """A scenario from what may stand for one: a dictionary, or the name of a file."""
    if isinstance(given, Scenario):
        return given
    if isinstance(given, Mapping):
        return Scenario.from_dict(given)
    if isinstance(given, (str, os.PathLike)):
        return Scenario.load(os.fspath(given))
    raise refusal("scenario", given, "a Scenario, a dictionary, or the name of a file")


def family_of(document: Mapping[str, Any]) -> str:
    """Kind of a valid document, or of a point: "slot" or "path"."""
    return "path" if "path" in document else "slot"


Step: TypeAlias = "str | int"
_INDEXED_STEP = re.compile(r"(.+?)((?:\[[0-9]{1,9}\])+)")


def steps(path: str) -> list[Step]:
    """The keys and numbers of a dotted path: path, hop, 1, delay of ``path.hop[1].delay``."""
    steps_found: list[Step] = []
    for key in path.split("."):
        numbered = _INDEXED_STEP.fullmatch(key)
        if numbered is None:
            steps_found.append(key)
        else:
            steps_found.append(numbered[1])
            steps_found += [int(number) for number in numbered[2][1:-1].split("][")]
    return steps_found


def with_values(document: Document, changes: Mapping[str, Any]) -> Document:
    """`document` with the values at dotted paths replaced; None removes a key."""
    document = present_document(document)
    for path, value in present_changes(changes, document.get("profile")).items():
        if not isinstance(path, str):
            raise _no_path_error(path)
        if path == CASE and isinstance(document.get(CASE), list) and _are_names(value):
            document[CASE] = _cases_named(document, [value] if isinstance(value, str) else value)
            continue
        route = steps(_whole_path(path, document))
        table: Any = document
        for depth, (step, following) in enumerate(pairwise(route)):
            _check_step(table, route[:depth], step, path)
            if isinstance(step, str):
                table = table.setdefault(step, {} if isinstance(following, str) else [])
            else:
                table = table[step]
        *above, last = route
        _check_step(table, above, last, path)
        if value is not None:
            table[last] = plain_document(value)
        elif isinstance(last, int):
            del table[last]
        else:
            table.pop(last, None)
    return document


def _whole_path(path: str, document: Document) -> str:
    """The path of the key that `path` is the end of, as results and plots take it."""
    first = steps(path)[0]
    if first == CASE or first in {key.name for key in fields(spec.Scenario)}:
        return path
    meant = _keys_ending(path, leaf_values(document))
    if not meant:  # it may have its default
        try:
            points = Points(document, PYTHON_SOURCE).representative_points()
        except InputError:
            return path
        meant = _keys_ending(path, [leaf for point in points for leaf in leaf_values(point.data)])
    if len(meant) > 1:
        raise refusal("path", path, f"one of {', '.join(meant)}")
    return meant[0] if meant else path


def _keys_ending(path: str, known: Sequence[tuple[str, Any]]) -> list[str]:
    """Keys of all cases that end so, each once; tables are keys as well."""
    shared = (key for key, _ in known if not key.startswith(f"{CASE}["))  # cases are told apart
    end, places = f".{path}", ((f"{key}.", f".{path}.") for key in shared)
    endings = (key[: key.rindex(inside) + len(end)] for key, inside in places if inside in key)
    return list(dict.fromkeys(endings))


def _are_names(value: Any) -> bool:
    several = isinstance(value, Sequence) and value and all(isinstance(text, str) for text in value)
    return isinstance(value, str) or bool(several)


def _cases_named(document: Document, names: Sequence[str]) -> list[Any]:
    """The cases of a document that have these names."""
    try:
        known = _native.case_names(json.dumps(document))
    except _native.ScenarioError as error:
        raise ScenarioError("", *error.args) from None
    for name in names:
        if name not in known:  # names may hold commas
            raise nearest_name_error(CASE, name, f"one of {', '.join(map(repr, known))}", known)
    return [document[CASE][known.index(name)] for name in names]


# By name alone, or as a table with parameters.
_NAMED_KEYS = ("tcp.congestion", "tcp.detection", "tcp.reduction", "tcp.slow_start")


def _check_step(holder: Any, above: list[Step], step: Step, path: str) -> None:
    """Refuse what has no such key or number; where a list is empty, let its first table be made."""
    inside = _dotted_path(above)
    if isinstance(step, str):
        if not isinstance(holder, dict):
            reason = f"{inside} is {quote_value(holder)}, which has no keys to set"
            if isinstance(holder, list) and _holds_tables(holder):
                reason = f"{inside} is a list: write {_with_number(path, inside)}"
            elif inside in _NAMED_KEYS:
                reason += f'; use a table: {inside} = {{kind = "...", {step} = ...}}'
            raise ScenarioError("", path, reason)
        return
    if not isinstance(holder, list):
        reason = (
            f"{inside} is {quote_value(holder)}, which is not a list, so it has no element [{step}]"
        )
        raise ScenarioError("", path, reason)
    if not holder and step == 0:
        holder.append({})
    if step >= len(holder):
        last = f" to [{len(holder) - 1}]" if len(holder) > 1 else ""
        refusal_text = (
            f"{inside} has [0]{last}, counted from 0" if holder else f"{inside} has no element yet"
        )
        raise ScenarioError("", path, refusal_text)


def _with_number(path: str, inside: str) -> str:
    """``path.hop[0].rate`` for path.hop.0.rate and path.hop.rate, where `inside` is the list."""
    key, dot, after_number = path[len(inside) + 1 :].partition(".")
    return (
        f"{inside}[{key}]{dot}{after_number}"
        if key.isdecimal()
        else f"{inside}[0].{key}{dot}{after_number}"
    )


def _dotted_path(path_steps: list[Step]) -> str:
    step_texts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path_steps)
    return "".join(step_texts).removeprefix(".")


def _no_path_error(given: object) -> InputError:
    return refusal("path", given, 'a dotted path such as "tcp.window", or a table of them')


def _varying(flat: list[Document], of_cases: Sequence[str]) -> list[str]:
    """Paths of the values that vary over these flat points, and paths that are always shown.

    The name of the case stands for the values under the paths `of_cases`.
    """
    order = {key: index for index, key in enumerate(SWEPT_KEYS)}
    all_paths = dict.fromkeys(path for row in flat for path in row)
    paths = sorted(all_paths, key=lambda path: order[path.split(".", 1)[0].split("[", 1)[0]])
    shown = (next((key for key in keys if key in all_paths), CASE) for keys in ALWAYS_SHOWN)
    always = {CASE, *shown}
    return [
        path
        for path in paths
        if not any(_is_within(path, key) for key in of_cases)
        and (path in always or any(other.get(path) != flat[0].get(path) for other in flat))
    ]


def _is_within(path: str, above: str) -> bool:
    """True if a path is another one, or lies below it."""
    return path.startswith(above) and path[len(above) : len(above) + 1] in ("", ".", "[")


def _flatten_point(data: Document, *, in_full: bool) -> Document:
    """The values of a point that an axis may hold, by path.

    A congestion control with its defaults is written as its name; `in_full` spells them out.
    """
    swept = {key: data[key] for key in SWEPT_KEYS if key in data}
    if in_full:
        swept = copy.deepcopy(swept)
        for tcp in _tcp_tables(swept):
            if isinstance(tcp.get("congestion"), str):
                tcp["congestion"] = _control_in_full(tcp["congestion"])
    return dict(leaf_values(swept))


def _tcp_tables(data: Document) -> list[Document]:
    """The tables of TCP keys: the common one, and the tables of flows."""
    flows = data.get("flow", [])
    return [data.get("tcp", {}), *(flow["tcp"] for flow in flows if "tcp" in flow)]


def _control_in_full(name: str) -> Document:
    return {"kind": name} | {key.name: key.default for key in fields(spec.CONGESTIONS[name])}


def changes_runs(path: str) -> bool:
    """True if the value at a path can change a simulated run."""
    section, dot, _ = path.partition(".")
    return not dot or section not in UNSHOWN_KEYS


def shorten_value(value: Any) -> Any:
    """A value that can be compared and put into a column; lists become a text."""
    if not isinstance(value, list):
        return value
    text = json.dumps(value)
    if len(text) <= 40:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{text[:20]}... ({len(value)} entries, {digest})"


def value_at(data: Any, path: str) -> Any:
    """The value at a dotted path, None if there is none."""
    part_found = data
    for step in steps(path):
        if isinstance(step, str):
            part_found = part_found.get(step) if isinstance(part_found, dict) else None
        else:
            part_found = (
                part_found[step]
                if isinstance(part_found, list) and step < len(part_found)
                else None
            )
    return part_found


def leaf_values(data: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """(dotted path, value) of everything in nested dictionaries and lists of them."""
    leaves_found: list[tuple[str, Any]] = []
    for key, value in data.items():
        leaves_found += _leaves_of(value, f"{above}{key}")
    return leaves_found


def _leaves_of(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict) and "from" not in value:  # a range is one value
        return leaf_values(value, f"{path}.")
    if isinstance(value, list) and len(value) <= MOST_TABLES and _holds_tables(value):
        return [leaf for i, text in enumerate(value) for leaf in _leaves_of(text, f"{path}[{i}]")]
    return [(path, value)]


def _holds_tables(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, dict) and "from" not in value for value in values)


def _to_dataclass(name: str, value: Any, profile: str, above: str = "") -> Any:
    """The value of a valid document under a key as its dataclass; lists become tuples."""
    if isinstance(value, list):
        name = f"{name}[]" if f"{name}[]" in spec.TABLES else name
        return tuple(_to_dataclass(name, item, profile, above) for item in value)
    if not isinstance(value, dict) or name == CASE:
        return value
    if "from" in value:
        return spec.Range(value["from"], value["to"], value["points"], value["scale"])
    known = spec.TRANSPORTS[profile] if name == "tcp" else _dataclass_of(name, value, above)
    given = {
        key: _to_dataclass(key, item, profile, name) for key, item in value.items() if key != "kind"
    }
    return known(**(dict.fromkeys(_keys_from_cases(known, given)) | given))


def _dataclass_of(name: str, value: Mapping[str, Any], above: str) -> type[Any]:
    """The class of a table under the key `name`."""
    table = spec.TABLES.get(f"{above}.{name}") or spec.TABLES[name]
    return table if isinstance(table, type) else table[value["kind"]]


def _keys_from_cases(known: type[Any], given: Mapping[str, Any]) -> list[str]:
    """Required keys that a table does not give: in a valid scenario the cases give them."""
    needed = (key.name for key in fields(known) if key.default is MISSING)
    return [name for name in needed if name not in given]


def _cell_text(value: Any) -> str:
    """A value for a table; a list without its brackets."""
    if not isinstance(value, list):
        return str(value)
    few = ", ".join(map(str, value[:20]))
    return few if len(value) <= 20 else f"{few}, ... ({len(value)} entries)"
