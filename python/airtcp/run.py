"""All engines on one scenario, side by side in one table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp._files import results_folder, writing
from airtcp.errors import InputError, count, known_name

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from airtcp.live.engine import LiveAsked
    from airtcp.scenario import Given, Scenario
    from airtcp.simulation import Asked, SimulationResult

ENGINES = ("analysis", "simulation", "live", "both", "all")


@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """What the engines said about a scenario.

    - `analysis`: table of `airtcp.analyse`, None if that engine was not asked;
    - `simulation`: result of `airtcp.simulate`, None likewise;
    - `live`: table of real packets over the emulated path (`airtcp.live.engine`), likewise;
    - `problems`: files in the results folder that were not used, and why.
    """

    scenario: Scenario
    analysis: pandas.DataFrame | None
    simulation: SimulationResult | None
    problems: tuple[str, ...] = ()
    live: pandas.DataFrame | None = None

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
        `_high` for every metric M of docs/metrics.md, `note`: why no model answers. Of the live
        engine `live_tcp`, whose TCP answered ("kernel", "airtcp"), `live_runs`, `live_M` with
        `_low`, `_high` for M = throughput_pps, goodput_bps, efficiency, timeouts, transfer_time,
        overhead, probes;
        `live_valid`, the share of its runs with which the machine kept up; `live_note`, why it has
        no answer.
        """
        from airtcp._compare import comparison  # noqa: PLC0415  (imports pandas)

        table = comparison(self.scenario, self.analysis, self.simulation)
        if self.live is None:
            return table
        flows = len(table) // len(self.live)  # each has a row
        return table.assign(**self.live.loc[self.live.index.repeat(flows)].reset_index(drop=True))

    @cached_property
    def records(self) -> dict[str, pandas.DataFrame]:
        """Summaries of "links" and, where there is some, of "traffic", if they were asked for.

        As `SimulationResult.summary_of` says.
        """
        if self.simulation is None or not self.simulation.with_links:
            return {}
        found = {kind: self.simulation.summary_of(kind) for kind in ("links", "traffic")}
        return {kind: table for kind, table in found.items() if len(table)}

    @cached_property
    def models(self) -> pandas.DataFrame:
        """On a path, each model that covers a point beside the simulation; no rows elsewhere.

        The columns of `airtcp.analyse`, `simulation_throughput_pps` with `_low`, `_high`, and how
        far the model is from its mean: `error_percent`.
        """
        from airtcp.path_analysis import models_beside  # noqa: PLC0415  (imports pandas)

        return models_beside(self)

    def plot(self, quantity: str = "") -> Figure:
        """A matplotlib figure of analysis (lines) and simulation (points with their intervals).

        `quantity`: on slots "throughput" or "transmissions_per_delivery", on a path
        "throughput_pps", "goodput_bps", "transfer_time", "efficiency", "timeouts",
        "transmissions_per_delivery"; by default the first. Raises `InputError`.
        """
        from airtcp.run_plot import quantities, run_figure  # noqa: PLC0415  (imports Matplotlib)

        if quantity != "":
            known_name("quantity", quantity, quantities(self.table))
        return run_figure(self.table, list(self.scenario.points()[0].coordinates), quantity)

    def _answers(self) -> tuple[tuple[str, object], ...]:
        return (("analysis", self.analysis), ("simulation", self.simulation), ("live", self.live))

    def __repr__(self) -> str:
        """Which engines answered for how many points."""
        engines = [name for name, answer in self._answers() if answer is not None]
        points = count(len(self.scenario), "point")
        return f"RunResult({' and '.join(engines) or 'no engine'} of {points})"

    def _repr_html_(self) -> str:
        html: str = self.table._repr_html_()
        return f"<p>{self!r}</p>{html}"


