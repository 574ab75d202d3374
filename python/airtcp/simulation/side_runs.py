"""Additional runs that show how to read the runs asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from airtcp.campaign.executor import Executor
from airtcp.campaign.journal import Journal
from airtcp.campaign.loop import Campaign, FixedReplications
from airtcp.scenario.scenario import Point
from airtcp.support.progress import Report


class SideRunner(NamedTuple):
    """Means for such runs: the executor, the seed, and the place that keeps them."""

    seed: int
    journal: Journal
    executor: Executor
    report: Report

    def run(self, points: Sequence[Point], replications: int, label: str) -> Campaign:
        """Run `replications` replications of each point to the end; one where nothing is random."""
        campaign = Campaign(points, self.seed, FixedReplications(replications), self.journal)
        campaign.run(self.executor, lambda done, total: self.report(label, done, total))
        return campaign
