"""Contests: every pair of variants on one link, and the shares that they take.

A variant must not win because its flow started first. So a replication of two variants is played
twice on the same random numbers, each time with the other one ahead, and the mean of the two
counts: of two variants that do the same it is one half, whatever the order does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError, known_name, whole_number
from airtcp.export import write_figure
from airtcp.metrics.bottleneck import bottleneck, links_that_hold
from airtcp.metrics.ratios import jain_index
from airtcp.scenario.scenario import Given, scenario_of
from airtcp.simulation.contest_cases import case_name, contest_scenario, meetings
from airtcp.simulation.replications import SimulationResult, simulate
from airtcp.stats.intervals import mean_intervals, paired_tests
from airtcp.stats.ranking import holm
from airtcp.stats.rare import carrier_count
from airtcp.stats.ratio import ratio_of_means

MOST_VARIANTS = 20
MOST_FLOWS = 10_000
ROUNDING = 1e-12  # differences of shares below it are not differences
RIVAL_COLUMNS = ("harm", "harm_low", "harm_high", "harm_carriers", "delay_median", "delay_p95")
CARRIER_COLUMNS = ("share_carriers", "harm_carriers", "rival_harm_carriers")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contest:
    """The shares and delays of variants beside each other, pair by pair.

    Attributes
    ----------
    variants : tuple of str
        The variants, in the order in which they were asked for.
    flows : int
        Flows of each variant that met.
    table : pandas.DataFrame
        A row per ordered pair of `variant` and `rival`. Each number is a mean over `replications`,
        with both orders of start in each. NaN stands where a column does not apply.

        - `share`, `share_low`, `share_high`: the share that the flows of `variant` have of the
          goodput of both, and its 95 % interval. Beside its own kind it is 1/2 by definition.
        - `p`: p value of the hypothesis that the mean share is 1/2, by Student's t, corrected for
          all pairs by Holm's rule. There is no `p` and no interval where all replications gave the
          same share, and no `p` where most did.
        - `fairness`: Jain's index over all flows.
        - `harm`, `harm_low`, `harm_high`: the loss of the flows of `variant` beside this rival, as
          a part of what they get beside their own kind, compared replication by replication.
          Beside its own kind it is 0 by definition.
        - `goodput_bps`: goodput of all flows together.
        - `utilisation`: the share of time in which the bottleneck is busy. The bottleneck is the
          busiest link, or a token bucket or gate where more packets wait.
        - `delay_median`, `delay_p95`: in s, means over the flows of `variant`.
        - `share_carriers`, `harm_carriers`: given where a mean hangs on few replications; their
          number (`airtcp.stats.rare`).
        - `rival_harm`, `rival_delay_median` and the like: the numbers of the rival.
    chance : str
        A line that says so where nothing in the contest is random, which then has one run per pair;
        else empty.
    simulation : SimulationResult or None
        The runs.
    """

    variants: tuple[str, ...]
    flows: int
    table: pandas.DataFrame
    chance: str = ""
    simulation: SimulationResult | None = field(default=None, repr=False, compare=False)

    @property
    def transient(self) -> str:
        """A warning where the beginning of runs weighs in what flows got; empty where it does not.

        Some runs are made once more to find it (`SimulationResult.transients`).
        """
        return "" if self.simulation is None else self.simulation.transient

    def matrix(self, metric: str = "share") -> pandas.DataFrame:
        """Arrange a metric with a row per variant and a column per rival.

        Parameters
        ----------
        metric : str, default "share"
            A column of `table`.

        Returns
        -------
        pandas.DataFrame
            The values, in the order of `variants`.

        Raises
        ------
        InputError
            For a name that is no column.
        """
        known_name("metric", metric, [str(name) for name in self.table.columns[2:]])
        square = self.table.pivot(index="variant", columns="rival", values=metric)
        return square.loc[list(self.variants), list(self.variants)]

    def plot(self, path: str | Path) -> Path:
        """Draw the matrix of shares into a file.

        Parameters
        ----------
        path : str or Path
            The file; its suffix is .svg, .pdf or .png.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For another suffix, and for a file that cannot be written.
        """
        from airtcp.plot.contests import shares_figure  # noqa: PLC0415  (slow to import)

        return write_figure(lambda: shares_figure(self.table, self.variants, self.flows), path)


def contest(
    scenario: Given,
    variants: Sequence[str],
    *,
    flows: int = 1,
    replications: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: bool = False,
    journal: str | Path | None = None,
) -> Contest:
    """Let every pair of variants compete on one path.

    The first flow of the scenario is the pattern of all: its keys hold for the flows of both
    variants. One of the two starts a tenth of a second after the other, each of them once.
    Cross-traffic stays. All pairs meet the same random numbers.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        A path of packets, without axes or cases. A list at the key that
        `variants` replaces is no axis.
    variants : sequence of str
        Names for `tcp.variant`, in profile rfc also for `tcp.congestion`, and in profile linux for
        that alone.
    flows : int, default 1
        Flows of each variant, which meet as many of the other.
    replications : int, optional
        Replications of each pair; None: as the scenario says. One consists of two runs, in which
        either variant starts first.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    progress : bool, default False
        Show a bar with the time left on stderr.
    journal : str or Path, optional
        An SQLite file in which runs are kept as they end. Runs that it has are not repeated, so
        that an interrupted simulation resumes.

    Returns
    -------
    Contest
        Shares, harm and delays, pair by pair.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> hop = {"rate": "20Mbps", "delay": "25ms", "queue": 80}
    >>> link = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    >>> shares = at.contest(link, ["reno", "vegas"]).matrix()
    >>> round(float(shares.loc["vegas", "reno"]), 1)
    0.1
    """
    base, names = scenario_of(scenario), _check_variants(variants)
    each = whole_number("flows", flows, 1, MOST_FLOWS)
    simulated = simulate(
        contest_scenario(base, names, each),
        replications=replications,
        seed=seed,
        jobs=jobs,
        progress=progress,
        links=True,
        journal=journal,
    )
    table = _contest_table(runs_of_meetings(simulated, names, each), names)
    if is_exact := all(simulated.exact):
        table[[*CARRIER_COLUMNS]] = np.nan
    few = [name for name in CARRIER_COLUMNS if table[name].notna().any()]
    table = table.drop(columns=[name for name in CARRIER_COLUMNS if name not in few])
    return Contest(names, each, table, simulated.chance if is_exact else "", simulated)


def _check_variants(variants: Sequence[str]) -> tuple[str, ...]:
    if isinstance(variants, str) or not variants:
        raise InputError('variants: give a list of names, such as ["cubic", "bbr"]')
    if len(variants) > MOST_VARIANTS:
        raise InputError(f"variants: {len(variants)} are given; give at most {MOST_VARIANTS}")
    twice = [name for name in variants if list(variants).count(name) > 1]
    if twice:
        raise InputError(f"variants: {twice[0]} is named twice; name each once")
    return tuple(variants)


@dataclass(frozen=True)
class MeetingRuns:
    """The runs of a meeting, by replication: goodputs and delays of each side, the first in row 0.

    - `goodputs`, `medians`, `p95`: sides by replications;
    - `jain`: fairness over all flows.
    """

    goodputs: Floats
    medians: Floats
    p95: Floats
    jain: Floats
    utilisation: float


def runs_of_meetings(
    simulated: SimulationResult, variants: Sequence[str], flows: int
) -> dict[tuple[str, str], MeetingRuns]:
    """The runs of each meeting in a simulated `contest_scenario` of so many `flows` a variant."""
    runs, holds = simulated.to_pandas(), links_that_hold(simulated.scenario.points()[0].data)
    links = simulated.links.assign(held=_mask_of_holding_links(simulated.links, holds))
    return {
        meeting: _runs_of_meeting(
            runs[runs["case"] == case_name(meeting)],
            links[links["case"] == case_name(meeting)],
            flows,
        )
        for meeting in meetings(variants)
    }


def _runs_of_meeting(runs: pandas.DataFrame, links: pandas.DataFrame, flows: int) -> MeetingRuns:
    def by_flow(metric: str) -> Floats:
        table = runs.pivot_table(index="flow", columns="replication", values=metric, dropna=False)
        return np.asarray(table.to_numpy(dtype=float)).reshape(2, flows, -1)

    goodputs = by_flow("goodput_bps")
    return MeetingRuns(
        goodputs.sum(axis=1),
        _known_means(by_flow("delay_median")),
        _known_means(by_flow("delay_p95")),
        jain_index(goodputs.reshape(2 * flows, -1).T),
        _bottleneck_utilisation(links),
    )


def _known_means(values: Floats) -> Floats:
    """The means over the flows that have a value; NaN if none has."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
    return means


