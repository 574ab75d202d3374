"""Fig. 4: throughput of Reno by the mean time of connection, and statements of the text on it.

ns drew random numbers from the minimal standard generator of Park and Miller (1988), by default
from seed 1. Its first draw is 16807 / (2^31 - 1), so the first exponential time is 11.758 times
its mean, in every run that does not set a seed; this explains the constant transfer time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airtcp.papers.base import Judgement, Need, Part, Reproduction, judge_both, statement
from airtcp.papers.elaarag.compare import Floats, mean_and_interval, signed_number
from airtcp.papers.elaarag.drawing import CurvePanel, HorizontalLevel, MeanPoints, curves_figure
from airtcp.papers.elaarag.study import (
    CLEAN_TRANSFER_SECONDS,
    ENDLESS_SECONDS,
    LONG_UP_MEANS,
    TRANSFER_PACKETS,
    ElaaragSizes,
    ElaaragStudy,
    flow_until,
    needs_of_experiments,
    scenario,
    scheduled_gate,
    times_at_share,
)
from airtcp.plot.style import INK, LEVEL

_PATH = "simulate the path of one seed"
METRICS = ("throughput", "goodput", "transfer_time")
_MULTIPLIER, _MODULUS = 16807, 2**31 - 1
_SAME_VALUE_GAP = 1e-6  # s, of transfer times


def make(study: ElaaragStudy) -> Reproduction:
    """The curve at p = 9 %, the level at p = 28.6 %, the path of one seed."""
    table = computed_means(study)
    first, limit = first_exponential(), CLEAN_TRANSFER_SECONDS / first_exponential()
    return Reproduction(
        title="Fig. 4: Reno by mean time of connection",
        text="Exponential times up and down with means m1 and m2 = 0.1 m1 (p = 9 %), and m1 = 5 s,"
        " m2 = 2 s (p = 28.6 %); no bit errors; throughput and goodput over 1600 s, transfer time"
        " of 5000 packets. The path of one seed: up and down times from ns's generator with its"
        f" default seed, whose first draw is {first:.3f} times its mean, so that nothing is lost in"
        f" the {CLEAN_TRANSFER_SECONDS:.2f} s of the transfer where m1 is above {limit:.2f} s. A"
        " run that"
        " sets no seed begins so at every m1.",
        table=table,
        figure=study.draw_figure(lambda: _figure(table)),
    )


def measured_runs(study: ElaaragStudy) -> pd.DataFrame:
    """The runs along the curve and at p = 28.6 %."""
    return study.with_transfers("curve")


def computed_means(study: ElaaragStudy) -> pd.DataFrame:
    """One row per pair of means, with the transfer time on the path of one seed."""
    table = summary(measured_runs(study))
    return table.merge(seed_path(study), on=["up", "down"], how="left")


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of means; means and intervals of the metrics."""
    rows = []
    for (up, down), group in runs.groupby(["up", "down"], sort=False):
        row: dict[str, float] = {"up": up, "down": down, "p": down / (up + down)}
        row["runs"] = len(group)
        for metric in METRICS:
            estimate = mean_and_interval(group[metric])
            row |= {
                metric: estimate["mean"],
                f"{metric}_low": estimate["low"],
                f"{metric}_high": estimate["high"],
            }
        rows.append(row)
    return pd.DataFrame(rows)


def ns_exponentials() -> Iterator[float]:
    """Draws of ns's generator from seed 1, exponential with mean 1."""
    state = 1
    while True:
        state = _MULTIPLIER * state % _MODULUS
        yield -math.log(state / _MODULUS)


def first_exponential() -> float:
    """The first draw."""
    return next(ns_exponentials())


def toggle_times(up: float, down: float, end: float) -> list[float]:
    """Times (s) before `end` at which the link goes down and up on the path of seed 1."""
    means = np.tile([up, down], 50_000)
    times = np.cumsum(means * np.fromiter(islice(ns_exponentials(), means.size), float))
    return [float(time) for time in times[times < end]]


