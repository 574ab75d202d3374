"""The command `airtcp trace`: simulate once with every event kept, and write a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from airtcp.errors import InputError, count
from airtcp.events.limits import time_limits, words_for_limits
from airtcp.export import FIGURES, LINK_FIGURES, ONE_RUN, TABLES, check_target, write
from airtcp.scenario.scenario import Point, Scenario
from airtcp.simulation.events import Events
from airtcp.simulation.traces import several_points, trace_point
from airtcp.support.progress import Report, progress_report
from airtcp.support.seeds import check_replication, check_seed

LIMIT_OPTIONS = ("--from", "--to")


def write_trace(
    scenario: Scenario,
    out: str | Path,
    *,
    seed: int = 1,
    replication: int = 0,
    kind: str | None = None,
    table: str | None = None,
    flow: int | None = None,
    start: float | None = None,
    end: float | None = None,
    advertised: bool | None = None,
    progress: bool = False,
) -> str:
    """Run every point once and write the events from `start` to `end` (s); returns what was done.

    A table has the events of `flow`, or of all flows if that is None.

    The points of a sweep follow one another in a table and stand side by side in a figure of one
    flow; other files hold one. Raises `InputError`, and `OSError` if the disk is full.
    """
    target, points = check_target(out), scenario.points()
    _check_count(scenario, target, kind)
    if table is not None and target.suffix.lower() not in TABLES:
        raise InputError(f"--table {table}: is for tables ({', '.join(TABLES)}), not for {target}")
    if kind is not None and target.suffix.lower() not in FIGURES:
        raise InputError(f"--kind {kind}: is for figures ({', '.join(FIGURES)}), not for {target}")
    if advertised is not None and (
        target.suffix.lower() not in FIGURES or kind not in (None, "sequence")
    ):
        raise InputError("--advertised: is for figures with --kind sequence only")
    time_limits(start, end, LIMIT_OPTIONS)
    seed = check_seed(seed)
    replication = check_replication(replication)
    is_figure, shown = target.suffix.lower() in FIGURES, table or "events"
    is_table = target.suffix.lower() in TABLES
    if flow is not None and target.suffix.lower() == ".pcapng":
        raise InputError(
            f"--flow {flow}: a capture holds all flows; use a display filter in Wireshark"
        )
    links = kind in LINK_FIGURES or shown not in ("events", "traffic")
    written_rows = 0

    def runs(report: Report) -> Iterator[Events]:
        nonlocal written_rows
        for index, point in enumerate(points):
            report(f"simulating {_numbered_suffix(index, points)}", index, len(points))
            run = trace_point(point, seed, replication, links=links)
            events = run.between(start, end)
            if not len(events):
                raise _no_events_error(point, start, end)
            if flow is not None and is_table:
                events = events.of_flow(flow)
            written_rows += events.rows_of(shown)
            report(f"writing {count(len(events), 'event')}", index + 0.5, len(points))
            yield run if is_figure else events  # a figure begins with the state before it
            del run, events  # before the next run is made

    coordinates: list[dict[str, Any]] = [point.coordinates for point in points if len(points) > 1]
    with progress_report(progress) as report:
        write(
            runs(report),
            target,
            kind=kind or "sequence",
            flow=flow,
            coordinates=coordinates,
            start=start,
            end=end,
            table=shown,
            advertised=advertised,
        )
    noun = "event" if shown == "events" else "row"
    return f"{target}: {count(written_rows, noun)} of {count(len(points), 'run')}"


def _no_events_error(point: Point, start: float | None, end: float | None) -> InputError:
    limits = words_for_limits(start, end, LIMIT_OPTIONS)
    if limits:
        return InputError(f"{limits}: no event lies in this time")
    until = point.data["stop"]["time"]
    return InputError(f"stop.time = {until}: the run has no events, because no flow starts before")


def _check_count(scenario: Scenario, target: Path, kind: str | None) -> None:
    suffix = target.suffix.lower()
    if (suffix in ONE_RUN or kind in LINK_FIGURES) and len(scenario) > 1:
        raise several_points(scenario)
    if suffix in FIGURES:
        from airtcp.plot.sequence import MOST_PANELS  # noqa: PLC0415  (imports Matplotlib)

        if len(scenario) > MOST_PANELS:
            raise InputError(
                f"scenario: has {count(len(scenario), 'point')}, but a figure shows at most"
                f" {MOST_PANELS}: choose fewer by --set"
            )


def _numbered_suffix(index: int, points: Sequence[Point]) -> str:
    return f"point {index + 1} of {len(points)}" if len(points) > 1 else "the run"
