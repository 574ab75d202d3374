"""The finished runs of a sweep from its journal: it has not ended, or has no Parquet files."""

from __future__ import annotations

from pathlib import Path

from airtcp import _native
from airtcp._frame import Frame
from airtcp.campaign.journal import journal_to_read
from airtcp.campaign.loop import Campaign, Fixed, Rule
from airtcp.campaign.manifest import Manifest
from airtcp.campaign.run_table import RunTables
from airtcp.campaign.stop_rule import UntilPrecise
from airtcp.errors import InputError, count
from airtcp.reading.sources import InMemory
from airtcp.scenario import Scenario
from airtcp.stats import Precision


def finished_runs(folder: Path, manifest: Manifest, problems: list[str]) -> tuple[InMemory, int]:
    """The finished runs, and how many points have all of theirs; what is wrong to `problems`."""
    nothing = InMemory(Frame({})), 0
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
        campaign = Campaign(points, manifest.seed, rule, journal, metric)
        rows = RunTables(points, manifest.seed, campaign.runs, campaign.used).all()
        if journal.damaged:
            runs = count(journal.damaged, "damaged run")
            problems.append(f"{journal.path}: {runs} found; they are not used")
    return (InMemory(rows), campaign.points_done) if len(rows) else nothing


def _rule(folder: Path, manifest: Manifest) -> tuple[Rule, str]:
    """By which rule the sweep runs, and the metric that it looks at."""
    if manifest.precision is None:
        return Fixed(manifest.replications or 1), ""
    asked = dict(manifest.precision)
    try:
        metric = str(asked.pop("metric"))
        return UntilPrecise(Precision(**asked)), metric
    except (TypeError, KeyError, InputError) as error:
        raise InputError(f"{folder}: precision of the manifest: {error}") from None