@dataclass(frozen=True)
class ContestPair:
    """A variant (row 0) and its rival (row 1), over both orders of start, by replication."""

    goodputs: Floats
    shares: Floats
    medians: Floats
    p95: Floats
    jain: Floats
    utilisation: float

    @classmethod
    def from_both_orders(cls, ahead: MeetingRuns, behind: MeetingRuns) -> ContestPair:
        """The pair from runs in which the variant starts first and runs in which its rival does."""
        n = min(ahead.jain.size, behind.jain.size)

        def both(name: str) -> Floats:
            first, other = getattr(ahead, name), getattr(behind, name)
            return np.asarray((first[:, :n] + other[::-1, :n]) / 2.0)

        shares = (_shares(ahead.goodputs[:, :n]) + _shares(behind.goodputs[::-1, :n])) / 2.0
        return cls(
            both("goodputs"),
            shares,
            both("medians"),
            both("p95"),
            (ahead.jain[:n] + behind.jain[:n]) / 2.0,
            (ahead.utilisation + behind.utilisation) / 2.0,
        )

    def row(self, alone: Floats) -> dict[str, Any]:
        """A row of the table; `alone`: goodput of the variant beside its own kind, by run."""
        share, harm = _with_interval("share", self.shares), _harm(self.goodputs[0], alone)
        return {
            **share,
            "p": _fair_share_p_value(self.shares),
            "fairness": self.jain.mean(),
            **harm,
            "goodput_bps": self.goodputs.sum(axis=0).mean(),
            "utilisation": self.utilisation,
            "delay_median": self.medians[0].mean(),
            "delay_p95": self.p95[0].mean(),
            "replications": self.shares.size,
        }


