"""Live runs in the file of versions before the journal: lines of JSON, which are still found."""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from airtcp import _native
from airtcp.campaign.journal import Journal, Run, Series
from airtcp.campaign.kept_runs import RunStorage
from airtcp.live.engine import METRIC_FUNCTIONS, VALID_METRIC
from airtcp.live.points import reason_not_comparable
from airtcp.scenario.scenario import Point
from airtcp.support.files import read_file

OLD_FILE = "live.jsonl"


def take_old_runs(
    folder: Path, journal: Journal, points: Sequence[Point], storage: RunStorage, seed: int
) -> None:
    """Bring the runs of these points that a folder has in its old file into the journal."""
    file = folder / OLD_FILE
    if not file.exists():
        return
    known = {
        (point.hash, storage.key_values(point)[0]): Series(
            storage.key(point), _native.MODEL_VERSION, seed
        )
        for point in points
        if not reason_not_comparable(point.data)  # those versions had no live.congestion
    }
    old: list[Run] = []
    for line in read_file(file).decode(errors="replace").splitlines():
        if (read := old_run(line, storage)) is not None:
            (name, of_seed, tcp, replication), run = read
            model, _, scenario = name.partition("/")
            series = known.get((scenario, tcp))
            if series is None or (model, of_seed) != (str(_native.MODEL_VERSION), seed):
                continue
            if not journal.runs(series, len(run), replication, replication + 1):
                old.append((series, replication, run))
    if old:
        journal.add(old)


def old_run(line: str, storage: RunStorage) -> tuple[tuple[str, int, str, int], bytes] | None:
    """The key of a line of the old file and its run; None for a line that cannot be one."""
    try:
        read = json.loads(line)
        name, seed, tcp, replication = read["key"]
        run = {metric: _number(read["run"][metric]) for metric in METRIC_FUNCTIONS}
        run[VALID_METRIC] = float(read["run"][VALID_METRIC] is True)
        key = (str(name), operator.index(seed), str(tcp), operator.index(replication))
        return (key, storage.pack_run(run)) if 0 <= key[3] < 2**31 else None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _number(value: object) -> float:
    """A metric, NaN where it was not measured. Raises `ValueError`, `OverflowError`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or np.isinf(float(value)):
        raise ValueError(value)
    return float(value)
