"""Statements of the paper on Figs. 3 and 4: the length of bursts."""

from __future__ import annotations

import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    judge_alike,
    judge_both,
    judge_share,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.chockalingam.judging import (
    reference,
)


def rows_on_chains(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that are not on the fading."""
    return table[table["doppler"].isna()]


@statement(
    name="burst-low-loss",
    text="At loss rates of 0.01 and 0.001 throughput hardly depends on the burst length.",
    where="IV, Fig. 3",
    rule=f"largest over least throughput within {whole_percent(ALIKE)} for both (partly:"
    f" {whole_percent(NEARLY)})",
)
def _judge_flat(table: pd.DataFrame) -> Judgement:
    spread, table = {}, rows_on_chains(table)
    for rate in (0.01, 0.001):
        throughput = table[table["loss_rate"] == rate]["throughput"]
        spread[rate] = float(throughput.max() / throughput.min() - 1.0)
    return Judgement(
        verdict=judge_alike(list(spread.values())),
        finding="; ".join(f"P_E {rate:g}: {percent(gap)}" for rate, gap in spread.items()) + ".",
        numbers={f"P_E {rate:g}": gap for rate, gap in spread.items()},
    )


@statement(
    name="worst-burst",
    text="At P_E = 0.1 throughput is worst for bursts of about 20, and rises to both sides.",
    where="IV, Fig. 3",
    rule="the minimum is at a mean burst of 17 to 23 slots, and the curve is monotone to either"
    " side (partly: one of the two)",
)
def _judge_dip(table: pd.DataFrame) -> Judgement:
    table = rows_on_chains(table)
    throughput = table[table["loss_rate"] == 0.1].set_index("mean_burst")["throughput"]
    worst = float(throughput.idxmin())
    before, after = throughput[throughput.index <= worst], throughput[throughput.index >= worst]
    monotone = before.is_monotonic_decreasing and after.is_monotonic_increasing
    return Judgement(
        verdict=judge_both(17.0 <= worst <= 23.0, monotone),
        finding=f"Minimum {throughput.min():.4f} at {worst:g}; {throughput.iloc[0]:.3f} at"
        f" {throughput.index[0]:g},"
        f" {throughput.iloc[-1]:.3f} at {throughput.index[-1]:g}.",
        numbers={"worst burst": worst, "minimum": float(throughput.min())},
    )


def _throughput_over_bursts(table: pd.DataFrame, attempts: int) -> pd.Series:
    chains = rows_on_chains(table)
    return chains[chains["attempts"] == attempts].set_index("mean_burst")["throughput"]


@statement(
    name="persistent-arq",
    text="With n_l = 128 throughputs as high as 0.9 are achieved consistently.",
    where="IV, Fig. 4",
    rule=f"within {whole_percent(ALIKE)} of 0.9 at every burst length (partly:"
    f" {whole_percent(NEARLY)})",
)
def _judge_persistent(table: pd.DataFrame) -> Judgement:
    most = _throughput_over_bursts(table, 128)
    return Judgement(
        verdict=judge_alike(most / 0.9 - 1.0),
        finding=f"{most.min():.3f} (burst {most.idxmin():g}) to {most.max():.3f}.",
        numbers={"least": float(most.min()), "at burst": float(most.idxmin())},
    )


@statement(
    name="no-repetition-poor",
    text="With n_l = 1 throughput is very poor.",
    where="IV, Fig. 4",
    rule="less than half of that with n_l = 128 at every burst length (partly: at half of them)",
)
def _judge_one_attempt(table: pd.DataFrame) -> Judgement:
    single, most = _throughput_over_bursts(table, 1), _throughput_over_bursts(table, 128)
    faded = table[table["doppler"].notna()]
    poor = single < 0.5 * most
    fading = faded[faded["attempts"] == 1].set_index("doppler")["fading"]
    return Judgement(
        verdict=judge_share(poor),
        finding=f"{single.min():.1g} to {single[single.index <= 20].max():.3f} up to bursts of 20,"
        f" {single.iloc[-1]:.2f} at {single.index[-1]:g}. On the fading at the same loss rate,"
        f" mean runs below 10: {fading[1.0]:.2f} at 1 Hz, {fading[100.0]:.3f} at 100 Hz.",
        numbers={"at burst 20": float(single[20.0]), "at 1000": float(single[1000.0])}
        | {f"on the fading, {doppler:g} Hz": float(value) for doppler, value in fading.items()},
    )


FIG3 = (reference("fig3"), _judge_flat, _judge_dip)
FIG4 = (reference("fig4"), _judge_persistent, _judge_one_attempt)
