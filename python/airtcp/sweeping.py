"""Sweeps: many points, in a folder that keeps every finished run and ends as a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp._files import results_folder
from airtcp._optional import ARROW, installed
from airtcp.campaign.executor import Executor, Threads, executor_of
from airtcp.campaign.folder import alone, in_use
from airtcp.campaign.journal import journal_in
from airtcp.campaign.layout import layout_of
from airtcp.campaign.loop import Campaign
from airtcp.campaign.manifest import Manifest, read_manifest
from airtcp.errors import InputError, count
from airtcp.scenario import scenario_of
from airtcp.simulation import Asked, SimulationResult, carry_out, result_of

if TYPE_CHECKING:
    from airtcp.results import Results
    from airtcp.scenario import Given


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
    """Simulate every point of `scenario` into the folder `out`, computing only what is missing.

    The folder keeps every run as it ends, so that a sweep that was interrupted or killed goes on
    when it is called again; with more points, or replications, only those are computed. At the end
    it holds manifest.json, and where pyarrow is installed a dataset (Parquet), which
    `airtcp.results` reads.

    - `replications`, `precision`, `metric`, `seed`, `jobs`, `links`, `progress`: as in
      `airtcp.simulate`. Finished runs whose links were not counted are run again where `links` asks
      for them; a dataset without them is written where it does not;
    - `executor`: "local"; "dask-local:N", N processes on this machine; "dask:ADDRESS", a Dask
      cluster. The results are the same.

    Raises `InputError`, `OSError` if the disk is full, `ClusterError` if the cluster is lost,
    `Interrupted` on Ctrl-C.
    """
    from airtcp.results import results  # noqa: PLC0415

    asked = Asked.of(
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
        with _filled(folder, asked, workers, progress=progress, problems=problems):
            pass
    return results(folder, problems)


def without_files(found: Results) -> str:
    """Why a complete sweep has no Parquet files, and what to do; empty where it has some."""
    if found.manifest.files or not found.complete:
        return ""
    install = f"pip install pyarrow, or airtcp[{ARROW}]; then the same command writes them"
    return f"{found.folder}: no Parquet files, which need pyarrow: {install}"


def simulated_in(
    folder: Path, asked: Asked, *, progress: bool, problems: list[str]
) -> SimulationResult:
    """The result of a campaign in a results folder.

    What is wrong with files in the folder, and was passed over, is added to `problems`.
    """
    with (
        closing(Threads(asked.threads)) as workers,
        _filled(folder, asked, workers, progress=progress, problems=problems) as campaign,
    ):
        return result_of(campaign, asked)


@contextmanager
def _filled(
    folder: Path, asked: Asked, executor: Executor, *, progress: bool, problems: list[str]
) -> Iterator[Campaign]:
    """The campaign of a folder, complete, with its dataset and manifest."""
    manifest = _manifest(asked)
    with in_use(folder, manifest.what), journal_in(folder, problems) as journal:
        campaign = asked.campaign(journal)
        if campaign.done < campaign.total or not _is_written(folder, manifest):
            with alone(folder):
                if not _is_written(folder, manifest):  # by another program on the same sweep
                    manifest.write(folder)
            carry_out(campaign, executor, progress)
            with alone(folder):
                _finish(campaign, asked, manifest, folder)
        if journal.damaged:
            runs = count(journal.damaged, "damaged run")
            problems.append(f"{journal.path}: {runs} found and made again")
        yield campaign


def _manifest(asked: Asked) -> Manifest:
    points = asked.scenario.points()
    return Manifest(
        scenario=asked.scenario.to_dict(),
        family=asked.scenario.family,
        seed=asked.seed,
        coordinates=list(points[0].coordinates),
        points=len(points),
        exact=int((~points.random()).sum()),
        links=asked.links,
        **asked.stop.to_dict(),
    )


def _is_written(folder: Path, manifest: Manifest) -> bool:
    """Whether the dataset of this very campaign is there and whole."""
    from airtcp.campaign.dataset import is_whole  # noqa: PLC0415

    try:
        there = read_manifest(folder)
    except InputError:
        return False
    if not there.complete or there.what != manifest.what:
        return False
    return is_whole(folder, there.files) if there.files else not installed("pyarrow")


def _finish(campaign: Campaign, asked: Asked, manifest: Manifest, folder: Path) -> None:
    from airtcp.campaign.dataset import files_of, write_dataset  # noqa: PLC0415

    if _is_written(folder, manifest):
        return
    points = asked.scenario.points()
    files = write_dataset(campaign, points, asked.seed, folder)
    if files:
        rows = sum(file.rows for file in files_of("runs", files))
    else:
        used = zip(campaign.used, points, strict=True)
        rows = sum(runs * layout_of(point).rows for runs, point in used)
    manifest.finished(campaign.total, rows, files).write(folder)
