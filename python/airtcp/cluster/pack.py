"""A pack of runs: the data that travel to a worker of a cluster, and the answer.

Plain bytes and tuples alone, so that a worker with another airtcp can say so.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from typing import NamedTuple

from airtcp import _native
from airtcp.campaign.executor import Task

VERSIONS = (_native.__version__, _native.MODEL_VERSION)


class PackResult(NamedTuple):
    """A worker's answer: `counts` of the first runs of the pack, and the reason for their end.

    - `seconds`: how long they took;
    - `refusal`: (path, message) if the run after them has values that contradict each other;
    - `versions`: of the worker's airtcp and its model.
    """

    versions: tuple[str, int]
    seconds: float = 0.0
    counts: Sequence[bytes] = ()
    refusal: tuple[str, ...] = ()


def pack_tasks(tasks: Sequence[Task]) -> bytes:
    """The tasks as bytes; a point of several runs is in them once."""
    return pickle.dumps([tuple(task) for task in tasks])


def run_pack(pack: bytes, versions: tuple[str, int], limit: float) -> tuple[object, ...]:
    """Run tasks one after the other until `limit` seconds have passed, at least one.

    Returns the fields of a `PackResult`.
    """
    if versions != VERSIONS:
        return tuple(PackResult(VERSIONS))
    begin = time.perf_counter()
    seconds, refused = 0.0, ()
    counts: list[bytes] = []
    runner = _native.Runner(1)
    try:
        for point, json, seed, replication, links in pickle.loads(pack):
            runner.submit(point, _native.Point(json), seed, [replication], links)
            counts.extend(counts_of_run for _, _, counts_of_run in runner.wait())
            seconds = time.perf_counter() - begin
            if seconds > limit:
                break
    except _native.ScenarioError as error:
        refused = error.args
    finally:
        runner.close()
    return tuple(PackResult(VERSIONS, seconds, counts, refused))
