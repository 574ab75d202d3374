"""The engine of real packets over the emulated path, in real time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from airtcp.campaign.dataset import GROUP
from airtcp.campaign.live_points import stack_of, tcp_of, why_no_live_run
from airtcp.campaign.live_runs import LiveKeeping, LiveTables, packed, take_old_runs, unpacked
from airtcp.campaign.loop import Campaign, Fixed
from airtcp.engines.protocol import Covered, Order
from airtcp.errors import InputError
from airtcp.live import engine
from airtcp.live.engine import LiveAsked
from airtcp.live.executor import LiveRuns
from airtcp.metrics.live import COLUMNS, METRICS, VALID
from airtcp.simulation.replications import Interrupted, carry_out
from airtcp.stats import grouped_means

if TYPE_CHECKING:
    import pandas

    from airtcp.campaign.executor import Task
    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


class Live:
    """Answers by transfers of the kernel's TCP, or of ours, a run at a time for each place."""

    name = "live"
    families: ClassVar[tuple[str, ...]] = ("path",)
    keeps_runs = True

    def __init__(self, order: Order) -> None:
        """For one campaign."""
        self._asked = LiveAsked.of(
            order.asked.scenario,
            replications=order.asked.stop.rule.least,
            seed=order.asked.seed,
            stack=order.stack,
            live_jobs=order.live_jobs,
        )
        self._points = self._asked.points()
        self._keeping = LiveKeeping(order.stack)

    def covers(self, point: Point) -> Covered | str:
        """By whose TCP."""
        return why_no_live_run(point, self._asked.stack) or Covered(
            tcp_of(point, self._asked.stack)
        )

    def tasks(self, point: Point, rule: Rule) -> int:
        """All that are asked for: no two live runs are the same."""
        return rule.least if isinstance(self.covers(point), Covered) else 0

    def announcement(self) -> str:
        """How many runs there are, and how long they take."""
        return self._asked.announcement()

    def answer(self, store: Store, *, progress: bool) -> pandas.DataFrame:
        """A row per point: `live_tcp`, `live_M` with `live_M_low`, `live_M_high` for every metric,
        `live_valid`, `live_note`.

        `live_tcp` is whose TCP answered, "kernel" or "airtcp"; `live_valid` the share of the runs
        with which the machine kept up; `live_note` says why there is no answer, or why a run
        failed. Raises `InputError` if no run succeeds, and on Ctrl-C `Interrupted` with the rows of
        what was finished.
        """
        asked, journal = self._asked, store.journal
        if store.folder is not None:
            take_old_runs(store.folder, journal, self._points, self._keeping, asked.seed)
        campaign = Campaign(
            self._points, asked.seed, Fixed(asked.replications), journal, keeping=self._keeping
        )
        try:
            with closing(LiveRuns(self._measured, asked.at_once)) as runs:
                carry_out(campaign, runs, progress, "live")
        except Interrupted as interrupted:
            interrupted.rows = self._table(campaign)
            raise
        table = self._table(campaign)
        if campaign.failed and not table["live_runs"].any():
            raise InputError(next(iter(campaign.failed.values())))
        self._put(campaign, store)
        return table

    def _measured(self, task: Task) -> bytes:
        data = json.loads(task.json)
        own = stack_of(data, self._asked.stack) == "airtcp"
        found = engine.measured(data, own=own, seed=task.seed, replication=task.replication)
        return packed(found)

    def _put(self, campaign: Campaign, store: Store) -> None:
        if store.folder is None:
            return

        asked, points = self._asked, self._points
        tables = LiveTables(points, asked.seed, campaign.runs, campaign.used, asked.stack)
        runs = sum(len(campaign.runs(i, 0, n)) for i, n in enumerate(campaign.used))
        store.put_live({"live": tables.tables(GROUP)} if points else {}, runs)

    def _table(self, campaign: Campaign) -> pandas.DataFrame:
        import pandas  # noqa: PLC0415

        rows, place = list[dict[str, Any]](), 0
        numbers = list[list[int]]()
        values: dict[str, list[Any]] = {name: [] for name in METRICS}
        for point in self._asked.scenario.points():
            covered, runs, failed = self.covers(point), list[tuple[int, bytes]](), ""
            if isinstance(covered, Covered):
                runs = campaign.runs(place, 0, self._asked.replications)
                failed = campaign.failed.get(self._keeping.key(point), "")
                place += 1
            found = dict(zip(COLUMNS, unpacked([run for _, run in runs]).T, strict=True))
            rows.append(_row(covered, found, failed))
            numbers.append([number for number, _ in runs])
            for name in METRICS:
                values[name].append(found[name])
        table, asked = pandas.DataFrame(rows), self._asked
        names = ("stack", "seed", "replications")
        table.attrs = {name: getattr(asked, name) for name in names}
        table.attrs["runs"] = ByRun(numbers, values)
        return table


@dataclass(frozen=True, eq=False)
class ByRun:
    """Of each point which replications there are, and of each metric their values."""

    numbers: Sequence[Sequence[int]]
    values: Mapping[str, Sequence[Any]]


def _row(covered: Covered | str, runs: Mapping[str, Any], failed: str) -> dict[str, Any]:
    """What the runs of a point say."""
    import numpy as np  # noqa: PLC0415

    is_covered = isinstance(covered, Covered)
    row: dict[str, Any] = {"live_tcp": covered.by if isinstance(covered, Covered) else ""}
    number = row["live_runs"] = len(runs[VALID])
    for name in METRICS:
        values = runs[name] if number else np.array([math.nan])
        means = grouped_means(values, np.zeros(len(values), dtype=int))
        for part, column in (("", "mean"), ("_low", "low"), ("_high", "high")):
            row[f"live_{name}{part}"] = means[column][0]
    row["live_valid"] = float(runs[VALID].mean()) if number else math.nan
    return row | {"live_note": failed if is_covered else covered}
