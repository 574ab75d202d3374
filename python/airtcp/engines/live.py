"""The engine of real packets over the emulated path, in real time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from airtcp.campaign.dataset import GROUP
from airtcp.campaign.live_points import stack_of, tcp_of, why_no_live_run, why_not_comparable
from airtcp.campaign.live_runs import LiveKeeping, LiveTables, packed, take_old_runs, unpacked
from airtcp.campaign.loop import Campaign, Fixed
from airtcp.comparison.answer import Answer, Estimates
from airtcp.engines.protocol import Covered, Order
from airtcp.errors import InputError
from airtcp.live import engine
from airtcp.live.engine import LiveAsked
from airtcp.live.executor import LiveRuns
from airtcp.metrics.live import COLUMNS, METRICS, VALID
from airtcp.simulation.replications import Interrupted, carry_out
from airtcp.stats import grouped_means
from airtcp.stats.rare import telling
from airtcp.stats.verdict import Estimate

if TYPE_CHECKING:
    from airtcp.campaign.executor import Task
    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


NAME = "live"


class Live:
    """Answers by transfers of the kernel's TCP, or of ours, a run at a time for each place."""

    name = NAME
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

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Its table has a row per point: `live_tcp`, `live_M` with `live_M_low`, `live_M_high` for
        every metric, `live_valid`, `live_note`.

        `live_tcp` is whose TCP answered, "kernel" or "airtcp"; `live_valid` the share of the runs
        with which the machine kept up; `live_note` says why there is no answer, or why a run
        failed. Raises `InputError` if no run succeeds, and on Ctrl-C `Interrupted` with the answer
        of what was finished.
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
            interrupted.answer = self._answer(campaign)
            raise
        found = self._answer(campaign)
        if campaign.failed and not any(found.estimates.numbers or ()):
            raise InputError(next(iter(campaign.failed.values())))
        self._put(campaign, store)
        return found

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

    def _answer(self, campaign: Campaign) -> Answer:
        rows, place = list[dict[str, Any]](), 0
        numbers = list[list[int]]()
        values: dict[str, list[Any]] = {name: [] for name in METRICS}
        points = self._asked.scenario.points()
        for point in points:
            covered, runs, failed = self.covers(point), list[tuple[int, bytes]](), ""
            if isinstance(covered, Covered):
                runs = campaign.runs(place, 0, self._asked.replications)
                failed = campaign.failed.get(self._keeping.key(point), "")
                place += 1
            found = dict(zip(COLUMNS, unpacked([run for _, run in runs]).T, strict=True))
            rows.append(_about(covered, found, failed))
            numbers.append([number for number, _ in runs])
            for name in METRICS:
                values[name].append(found[name])
        return answer_of(points, rows, values, numbers)


def answer_of(
    points: Sequence[Point],
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Sequence[Any]],
    numbers: Sequence[Sequence[int]],
) -> Answer:
    """Of each point `live_tcp`, `live_runs`, `live_valid`, `live_note`, which replications there
    are, and of each metric their values.
    """
    import pandas  # noqa: PLC0415

    means = {name: [_means(runs) for runs in known] for name, known in values.items()}
    table = [
        _row(row, {name: known[place] for name, known in means.items()})
        for place, row in enumerate(rows)
    ]
    said = partial(_estimates, points, rows, values, numbers, means)
    return Answer(NAME, said, pandas.DataFrame(table))


def _means(runs: Any) -> Mapping[str, float]:
    found = grouped_means(runs if len(runs) else [math.nan], [0] * max(1, len(runs)))
    return {name: float(found[name][0]) for name in ("mean", "sd", "low", "high")}


def _estimates(
    points: Sequence[Point],
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Sequence[Any]],
    numbers: Sequence[Sequence[int]],
    means: Mapping[str, Sequence[Mapping[str, float]]],
) -> Estimates:
    estimates = {
        name: [_estimate(runs, mean) for runs, mean in zip(known, means[name], strict=True)]
        for name, known in values.items()
    }
    why = [_why_not(point, row) for point, row in zip(points, rows, strict=True)]
    return Estimates(NAME, estimates, why, values, numbers)


def _estimate(runs: Any, mean: Mapping[str, float]) -> Estimate:
    if not len(runs):
        return Estimate(math.nan)
    return Estimate.of_runs(mean["mean"], mean["sd"], len(runs), telling=telling(runs))


def _why_not(point: Point, row: Mapping[str, Any]) -> str:
    """Why no verdict can be given: no answer, another TCP, or a machine that was too slow."""
    valid, runs = row["live_valid"], row["live_runs"]
    if row["live_note"]:
        return str(row["live_note"])
    if unlike := why_not_comparable(point.data, row["live_tcp"]):
        return unlike
    late = round((1.0 - valid) * runs) if valid < 1.0 else 0
    return f"the machine did not keep up with {late} of {runs} live runs" if late else ""


def _row(row: Mapping[str, Any], means: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """A row of the table, with the means of the runs before what is said of them."""
    last = ("live_valid", "live_note")
    found = {name: one for name, one in row.items() if name not in last}
    for name, mean in means.items():
        for part, column in (("", "mean"), ("_low", "low"), ("_high", "high")):
            found[f"live_{name}{part}"] = mean[column]
    return found | {name: row[name] for name in last}


def _about(covered: Covered | str, runs: Mapping[str, Any], failed: str) -> dict[str, Any]:
    """Whose TCP answered at a point, how many valid runs there are, and why there are none."""
    number, is_covered = len(runs[VALID]), isinstance(covered, Covered)
    return {
        "live_tcp": covered.by if isinstance(covered, Covered) else "",
        "live_runs": number,
        "live_valid": float(runs[VALID].mean()) if number else math.nan,
        "live_note": failed if is_covered else covered,
    }
