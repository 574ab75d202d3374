"""Table 1: Markov parameters of the fading, printed, exact, by few oscillators, simulated by us."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import airtcp
from airtcp.papers.base import (
    Judgement,
    Need,
    Part,
    Reproduction,
    Verdict,
    agreement_with_truth,
    judge_both,
    percent,
    printed_table,
    statement,
    whole_percent,
)
from airtcp.papers.chockalingam.study import (
    RATE,
    ChockalingamSizes,
    ChockalingamStudy,
    FadingPoint,
    SystemDesign,
    analysis_needs,
)
from airtcp.stats import z_scores

_ENTRY_COLUMNS = ["code", "doppler", "snr"]
_QUANTITIES = ("loss_rate", "recovery")
_CLOSE_GAP, _NEAR_GAP = 0.02, 0.05
CHANNELS = {"bits": ("rayleigh", "bits"), "jakes": ("jakes", "fast")}


def entries() -> pd.DataFrame:
    """The printed entries, as texts except for their coordinates."""
    return printed_table("chockalingam_table1").astype({"doppler": float, "snr": float})


def points() -> list[FadingPoint]:
    """The entries of the table."""
    known = entries()
    codes = known["code"].replace({"none": None})
    every = zip(codes, known["snr"], known["doppler"], strict=True)
    return [FadingPoint(SystemDesign(code=code), snr, doppler) for code, snr, doppler in every]


def _needs(_: ChockalingamSizes) -> list[Need]:
    all_points = points()
    return analysis_needs(all_points) + [
        Need((kind, point)) for kind in CHANNELS for point in all_points
    ]


def make(study: ChockalingamStudy) -> Reproduction:
    """All entries, side by side."""
    table = compute_entries(study)
    return Reproduction(
        title="Table 1: Markov parameters of the fading",
        text="P_E and r = P(success | the packet before was lost) of packets of 32 bytes: as"
        " printed; exact on a Rayleigh channel; by the classical simulator with 8 oscillators"
        " (`jakes`); by our own bit-by-bit simulation of Rayleigh fading (`bits`), with standard"
        " errors. The exact values are integrals (`airtcp.models.fading.packet_errors`), whose"
        " numerical error is in the table, too.",
        table=table,
    )


def compute_entries(study: ChockalingamStudy) -> pd.DataFrame:
    """One row per entry and quantity."""
    known = entries()
    simulated = {name: _simulate_entries(study, name) for name in CHANNELS}
    rows = []
    for place, point in enumerate(points()):
        losses = point.losses
        for quantity in _QUANTITIES:
            exact = getattr(losses, quantity)
            row: dict[str, Any] = known.iloc[place][_ENTRY_COLUMNS].to_dict()
            row |= {"quantity": quantity, "printed": known[quantity][place], "exact": exact}
            row["exact_error"] = getattr(losses, f"{quantity}_error")
            for name, counts_of_kind in simulated.items():
                counted = counts_of_kind[place]
                mean, error = counted.loss_rate if quantity == "loss_rate" else counted.recovery
                row |= {name: mean, f"{name}_error": error}
            rows.append(row)
    table = pd.DataFrame(rows)
    table["printed_gap"] = table["printed"].astype(float) / table["exact"] - 1.0
    table["jakes_gap"] = table["jakes"] / table["exact"] - 1.0
    table["replications"] = float(study.sizes.replications)
    table["bits_z"] = z_scores(
        table["bits"], table["exact"], table["bits_error"], table["replications"]
    )
    return table


@dataclass(frozen=True)
class FateCounts:
    """Fates of several runs: packets and losses of each, losses followed by a success."""

    packets: np.ndarray[Any, np.dtype[np.float64]]
    lost: np.ndarray[Any, np.dtype[np.float64]]
    ended_bursts: np.ndarray[Any, np.dtype[np.float64]]

    @property
    def loss_rate(self) -> tuple[float, float]:
        """P_E and its standard error."""
        return _ratio(self.lost, self.packets)

    @property
    def recovery(self) -> tuple[float, float]:
        """r and its standard error."""
        return _ratio(self.ended_bursts, self.lost)


def _ratio(above: Any, below: Any) -> tuple[float, float]:
    """A ratio of means over runs, by the delta method."""
    ratio = above.mean() / below.mean()
    error = (above - ratio * below).std(ddof=1) / (below.mean() * np.sqrt(above.size))
    return float(ratio), float(error)


def _simulate_entries(study: ChockalingamStudy, name: str) -> list[FateCounts]:
    """Every entry on one kind of channel, replications in parallel."""
    kind, mode = CHANNELS[name]
    counts_found = []
    for point in points():
        channel = point.fading | {"kind": kind, "mode": mode}
        packets = round(study.sizes.seconds[point.doppler] / point.losses.airtime)
        counts_found.append(_count_fates(channel, packets, study, study.own_seed(f"{channel}")))
        study.advance(f"Table 1, {kind}")
    return counts_found


def _count_fates(
    channel: dict[str, Any], packets: int, study: ChockalingamStudy, seed: int
) -> FateCounts:
    def count_replication(replication: int) -> tuple[float, float, float]:
        lost = airtcp.fates(
            channel, packets, rate=RATE, packet="32B", seed=seed, replication=replication
        )
        return lost[:-1].size, lost[:-1].sum(), (lost[:-1] & ~lost[1:]).sum()

    with ThreadPoolExecutor(study.jobs) as pool:
        counts = np.array(
            list(pool.map(count_replication, range(study.sizes.replications))), dtype=np.float64
        )
    return FateCounts(*counts.T)


def _rows_of_quantity(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return table[table["quantity"] == quantity]


def _judge_gaps(gaps: pd.Series) -> Verdict:
    if (gaps.abs() <= _CLOSE_GAP).all():
        return "holds"
    return "partly" if (gaps.abs() <= _NEAR_GAP).mean() >= 0.5 else "fails"


@statement(
    name="table1-rayleigh",
    text="The Markov parameters are those of a Rayleigh fading channel.",
    where="III-A, Table 1",
    rule=f"every printed entry is within {whole_percent(_CLOSE_GAP)} of the exact value (partly:"
    f" half of them within {whole_percent(_NEAR_GAP)})",
)
def _judge_rayleigh(table: pd.DataFrame) -> Judgement:
    gaps = {name: _rows_of_quantity(table, name)["printed_gap"] for name in _QUANTITIES}
    low, recovery = gaps["loss_rate"], gaps["recovery"]
    return Judgement(
        verdict=_judge_gaps(table["printed_gap"]),
        finding=f"All printed P_E are low: {percent(low.max())} to {percent(low.min())}, median"
        f" {percent(low.median())}; r {percent(recovery.min())} to {percent(recovery.max())}.",
        numbers={
            "P_E, most": float(low.max()),
            "P_E, median": float(low.median()),
            "P_E, least": float(low.min()),
            "r, least": float(recovery.min()),
            "r, most": float(recovery.max()),
        },
    )


@statement(
    name="table1-oscillators",
    text="The fading was simulated with the classical simulator (of few oscillators).",
    where="III-A",
    rule="printed P_E are nearer to 8 oscillators than to Rayleigh fading, in the median and in"
    " at least three quarters of the entries (partly: one of the two)",
)
def _judge_eight_entries(table: pd.DataFrame) -> Judgement:
    rates = _rows_of_quantity(table, "loss_rate")
    to_jakes = rates["printed"].astype(float) / rates["jakes"] - 1.0
    nearer = to_jakes.abs() < rates["printed_gap"].abs()
    medians = float(to_jakes.abs().median()), float(rates["printed_gap"].abs().median())
    return Judgement(
        verdict=judge_both(medians[0] < medians[1], bool(nearer.mean() >= 0.75)),
        finding=f"{int(nearer.sum())} of {len(rates)} are; median distance"
        f" {100 * medians[0]:.1f} % from 8 oscillators, {100 * medians[1]:.1f} % from Rayleigh. The"
        f" oscillators' own P_E are {percent(rates['jakes_gap'].min())} to"
        f" {percent(rates['jakes_gap'].max())} off: their envelope has too little mass near zero.",
        numbers={
            "nearer": float(nearer.sum()),
            "median distance, jakes": medians[0],
            "median distance, Rayleigh": medians[1],
        },
    )


@statement(
    name="table1-bits",
    text="Bit-by-bit simulation of Rayleigh fading gives the exact values.",
    where="our own",
    rule="as many intervals missing the exact value have at least a probability of 0.01, and"
    " every |z| < 4 (partly: one of the two)",
)
def _judge_bits(table: pd.DataFrame) -> Judgement:
    deviation = table["bits_error"] * np.sqrt(table["replications"])
    agreement = agreement_with_truth(
        table["bits"], deviation, table["replications"], table["exact"]
    )
    return Judgement(
        verdict=judge_both(agreement.chance >= 0.01, agreement.largest_z < 4.0),
        finding=f"{agreement}.",
        numbers={"misses": float(agreement.misses), "largest |z|": agreement.largest_z},
    )


@statement(
    name="table1-bursty",
    text="Errors are bursty at 1 and 10 Hz, less so at 100 Hz.",
    where="IV, Table 1",
    rule="the mean run of losses falls from 1 to 10 to 100 Hz, for every code and SNR (partly:"
    " for half of them)",
)
def _judge_bursty(table: pd.DataFrame) -> Judgement:
    runs = 1.0 / _rows_of_quantity(table, "recovery").pivot(
        index=["code", "snr"], columns="doppler", values="exact"
    )
    ordered = (runs[1.0] >= runs[10.0]) & (runs[10.0] >= runs[100.0])
    return Judgement(
        verdict="holds" if ordered.all() else "partly" if ordered.mean() >= 0.5 else "fails",
        finding=f"Mean runs {runs[1.0].min():.1f} to {runs[1.0].max():.1f} at 1 Hz,"
        f" {runs[10.0].min():.1f} to {runs[10.0].max():.1f} at 10 Hz,"
        f" {runs[100.0].min():.2f} to {runs[100.0].max():.1f} at 100 Hz.",
        numbers={f"longest mean run at {run:g} Hz": float(runs[run].max()) for run in runs},
    )


PART = Part(make, (_judge_rayleigh, _judge_eight_entries, _judge_bits, _judge_bursty), _needs)
