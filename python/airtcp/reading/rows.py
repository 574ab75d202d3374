"""The rows of results as arrays: the run of each row, and the values of its metrics.

Rows are read by column: what is not asked for is not read. They come sorted by point, flow,
replication and batch, each of them once: points that are equal share their runs, which then stand
in the files once per point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError, unknown_name
from airtcp.metrics.absent import present_name
from airtcp.metrics.parts import JOIN_RULES, add_parts, parts_are_values, run_starts
from airtcp.metrics.ratios import (
    Quotient,
    averaged_ratios,
    metrics_of,
    missing_counts,
    ratios,
    units_of_point,
)
from airtcp.metrics.records import RECORD_KEYS
from airtcp.metrics.table import TABLE, Metric, metrics_by_kind
from airtcp.reading.numbered import NumberedFlows, number_flows
from airtcp.scenario.axes import TableAxes
from airtcp.scenario.scenario import changes_runs

if TYPE_CHECKING:
    from airtcp.campaign.kept_runs import RunStorage
    from airtcp.scenario.scenario import Scenario
    from airtcp.support.frame import CodedColumn, Frame

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class TableSource(Protocol):
    """Source of rows: files, or a journal."""

    @property
    def names(self) -> Sequence[str]:
        """The columns."""

    def frame(self, columns: Sequence[str]) -> Frame:
        """The given columns of all rows."""


_RECORDS = {"links": "links", "traffic": "cross-traffic"}
_NO_ROWS = (
    "no rows: no run is finished, or every file is missing or damaged; the same command as before"
    " makes them anew"
)


@dataclass(frozen=True)
class RowKeys:
    """Point, flow, replication and batch of each row, sorted, each row once.

    - `points`: the coordinates of each point, one row per point, in order of appearance; `hashes`:
      their names; `exact`: true where nothing in the point is random, so that it has one run;
    - `point`: the row of `points`; `flow`, `replication`, `batch`: as in the files, 0 where they
      have no such column;
    - `rows`: where the row stands in the files; None if they are in this order;
    - `find_numbered`: makes `numbered` when it is needed; `find_axes`: makes the axes of tables;
    - `engine_keys`: columns of `points` that an engine adds to its runs; `keys_of_other_engines`:
      for keys that these rows do not have, the engine that adds them.
    """

    points: pandas.DataFrame
    hashes: Sequence[str]
    exact: NDArray[np.bool_]
    point: Ints
    flow: Ints
    replication: Ints
    batch: Ints
    rows: Ints | None
    find_numbered: Callable[[], list[NumberedFlows] | None]
    engine_keys: Sequence[str] = ()
    keys_of_other_engines: Mapping[str, str] = field(default_factory=dict)
    find_axes: Callable[[], TableAxes] = TableAxes

    @property
    def numbered(self) -> list[NumberedFlows] | None:
        """Flows, or sources, of each row of `points`; None if their numbers identify them."""
        return self.find_numbered()

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.point)


@dataclass(frozen=True)
class ResultRows:
    """The rows of one results folder.

    - `family`: "slot" or "path" for simulated runs, else "links", "traffic" or the name of an
      engine. Each link, source or run of an engine then counts as a point, with coordinates that
      name it;
    - `run_storage`: the way in which that engine keeps its runs; None if the rows follow from
      counts; `keys_of_other_engines`: as in `RowKeys`.
    """

    source: TableSource
    family: str
    coordinates: tuple[str, ...]
    scenario: Any  # () -> Scenario: expanding it takes time, and few metrics need it
    has_exact: bool  # whether nothing is random at some point
    run_storage: RunStorage | None = None
    keys_of_other_engines: Mapping[str, str] = field(default_factory=dict)

    @property
    def _keys_of_rows(self) -> Sequence[str]:
        """The keys that, with the point, identify a row."""
        return (
            RECORD_KEYS.get(self.family, ())
            if self.run_storage is None
            else (*self.run_storage.key_columns,)
        )

    @cached_property
    def runs(self) -> RowKeys:
        """Keys of each value: the keys of its run, or of its part if there is a single run."""
        parts, starts = self.parts, self._starts
        if starts is None:
            return parts
        point, flow, replication = (
            of_rows[starts] for of_rows in (parts.point, parts.flow, parts.replication)
        )
        nothing = np.zeros(len(starts), dtype=np.int64)
        return replace(
            parts, point=point, flow=flow, replication=replication, batch=nothing, rows=None
        )

    @cached_property
    def _starts(self) -> Ints | None:
        """Places at which the parts of each run begin; None where each row is a value."""
        parts = self.parts
        if not parts.batch.any() or parts_are_values([int(parts.replication.max()) + 1]):
            return None
        key = (parts.point * (parts.flow.max() + 1) + parts.flow) * (parts.replication.max() + 1)
        return run_starts(key + parts.replication)

    @cached_property
    def parts(self) -> RowKeys:
        """Keys of each row, the parts of a run one by one."""
        order = ("replication", "batch", "flow")
        present = [name for name in order if name in self.source.names]
        table = self._keys(present)
        codes, hashes = _code_column(table["scenario"])
        for key in self._keys_of_rows:
            codes, of_pairs = _refine_codes(codes, table[key])
            hashes = [hashes[code] for code in of_pairs.tolist()]
        keys = {name: table[name].astype(np.int64, copy=False) for name in present}
        nothing = np.zeros(len(codes), dtype=np.int64)
        flow, replication, batch = (
            keys.get(name, nothing) for name in ("flow", "replication", "batch")
        )
        rows = _row_order(codes, flow, replication, batch)
        first = np.zeros(len(hashes), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        points = {name: _python_values(table[name], first) for name in self.coordinates}
        if rows is not None:
            codes, flow, replication, batch = (
                array[rows] for array in (codes, flow, replication, batch)
            )
        frame = pandas.DataFrame(points, index=range(len(hashes)))
        exact, tell = self._exact_flags(hashes), cache(lambda: self._numbered(hashes))
        noted = () if self.run_storage is None else (*self.run_storage.key_columns,)
        keys_of_runs = (codes, flow, replication, batch)
        axes = cache(lambda: TableAxes.from_scenario(self.scenario()))
        return RowKeys(
            frame, hashes, exact, *keys_of_runs, rows, tell, noted, self.keys_of_other_engines, axes
        )

    def _numbered(self, hashes: Sequence[str]) -> list[NumberedFlows] | None:
        if self.run_storage is not None or self.family in ("slot", "links"):
            return None
        return number_flows(self.scenario(), hashes, self.family)

    def _exact_flags(self, hashes: Sequence[str]) -> NDArray[np.bool_]:
        if not self.has_exact:
            return np.zeros(len(hashes), dtype=bool)
        points = self.scenario().points()
        random = {points[int(place)].hash for place in np.flatnonzero(points.random())}
        return np.array([name not in random for name in hashes])

    def _keys(self, present: Sequence[str]) -> Frame:
        """The columns that say what each row is of."""
        names_there = self.source.names
        key_columns = ["scenario", *self.coordinates, *self._keys_of_rows]
        columns_wanted = list(dict.fromkeys([*key_columns, *present]))
        missing = next((name for name in columns_wanted if name not in names_there), None)
        if missing is not None and names_there:
            raise InputError(f"column {missing}: is in the manifest, but not in the files")
        table = None if missing is not None else self.source.frame(columns_wanted)
        if table is None or not len(table):
            raise InputError(_NO_ROWS)
        return table

    @property
    def counts(self) -> tuple[str, ...]:
        """The columns that were counted."""
        return tuple(name for name in self._counted_columns if name not in self.metrics)

    @property
    def _counted_columns(self) -> list[str]:
        """The columns that were counted, those among them that are metrics as they are."""
        keys = ("scenario", "engine", "model", "seed", "replication", "batch", "flow")
        known = {*keys, *self.coordinates, *self._keys_of_rows}
        known |= {name for name in self.source.names if not changes_runs(name)}
        metrics = self.metrics if self.run_storage is None else {}
        known |= {name for name in metrics if metrics[name].of[self.family] != name}
        return [name for name in self.source.names if name not in known]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that there are."""
        if self.run_storage is None:
            return metrics_of(self.family, self.source.names)
        names_there = {*self.run_storage.metrics} & {*self.source.names}
        return {name: metric for name, metric in TABLE.items() if name in names_there}

    def check_metric(self, given: object) -> str:
        """`given` if it is the name of a metric or of a count, or `InputError`."""
        if not self.source.names:
            raise InputError(_NO_ROWS)
        known = (*self.metrics, *self.counts)
        given = given if given in self.counts else present_name(given)
        if not isinstance(given, str) or given not in known:
            self._check_counts(given)
            for kind, words in _RECORDS.items():
                if isinstance(given, str) and given in metrics_by_kind(kind):
                    raise InputError(
                        f"metric = {given!r}: is a metric of {words}; ask by --{kind} on the"
                        f" command line, by results.{kind} in Python"
                    )
            raise unknown_name("metric", given, self.metrics)
        return given

    def _check_counts(self, given: object) -> None:
        """Refuse a metric if these rows lack counts for it, as those of older versions may."""
        metric = metrics_by_kind(self.family).get(given) if isinstance(given, str) else None
        if self.run_storage is None and metric is not None:
            counts = ", ".join(missing_counts(self.family, metric, self.source.names))
            raise InputError(f"metric = {given!r}: needs {counts}, which these runs lack")

    def values(self, metrics: Iterable[str], *, averaged: bool = False) -> dict[str, Floats]:
        """The values of metrics, one by one as in `runs`.

        Values of a run with parts follow from the counts of all parts. `averaged`: gives values
        whose mean over the runs of a point (and flow) is the ratio of means: see `averaged_ratios`.
        """
        names_wanted = list(dict.fromkeys(metrics))
        if self._starts is None and not averaged:
            return self.values_of_parts(names_wanted)
        if averaged:
            pooled = [name for name in names_wanted if self._is_pooled(name)]
            plain = [name for name in names_wanted if name not in pooled]
            values_found = self.values(plain) | self._from_counts(pooled, averaged=True)
            return {name: values_found[name] for name in names_wanted}
        return self._from_counts(names_wanted, averaged=False)

    def _is_pooled(self, name: str) -> bool:
        """True if a metric divides counts by counts, or is a rate in parts of single runs."""
        if name not in self.metrics or self.run_storage is not None:
            return False
        quotient = Quotient.parse(self.metrics[name].of[self.family])
        return quotient.divides_counts or (bool(quotient.below) and self._are_parts)

    @property
    def _are_parts(self) -> bool:
        """True if each value belongs to a part of a single run."""
        return self._starts is None and bool(self.parts.batch.any())

    def _from_counts(self, names_wanted: Sequence[str], *, averaged: bool) -> dict[str, Floats]:
        """The values of metrics from the counts of runs, their parts taken together."""
        if not names_wanted:
            return {}
        counts = self._columns(self._counted_columns)
        scales = () if self.family in RECORD_KEYS else self._units_of_rows().T
        if self._starts is not None:  # what is no count, as a rating, follows from the counts
            counts = {name: values for name, values in counts.items() if name in JOIN_RULES}
            counts = add_parts(counts, self._starts)
            scales = tuple(scale[self._starts] for scale in scales)
        if averaged:
            groups = self.runs.point * (int(self.runs.flow.max()) + 1) + self.runs.flow
            parts = self._are_parts
            known = averaged_ratios(
                counts, self.family, groups, *scales, only=names_wanted, parts=parts
            )
        else:
            known = counts | ratios(counts, self.family, *scales)
        return {name: np.asarray(known[name], dtype=np.float64) for name in names_wanted}

    def values_of_parts(self, metrics: Iterable[str]) -> dict[str, Floats]:
        """The values of metrics, row by row as in `parts`."""
        names_wanted = list(dict.fromkeys(metrics))
        stored = [name for name in names_wanted if name in self.source.names]
        columns = self._columns(stored)
        missing = [name for name in names_wanted if name not in columns]
        if missing:
            columns |= self._derived_metrics(missing)
        return {name: columns[name].astype(np.float64, copy=False) for name in names_wanted}

    def _columns(self, names: Sequence[str]) -> dict[str, Any]:
        if not names:
            return {}
        frame, rows = self.source.frame(names), self.parts.rows
        return {name: frame[name] if rows is None else frame[name][rows] for name in names}

    def _derived_metrics(self, metrics: Sequence[str]) -> dict[str, Floats]:
        """Metrics that are no columns, from the counts."""
        counts = self._columns(self.counts)
        ratios_found = ratios(counts, self.family, *self._units_of_rows().T)
        return {name: ratios_found[name] for name in metrics}

    def _units_of_rows(self) -> Floats:
        """`units` of each row: the units of its point, or of its flow if flows differ."""
        lengths = np.array([len(unit) for unit in self._units])
        first = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        point = self.parts.point
        flow = np.where(lengths[point] > 1, self.parts.flow, 0)
        units_of_all: Floats = np.concatenate(self._units)[first[point] + flow]
        return units_of_all

    @cached_property
    def _units(self) -> list[Floats]:
        """`units` of each point that has rows."""
        scenario: Scenario = self.scenario()
        places = {name: place for place, name in enumerate(self.parts.hashes)}
        units_found = [np.empty((0, 3))] * len(places)
        for point in scenario.points():
            if point.hash in places:
                units_found[places[point.hash]] = units_of_point(point)
        return units_found


