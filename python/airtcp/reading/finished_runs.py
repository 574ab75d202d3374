"""The finished runs of a sweep from its journal: it has not ended, or has no Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from airtcp import _native
from airtcp.campaign.journal import Journal, journal_to_read
from airtcp.campaign.live_points import why_no_live_run
from airtcp.campaign.live_runs import LiveKeeping, LiveTables
from airtcp.campaign.loop import Campaign, Fixed, Rule
from airtcp.campaign.manifest import SIMULATION, Manifest
from airtcp.campaign.record_table import RecordTables
from airtcp.campaign.run_table import RunTables
from airtcp.campaign.stop_rule import UntilPrecise
from airtcp.errors import InputError, count
from airtcp.metrics.records import KEYS
from airtcp.metrics.table import LIVE
from airtcp.reading.sources import InMemory
from airtcp.scenario.scenario import Point, Scenario
from airtcp.stats import Precision
from airtcp.support.frame import Frame


class FinishedRuns(NamedTuple):
    """The finished runs, with their links, cross-traffic and live runs if they were asked for.

    `points`: how many points have all of theirs: simulated ones, or live ones where there are no
    others.
    """

    runs: InMemory
    records: Mapping[str, InMemory]
    points: int


def finished_runs(folder: Path, manifest: Manifest, problems: list[str]) -> FinishedRuns:
    """Collect the finished runs; faults of the files are appended to `problems`."""
    nothing = FinishedRuns(
        InMemory(Frame({})), {kind: InMemory(Frame({})) for kind in (*KEYS, LIVE)}, 0
    )
    if manifest.model != _native.MODEL_VERSION:
        this = f"this version has model {_native.MODEL_VERSION}: they are not shown"
        problems.append(f"{folder}: the runs are of model {manifest.model}; {this}")
        return nothing
    source = f"{folder}: scenario"
    points = Scenario.from_dict(manifest.scenario, source=source).points()
    rule, metric = _rule(folder, manifest)
    with journal_to_read(folder, problems) as journal:
        if journal is None:
            return nothing
        campaign = Campaign(points, manifest.seed, rule, journal, metric, links=manifest.links)
        rows = RunTables(points, manifest.seed, campaign.runs, campaign.used).all()
        records = {
            kind: RecordTables(kind, points, manifest.seed, campaign.records, campaign.used).all()
            for kind in KEYS
            if manifest.links
        }
        live, with_live = Frame({}), 0
        if LIVE in manifest.engines:
            live, with_live = live_rows(points, manifest, journal)
            records[LIVE] = live
        if journal.damaged:
            runs = count(journal.damaged, "damaged run")
            problems.append(f"{journal.path}: {runs} found; they are not used")
    if not len(rows) and not len(live):
        return nothing
    found = {kind: InMemory(frame) for kind, frame in records.items()}
    simulated = SIMULATION in manifest.engines
    return FinishedRuns(InMemory(rows), found, campaign.points_done if simulated else with_live)


def live_rows(points: Sequence[Point], manifest: Manifest, journal: Journal) -> tuple[Frame, int]:
    """The table of live runs, and how many points have all of theirs, or can have none."""
    answered = [point for point in points if not why_no_live_run(point, manifest.stack)]
    if not answered:
        return Frame({}), len(points)
    rule, keeping = _rule_of_live(manifest), LiveKeeping(manifest.stack)
    campaign = Campaign(answered, manifest.seed, rule, journal, keeping=keeping)
    tables = LiveTables(answered, manifest.seed, campaign.runs, campaign.used, manifest.stack)
    return tables.all(), len(points) - len(answered) + campaign.points_done


def _rule_of_live(manifest: Manifest) -> Rule:
    """Rule of live runs: the number of replications that every point has at least."""
    if manifest.precision is None:
        return Fixed(manifest.replications or 1)
    return Fixed(int(manifest.precision["least"]))


def _rule(folder: Path, manifest: Manifest) -> tuple[Rule, str]:
    """Rule by which the sweep decides on replications, and the metric that it looks at."""
    if manifest.precision is None:
        return Fixed(manifest.replications or 1), ""
    asked = dict(manifest.precision)
    try:
        metric = str(asked.pop("metric"))
        return UntilPrecise(Precision(**asked)), metric
    except (TypeError, KeyError, InputError) as error:
        raise InputError(f"{folder}: precision of the manifest: {error}") from None
