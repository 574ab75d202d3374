"""Axes of tables (`queue = ["1MB", {kind = "codel"}]`): one label for the coordinates of an entry.

Coordinates have a column for each key of each kind. People read the kind and what was written of
it: "drop-tail 1MB", "codel", "fq-codel packets 1000". Programs keep the columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp.scenario.scenario import CASE, Scenario, leaf_values, value_at
from airtcp.support.format import format_coordinate, short_names
from airtcp.support.units import parse_quantity

if TYPE_CHECKING:
    import pandas

KIND = "kind"
KIND_OF_SCALARS = {"queue": "drop-tail"}  # the kind for which a size alone stands
MOST_LISTED_VALUES = 6  # values of a list in a line
_LIST_ELEMENT = re.compile(r"(.+)\[\d+\]$")


@dataclass(frozen=True)
class TableAxis:
    """A list of tables, or of tables and scalars, under one key of a scenario.

    - `path`: path of the key, such as path.hop[0].queue; `entries`: the list as it was written;
    - `keys`: the coordinates that a label stands for. One that every entry varies is none of them:
      it is an axis of its own.
    """

    path: str
    entries: tuple[Any, ...]
    keys: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    def label(self, row: Mapping[str, Any], *, short: bool = False) -> str:
        """The label of a row with some of the coordinates; `short`: only what distinguishes it."""
        entry_found = self._entry(row)
        if entry_found is None:
            return format_coordinate(
                next((row[key] for key in self.keys if _is_scalar(row.get(key))), None)
            )
        kind, words_of_keys = self._words(entry_found, row)
        if short and kind:
            entries_alike = [
                dict(_written_items(entry)) for entry in self.entries if self._kind(entry) == kind
            ]
            words_of_keys = {
                key: text
                for key, text in words_of_keys.items()
                if _distinguishes(key, entries_alike)
            }
        return (
            " ".join(filter(None, [kind, *(_key_phrase(*word) for word in words_of_keys.items())]))
            or "-"
        )

    def names(self, row: Mapping[str, Any]) -> tuple[str, str, str]:
        """Texts that choose a row: its label, the short one, and its kind."""
        entry = self._entry(row)
        kind = "" if entry is None else self._kind(entry)
        return self.label(row), self.label(row, short=True), kind

    def explanation(self, head: str) -> str:
        """Sentence on what each entry is whose short label says less than the full one.

        `head`: head of the column of labels.
        """
        explanations: dict[str, None] = {}
        for entry in self.entries:
            kind, words = self._words(entry, {})
            if kind and words:
                text = ", ".join(_key_phrase(*word) for word in words.items())
                explanations[f"{kind}: {text}"] = None
        return f"{head}: {'; '.join(explanations)}." if explanations else ""

    def _words(self, entry: Any, row: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        """The kind of an entry, and the text of each key written; an empty key for a scalar."""
        kind, words_of_keys = self._kind(entry), dict[str, str]()
        for key, value in _written_items(entry):
            if key == KIND or value == kind or _varies_in_all(key, self.entries):
                continue
            of_row = row.get(f"{self.path}.{key}")
            words_of_keys[key] = _scalar_text(
                of_row if _is_axis(value) and _is_scalar(of_row) else value
            )
        return kind, words_of_keys

    def _kind(self, entry: Any) -> str:
        if isinstance(entry, dict):
            return str(entry.get(KIND, ""))
        return KIND_OF_SCALARS.get(self.name) or str(entry)

    def _entry(self, row: Mapping[str, Any]) -> Any:
        """The entry that a row is of: none of its values is another one, and most are the same."""
        agreeing = [
            (agreement, entry)
            for entry in self.entries
            if (agreement := self._count_agreements(entry, row)) >= 0
        ]
        return max(agreeing, key=lambda pair: pair[0])[1] if agreeing else None

    def _count_agreements(self, entry: Any, row: Mapping[str, Any]) -> int:
        """Count the coordinates of a row that an entry says; -1 if it says another value."""
        kind = f"{self.path}.{KIND}"
        if not isinstance(entry, dict):
            if kind in row and _is_scalar(row[kind]):
                return 1 if row[kind] == entry else -1
            if self.path not in row:
                return 0
            return 1 if is_same_value(row[self.path], entry) else -1
        if _is_scalar(row.get(self.path)):
            return -1
        paths = {key: f"{self.path}.{key}" for key, _ in _written_items(entry)}
        values_of_keys = {key: row[path] for key, path in paths.items() if path in row}
        for key, value in values_of_keys.items():
            given = dict(_written_items(entry))[key]
            values = given if isinstance(given, list) else [given]
            if not _is_range(given) and not any(
                is_same_value(value, known_value) for known_value in values
            ):
                return -1
        return len(values_of_keys)


def is_same_value(value: Any, written: Any) -> bool:
    """True if a coordinate is what was written: "300ms" is "0.3s"."""
    if not _is_scalar(value):
        return False
    first, other = parse_quantity(value), parse_quantity(written)
    if first is not None and other is not None:
        return first == other
    numbers = (int, float)
    if isinstance(value, numbers) and isinstance(written, numbers):
        return math.isclose(value, written, rel_tol=1e-12)
    return bool(value == written) or str(value) == str(written)


def _is_scalar(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _is_range(value: Any) -> bool:
    return isinstance(value, dict) and "from" in value


def _is_axis(value: Any) -> bool:
    return isinstance(value, list) or _is_range(value)


def _written_items(entry: Any) -> list[tuple[str, Any]]:
    """The keys and values written in a table, of inner tables by dotted paths; no key: a scalar."""
    return leaf_values(entry) if isinstance(entry, dict) else [("", entry)]


def _distinguishes(key: str, entries_alike: Sequence[Mapping[str, Any]]) -> bool:
    """True if entries of one kind differ in a key, or one of them varies it."""
    values = [entry.get(key) for entry in entries_alike]
    return any(value != values[0] for value in values) or any(map(_is_axis, values))


def _key_phrase(key: str, text: str) -> str:
    """ "target 5ms", "1000 packets", "1MB": a number alone counts packets."""
    if key == "packets":
        return f"{text} {key}"
    if not key and text.isdecimal():
        return f"{text} packets"
    return f"{key} {text}" if key not in ("", "bytes") else text


def _scalar_text(value: Any) -> str:
    if isinstance(value, list):
        return (
            ", ".join(map(format_coordinate, value))
            if len(value) <= MOST_LISTED_VALUES
            else f"{len(value)} values"
        )
    if _is_range(value):
        return f"{format_coordinate(value['from'])} to {format_coordinate(value['to'])}"
    return format_coordinate(value)


@dataclass(frozen=True)
class TableAxes:
    """The axes of tables of a scenario, to write coordinates as people read them."""

    axes: tuple[TableAxis, ...] = ()

    @classmethod
    def from_scenario(cls, scenario: Scenario) -> TableAxes:
        """Those that the coordinates of a scenario have columns of."""
        document, names = scenario.to_dict(), scenario.points().varying
        above = dict.fromkeys(path for name in names for path in _path_prefixes(name))
        axes_found = (_axis_at(document, path, names) for path in above)
        return cls(tuple(axis for axis in axes_found if axis is not None))

    def __bool__(self) -> bool:
        """True if there are any."""
        return bool(self.axes)

    def axis_of_key(self, key: str) -> TableAxis | None:
        """The axis that a coordinate belongs to, or that has this path."""
        return next((axis for axis in self.axes if key == axis.path or key in axis.keys), None)

    def axis_named(self, name: object) -> TableAxis | None:
        """The one axis that a path, or the end of one, names."""
        axes_found = [axis for axis in self.axes if f".{axis.path}".endswith(f".{name}")]
        return axes_found[0] if len(axes_found) == 1 and name else None

    def fold_keys(self, keys: Iterable[str]) -> list[str]:
        """The keys, with the path of an axis in the place of the first of its own."""
        owners = ((key, self.axis_of_key(key)) for key in keys)
        return list(dict.fromkeys(key if axis is None else axis.path for key, axis in owners))

    def unfold_key(self, key: str) -> list[str]:
        """The coordinates that a key stands for: several for the path of an axis."""
        axis = next((axis for axis in self.axes if key == axis.path), None)
        return [key] if axis is None else [*axis.keys]

    def row(self, row: Mapping[str, Any], *, short: bool = False) -> dict[str, Any]:
        """A row with a label for each axis in the place of its coordinates."""
        labelled_row: dict[str, Any] = {}
        for key, value in row.items():
            axis = self.axis_of_key(key)
            if axis is None:
                labelled_row[key] = value
            elif axis.path not in labelled_row:
                labelled_row[axis.path] = axis.label(row, short=short)
        return labelled_row

    def table(self, table: pandas.DataFrame, *, short: bool = False) -> pandas.DataFrame:
        """A table with a column of labels for each axis in the place of its coordinates."""
        table_axes = [axis for axis in self.axes if any(key in table for key in axis.keys)]
        for axis in table_axes:
            own = [key for key in axis.keys if key in table]
            rows = table[own].to_dict("records")
            labels = [axis.label({str(k): v for k, v in row.items()}, short=short) for row in rows]
            place = list(table.columns).index(own[0])
            table = table.drop(columns=own)
            table.insert(place, axis.path, labels)
        return table

    def explanations(self, keys: Sequence[str]) -> list[str]:
        """Lines on what the short labels of axes among the keys leave out."""
        heads = dict(zip(keys, short_names(keys), strict=True))
        lines = (axis.explanation(heads[axis.path]) for axis in self.axes if axis.path in heads)
        return [line for line in lines if line]


def _path_prefixes(name: str) -> list[str]:
    """A path and those above it, the shortest first."""
    parts = name.split(".")
    return [".".join(parts[:size]) for size in range(1, len(parts) + 1)]


def _axis_at(document: Mapping[str, Any], path: str, names: Sequence[str]) -> TableAxis | None:
    """The axis at a path, if it is one whose entries need a label."""
    if path == CASE or _LIST_ELEMENT.match(path):
        return None
    entries = value_at(document, path)
    if not isinstance(entries, list) or not any(_is_table(entry) for entry in entries):
        return None
    if path in ("flow", "traffic", "path.hop") or len(entries) < 2:
        return None
    own = [name for name in names if name == path or name.startswith(f"{path}.")]
    shared = [name for name in own if _varies_in_all(name.removeprefix(f"{path}."), entries)]
    keys = tuple(name for name in own if name not in shared)
    lone = len(keys) == 1 and all(
        keys[0].removeprefix(f"{path}.") in dict(_written_items(entry)) for entry in entries
    )
    return None if not keys or lone else TableAxis(path, tuple(entries), keys)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and not _is_range(value)


def _varies_in_all(key: str, entries: Sequence[Any]) -> bool:
    return all(_is_axis(dict(_written_items(entry)).get(key)) for entry in entries)
