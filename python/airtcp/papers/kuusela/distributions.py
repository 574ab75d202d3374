"""Fig. 5: goodput by the distribution of the intervals between spikes; analysis alone."""

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
from airtcp.papers.kuusela.drawing import distributions_figure
from airtcp.papers.kuusela.study import PACKET_BITS, KuuselaStudy, LinkParameters, reference

SPIKE = 5.0  # s
RATE = 40_000  # bit/s
LINK = LinkParameters(rtt=0.72, capacity=RATE / PACKET_BITS)  # here the 0.6 s are both ways
SHAPE = 1.5  # of both Pareto distributions
EVEN_TRANSITION = ((0.5, 0.5), (0.5, 0.5))
STICKY_TRANSITION = (
    (0.95, 0.05),
    (0.05, 0.95),
)  # the same distribution per spike, with long runs in either state
WORDS = {
    "modulated": "Markov-modulated exponential",
    "lomax": "Lomax (Pareto II)",
    "exponential": "exponential",
    "pareto": "Pareto I",
    "uniform": "uniform",
    "p_model": "P-model",
}
_DISTRIBUTIONS = ("exponential", "pareto", "uniform", "modulated")  # those of the paper


def _goodput_of_distribution(distribution_of: Callable[[float], Any]) -> Callable[[float], float]:
    return lambda mean: renewal(
        distribution_of(mean), spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity
    )


def _uniform_distribution(mean: float) -> Any:
    half = min(mean, 5.0)
    return stats.uniform(mean - half, 2.0 * half)


def _state_intervals(mean: float) -> list[Any]:
    return [stats.expon(scale=0.25 * mean), stats.expon(scale=1.75 * mean)]


def _goodput_of_modulated(mean: float, transition: Any = EVEN_TRANSITION) -> float:
    return markov_renewal(
        _state_intervals(mean), transition, spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity
    )


def _goodput_of_p_model(mean: float) -> float:
    return p_model(mean_interval=mean, spike=SPIKE, rtt=LINK.rtt, capacity=LINK.capacity)


CURVES: dict[str, Callable[[float], float]] = {
    "modulated": _goodput_of_modulated,
    "lomax": _goodput_of_distribution(lambda mean: stats.lomax(SHAPE, scale=mean * (SHAPE - 1.0))),
    "exponential": _goodput_of_distribution(lambda mean: stats.expon(scale=mean)),
    "pareto": _goodput_of_distribution(
        lambda mean: stats.pareto(SHAPE, scale=mean * (SHAPE - 1.0) / SHAPE)
    ),
    "uniform": _goodput_of_distribution(_uniform_distribution),
    "deterministic": _goodput_of_distribution(float),
    "p_model": _goodput_of_p_model,
    "sticky": lambda mean: _goodput_of_modulated(mean, STICKY_TRANSITION),
}


def make(study: KuuselaStudy) -> Reproduction:
    """All curves."""
    table = compute_curves(study)
    return Reproduction(
        title="Fig. 5: goodput by distribution of the intervals",
        text="Analysis: spikes of 5 s, 40 kbit/s, R = 0.72 s. The paper has exponential, Pareto,"
        " uniform and Markov-modulated exponential intervals and the P-model. It does not say which"
        " Pareto distribution of shape 1.5; type I, which has a least value of a third of its"
        " mean, and"
        " Lomax, which starts at 0, differ. The table also has intervals all alike, a chain that"
        " stays in its states for 20 spikes on average (sticky), and reference values.",
        table=table,
        figure=study.draw_figure(lambda: distributions_figure(table, WORDS)),
    )


def compute_curves(study: KuuselaStudy) -> pd.DataFrame:
    """Goodput in bit/s, a row per E(T), a column per distribution, and reference values."""
    means = np.unique(
        np.concatenate(
            [[5.0, 15.0, 30.0, 100.0], np.arange(6.0, 101.0, 4.0 if study.quick else 1.0)]
        )
    )
    table = pd.DataFrame({"mean_interval": means})
    for name, curve in CURVES.items():
        table[name] = [PACKET_BITS * curve(float(mean)) for mean in means]
    known = reference("fig5").pivot(index="mean_interval", columns="series", values="goodput")
    known.columns = [f"reference_{name.replace('-', '_')}" for name in known.columns]
    return table.merge(known.reset_index(), on="mean_interval", how="left")


@statement(
    name="5-reference",
    text="The curves, as an independent derivation has them (docs/papers/kuusela.md, section 10).",
    where="3.2, Fig. 5",
    rule="every value at E(T) = 15, 30 and 100 s is within 1 bit/s",
)
def _judge_values(table: pd.DataFrame) -> Judgement:
    names = [name for name in table.columns if name.startswith("reference_")]
    off = pd.concat(
        [table[name.removeprefix("reference_")] - table[name] for name in names]
    ).dropna()
    most = float(off.abs().max())
    return Judgement(
        verdict="holds" if most <= 1.0 else "fails",
        finding=f"{len(off)} values, the farthest off by {most:.2g} bit/s.",
        numbers={"largest difference, bit/s": most},
    )


@statement(
    name="uniform-worst",
    text="Of the four distributions uniform intervals give the least goodput.",
    where="3.2, Fig. 5",
    rule="no other distribution of the paper is below it at any E(T) (partly: at half of the"
    " points)",
)
def _judge_uniform_worst(table: pd.DataFrame) -> Judgement:
    others = pd.concat(
        [table[name] / table["uniform"] - 1.0 for name in _DISTRIBUTIONS if name != "uniform"]
    )
    return Judgement(
        verdict=judge_better(others, -1e-9),
        finding=f"The others have {percent(others.min())} to {percent(others.max())} more.",
        numbers={"least": float(others.min()), "most": float(others.max())},
    )


@statement(
    name="p-model-lower-bound",
    text="The P-model is the worst case and a lower bound; it may underestimate.",
    where="3.2, Fig. 5; 4",
    rule="it is below intervals all alike and below every distribution, at every E(T)",
)
def _judge_lower_bound(table: pd.DataFrame) -> Judgement:
    drawn = [*_DISTRIBUTIONS, "lomax", "deterministic"]
    sending = table[table["p_model"] > 0.0]  # at E(T) = 5 s, the spike, it answers 0
    above = pd.concat([sending[name] / sending["p_model"] - 1.0 for name in drawn])
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
def _judge_bursts(table: pd.DataFrame) -> Judgement:
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
def _judge_modulated_better(table: pd.DataFrame) -> Judgement:
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
    f" distributions by over {100.0 * ALIKE:g} % (partly: more at all, beyond rounding)",
)
def _judge_correlation(table: pd.DataFrame) -> Judgement:
    gain = table["sticky"] / table["modulated"] - 1.0
    most = float(gain.abs().max())
    return Judgement(
        verdict="holds" if gain.min() > ALIKE else "partly" if gain.min() > 1e-9 else "fails",
        finding=f"Both give the same (they differ by {most:.1g} at most): in this model"
        " goodput depends on the distribution per spike alone. What modulation gains is due to the"
        " spread of that distribution.",
        numbers={"largest difference": most},
    )


PART = Part(
    make,
    (
        _judge_values,
        _judge_uniform_worst,
        _judge_lower_bound,
        _judge_bursts,
        _judge_modulated_better,
        _judge_correlation,
    ),
)
