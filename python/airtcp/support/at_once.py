"""Compiled work on every usable core, which Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from airtcp import _native
from airtcp.support.cores import usable_cores
from airtcp.support.progress import Advance

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
POLL_SECONDS = (
    0.2  # s; Ctrl-C that comes as the main thread goes to sleep is not seen before it wakes
)


def run_in_parallel(calls: Sequence[Callable[[_native.Cancel], T]], advance: Advance) -> list[T]:
    """Carry out the calls and return their results, in order; `advance` gets 1 as each ends.

    A call leaves the interpreter's lock, and ends soon after its flag was set. The first error of a
    call, or Ctrl-C, ends all.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    if not calls:
        return []
    cancel = _native.Cancel()
    with ThreadPoolExecutor(min(len(calls), usable_cores())) as pool:
        try:  # from the first call on: what has begun is awaited at the end, whatever happens
            tasks = [pool.submit(call, cancel) for call in calls]
            for task in finished_futures(tasks):
                task.result()
                advance(1)
        except BaseException:
            cancel.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [task.result() for task in tasks]


def finished_futures(tasks: Sequence[Future[Any]]) -> Iterator[Future[Any]]:
    """The tasks in the order in which they end; waiting for them can be interrupted by Ctrl-C."""
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    for task in tasks:
        task.add_done_callback(ended.put)
    for _ in tasks:
        yield _next_finished(ended)


def _next_finished(queue: SimpleQueue[T]) -> T:
    while True:
        with suppress(Empty):
            return queue.get(timeout=POLL_SECONDS)
