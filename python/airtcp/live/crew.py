"""Live runs, several at once: each is an emulator in a process of its own, awaited by a thread."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from airtcp.live.worker import all_ending

if TYPE_CHECKING:
    import pandas

    from airtcp.scenario import Point

Task = tuple["Point", int]
Outcome = dict[str, Any] | str  # what was measured, or why not
LOOK = 0.2  # s; Ctrl-C that comes as the main thread goes to sleep is not seen before it wakes


class Ended(KeyboardInterrupt):
    """Ctrl-C during live runs: `done` of `total` are finished, `rows` is their table."""

    def __init__(self, done: int, total: int, rows: pandas.DataFrame) -> None:
        """Keep them."""
        super().__init__(f"{done} of {total} live runs are finished")
        self.done = done
        self.total = total
        self.rows = rows


def carried_out(
    tasks: Sequence[Task], measure: Callable[[Point, int], Outcome], at_once: int
) -> Generator[tuple[Task, Outcome], None, None]:
    """Yield a task and what was measured as runs end, in any order.

    Whatever ends this, all runs have ended then. Raises what `measure` does.
    """
    with ThreadPoolExecutor(at_once) as pool:
        try:
            waiting = {pool.submit(measure, *task): task for task in tasks}
            while waiting:
                for future in _finished(waiting):
                    yield waiting.pop(future), future.result()
        except BaseException:
            with all_ending():
                pool.shutdown(cancel_futures=True)
            raise


def _finished(waiting: dict[Future[Outcome], Task]) -> set[Future[Outcome]]:
    return wait(waiting, LOOK, FIRST_COMPLETED).done
