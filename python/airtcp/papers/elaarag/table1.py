"""Table 1: Tahoe on a link with bit errors, by error rate."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import airtcp
from airtcp.papers.base import Judgement, Need, Part, Reproduction, judge_alike, percent, statement
from airtcp.papers.elaarag.compare import (
    RECONSTRUCTION_NOTE,
    SINGLE_RUNS_RULE,
    comparison_row,
    judge_single_runs,
    mean_and_interval,
    printed_entries,
    ratio_of_means,
    signed_number,
)
from airtcp.papers.elaarag.drawing import RunSpread, spreads_figure
from airtcp.papers.elaarag.study import (
    GOOD_LENGTH_FACTORS,
    WINDOW,
    ElaaragSizes,
    ElaaragStudy,
    needs_of_experiments,
    scenario,
)

QUANTITIES = {
    "throughput": "Throughput (packets/s)",
    "goodput": "Goodput",
    "transfer_time": "Transfer time of 5000 packets (s)",
}
REFERENCE_RUNS = 30
ACK_BITS, PACKET_BITS = 320, 8192
_TRACES = "trace Tahoe"


def make(study: ElaaragStudy) -> Reproduction:
    """Compare the six entries with single runs."""
    runs = measured_runs(study)
    table = compare_entries(runs)
    return Reproduction(
        title="Table 1: Tahoe by bit error rate",
        text="One simulation per printed number; here the distribution of single runs of 400 s."
        " A column of the table says how far the printed number lies from the mean as a standard"
        " normal deviate (z), and which share of the runs lies below it. Goodput is the share of"
        f" first transmissions in all packets sent.{RECONSTRUCTION_NOTE}",
        table=table,
        figure=study.draw_figure(lambda: _figure(runs, table)),
    )


def measured_runs(study: ElaaragStudy) -> dict[str, pd.DataFrame]:
    """The runs by bit error rate."""
    return {ber: study.runs(f"ber-{ber}") for ber in GOOD_LENGTH_FACTORS}


def compare_entries(runs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per entry."""
    rows = [
        {"ber": line.ber, "quantity": line.quantity}
        | comparison_row(line, runs[line.ber][line.quantity], REFERENCE_RUNS)
        for line in printed_entries("table1").itertuples()
    ]
    return pd.DataFrame(rows)


def _figure(runs: dict[str, pd.DataFrame], table: pd.DataFrame) -> Figure:
    panels = []
    for quantity, label in QUANTITIES.items():
        rows = table[table["quantity"] == quantity].set_index("ber")
        spreads = [
            RunSpread(
                label=f"BER {ber}",
                values=runs[ber][quantity],
                printed=float(rows.loc[ber, "printed"]),
                reference=float(rows.loc[ber, "reference"]),
            )
            for ber in GOOD_LENGTH_FACTORS
        ]
        panels.append((label, spreads))
    return spreads_figure(panels, columns=6)


@statement(
    name="table1-entries",
    text="The six numbers of Table 1.",
    where="4, Table 1",
    rule=SINGLE_RUNS_RULE,
)
def _judge_entries(table: pd.DataFrame) -> Judgement:
    worst = table.loc[table["z"].abs().idxmax()]
    return Judgement(
        verdict=judge_single_runs(table["z"]),
        finding=f"{int((table['verdict'] == 'agrees').sum())} of {len(table)} lie within; the"
        f" farthest is {worst['quantity'].replace('_', ' ')} at BER {worst['ber']}:"
        f" {worst['printed']} printed, {worst['mean']:.4g} \N{PLUS-MINUS SIGN} {worst['sd']:.2g}"
        f" simulated, z = {signed_number(worst['z'], 2)}.",
        numbers={
            f"z of {row.quantity} at {row.ber}": row.z for row in table.itertuples(index=False)
        },
    )


@statement(
    name="ber-throughput",
    text="A tenth of the bit error rate doubles the throughput.",
    where="4, Table 1",
    rule="the ratio of the means is 2 to within 15 % (partly: 30 %); the printed one is 2.22",
    of="study",
)
def _judge_throughput(study: ElaaragStudy) -> Judgement:
    ratios_found = _ratio_to_printed(study, "throughput")
    return Judgement(
        verdict=judge_alike(ratios_found["ratio"] / 2.0 - 1.0, 0.15, 0.3),
        finding=f"{ratios_found['ratio']:.2f} times ({ratios_found['low']:.2f} to"
        f" {ratios_found['high']:.2f}).",
        numbers=ratios_found,
    )


def _ratio_to_printed(study: ElaaragStudy, quantity: str) -> dict[str, float]:
    runs = measured_runs(study)
    return ratio_of_means(runs["1e-6"][quantity], runs["1e-5"][quantity])


