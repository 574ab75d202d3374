"""Reproduction of M. Zorzi, A. Chockalingam and R. R. Rao, "Throughput Analysis of TCP on Channels
with Memory", IEEE J. Select. Areas Commun., vol. 18, no. 7, July 2000 [zorzi].

Table I, Figs. 1 to 6, the energy comparison of section V, and what the paper discusses without
showing: OldTahoe, the tightness of the bounds, delayed and lost ACKs. Every claim of the paper that
this model can test gets a verdict by a stated rule. Not tested: that SACK equals NewReno
under instant feedback (there is no SACK variant yet), and everything with a bandwidth-delay
product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pandas as pd

from airtcp.papers._base import Agreement, Claim, Reproduction, judge_both
from airtcp.papers.zorzi import analysis, energy, figures, table1, variations
from airtcp.papers.zorzi.study import Case, Study

TITLE = "Throughput Analysis of TCP on Channels with Memory"
SUMMARY = "OldTahoe, Tahoe, Reno and NewReno on a fading channel with memory."
REFERENCES = ("airtcp", "zorzi2000", "jakes1974")


@dataclass(frozen=True)
class Part:
    """How to build one part, and what it will ask of a study."""

    build: Callable[[Study], Reproduction]
    analysed: tuple[Case, ...] = ()
    simulated: tuple[Case, ...] = ()
    extra: dict[str, float] = field(default_factory=dict)


PARTS: dict[str, Part] = {
    "table1": Part(table1.build, extra={"table1": 1.0}),
    **{one.name: Part(one.build, one.cases, one.cases) for one in figures.FIGURES},
    "energy": Part(energy.build, energy.CASES, extra={"energy": energy.COST}),
    "oldtahoe": Part(analysis.oldtahoe_part, analysis.CASES),
    "bounds": Part(analysis.bounds_part, analysis.CASES, extra={"bounds": analysis.COST}),
    "feedback": Part(
        variations.feedback_part,
        extra=dict.fromkeys(("ideal", "delay-1", "delay-2", "loss-0.01"), variations.COST),
    ),
    "inflation": Part(
        variations.inflation_part, extra=dict.fromkeys(("ideal", "inflation"), variations.COST)
    ),
}


def build(study: Study, names: Iterable[str]) -> list[Reproduction]:
    """The named parts, in the order of the names; what they share is computed once."""
    parts = [PARTS[name] for name in names]
    analysed = [case for part in parts for case in part.analysed]
    simulated = [case for part in parts for case in part.simulated]
    extra = {key: cost for part in parts for key, cost in part.extra.items()}
    study.expect(analysed, simulated, sum(extra.values()))
    study.analyse(analysed)
    return [part.build(study) for part in parts]


def whole(parts: list[Reproduction]) -> Reproduction:
    """All parts as one reproduction, with every claim and one statement on agreement."""
    points = pd.concat(
        [part.table.dropna(subset=["simulation"]) for part in parts if part.agreement],
        ignore_index=True,
    ).drop_duplicates(["variant", "window", "dupacks", "channel", "loss_rate"])
    together = figures.compared(points)
    claims = tuple(claim for part in parts for claim in part.claims)
    judged = (*claims, _accuracy(together))
    return Reproduction(
        name="zorzi",
        title=TITLE,
        text="Recomputed from the model: throughput of four idealised TCP variants over one slotted"
        " wireless hop whose losses are a two-state Markov chain in time, with instant ACKs, one"
        " timer of 100 slots per packet and no back-off. Not judged: that SACK equals NewReno under"
        " instant feedback (section V), for there is no SACK variant in this version.",
        table=_verdicts(judged),
        claims=judged,
        agreement=together,
        parts=tuple(parts),
    )


def _verdicts(claims: Iterable[Claim]) -> pd.DataFrame:
    rows = [(claim.name, claim.where, claim.verdict, claim.finding) for claim in claims]
    return pd.DataFrame(rows, columns=["claim", "where", "verdict", "finding"])


def _accuracy(found: Agreement) -> Claim:
    likely, near = found.chance >= 0.01, found.largest_z < 4.0
    return Claim(
        name="analysis-accurate",
        text="Simulation shows the analysis to be accurate.",
        where="V, Figs. 1 to 3",
        rule="all simulated points of Figs. 1 to 6: as many intervals missing the exact value have"
        " at least a probability of 0.01, and every |z| < 4 (partly: one of the two)",
        verdict=judge_both(likely, near),
        finding=f"{found}.",
        numbers={
            "points": float(found.points),
            "misses": float(found.misses),
            "expected": found.expected,
            "chance": found.chance,
            "largest |z|": found.largest_z,
        },
    )
