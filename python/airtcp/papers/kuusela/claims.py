"""Statements of the paper on Figs. 3 and 4, judged; from E(T) = 40 s on unless a rule says more."""

from __future__ import annotations

import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Statement,
    judge_alike,
    judge_better,
    judge_both,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.columns import SIMULATED
from airtcp.papers.kuusela.study import STABLE_INTERVAL

LOW_RATE, HIGH_RATE = 40_000, 100_000  # bit/s
MODERATE_LOSS_RATE = 0.02  # loss rate
_FAR_GAP = 0.10  # relative difference that "still quite good" may have to hold partly
_SCALE_WORDS = f"{whole_percent(ALIKE)} (partly: {whole_percent(NEARLY)})"
_STABLE_WORDS = f"from E(T) = {STABLE_INTERVAL:g} s"


def stable_points(table: pd.DataFrame, rate: int | None = None, loss: float = 0.0) -> pd.DataFrame:
    """The points that count in a verdict."""
    is_stable = (table["mean_interval"] >= STABLE_INTERVAL) & (table["loss_rate"] == loss)
    return table[is_stable if rate is None else is_stable & (table["rate"] == rate)]


def _gap_range(gaps: pd.Series) -> str:
    return f"{percent(gaps.min())} to {percent(gaps.max())}"


def _words_by_window(points: pd.DataFrame, column: str = "gap") -> str:
    parts = [
        f"window {window}: {_gap_range(group[column])}"
        for window, group in points.groupby("window")
    ]
    return "; ".join(parts)


def _spread_over_intervals(points: pd.DataFrame, column: str = "gap") -> dict[str, float]:
    range_columns: dict[str, float] = {}
    for key, group in points.groupby(["rate", "window"])[column]:
        rate, window = key
        name = f"{rate / 1000:g} kbit/s, window {window}"
        range_columns |= {f"{name}, least": float(group.min()), f"{name}, most": float(group.max())}
    return range_columns


def _reference_statement(figure: int) -> Statement:
    return Statement(
        name=f"{figure}-reference",
        text="Simulated goodput without losses, as independent ns-2 runs have it"
        " (docs/papers/kuusela.md, section 10).",
        where=f"Fig. {figure}",
        rule=f"every window and rate at E(T) = 60 s is within {_SCALE_WORDS} of them",
        judge=_judge_reference,
    )


def _judge_reference(table: pd.DataFrame) -> Judgement:
    known = table[table["reference"].notna() & (table["mean_interval"] >= STABLE_INTERVAL)]
    return Judgement(
        verdict=judge_alike(known["reference_gap"]),
        finding=f"{_gap_range(known['reference_gap'])} at {len(known)} points.",
        numbers=_spread_over_intervals(known, "reference_gap"),
    )


@statement(
    name="long-spikes-agreement",
    text="At 40 kbit/s without losses the agreement of models and simulation is excellent.",
    where="3.1, Fig. 3 left",
    rule=f"simulation is within {whole_percent(ALIKE)} of the renewal model in every window"
    f" (partly: in one, for the paper does not say which it had), {_STABLE_WORDS}",
)
def _judge_excellent(table: pd.DataFrame) -> Judgement:
    points = stable_points(table, LOW_RATE)
    worst = points["gap"].abs().groupby(points["window"]).max()
    below = table[(table["mean_interval"] < STABLE_INTERVAL) & (table["loss_rate"] == 0.0)]
    below = below[(below["rate"] == LOW_RATE) & (below["window"] == 20)]
    return Judgement(
        verdict=judge_both(bool((worst <= ALIKE).all()), bool((worst <= ALIKE).any())),
        finding=f"Against the model {_words_by_window(points)}. Below {STABLE_INTERVAL:g} s,"
        f" window 20, not judged: {_gap_range(below['gap'])}.",
        numbers=_spread_over_intervals(points),
    )


@statement(
    name="p-model-indistinguishable",
    text="P-model and renewal model are almost indistinguishable.",
    where="3.1, Fig. 3",
    rule=f"within {_SCALE_WORDS} of each other at every E(T)",
)
def _judge_alike(table: pd.DataFrame) -> Judgement:
    gaps = table["p_model"] / table["renewal"] - 1.0
    return Judgement(
        verdict=judge_alike(gaps),
        finding=f"P-model against renewal model: {_gap_range(gaps)}.",
        numbers={"least": float(gaps.min()), "most": float(gaps.max())},
    )


@statement(
    name="moderate-losses",
    text="At 40 kbit/s the accuracy is still quite good up to 2 % loss.",
    where="3.1, Fig. 3 left",
    rule=f"at 2 % loss within {whole_percent(NEARLY)} of the renewal model in every window"
    f" (partly: {whole_percent(_FAR_GAP)}), {_STABLE_WORDS}",
)
def _judge_moderate(table: pd.DataFrame) -> Judgement:
    points = stable_points(table, LOW_RATE, MODERATE_LOSS_RATE)
    return Judgement(
        verdict=judge_alike(points["gap"], NEARLY, _FAR_GAP),
        finding=f"Against the model {_words_by_window(points)}.",
        numbers=_spread_over_intervals(points),
    )


