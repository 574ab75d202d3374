"""A link from rows of losses and delays at equal steps: epochs, or mean loss and least delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airtcp.errors import InputError, known_name
from airtcp.fitted.counts import fit_counts
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop
from airtcp.fitting.epochs import FEWEST_EPOCHS, MODEL_NAME, EpochModel, fit_epochs
from airtcp.fitting.epochs_data import LossDelayRows
from airtcp.measured.measurement import Measurement
from airtcp.support.progress import Report

INDEPENDENT_MODEL = "independent"
ROUND_TRIP_REMARK = (
    "a round trip does not show on which way a packet was lost or delayed: losses and changing"
    " delays stand on the way forward, half of the least delay on each"
)


def fit_rows(
    chosen: Sequence[Measurement], rows: LossDelayRows, options: FitOptions, report: Report
) -> FittedParts:
    """A fit of epochs, or of counts if losses and delays do not change together at equal times.

    Raises `InputError` for a replay, for an unknown model, and for epochs that are not there.
    """
    if options.replay:
        raise InputError(f"replay: {chosen[0].source} has no single packets to replay")
    if options.model is not None:
        known_name("model", options.model, (MODEL_NAME, INDEPENDENT_MODEL))
    if options.model == INDEPENDENT_MODEL:
        return fit_counts(chosen[0], replace(options, model=None))
    hop = base_hop(chosen[0], options)
    model = fit_epochs(rows, seed=options.seed, report=report)
    if model is None:
        said = (
            "losses and delays do not change together at equal times, as far as"
            f" {len(rows.place)} rows show (epochs need {FEWEST_EPOCHS} of them)"
        )
        if options.model == MODEL_NAME:
            raise InputError(f"model: {chosen[0].source}: {said}")
        found = fit_counts(chosen[0], options)
        return replace(found, remarks=(*found.remarks, said))
    return FittedParts(
        _with_epochs(hop, model), MODEL_NAME, remarks=tuple(_remarks(model)), epochs=model
    )


def _with_epochs(hop: FittedHop, model: EpochModel) -> FittedHop:
    least = model.least_delay() / 2e6
    said = "half of what is below the delay of every epoch"
    hop = hop.with_key("delay", f"{least:.4g}ms", said)
    said = (
        f"delay and loss rate change together every {model.epoch_seconds:g} s (at"
        f" {model.phase_seconds:g} s of"
        " these on the clock of the record); a run begins at any moment of an epoch, with levels of"
        " its own"
    )
    return hop.with_key("channel", model.channel(), said)


def _remarks(model: EpochModel) -> list[str]:
    found = [ROUND_TRIP_REMARK]
    step, averages = model.rows.step, model.averages
    if averages.delay > 1:
        found.append(
            f"delays of the record are means over {averages.delay * step:g} s, by the correlation"
            " of their differences; the scenario has the delays of which they are means"
        )
    if averages.loss > 1:
        found.append(
            f"a lost probe stands in {averages.loss} rows, by the lengths of runs of rows with"
            " losses: counted once"
        )
    found.append(
        "probes show no losses in bursts shorter than their distance: within an epoch they are"
        " independent in this scenario"
    )
    if model.is_rejected:
        found.append(
            f"a goodness-of-fit test rejects the epochs (p = {model.p_value:.2g}); the table shows"
            " which figures of the record lie outside"
        )
    return found
