"""Table 2: four variants with bit errors and disconnections, each alone and against each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import special

from airtcp.papers.base import (
    ALIKE,
    Judgement,
    Part,
    Reproduction,
    Statement,
    Verdict,
    judge_both,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.elaarag.compare import (
    RECONSTRUCTION_NOTE,
    SINGLE_RUNS_RULE,
    comparison_row,
    judge_single_runs,
    mean_and_interval,
    parse_printed,
    printed_entries,
    signed_number,
)
from airtcp.papers.elaarag.drawing import RunSpread, differences_figure, spreads_figure
from airtcp.papers.elaarag.study import (
    LONG_TRANSFER_PACKETS,
    VARIANTS,
    WORDS,
    ElaaragStudy,
    needs_of_experiments,
)
from airtcp.plot.style import LEVEL
from airtcp.stats import CONFIDENCE, z_scores

REFERENCE_RUNS = 90
DURATION = 1600.0  # s
DELAYS = {
    "delay_first_arrival": "first arrival",
    "delay_own_ack": "own ACK",
    "delay_cumulative_ack": "cumulative ACK",
}
_MEASURE_COLUMNS = {  # of a printed quantity: the metrics that may be meant
    "throughput": ("acks", "throughput"),
    "goodput": ("goodput",),
    "transfer_time": ("transfer_time",),
    "packet_delay": tuple(DELAYS),
}
_PAIRED_METRICS = ("throughput", "goodput", "transfer_time", "delay_own_ack")
_PRINTED_AS = {"delay_own_ack": "packet_delay"}
_MORE_IS_BETTER = {"throughput": True, "goodput": True, "transfer_time": False}


def make(study: ElaaragStudy) -> Reproduction:
    """Compare all printed numbers with single runs."""
    runs = measured_runs(study)
    table = compare_entries(runs)
    late = int(study.runs("variants")["transfer_time"].isna().sum())
    total = len(study.runs("variants"))
    return Reproduction(
        title="Table 2: four variants with bit errors and disconnections",
        text="One simulation of 1600 s per printed number; here the distribution of single runs,"
        " all variants on the same bit errors and outages."
        f" {late} of {total} runs did not acknowledge 9210 packets in 1600 s; transfer times are"
        " from runs that go on until they have. By its words and its digits the paper's"
        " throughput counts ACK packets (acks in the table); throughput in the table is packets"
        " acknowledged, of which there are 4 % more, since ACKs"
        " are lost. Its packet delay is not defined: from the first sending of a packet to its"
        " first arrival, to the ACK which that called for (if it came), and to the first ACK that"
        f" covers it.{RECONSTRUCTION_NOTE}",
        table=table,
        figure=study.draw_figure(lambda: _figure(runs, table)),
    )


def make_pairs(study: ElaaragStudy) -> Reproduction:
    """Compare the variants with each other."""
    table = paired_differences(measured_runs(study))
    return Reproduction(
        title="Table 2: the variants against each other",
        text="Differences between two variants on the same bit errors and outages, run by run,"
        f" with {LEVEL} intervals; the same between the printed numbers, with z, the deviation of"
        " the printed difference as one of two independent single runs; and from an independent"
        " reconstruction of 90 runs. Single runs scatter by 11 %, so one run of each variant does"
        f" not order them.{RECONSTRUCTION_NOTE}",
        table=table,
        figure=study.draw_figure(lambda: _pairs_figure(table)),
    )


def measured_runs(study: ElaaragStudy) -> pd.DataFrame:
    """The runs of all variants."""
    return study.with_transfers("variants")


def compare_entries(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per printed number and metric that it may be."""
    rows = []
    for line in printed_entries("table2").itertuples():
        runs_of_variant = runs[runs["variant"] == line.variant]
        for metric in _MEASURE_COLUMNS[line.quantity]:
            row = comparison_row(line, runs_of_variant[metric], REFERENCE_RUNS)
            if metric == "acks":  # the reconstruction counted packets
                row |= {"reference": np.nan, "reference_z": np.nan}
            rows.append(
                {"variant": line.variant, "quantity": line.quantity, "measured": metric} | row
            )
    return pd.DataFrame(rows)