def run(
    scenario: Given,
    *,
    engine: str = "both",
    seed: int = 1,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | None = None,
    jobs: int | None = None,
    links: bool = False,
    progress: bool = False,
    out: str | Path | None = None,
    stack: str = "auto",
    live_jobs: int | None = None,
) -> RunResult:
    """Answer `scenario` by analysis, by simulation, and by real packets in real time.

    - `scenario`: a `Scenario`, a dictionary, or the name of a file;
    - `engine`: "analysis", "simulation", "both" of them, "live", or "all" three. The last two take
      as long as what they run: stop.time for every replication of every point of a path, and need
      what `airtcp.live` needs. On slots TCP is an idealised one that no kernel has: "all" is "both"
      there, and `airtcp.live.transfer` runs real ones over the link (`Point.as_path`);
    - `stack`: whose TCP is live: the "kernel"'s, our own ("airtcp"), or "auto": the kernel's where
      it has the variant; `live_jobs`: so many live runs at once, None: as many as slow links allow;
    - the rest as in `airtcp.simulate`;
    - `out`: a directory for the finished runs, kept as they end (a later call resumes), manifest
      and dataset as of `airtcp.sweep`, table.csv, scenario.toml and report.html; models.csv where
      models answer for a path; with `links` also links.csv, and traffic.csv where there is
      cross-traffic.

    Raises `InputError`, `OSError` if the disk is full, and on Ctrl-C `Interrupted`, with the
    analysis in its `partial`.
    """
    from airtcp.analysis import analyse, model_of  # noqa: PLC0415
    from airtcp.scenario import scenario_of  # noqa: PLC0415
    from airtcp.simulation import Asked, Interrupted, simulated  # noqa: PLC0415
    from airtcp.sweeping import simulated_in  # noqa: PLC0415

    check_engine(engine, links)
    scenario = scenario_of(scenario)
    on_slots = scenario.family == "slot"
    if engine == "analysis" and on_slots and model_of(scenario.points()[0]) is None:
        raise InputError(
            f"no model answers for profile {scenario.profile}; use --engine simulation"
        )
    asked = Asked.of(
        scenario,
        replications=replications,
        precision=precision,
        metric=metric,
        seed=seed,
        jobs=jobs,
        links=links,
    )
    folder = None if out is None else results_folder(out)
    live = None
    if engine == "live" or (engine == "all" and scenario.family == "path"):
        live = _live(asked, stack, live_jobs, progress, folder)
    with_analysis = engine in ("analysis", "both", "all")
    analysis = analyse(scenario, progress=progress) if with_analysis else None
    simulation, problems = None, list[str]()
    if engine in ("simulation", "both", "all"):
        try:
            if folder is None:
                simulation = simulated(asked, progress=progress)
            else:
                simulation = simulated_in(folder, asked, progress=progress, problems=problems)
        except Interrupted as interrupted:
            interrupted.partial = RunResult(scenario, analysis, None, live=live)
            raise
    result = RunResult(scenario, analysis, simulation, tuple(problems), live)
    if folder is not None:
        write(result, folder)
    return result


def _live(
    asked: Asked, stack: str, live_jobs: int | None, progress: bool, folder: Path | None
) -> pandas.DataFrame:
    from airtcp._progress import progress_report  # noqa: PLC0415
    from airtcp.live.crew import Ended  # noqa: PLC0415
    from airtcp.live.engine import answer  # noqa: PLC0415
    from airtcp.simulation import Interrupted  # noqa: PLC0415

    wanted = _live_asked(asked, stack, live_jobs)
    try:
        with progress_report(progress) as report:
            return answer(wanted, report, folder)
    except Ended as ended:
        interrupted = Interrupted(ended.done, ended.total)
        interrupted.partial = RunResult(asked.scenario, None, None, live=ended.rows)
        raise interrupted from None


def _live_asked(asked: Asked, stack: str, live_jobs: int | None) -> LiveAsked:
    from airtcp.live.engine import LiveAsked  # noqa: PLC0415

    return LiveAsked.of(
        asked.scenario,
        replications=asked.stop.rule.least,
        seed=asked.seed,
        stack=stack,
        live_jobs=live_jobs,
    )


def announcement(
    scenario: Scenario, engine: str, stack: str, live_jobs: int | None, **options: Any
) -> str:
    """What the live engine will do and how long that takes; empty where it is not asked.

    `options`: those of `airtcp.simulation.Asked.of`. Raises `InputError`.
    """
    from airtcp.simulation import Asked  # noqa: PLC0415

    if engine not in ("live", "all") or scenario.family != "path":
        return ""
    return _live_asked(Asked.of(scenario, **options), stack, live_jobs).announcement()


def check_engine(engine: str, links: bool = False) -> None:
    """`InputError` unless `engine` is one that answers, and simulates if `links` are asked for."""
    known_name("engine", engine, ENGINES)
    if links and engine in ("analysis", "live"):
        raise InputError(f"links: are counted by the simulation, which engine = {engine!r} is not")


def write(result: RunResult, folder: Path) -> None:
    """Everything about `result` as files in `folder`.

    Raises `InputError` for a file that cannot be written, `OSError` for a full disk.
    """
    from airtcp.report import write_run_report  # noqa: PLC0415

    with writing(folder / "scenario.toml") as path:
        path.write_text(result.scenario.to_toml(), encoding="utf-8")
    with writing(folder / "table.csv") as path:
        result.table.to_csv(path, index=False)
    if len(result.models):
        with writing(folder / "models.csv") as path:
            result.models.to_csv(path, index=False)
    for kind, table in result.records.items():
        with writing(folder / f"{kind}.csv") as path:
            table.to_csv(path, index=False)
    write_run_report(result, folder)
