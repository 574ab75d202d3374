"""Scenarios 1 and 2 of section 4: short and long times of connection, four variants."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Part,
    Reproduction,
    Statement,
    Verdict,
    judge_alike,
    judge_both,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.elaarag.compare import mean_and_interval, ratio_of_means
from airtcp.papers.elaarag.study import (
    LONG_UP_MEANS,
    SHORT_UP_MEANS,
    VARIANTS,
    WORDS,
    ElaaragStudy,
    needs_of_experiments,
)

METRICS = ("throughput", "goodput", "transfer_time")
_GATE_MEANS = {"scenario 1": SHORT_UP_MEANS, "scenario 2": LONG_UP_MEANS}
_NEARLY_RATIO = 1.25  # a factor that "about 5 times" allows


def make(study: ElaaragStudy) -> Reproduction:
    """Both scenarios for four variants."""
    return Reproduction(
        title="Scenarios 1 and 2: short and long times of connection",
        text="Scenario 1: up 1 s, down 0.1 s on average (p = 9 %); scenario 2: up 5 s, down 2 s"
        " (p = 28.6 %); exponential times, no bit errors. Throughput and goodput over 1600 s,"
        " transfer time of 5000 packets. The text says first that scenario 1 has about 5 times the"
        " throughput of scenario 2, then that scenario 2 performed better; only the second can be"
        " meant.",
        table=summary(measured_runs(study)),
    )


def measured_runs(study: ElaaragStudy) -> pd.DataFrame:
    """The runs of both scenarios."""
    return study.with_transfers("scenarios")


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per scenario, variant and metric."""
    rows = [
        {"scenario": name, "up": gate[0], "down": gate[1], "variant": variant, "metric": metric}
        | mean_and_interval(_runs_of_variant(runs, name, variant)[metric])
        for name, gate in _GATE_MEANS.items()
        for variant in VARIANTS
        for metric in METRICS
    ]
    return pd.DataFrame(rows)


def _runs_of_variant(runs: pd.DataFrame, name: str, variant: str) -> pd.DataFrame:
    """The runs of one scenario and variant, in the order of replications."""
    selected = runs[(runs["up"] == _GATE_MEANS[name][0]) & (runs["variant"] == variant)]
    return selected.set_index("replication").sort_index()


def _ratios(runs: pd.DataFrame, metric: str, above: str, below: str) -> dict[str, dict[str, float]]:
    """For each variant the ratio of the means, and the range of 95 % of single pairs of runs."""
    ratios_found = {}
    for variant in VARIANTS:
        first, other = (_runs_of_variant(runs, name, variant)[metric] for name in (above, below))
        singles = first.to_numpy()[:, np.newaxis] / other.to_numpy()[np.newaxis, :]
        least, most = np.percentile(singles, [2.5, 97.5])
        ratios_found[variant] = ratio_of_means(first, other) | {"least": least, "most": most}
    return ratios_found


def _judge_ratio(ratios_by_variant: dict[str, dict[str, float]], stated: float) -> Verdict:
    near = [
        1.0 / _NEARLY_RATIO <= ratio["ratio"] / stated <= _NEARLY_RATIO
        for ratio in ratios_by_variant.values()
    ]
    single = [ratio["least"] <= stated <= ratio["most"] for ratio in ratios_by_variant.values()]
    return "holds" if all(near) else "partly" if all(single) else "fails"


def _ratio_statement(
    metric: str, above: str, below: str, *, name: str, text: str, stated: float
) -> Statement:
    return Statement(
        name=name,
        text=text,
        where="4",
        rule=f"the ratio of the means of every variant is {stated:g} to within a factor of"
        f" {_NEARLY_RATIO:g} (partly: {stated:g} is within what 95 % of pairs of single runs give)",
        judge=lambda study: _judge_factor(
            _ratios(measured_runs(study), metric, above, below), stated
        ),
        of="study",
    )


def _judge_factor(ratios_by_variant: dict[str, dict[str, float]], stated: float) -> Judgement:
    ratios = [ratio["ratio"] for ratio in ratios_by_variant.values()]
    least, most = (
        min(ratio["least"] for ratio in ratios_by_variant.values()),
        ratios_by_variant["reno"]["most"],
    )
    reno = ratios_by_variant["reno"]
    return Judgement(
        verdict=_judge_ratio(ratios_by_variant, stated),
        finding=f"{min(ratios):.2f} to {max(ratios):.2f}, by variant; Reno {reno['ratio']:.2f}"
        f" ({reno['low']:.2f} to {reno['high']:.2f}), and {least:.1f} to {most:.1f} between single"
        " runs.",
        numbers={
            f"ratio of {variant}": ratio["ratio"] for variant, ratio in ratios_by_variant.items()
        },
    )