@statement(
    name="ber-goodput",
    text="The lower the bit error rate, the higher the goodput.",
    where="4, Table 1",
    rule="the difference is positive with its whole 95 % interval (partly: its mean is)",
    of="study",
)
def _judge_goodput(study: ElaaragStudy) -> Judgement:
    runs = measured_runs(study)
    gain = mean_and_interval(runs["1e-6"]["goodput"] - runs["1e-5"]["goodput"])
    means = {ber: float(table["goodput"].mean()) for ber, table in runs.items()}
    return Judgement(
        verdict="holds" if gain["low"] > 0 else "partly" if gain["mean"] > 0 else "fails",
        finding=f"{means['1e-5']:.4f} at 1e-5, {means['1e-6']:.4f} at 1e-6.",
        numbers={f"goodput at {ber}": mean for ber, mean in means.items()},
    )


@statement(
    name="ber-transfer-time",
    text="With a tenth of the bit error rate 5000 packets take almost half of the time.",
    where="4, Table 1",
    rule="the ratio of the means is 0.5 to within 15 % (partly: 30 %); the printed one is 0.47",
    of="study",
)
def _judge_transfer(study: ElaaragStudy) -> Judgement:
    ratios_found = _ratio_to_printed(study, "transfer_time")
    return Judgement(
        verdict=judge_alike(ratios_found["ratio"] / 0.5 - 1.0, 0.15, 0.3),
        finding=f"{ratios_found['ratio']:.3f} of the time ({ratios_found['low']:.3f} to"
        f" {ratios_found['high']:.3f}).",
        numbers=ratios_found,
    )


@statement(
    name="ber-window",
    text="A higher bit error rate keeps the sender's window smaller, and with it throughput.",
    where="4, Table 1",
    rule="the mean of min(cwnd, 50) over time is smaller at 1e-5",
    of="study",
)
def _judge_windows(study: ElaaragStudy) -> Judgement:
    windows = {}
    for ber in GOOD_LENGTH_FACTORS:
        events = study.traces(scenario("tahoe", ber=ber, time=200.0), 2 * study.sizes.traces)
        windows[ber] = float(np.mean([mean_window(event) for event in events]))
    study.advance(_TRACES)
    gain = windows["1e-6"] / windows["1e-5"] - 1.0
    return Judgement(
        verdict="holds" if gain > 0 else "fails",
        finding=f"{windows['1e-5']:.1f} packets at 1e-5, {windows['1e-6']:.1f} at 1e-6"
        f" ({percent(gain)}).",
        numbers={f"window at {ber}": window for ber, window in windows.items()},
    )


def mean_window(events: airtcp.Events) -> float:
    """The window in use, min(cwnd, window), averaged over time; packets."""
    rows = events.rows("send", "resend", "ack", "timeout")
    window = np.minimum(events.columns["cwnd"][rows], WINDOW)
    return float(np.average(window[:-1], weights=np.diff(events.time[rows])))


@statement(
    name="bad-length-in-packets",
    text="The mean lengths of the bad state, 8 and 3, are in packets.",
    where="4, below equation (1)",
    rule="Tahoe at BER 1e-5 then has the printed throughput of 39.4 packets/s to within a"
    " factor of two",
    of="study",
)
def _judge_unit(study: ElaaragStudy) -> Judgement:
    packets = mean_and_interval(study.runs("ber-packets")["throughput"])
    bits = mean_and_interval(study.runs("ber-1e-5")["throughput"])
    by_equation = {"packets": 1e-5 * PACKET_BITS * 100, "ACKs": 1e-5 * ACK_BITS * 1000}
    return Judgement(
        verdict="holds" if 0.5 < packets["mean"] / 39.439 < 2.0 else "fails",
        finding=f"With 8 packets (and 3 ACKs) Tahoe gets {packets['mean']:.2g} packets/s, with 8"
        f" (and 3) bits {bits['mean']:.3g}; equation (1) gives {by_equation['packets']:.2f} and"
        f" {by_equation['ACKs']:.2f}, the number of bad bits among that of 100 packets and of 1000"
        " ACKs. So the good lengths are in packets and the bad ones in bits.",
        numbers={
            "throughput with packets": packets["mean"],
            "throughput with bits": bits["mean"],
            "bad bits per 100 packets": by_equation["packets"],
            "bad bits per 1000 ACKs": by_equation["ACKs"],
        },
    )


def _needs(sizes: ElaaragSizes) -> list[Need]:
    return [*needs_of_experiments("ber-1e-5", "ber-1e-6", "ber-packets")(sizes), Need(_TRACES)]


PART = Part(
    make,
    (
        _judge_entries,
        _judge_throughput,
        _judge_goodput,
        _judge_transfer,
        _judge_windows,
        _judge_unit,
    ),
    _needs,
)
