"""The engine of real packets over the emulated path, in real time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pandas

from airtcp.campaign.kept_runs import RunStorage
from airtcp.comparison.answer import Answer, EngineTraits, Estimates
from airtcp.engines.protocol import Coverage, EngineRequest
from airtcp.errors import InputError, count
from airtcp.live import engine
from airtcp.live.engine import METRIC_FUNCTIONS, VALID_METRIC, LiveRequest
from airtcp.live.executor import LiveExecutor
from airtcp.live.old_runs import take_old_runs
from airtcp.live.points import (
    live_congestion_of,
    live_tcp_of,
    reason_not_comparable,
    reason_without_live_run,
    stack_of,
)
from airtcp.plot.marks import MarkStyle
from airtcp.simulation.replications import Interrupted, execute_campaign
from airtcp.stats import grouped_means

if TYPE_CHECKING:
    from airtcp.campaign.executor import Task
    from airtcp.campaign.loop import Campaign, Rule, RunFormat
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


ENGINE_NAME = "live"
TRAITS = EngineTraits(
    marks=MarkStyle(ENGINE_NAME, "Full markers", "full", size=0.6, offset_points=3.0),
    sentence_alone="Real packets on the path of a scenario, in real time",
    sentence_beside="real packets on its path",
    values_words="live runs with 95 % intervals",
    columns_sentence=(
        f"Columns that begin with {ENGINE_NAME} are of real packets over the emulated path, in real"
        " time;"
        " valid says with how many of their runs the machine kept up."
    ),
    no_answer_words="Not live",
    answered_by_head="TCP",
    own_path_prefix=f"{ENGINE_NAME}.",
    is_repeatable=False,
)


@dataclass(frozen=True)
class LiveRunStorage(RunStorage):
    """Live runs: whose TCP sent, under which congestion control, and whether the machine kept up.

    `stack`: as in `airtcp.run`.
    """

    engine: ClassVar[str] = ENGINE_NAME
    metrics: ClassVar[tuple[str, ...]] = (*METRIC_FUNCTIONS, VALID_METRIC)
    flags: ClassVar[tuple[str, ...]] = (VALID_METRIC,)
    default_metrics: ClassVar[tuple[str, ...]] = (
        "goodput_bps",
        "efficiency",
        "timeouts",
        "transfer_time",
        VALID_METRIC,
    )
    key_columns: ClassVar[Mapping[str, str]] = {
        "stack": "Whose TCP sends",
        "congestion": "Congestion control of live runs",
    }

    stack: str = "auto"

    def reason_without_run(self, point: Point) -> str:
        """The reason why no TCP can answer for a point."""
        return reason_without_live_run(point, self.stack)

    def key_values(self, point: Point) -> tuple[str, ...]:
        """The TCP that sends, and its congestion control."""
        return live_tcp_of(point, self.stack), live_congestion_of(point.data)

    def remarks(self, runs: pandas.DataFrame) -> list[str]:
        """A line about runs with which the machine did not keep up."""
        late = int((runs[VALID_METRIC] == 0).sum())
        if not late:
            return []
        return [f"INVALID: the machine did not keep up in {late} of {count(len(runs), 'run')}."]


class Live:
    """Answers by transfers of the kernel's TCP, or of ours, a run at a time for each place."""

    name = ENGINE_NAME
    families: ClassVar[tuple[str, ...]] = ("path",)
    run_format: ClassVar[RunFormat | None] = LiveRunStorage()
    traits = TRAITS
    options = ("stack", "live_jobs")

    def __init__(self, order: EngineRequest) -> None:
        """Make the engine for one campaign. Raises `InputError` for what it does not run."""
        scenario = order.simulation_request.scenario
        if scenario.family not in self.families:
            raise InputError(
                f"engine = {ENGINE_NAME!r}: no kernel has the idealised TCP of profile"
                f" {scenario.profile};"
                " `airtcp live` runs real TCP over its link (docs/howto/live.md)"
            )
        self._asked = LiveRequest.from_options(
            scenario,
            replications=order.simulation_request.stop.rule.least,
            seed=order.simulation_request.seed,
            stack=order.stack,
            live_jobs=order.live_jobs,
        )
        self._points = self._asked.points()
        self._kept = LiveRunStorage().with_options_of(order)

    def coverage(self, point: Point) -> Coverage | str:
        """The TCP by which real packets answer for a point, or the reason why they do not."""
        return self._kept.reason_without_run(point) or Coverage(
            live_tcp_of(point, self._asked.stack)
        )

    def runs_needed(self, point: Point, rule: Rule) -> int:
        """All that are asked for: no two live runs are the same."""
        return rule.least if isinstance(self.coverage(point), Coverage) else 0

    def announcement(self) -> str:
        """Line on the number of runs, and on the time that they take."""
        return self._asked.announcement()

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Its table has a row per point: `live_tcp`, `live_M` with `live_M_low`, `live_M_high` for
        every metric, `live_valid`, `live_note`.

        `live_tcp` is whose TCP answered, "kernel" or "airtcp"; `live_valid` the share of the runs
        with which the machine kept up; `live_note` says why there is no answer, or why a run
        failed. Raises `InputError` if no run succeeds, and on Ctrl-C `Interrupted` with the answer
        of what was finished.
        """
        asked, journal, storage = self._asked, store.journal, self._kept
        if store.folder is not None:
            take_old_runs(store.folder, journal, self._points, storage, asked.seed)
        campaign = storage.campaign(self._points, asked.seed, asked.replications, journal)
        try:
            with closing(LiveExecutor(self._measure_task, asked.parallel_runs)) as runs:
                execute_campaign(campaign, runs, progress, ENGINE_NAME)
        except Interrupted as interrupted:
            interrupted.answer = self._answer_from_campaign(campaign)
            raise
        answer = self._answer_from_campaign(campaign)
        if campaign.failed and not any(answer.estimates.run_numbers or ()):
            raise InputError(next(iter(campaign.failed.values())))
        store.put_measured(storage, campaign, self._points, asked.seed)
        return answer

    def _measure_task(self, task: Task) -> bytes:
        data = json.loads(task.json)
        is_own_stack = stack_of(data, self._asked.stack) == "airtcp"
        metrics_found = engine.metrics_of_run(
            data, own=is_own_stack, seed=task.seed, replication=task.replication
        )
        return self._kept.pack_run(metrics_found)

    def _answer_from_campaign(self, campaign: Campaign) -> Answer:
        rows, place = list[dict[str, Any]](), 0
        numbers = list[list[int]]()
        values: dict[str, list[Any]] = {name: [] for name in METRIC_FUNCTIONS}
        points = self._asked.scenario.points()
        for point in points:
            covered, runs, failed = self.coverage(point), list[tuple[int, bytes]](), ""
            if isinstance(covered, Coverage):
                runs = campaign.runs(place, 0, self._asked.replications)
                failed = campaign.failed.get(self._kept.key(point), "")
                place += 1
            metrics_found = self._kept.unpack_runs([run for _, run in runs])
            rows.append(_point_row(covered, metrics_found, failed))
            numbers.append([number for number, _ in runs])
            for name in METRIC_FUNCTIONS:
                values[name].append(metrics_found[name])
        return answer_from_rows(
            points, rows, values, numbers, (self._asked.seed, self._asked.replications)
        )


def answer_from_rows(
    points: Sequence[Point],
    rows: Sequence[Mapping[str, Any]],
    values: Mapping[str, Sequence[Any]],
    numbers: Sequence[Sequence[int]],
    asked: tuple[int, int] = (1, 1),
) -> Answer:
    """An answer from rows of points and of runs.

    Each point has `live_tcp`, `live_runs`, `live_valid` and `live_note`, its replications, and
    their values of each metric. `asked`: the seed, and the number of replications.
    """
    means = {name: [_mean_metrics(runs) for runs in known] for name, known in values.items()}
    table = [
        _run_row(row, {name: known[place] for name, known in means.items()})
        for place, row in enumerate(rows)
    ]
    why = [_reason_without_verdict(point, row) for point, row in zip(points, rows, strict=True)]
    make_estimates = partial(Estimates.from_runs, ENGINE_NAME, values, numbers, why)
    by, runs, valid, reasons = ([row[name] for row in rows] for name in _FACT_COLUMNS)
    return LiveAnswer(
        ENGINE_NAME,
        make_estimates,
        pandas.DataFrame(table),
        answered_by=by,
        runs=runs,
        valid=valid,
        reasons=reasons,
        notes=_run_notes(valid, reasons),
        traits=TRAITS,
        seed_and_replications=asked,
    )


_FACT_COLUMNS = tuple(f"{ENGINE_NAME}_{name}" for name in ("tcp", "runs", "valid", "note"))
# Columns of the table that are no metrics.
_TCP_COLUMN, _RUNS_COLUMN, _VALID_COLUMN, _NOTE_COLUMN = _FACT_COLUMNS


@dataclass(frozen=True, eq=False)
class LiveAnswer(Answer):
    """The answer of real packets; `seed_and_replications`: the same for every point."""

    seed_and_replications: tuple[int, int] = (1, 1)

    def own_columns(self) -> pandas.DataFrame:
        """The columns of the table as they are."""
        return cast("pandas.DataFrame", self.table)

    def command_options(self, stack: str, *, led: bool) -> list[str]:
        """Options for a command line: the TCP, and, unless another engine leads, seed and runs."""
        seed, replications = map(str, self.seed_and_replications)
        own = [] if led else ["--seed", seed, "--replications", replications]
        return ["--stack", stack, *own]


def _run_notes(valid: Sequence[float], reasons: Sequence[str]) -> list[str]:
    """Lines on the kind of runs, and on the points at which the machine did not keep up."""
    lines = [
        f"{ENGINE_NAME}: real packets over the emulated path, in real time, of the kernel's TCP or"
        " of our"
        " own, airtcp (docs/howto/live.md)."
    ]
    if invalid := sum(share < 1 for share in valid):
        lines.append(f"INVALID: the machine did not keep up at {count(invalid, 'point')}.")
    return [
        *lines,
        *(f"{TRAITS.no_answer_words}: {reason}." for reason in dict.fromkeys(reasons) if reason),
    ]


def _mean_metrics(runs: Any) -> Mapping[str, float]:
    moments = grouped_means(runs if len(runs) else [math.nan], [0] * max(1, len(runs)))
    return {name: float(moments[name][0]) for name in ("mean", "low", "high")}


def _reason_without_verdict(point: Point, row: Mapping[str, Any]) -> str:
    """Reason why no verdict can be given: no answer, another TCP, or a machine too slow."""
    valid, runs = row[_VALID_COLUMN], row[_RUNS_COLUMN]
    if row[_NOTE_COLUMN]:
        return str(row[_NOTE_COLUMN])
    if unlike := reason_not_comparable(point.data, row[_TCP_COLUMN]):
        return unlike
    late = round((1.0 - valid) * runs) if valid < 1.0 else 0
    return f"the machine did not keep up with {late} of {runs} live runs" if late else ""


def _run_row(row: Mapping[str, Any], means: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """A row of the table: first the means of the runs, then validity and note."""
    last = (_VALID_COLUMN, _NOTE_COLUMN)
    columns = {name: value for name, value in row.items() if name not in last}
    for name, mean in means.items():
        for part, column in (("", "mean"), ("_low", "low"), ("_high", "high")):
            columns[f"{ENGINE_NAME}_{name}{part}"] = mean[column]
    return columns | {name: row[name] for name in last}


def _point_row(covered: Coverage | str, runs: Mapping[str, Any], failed: str) -> dict[str, Any]:
    """Row of a point: the TCP that answered, the runs and how many are valid, a reason if none."""
    number, is_covered = len(runs[VALID_METRIC]), isinstance(covered, Coverage)
    return {
        _TCP_COLUMN: covered.answered_by if isinstance(covered, Coverage) else "",
        _RUNS_COLUMN: number,
        _VALID_COLUMN: float(runs[VALID_METRIC].mean()) if number else math.nan,
        _NOTE_COLUMN: failed if is_covered else covered,
    }
