"""Who gets what: every pair of variants on one link, and the shares that they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray
from scipy.stats import t as student

from airtcp import _native
from airtcp.errors import InputError, known_name, whole_number
from airtcp.export import write_figure
from airtcp.metrics.ratios import fairness
from airtcp.scenario.scenario import Given, Scenario, scenario_of
from airtcp.simulation.replications import simulate
from airtcp.support.units import nanoseconds

MOST_VARIANTS = 20
MOST_FLOWS = 10_000
CONFIDENCE = 0.95
LATER = 100_000_000  # ns
OF_RIVAL = ("harm", "delay_median", "delay_p95")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contest:
    """What variants got from each other, pair by pair.

    - `variants`: in the order in which they were asked for; `flows`: how many of each met;
    - `table`: a row per ordered pair: `variant`, `rival`, `share` (of the goodput of both, for the
      flows of `variant`) with `share_low` and `share_high`, `p` (that the mean share is 1/2, by
      Student's t, corrected for all pairs by Holm's rule; NaN where variant and rival are the
      same), `fairness` (Jain's index over all flows), `harm` (what the flows of `variant` lose
      against a rival of their own kind, as a part of what they get from that one),
      `goodput_bps` (of all flows together), `utilisation` (which part of the time the bottleneck is
      busy: of all links the one that is busiest), `delay_median` and `delay_p95` in s (mean over
      the flows of `variant`), each a mean over `replications`; `rival_harm`, `rival_delay_median`
      and `rival_delay_p95` are the rival's. Where all replications of a pair gave the same share,
      as those of a scenario without chance do, there is no interval and no `p`: they are NaN;
    - `chance`: a line that says so of a contest in which nothing is random, which has one run per
      pair; else empty.
    """

    variants: tuple[str, ...]
    flows: int
    table: pandas.DataFrame
    chance: str = ""

    def matrix(self, metric: str = "share") -> pandas.DataFrame:
        """A metric with a row per variant and a column per rival.

        Raises `InputError` for a name that is no column.
        """
        known_name("metric", metric, [str(name) for name in self.table.columns[2:]])
        square = self.table.pivot(index="variant", columns="rival", values=metric)
        return square.loc[list(self.variants), list(self.variants)]

    def plot(self, path: str | Path) -> Path:
        """Draw the matrix of shares into a file (.svg, .pdf, .png), and return its path.

        Raises `InputError`.
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
    """Let every pair of `variants` compete on the path of `scenario`.

    - `scenario`: one of packets on a path, without axes or cases. Its first flow is the pattern of
      all: its keys hold for the flows of both variants, of which the second starts after the first
      by a tenth of a second. Cross-traffic stays;
    - `variants`: names for `tcp.congestion` in profile linux, elsewhere for `tcp.variant` or, in
      profile rfc, for `tcp.growth`;
    - `flows`: how many of each variant meet as many of the other;
    - `replications`, `seed`, `jobs`, `progress`, `journal`: as in `airtcp.simulate`. All pairs meet
      the same random numbers.

    Raises `InputError`, and `Interrupted` on Ctrl-C.

    Example:

    >>> import airtcp as at
    >>> hop = {"rate": "20Mbps", "delay": "25ms", "queue": 80}
    >>> link = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    >>> at.contest(link, ["reno", "vegas"]).matrix().loc["vegas", "reno"] < 0.2
    True
    """
    base, names = scenario_of(scenario), _checked(variants)
    each = whole_number("flows", flows, 1, MOST_FLOWS)
    pairs = list(combinations_with_replacement(names, 2))
    document = _document(base, pairs, each)
    found = simulate(
        Scenario.from_dict(document),
        replications=replications,
        seed=seed,
        jobs=jobs,
        progress=progress,
        links=True,
        journal=journal,
    )
    table = pandas.DataFrame(_rows(found.to_pandas(), found.links, pairs, each))
    return Contest(names, each, _with_p(table), found.chance if all(found.exact) else "")


def _checked(variants: Sequence[str]) -> tuple[str, ...]:
    if isinstance(variants, str) or not variants:
        raise InputError('variants: give a list of names, such as ["cubic", "bbr"]')
    if len(variants) > MOST_VARIANTS:
        raise InputError(f"variants: {len(variants)} of them; at most {MOST_VARIANTS}")
    twice = [name for name in variants if list(variants).count(name) > 1]
    if twice:
        raise InputError(f"variants: {twice[0]} is named twice")
    return tuple(variants)


def _document(base: Scenario, pairs: Sequence[tuple[str, str]], flows: int) -> dict[str, Any]:
    """The scenario with a case per pair."""
    document: dict[str, Any] = dict(base.to_dict())
    if base.family != "path":
        raise InputError("profile: a contest is of packets on a path, not of slots")
    if "case" in document:
        raise InputError("case: a contest makes the cases itself; give one scenario without them")
    if len(base.points()) != 1:
        raise InputError("a contest is on one link: give a scenario without lists and ranges")
    pattern = dict((document.pop("flow", None) or [{}])[0])
    if own := sorted({"variant", "tcp", "count"} & pattern.keys()):
        raise InputError(f"flow[0].{own[0]}: the contest says which TCP flows have, and how many")
    key = {name: _key(document["profile"], name) for pair in pairs for name in pair}
    document["case"] = [
        {
            "name": _name(pair),
            "flow": [
                {**pattern, "count": flows, "tcp": key[one], "start": _start(pattern, place)}
                for place, one in enumerate(pair)
            ],
        }
        for pair in pairs
    ]
    return document


