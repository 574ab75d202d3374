"""Rows on false claims: of rankings, of contests and of papers, about what is not so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
from interval_rows import covered
from known_values import Floats, Generator, transfer_times
from promise_rows import NONE, Promise, Row

from airtcp import stats
from airtcp.papers.resampling import Resample, runs_factor, verdict_shares
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.contest_cases import contest_scenario
from airtcp.simulation.contests import ContestPair, MeetingRuns, runs_of_meetings
from airtcp.simulation.replications import simulate
from airtcp.stats.intervals import Interval

LEVEL = Promise(high=0.05)
ON_THE_EDGE = Promise(high=0.025)
ENOUGH = Promise(low=0.9)


def rankings(cases: int) -> Iterator[Row]:
    """A loser is found among four variants that are equal on paths that scatter."""
    for runs in (3, 5, 10, 30):
        g = np.random.default_rng([11, runs])
        path = g.lognormal(0.0, 0.3, (cases // 2, 1, runs))
        rows = path * g.normal(1.0, 0.1, (cases // 2, 4, runs))
        found = stats.rank_points(list(rows), names="abcd")
        wrong = sum(len(ranking.winners) < 4 for ranking in found)
        yield Row(f"rank: loser of 4 equals, {runs}", LEVEL, wrong, len(found))


def rare_rankings(cases: int) -> Iterator[Row]:
    """The best of two is excluded, where most runs of the other one are better and few far worse.

    The best is 1 % better on average than transfers of which few wait for a timer; or it is always
    1, and the other one 1 but for small losses (one run in ten) and disasters (one in fifty). No
    promise is made where 1 ms of jitter in each run hides that timeouts have not happened yet.
    """
    for name, draw, promise in (
        ("timeouts", _timeouts, LEVEL),
        ("disasters", _disasters, LEVEL),
        ("hidden timeouts", _hidden_timeouts, NONE),
    ):
        for runs in (3, 10, 30, 100):
            rows = draw(np.random.default_rng([14, runs, len(name)]), (cases // 4, runs))
            pairs = list(np.stack([np.ones_like(rows), rows], axis=1))
            found = stats.rank_points(pairs, names=["best", "other"])
            wrong = sum("best" not in ranking.winners for ranking in found)
            yield Row(f"rank: best is out, {name}, {runs}", promise, wrong, len(found))


def _timeouts(g: Generator, shape: tuple[int, int]) -> Floats:
    return 2.0 - g.choice(transfer_times(), shape) / (0.99 * transfer_times().mean())


def _hidden_timeouts(g: Generator, shape: tuple[int, int]) -> Floats:
    return _timeouts(g, shape) + g.normal(0.0, 0.001 / transfer_times().mean(), shape)


def _disasters(g: Generator, shape: tuple[int, int]) -> Floats:
    return 1.0 - 0.001 * (g.random(shape) < 0.1) - 100.0 * (g.random(shape) < 0.02)


def contests(cases: int) -> Iterator[Row]:
    """A TCP against itself: runs in which it starts first, and others in which it does not."""
    for runs in (4, 8, 12):
        g = np.random.default_rng([12, runs])
        found = [_contest(g, runs) for _ in range(cases)]
        wrong = sum(row["p"] < 0.05 for row in found)
        yield Row(f"contest: share is not 1/2, {runs}", LEVEL, wrong, cases)
        for name, truth in (("share", 0.5), ("harm", 0.0)):
            ends = [
                Interval(*(row[f"{name}{end}"] for end in ("", "_low", "_high"))) for row in found
            ]
            yield covered(f"contest: interval of {name}, {runs}", ends, truth)


def _contest(g: Generator, runs: int) -> dict[str, float]:
    """A row of a contest, in which the second flow always starts later."""
    ahead, behind, first, second = (_drawn(g, runs) for _ in range(4))
    found: dict[str, float] = ContestPair.from_both_orders(ahead, behind).row(
        ContestPair.from_both_orders(first, second).goodputs[0]
    )
    return found


def _drawn(g: Generator, runs: int) -> MeetingRuns:
    every = _meeting()
    chosen = g.integers(every.jain.size, size=runs)
    of_sides = (side[:, chosen] for side in (every.goodputs, every.medians, every.p95))
    return MeetingRuns(*of_sides, every.jain[chosen], every.utilisation)


@cache
def _meeting() -> MeetingRuns:
    """A TCP and its own kind, run by run."""
    channel = {"kind": "iid", "loss_rate": 0.001}
    hop = {"rate": "2Mbps", "delay": "20ms", "queue": 20, "channel": channel}
    link = {"profile": "linux", "path": {"hop": [hop]}, "stop": {"time": "10s"}}
    scenario = contest_scenario(Scenario.from_dict(link), ["cubic"], 1)
    found = simulate(scenario, replications=1000, seed=97, jobs=2, links=True)
    return runs_of_meetings(found, ["cubic"], 1)["cubic", "cubic"]


def claims(cases: int) -> Iterator[Row]:
    """A paper's claim whose truth is exactly on the edge: a mean of 0 is above 0."""
    for runs in (6, 10, 100):
        rows = np.random.default_rng([13, runs]).normal(0.0, 1.0, (cases // 2, runs))
        said = [judged(row, case) for case, row in enumerate(rows)]
        for verdict in ("holds", "fails"):
            name = f"claim on the edge {verdict}, {runs}"
            yield Row(name, ON_THE_EDGE, said.count(verdict), len(said))


def advised_claims(cases: int, sizes: Iterable[int] = (6, 10, 20)) -> Iterator[Row]:
    """Undecided claims of so many runs, of somebody who makes as many as the advice says."""
    for runs in sizes:
        g, undecided, decided = np.random.default_rng([15, runs]), 0, 0
        for case in range(cases // 4):
            mean = g.normal(0.0, 1.0)
            values = g.normal(mean, 1.0, runs)
            share = max(verdicts(values, case).values())
            if share < 1.0:
                more = g.normal(mean, 1.0, runs * (runs_factor(share) - 1))
                undecided += 1
                decided += judged(np.concatenate([values, more]), case) != "undecided"
        yield Row(f"advice decides claims, {runs}", ENOUGH, decided, undecided)


def judged(values: Floats, seed: int) -> str:
    """The verdict on the claim that the mean is above 0; "undecided" if resamples differ."""
    found = verdicts(values, seed)
    return next(iter(found)) if len(found) == 1 else "undecided"


def verdicts(values: Floats, seed: int) -> dict[str, float]:
    """Of resamples of the values the shares that say that the mean is above 0, or not."""

    def judge(resample: Resample) -> dict[str, str]:
        above = values[resample.drawn_indices(seed, values.size)].mean() > 0.0
        return {"above": "holds" if above else "fails"}

    return verdict_shares(judge)["above"]
