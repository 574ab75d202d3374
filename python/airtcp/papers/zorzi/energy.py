"""The energy comparison of section V: the fading margin each variant needs for one throughput.

Radiated energy per packet is proportional to the fading margin F at a fixed distance and receiver,
so the energy per *delivered* packet is F times the packets sent per packet delivered. Energy while
the sender waits, and the receiver's, are left out.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from airtcp.papers.base import Judgement, Need, Part, Reproduction, Verdict, statement
from airtcp.papers.zorzi.study import (
    Case,
    ZorziSizes,
    ZorziStudy,
    bounds_table,
    solution_needs,
    solve_exact,
)
from airtcp.papers.zorzi.table1 import fading_margin_db
from airtcp.plot.style import CurveData, energy_figure

LEVELS = (0.8, 0.9, 0.95)  # packets per slot; the paper reads Fig. 2 at 0.9
CASES = tuple(Case(variant, 24) for variant in ("reno", "tahoe", "newreno"))
COST = 12.0  # of the exact solutions at the roots, in units of the progress bar

_ORDER_RULE = (
    "the paper reads an order of magnitude off a figure, so within a factor of two of ten: a ratio"
    " between 5 and 20 (partly: between 3 and 30)"
)


def make(study: ZorziStudy) -> Reproduction:
    """Find the loss rates, turn them into margins, compare."""
    table = pd.DataFrame([_row(case, level) for level in LEVELS for case in CASES])
    study.advance("energy", COST)
    table = _with_margins_to_tahoe(table)
    at = {row.variant: row for row in table[table["level"] == 0.9].itertuples()}
    return Reproduction(
        title="Energy: fading margin at equal throughput",
        text="Loss rate and fading margin at which each variant reaches a throughput on the slow"
        " channel (f_dT 0.01, window 24), by root finding on the embedded analysis;"
        " the table gives the exact throughput there. The energy difference adds the packets sent"
        " per packet delivered to the margin.",
        table=table,
        figure=study.draw_figure(
            lambda: energy_figure(
                [_energy_curve(study, case, "throughput") for case in CASES],
                [_energy_curve(study, case, "transmissions_per_delivery") for case in CASES],
                level=0.9,
                margins=(at["reno"].fading_margin_db, at["tahoe"].fading_margin_db),
            )
        ),
    )


def loss_rate_at(case: Case, level: float) -> float:
    """The loss rate at which the throughput (embedded analysis) falls to `level`."""

    def excess(log_rate: float) -> float:
        return float(bounds_table(case, math.exp(log_rate))["throughput"].iloc[0]) - level

    return math.exp(brentq(excess, math.log(1e-6), math.log(0.5), xtol=1e-10))


def _row(case: Case, level: float) -> dict[str, object]:
    loss_rate = loss_rate_at(case, level)
    exact = solve_exact(case, loss_rate)
    resent = exact.transmissions / exact.throughput
    margin = fading_margin_db(loss_rate)
    return {
        "level": level,
        "variant": case.variant,
        "loss_rate": loss_rate,
        "fading_margin_db": margin,
        "throughput": exact.throughput,
        "transmissions_per_delivery": resent,
        "energy_db": margin + 10.0 * math.log10(resent),
    }


def _with_margins_to_tahoe(table: pd.DataFrame) -> pd.DataFrame:
    tahoe = table[table["variant"] == "tahoe"].set_index("level")
    reference = tahoe.loc[table["level"]].reset_index()
    table["loss_rate_ratio"] = reference["loss_rate"] / table["loss_rate"]
    table["margin_above_tahoe_db"] = table["fading_margin_db"] - reference["fading_margin_db"]
    table["energy_above_tahoe_db"] = table["energy_db"] - reference["energy_db"]
    return table


def _energy_curve(study: ZorziStudy, case: Case, column: str) -> CurveData:
    analysis = study.analysis(case)
    margins = np.array([fading_margin_db(rate) for rate in analysis["loss_rate"]])
    return CurveData(colour=case.variant_word, x=margins, y=analysis[column])


@statement(
    name="order-of-magnitude",
    text="On the slow channel Tahoe and Reno reach a throughput of 0.9 at loss rates about one"
    " order of magnitude apart.",
    where="V, Fig. 2",
    rule=_ORDER_RULE,
)
def _judge_loss_rates_apart(table: pd.DataFrame) -> Judgement:
    reno = table[table["variant"] == "reno"].set_index("level")
    ratio = float(reno.loc[0.9, "loss_rate_ratio"])
    tahoe = table[(table["variant"] == "tahoe") & (table["level"] == 0.9)].iloc[0]
    others = ", ".join(
        f"{reno.loc[level, 'loss_rate_ratio']:.1f} times at {level:g}" for level in (0.8, 0.95)
    )
    return Judgement(
        verdict=_judge_order(ratio),
        finding=f"P_E {tahoe['loss_rate']:.4f} against {reno.loc[0.9, 'loss_rate']:.4f}:"
        f" {ratio:.1f} times, {reno.loc[0.9, 'margin_above_tahoe_db']:.1f} dB of margin"
        f" ({others}).",
        numbers={
            f"{word} at {level:g}": float(reno.loc[level, column])
            for word, column in (
                ("ratio", "loss_rate_ratio"),
                ("margin dB", "margin_above_tahoe_db"),
            )
            for level in LEVELS
        },
    )


@statement(
    name="energy-efficiency",
    text="On the slow channel Tahoe may be ten times as energy efficient as Reno.",
    where="V, Fig. 2 and Table I",
    rule=f"radiated energy per delivered packet at throughput 0.9: {_ORDER_RULE}",
)
def _judge_efficiency(table: pd.DataFrame) -> Judgement:
    reno = table[table["variant"] == "reno"].set_index("level")
    decibels = {level: float(reno.loc[level, "energy_above_tahoe_db"]) for level in LEVELS}
    ratio = 10.0 ** (decibels[0.9] / 10.0)
    listed = ", ".join(f"{value:.1f} dB at {level:g}" for level, value in decibels.items())
    return Judgement(
        verdict=_judge_order(ratio),
        finding=f"{ratio:.1f} times ({listed}).",
        numbers={f"energy dB at {level:g}": value for level, value in decibels.items()},
    )


def _judge_order(ratio: float) -> Verdict:
    return "holds" if 5.0 <= ratio <= 20.0 else "partly" if 3.0 <= ratio <= 30.0 else "fails"


def _needs(sizes: ZorziSizes) -> list[Need]:
    return [need for case in CASES for need in solution_needs(case, sizes)] + [Need("energy", COST)]


PART = Part(make, (_judge_loss_rates_apart, _judge_efficiency), _needs)
