"""Executors of runs: their interface, and threads of this process."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Protocol

from airtcp import _native
from airtcp.errors import InputError

_TASKS_PER_THREAD = 64  # tasks per thread: a commit must not leave a thread without work


class Task(NamedTuple):
    """One run to do: `point` is a number that identifies the point, `json` describes it.

    `links`: true if links and cross-traffic are counted too.
    """

    point: int
    json: str
    seed: int
    replication: int
    links: bool = False


class FinishedRun(NamedTuple):
    """One run that is done: its counts as int64, little-endian, by batch, flow and column.

    After them come the counts of links and cross-traffic, where they were asked for. `failed`: the
    reason why the run gave nothing, which only runs of real packets do; such a run is not kept.
    """

    point: int
    replication: int
    counts: bytes
    failed: str = ""


class Executor(Protocol):
    """Interface of an executor: takes tasks, and returns finished runs in any order."""

    def room(self) -> int:
        """Number of further tasks that the executor can use now."""

    def submit(self, tasks: Iterable[Task]) -> None:
        """Take tasks. Raises `InputError` for one that cannot be run."""

    def wait(self) -> list[FinishedRun]:
        """Block until something is finished and return all that is; empty if nothing is under way.

        Raises `InputError` for a run whose values contradict each other, `KeyboardInterrupt` on
        Ctrl-C (runs finished by then come with the next call).
        """

    def close(self) -> list[FinishedRun]:
        """End the runs under way; returns finished ones that were not given back yet."""


class ThreadExecutor:
    """Threads of this process, which run outside the interpreter's lock."""

    def __init__(self, jobs: int) -> None:
        """Start the threads."""
        self._runner = _native.Runner(jobs)
        self._most = _TASKS_PER_THREAD * jobs

    def room(self) -> int:
        """Number of further tasks that keep the threads busy."""
        return max(0, self._most - self._runner.outstanding)

    def submit(self, tasks: Iterable[Task]) -> None:
        """Queue tasks."""
        for (point, json, seed, links), group in groupby(tasks, itemgetter(0, 1, 2, 4)):
            replications = [task.replication for task in group]
            try:
                self._runner.submit(point, _compile_point(json), seed, replications, links)
            except _native.ScenarioError as error:
                raise _refusal_error(error) from None

    def wait(self) -> list[FinishedRun]:
        """All finished runs, at least one; empty if nothing is under way."""
        try:
            return [FinishedRun(*run) for run in self._runner.wait()]
        except _native.ScenarioError as error:
            raise _refusal_error(error) from None

    def close(self) -> list[FinishedRun]:
        """Cancel the runs, and join the threads."""
        self._runner.close()
        return self.wait()


@lru_cache(maxsize=64)  # a point comes again with each round of a run of it
def _compile_point(json: str) -> _native.Point:
    return _native.Point(json)


def _refusal_error(error: _native.ScenarioError) -> InputError:
    return InputError(": ".join(error.args))