def seed_path(study: ElaaragStudy) -> pd.DataFrame:
    """The transfer time on the path of seed 1 by mean times; no random numbers of ours."""
    return study.compute_once(_PATH, lambda: _seed_path(study), words=_PATH)


def _seed_path(study: ElaaragStudy) -> pd.DataFrame:
    gates = [*map(times_at_share, study.sizes.ups), LONG_UP_MEANS]
    rows = []
    for up, down in gates:
        path = scheduled_gate(toggle_times(up, down, 4000.0 * max(1.0, 1.0 / up**2)))
        path_scenario = scenario(gate=path, time=ENDLESS_SECONDS, flow=flow_until(TRANSFER_PACKETS))
        transfer_time = study.simulate(path_scenario).to_pandas()["transfer_time"].iloc[0]
        rows.append({"up": up, "down": down, "one_seed_transfer_time": float(transfer_time)})
    return pd.DataFrame(rows)


def curve_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows at p = 9 %, by m1."""
    return table[table["p"] < 0.2].sort_values("up")


def level_row(table: pd.DataFrame) -> pd.Series:
    """The row at p = 28.6 %."""
    return table[table["p"] > 0.2].iloc[0]


def _figure(table: pd.DataFrame) -> Figure:
    labels = {
        "throughput": "Throughput (packets/s)",
        "goodput": "Goodput",
        "transfer_time": "Transfer time (s)",
    }
    panels = [_panel(table, metric, label) for metric, label in labels.items()]
    return curves_figure(panels, xlabel="Mean time up $m_1$ (s)", ticks=(0.5, 1, 2, 5, 10, 20))


def _panel(table: pd.DataFrame, metric: str, label: str) -> CurvePanel:
    on_curve, at_level = curve_rows(table), level_row(table)
    curves = [
        MeanPoints(
            x=on_curve["up"],
            mean=on_curve[metric],
            low=on_curve[f"{metric}_low"],
            high=on_curve[f"{metric}_high"],
            label=f"p = 9 %, {LEVEL} interval",
        )
    ]
    if metric == "transfer_time":
        path = on_curve["one_seed_transfer_time"]
        words = "p = 9 %, the path of one seed"
        curves.append(
            MeanPoints(x=on_curve["up"], mean=path, label=words, style_index=2, is_hollow=True)
        )
    return CurvePanel(
        title=label,
        curves=curves,
        level=HorizontalLevel(
            mean=at_level[metric],
            low=at_level[f"{metric}_low"],
            high=at_level[f"{metric}_high"],
            label=f"p = 28.6 % ($m_1$ = 5 s, $m_2$ = 2 s), {LEVEL} interval",
        ),
        log_y=metric == "transfer_time",
        draw_more=_tidy_axes if metric == "transfer_time" else None,
    )


def _tidy_axes(axes: Axes) -> None:
    label = f"without a loss, {CLEAN_TRANSFER_SECONDS:.2f} s"
    axes.axhline(
        CLEAN_TRANSFER_SECONDS, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)), label=label
    )
    axes.minorticks_off()


def _curve_ends_words(table: pd.DataFrame) -> str:
    ups = curve_rows(table)["up"]
    return (
        f"p = 9 %: all three means improve from each m1 to the next, {ups.iloc[0]:g} to"
        f" {ups.iloc[-1]:g} s (partly: one or two of them do)"
    )


@statement(
    name="longer-up-times",
    text="At the same disconnection probability, the longer the mean time of connection, the"
    " better throughput, goodput and transfer time.",
    where="4, Fig. 4",
    rule=_curve_ends_words,
)
def _judge_monotone(table: pd.DataFrame) -> Judgement:
    on_curve = curve_rows(table)
    rising = {
        "throughput": bool((np.diff(on_curve["throughput"]) > 0).all()),
        "goodput": bool((np.diff(on_curve["goodput"]) > 0).all()),
        "transfer time": bool((np.diff(on_curve["transfer_time"]) < 0).all()),
    }
    first, last = on_curve.iloc[0], on_curve.iloc[-1]
    return Judgement(
        verdict=judge_both(*rising.values()),
        finding=f"Throughput {first['throughput']:.2f} to {last['throughput']:.1f} packets/s,"
        f" goodput {first['goodput']:.3f} to {last['goodput']:.3f}, transfer time"
        f" {first['transfer_time']:.0f} to {last['transfer_time']:.1f} s.",
        numbers={name: float(is_rising) for name, is_rising in rising.items()}
        | {"throughput, shortest": first["throughput"], "longest": last["throughput"]},
    )


def crossing(x: Floats, y: Floats, height: float) -> float:
    """Abscissa at which straight lines through rising points reach a height; x is logarithmic."""
    return float(np.exp(np.interp(height, y, np.log(x))))


def _against_level(runs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Differences of p = 28.6 % to p = 9 %, paired by run, for each m1."""
    wide = runs.pivot_table(index="replication", columns=["up", "down"], values=metric)
    rows = [
        {"up": up} | mean_and_interval(wide[LONG_UP_MEANS] - wide[up, down])
        for up, down in wide.columns
        if (up, down) != LONG_UP_MEANS
    ]
    return pd.DataFrame(rows).sort_values("up", ignore_index=True)


