"""Live runs, several at once: each is an emulator in a process of its own, awaited by a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from airtcp.campaign.executor import FinishedRun, Task
from airtcp.errors import InputError
from airtcp.live.worker import end_all_emulators
from airtcp.support.at_once import POLL_SECONDS

Measure = Callable[[Task], bytes]


class LiveExecutor:
    """The executor of real packets: `measure` carries out a task and returns the data to keep."""

    def __init__(self, measure: Measure, at_once: int) -> None:
        """Allow `at_once` runs at the same time."""
        self._measure, self._most = measure, at_once
        self._pool = ThreadPoolExecutor(at_once)
        self._waiting: dict[Future[bytes], Task] = {}

    def room(self) -> int:
        """Number of places without a run."""
        return max(0, self._most - len(self._waiting))

    def submit(self, tasks: Iterable[Task]) -> None:
        """Start runs."""
        for task in tasks:
            self._waiting[self._pool.submit(self._measure, task)] = task

    def wait(self) -> list[FinishedRun]:
        """The runs that have ended, at least one; empty if none is under way.

        A run that ended with `InputError` has failed; its `failed` has the reason.
        """
        while self._waiting:
            if ended := wait(self._waiting, POLL_SECONDS, FIRST_COMPLETED).done:
                return [self._finished(future) for future in ended]
        return []

    def close(self) -> list[FinishedRun]:
        """End the runs under way; returns runs that had ended by themselves."""
        if not self._waiting:
            self._pool.shutdown()
            return []
        with end_all_emulators():
            self._pool.shutdown(cancel_futures=True)
        ended_futures = [
            future
            for future in self._waiting
            if not future.cancelled() and future.exception() is None
        ]
        finished_runs = [self._finished(future) for future in ended_futures]
        self._waiting.clear()
        return finished_runs

    def _finished(self, future: Future[bytes]) -> FinishedRun:
        task = self._waiting.pop(future)
        try:
            return FinishedRun(task.point, task.replication, future.result())
        except InputError as error:
            return FinishedRun(task.point, task.replication, b"", str(error))
