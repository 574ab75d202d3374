"""Runs of alternatives until one is left (`airtcp.stats.selection`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from airtcp.advice.goals import GoalMetric
from airtcp.campaign.executor import ThreadExecutor
from airtcp.campaign.journal import Journal
from airtcp.campaign.loop import Campaign, FixedReplications
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import Floats, metric_of_whole_runs
from airtcp.scenario.scenario import Point
from airtcp.simulation.replications import Interrupted
from airtcp.stats.rare import grouped_signs
from airtcp.stats.selection import FIRST_RUNS, boundary, survivors

_STAGE_GROWTH = 10  # of the runs so far one in so many is added at a time


@dataclass(frozen=True)
class SelectionSettings:
    """Terms on which the best alternative is chosen.

    - `zone`: differences below this share of the first leader's mean do not matter;
    - `confidence`: confidence level of the selection; `most`: largest number of runs of an
      alternative;
    - `seed`, `threads`: as in every simulation.
    """

    zone: float
    confidence: float
    most: int
    seed: int
    threads: int


@dataclass(frozen=True)
class Outcome:
    """Outcome for the alternatives, by their places.

    - `values`: one value per run of each alternative, with its sign changed if low values are good;
    - `runs_at_drop`: number of runs after which each was dropped; the others were there at the end;
    - `valueless_runs`: number of runs without a value, for each that had some;
    - `settled`: true if one is left.
    """

    values: tuple[Floats, ...]
    runs_at_drop: dict[int, int]
    valueless_runs: dict[int, int]
    settled: bool


class Tournament:
    """Simulates alternatives for as long as they may be the best."""

    def __init__(
        self,
        points: Sequence[Point],
        goal_metric: GoalMetric,
        settings: SelectionSettings,
        journal: Journal,
        report: Callable[[int, int], object],
    ) -> None:
        """Prepare the tournament; nothing is simulated yet."""
        self._points, self._wanted, self._settings = points, goal_metric, settings
        self._journal, self._report = journal, report
        self._values: list[Floats] = [np.array([])] * len(points)
        self._done = 0

    def play(self, alive: list[int]) -> Outcome:
        """Simulate until one of `alive` is left. Raises `Interrupted`."""
        runs = min(FIRST_RUNS, self._settings.most)
        self._simulate(alive, runs, runs * len(alive))
        valueless = self._count_valueless_runs(alive)
        alive = [place for place in alive if place not in valueless]
        dropped: dict[int, int] = {}
        if len(alive) > 1 and runs > 1:
            runs = self._first_stage_runs(alive, runs)
            valueless |= self._count_valueless_runs(alive)
            alive = [place for place in alive if place not in valueless]
            alive = self._drop_losers(alive, runs, dropped, valueless)
        return Outcome(tuple(self._values), dropped, valueless, len(alive) == 1)

    def _first_stage_runs(self, alive: list[int], runs: int) -> int:
        """Number of runs after which every two alternatives differ by chance in enough of them.

        Where most runs differ by the same amount, the decisive event may be rare and may not have
        happened yet (`airtcp.stats.rare`). The stage then lasts up to 3 / zone runs. An event that
        has not happened in these has a share below the zone, with 95 % confidence (the rule of
        three), and so matters only where it more than doubles a value.
        """
        most = min(self._settings.most, math.ceil(3.0 / self._settings.zone))
        while runs < most and self._differ_by_constant(alive, runs):
            runs = min(most, 2 * runs)
            self._simulate(alive, runs, 0)
        return runs

    def _differ_by_constant(self, alive: list[int], runs: int) -> bool:
        """True if two alternatives differ by one amount in most runs, and not by certainty."""
        values = np.array([self._first_values(place, runs) for place in alive])
        first, other = np.triu_indices(len(alive), 1)
        starts = np.arange(len(first)) * runs
        are_alike = grouped_signs((values[first] - values[other]).ravel(), starts).alike
        exact = np.array([len(self._values[place]) == 1 for place in alive])
        return bool((are_alike & ~(exact[first] & exact[other])).any())

    def _count_valueless_runs(self, places: list[int]) -> dict[int, int]:
        """Number of runs without a value, for each alternative that has some."""
        counts_by_place = {place: int(np.isnan(self._values[place]).sum()) for place in places}
        return {place: number for place, number in counts_by_place.items() if number}

    def _drop_losers(
        self, alive: list[int], runs: int, dropped: dict[int, int], valueless: dict[int, int]
    ) -> list[int]:
        """Drop alternatives that are too far behind, with more runs of the others in between."""
        if len(alive) < 2:
            return alive
        at = {place: row for row, place in enumerate(alive)}
        first = np.array([self._first_values(place, runs) for place in alive])
        zone = self._settings.zone * float(abs(first.mean(axis=1).max()))
        bound = boundary(first, zone or np.finfo(float).tiny, self._settings.confidence)
        while True:
            means = np.array([self._first_values(place, runs).mean() for place in at])
            left = survivors(means, [at[place] for place in alive], bound, runs)
            dropped |= {place: runs for place in alive if at[place] not in left}
            alive = [place for place in alive if at[place] in left]
            if len(alive) == 1 or runs >= self._settings.most:
                return alive
            runs = min(self._settings.most, runs + max(1, runs // _STAGE_GROWTH))
            to_come = len(alive) * max(0, min(bound.last_runs(), self._settings.most) - runs)
            self._simulate(alive, runs, to_come)
            valueless |= self._count_valueless_runs(alive)
            alive = [place for place in alive if place not in valueless]
            if not alive:
                return alive

    def _first_values(self, place: int, runs: int) -> Floats:
        """The first values of an alternative; without randomness one value stands for all."""
        values = self._values[place]
        return values[:runs] if len(values) > 1 else np.repeat(values, runs)

    def _simulate(self, alive: list[int], runs: int, to_come: int) -> None:
        """Simulate until all of `alive` have `runs` runs."""
        points = [self._points[place] for place in alive]
        campaign = Campaign(points, self._settings.seed, FixedReplications(runs), self._journal)
        before, known = self._done, campaign.done

        def tell(done: int, total: int) -> None:
            self._done = before + done - known
            self._report(self._done, max(before + to_come, before + total - known))

        with closing(ThreadExecutor(self._settings.threads)) as executor:
            try:
                campaign.run(executor, tell)
            except KeyboardInterrupt:
                raise Interrupted(self._done, before + to_come) from None
        for number, place in enumerate(alive):
            counts = [
                counts_of_run
                for _, counts_of_run in campaign.finished(
                    number, 0, campaign.runs_per_point[number]
                )
            ]
            self._values[place] = self._metric_per_run(self._points[place], counts)

    def _metric_per_run(self, point: Point, counts: list[bytes]) -> Floats:
        """One value per run; high values are good."""
        of_flows = metric_of_whole_runs(point, layout_of(point), counts, self._wanted.metric)
        joined = self._combine_flows(of_flows)
        return joined if self._wanted.high else -joined

    def _combine_flows(self, of_flows: Floats) -> Floats:
        """One value per run, over the flows; flows that never have a value are left out."""
        known = of_flows[~np.isnan(of_flows).all(axis=1)]
        if not len(known):
            return np.full(of_flows.shape[1], np.nan)
        joined = known.sum(axis=0) if self._wanted.sums_flows else known.mean(axis=0)
        return np.asarray(joined, dtype=float)
