"""The advisor's answer: n_l, N_L and code for an SNR and a Doppler shift, checked on the fading."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd

from airtcp.models import chockalingam
from airtcp.papers.base import Judgement, Need, Part, Reproduction, judge_alike, percent, statement
from airtcp.papers.chockalingam.curves import simulate_on_fading
from airtcp.papers.chockalingam.own_drawing import advice_figure
from airtcp.papers.chockalingam.study import (
    CODE_WORDS,
    DOPPLERS,
    RATE,
    ChockalingamSizes,
    ChockalingamStudy,
    FadingPoint,
    SystemDesign,
    analysis_needs,
)

ATTEMPTS = (1, 8, 16, 128)  # of the paper
OBJECTIVES = ("throughput", "energy")
_DISTANCE_LABELS = 0.1  # relative difference of fit and fading that still serves an engineer


def points(sizes: ChockalingamSizes) -> list[FadingPoint]:
    """All packets whose losses the advisor needs."""
    designs = [SystemDesign(attempts=None)]
    for code, every_size in sizes.advice_packet_bytes.items():
        designs += [SystemDesign(code=code, ll_bytes=size) for size in every_size]
    combinations = product(designs, sizes.advice_snrs, DOPPLERS)
    return [FadingPoint(design, snr, doppler) for design, snr, doppler in combinations]


def _needs(sizes: ChockalingamSizes) -> list[Need]:
    """Needs of the part: at most as many different answers are simulated as there are questions."""
    asked = product(OBJECTIVES, sizes.advice_snrs, DOPPLERS)
    return analysis_needs(points(sizes)) + [Need(("advice", *question)) for question in asked]


def make(study: ChockalingamStudy) -> Reproduction:
    """The best link layer by SNR, Doppler shift and objective."""
    combinations = product(OBJECTIVES, study.sizes.advice_snrs, DOPPLERS)
    table = pd.DataFrame([_best_row(study, *question) for question in combinations])
    return Reproduction(
        title="The advisor: which link layer for which channel",
        text="`airtcp.models.chockalingam.advise`: of no link layer and the combinations of n_l ="
        f" 1, 8, 16, 128 and {_sizes(study.sizes)}, the one with the most net throughput, or with"
        " the fewest bits on the air per delivered bit (the most bits per joule), for Tahoe and"
        " packets of 1024 bytes. The advisor reckons with the two-state fit; what its choice does"
        " on the fading is simulated. Timeouts are 100 TCP packet times, which last longer where"
        " packets are coded.",
        table=table,
        figure=study.draw_figure(lambda: advice_figure(table)),
    )


def _sizes(sizes: ChockalingamSizes) -> str:
    """Fragments by code, in words."""
    words = (
        f"{CODE_WORDS[code]}: {', '.join(str(size) for size in every_size)}"
        for code, every_size in sizes.advice_packet_bytes.items()
    )
    return f"N_L in bytes ({'; '.join(words)})"


def _best_row(
    study: ChockalingamStudy, objective: str, snr: float, doppler: float
) -> dict[str, Any]:
    asked = (objective, snr, doppler)
    first = study.compute_once(
        ("advised", *asked), lambda: _advised_link_layer(study.sizes, *asked)
    )
    code = None if first["code"] == "none" else first["code"]
    advised_columns = {"code": code, "ll_bytes": first["ll_bytes"], "attempts": first["attempts"]}
    design = (
        SystemDesign(attempts=None) if first["fragments"] == 1 else SystemDesign(**advised_columns)
    )
    point = FadingPoint(design, snr, doppler)
    head = {"objective": objective, "snr": snr, "doppler": doppler, "words": CODE_WORDS[code]}
    return head | design.columns | point.analysis | simulate_on_fading(study, point)


def _advised_link_layer(
    sizes: ChockalingamSizes, objective: str, snr: float, doppler: float
) -> dict[str, Any]:
    """The best answer of the advisor over all codes and sizes."""
    firsts = [
        chockalingam.advise(
            snr_db=snr,
            doppler_hz=doppler,
            ll_bytes=every_size,
            attempts=ATTEMPTS,
            codes=(code,),
            objective=objective,
            rate=RATE,
        )
        for code, every_size in sizes.advice_packet_bytes.items()
    ]
    rows = [{name: column[0].item() for name, column in first.columns.items()} for first in firsts]
    if objective == "throughput":
        return max(rows, key=lambda row: row["bits_per_second"])
    return min(rows, key=lambda row: row["bits_per_delivered_bit"])


@statement(
    name="advice-kept",
    text="The advised link layer does on the fading what the two-state fit promises.",
    where="our own",
    rule="net throughput within 5 % of the promise for every answer (partly: within 10 %)",
)
def _judge_kept_choice(table: pd.DataFrame) -> Judgement:
    gap = table["fading_net_throughput"] / table["net_throughput"] - 1.0
    worst, best = table.loc[gap.idxmin()], table.loc[gap.idxmax()]
    return Judgement(
        verdict=judge_alike(gap, 0.05, _DISTANCE_LABELS),
        finding=f"{percent(gap.min())} ({worst['doppler']:g} Hz, {worst['snr']:g} dB) to"
        f" {percent(gap.max())} ({best['doppler']:g} Hz, {best['snr']:g} dB); within 10 % at"
        f" {int((gap.abs() <= _DISTANCE_LABELS).sum())} of {len(gap)}.",
        numbers={"least": float(gap.min()), "most": float(gap.max())},
    )


PART = Part(make, (_judge_kept_choice,), _needs)