def paired_differences(runs: pd.DataFrame) -> pd.DataFrame:
    """Differences between two variants, paired by replication; one row per metric and pair."""
    known = printed_entries("table2").set_index(["variant", "quantity"])["printed"]
    reference = printed_entries("pairs").set_index(["variant", "other"])
    rows = []
    for metric in _PAIRED_METRICS:
        wide = runs.pivot_table(index="replication", columns="variant", values=metric)
        for first, other in combinations(("reno", "tahoe", "newreno", "sack"), 2):
            quantity = _PRINTED_AS.get(metric, metric)
            gap = float(known[first, quantity]) - float(known[other, quantity])
            rows.append(
                {"metric": metric, "variant": first, "other": other}
                | mean_and_interval(wide[first] - wide[other])
                | {"relative": (wide[first].mean() - wide[other].mean()) / wide[other].mean()}
                | {"printed": gap}
                | _place_of_difference(gap, wide[first], wide[other])
                | _reference(reference, metric, first, other)
            )
    return pd.DataFrame(rows)


def _place_of_difference(gap: float, first: pd.Series, other: pd.Series) -> dict[str, float]:
    """Place of a printed difference among differences of two independent runs."""
    runs, mean = len(first), float(first.mean() - other.mean())
    spread = float(np.hypot(first.std(), other.std()) * np.sqrt(1.0 + 1.0 / runs))
    half = float(special.stdtrit(runs - 1, 0.5 + CONFIDENCE / 2.0)) * spread
    z = float(z_scores(gap, mean, spread, runs))
    return {"z": z, "single_low": mean - half, "single_high": mean + half}


def _reference(reference: pd.DataFrame, metric: str, first: str, other: str) -> dict[str, float]:
    names = ("reference", "reference_low", "reference_high")
    if metric != "throughput" or (first, other) not in reference.index:
        return dict.fromkeys(names, float("nan"))
    return {name: parse_printed(reference.loc[(first, other), name]) for name in names}


def _figure(runs: pd.DataFrame, table: pd.DataFrame) -> Figure:
    labels = {
        "acks": "Throughput (ACK packets/s)",
        "goodput": "Goodput",
        "transfer_time": f"Transfer time of {LONG_TRANSFER_PACKETS} packets (s)",
        "delay_own_ack": "Packet delay, to its own ACK (s)",
    }
    panels = []
    for metric, label in labels.items():
        rows = table[table["measured"] == metric].set_index("variant")
        spreads = [
            RunSpread(
                label=WORDS[variant],
                values=runs[runs["variant"] == variant][metric],
                printed=float(rows.loc[variant, "printed"]),
            )
            for variant in VARIANTS
        ]
        panels.append((label, spreads))
    return spreads_figure(panels, columns=2, together=True)


def _pairs_figure(table: pd.DataFrame) -> Figure:
    labels = {
        "throughput": "Throughput (packets/s)",
        "goodput": "Goodput",
        "transfer_time": "Transfer time (s)",
        "delay_own_ack": "Delay to own ACK (s)",
    }
    panels = [(label, table[table["metric"] == metric]) for metric, label in labels.items()]
    first = panels[0][1]
    ticks = [
        f"{WORDS[first]} \N{MINUS SIGN} {WORDS[other]}"
        for first, other in zip(first["variant"], first["other"], strict=True)
    ]
    return differences_figure(panels, ticks)


@statement(
    name="table2-entries",
    text="The sixteen numbers of Table 2.",
    where="4, Table 2",
    rule=f"{SINGLE_RUNS_RULE}; throughput as ACK packets, delay to the own ACK",
)
def _judge_entries(table: pd.DataFrame) -> Judgement:
    shown = table[table["measured"].isin(("acks", "goodput", "transfer_time", "delay_own_ack"))]
    worst = shown.loc[shown["z"].abs().idxmax()]
    goodput = shown[shown["quantity"] == "goodput"]["z"].mean()
    return Judgement(
        verdict=judge_single_runs(shown["z"]),
        finding=f"{int((shown['verdict'] == 'agrees').sum())} of {len(shown)} lie within; the"
        f" farthest is {worst['quantity'].replace('_', ' ')} of {WORDS[worst['variant']]}:"
        f" {worst['printed']} printed, {worst['mean']:.4g} \N{PLUS-MINUS SIGN} {worst['sd']:.2g}"
        f" simulated, z = {signed_number(worst['z'], 2)}. The goodputs have z ="
        f" {signed_number(goodput, 2)} on"
        " average.",
        numbers={
            f"z of {row.quantity} of {row.variant}": row.z for row in shown.itertuples(index=False)
        },
    )


