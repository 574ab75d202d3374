"""Sweeps: many points, in a folder that keeps every finished run and ends as a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.campaign.manifest import SIMULATION, Manifest
from airtcp.campaign.store import note_transient, store_in
from airtcp.engines.results import results
from airtcp.scenario.scenario import Scenario, scenario_of
from airtcp.simulation.executors import executor_of
from airtcp.simulation.replications import SimulationRequest, execute_campaign
from airtcp.simulation.transient import (
    SAMPLE_RUNS,
    sample_transients,
    spread_points,
    transient_text,
)
from airtcp.support.cores import threads_in
from airtcp.support.files import results_folder
from airtcp.support.optional import ARROW

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Given
    from airtcp.simulation.results import Results


def sweep(
    scenario: Given,
    out: str | Path,
    *,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | None = None,
    seed: int = 1,
    jobs: int | None = None,
    links: bool = False,
    executor: str = "local",
    progress: bool = False,
) -> Results:
    """Simulate every point of a scenario into a folder, computing only what is missing.

    The folder keeps every run as it ends, so that a sweep that was interrupted or killed goes on
    when it is called again. With more points, or replications, only those are computed. At the end
    it holds manifest.json, and where pyarrow is installed a dataset (Parquet), which
    `airtcp.results` reads.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        The scenario, its content as dictionaries, or the name of its file.
    out : str or Path
        The folder, made where it is missing.
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
        Threads; None: one per usable core. The results do not depend on it.
    links : bool, default False
        Also count the packets on each hop (sent, queued, lost) and those of cross-traffic.
        Finished runs without these counts are run again; without `links` the dataset leaves them
        out.
    executor : str, default "local"
        Where runs are computed: "local"; "dask-local:N", N processes on this machine;
        "dask:ADDRESS", a Dask cluster. The results are the same.
    progress : bool, default False
        Show a bar with the time left on stderr.

    Returns
    -------
    Results
        The runs in the folder.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    OSError
        If the disk is full.
    ClusterError
        If the cluster is lost.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": [0.001, 0.01]}
    >>> link = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
    >>> at.sweep(link | {"stop": {"slots": 10000}}, "out", replications=4)
    Results(out: 2 points, 8 runs, 8 rows, seed 1)
    """

    asked = SimulationRequest.of(
        scenario_of(scenario),
        replications=replications,
        precision=precision,
        metric=metric,
        seed=seed,
        jobs=jobs,
        links=links,
    )
    problems: list[str] = []
    with closing(executor_of(executor, asked.threads)) as workers:
        folder = results_folder(out)
        with store_in(folder, manifest_of(asked), problems) as store:
            campaign = asked.campaign(store.journal)
            known = campaign.done
            execute_campaign(campaign, workers, progress)
            store.put_simulated(campaign, asked.scenario.points(), asked.seed)
    return replace(results(folder, problems), simulated=campaign.done - known)


def missing_files_reason(swept: Results) -> str:
    """The reason why a complete sweep has no Parquet files, and a remedy; else empty."""
    if swept.manifest.files or not swept.complete:
        return ""
    install = f"pip install pyarrow, or airtcp[{ARROW}]; then the same command writes them"
    return f"{swept.folder}: no Parquet files, which need pyarrow: {install}"


def transient_warning(
    found: Results, *, jobs: int | None = None, executor: str = "local", progress: bool = False
) -> str:
    """A warning where the beginning of a sweep's runs weighs in their means; else empty.

    Some runs of a few points are made once more to find it, in many parts, and not kept. The
    manifest keeps the answer, which follows from what it says of the sweep. `jobs`, `executor`,
    `progress`: as in `sweep`.
    """
    if found.manifest.transient is not None:
        return found.manifest.transient
    scenario = Scenario.from_dict(found.manifest.scenario)
    each = [found.manifest.replications or SAMPLE_RUNS] * len(scenario)
    seed, threads = found.manifest.seed, threads_in(jobs)
    with closing(executor_of(executor, threads)) as workers:
        weighing = sample_transients(scenario, seed, each, workers, progress=progress)
    warning = transient_text(weighing, scenario, len(spread_points(len(scenario))))
    note_transient(found.folder, found.manifest, warning)
    return warning


def manifest_of(
    asked: SimulationRequest,
    engines: Sequence[str] = (SIMULATION,),
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Manifest:
    """The manifest for the runs of these engines; `options`: options on which the runs depend."""
    points = asked.scenario.points()
    return Manifest(
        scenario=asked.scenario.to_dict(),
        family=asked.scenario.family,
        seed=asked.seed,
        coordinates=list(points[0].coordinates),
        points=len(points),
        exact=int((~points.random()).sum()),
        links=asked.links,
        engines=list(engines),
        options=dict(options or {}),
        **asked.stop.to_dict(),
    )