@statement(
    name="high-losses",
    text="For high loss rates the overestimate becomes clearer.",
    where="3.1, Fig. 3 left",
    rule=f"at 5 % loss the gap is at least twice that at 2 %, every window, {_STABLE_WORDS}",
)
def _judge_severe(table: pd.DataFrame) -> Judgement:
    gaps = {
        loss: stable_points(table, LOW_RATE, loss).set_index(["window", "mean_interval"])["gap"]
        for loss in (MODERATE_LOSS_RATE, 0.05)
    }
    ratio = gaps[0.05] / gaps[MODERATE_LOSS_RATE]
    return Judgement(
        verdict=judge_better(ratio - 1.0, 1.0),
        finding=f"{ratio.min():.1f} to {ratio.max():.1f} times; at 5 % {_gap_range(gaps[0.05])}.",
        numbers={"least ratio": float(ratio.min()), "most": float(ratio.max())},
    )


@statement(
    name="overestimates-at-high-rate",
    text="At 100 kbit/s the models overestimate the goodput somewhat.",
    where="3.1, Fig. 3 right; 4",
    rule=f"the renewal model is above every simulated point without loss, {_STABLE_WORDS} (partly:"
    " above half of them)",
)
def _judge_overestimates(table: pd.DataFrame) -> Judgement:
    points = stable_points(table, HIGH_RATE)
    return Judgement(
        verdict=judge_better(-points["gap"]),
        finding=f"Simulation against model: {_words_by_window(points)}.",
        numbers=_spread_over_intervals(points),
    )


@statement(
    name="losses-at-high-rate",
    text="The impact of losses is more pronounced at 100 kbit/s.",
    where="3.1, Fig. 3 right",
    rule="at every loss rate and window losses cost a larger share of the goodput there,"
    f" {_STABLE_WORDS} (partly: at half of the points)",
)
def _judge_more_at_high_rate(table: pd.DataFrame) -> Judgement:
    points = table[table["mean_interval"] >= STABLE_INTERVAL]
    goodput = points.set_index(["loss_rate", "rate", "window", "mean_interval"])[SIMULATED]
    cost = {loss: 1.0 - goodput[loss] / goodput[0.0] for loss in (0.005, MODERATE_LOSS_RATE, 0.05)}
    differences_found = pd.concat(
        [cost_of_window[HIGH_RATE] - cost_of_window[LOW_RATE] for cost_of_window in cost.values()]
    )
    two = cost[MODERATE_LOSS_RATE]
    return Judgement(
        verdict=judge_better(differences_found),
        finding=f"2 % loss changes it by {percent(-two[HIGH_RATE].min())} to"
        f" {percent(-two[HIGH_RATE].max())} at 100 kbit/s, {percent(-two[LOW_RATE].min())} to"
        f" {percent(-two[LOW_RATE].max())} at 40 kbit/s.",
        numbers={
            "least difference": float(differences_found.min()),
            "most": float(differences_found.max()),
        },
    )


@statement(
    name="timer-adapts",
    text="Short spikes let the retransmission timer adapt: not every one times out.",
    where="3.1, Fig. 4",
    rule="windows 6 and 20 without loss: for less than 0.98 windows per spike are sent again"
    " at every E(T) (partly: at half of the points)",
)
def _judge_model_adapts(table: pd.DataFrame) -> Judgement:
    points = table[(table["loss_rate"] == 0.0) & (table["window"] < 50)]
    share = (points["resent"] - points["timeouts"]) / ((points["window"] - 1) * points["spikes"])
    words = {
        window: f"{group.min():.2f} to {group.max():.2f}"
        for window, group in share.groupby(points["window"])
    }
    least, most = float(share.min()), float(share.max())
    return Judgement(
        verdict=judge_better(0.98 - share),
        finding="Windows sent again per spike: "
        + "; ".join(f"window {window}: {phrase}" for window, phrase in words.items())
        + ".",
        numbers={"least": least, "most": most},
    )


@statement(
    name="underestimates-short-spikes",
    text="Where the timer adapts the model underestimates the goodput.",
    where="3.1, Fig. 4",
    rule=f"every simulated point without loss is above the renewal model, {_STABLE_WORDS} (partly:"
    " half of them)",
)
def _judge_underestimates(table: pd.DataFrame) -> Judgement:
    points = stable_points(table)
    low, high = points[points["rate"] == LOW_RATE], points[points["rate"] == HIGH_RATE]
    return Judgement(
        verdict=judge_better(points["gap"]),
        finding=f"40 kbit/s: {_words_by_window(low)}. 100 kbit/s: {_words_by_window(high)}.",
        numbers=_spread_over_intervals(points),
    )


@statement(
    name="short-spikes-not-substantial",
    text="The influence of an adapting timer on the accuracy is not substantial.",
    where="3.1, Fig. 4",
    rule=f"every point without loss is within {whole_percent(NEARLY)} of the renewal model,"
    f" {_STABLE_WORDS} (partly: half of them within {whole_percent(ALIKE)})",
)
def _judge_not_substantial(table: pd.DataFrame) -> Judgement:
    points = stable_points(table)
    worst = points.loc[points["gap"].abs().idxmax()]
    close = bool((points["gap"].abs() <= NEARLY).all())
    return Judgement(
        verdict="holds"
        if close
        else judge_both(False, bool((points["gap"].abs() <= ALIKE).mean() >= 0.5)),
        finding=f"The farthest is {percent(worst['gap'])} (window {worst['window']:.0f},"
        f" {worst['rate'] / 1000:g} kbit/s, E(T) = {worst['mean_interval']:g} s).",
        numbers={"largest": float(worst["gap"])},
    )


LONG_SPIKES = (
    _reference_statement(3),
    _judge_excellent,
    _judge_alike,
    _judge_moderate,
    _judge_severe,
    _judge_overestimates,
    _judge_more_at_high_rate,
)
SHORT_SPIKES = (
    _reference_statement(4),
    _judge_model_adapts,
    _judge_underestimates,
    _judge_not_substantial,
)
