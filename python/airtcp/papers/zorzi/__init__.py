"""Reproduction of M. Zorzi, A. Chockalingam and R. R. Rao, "Throughput Analysis of TCP on Channels
with Memory", IEEE J. Select. Areas Commun., vol. 18, no. 7, July 2000 [zorzi].

Table I, Figs. 1 to 6, the energy comparison of section V, and topics that the paper discusses
without showing: OldTahoe, the tightness of the bounds, delayed and lost ACKs, SACK. Every claim of
the paper that this model can test gets a verdict by a stated rule. Not tested: everything with a
bandwidth-delay product.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from airtcp.papers.base import (
    Agreement,
    Judgement,
    Paper,
    Reproduction,
    judge_both,
    statement,
    verdicts_table,
)
from airtcp.papers.columns import SIMULATED
from airtcp.papers.zorzi import analysis, energy, figures, table1, variations
from airtcp.papers.zorzi.study import ZorziStudy


@statement(
    name="analysis-accurate",
    text="Simulation shows the analysis to be accurate.",
    where="V, Figs. 1 to 3",
    rule="all simulated points of Figs. 1 to 6: as many intervals missing the exact value have"
    " at least a probability of 0.01, and every |z| < 4 (partly: one of the two)",
)
def _accuracy(found: Agreement) -> Judgement:
    return Judgement(
        verdict=judge_both(found.chance >= 0.01, found.largest_z < 4.0),
        finding=f"{found}.",
        numbers={
            "points": float(found.points),
            "misses": float(found.misses),
            "expected": found.expected,
            "chance": found.chance,
            "largest |z|": found.largest_z,
        },
    )


def _finish(whole: Reproduction) -> Reproduction:
    """The whole paper with one statement on agreement, over all simulated points."""
    points = pd.concat(
        [part.table.dropna(subset=[SIMULATED]) for part in whole.parts if part.agreement],
        ignore_index=True,
    ).drop_duplicates(["variant", "window", "dupacks", "channel", "loss_rate"])
    together = figures.simulation_agreement(points)
    claims = (*whole.claims, _accuracy(together))
    return replace(whole, claims=claims, agreement=together, table=verdicts_table(claims))


PAPER = Paper(
    title="Throughput Analysis of TCP on Channels with Memory",
    summary="OldTahoe, Tahoe, Reno and NewReno on a fading channel with memory.",
    references=("airtcp", "zorzi2000", "jakes1974"),
    parts={
        "table1": table1.PART,
        **{figure.name: figure.part for figure in figures.FIGURES},
        "energy": energy.PART,
        "oldtahoe": analysis.OLDTAHOE,
        "bounds": analysis.BOUNDS,
        "feedback": variations.FEEDBACK,
        "inflation": variations.INFLATION,
        "sack": variations.SACK,
    },
    text="Recomputed from the model: throughput of four idealised TCP variants over one slotted"
    " wireless hop whose losses are a two-state Markov chain in time, with instant ACKs, one"
    " timer of 100 slots per packet and no backoff.",
    study=ZorziStudy,
    finish=_finish,
)