def _curve_crossing(runs: pd.DataFrame, metric: str) -> float:
    table = summary(runs)
    on_curve = curve_rows(table)
    return crossing(
        on_curve["up"].to_numpy(), on_curve[metric].to_numpy(), float(level_row(table)[metric])
    )


@statement(
    name="higher-probability-more-throughput",
    text="Reno's throughput at p = 28.6 % (m1 = 5 s) is better than at p = 9 % with m1 below"
    " 3 s: a higher disconnection probability can go with a better throughput.",
    where="Abstract; 4, Fig. 4; 5",
    rule="paired differences, on average: above at every m1 up to 2 s and below from 3 s, for the"
    " text compares whole seconds (partly: one of the two)",
    of="study",
)
def _judge_higher_probability(study: ElaaragStudy) -> Judgement:
    runs = measured_runs(study)
    gaps, cross = _against_level(runs, "throughput"), _curve_crossing(runs, "throughput")
    below, above = gaps[gaps["up"] <= 2.0], gaps[gaps["up"] >= 3.0]
    between = gaps[(gaps["up"] > 2.0) & (gaps["up"] < 3.0)]
    at = level_row(summary(runs))
    also = "; ".join(
        f"at m1 = {row.up:g} {signed_number(row.mean, 2)}" for row in between.itertuples()
    )
    return Judgement(
        verdict=judge_both(bool((below["mean"] > 0).all()), bool((above["mean"] < 0).all())),
        finding=f"{at['throughput']:.1f} packets/s ({at['throughput_low']:.1f} to"
        f" {at['throughput_high']:.1f}) at p = 28.6 %; the curve of p = 9 % reaches it at"
        f" m1 = {cross:.2f} s. Difference at m1 = 2 {_gap_words(gaps, 2.0)}, at m1 = 3"
        f" {_gap_words(gaps, 3.0)};"
        f" {also} packets/s.",
        numbers={"crossing": cross, "throughput at 28.6 %": float(at["throughput"])},
    )


