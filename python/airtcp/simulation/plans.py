"""Cost of a sweep, estimated from a few runs before it starts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from airtcp.campaign.executor import Executor, Task, ThreadExecutor
from airtcp.campaign.stop_rule import StopCondition, UntilPrecise
from airtcp.errors import count, real_number, refusal
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import Floats, metric_of_whole_runs
from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.scenario.chance import exact_points_line
from airtcp.scenario.scenario import Scenario, scenario_of
from airtcp.simulation.replications import SimulationRequest
from airtcp.stats import CONFIDENCE
from airtcp.stats.precision import half_width
from airtcp.stats.rare import ENOUGH_CARRIERS, carrier_count
from airtcp.support.progress import progress_bar

if TYPE_CHECKING:
    import pandas

    from airtcp.scenario.scenario import Given

TRIAL_RUNS, FEWEST_TRIAL_RUNS = 10, 3  # runs of a point that is tried; fewer where they take long
DEFAULT_BUDGET = 5.0  # s
_ROW_WIDTH = 40  # bytes that a run takes in the journal beside its counts
_GOLDEN_RATIO = (math.sqrt(5.0) - 1.0) / 2.0


class TotalEstimate(NamedTuple):
    """A total over all points with its 95 % interval, which is empty where all were tried."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """Expected cost of a sweep.

    Attributes
    ----------
    scenario : Scenario
        The sweep.
    stop : Stop
        The rule that says how many replications a point needs.
    table : pandas.DataFrame
        A row per point that was tried: coordinates, `tried` runs, `mean` and `cv` (sd / mean) of
        the metric, `replications` and `precision` expected, `seconds_per_run` and `seconds`. A
        point without randomness needs one run; its precision is 0. If randomness is possible but
        the trial runs were all equal, the precision is NaN. `carrier_count` is the number of trial
        runs that carry the scatter, if so few do that it is hardly known (`airtcp.stats.rare`);
        otherwise NaN.
    runs : Estimate
        Runs of all points, with those that were not tried.
    seconds : Estimate
        Time of these runs on one thread, in s.
    bytes : float
        Size of the journal.
    jobs : int
        Threads of the sweep.
    """

    scenario: Scenario
    stop: StopCondition
    table: pandas.DataFrame
    runs: TotalEstimate
    seconds: TotalEstimate
    bytes: float
    jobs: int

    @property
    def points(self) -> int:
        """Points of the sweep."""
        return len(self.scenario)

    @property
    def wall(self) -> TotalEstimate:
        """Seconds on all threads."""
        return TotalEstimate(*(seconds / self.jobs for seconds in self.seconds))

    @property
    def metric(self) -> str:
        """The metric that the table is about."""
        return _metric(self.stop, self.scenario.family)

    @property
    def exact(self) -> int:
        """Points in which nothing is random: each needs one run."""
        return int((~self.scenario.points().random()).sum())

    @property
    def chance(self) -> str:
        """A line about points in which nothing is random; empty where there are none."""
        return exact_points_line(self.exact, self.points, self.stop.to_dict()["replications"])

    @property
    def short(self) -> int:
        """Number of tried points at which the precision will not be reached."""
        rule = self.stop.rule
        if not isinstance(rule, UntilPrecise):
            return 0
        return int((~(self.table["precision"] <= rule.precision.relative)).sum())

    def __repr__(self) -> str:
        """The totals in a few lines."""
        return (
            f"Plan({count(self.points, 'point')}, about {count(round(self.runs.value), 'run')},"
            f" {self.wall.value:.3g} s on {count(self.jobs, 'thread')})"
        )


def plan(
    scenario: Given,
    *,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | None = None,
    seed: int = 1,
    jobs: int | None = None,
    budget: float = DEFAULT_BUDGET,
    progress: bool = False,
) -> Plan:
    """Estimate the cost of `airtcp.sweep` with the same options.

    Some points, spread over the sweep, are run 10 times each on one thread, until all are tried or
    `budget` is spent; at least one point is run, 3 times. The scatter of the metric shows how many
    replications a point needs, and the time how long they take. Points that were not tried are
    taken to be like those that were.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        The scenario, its content as dictionaries, or the name of its file.
    replications : int, optional
        Runs per point; None: as the scenario says. Replication r is the same run whatever their
        number. A point in which nothing is random is run once.
    precision : float, optional
        In place of `replications`: go on until the 95 % interval of the mean of `metric` reaches no
        farther than this share of it to either side.
    metric : str, optional
        The metric of `precision`; None: throughput on slots, goodput on a path.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads of the sweep; None: one per usable core.
    budget : float, default 5.0
        Time for trial runs, in s.
    progress : bool, default False
        Show a bar with the time left on stderr.

    Returns
    -------
    Plan
        Runs, seconds and bytes to expect.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": [0.001, 0.01]}
    >>> link = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
    >>> plan = at.plan(link | {"stop": {"slots": 1000}}, replications=50, jobs=1)
    >>> plan.points, plan.runs.value
    (2, 100.0)
    """
    asked = SimulationRequest.of(
        scenario_of(scenario),
        replications=replications,
        precision=precision,
        metric=metric,
        seed=seed,
        jobs=jobs,
    )
    budget = real_number("budget", budget, "seconds above 0")
    if budget <= 0.0:
        raise refusal("budget", budget, "seconds above 0")
    distinct = asked.scenario.points().distinct()
    return _plan_of_trials(asked, list(_run_trials(asked, distinct, budget, progress)), distinct)


class _PointTrial(NamedTuple):
    """Trial runs of a point, by its number: the metric by flow and run, and their time together.

    The trial also has what the table says of the point; `size` is the bytes of a run's counts. The
    point itself is not kept, because thousands may be tried.
    """

    place: int
    coordinates: dict[str, Any]
    is_random: bool
    size: int
    values: Any
    seconds: float


def _run_trials(
    asked: SimulationRequest, distinct: NDArray[np.uint64], budget: float, progress: bool
) -> Iterator[_PointTrial]:
    deadline = time.monotonic() + budget
    with (
        closing(ThreadExecutor(1)) as executor,
        progress_bar(progress, "trying points", len(distinct)) as advance,
    ):
        for number in _trial_order(distinct, asked.scenario.points().random()):
            yield _trial_runs(executor, asked, number, deadline)
            advance(1)
            if time.monotonic() > deadline:
                return


def _trial_order(distinct: NDArray[np.uint64], random: NDArray[np.bool_]) -> Iterator[int]:
    """Points far from each other first; those that need one run, whatever is asked for, last."""
    for of_kind in (distinct[random[distinct]], distinct[~random[distinct]]):
        yield from (int(of_kind[number]) for number in _spread_numbers(len(of_kind)))


def _metric(stop: StopCondition, family: str) -> str:
    """The metric that the stop rule looks at, or else the one that a run shows first."""
    return stop.metric or DEFAULT_METRICS[family][0]


def _spread_numbers(points: int) -> Iterator[int]:
    """All numbers below `points`, the first few of them far from each other."""
    stride = max(1, round(points * _GOLDEN_RATIO))
    while math.gcd(stride, points) > 1:
        stride += 1
    return ((place * stride) % points for place in range(points))


def _trial_runs(
    executor: Executor, asked: SimulationRequest, place: int, deadline: float
) -> _PointTrial:
    """The first runs of a point: `TRIAL_RUNS`, fewer where they take too long, one if exact."""
    point, metric = asked.scenario.points()[place], _metric(asked.stop, asked.scenario.family)
    begin, counts = time.perf_counter(), list[bytes]()
    for replication in range(TRIAL_RUNS if point.is_random else 1):
        executor.submit([Task(0, point.json, asked.seed, replication)])
        counts += [run.counts for run in executor.wait()]
        if len(counts) >= FEWEST_TRIAL_RUNS and time.monotonic() > deadline:
            break
    seconds = time.perf_counter() - begin
    layout = layout_of(point)
    values = metric_of_whole_runs(point, layout, counts, metric)
    return _PointTrial(place, point.coordinates, point.is_random, layout.size, values, seconds)


def _plan_of_trials(
    asked: SimulationRequest, trials: list[_PointTrial], distinct: NDArray[np.uint64]
) -> Plan:
    import pandas  # noqa: PLC0415  (slow to import)

    trials = sorted(trials, key=lambda trial: trial.place)
    table = pandas.DataFrame([_plan_row(asked.stop, trial) for trial in trials])
    random = np.array([trial.is_random for trial in trials])
    exact = int((~asked.scenario.points().random()[distinct]).sum())
    runs, seconds = table["replications"].to_numpy(float), table["seconds"].to_numpy(float)
    each = table["seconds_per_run"].to_numpy(float)
    of_exact = (
        _total_for_runs(each, exact)
        if random.all()
        else _total_over_points(seconds[~random], exact)
    )
    all_runs = _sum_of_totals(
        _total_over_points(runs[random], len(distinct) - exact), _total_for_runs(np.ones(1), exact)
    )
    sizes = [trial.size + _ROW_WIDTH for trial in trials]
    return Plan(
        scenario=asked.scenario,
        stop=asked.stop,
        table=table,
        runs=all_runs,
        seconds=_sum_of_totals(
            _total_over_points(seconds[random], len(distinct) - exact), of_exact
        ),
        bytes=all_runs.value * float(np.average(sizes, weights=runs)),
        jobs=asked.threads,
    )


def _sum_of_totals(first: TotalEstimate, other: TotalEstimate) -> TotalEstimate:
    return TotalEstimate(*map(float.__add__, first, other))


def _total_for_runs(each: Floats, runs: int) -> TotalEstimate:
    """The total for runs that were not tried, from the cost of runs at other points."""
    return TotalEstimate(
        *(float(runs_per_point) * runs for runs_per_point in (each.mean(), each.min(), each.max()))
    )


def _plan_row(stop: StopCondition, trial: _PointTrial) -> dict[str, Any]:
    """The expected cost of one point; the flow with the largest scatter decides."""
    if not trial.is_random:
        return _exact_row(trial)
    means, scatter = _scatter(trial.values)
    few, tried = [carrier_count(row) for row in trial.values], trial.values.shape[1]
    runs = max(
        _expected_runs(stop, float(scatter_of_flow), number / tried)
        for scatter_of_flow, number in zip(scatter, few, strict=True)
    )
    worst = int(np.argmax(np.where(np.isnan(scatter), -1.0, scatter)))
    cv = float(scatter[worst])
    each = trial.seconds / tried
    return {
        **trial.coordinates,
        "tried": tried,
        "mean": float(means[worst]),
        "cv": cv,
        "replications": runs,
        "precision": half_width(cv, runs, _confidence(stop)) if cv > 0.0 else math.nan,
        "seconds_per_run": each,
        "seconds": each * runs,
        "carriers": few[worst],
    }


def _scatter(values: Floats) -> tuple[Floats, Floats]:
    """The mean of each row, and its standard deviation as a share of that."""
    constant = np.ptp(values, axis=1) == 0.0  # no rounding noise where nothing scatters
    means = np.where(constant, values[:, 0], values.mean(axis=1))
    spread = np.where(constant, 0.0, values.std(axis=1, ddof=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        scatter = np.where((spread == 0.0) & (means != 0.0), 0.0, spread / np.abs(means))
    scatter[means == 0.0] = np.inf  # a mean of 0 has no relative precision
    return means, scatter


def _exact_row(trial: _PointTrial) -> dict[str, Any]:
    """The row of a point in which nothing is random: its one run was tried."""
    return {
        **trial.coordinates,
        "tried": 1,
        "mean": float(trial.values[0, 0]),
        "cv": 0.0,
        "replications": 1,
        "precision": 0.0,
        "seconds_per_run": trial.seconds,
        "seconds": trial.seconds,
        "carriers": math.nan,
    }


def _expected_runs(stop: StopCondition, scatter: float, share: float) -> int:
    """Number of replications that the rule will take; `share` of them carry the scatter.

    A `share` of NaN means enough of them.
    """
    if not isinstance(stop.rule, UntilPrecise):
        return stop.rule.least
    rule = stop.rule.precision
    enough = math.ceil(ENOUGH_CARRIERS / share) if share > 0.0 else 0
    return min(max(rule.expected_runs(scatter), enough), rule.most)


def _confidence(stop: StopCondition) -> float:
    return stop.rule.precision.confidence if isinstance(stop.rule, UntilPrecise) else CONFIDENCE


def _total_over_points(values: Floats, points: int) -> TotalEstimate:
    """The total over all points; points that were not tried scatter as the others do."""
    if not points:
        return TotalEstimate(0.0, 0.0, 0.0)
    tried, total = values.size, float(values.mean()) * points
    if tried == points:
        return TotalEstimate(total, total, total)
    if tried == 1:
        return TotalEstimate(total, float(values[0]), math.inf)
    quantile = float(special.stdtrit(tried - 1, 0.5 + CONFIDENCE / 2.0))
    missing = math.sqrt(1.0 - tried / points)  # correction for a finite number of points
    half = quantile * float(values.std(ddof=1)) / math.sqrt(tried) * points * missing
    return TotalEstimate(total, max(0.0, total - half), total + half)
