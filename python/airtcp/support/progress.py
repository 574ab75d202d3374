"""A progress bar with the time left, on stderr so that stdout carries the result alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], object]
Report = Callable[[str, float, float], object]


@contextmanager
def progress_bar(shown: bool, label: str, total: int, done: int = 0) -> Iterator[Advance]:
    """Yield a function that moves the bar by some steps; it does nothing unless `shown`."""
    with progress_report(shown) as report:
        reached = done

        def advance(steps: int) -> None:
            nonlocal reached
            reached += steps
            report(label, reached, total)

        advance(0)
        yield advance


@contextmanager
def progress_report(shown: bool) -> Iterator[Report]:
    """Yield a function of (what, done, total) that sets the bar, in any unit of work.

    It does nothing unless `shown`.
    """
    if not shown:
        yield lambda what, done, total: None
        return
    from rich.console import Console  # noqa: PLC0415  (slow to import, seldom used)
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("starting", total=None)
        yield lambda what, done, total: bar.update(
            row, description=what, completed=done, total=total
        )