_better_throughput = _ratio_statement(
    "throughput",
    "scenario 2",
    "scenario 1",
    name="scenario-2-throughput",
    text="Scenario 2 has about 5 times the throughput of scenario 1, although its"
    " disconnection probability is three times as high.",
    stated=5.0,
)
_faster_transfer = _ratio_statement(
    "transfer_time",
    "scenario 1",
    "scenario 2",
    name="scenario-2-transfer-time",
    text="The transfer time of scenario 2 is about 8.4 times smaller than that of scenario 1.",
    stated=8.4,
)


@statement(
    name="variants-alike-without-errors",
    text="With disconnections alone all four variants perform alike.",
    where="4; 5",
    rule=f"scenarios 1 and 2: mean throughputs differ from Reno's by at most"
    f" {whole_percent(ALIKE)} (partly: {whole_percent(NEARLY)}), on the same outages",
    of="study",
)
def _judge_alike(study: ElaaragStudy) -> Judgement:
    runs = measured_runs(study)
    gaps = {
        f"{WORDS[variant]}, {name}": _runs_of_variant(runs, name, variant)["throughput"].mean()
        / _runs_of_variant(runs, name, "reno")["throughput"].mean()
        - 1.0
        for name in _GATE_MEANS
        for variant in VARIANTS
        if variant != "reno"
    }
    worst = max(gaps, key=lambda gap: abs(gaps[gap]))
    return Judgement(
        verdict=judge_alike(list(gaps.values())),
        finding=f"The largest difference is {percent(gaps[worst])} ({worst}).",
        numbers=gaps,
    )


@statement(
    name="link-up-dominates",
    text="The link-up period has the dominant effect on throughput.",
    where="Abstract; 4; 5",
    rule="Reno, m1 = 1.25 and 5 s, m2 = 0.5 and 2 s: 4 times the up time gains more than a"
    " quarter of the down time, which is the same change of p, in every comparison (partly: on"
    " average)",
    of="study",
)
def _judge_link_up(study: ElaaragStudy) -> Judgement:
    runs = study.runs("factorial").set_index(["up", "down", "replication"])["throughput"]
    ups, downs = (sorted(set(runs.index.get_level_values(level))) for level in ("up", "down"))
    effect = {}
    for down in downs:
        effect[f"4 times the up time, down {down:g} s"] = ratio_of_means(
            runs[ups[1], down], runs[ups[0], down]
        )["ratio"]
    for up in ups:
        effect[f"a quarter of the down time, up {up:g} s"] = ratio_of_means(
            runs[up, downs[0]], runs[up, downs[1]]
        )["ratio"]
    longer, shorter = list(effect.values())[:2], list(effect.values())[2:]
    return Judgement(
        verdict="holds"
        if min(longer) > max(shorter)
        else "partly"
        if np.prod(longer) > np.prod(shorter)
        else "fails",
        finding="; ".join(f"{words}: {factor:.1f} times" for words, factor in effect.items()) + ".",
        numbers=effect,
    )


@statement(
    name="disconnections-above-errors",
    text="Disconnections have a greater impact on TCP than bit errors.",
    where="4",
    rule="Tahoe has less throughput in scenario 1 and in scenario 2 than at BER 1e-5 (partly:"
    " in one of them)",
    of="study",
)
def _judge_above_errors(study: ElaaragStudy) -> Judgement:
    table = summary(measured_runs(study))
    errors = float(study.runs("ber-1e-5")["throughput"].mean())
    chosen = (table["metric"] == "throughput") & (table["variant"] == "tahoe")
    gates = table[chosen].set_index("scenario")["mean"]
    less = [bool(gate < errors) for gate in gates]
    return Judgement(
        verdict=judge_both(*less),
        finding="; ".join(f"{name}: {mean:.1f}" for name, mean in gates.items())
        + f"; BER 1e-5: {errors:.1f} packets/s.",
        numbers={"BER 1e-5": errors} | {str(name): float(mean) for name, mean in gates.items()},
    )


@statement(
    name="losses-found-by-timeout",
    text="With disconnections alone Reno, NewReno and SACK always detect losses by timing out.",
    where="5",
    rule="scenarios 1 and 2: no fast retransmission in any run (partly: fewer than one per"
    " hundred timeouts)",
    of="study",
)
def _judge_timeouts(study: ElaaragStudy) -> Judgement:
    runs = study.runs("scenarios")
    fast, slow = float(runs["fast_retransmits"].sum()), float(runs["timeouts"].sum())
    share = slow / (fast + slow)
    return Judgement(
        verdict="holds" if not fast else "partly" if share > 1 / 1.01 else "fails",
        finding=f"{fast:.0f} fast retransmissions beside {slow:.0f} timeouts in {len(runs)} runs of"
        f" 1600 s ({100.0 * (1.0 - share):.1f} % of all). They follow outages so short that what"
        " is on the wired hop meanwhile gets through.",
        numbers={"fast retransmissions": fast, "timeouts": slow},
    )


PART = Part(
    make,
    (
        _better_throughput,
        _faster_transfer,
        _judge_alike,
        _judge_link_up,
        _judge_above_errors,
        _judge_timeouts,
    ),
    needs_of_experiments("scenarios", "scenarios-transfer", "factorial", "ber-1e-5"),
)
