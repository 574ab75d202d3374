"""Validity of the formulas: each beside the simulator on a grid of links (`grids`).

The stop rule of the project decides how many runs a point takes: the half-width of the 95 %
interval is `TARGET_HALF_WIDTH` of the mean, or there are `_MOST_RUNS` runs. A run lasts for a given
number of the events that make the throughput scatter (losses, outages, spikes), as a formula counts
them, and for many round trips and timeouts at least. Its first tenth is not counted. Slow start
ends at the window that a formula gives, which excludes its overshoot. Where no formula answers,
nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.campaign.manifest import SIMULATION
from airtcp.models.zoo import ZOO
from airtcp.models.zoo.grid_links import Link
from airtcp.models.zoo.grids import VALIDITY_GRIDS, ValidityGrid
from airtcp.models.zoo.model import Conditions, ModelAnswer, coordinate
from airtcp.models.zoo.path import PathConditions, conditions_of_point
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.replications import simulate

if TYPE_CHECKING:
    import pandas

TARGET_HALF_WIDTH = 0.02  # of the mean
_FEWEST_RUNS, _MOST_RUNS = 10, 60  # runs
_EVENTS_PER_RUN, _OUTAGES_PER_RUN = 60, 200  # losses or spikes of a run, outages of a run
_MOST_PACKETS = 3e5  # of a run that waits for so many
_LEAST_ROUND_TRIPS = 300  # round trips of a run at least
# Seconds that timeouts last: times the square of the loss rate, and at most.
_BACKOFF_SECONDS, _MOST_BACKOFF_SECONDS = 2e5, 2e4
_WARMUP_SHARE = 0.1  # of a run


def validity(
    every: int = 1,
    advance: Callable[[int], object] = lambda _: None,
    seed: int = 1,
    folder: Path | None = None,
    grids: Sequence[ValidityGrid] | None = None,
) -> pandas.DataFrame:
    """Each formula beside the simulator at the points of its grid, or at one in `every` points.

    Columns: `grid`, `model`, `variant`, the axes (NaN where a grid has them not), `simulation` with
    its 95 % interval `low`, `high` over `runs` runs of `seconds`; `answer`, both in packets/s;
    `error_percent` of it; the other coordinates of a range (`coordinate`); `note`, the reason why
    there is no answer. `advance` is called as points are done. `folder` keeps runs as they end, so
    that they are not repeated. `grids`: `VALIDITY_GRIDS` if not given.
    """
    import pandas  # noqa: PLC0415  (slow to import)

    rows = [
        row
        for sort in _chosen_grids(grids)
        for row in _validity_rows(sort, every, advance, seed, folder)
    ]
    return pandas.DataFrame(rows)


def count_points(every: int = 1, grids: Sequence[ValidityGrid] | None = None) -> int:
    """Number of points that `validity` looks at."""
    return sum(len(sort.links[::every]) * len(sort.variants) for sort in _chosen_grids(grids))


def _chosen_grids(grids: Sequence[ValidityGrid] | None) -> Sequence[ValidityGrid]:
    return VALIDITY_GRIDS if grids is None else grids


def _validity_rows(
    sort: ValidityGrid, every: int, advance: Callable[[int], object], seed: int, folder: Path | None
) -> Iterator[dict[str, Any]]:
    for variant, (place, link) in product(sort.variants, list(enumerate(sort.links))[::every]):
        scenario, at = _scenario_and_conditions(sort, variant, link)
        covered = {name: ZOO[name].answer_or_refusals(at) for name in sort.models}
        answers = [answer for answer in covered.values() if isinstance(answer, ModelAnswer)]
        journal = None if folder is None else folder / f"{sort.name}-{variant}.sqlite"
        simulated = (
            _simulate_point(
                scenario, at, answers[-1].throughput, seed + place, journal, least=sort.seconds
            )
            if answers
            else _NO_SIMULATION
        )
        advance(1)
        for name, answer in covered.items():
            where = {"grid": sort.name, "model": name, "variant": variant, **link}
            yield {**where, **simulated, **_comparison_row(sort, answer, at, simulated[SIMULATION])}


def _scenario_and_conditions(
    sort: ValidityGrid, variant: str, link: Link
) -> tuple[Scenario, Conditions]:
    """The scenario of a point of a grid, and the conditions in the form that formulas take."""
    hop, tcp = sort.document(link)
    linux = sort.profile == "linux"
    control_keys = (
        {"congestion": variant} if linux else {"variant": variant, "congestion": sort.growth}
    )
    document = {"profile": sort.profile, "tcp": {**control_keys, **tcp}, "path": {"hop": [hop]}}
    scenario = Scenario.from_dict(document)
    conditions = conditions_of_point(scenario.points()[0])
    assert isinstance(conditions, PathConditions), (link, conditions)
    return scenario, conditions.conditions


_NO_SIMULATION = {
    SIMULATION: math.nan,
    "low": math.nan,
    "high": math.nan,
    "runs": 0,
    "seconds": 0.0,
}


def _simulate_point(
    scenario: Scenario,
    at: Conditions,
    guess: float,
    seed: int,
    journal: Path | None,
    *,
    least: float,
) -> dict[str, Any]:
    """The simulator's answer, where a formula says `guess` packets/s."""
    seconds = _run_seconds(at, guess, least)
    precision = {
        "relative": TARGET_HALF_WIDTH,
        "metric": "throughput_pps",
        "least": _FEWEST_RUNS,
        "most": _MOST_RUNS,
    }
    changed = {
        **({} if at.profile == "linux" else {"tcp.ssthresh": max(2, round(guess * at.rtt))}),
        "stop.time": f"{seconds!r}s",
        "stop.warmup": f"{_WARMUP_SHARE * seconds!r}s",
        "stop.precision": precision,
    }
    result = simulate(scenario.replace(changed), seed=seed, journal=journal)
    row = result.summary().iloc[0]
    names = {SIMULATION: "", "low": "_low", "high": "_high"}
    simulated = {name: float(row[f"throughput_pps{end}"]) for name, end in names.items()}
    return {**simulated, "runs": result.per_point[0], "seconds": seconds}


def _run_seconds(at: Conditions, guess: float, least: float) -> float:
    """Length of a run, s."""
    losses = at.burst / (at.loss_rate * guess) if at.loss_rate > 0.0 else 0.0
    outages = at.up + at.down if at.down > 0.0 else 0.0
    spikes = at.interval if at.spikes else 0.0
    events = max(_EVENTS_PER_RUN * losses, _OUTAGES_PER_RUN * outages, _EVENTS_PER_RUN * spikes)
    late = min(_BACKOFF_SECONDS * at.loss_rate**2 * at.clustering, _MOST_BACKOFF_SECONDS)
    least = max(least, _LEAST_ROUND_TRIPS * at.rtt)
    sent = guess * (at.slots.fragments if at.slots else 1)
    return float(math.ceil(max(least, min(max(events, late), _MOST_PACKETS / sent))))


def _comparison_row(
    sort: ValidityGrid, covered: ModelAnswer | str, at: Conditions, simulation: float
) -> dict[str, Any]:
    """Answer of a model, its error, and coordinates that the grid does not set."""
    unset_keys = [key for key in sort.box if key not in sort.axes]
    if isinstance(covered, str):
        nothing = dict.fromkeys(("answer", "error_percent", *unset_keys), math.nan)
        return {**nothing, "note": covered}
    answer = covered.throughput
    error = 100.0 * (answer / simulation - 1.0) if simulation > 0.0 else math.inf
    places = {key: coordinate(key, at, answer) for key in unset_keys}
    return {"answer": answer, "error_percent": error, **places, "note": ""}