@statement(
    name="throughput-counts-acks",
    text="Throughput is the number of ACK packets received per time.",
    where="4",
    rule="the digits of goodput are those of a fraction whose numerator, the packets sent for"
    " the first time, exceeds 1600 s times the printed throughput by as much as ACK packets"
    " (mean \N{PLUS-MINUS SIGN} 2.6 sd of our runs), for every variant with at least seven"
    " digits, and nowhere by as much as packets acknowledged (partly: one of the two)",
    of="study",
)
def _judge_definition(study: ElaaragStudy) -> Judgement:
    runs = measured_runs(study)
    runs = runs.assign(first_sent=runs["sent"] - runs["resent"])
    kinds = {"ACK packets": "acks_arrived", "packets acknowledged": "acked"}
    known = printed_entries("table2").set_index(["variant", "quantity"])["printed"]
    told_variants = [
        variant for variant in VARIANTS if len(known[variant, "goodput"].partition(".")[2]) >= 7
    ]
    fits_found = {
        kind: {
            variant: _fitting_excesses(
                known[variant, "throughput"],
                known[variant, "goodput"],
                _excess_range(runs, variant, column),
            )
            for variant in told_variants
        }
        for kind, column in kinds.items()
    }
    fits = {
        kind: sum(bool(gaps) for gaps in gaps_of_variant.values())
        for kind, gaps_of_variant in fits_found.items()
    }
    acks, packets = fits.values()
    chance = np.prod(
        [
            _coincidence_probability(known[variant, "goodput"], runs, variant)
            for variant in told_variants
        ]
    )
    words = [
        f"{gaps[0]} for {WORDS[variant]}"
        for variant, gaps in fits_found["ACK packets"].items()
        if gaps
    ]
    return Judgement(
        verdict=judge_both(acks == len(told_variants), packets == 0),
        finding=f"As ACK packets in {acks} of {len(told_variants)} variants"
        f" ({', '.join(words) or 'none'}),"
        f" as packets acknowledged in {packets}. All three would fit by chance with probability"
        f" {chance:.2g}.",
        numbers={f"variants that fit {kind}": float(fit_count) for kind, fit_count in fits.items()}
        | {"chance": float(chance)},
    )


def _excess_range(runs: pd.DataFrame, variant: str, column: str) -> tuple[float, float]:
    """Range of the packets sent for the first time that `column` does not count."""
    runs_of_variant = runs[runs["variant"] == variant]
    gap = runs_of_variant["first_sent"] - runs_of_variant[column]
    return gap.mean() - 2.6 * gap.std(), gap.mean() + 2.6 * gap.std()


def _coincidence_probability(goodput: str, runs: pd.DataFrame, variant: str) -> float:
    """Probability that some excess of ACK packets fits digits that are unrelated to it."""
    low, high = _excess_range(runs, variant, "acks_arrived")
    sent = runs.loc[runs["variant"] == variant, "sent"].mean()
    hit = 10.0 ** -len(goodput.partition(".")[2]) * sent / float(goodput)
    return float(1.0 - (1.0 - min(hit, 1.0)) ** (high - low))


def _fitting_excesses(throughput: str, goodput: str, limits: tuple[float, float]) -> list[int]:
    """The excesses within limits that give the printed digits of goodput with whole numbers."""
    counted = round(float(throughput) * DURATION)
    half = 0.5 * 10.0 ** -len(goodput.partition(".")[2])
    excess = np.arange(np.ceil(limits[0]), np.floor(limits[1]) + 1)
    sent = np.rint((counted + excess) / float(goodput))
    exact = np.abs((counted + excess) / sent - float(goodput)) <= half
    return [int(gap) for gap in excess[exact]]


@statement(
    name="packet-delay",
    text="The average packet delay is 0.41 to 0.46 s.",
    where="4, Table 2",
    rule=f"{SINGLE_RUNS_RULE}, under one of three definitions",
)
def _judge_delay(table: pd.DataFrame) -> Judgement:
    z = {
        words: table[table["measured"] == metric]["z"].to_numpy()
        for metric, words in DELAYS.items()
    }
    means = {
        words: table[table["measured"] == metric]["mean"].to_numpy()
        for metric, words in DELAYS.items()
    }
    best = min(z, key=lambda words: float(np.abs(z[words]).max()))
    spans = [
        f"to the {words} {means[words].min():.3f} to {means[words].max():.3f} s"
        f" (largest |z| {np.abs(z[words]).max():.1f})"
        for words in z
    ]
    return Judgement(
        verdict=judge_single_runs(z[best]),
        finding=f"{'; '.join(spans)}.".replace("to the", "To the", 1),
        numbers={
            f"largest |z| to the {words}": float(np.abs(deviates).max())
            for words, deviates in z.items()
        },
    )


