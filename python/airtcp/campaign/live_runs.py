"""Live runs as a journal keeps them, and the table of them.

A run is its metrics and its validity, as doubles (`_live_metrics.COLUMNS`). Versions before the
journal had lines of JSON, `live.jsonl`; runs that a folder has in that file are still found.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.campaign.journal import Journal, Run, Series
from airtcp.campaign.live_points import congestion_of, tcp_of, why_not_comparable
from airtcp.campaign.run_table import TOGETHER, Piece, Runs, pieces
from airtcp.metrics.layout import Layout
from airtcp.metrics.live import COLUMNS, KEYS, METRICS, VALID
from airtcp.metrics.table import LIVE
from airtcp.scenario.scenario import Point
from airtcp.support.files import read_file
from airtcp.support.frame import Coded, Frame, Values, joined, uniform

OLD_FILE = "live.jsonl"
LAYOUT = Layout(LIVE, COLUMNS, 1, 1)


@dataclass(frozen=True)
class LiveKeeping:
    """Keys of live runs: the hash of the point, the TCP that sent, and its congestion control."""

    stack: str

    def key(self, point: Point) -> str:
        """The key as in the column scenario of the journal."""
        whose = tcp_of(point, self.stack)
        return f"{point.hash}+live/{whose}/{congestion_of(point.data)}"

    def layout(self, point: Point) -> Layout:
        """The layout, which is the same for all points."""
        return LAYOUT

    def is_random(self, point: Point) -> bool:
        """True: no two live runs are the same."""
        return True


def packed(found: dict[str, Any]) -> bytes:
    """A run in the form in which it is kept."""
    return np.array([float(found[name]) for name in COLUMNS], "<f8").tobytes()


def unpacked(runs: Sequence[bytes]) -> Any:
    """Runs from their kept form: a row for each, a column for each of `COLUMNS`."""
    return np.frombuffer(b"".join(runs), "<f8").reshape(len(runs), len(COLUMNS))


@dataclass(frozen=True, eq=False)
class LiveTables:
    """Tables of live runs of `points`, a row for each run; `runs` and `used` as of `RunTables`."""

    points: Sequence[Point]
    seed: int
    runs: Runs
    used: Sequence[int]
    stack: str

    def all(self) -> Frame:
        """All rows; without columns if there are none."""
        found = list(self.tables(TOGETHER))
        return joined(found) if found else Frame({})

    def tables(self, most: int) -> Iterator[Frame]:
        """All rows in tables of about `most` rows at most."""
        return map(self._table, pieces(self.used, [1] * len(self.points), most))

    def _table(self, piece: Piece) -> Frame:
        begin, end, first, last = piece
        found = [
            (place, replication, run)
            for place in range(begin, end)
            for replication, run in self.runs(place, first, min(last, self.used[place]))
        ]
        places = np.array([place for place, _, _ in found], np.int64)
        columns: dict[str, Any] = {
            name: Coded(places, values) for name, values in self._of_points.items()
        }
        columns["engine"] = Coded(np.zeros_like(places), Values([LIVE]))
        columns["model"] = np.full(places.size, _native.MODEL_VERSION, np.int64)
        columns["seed"] = np.full(places.size, self.seed, np.uint64)
        columns |= {name: Coded(places, values) for name, values in self._whose.items()}
        columns["replication"] = np.array([replication for _, replication, _ in found], np.int64)
        measured = unpacked([run for _, _, run in found]).T
        columns |= dict(zip(COLUMNS, measured, strict=True))
        return Frame(columns | {VALID: measured[-1].astype(np.int64)})

    @cached_property
    def _of_points(self) -> dict[str, Values]:
        values: dict[str, list[Any]] = {"scenario": [point.hash for point in self.points]}
        for path in self.points[0].coordinates:
            values[path] = uniform([point.coordinates[path] for point in self.points])
        return {path: Values(found) for path, found in values.items()}

    @cached_property
    def _whose(self) -> dict[str, Values]:
        stacks = [tcp_of(point, self.stack) for point in self.points]
        controls = [congestion_of(point.data) for point in self.points]
        return {name: Values(of) for name, of in zip(KEYS, (stacks, controls), strict=True)}


def take_old_runs(
    folder: Path, journal: Journal, points: Sequence[Point], keeping: LiveKeeping, seed: int
) -> None:
    """Bring the runs of these points that a folder has in its old file into the journal."""
    file = folder / OLD_FILE
    if not file.exists():
        return
    known = {
        (point.hash, tcp_of(point, keeping.stack)): Series(
            keeping.key(point), _native.MODEL_VERSION, seed
        )
        for point in points
        if not why_not_comparable(point.data)  # those versions had no live.congestion
    }
    old: list[Run] = []
    for line in read_file(file).decode(errors="replace").splitlines():
        if (read := old_run(line)) is not None:
            (name, of_seed, tcp, replication), run = read
            model, _, scenario = name.partition("/")
            series = known.get((scenario, tcp))
            if series is None or (model, of_seed) != (str(_native.MODEL_VERSION), seed):
                continue
            if not journal.runs(series, LAYOUT.size, replication, replication + 1):
                old.append((series, replication, run))
    if old:
        journal.add(old)


def old_run(line: str) -> tuple[tuple[str, int, str, int], bytes] | None:
    """The key of a line of the old file and its run; None for a line that cannot be one."""
    try:
        read = json.loads(line)
        name, seed, tcp, replication = read["key"]
        run = {one: _number(read["run"][one]) for one in METRICS}
        run[VALID] = float(read["run"][VALID] is True)
        key = (str(name), operator.index(seed), str(tcp), operator.index(replication))
        return (key, packed(run)) if 0 <= key[3] < 2**31 else None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _number(value: object) -> float:
    """A metric, NaN where it was not measured. Raises `ValueError`, `OverflowError`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or np.isinf(float(value)):
        raise ValueError(value)
    return float(value)
