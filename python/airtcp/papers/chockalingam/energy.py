"""FEC or ARQ? Energy of a delivered bit, parity and retransmissions charged [chockalingam V]."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    Judgement,
    Part,
    Reproduction,
    judge_better,
    judge_share,
    percent,
    statement,
)
from airtcp.papers.chockalingam.curves import Curve, needs_over_snr, table_over_snr
from airtcp.papers.chockalingam.judging import gain_in_words
from airtcp.papers.chockalingam.own_drawing import energy_figure
from airtcp.papers.chockalingam.study import (
    DOPPLERS,
    HALF_RATE_CODE,
    THIRD_RATE_CODE,
    ChockalingamStudy,
    SystemDesign,
)

DESIGNS = {
    "ARQ, $n_l$ = 16": SystemDesign(),
    "ARQ, $n_l$ = 128": SystemDesign(attempts=128),
    "rate 1/2 and ARQ, $n_l$ = 16": SystemDesign(code=HALF_RATE_CODE),
    "rate 1/3 and ARQ, $n_l$ = 16": SystemDesign(code=THIRD_RATE_CODE),
    "rate 1/2 alone": SystemDesign(code=HALF_RATE_CODE, attempts=1),
}
_NAMES = {tuple(design.columns.values()): word for word, design in DESIGNS.items()}
_ARQ_DESIGN, _FEC_DESIGN = "ARQ, $n_l$ = 16", "rate 1/2 alone"
_PERSISTENT_DESIGN = "ARQ, $n_l$ = 128"
CURVES = tuple(Curve(design, doppler) for design in DESIGNS.values() for doppler in DOPPLERS)


def make(study: ChockalingamStudy) -> Reproduction:
    """Compare five link layers at three Doppler shifts."""
    table = table_over_snr(study, CURVES, chain=False)
    table.insert(0, "design", [_design_word(row) for _, row in table.iterrows()])
    return Reproduction(
        title="FEC or ARQ: energy of a delivered bit",
        text="The comparison that the paper leaves open. Bits on the air, with parity and all"
        " retransmissions, for each bit of data that is delivered; and net throughput over the"
        " energy of a delivered bit, which is that number times the energy of a transmitted one."
        " SNR is per transmitted bit, so that a code costs energy by its length. Energy is that of"
        " transmitting data: what waiting, decoding and ACKs cost is left out.",
        table=table,
        figure=study.draw_figure(lambda: energy_figure(table, _design_word)),
    )


def _design_word(row: pd.Series) -> str:
    return _NAMES[tuple(row[name] for name in SystemDesign().columns)]


def _column_by_design(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column by point and design, where it was simulated."""
    simulated_rows = table.dropna(subset=["fading"])
    return simulated_rows.pivot(index=["doppler", "snr"], columns="design", values=column)


@statement(
    name="arq-more-than-fec",
    text="Most of the improvement of throughput comes from ARQ rather than from FEC.",
    where="IV, Fig. 7; V",
    rule="ARQ alone (n_l = 16) above rate 1/2 alone (n_l = 1) on the fading, parity not"
    " charged, at every SNR and Doppler shift (partly: at half of them)",
)
def _judge_arq_most(table: pd.DataFrame) -> Judgement:
    net = _column_by_design(table, "fading_net_throughput")
    gross = _column_by_design(table, "fading")
    gross_gain = gross[_ARQ_DESIGN] / gross[_FEC_DESIGN] - 1.0
    net_gain = net[_ARQ_DESIGN] / net[_FEC_DESIGN] - 1.0
    return Judgement(
        verdict=judge_better(gross_gain),
        finding=f"Parity not charged {_gains_span(gross_gain)}; charged {_gains_span(net_gain)}.",
        numbers={
            "least": float(gross_gain.min()),
            "most": float(gross_gain.max()),
            "net, least": float(net_gain.min()),
            "net, most": float(net_gain.max()),
        },
    )


def _gains_span(gains: pd.Series) -> str:
    low, high = _place(gains.idxmin()), _place(gains.idxmax())
    return f"{gain_in_words(gains.min())} ({low}) to {gain_in_words(gains.max())} ({high})"


def _place(point: tuple[float, float]) -> str:
    return f"{point[0]:g} Hz, {point[1]:g} dB"


@statement(
    name="throughput-is-not-energy",
    text="Most throughput does not guarantee good energy efficiency.",
    where="IV",
    rule="the link layer with the most throughput, parity not charged as in the paper, is not"
    " the one with the fewest bits on the air, on the fading, at every SNR and Doppler shift"
    " (partly: at half of them)",
)
def _judge_not_both(table: pd.DataFrame) -> Judgement:
    gross, bits = _column_by_design(table, "fading"), _column_by_design(table, "fading_bits")
    most, cheapest = gross.idxmax(axis=1), bits.idxmin(axis=1)
    differ = most != cheapest
    extra = np.array([bits.loc[at, word] for at, word in most.items()]) / bits.min(axis=1) - 1.0
    return Judgement(
        verdict=judge_share(differ),
        finding=f"At {int(differ.sum())} of {len(differ)} points it is another one; it then sends"
        f" up to {percent(extra.max())} more bits.",
        numbers={"points": float(len(differ)), "differ": float(differ.sum())},
    )


@statement(
    name="fec-or-arq",
    text="ARQ without a code needs less energy per delivered bit than FEC at these SNRs.",
    where="V, left open",
    rule="the better of uncoded ARQ with n_l = 16 and 128 sends fewer bits per delivered bit"
    " than the best of the coded ones, on the fading, at every SNR and Doppler shift (partly:"
    " at half of them)",
)
def _judge_arq_cheaper(table: pd.DataFrame) -> Judgement:
    bits = _column_by_design(table, "fading_bits")
    coded = bits.drop(columns=[_ARQ_DESIGN, _PERSISTENT_DESIGN]).min(axis=1)
    saved = coded / bits[[_ARQ_DESIGN, _PERSISTENT_DESIGN]].min(axis=1) - 1.0
    net = _column_by_design(table, "fading_net_throughput")
    uncoded = net[[_ARQ_DESIGN, _PERSISTENT_DESIGN]].max(axis=1)
    faster = uncoded / net.drop(columns=[_ARQ_DESIGN, _PERSISTENT_DESIGN]).max(axis=1) - 1.0
    return Judgement(
        verdict=judge_better(saved),
        finding=f"The best coded one sends {_gains_span(saved)} more. Net throughput of the"
        f" uncoded: {_gains_span(faster)} against the coded.",
        numbers={
            "least": float(saved.min()),
            "most": float(saved.max()),
            "net throughput, least": float(faster.min()),
            "net throughput, most": float(faster.max()),
        },
    )


PART = Part(
    make,
    (_judge_arq_most, _judge_not_both, _judge_arq_cheaper),
    needs_over_snr(CURVES, chain=False),
)