def _code_column(column: CodedColumn) -> tuple[Ints, list[Any]]:
    """A column as numbers in order of appearance, and the value of each number."""
    used, first = np.unique(column.codes, return_index=True)
    place, number = np.zeros(len(column.values), dtype=np.int64), dict[Any, int]()
    for code in used[np.argsort(first)].tolist():
        place[code] = number.setdefault(column.values[code], len(number))
    return place[column.codes], list(number)


def _refine_codes(codes: Ints, column: CodedColumn | NDArray[Any]) -> tuple[Ints, Ints]:
    """Groups refined by a further column: the new code of each row, and the old code of each.

    New codes are numbered in order of appearance.
    """
    within = column if isinstance(column, np.ndarray) else _code_column(column)[0]
    pairs = codes * (int(within.max()) + 1) + within
    _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place], codes[np.sort(first)]


def _python_values(column: CodedColumn | NDArray[Any], rows: Ints) -> list[Any]:
    """Values of some rows as Python has them, None for none."""
    values: list[Any] = column[rows].tolist() if isinstance(column, np.ndarray) else column.at(rows)
    return values


def _row_order(point: Ints, flow: Ints, replication: Ints, batch: Ints) -> Ints | None:
    """Rows to take so that each run is there once, sorted; None for all as they are."""
    key = point
    for part in (flow, replication, batch):
        key = key * (int(part.max()) + 1) + part
    steps = np.diff(key)
    if (steps > 0).all():
        return None
    rows = np.argsort(key, kind="stable")
    ordered = key[rows]
    return rows[np.concatenate(([True], ordered[1:] != ordered[:-1]))]
