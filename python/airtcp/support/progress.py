"""A progress bar with the time left, on stderr so that stdout carries the result alone.

In a notebook it is a line of text, which needs no widgets.
"""

from __future__ import annotations

import sys
import time
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
    if "ipykernel" in sys.modules:
        line = _ProgressLine()
        try:
            yield line.report
        finally:
            line.clear()
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
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    with Progress(
        *columns, console=Console(stderr=True, force_jupyter=False), transient=True
    ) as bar:
        row = bar.add_task("starting", total=None)
        yield lambda what, done, total: bar.update(
            row, description=what, completed=done, total=total
        )


class _ProgressLine:
    """A line of the terminal that is overwritten with each report."""

    EVERY = 0.25  # seconds, at least, between two writings

    def __init__(self) -> None:
        self._width = 0
        self._written = float("-inf")
        self._began: dict[str, tuple[float, float]] = {}  # by what is done: when, and at how much

    def report(self, what: str, done: float, total: float) -> None:
        """Show the share of `total` that is done, and about how long the rest takes."""
        now = time.monotonic()
        when, at = self._began.setdefault(what, (now, done))
        if now - self._written < self.EVERY and done < total:
            return
        self._written = now
        share = f" {100.0 * done / total:.0f} %" if total > 0 else ""
        left = (now - when) * (total - done) / (done - at) if done > at else 0.0
        self._write(f"{what}{share}" + (f", {_clock_text(left)} left" if left else ""))

    def clear(self) -> None:
        """Clear the line."""
        self._write("")
        self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text:{self._width}}")
        sys.stderr.flush()
        self._width = len(text)


def _clock_text(seconds: float) -> str:
    """A duration as 0:07, 12:30 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
