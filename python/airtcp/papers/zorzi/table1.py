"""Table I: the Markov chain of Rayleigh fading, as printed and as computed.

An entry agrees if the computed value lies within half a unit of the last printed digit.
"""

from __future__ import annotations

import math

import pandas as pd

import airtcp
from airtcp.papers.base import (
    Judgement,
    Part,
    Reproduction,
    half_unit,
    judge_alike,
    judge_share,
    printed_table,
    statement,
)
from airtcp.papers.zorzi.study import ZorziStudy

QUANTITIES = {
    "margin_db": "F (dB)",
    "p_gg": "p_GG",
    "p_bb": "p_BB",
    "mean_burst": "1 / (1 - p_BB)",
}
CARRIER_HZ = 900e6  # Hz [zorzi V]
PACKET_BITS, BIT_RATE = 1400 * 8, 1.5e6  # bits, bits per second [zorzi III-A]
SPEED_OF_LIGHT = 299_792_458.0  # m/s


def make(study: ZorziStudy) -> Reproduction:
    """Compare all 36 entries."""
    table = compare_entries(entries())
    misprints = table[~table["agrees"]]
    listed = "; ".join(
        f"{QUANTITIES[row.quantity]} at f_dT {row.doppler:g}, P_E {row.loss_rate:g}:"
        f" {row.printed} printed, {row.computed:.7g} computed"
        for row in misprints.itertuples()
    )
    return Reproduction(
        title="Table I: Markov parameters of the fading channel",
        text=f"{len(table) - len(misprints)} of {len(table)} printed entries agree with the"
        f" computed value to the last printed digit. The others: {listed or 'none'}.",
        table=table,
    )


def entries() -> pd.DataFrame:
    """The table of the paper, one row per entry, as strings so that their digits are kept."""
    return printed_table("zorzi_table1")[["doppler", "loss_rate", "quantity", "printed"]]


def compare_entries(paper: pd.DataFrame) -> pd.DataFrame:
    """One row per entry: printed and computed value, their difference, and if they agree."""
    table = paper.astype({"doppler": float, "loss_rate": float})
    table["computed"] = [
        compute_row(doppler, loss_rate)[quantity]
        for doppler, loss_rate, quantity in zip(
            table["doppler"], table["loss_rate"], table["quantity"], strict=True
        )
    ]
    table["difference"] = table["computed"] - table["printed"].astype(float)
    table["agrees"] = table["difference"].abs() <= half_unit(table["printed"]) * (1.0 + 1e-9)
    return table


def compute_row(doppler: float, loss_rate: float) -> dict[str, float]:
    """The four quantities of one row of Table I."""
    channel = airtcp.TwoState.from_rayleigh(doppler=doppler, loss_rate=loss_rate)
    return {
        "margin_db": fading_margin_db(loss_rate),
        "p_gg": channel.p_gg,
        "p_bb": channel.p_bb,
        "mean_burst": channel.mean_burst,
    }


def fading_margin_db(loss_rate: float) -> float:
    """The margin F in dB that loses a share P_E = 1 - exp(-1/F) of the packets."""
    return -10.0 * math.log10(-math.log1p(-loss_rate))


@statement(
    name="table1-entries",
    text="The printed Markov parameters follow from the fading model.",
    where="III-A, Table I",
    rule="every entry agrees to its last digit (partly: at least half of them)",
)
def _judge_entries(table: pd.DataFrame) -> Judgement:
    right, total = int(table["agrees"].sum()), len(table)
    wrong = table[~table["agrees"]]
    return Judgement(
        verdict=judge_share(table["agrees"]),
        finding=f"{right} of {total} entries agree; the largest difference among the others is"
        f" {wrong['difference'].abs().max() if len(wrong) else 0.0:.2g}.",
        numbers={"agree": float(right), "entries": float(total)},
    )


@statement(
    name="margin-per-decade",
    text="A tenth of the loss rate costs 10 dB of fading margin.",
    where="V, from Table I",
    rule="within 0.5 dB for both decades (partly: 1 dB)",
)
def _judge_margin_per_decade(_: pd.DataFrame) -> Judgement:
    steps = {
        f"{rate:g} to {rate / 10:g}": fading_margin_db(rate / 10) - fading_margin_db(rate)
        for rate in (0.1, 0.01)
    }
    return Judgement(
        verdict=judge_alike([step - 10.0 for step in steps.values()], 0.5, 1.0),
        finding="; ".join(f"P_E {span}: {step:.2f} dB" for span, step in steps.items()) + ".",
        numbers=steps,
    )


@statement(
    name="mean-burst",
    text="At f_dT 0.01 and P_E 0.1 a burst of losses lasts 13 packets on average.",
    where="V",
    rule="within 10 % (partly: 20 %)",
)
def _judge_burst(_: pd.DataFrame) -> Judgement:
    burst = compute_row(0.01, 0.1)["mean_burst"]
    return Judgement(
        verdict=judge_alike([burst / 13.0 - 1.0], 0.1, 0.2),
        finding=f"{burst:.2f} slots.",
        numbers={"mean burst": burst},
    )


@statement(
    name="speeds",
    text="At 900 MHz, f_dT 0.01 is a pedestrian at about 1.5 km/h, 0.64 a car at about 100 km/h.",
    where="V",
    rule="both within 10 % (partly: 20 %)",
)
def _judge_speeds(_: pd.DataFrame) -> Judgement:
    stated = {0.01: 1.5, 0.64: 100.0}
    kilometres = {d: 3.6 * d * BIT_RATE / PACKET_BITS * SPEED_OF_LIGHT / CARRIER_HZ for d in stated}
    return Judgement(
        verdict=judge_alike([kilometres[d] / stated[d] - 1.0 for d in stated], 0.1, 0.2),
        finding="; ".join(f"f_dT {d:g}: {speed:.2f} km/h" for d, speed in kilometres.items()) + ".",
        numbers={f"km/h at f_dT {d:g}": speed for d, speed in kilometres.items()},
    )


PART = Part(make, (_judge_entries, _judge_margin_per_decade, _judge_burst, _judge_speeds))