def _gap_words(gaps: pd.DataFrame, up: float, digits: int = 2) -> str:
    row = gaps[gaps["up"] == up].iloc[0]
    mean, low, high = (signed_number(row[name], digits) for name in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


@statement(
    name="higher-probability-more-goodput",
    text="Goodput at p = 28.6 % (m1 = 5 s) is better than at p = 9 % with m1 below 5 s.",
    where="4",
    rule="paired differences, on average: above at every m1 up to 4 s and not above from 5 s"
    " (partly: one of the two)",
    of="study",
)
def _judge_goodput(study: ElaaragStudy) -> Judgement:
    runs = measured_runs(study)
    gaps, cross = _against_level(runs, "goodput"), _curve_crossing(runs, "goodput")
    below, above = gaps[gaps["up"] <= 4.0], gaps[gaps["up"] >= 5.0]
    return Judgement(
        verdict=judge_both(bool((below["mean"] > 0).all()), bool((above["mean"] <= 0).all())),
        finding=f"The goodputs are equal at m1 = {cross:.2f} s; the difference at m1 = 4 is"
        f" {_gap_words(gaps, 4.0, 4)}, at m1 = 5 {_gap_words(gaps, 5.0, 4)}.",
        numbers={"crossing": cross},
    )


@statement(
    name="transfer-time-constant",
    text="The transfer time of 5000 packets becomes constant, 52.29 s, where m1 is 5 s or more,"
    " for the connection then meets no disconnection.",
    where="4",
    rule="mean over random seeds: 52.29 s to the last printed digit at every m1 from 5 s"
    " (partly: at the largest m1)",
    of="study",
)
def _judge_constant(study: ElaaragStudy) -> Judgement:
    on_curve = curve_rows(computed_means(study))
    long, path = on_curve[on_curve["up"] >= 5.0], on_curve.set_index("up")["one_seed_transfer_time"]
    at_5 = long.iloc[0]
    undisturbed = study.runs("undisturbed")
    same = np.abs(undisturbed["transfer_time"] - CLEAN_TRANSFER_SECONDS) < _SAME_VALUE_GAP
    expected = math.exp(-CLEAN_TRANSFER_SECONDS / 20.0)
    clean = float(study.runs("clean")["transfer_time"].iloc[0])
    constant = bool((np.abs(long["transfer_time"] - CLEAN_TRANSFER_SECONDS) < 0.05).all())
    return Judgement(
        verdict="holds"
        if constant
        else "partly"
        if abs(long["transfer_time"].iloc[-1] - CLEAN_TRANSFER_SECONDS) < 0.05
        else "fails",
        finding=f"Without a loss it takes {clean:.6f} s. With random seeds the mean is"
        f" {at_5['transfer_time']:.0f} s ({at_5['transfer_time_low']:.0f} to"
        f" {at_5['transfer_time_high']:.0f}) at m1 = 5 and"
        f" {long['transfer_time'].iloc[-1]:.1f} s at m1 = {long['up'].iloc[-1]:g}: no"
        f" disconnection in {CLEAN_TRANSFER_SECONDS:.2f} s has probability"
        f" {math.exp(-CLEAN_TRANSFER_SECONDS / 5.0):.1e} at m1 = 5. At m1 = 20, where it is"
        f" {expected:.3f}, {int(same.sum())} of {len(same)} runs take exactly that time. On the"
        f" path of ns's default seed, up for {first_exponential():.3f} m1 at first, it is constant"
        " from"
        f" m1 = {CLEAN_TRANSFER_SECONDS / first_exponential():.2f} s: "
        + ", ".join(f"{path[up]:.1f} s at m1 = {up:g}" for up in (3.0, 4.0, 5.0, 20.0))
        + ".",
        numbers={
            "without a loss": clean,
            "mean at 5 s": float(at_5["transfer_time"]),
            "probability of no disconnection at 5 s": math.exp(-CLEAN_TRANSFER_SECONDS / 5.0),
            "share without disconnection at 20 s": float(same.mean()),
            "its probability": expected,
            "first time of one seed": first_exponential(),
        },
    )


def _needs(sizes: ElaaragSizes) -> list[Need]:
    names = ("curve", "curve-transfer", "undisturbed", "clean")
    return [*needs_of_experiments(*names)(sizes), Need(_PATH)]


PART = Part(
    make, (_judge_monotone, _judge_higher_probability, _judge_goodput, _judge_constant), _needs
)
