"""Reproduction of M. Zorzi, A. Chockalingam and R. R. Rao, "Throughput Analysis of TCP on Channels
with Memory", IEEE J. Select. Areas Commun., vol. 18, no. 7, July 2000 [zorzi].

Table I, Figs. 1 to 6, the energy comparison of section V, and what the paper discusses without
showing: OldTahoe, the tightness of the bounds, delayed and lost ACKs, SACK. Every claim of the
paper that this model can test gets a verdict by a stated rule. Not tested: everything with a
bandwidth-delay product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pandas as pd

from airtcp.papers.base import Agreement, Claim, Paper, Reproduction, judge_both, verdicts
from airtcp.papers.zorzi import analysis, energy, figures, table1, variations
from airtcp.papers.zorzi.study import Case, Study


@dataclass(frozen=True)
class Part:
    """How to build one part, and what it will ask of a study."""

    build: Callable[[Study], Reproduction]
    analysed: tuple[Case, ...] = ()
    simulated: tuple[Case, ...] = ()
    extra: dict[str, float] = field(default_factory=dict)


PARTS: dict[str, Part] = {
    "table1": Part(table1.build),
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
    "sack": Part(variations.sack_part, extra=dict.fromkeys(("ideal", "sack"), variations.COST)),
}


def _prepare(study: Study, names: list[str]) -> None:
    """Solve what the named parts ask for, each case once."""
    parts = [PARTS[name] for name in names]
    analysed = [case for part in parts for case in part.analysed]
    study.expect_cases(analysed, [case for part in parts for case in part.simulated])
    study.expect(sum({key: cost for part in parts for key, cost in part.extra.items()}.values()))
    study.analyse(analysed)


def _finish(whole: Reproduction) -> Reproduction:
    """The whole paper with one statement on agreement, over all simulated points."""
    points = pd.concat(
        [part.table.dropna(subset=["simulation"]) for part in whole.parts if part.agreement],
        ignore_index=True,
    ).drop_duplicates(["variant", "window", "dupacks", "channel", "loss_rate"])
    together = figures.compared(points)
    claims = (*whole.claims, _accuracy(together))
    return replace(whole, claims=claims, agreement=together, table=verdicts(claims))


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


PAPER = Paper(
    title="Throughput Analysis of TCP on Channels with Memory",
    summary="OldTahoe, Tahoe, Reno and NewReno on a fading channel with memory.",
    references=("airtcp", "zorzi2000", "jakes1974"),
    parts={name: part.build for name, part in PARTS.items()},
    text="Recomputed from the model: throughput of four idealised TCP variants over one slotted"
    " wireless hop whose losses are a two-state Markov chain in time, with instant ACKs, one"
    " timer of 100 slots per packet and no back-off.",
    study=Study,
    prepare=_prepare,
    finish=_finish,
)
