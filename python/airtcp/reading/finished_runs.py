"""The finished runs of a sweep from its journal, if it has not ended or has no Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from airtcp import _native
from airtcp.campaign.journal import Journal, open_journal_to_read
from airtcp.campaign.kept_runs import RunStorage, StoredRunTables
from airtcp.campaign.loop import Campaign, FixedReplications, Rule
from airtcp.campaign.manifest import SIMULATION, Manifest
from airtcp.campaign.record_table import RecordTables
from airtcp.campaign.run_table import RunTables
from airtcp.campaign.stop_rule import UntilPrecise
from airtcp.errors import InputError, count, quote_value
from airtcp.metrics.records import RECORD_KEYS
from airtcp.reading.sources import MemoryTable
from airtcp.scenario.scenario import Point, Scenario
from airtcp.stats import Precision
from airtcp.support.frame import Frame


class FinishedRuns(NamedTuple):
    """The finished runs, with their links and cross-traffic if they were asked for.

    - `records`: rows of "links" and "traffic", and of each engine beside the simulation;
    - `points`: number of points that have all of their simulated runs, or all runs of each other
      engine if nothing was simulated.
    """

    runs: MemoryTable
    records: Mapping[str, MemoryTable]
    points: int


def finished_runs(
    folder: Path, manifest: Manifest, storages: Sequence[RunStorage], problems: list[str]
) -> FinishedRuns:
    """Collect the finished runs; faults of the files are appended to `problems`.

    `storages`: the runs of engines beside the simulation that the folder was asked for.
    """
    kinds = (*RECORD_KEYS, *(storage.engine for storage in storages))
    nothing = FinishedRuns(
        MemoryTable(Frame({})), {kind: MemoryTable(Frame({})) for kind in kinds}, 0
    )
    if manifest.model != _native.MODEL_VERSION:
        this = f"this version has model {_native.MODEL_VERSION} and computes them again"
        problems.append(f"{folder}: runs of model {manifest.model} are not shown; {this}")
        return nothing
    source = f"{folder}: scenario"
    points = Scenario.from_dict(manifest.scenario, source=source).points()
    rule, metric = _stop_rule_of(folder, manifest)
    with open_journal_to_read(folder, problems) as journal:
        if journal is None:
            return nothing
        campaign = Campaign(points, manifest.seed, rule, journal, metric, links=manifest.links)
        rows = RunTables(points, manifest.seed, campaign.runs, campaign.runs_per_point).all_rows()
        records = {
            kind: RecordTables(
                kind, points, manifest.seed, campaign.records, campaign.runs_per_point
            ).all_rows()
            for kind in RECORD_KEYS
            if manifest.links
        }
        done = []
        for engine_runs in storages:
            records[engine_runs.engine], points_done = measured_rows(
                engine_runs, points, manifest, journal
            )
            done.append(points_done)
        if journal.damaged:
            runs = count(journal.damaged, "damaged run")
            problems.append(f"{journal.path}: {runs} found; they are ignored")
    if not len(rows) and not any(len(records[storage.engine]) for storage in storages):
        return nothing
    tables = {kind: MemoryTable(frame) for kind, frame in records.items()}
    is_simulated = SIMULATION in manifest.engines or not done
    return FinishedRuns(
        MemoryTable(rows), tables, campaign.points_done if is_simulated else min(done)
    )


def measured_rows(
    storage: RunStorage, points: Sequence[Point], manifest: Manifest, journal: Journal
) -> tuple[Frame, int]:
    """The table of an engine's runs, and the number of points with all runs.

    Points that can have no run count among these.
    """
    answered = storage.points_with_runs(points)
    if not answered:
        return Frame({}), len(points)
    campaign = storage.campaign(answered, manifest.seed, _least_replications(manifest), journal)
    tables = StoredRunTables.from_campaign(storage, answered, manifest.seed, campaign)
    return tables.all_rows(), len(points) - len(answered) + campaign.points_done


def _least_replications(manifest: Manifest) -> int:
    """Number of replications that every point has at least."""
    if manifest.precision is None:
        return manifest.replications or 1
    return int(manifest.precision["least"])


def _stop_rule_of(folder: Path, manifest: Manifest) -> tuple[Rule, str]:
    """Rule by which the sweep decides on replications, and the metric that it looks at."""
    if manifest.precision is None:
        return FixedReplications(manifest.replications or 1), ""
    asked = dict(manifest.precision)
    metric = asked.pop("metric", None)
    if not isinstance(metric, str):
        why = "is missing" if metric is None else f"= {quote_value(metric)}: must be a name"
        raise InputError(f"{folder}: precision of the manifest: metric {why}")
    try:
        return UntilPrecise(Precision(**asked)), metric
    except (TypeError, InputError) as error:
        raise InputError(f"{folder}: precision of the manifest: {error}") from None
