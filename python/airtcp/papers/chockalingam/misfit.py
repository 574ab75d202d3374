"""Our own figure: effects of the fading that the two-state fit hides."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

import airtcp
from airtcp.models import fading
from airtcp.papers.base import (
    Judgement,
    Need,
    Part,
    Reproduction,
    judge_alike,
    judge_share,
    statement,
)
from airtcp.papers.chockalingam.curves import reference, simulate_on_fading, with_prefix
from airtcp.papers.chockalingam.judging import gain_in_words
from airtcp.papers.chockalingam.own_drawing import misfit_figure
from airtcp.papers.chockalingam.study import (
    DOPPLERS,
    RATE,
    ChockalingamSizes,
    ChockalingamStudy,
    FadingPoint,
    SystemDesign,
    analysis_needs,
    simulation_needs,
)

ATTEMPTS = (1, 8, 16, 128)
SNR = 10.0  # dB
_STATES = 3  # loss states and delivery states of the better chain
_LENGTHS = np.unique(np.geomspace(1.0, 30_000.0, 60).astype(int))
_STANDARD_ERRORS = 3.0
_ROUNDING_NOTE = 0.0005  # of reference values


def points() -> list[FadingPoint]:
    """The table "Tahoe at 10 dB"."""
    return [
        FadingPoint(SystemDesign(attempts=n), SNR, doppler)
        for doppler in DOPPLERS
        for n in ATTEMPTS
    ]


def make(study: ChockalingamStudy) -> Reproduction:
    """Show run lengths, and their effect on TCP."""
    table = throughputs(study)
    fitted = (
        study.compute_once(("runs", doppler), partial(_runs, study, doppler))
        for doppler in DOPPLERS
    )
    runs, texts = zip(*fitted, strict=True)
    return Reproduction(
        title="What the two-state fit hides",
        text="Tahoe at 10 dB, fragments of 32 bytes, uncoded. 1/r is the mean run of losses of any"
        " process. In slow fading it is set by isolated losses while the SNR crosses the transition"
        " region; the chain with the same mean replaces rare long fades by frequent short bursts. "
        + " ".join(texts),
        table=table,
        figure=study.draw_figure(lambda: misfit_figure(pd.concat(runs, ignore_index=True), table)),
    )


def throughputs(study: ChockalingamStudy) -> pd.DataFrame:
    """Throughput by Doppler shift and n_l, on the fit and on the fading."""
    rows = []
    for point in points():
        row = point.design.columns | {"doppler": point.doppler, "snr": point.snr, **point.analysis}
        row |= with_prefix("fit", study.on_chain(point.design, point.losses.two_state))
        rows.append(row | simulate_on_fading(study, point))
    known = reference("misfit", "fading").rename(columns={"throughput": "reference"})
    table = pd.DataFrame(rows).merge(
        known[["attempts", "doppler", "reference"]], on=["attempts", "doppler"], how="left"
    )
    table["standard_error"] = table["fading_sd"] / np.sqrt(table["fading_replications"])
    return table


def _runs(study: ChockalingamStudy, doppler: float) -> tuple[pd.DataFrame, str]:
    """Shares of lost slots by run, for the fading and two chains; and a text about them."""
    point = FadingPoint(SystemDesign(), SNR, doppler)
    packets = round(2.0 * study.sizes.seconds[doppler] / point.losses.airtime)
    fates = airtcp.fates(point.fading, packets, rate=RATE, packet="32B", seed=study.seed)
    better = fading.fit(fates, loss_states=_STATES, delivery_states=_STATES)
    two_state = fading.fit(fates)
    study.advance("fit chains")
    known = better.losses.table
    share = np.append(known["data_slots"], 0.0)[np.searchsorted(known["length"], _LENGTHS)]
    runs = pd.DataFrame(
        {
            "doppler": doppler,
            "length": _LENGTHS,
            "fading": share,
            "two_state": two_state.chain.loss_runs.slots_at_least(_LENGTHS),
            "six_state": better.chain.loss_runs.slots_at_least(_LENGTHS),
        }
    )
    loss_runs, model = two_state.losses.data, two_state.losses.model
    text = (
        f"At {doppler:g} Hz a lost slot sits in a run of {loss_runs.length_biased:.0f} on average"
        f" (fit: {model.length_biased:.0f}), the mean run being {loss_runs.mean:.1f} and the median"
        f" {loss_runs.median}."
    )
    return runs, text


@statement(
    name="misfit-reference",
    text="Throughput on the fading, as an independent simulation has it"
    " (docs/papers/chockalingam.md, section 11).",
    where="our own",
    rule=f"all 12 values within {_STANDARD_ERRORS:g} standard errors of ours and the rounding"
    f" of theirs (partly: within {2 * _STANDARD_ERRORS:g})",
)
def _judge_reference(table: pd.DataFrame) -> Judgement:
    off = (table["fading"] - table["reference"]).abs()
    z = (off - _ROUNDING_NOTE).clip(lower=0.0) / table["standard_error"]
    worst = table.loc[z.idxmax()]
    return Judgement(
        verdict=judge_alike(z, _STANDARD_ERRORS, 2 * _STANDARD_ERRORS),
        finding=f"The farthest is {z.max():.1f} standard errors off: {worst['fading']:.4f} against"
        f" {worst['reference']:g} ({worst['doppler']:g} Hz, n_l = {worst['attempts']:.0f}).",
        numbers={"farthest, standard errors": float(z.max())},
    )


@statement(
    name="fit-reasonable",
    text="A two-state Markov chain is a reasonable model of the packet errors.",
    where="III-A",
    rule="throughput of Tahoe at 10 dB on the fading is within 10 % of that on the fit, n_l ="
    " 1, 8, 16, 128 and all Doppler shifts (partly: for half of them)",
)
def _judge_reasonable(table: pd.DataFrame) -> Judgement:
    ratio = table["fading"] / table["throughput"]
    gaps = {doppler: ratio[table["doppler"] == doppler] - 1.0 for doppler in DOPPLERS}
    near = (ratio - 1.0).abs() <= 0.1
    listed = "; ".join(
        f"{doppler:g} Hz: {_span(table['attempts'], gap)}" for doppler, gap in gaps.items()
    )
    return Judgement(
        verdict=judge_share(near),
        finding=f"Fading against fit, {listed}.",
        numbers={f"{doppler:g} Hz, most": float(gap.max()) for doppler, gap in gaps.items()}
        | {f"{doppler:g} Hz, least": float(gap.min()) for doppler, gap in gaps.items()},
    )


def _span(attempts: pd.Series, gaps: pd.Series) -> str:
    low, high = (attempts[where] for where in (gaps.idxmin(), gaps.idxmax()))
    return (
        f"{gain_in_words(gaps.min())} (n_l = {low}) to {gain_in_words(gaps.max())} (n_l = {high})"
    )


def _needs(_: ChockalingamSizes) -> list[Need]:
    fits = [Need(("fit chains", doppler)) for doppler in DOPPLERS]
    return analysis_needs(points()) + simulation_needs(points(), "fading", "chain") + fits


PART = Part(make, (_judge_reference, _judge_reasonable), _needs)
