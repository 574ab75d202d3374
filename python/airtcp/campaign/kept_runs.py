"""Runs that an engine measures: how a journal keeps them, and the table of them.

The simulation keeps counts, from which metrics follow (`run_table`). Any other engine keeps metrics
as it measured them, one row per run, and says in a `RunStorage` what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from airtcp import _native
from airtcp.campaign.loop import Campaign, FixedReplications, Rule
from airtcp.campaign.run_table import ROWS_PER_TABLE, Piece, Runs, coordinates_of, split_into_pieces
from airtcp.errors import InputError
from airtcp.metrics.layout import Layout
from airtcp.support.frame import CodedColumn, Frame, SharedValues, join_frames

if TYPE_CHECKING:
    from typing import Self

    import pandas

    from airtcp.campaign.journal import Journal
    from airtcp.metrics.ratios import Floats
    from airtcp.scenario.scenario import Point


@dataclass(frozen=True)
class RunStorage:
    """Description of the runs that an engine keeps; each such engine defines a subclass.

    - `engine`: name of the engine in files and commands;
    - `metrics`: names of docs/reference/metrics.md. The journal keeps a run as their values,
      doubles in this order, so an engine must never change the order;
    - `flags`: the metrics that are 0 or 1; `default_metrics`: the metrics shown by default;
    - `key_columns`: columns that say more of a run than its point does, such as the TCP that sent,
      with their labels at an axis.

    Fields of a subclass are the options on which its runs depend (`with_options_of`). The manifest
    of a folder has them, so that other options make another campaign.
    """

    engine: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]
    flags: ClassVar[tuple[str, ...]] = ()
    default_metrics: ClassVar[tuple[str, ...]] = ()
    key_columns: ClassVar[Mapping[str, str]] = {}

    def with_options_of(self, request: object) -> Self:
        """This description with the options of a request: each field takes its attribute there."""
        return replace(self, **{field.name: getattr(request, field.name) for field in fields(self)})

    @property
    def options(self) -> dict[str, Any]:
        """The fields, for a manifest."""
        return asdict(self)

    def with_options(self, options: Mapping[str, Any], source: str) -> Self:
        """The description that a manifest has; `source` names it. Raises `InputError`."""
        known = {field.name for field in fields(self)}
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            refusal_words = f"engine {self.engine} of this version has no option {unknown!r}"
            raise InputError(f"{source}: options: {refusal_words}")
        return replace(self, **options)

    def reason_without_run(self, point: Point) -> str:
        """The reason why there is no run of a point; empty if there is one."""
        return ""

    def key_values(self, point: Point) -> tuple[str, ...]:
        """The values of `key_columns` at a point."""
        return ()

    def stop_rule(self, least: int) -> Rule:
        """Rule for the number of runs of every point, where `least` are asked for."""
        return FixedReplications(least)

    def remarks(self, runs: pandas.DataFrame) -> list[str]:
        """Lines that a reader of these runs needs."""
        return []

    # As `campaign.loop.RunFormat`

    def key(self, point: Point) -> str:
        """Key of the point's runs in a journal: its hash, the engine, and its `key_values`."""
        return f"{point.hash}+{'/'.join((self.engine, *self.key_values(point)))}"

    def layout(self, point: Point) -> Layout:
        """Layout of a run, which is the same for all points."""
        return Layout(self.engine, self.metrics, 1, 1)

    def is_random(self, point: Point) -> bool:
        """True unless two runs of a point cannot differ, so that one is enough."""
        return True

    # Runs in and out of a journal

    def pack_run(self, metrics_of_run: Mapping[str, Any]) -> bytes:
        """A run in the form in which a journal keeps it."""
        return np.array([float(metrics_of_run[name]) for name in self.metrics], "<f8").tobytes()

    def unpack_runs(self, runs: Sequence[bytes]) -> dict[str, Floats]:
        """The values of each metric, one per run."""
        values = np.frombuffer(b"".join(runs), "<f8").reshape(len(runs), len(self.metrics))
        return dict(zip(self.metrics, values.T, strict=True))

    def points_with_runs(self, points: Sequence[Point]) -> list[Point]:
        """The points of which there are runs."""
        return [point for point in points if not self.reason_without_run(point)]

    def campaign(
        self, points: Sequence[Point], seed: int, least: int, journal: Journal
    ) -> Campaign:
        """The campaign of the points with runs, with the runs that the journal has."""
        return Campaign(points, seed, self.stop_rule(least), journal, run_format=self)


@dataclass(frozen=True, eq=False)
class StoredRunTables:
    """Tables of kept runs of `points`, a row for each run; other fields as in `RunTables`."""

    storage: RunStorage
    points: Sequence[Point]
    seed: int
    runs: Runs
    runs_per_point: Sequence[int]

    @classmethod
    def from_campaign(
        cls, storage: RunStorage, points: Sequence[Point], seed: int, campaign: Campaign
    ) -> StoredRunTables:
        """The tables of a campaign of these points."""
        return cls(storage, points, seed, campaign.runs, campaign.runs_per_point)

    def all_rows(self) -> Frame:
        """All rows; without columns if there are none."""
        frames = list(self.tables(ROWS_PER_TABLE))
        return join_frames(frames) if frames else Frame({})

    def tables(self, most: int) -> Iterator[Frame]:
        """All rows in tables of about `most` rows at most."""
        return map(
            self._table, split_into_pieces(self.runs_per_point, [1] * len(self.points), most)
        )

    def _table(self, piece: Piece) -> Frame:
        begin, end, first, last = piece
        runs_found = [
            (place, replication, run)
            for place in range(begin, end)
            for replication, run in self.runs(place, first, min(last, self.runs_per_point[place]))
        ]
        places = np.array([place for place, _, _ in runs_found], np.int64)
        columns: dict[str, Any] = {
            name: CodedColumn(places, values) for name, values in self._point_columns.items()
        }
        columns["engine"] = CodedColumn(np.zeros_like(places), SharedValues([self.storage.engine]))
        columns["model"] = np.full(places.size, _native.MODEL_VERSION, np.int64)
        columns["seed"] = np.full(places.size, self.seed, np.uint64)
        columns |= {name: CodedColumn(places, values) for name, values in self._key_columns.items()}
        columns["replication"] = np.array(
            [replication for _, replication, _ in runs_found], np.int64
        )
        measured = self.storage.unpack_runs([run for _, _, run in runs_found])
        flags = {name: measured[name].astype(np.int64) for name in self.storage.flags}
        return Frame(columns | measured | flags)

    @cached_property
    def _point_columns(self) -> dict[str, SharedValues]:
        return coordinates_of(self.points)

    @cached_property
    def _key_columns(self) -> dict[str, SharedValues]:
        values_of_keys = [self.storage.key_values(point) for point in self.points]
        columns = zip(*values_of_keys, strict=True)
        return {
            name: SharedValues([*of])
            for name, of in zip(self.storage.key_columns, columns, strict=True)
        }
