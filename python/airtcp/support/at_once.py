"""Compiled work on every usable core, which Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from airtcp import _native
from airtcp.support.cores import usable_cores
from airtcp.support.progress import Advance

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[_native.Cancel], T]], advance: Advance) -> list[T]:
    """What the calls return, in their order; `advance` gets 1 as each ends.

    A call leaves the interpreter's lock, and ends soon after its flag was set. The first error of
    one, or Ctrl-C, ends all.
    """
    from concurrent.futures import ThreadPoolExecutor, as_completed  # noqa: PLC0415

    if not calls:
        return []
    cancel = _native.Cancel()
    with ThreadPoolExecutor(min(len(calls), usable_cores())) as pool:
        tasks = [pool.submit(call, cancel) for call in calls]
        try:
            for task in as_completed(tasks):
                task.result()
                advance(1)
        except BaseException:
            cancel.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [task.result() for task in tasks]
