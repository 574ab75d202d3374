"""The loss-corrected capacity in the renewal model, against the lossy runs of Figs. 3 and 4.

The paper leaves losses to future work; `models.kuusela.loss_corrected_capacity` is ours.
"""

from __future__ import annotations

import pandas as pd

from airtcp.papers.base import Judgement, Need, Part, Reproduction, judge_better, percent, statement
from airtcp.papers.columns import SIMULATED
from airtcp.papers.kuusela.drawing import RATE_UNIT, losses_figure
from airtcp.papers.kuusela.goodput import compare_models
from airtcp.papers.kuusela.study import (
    SPIKES,
    STABLE_INTERVAL,
    KuuselaSizes,
    KuuselaStudy,
    goodput_needs,
)


def make(study: KuuselaStudy) -> Reproduction:
    """The error of both models by loss rate, window, rate and length of spikes."""
    table = pd.concat(
        [compare_models(figure, study.lossy(figure)).assign(figure=figure) for figure in SPIKES],
        ignore_index=True,
    )
    table["plain_error"] = table["renewal"] / table[SIMULATED] - 1.0
    table = table[["figure", *(name for name in table.columns if name != "figure")]]
    table = table.drop(columns=["reference", "reference_gap"])
    return Reproduction(
        title="The renewal model with a loss-corrected capacity",
        text="Not in the paper, which leaves losses to future work: the renewal model as it is and"
        " with `airtcp.models.kuusela.loss_corrected_capacity` in place of the link's rate, against"
        f" the lossy runs of Figs. 3 and 4 from E(T) = {STABLE_INTERVAL:g} s. Markers are means"
        " over E(T) and both lengths of spikes, bars from the least to the most.",
        table=table,
        figure=study.draw_figure(
            lambda: losses_figure(table[table["mean_interval"] >= STABLE_INTERVAL])
        ),
        unit=RATE_UNIT,
    )


@statement(
    name="loss-corrected",
    text="Losses can be included in the model, by a capacity that allows for them.",
    where="4, future work",
    rule="it is nearer to the simulation than the renewal model as it is at every point, from"
    f" E(T) = {STABLE_INTERVAL:g} s (partly: at half of the points)",
)
def _judge_correction(table: pd.DataFrame) -> Judgement:
    stable_rows = table[table["mean_interval"] >= STABLE_INTERVAL]
    nearer = stable_rows["plain_error"].abs() - stable_rows["corrected_error"].abs()
    by_loss = stable_rows.groupby("loss_rate")
    words = {
        loss: f"{percent(group['corrected_error'].min())} to"
        f" {percent(group['corrected_error'].max())}"
        f" (uncorrected {percent(group['plain_error'].min())} to"
        f" {percent(group['plain_error'].max())})"
        for loss, group in by_loss
    }
    errors = by_loss["corrected_error"].agg(["min", "max"])
    return Judgement(
        verdict=judge_better(nearer),
        finding="; ".join(f"{100.0 * loss:g} % loss: {text}" for loss, text in words.items()) + ".",
        numbers={f"least at {loss:g}": float(errors["min"][loss]) for loss in errors.index}
        | {f"most at {loss:g}": float(errors["max"][loss]) for loss in errors.index},
    )


def _needs(_: KuuselaSizes) -> list[Need]:
    return [need for figure in SPIKES for need in goodput_needs(figure, "with losses")]


PART = Part(make, (_judge_correction,), _needs)