def _shares(goodputs: Floats) -> Floats:
    """The share of the first side, by replication; NaN where nothing was delivered."""
    with np.errstate(invalid="ignore"):
        return np.asarray(goodputs[0] / goodputs.sum(axis=0))


def _contest_table(
    runs: dict[tuple[str, str], MeetingRuns], variants: Sequence[str]
) -> pandas.DataFrame:
    pairs = {
        pair: ContestPair.from_both_orders(runs[pair], runs[pair[::-1]])
        for pair in _ordered_pairs(variants)
    }
    alone = {variant: pairs[variant, variant].goodputs[0] for variant in variants}
    own = {pair: contest_pair.row(alone[pair[0]]) for pair, contest_pair in pairs.items()}
    for variant in variants:  # these are so by definition
        own[variant, variant] |= {"share_carriers": np.nan, "harm_carriers": np.nan}
    rows = [
        {"variant": variant, "rival": other}
        | row
        | {f"rival_{key}": own[other, variant][key] for key in RIVAL_COLUMNS}
        for (variant, other), row in own.items()
    ]
    return _correct_p_values(pandas.DataFrame(rows))


def _ordered_pairs(variants: Sequence[str]) -> list[tuple[str, str]]:
    """Each pair once in the order of `variants`, its own kind first; then the pairs turned."""
    turned = [(other, variant) for variant, other in combinations(variants, 2)]
    places = {name: place for place, name in enumerate(variants)}
    return [pair for pair in meetings(variants) if places[pair[0]] <= places[pair[1]]] + turned


def _mask_of_holding_links(
    links: pandas.DataFrame, holds: frozenset[tuple[int, str]]
) -> list[bool]:
    """For each row, true if its link makes packets wait while it is idle."""
    return [place in holds for place in zip(links["hop"], links["direction"], strict=True)]


def _bottleneck_utilisation(links: pandas.DataFrame) -> float:
    """Share of the time in which the bottleneck was busy."""
    columns = ["busy_ns", "queue_packet_us", "time_ns", "held"]
    sums = links.groupby(["hop", "direction"], observed=True)[columns].sum()
    busy, waiting = (sums[name] / sums["time_ns"] for name in columns[:2])
    return float(busy[bottleneck(busy, waiting, sums.index[sums["held"] > 0])])


def _with_interval(name: str, values: Floats) -> dict[str, float]:
    """The mean and its interval, which is NaN where values do not scatter."""
    interval = mean_intervals(values[np.newaxis, :])
    low, high = (float(interval[end][0]) for end in ("low", "high"))
    if not _has_scatter(values):
        low = high = float("nan")
    ends = {f"{name}_low": low, f"{name}_high": high}
    return {name: float(interval["mean"][0])} | ends | {f"{name}_carriers": _carriers(values)}


def _harm(mine: Floats, alone: Floats) -> dict[str, float]:
    """The goodput lost, as a part of what the variant gets beside its own kind [Ware 2019]."""
    n = min(mine.size, alone.size)
    unknown = dict.fromkeys(("harm", "harm_low", "harm_high", "harm_carriers"), float("nan"))
    if not n or alone[:n].mean() == 0.0:
        return unknown
    ratio = ratio_of_means(mine[:n], alone[:n])
    away = (mine[:n] - ratio.value * alone[:n]) / alone[:n].mean()
    harm_columns = unknown | {"harm": 1.0 - ratio.value, "harm_carriers": _carriers(away)}
    if not _has_scatter(away):
        return harm_columns
    return harm_columns | {"harm_low": 1.0 - ratio.high, "harm_high": 1.0 - ratio.low}


def _carriers(values: Floats) -> float:
    """Number of replications that carry the scatter beyond rounding, if few; NaN otherwise."""
    return carrier_count(np.round(values / ROUNDING) * ROUNDING)


def _has_scatter(values: Floats) -> bool:
    """True if the values scatter beyond rounding, so that they have an interval."""
    return values.size > 1 and float(np.ptp(values)) > ROUNDING


def _fair_share_p_value(shares: Floats) -> float:
    """The p value of the two-sided test that the mean share is 1/2."""
    rows = shares[np.newaxis, :]
    return float(paired_tests(rows, np.full_like(rows, 0.5))[0])


def _correct_p_values(table: pandas.DataFrame) -> pandas.DataFrame:
    """Correct for all pairs [Holm 1979]; a pair stands in the table twice and counts once."""
    pairs = [tuple(sorted(pair)) for pair in zip(table["variant"], table["rival"], strict=True)]
    raw = dict(zip(pairs, table["p"], strict=True))
    corrected = dict(zip(raw, holm(list(raw.values())), strict=True))
    return table.assign(p=[corrected[pair] for pair in pairs])
