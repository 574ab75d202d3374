"""Figs. 3 and 4: throughput over the mean burst of losses, at given loss rates.

The paper varies the burst of the chain at a constant loss rate. Fading has a loss rate at one SNR
only, and mean runs of a few slots whatever its speed: points on it stand at their own mean run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import pandas as pd
from scipy.optimize import brentq

import airtcp
from airtcp.papers.base import Need, Part, Reproduction
from airtcp.papers.chockalingam import claims_bursts as claims
from airtcp.papers.chockalingam.curves import chain_agreement, simulate_on_fading, with_prefix
from airtcp.papers.chockalingam.drawing import Panels
from airtcp.papers.chockalingam.study import (
    DOPPLERS,
    ChockalingamSizes,
    ChockalingamStudy,
    FadingPoint,
    SystemDesign,
)

LOSS_RATES = (0.1, 0.01, 0.001)
ATTEMPTS = (1, 16, 128)
_FIG3 = tuple((SystemDesign(), rate) for rate in LOSS_RATES)
_FIG4 = tuple((SystemDesign(attempts=n), 0.1) for n in ATTEMPTS)


def _needs(
    cases: tuple[tuple[SystemDesign, float], ...],
) -> Callable[[ChockalingamSizes], list[Need]]:
    return lambda sizes: [
        Need((design, rate, at))
        for design, rate in cases
        for at in (*sizes.simulated_bursts, *(f"{doppler:g} Hz" for doppler in DOPPLERS))
    ]


def fig3(study: ChockalingamStudy) -> Reproduction:
    """Fig. 3: one curve per loss rate."""
    table, faded = _tables(study, _FIG3)
    return Reproduction(
        title="Fig. 3: Tahoe with ARQ over the burst length, by loss rate",
        text="n_l = 16, fragments of 32 bytes, packets of 1024. Points on the fading are at the SNR"
        " of the same loss rate and 1, 10 and 100 Hz, uncoded, drawn at their own mean run.",
        table=pd.concat([table, faded], ignore_index=True),
        figure=study.draw_figure(lambda: Panels(table, _rate, x="mean_burst").figure(faded)),
        agreement=chain_agreement(table),
    )


def fig4(study: ChockalingamStudy) -> Reproduction:
    """Fig. 4: one curve per n_l."""
    table, faded = _tables(study, _FIG4)
    return Reproduction(
        title="Fig. 4: Tahoe with ARQ over the burst length, by attempts",
        text="P_E = 0.1, fragments of 32 bytes, packets of 1024. Points on the fading are at the"
        " SNR of this loss rate and 1, 10 and 100 Hz, uncoded, drawn at their own mean run.",
        table=pd.concat([table, faded], ignore_index=True),
        figure=study.draw_figure(lambda: Panels(table, _attempts, x="mean_burst").figure(faded)),
        agreement=chain_agreement(table),
    )


def _tables(
    study: ChockalingamStudy, cases: tuple[tuple[SystemDesign, float], ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two tables: throughput on chains by mean burst, and on the fading."""
    chains = [
        _simulate_on_chain(study, design, rate, burst)
        for design, rate in cases
        for burst in study.sizes.bursts
    ]
    faded = [
        _simulate_on_fading(study, design, rate, doppler)
        for design, rate in cases
        for doppler in reversed(DOPPLERS)
    ]
    return pd.DataFrame(chains), pd.DataFrame(faded)


def _simulate_on_chain(
    study: ChockalingamStudy, design: SystemDesign, rate: float, burst: float
) -> dict[str, object]:
    channel = airtcp.TwoState.from_burst(loss_rate=rate, mean_burst=burst)
    row = design.columns | {"loss_rate": rate, "mean_burst": burst}
    row["throughput"] = design.solve(channel).throughput
    if burst in study.sizes.simulated_bursts:
        row |= with_prefix("fit", study.on_chain(design, channel))
    return row


def _simulate_on_fading(
    study: ChockalingamStudy, design: SystemDesign, rate: float, doppler: float
) -> dict[str, object]:
    point = FadingPoint(design, snr_for(rate, doppler), doppler)
    head = design.columns | {"doppler": doppler, "snr": point.snr}
    return head | point.analysis | {"loss_rate": rate} | simulate_on_fading(study, point)


@lru_cache
def snr_for(rate: float, doppler: float) -> float:
    """The SNR in dB at which uncoded fragments have a loss rate, to 1e-3 dB."""

    def above(snr: float) -> float:
        # The logarithm falls almost in a line with dB, which takes half as many solutions.
        return math.log(SystemDesign().losses(snr, doppler).loss_rate / rate)

    return round(float(brentq(above, 0.0, 60.0, xtol=1e-4)), 3)


def _rate(row: pd.Series) -> str:
    return f"$P_E$ = {row['loss_rate']:g}"


def _attempts(row: pd.Series) -> str:
    return f"$n_l$ = {row['attempts']}"


FIG3 = Part(fig3, claims.FIG3, _needs(_FIG3))
FIG4 = Part(fig4, claims.FIG4, _needs(_FIG4))
