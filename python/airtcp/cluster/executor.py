"""Runs on the workers of a Dask cluster.

Runs travel in packs, one Dask task each, sized by the duration of recent runs, so that the
scheduler's millisecond per task does not matter. A pack that takes longer than foreseen ends early;
the rest of it is sent again. A pack whose workers died is also sent again, a few times.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from distributed import Client, Future, KilledWorker

from airtcp.campaign.executor import FinishedRun, Task
from airtcp.cluster.connection import local_cluster, remote_cluster
from airtcp.cluster.pack import VERSIONS, PackResult, pack_tasks, run_pack
from airtcp.errors import ClusterError, InputError, count
from airtcp.support.isolation import isolated_children

# Seconds that a pack is meant to take, and after which it ends early.
_SECONDS_PER_PACK, _PACK_LIMIT_SECONDS = 0.5, 1.0
_MOST_TASKS_PER_PACK = 5000  # runs in a pack
_PACKS_PER_WORKER = (
    3  # packs per thread of a worker: one runs, one waits there, one at the scheduler
)
_MOST_ATTEMPTS = 3  # how often a pack is sent whose workers died or whose scheduler was lost
_REFRESH_SECONDS = 5.0  # s between looks at how many workers there are
_MEMORY_SHARE = 0.8  # the weight of the packs before the last in how long a run takes


def dask_executor(name: str) -> DaskExecutor:
    """The executor of "dask-local:N" or "dask:ADDRESS". Raises `InputError`, `ClusterError`."""
    kind, _, what = name.partition(":")
    if kind == "dask-local":
        with ExitStack() as until_ended:
            until_ended.enter_context(isolated_children())
            client, cluster = local_cluster(name, what)
            until_ended.callback(cluster.close, timeout=_REFRESH_SECONDS)
            return DaskExecutor(name, client, until_ended.pop_all())
    return DaskExecutor(name, remote_cluster(name, what))


@dataclass(eq=False)
class _Pack:
    """Tasks under way; `attempts`: number of times that they were sent in vain."""

    tasks: list[Task]
    attempts: int
    future: Future


class DaskExecutor:
    """The workers of a cluster, which may come, go and die."""

    def __init__(self, name: str, client: Client, cluster: ExitStack | None = None) -> None:
        """Use a client; `close` ends it, together with the cluster if we started that."""
        self._name, self._client, self._cluster = name, client, cluster or ExitStack()
        self._packs: dict[str, _Pack] = {}  # under way, by key
        self._landed: SimpleQueue[Future] = SimpleQueue()  # the futures that came to some end
        self._open = True
        self._trouble: Exception | None = None  # to be raised when what is finished was returned
        self._runs = self._seconds = 0.0  # of the last packs, older ones with less weight
        self._threads, self._looked = 1, -_REFRESH_SECONDS

    def room(self) -> int:
        """Number of further tasks that it can use now: as many packs as keep the workers busy."""
        return (
            max(0, _PACKS_PER_WORKER * self._count_threads() - len(self._packs)) * self._pack_size()
        )

    def submit(self, tasks: Iterable[Task]) -> None:
        """Send tasks in packs."""
        size, remaining = self._pack_size(), iter(tasks)
        while pack := list(islice(remaining, size)):
            self._send_pack(pack, 0)

    def wait(self) -> list[FinishedRun]:
        """All finished runs, at least one; empty if nothing is under way."""
        while self._packs and self._trouble is None:
            finished = self._receive_runs(self._wait_for_packs())
            if finished:
                return finished
        if self._trouble is not None:
            raise self._trouble
        return []

    def close(self) -> list[FinishedRun]:
        """Drop the runs under way, leave the cluster, and end it if we started it."""
        self._open = False
        ended = [pack.future for pack in self._packs.values() if pack.future.done()]
        finished = []
        if self._client.status == "running":
            finished = self._receive_runs(ended)
        self._packs.clear()
        with suppress(OSError):
            self._client.close(timeout=_REFRESH_SECONDS)
        self._cluster.close()
        return finished

    def _send_pack(self, tasks: list[Task], attempts: int) -> None:
        if not self._open or self._trouble is not None:
            return
        if self._client.status == "closed":
            self._trouble = self._lost_cluster_error()
            return
        key = f"airtcp-{uuid4().hex}"
        arguments = (pack_tasks(tasks), VERSIONS, _PACK_LIMIT_SECONDS)
        future = self._client.submit(run_pack, *arguments, key=key, pure=False)
        self._packs[key] = _Pack(tasks, attempts, future)
        future.add_done_callback(self._landed.put)

    def _wait_for_packs(self) -> list[Future]:
        """The packs that have ended, at least one."""
        ended: list[Future] = []
        while not ended:
            with suppress(Empty):
                ended.append(self._landed.get(timeout=1.0))
                while True:
                    ended.append(self._landed.get_nowait())
            if self._client.status == "closed":
                raise self._lost_cluster_error()
        return ended

    def _lost_cluster_error(self) -> ClusterError:
        return ClusterError(f"{self._name}: the scheduler is gone; {_RESUME_NOTE}")

    def _receive_runs(self, futures: list[Future]) -> list[FinishedRun]:
        """The finished runs of packs; runs that a pack did not reach are sent again."""
        finished: list[FinishedRun] = []
        answers = self._gather_answers(
            {future.key: future for future in futures if future.key in self._packs}
        )
        for key, answer in answers.items():
            pack = self._packs.pop(key)
            if answer is None:
                self._retry_pack(pack)
                continue
            finished += self._read_answer(PackResult(*answer), pack)
        return finished

    def _gather_answers(self, futures: dict[str, Future]) -> dict[str, Any]:
        """Answers by key; None where there is none."""
        finished_futures = {
            key: future for key, future in futures.items() if future.status == "finished"
        }
        try:
            answers_found = self._client.gather(finished_futures, errors="skip")
        except Exception:  # a lost connection shows in many ways; the packs' states say what next
            answers_found = {}
        return {key: answers_found.get(key) for key in futures}

    def _read_answer(self, answer: PackResult, pack: _Pack) -> list[FinishedRun]:
        done, remaining = len(answer.counts), pack.tasks[len(answer.counts) :]
        if tuple(answer.versions) != VERSIONS:
            self._trouble = _other_version_error(self._name, answer.versions)
        elif answer.refusal:
            self._trouble = InputError(": ".join(answer.refusal))
        elif remaining:
            self._send_pack(remaining, pack.attempts)
        self._runs = _MEMORY_SHARE * self._runs + done
        self._seconds = _MEMORY_SHARE * self._seconds + answer.seconds
        return [
            FinishedRun(task.point, task.replication, counts)
            for task, counts in zip(pack.tasks, answer.counts, strict=False)
        ]

    def _retry_pack(self, pack: _Pack) -> None:
        """Send a pack whose workers died again; raise any other error."""
        error = pack.future.exception(timeout=1.0) if pack.future.status == "error" else None
        if error is not None and not isinstance(error, KilledWorker):
            self._trouble = _unstarted_pack_error(self._name, error)
        elif pack.attempts + 1 < _MOST_ATTEMPTS:
            self._send_pack(pack.tasks, pack.attempts + 1)
        else:
            what = "the workers died" if error is not None else "the connection was lost"
            runs = count(len(pack.tasks), "run")
            self._trouble = ClusterError(
                f"{self._name}: {what} each time that a pack of {runs} was sent,"
                f" {_MOST_ATTEMPTS} times; {_RESUME_NOTE}"
            )

    def _pack_size(self) -> int:
        """Number of runs in a pack: one until their duration is known."""
        if not self._seconds:
            return 1
        return max(
            1, min(_MOST_TASKS_PER_PACK, int(_SECONDS_PER_PACK * self._runs / self._seconds))
        )

    def _count_threads(self) -> int:
        """Number of threads of all workers; 1 if there are no workers yet."""
        if monotonic() - self._looked > _REFRESH_SECONDS and self._client.status == "running":
            with suppress(OSError):
                self._threads = max(1, sum(self._client.nthreads().values()))
            self._looked = monotonic()
        return self._threads


_RESUME_NOTE = "finished runs are kept, and the same command continues"


def _other_version_error(name: str, versions: tuple[str, int]) -> InputError:
    theirs, ours = (
        f"airtcp {version[0]} with model {version[1]}" for version in (versions, VERSIONS)
    )
    return InputError(
        f"executor = {name!r}: a worker runs {theirs}; install {ours}, as on this machine"
    )


def _unstarted_pack_error(name: str, error: BaseException) -> Exception:
    """The error for a pack that a worker, or the scheduler, could not even begin."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, (ImportError, AttributeError)):
        ours = f"airtcp {VERSIONS[0]}"
        return InputError(
            f"executor = {name!r}: its scheduler and workers must run {ours} ({cause})"
        )
    return error if isinstance(error, Exception) else RuntimeError(str(error))
