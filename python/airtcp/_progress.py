"""A progress bar with the time left, on stderr so that stdout carries the result alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], object]


@contextmanager
def progress_bar(shown: bool, label: str, total: int, done: int = 0) -> Iterator[Advance]:
    """Yield a function that moves the bar; it does nothing unless `shown`."""
    if not shown:
        yield lambda steps: None
        return
    from rich.console import Console  # noqa: PLC0415  (slow to import, seldom used)
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task(label, total=total, completed=done)
        yield lambda steps: bar.advance(row, steps)
