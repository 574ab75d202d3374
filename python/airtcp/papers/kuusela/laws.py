"""Fig. 5: goodput by the law of the intervals between spikes; analysis alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq

from airtcp.models.kuusela import markov_renewal, p_model, renewal
from airtcp.papers.base import (
    ALIKE,
    Judgement,
    Part,
    Reproduction,
    judge_better,
    percent,
    statement,
)
from airtcp.papers.kuusela.drawing import laws_figure
from airtcp.papers.kuusela.study import PACKET_BITS, Link, Study, reference

SPIKE = 5.0  # s
RATE = 40_000  # bit/s
LINK = Link(rtt=0.72, capacity=RATE / PACKET_BITS)  # here the 0.6 s are both ways
SHAPE = 1.5  # of both Pareto laws
EVEN = ((0.5, 0.5), (0.5, 0.5))
STICKY = ((0.95, 0.05), (0.05, 0.95))  # the same law per spike, with long runs in either state
WORDS = {
    "modulated": "Markov-modulated exponential",
    "lomax": "Lomax (Pareto II)",
    "exponential": "exponential",
    "pareto": "Pareto I",
    "uniform": "uniform",
    "p_model": "P-model",
}
_LAWS = ("exponential", "pareto", "uniform", "modulated")  # those of the paper


def _single(law: Callable[[float], Any]) -> Callable[[float], float]:
    return lambda mean: renewal(law(mean), spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity)


def _uniform(mean: float) -> Any:
    half = min(mean, 5.0)
    return stats.uniform(mean - half, 2.0 * half)


def _states(mean: float) -> list[Any]:
    return [stats.expon(scale=0.25 * mean), stats.expon(scale=1.75 * mean)]


def _modulated(mean: float, transition: Any = EVEN) -> float:
    return markov_renewal(
        _states(mean), transition, spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity
    )


def _p_model(mean: float) -> float:
    return p_model(mean_interval=mean, spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity)


CURVES: dict[str, Callable[[float], float]] = {
    "modulated": _modulated,
    "lomax": _single(lambda mean: stats.lomax(SHAPE, scale=mean * (SHAPE - 1.0))),
    "exponential": _single(lambda mean: stats.expon(scale=mean)),
    "pareto": _single(lambda mean: stats.pareto(SHAPE, scale=mean * (SHAPE - 1.0) / SHAPE)),
    "uniform": _single(_uniform),
    "deterministic": _single(float),
    "p_model": _p_model,
    "sticky": lambda mean: _modulated(mean, STICKY),
}


def make(study: Study) -> Reproduction:
    """All curves."""
    table = computed(study)
    return Reproduction(
        title="Fig. 5: goodput by law of the intervals",
        text="Analysis: spikes of 5 s, 40 kbit/s, R = 0.72 s. The paper has exponential, Pareto,"
        " uniform and Markov-modulated exponential intervals and the P-model. It does not say which"
        " Pareto law of shape 1.5; type I, which has a least value of a third of its mean, and"
        " Lomax, which starts at 0, differ. The table also has intervals all alike, a chain that"
        " stays in its states for 20 spikes on average (sticky), and reference values.",
        table=table,
        figure=study.drawn(lambda: laws_figure(table, WORDS)),
    )


def computed(study: Study) -> pd.DataFrame:
    """Goodput in bit/s, one row per E(T), a column per law; reference values beside them."""
    means = np.unique(
        np.concatenate(
            [[5.0, 15.0, 30.0, 100.0], np.arange(6.0, 101.0, 4.0 if study.quick else 1.0)]
        )
    )
    table = pd.DataFrame({"mean_interval": means})
    for law, curve in CURVES.items():
        table[law] = [PACKET_BITS * curve(float(mean)) for mean in means]
    known = reference("fig5").pivot(index="mean_interval", columns="series", values="goodput")
    known.columns = [f"reference_{name.replace('-', '_')}" for name in known.columns]
    return table.merge(known.reset_index(), on="mean_interval", how="left")


@statement(
    name="5-reference",
    text="The curves, as an independent derivation has them (docs/papers/kuusela.md, section 10).",
    where="3.2, Fig. 5",
    rule="every value at E(T) = 15, 30 and 100 s is within 1 bit/s",
)
def _values(table: pd.DataFrame) -> Judgement:
    names = [name for name in table.columns if name.startswith("reference_")]
    off = pd.concat([table[one.removeprefix("reference_")] - table[one] for one in names]).dropna()
    most = float(off.abs().max())
    return Judgement(
        verdict="holds" if most <= 1.0 else "fails",
        finding=f"{len(off)} values, the farthest off by {most:.2g} bit/s.",
        numbers={"largest difference, bit/s": most},
    )


@statement(
    name="uniform-worst",
    text="Of the four laws uniform intervals give the least goodput.",
    where="3.2, Fig. 5",
    rule="no other law of the paper is below it at any E(T) (partly: at half of the points)",
)
def _uniform_worst(table: pd.DataFrame) -> Judgement:
    others = pd.concat([table[law] / table["uniform"] - 1.0 for law in _LAWS if law != "uniform"])
    return Judgement(
        verdict=judge_better(others, -1e-9),
        finding=f"The others have {percent(others.min())} to {percent(others.max())} more.",
        numbers={"least": float(others.min()), "most": float(others.max())},
    )


@statement(
    name="p-model-lower-bound",
    text="The P-model is the worst case and a lower bound; it may underestimate.",
    where="3.2, Fig. 5; 4",
    rule="it is below intervals all alike and below every law, at every E(T)",
)
def _lower_bound(table: pd.DataFrame) -> Judgement:
    laws = [*_LAWS, "lomax", "deterministic"]
    sending = table[table["p_model"] > 0.0]  # at E(T) = 5 s, the spike, it answers 0
    above = pd.concat([sending[law] / sending["p_model"] - 1.0 for law in laws])
    return Judgement(
        verdict=judge_better(above),
        finding=f"The others have {percent(above.min())} to {percent(above.max())} more.",
        numbers={"least": float(above.min()), "most": float(above.max())},
    )


@statement(
    name="bursts-help",
    text="Bursty spikes give more goodput: Pareto intervals above exponential ones.",
    where="3.2, Fig. 5",
    rule="Pareto I is above exponential at every E(T) (partly: at half of the points)",
)
def _bursts(table: pd.DataFrame) -> Judgement:
    gain = table["pareto"] / table["exponential"] - 1.0
    lomax = table["lomax"] / table["exponential"] - 1.0
    meeting = float(
        brentq(lambda mean: CURVES["pareto"](mean) - CURVES["exponential"](mean), 5.5, 15.0)
    )
    return Judgement(
        verdict=judge_better(gain),
        finding=f"Pareto I is above up to E(T) = {meeting:.1f} s only, and {percent(gain.min())}"
        f" at worst: its least interval is E(T)/3. Lomax: {percent(lomax.min())} to"
        f" {percent(lomax.max())}.",
        numbers={"equal at E(T), s": meeting, "least": float(gain.min())},
    )


@statement(
    name="modulated-better",
    text="Modulated intervals give throughout more goodput than exponential ones.",
    where="3.2, Fig. 5",
    rule="above them at every E(T) (partly: at half of the points)",
)
def _modulated_better(table: pd.DataFrame) -> Judgement:
    gain = table["modulated"] / table["exponential"] - 1.0
    return Judgement(
        verdict=judge_better(gain),
        finding=f"{percent(gain.min())} to {percent(gain.max())}.",
        numbers={"least": float(gain.min()), "most": float(gain.max())},
    )


@statement(
    name="correlation-helps",
    text="Correlation of the intervals raises the goodput.",
    where="3.2; 4",
    rule="a chain that stays in its states gives more than independent choices of the same two"
    f" laws by over {100.0 * ALIKE:g} % (partly: more at all, beyond rounding)",
)
def _correlation(table: pd.DataFrame) -> Judgement:
    gain = table["sticky"] / table["modulated"] - 1.0
    most = float(gain.abs().max())
    return Judgement(
        verdict="holds" if gain.min() > ALIKE else "partly" if gain.min() > 1e-9 else "fails",
        finding=f"Both give the same (they differ by {most:.1g} at most): in this model"
        " goodput depends on the law per spike alone. What modulation gains is due to the spread"
        " of that law.",
        numbers={"largest difference": most},
    )


PART = Part(make, (_values, _uniform_worst, _lower_bound, _bursts, _modulated_better, _correlation))
