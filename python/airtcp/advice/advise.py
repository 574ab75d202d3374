"""Advice on the best choice for a link: `airtcp.advise`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from airtcp.advice.advised import Advice, Findings
from airtcp.advice.alternatives import form_alternatives
from airtcp.advice.goals import GoalMetric, choose_goal_metric
from airtcp.advice.screening import Screening, screen_alternatives
from airtcp.advice.tournament import Outcome, SelectionSettings, Tournament
from airtcp.campaign.journal import open_journal, open_journal_in_memory
from airtcp.engines import live, simulation
from airtcp.engines.run import run
from airtcp.errors import known_name, whole_number
from airtcp.scenario.scenario import Given, Scenario, scenario_of
from airtcp.stats import CONFIDENCE
from airtcp.stats._checks import open_probability
from airtcp.support.cores import threads_in
from airtcp.support.progress import progress_report
from airtcp.support.seeds import MOST_REPLICATIONS, check_seed

DEFAULT_ZONE = 0.02
MOST_RUNS = 1000


def advise(
    scenario: Given,
    goal: str,
    over: Mapping[str, Sequence[Any]],
    *,
    zone: float = DEFAULT_ZONE,
    confidence: float = CONFIDENCE,
    most: int = MOST_RUNS,
    seed: int = 1,
    jobs: int | None = None,
    progress: bool = False,
    journal: str | Path | None = None,
    confirm: str | None = None,
) -> Advice:
    """Choose the best of all combinations of values on a link.

    Models drop alternatives that are far behind (`airtcp.advice.screening`), simulation decides by
    fully sequential selection [kim2001]. All alternatives meet the same random numbers.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        A scenario without lists and ranges.
    goal : {"goodput", "delay", "completion", "energy"}
        Goodput of all flows together, in the order of the data; the 95 % quantile of the packets'
        delays, mean over flows; the completion of transfers; or transmissions per packet delivered,
        on the air bits per bit.
    over : dict
        The values to choose among, by key of the scenario: ``{"tcp.variant": ["reno", "sack"],
        "queue": [20, {"kind": "codel"}]}``. On a path with one hop its keys need no
        ``path.hop[0]``. Combinations that the scenario refuses are listed, not chosen.
    zone : float, default 0.02
        Differences of less than this share of the leader's mean do not matter.
    confidence : float, default 0.95
        Probability with which the choice is the best or within the zone.
    most : int, default 1000
        Runs of an alternative at most.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    progress : bool, default False
        Show a bar with the time left on stderr.
    journal : str or Path, optional
        An SQLite file in which runs are kept as they end. Runs that it has are not repeated, so
        that an interrupted simulation resumes.
    confirm : {"live"}, optional
        Run the best choice on real packets too (engine "live" of `airtcp.run`), which takes
        stop.time for every replication that the scenario asks for.

    Returns
    -------
    Advice
        The choice, and the reasons for it.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> hop = {"rate": "10Mbps", "delay": "50ms", "channel": {"kind": "iid", "loss_rate": 0.01}}
    >>> tcp, path = {"variant": "sack"}, {"hop": [hop | {"queue": 80}]}
    >>> link = {"profile": "rfc", "tcp": tcp, "path": path, "stop": {"time": "20s"}}
    >>> at.advise(link, "goodput", {"tcp.congestion": ["reno", "westwood"]}).best
    {'tcp.congestion': 'westwood'}
    """
    base = scenario_of(scenario)
    if confirm is not None:
        known_name("confirm", confirm, [live.ENGINE_NAME])
    settings = SelectionSettings(
        zone=open_probability("zone", zone),
        confidence=open_probability("confidence", confidence),
        most=whole_number("most", most, 1, MOST_REPLICATIONS),
        seed=check_seed(seed),
        threads=threads_in(jobs),
    )
    among = form_alternatives(base, over)
    points = [alternative.point for alternative in among.alternatives]
    aim = choose_goal_metric(goal, points)
    screening = screen_alternatives(
        [alternative.scenario for alternative in among.alternatives], aim
    )
    if screening.exact_values:
        outcome = _outcome_of_screening(screening, aim)
    else:
        alive = [place for place in range(len(points)) if place not in screening.reasons_dropped]
        with (
            open_journal_in_memory()
            if journal is None
            else open_journal(journal) as open_journal_file,
            progress_report(progress) as report,
        ):
            play = Tournament(
                points, aim, settings, open_journal_file, lambda *at: report("choosing", *at)
            )
            outcome = play.play(alive)
    advice = Findings(among, aim, screening, outcome).to_advice(base.title or "", settings)
    if confirm is None or not advice.best:
        return advice
    return replace(advice, confirmation=_confirm_on_real_packets(base, advice, settings, progress))


def _confirm_on_real_packets(
    base: Scenario, advice: Advice, settings: SelectionSettings, progress: bool
) -> str:
    """Compare the best choice in the live engine with the simulator, and say how they agree."""
    answer = run(
        base.replace(dict(advice.best)),
        engine=(simulation.ENGINE_NAME, live.ENGINE_NAME),
        metric=advice.metric,
        seed=settings.seed,
        progress=progress,
    )
    rows = answer.joint_verdicts
    if not len(rows):
        silent = next(answer for answer in answer.answers if answer.engine == live.ENGINE_NAME)
        return f"Real packets gave no value: {'; '.join(sorted({*silent.reasons_without_answer}))}."
    return f"Real packets: {rows['sentence'].iloc[0]}"


def _outcome_of_screening(screening: Screening, aim: GoalMetric) -> Outcome:
    sign = 1.0 if aim.high else -1.0
    return Outcome(
        tuple(np.array([sign * value]) for value in screening.exact_values), {}, {}, settled=True
    )
