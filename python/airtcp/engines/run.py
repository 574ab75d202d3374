"""All engines on one scenario, side by side in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pandas

from airtcp.campaign.kept_runs import RunStorage
from airtcp.campaign.stop_rule import metrics_shown_and_stopped_on
from airtcp.campaign.store import store_in
from airtcp.comparison.answer import Answer, Estimates, with_distinct_marks
from airtcp.comparison.models_beside import compare_models
from airtcp.comparison.side_by_side import rows_per_point, tabulate_answers
from airtcp.comparison.verdicts import joint_table, verdict_table
from airtcp.engines import analysis, live, simulation
from airtcp.engines.choice import check_engine, check_options, chosen_engines
from airtcp.engines.protocol import Coverage, Engine, EngineRequest
from airtcp.engines.registry import (
    create_engines,
    default_engines,
    engine_specific_prefixes,
    leading_engine,
    run_format_of,
    traits_of,
)
from airtcp.engines.sweeps import manifest_of
from airtcp.errors import count, known_name
from airtcp.metrics.labels import readable_unit
from airtcp.metrics.question import main_metrics
from airtcp.metrics.records import metrics_of_records
from airtcp.metrics.table import DEFAULT_METRICS, metrics_by_kind
from airtcp.scenario.scenario import scenario_of
from airtcp.simulation.replications import Interrupted, SimulationRequest
from airtcp.support.earlier_names import earlier_attributes
from airtcp.support.files import name_in_write_errors, results_folder
from airtcp.support.html import text_above_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airtcp.comparison.verdicts import Comparison
    from airtcp.scenario.scenario import Given, Point, Scenario
    from airtcp.simulation.replications import SimulationResult

MetricNames: TypeAlias = str | Sequence[str]

_TABLES = ("verdicts", "models", "links", "traffic")  # files that not every run has


@earlier_attributes(
    others="other_answers",
    order="request",
    leading="leading_answer",
    unheard="keys_of_other_engines",
    has="has_metric",
    flows="rows_per_point",
    question="workload_metrics",
    is_usual="has_default_engines",
)
@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """Answers of the engines for a scenario.

    Attributes
    ----------
    scenario : Scenario
        The scenario.
    answers : tuple of Answer
        The answer of each engine that was asked, in their order (`airtcp.engines.REGISTRY`).
    problems : tuple of str
        Files in the results folder that were not used, and why.
    metrics : tuple of str
        Metrics of flows in text and report; empty: the usual ones.
    request
        The request to the engines; None for a result that was not run.
    record_metrics : tuple of str
        Metrics of links and cross-traffic in text and report; empty: the usual ones.
    """

    scenario: Scenario
    answers: tuple[Answer, ...]
    problems: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    request: EngineRequest | None = None
    record_metrics: tuple[str, ...] = ()

    @property
    def analysis(self) -> pandas.DataFrame | None:
        """The table of `airtcp.analyse`; None if that engine was not asked."""
        return cast("pandas.DataFrame | None", self._table_of(analysis.ENGINE_NAME))

    @property
    def simulation(self) -> SimulationResult | None:
        """The result of `airtcp.simulate`; None if that engine was not asked."""
        return cast("SimulationResult | None", self._table_of(simulation.ENGINE_NAME))

    @property
    def live(self) -> pandas.DataFrame | None:
        """The table of real packets (`airtcp.engines.live`); None if that engine was not asked."""
        return cast("pandas.DataFrame | None", self._table_of(live.ENGINE_NAME))

    @property
    def other_answers(self) -> dict[str, Answer]:
        """The answers of engines beside these three, by their names."""
        three = (analysis.ENGINE_NAME, simulation.ENGINE_NAME, live.ENGINE_NAME)
        return {answer.engine: answer for answer in self.answers if answer.engine not in three}

    def _table_of(self, engine: str) -> object:
        return next((answer.table for answer in self.answers if answer.engine == engine), None)

    @property
    def leading_answer(self) -> Answer | None:
        """The answer beside which others stand: the simulation's; None if it was not asked."""
        return next((answer for answer in self.answers if answer.traits.is_leading), None)

    @cached_property
    def table(self) -> pandas.DataFrame:
        """Analysis and simulation per point; NaN where an engine has no answer.

        - the coordinates of the point, `method`, `replications` (0 without simulation), `exact`
          (where nothing is random at some point: whether that is so at this one);
        - throughput, distinct packets delivered per slot: `analysis_throughput`, its bounds
          `analysis_lower`, `analysis_upper`; `simulation_throughput`, its 95 % interval
          `simulation_low`, `simulation_high`; `z`, how far the simulation is from the analysis, as
          a standard normal deviate (`airtcp.stats.z_scores`);
        - `analysis_M` and `simulation_M` with `_low`, `_high` for M = transmissions_per_slot,
          transmissions_per_delivery, timeouts_per_slot, fast_retransmits_per_slot;
        - `analysis_goodput_bps` and `simulation_goodput_bps` with `_low`, `_high`: bit/s;
        - `note`: why there is no analysis.

        For packets on a path, whose models are in `models`: the coordinates, `flow` where there are
        several, `flow_tcp` where their TCP differs, `replications`, `simulation_M` with `_low`,
        `_high` for every metric M of docs/reference/metrics.md, `note`: why no model answers. Of
        the live engine `live_tcp`, whose TCP answered ("kernel", "airtcp"), `live_runs`, `live_M`
        with `_low`, `_high` for M = throughput_pps, goodput_bps, efficiency, timeouts,
        transfer_time, overhead, probes;
        `live_valid`, the share of its runs with which the machine kept up; `live_note`, why it has
        no answer. Then those of further engines.
        """

        return tabulate_answers(self, {name: traits_of(name) for name in default_engines()})

    @cached_property
    def verdicts(self) -> pandas.DataFrame:
        """Agreement of any two engines: a row per point (and flow), metric and pair of engines.

        - the coordinates of the point, `flow` and `flow_tcp` as in `table`; `metric`, `engine_a`
          (the reference), `engine_b`, `value_a`, `value_b`;
        - `verdict`: "agree" within 2 %, "differ", "undecided" or "not comparable", and `why`;
        - `difference`: value_b / value_a - 1, with its interval from `low` to `high` at
          `confidence`; `p`, the two-sided test of equality; `runs_needed`: about so many runs of
          `engine_b` per point decide.

        The tests and their levels are in docs/reference/metrics.md, Verdicts.
        """

        return verdict_table(self)

    @cached_property
    def joint_verdicts(self) -> pandas.DataFrame:
        """Joint verdicts of the engines: a row per metric and pair of engines.

        - `metric`, `engine_a`, `engine_b`, and the numbers of points: `agree`, `differ`,
          `undecided`, `not_comparable`; `differ_holm`: number of points in `differ` that chance
          does not explain, corrected for the number of points (Holm);
        - `difference`: mean relative difference over the points, which can show an error that no
          point shows alone, with its `low`, `high`, `confidence` and `p`;
        - `sentence`: the same in words.
        """

        return joint_table(self)

    @cached_property
    def coverage(self) -> pandas.DataFrame:
        """Coverage of the points by the engines: a row per point and engine that was asked.

        The coordinates of the point, `engine`; `by`: the model, the simulator or whose TCP answers,
        or `why` nobody does; `runs`: how many it needs at least. A result that was not run has no
        rows.
        """

        points, order = self.scenario.points(), self.request
        rows = [
            {**point.coordinates, "engine": engine.name, **_coverage_row(engine, point, order)}
            for engine in ([] if order is None else create_engines(self.engines, order))
            for point in points
            if order is not None
        ]
        names = [*points[0].coordinates, "engine", "by", "why", "runs"]
        return pandas.DataFrame(rows, columns=names)

    @cached_property
    def _row_estimates(self) -> list[Estimates]:
        """The estimates in the rows of the table."""

        return [answer.estimates.repeat_for_flows(self.rows_per_point) for answer in self.answers]

    @cached_property
    def rows_per_point(self) -> list[int]:
        """Number of rows of each point in `table`: its flows, if an engine distinguishes them."""
        return rows_per_point(self.scenario.points(), len(self.table))

    def keys_of_other_engines(self, answer: Answer, paths: Sequence[str]) -> list[str]:
        """Select the keys that only another engine reads.

        Parameters
        ----------
        answer : Answer
            The answer of an engine.
        paths : sequence of str
            Dotted paths of keys.

        Returns
        -------
        list of str
            The keys among them that this engine does not read.
        """
        others = tuple(
            prefix
            for prefix in engine_specific_prefixes()
            if prefix != answer.traits.own_path_prefix
        )
        return [path for path in paths if path.startswith(others)]

    def has_metric(self, answer: Answer, metric: str) -> bool:
        """Test if an answer has a value of a metric in some row of the table.

        Parameters
        ----------
        answer : Answer
            The answer of an engine.
        metric : str
            The metric.

        Returns
        -------
        bool
            True if it has.
        """
        name = answer.column_names(metric)[0]
        return name in self.table and bool(self.table[name].notna().any())

    def unit(self, metric: str) -> tuple[str, float]:
        """Find the unit in which figure, tables and text give a metric here.

        Parameters
        ----------
        metric : str
            The metric.

        Returns
        -------
        tuple of str and float
            The unit, and the number of the metric's own units (docs/reference/metrics.md) that make
            one.
        """
        known = [
            answer.column_names(metric)[0]
            for answer in self.answers
            if self.has_metric(answer, metric)
        ]
        largest = max((self.table[name].max() for name in known), default=0.0)
        return readable_unit(metric, float(largest))

    @cached_property
    def _comparisons(self) -> dict[tuple[str, str, str], Comparison | None]:
        """Comparisons made so far: text and report ask for the same ones several times."""
        return {}

    @cached_property
    def records(self) -> dict[str, pandas.DataFrame]:
        """Summaries of "links" and, where there is some, of "traffic", if they were asked for.

        As `SimulationResult.summary_of` says.
        """
        return {} if self.leading_answer is None else dict(self.leading_answer.record_summaries())

    @cached_property
    def models(self) -> pandas.DataFrame:
        """On a path, each model that covers a point beside the simulation; no rows elsewhere.

        The columns of `airtcp.analyse`, `simulation_throughput_pps` with `_low`, `_high`, and how
        far the model is from its mean: `error_percent`, with its interval from `error_low` to
        `error_high`, and the `verdict` on that as in `verdicts`.
        """

        return compare_models(self, leading_engine())

    def plot(self, quantity: str = "") -> Figure:
        """Draw analysis (lines) and simulation (points with their intervals).

        Parameters
        ----------
        quantity : str, optional
            A metric of docs/reference/metrics.md that an engine has here; by default "throughput"
            on slots, "goodput_bps" on a path.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        InputError
            For a metric that no engine has here.
        """
        from airtcp.plot.runs import quantities, run_figure  # noqa: PLC0415  (imports Matplotlib)

        if quantity != "":
            known_name("quantity", quantity, quantities(self))
        return run_figure(self, quantity)

    @property
    def main_metric(self) -> str:
        """The first of `metrics`, or the usual one: key figures and verdicts are about it."""
        return next(iter(self.metrics), DEFAULT_METRICS[self.scenario.family][0])

    @cached_property
    def workload_metrics(self) -> tuple[str, ...]:
        """The metrics that the flows of the scenario call for: of transfers and of a video."""
        return main_metrics(point.data for point in self.scenario.points())

    @property
    def has_default_engines(self) -> bool:
        """True if the engines which answered are those asked where the user chooses none."""
        return self.engines == default_engines()

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that answered."""
        return tuple(answer.engine for answer in self.answers)

    def __repr__(self) -> str:
        """The engines that answered, and the number of points."""
        engines = self.engines
        points = count(len(self.scenario), "point")
        return f"RunResult({' and '.join(engines) or 'no engine'} of {points})"

    def _repr_html_(self) -> str:
        html: str = self.table._repr_html_()
        return text_above_table(repr(self), html)


def run(
    scenario: Given,
    *,
    engine: MetricNames = "both",
    seed: int = 1,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | Sequence[str] | None = None,
    jobs: int | None = None,
    links: bool = False,
    progress: bool = False,
    out: str | Path | None = None,
    stack: str = "auto",
    live_jobs: int | None = None,
) -> RunResult:
    """Answer a scenario by analysis, by simulation, and by real packets in real time.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        The scenario, its content as dictionaries, or the name of its file.
    engine : str or sequence of str, default "both"
        "analysis", "simulation", "live", several of them ("analysis,live"), "both" of the first
        two, or "all" three. Live runs take stop.time for every replication of every point of a
        path, and have the requirements of `airtcp.live`. No kernel has the idealised TCP on slots:
        there "all" means "both", and `airtcp.live.transfer` runs real TCP over the link
        (`Point.as_path`).
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    replications : int, optional
        Runs per point; None: as the scenario says. Replication r is the same run whatever their
        number. A point in which nothing is random is run once.
    precision : float, optional
        In place of `replications`: go on until the 95 % interval of the mean of `metric` reaches no
        farther than this share of it to either side.
    metric : str or sequence of str, optional
        Metrics in text and report (docs/reference/metrics.md); `precision` applies to the first.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    links : bool, default False
        Also count the packets on each hop (sent, queued, lost) and those of cross-traffic.
    progress : bool, default False
        Show a bar with the time left on stderr.
    out : str or Path, optional
        A folder for the finished runs, kept as they end, so that a later call resumes. It gets
        manifest and dataset as of `airtcp.sweep`, table.csv, scenario.toml and report.html;
        verdicts.csv where engines can be compared, and models.csv where models answer for a path.
        With `links` it gets links.csv too, and traffic.csv where there is cross-traffic.
    stack : {"auto", "kernel", "airtcp"}, default "auto"
        The TCP of live runs where live.stack of the scenario does not say it: the kernel's, our
        own, or the kernel's where it has the variant.
    live_jobs : int, optional
        Live runs at once; None: as many as slow links allow.

    Returns
    -------
    RunResult
        The answers of the engines side by side.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    OSError
        If the disk is full.
    Interrupted
        On Ctrl-C, with the analysis in its `partial`.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": 0.1}
    >>> tcp, stop = {"variant": "tahoe", "window": 3}, {"slots": 200_000}
    >>> link = {"profile": "zorzi", "tcp": tcp, "channel": channel, "stop": stop}
    >>> result = at.run(link, replications=10)
    >>> result.verdicts.set_index("metric").loc["throughput", "verdict"]
    'agree'
    """

    check_engine(engine, links)
    check_options(engine, stack, live_jobs)
    scenario = scenario_of(scenario)
    metrics, precise = metrics_shown_and_stopped_on(
        scenario, replications, precision, metric, links
    )
    asked = SimulationRequest.of(
        scenario,
        replications=replications,
        precision=precision,
        metric=precise,
        seed=seed,
        jobs=jobs,
        links=links,
    )
    order = EngineRequest(asked, stack, live_jobs)
    engines = create_engines(chosen_engines(engine, scenario.family), order)
    folder = None if out is None else results_folder(out)
    storages = {engine.name: run_format_of(engine) for engine in engines}
    keeping = [name for name, storage in storages.items() if storage is not None]
    options = {
        name: storage.with_options_of(order).options
        for name, storage in storages.items()
        if isinstance(storage, RunStorage)
    }
    manifest = manifest_of(asked, keeping, options)
    problems, answers = list[str](), list[Answer]()
    with store_in(folder if keeping else None, manifest, problems) as store:
        for answering in engines:
            try:
                answers.append(answering.answer(store, progress=progress))
            except Interrupted as interrupted:
                answers += [] if interrupted.answer is None else [interrupted.answer]
                interrupted.partial = _build_result(scenario, answers, metrics=metrics, order=order)
                raise
    result = _build_result(scenario, answers, problems, metrics, order)
    if folder is not None:
        write_run(result, folder)
    return result


def _coverage_row(engine: Engine, point: Point, order: EngineRequest) -> dict[str, Any]:
    coverage = engine.coverage(point)
    by, why = (coverage.answered_by, "") if isinstance(coverage, Coverage) else ("", coverage)
    return {
        "by": by,
        "why": why,
        "runs": engine.runs_needed(point, order.simulation_request.stop.rule),
    }


def _build_result(
    scenario: Scenario,
    answers: Sequence[Answer],
    problems: Sequence[str] = (),
    metrics: Sequence[str] = (),
    order: EngineRequest | None = None,
) -> RunResult:
    of_flows = metrics_by_kind(scenario.family)
    of_records = metrics_of_records(scenario.points()[0].data)
    return RunResult(
        scenario,
        with_distinct_marks(answers),
        tuple(problems),
        tuple(name for name in metrics if name in of_flows),
        order,
        tuple(name for name in metrics if name in of_records),
    )


def announcement(
    scenario: Scenario, engine: MetricNames, stack: str, live_jobs: int | None, **options: Any
) -> str:
    """Line on the part of a run that will take long, with its time; empty if none will.

    `options`: options of `airtcp.simulation.replications.SimulationRequest.of`. Raises
    `InputError`.
    """
    asked = (options.get("replications"), options.get("precision"), options.get("metric"))
    links = options.get("links", False)
    options["metric"] = metrics_shown_and_stopped_on(scenario, *asked, links)[1]
    order = EngineRequest(SimulationRequest.of(scenario, **options), stack, live_jobs)
    engines = create_engines(chosen_engines(engine, scenario.family), order)
    return "\n".join(filter(None, (engine.announcement() for engine in engines)))


def write_run(result: RunResult, folder: Path) -> None:
    """Write everything about `result` to files in `folder`, and remove other files of earlier runs.

    Raises `InputError` for a file that cannot be written, `OSError` for a full disk.
    """
    from airtcp.report.runs import write_run_report  # noqa: PLC0415

    with name_in_write_errors(folder / "scenario.toml") as path:
        path.write_text(result.scenario.to_toml(), encoding="utf-8")
    with name_in_write_errors(folder / "table.csv") as path:
        result.table.to_csv(path, index=False)
    tables = {"verdicts": result.verdicts, "models": result.models, **result.records}
    for name in _TABLES:
        with name_in_write_errors(folder / f"{name}.csv") as path:
            if name in tables and len(tables[name]):
                tables[name].to_csv(path, index=False)
            else:
                path.unlink(missing_ok=True)
    write_run_report(result, folder)