def _name(pair: tuple[str, str]) -> str:
    return " against ".join(pair)


def _start(pattern: Mapping[str, Any], place: int) -> str:
    """When flows start: those of the second variant a tenth of a second later."""
    return f"{nanoseconds(str(pattern.get('start', '0s'))) + place * LATER}ns"


def _key(profile: str, name: str) -> dict[str, str]:
    """What of `tcp` a name says."""
    registry = _native.registry()
    keys = {"linux": ("congestion",), "rfc": ("variants", "growth")}.get(profile, ("variants",))
    known = {entry[0]: kind for kind in keys for entry in registry[kind]}
    known_name("variants", name, list(known))
    kind = known[name]
    return {"variant" if kind == "variants" else kind: name}


def _rows(
    runs: pandas.DataFrame,
    links: pandas.DataFrame,
    pairs: Sequence[tuple[str, str]],
    flows: int,
) -> list[dict[str, Any]]:
    cells = {
        pair: _cell(runs[runs["case"] == _name(pair)], links[links["case"] == _name(pair)], flows)
        for pair in pairs
    }
    ordered = {pair: cells[pair] for pair in pairs}
    ordered |= {(b, a): cells[a, b].turned() for a, b in pairs}
    alone = {one: ordered[one, one].both().mean() / 2 for one, _ in pairs}
    return [
        {"variant": one, "rival": other}
        | cell.row(alone[one])
        | {f"rival_{key}": cell.turned().row(alone[other])[key] for key in OF_RIVAL}
        for (one, other), cell in ordered.items()
    ]


@dataclass(frozen=True)
class _Cell:
    """Goodputs and delays of a pair: by replication and flow, those of `one` first."""

    goodputs: Floats
    medians: Floats
    p95: Floats
    utilisation: float
    one: slice
    rest: slice

    def turned(self) -> _Cell:
        return replace(self, one=self.rest, rest=self.one)

    def both(self) -> Floats:
        """What all flows got together, by replication."""
        return np.asarray(self.goodputs.sum(axis=1))

    def row(self, alone: float) -> dict[str, Any]:
        """`alone`: what the flows of the variant get against their own kind."""
        mine = self.goodputs[:, self.one].sum(axis=1)
        shares = mine / self.both()
        half = _half(shares)
        return {
            "share": shares.mean(),
            "share_low": shares.mean() - half,
            "share_high": shares.mean() + half,
            "p": _p(shares),
            "fairness": fairness(self.goodputs).mean(),
            "harm": 1 - mine.mean() / alone,
            "goodput_bps": self.both().mean(),
            "utilisation": self.utilisation,
            "delay_median": np.nanmean(self.medians[:, self.one]),
            "delay_p95": np.nanmean(self.p95[:, self.one]),
            "replications": len(shares),
        }


def _cell(runs: pandas.DataFrame, links: pandas.DataFrame, flows: int) -> _Cell:
    def by_flow(metric: str) -> Floats:
        table = runs.pivot_table(index="replication", columns="flow", values=metric, dropna=False)
        return np.asarray(table.to_numpy(dtype=float))

    goodputs, medians, p95 = map(by_flow, ("goodput_bps", "delay_median", "delay_p95"))
    ends = slice(0, flows), slice(flows, 2 * flows)
    return _Cell(goodputs, medians, p95, _bottleneck(links), *ends)


def _bottleneck(links: pandas.DataFrame) -> float:
    """Which part of the time the busiest link was busy."""
    sums = links.groupby(["hop", "direction"], observed=True)[["busy_ns", "time_ns"]].sum()
    return float((sums["busy_ns"] / sums["time_ns"]).max())


def _scatters(values: Floats) -> bool:
    """Whether there is a spread from which an interval can be had."""
    return len(values) > 1 and bool((values != values[0]).any())


def _half(values: Floats) -> float:
    """Half of the interval of a mean; NaN of values that are all the same."""
    if not _scatters(values):
        return float("nan")
    error = values.std(ddof=1) / np.sqrt(len(values))
    return float(student.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * error)


def _p(shares: Floats) -> float:
    """Of the two-sided test that the mean share is 1/2."""
    if not _scatters(shares):
        return float("nan")
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    off = abs(shares.mean() - 0.5)
    return float(2 * student.sf(off / error, len(shares) - 1))


def _with_p(table: pandas.DataFrame) -> pandas.DataFrame:
    """Corrected for all pairs [Holm 1979]; a pair stands in the table twice and counts once."""
    table = table.copy()
    table.loc[table["variant"] == table["rival"], "p"] = float("nan")
    pairs = [tuple(sorted(pair)) for pair in zip(table["variant"], table["rival"], strict=True)]
    raw = dict(zip(pairs, table["p"], strict=True))
    tested = sorted((p, pair) for pair, p in raw.items() if not np.isnan(p))
    largest, corrected = 0.0, {}
    for place, (p, pair) in enumerate(tested):
        largest = max(largest, min(1.0, p * (len(tested) - place)))
        corrected[pair] = largest
    table["p"] = [corrected.get(pair, float("nan")) for pair in pairs]
    return table