def _rows_of_reno(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    return table[(table["metric"] == metric) & (table["variant"] == "reno")]


def _row_words(row: Any, unit: str, digits: int) -> str:
    low, mean, high = (signed_number(limit, digits) for limit in (row.low, row.mean, row.high))
    return f"{mean}{unit} against {WORDS[row.other]} ({low} to {high})"


def _judge_order(rows: pd.DataFrame, more_is_better: bool) -> Verdict:
    """Judge a variant by its mean against all others; resampled runs show if that is chance."""
    better = rows["mean"] > 0 if more_is_better else rows["mean"] < 0
    return "holds" if better.all() else "fails"


_BEST_RULE = "paired differences: on average better than each other variant"


def _best_variant_statement(
    metric: str, *, name: str, words: str, unit: str, digits: int
) -> Statement:
    def judge(table: pd.DataFrame) -> Judgement:
        rows = _rows_of_reno(table, metric)
        spread = table[table["metric"] == metric]["z"].abs().max()
        return Judgement(
            verdict=_judge_order(rows, _MORE_IS_BETTER[metric]),
            finding="; ".join(_row_words(row, unit, digits) for row in rows.itertuples(index=False))
            + ". The printed differences lie among those of single runs at |z| up to"
            f" {spread:.1f}.",
            numbers={f"reno - {row.other}": row.mean for row in rows.itertuples(index=False)},
        )

    return Statement(
        name=name,
        text=f"Of the four variants Reno has {words}.",
        where="4, Table 2; 5",
        rule=_BEST_RULE,
        judge=judge,
    )


_most_throughput = _best_variant_statement(
    "throughput",
    name="reno-throughput",
    words="the highest throughput",
    unit=" packets/s",
    digits=2,
)
_least_time = _best_variant_statement(
    "transfer_time",
    name="reno-transfer-time",
    words="the shortest transfer time",
    unit=" s",
    digits=1,
)


@statement(
    name="reno-delay",
    text="Of the four variants Reno has the least average packet delay.",
    where="4, Table 2",
    rule=f"{_BEST_RULE}; delay from the first sending to the own ACK",
)
def _judge_least_delay(table: pd.DataFrame) -> Judgement:
    rows = _rows_of_reno(table, "delay_own_ack")
    return Judgement(
        verdict=_judge_order(rows, False),
        finding="; ".join(_row_words(row, " s", 4) for row in rows.itertuples(index=False)) + ".",
        numbers={f"reno - {row.other}": row.mean for row in rows.itertuples(index=False)},
    )


@statement(
    name="reno-goodput",
    text="Reno's goodput is very comparable to that of SACK.",
    where="4, Table 2",
    rule=f"the means differ by at most {whole_percent(ALIKE)}",
)
def _judge_goodput(table: pd.DataFrame) -> Judgement:
    rows = _rows_of_reno(table, "goodput").set_index("other")
    gap = float(rows.loc["sack", "relative"])
    return Judgement(
        verdict="holds" if abs(gap) <= ALIKE else "fails",
        finding=f"{percent(gap)} ({signed_number(rows.loc['sack', 'mean'], 5)},"
        f" {signed_number(rows.loc['sack', 'low'], 5)} to"
        f" {signed_number(rows.loc['sack', 'high'], 5)}).",
        numbers={"relative difference": gap},
    )


@statement(
    name="reno-above-sack",
    text="Unlike in wired networks, Reno performs better than SACK.",
    where="Abstract; 4; 5",
    rule="the paired difference of throughput is positive on average",
)
def _judge_above_sack(table: pd.DataFrame) -> Judgement:
    row = _rows_of_reno(table, "throughput").set_index("other").loc["sack"]
    relative = float(row["relative"])
    return Judgement(
        verdict="holds" if row["mean"] > 0 else "fails",
        finding=f"{signed_number(row['mean'], 3)} packets/s ({signed_number(row['low'], 3)} to"
        f" {signed_number(row['high'], 3)}), which is"
        f" {percent(relative)}; printed: {signed_number(row['printed'], 2)}.",
        numbers={"difference": float(row["mean"]), "relative": relative},
    )


_NEEDS = needs_of_experiments("variants", "variants-transfer")
PART = Part(make, (_judge_entries, _judge_definition, _judge_delay), _NEEDS)
PAIRS = Part(
    make_pairs,
    (_most_throughput, _least_time, _judge_least_delay, _judge_goodput, _judge_above_sack),
    _NEEDS,
)
