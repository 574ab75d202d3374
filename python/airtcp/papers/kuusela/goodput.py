"""Figs. 3 and 4: goodput over the mean interval between spikes, models and simulation."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from airtcp.models.kuusela import loss_corrected_capacity, p_model, renewal
from airtcp.papers.base import Need, Part, Reproduction
from airtcp.papers.columns import SIMULATED
from airtcp.papers.kuusela import claims, episodes
from airtcp.papers.kuusela.drawing import RATE_UNIT, goodput_figure
from airtcp.papers.kuusela.study import (
    LEAST_INTERVAL,
    PACKET_BITS,
    SPIKES,
    KuuselaStudy,
    LinkParameters,
    goodput_needs,
    reference,
    summary,
)

_KEY_COLUMNS = ["rate", "loss_rate", "window", "mean_interval"]
_COMMON_TEXT = (
    " Intervals from start to start are uniform from 10 s to 2 E(T) - 10 s; 576-byte packets,"
    " 100 ms one way, SACK with a window of 6, 20 or 10000 packets and a queue of 50, as ns of that"
    " time had it. Below E(T) = 40 s a window of 20 at 40 kbit/s has two regimes, in which the"
    " timer has adapted or not; no verdict counts there. The table has reference values beside"
    " ours (docs/papers/kuusela.md, section 10)."
)


def fig3(study: KuuselaStudy) -> Reproduction:
    """Spikes of 5 to 10 s."""
    table = measured_points(study, "fig3")
    return Reproduction(
        title="Fig. 3: goodput with long delay spikes",
        text="A spike holds all packets for 5 to 10 s." + _COMMON_TEXT,
        table=table,
        figure=study.draw_figure(lambda: goodput_figure(table, model_curves("fig3", table))),
        unit=RATE_UNIT,
    )


def fig4(study: KuuselaStudy) -> Reproduction:
    """Spikes of 1 to 5 s."""
    table = measured_points(study, "fig4")
    return Reproduction(
        title="Fig. 4: goodput with short delay spikes",
        text="A spike holds all packets for 1 to 5 s." + _COMMON_TEXT,
        table=table,
        figure=study.draw_figure(lambda: goodput_figure(table, model_curves("fig4", table))),
        unit=RATE_UNIT,
    )


def measured_points(study: KuuselaStudy, figure: str) -> pd.DataFrame:
    """Every point of a figure with its models and reference values; goodput in bit/s."""
    return compare_models(figure, study.goodput(figure))


def compare_models(figure: str, runs: pd.DataFrame) -> pd.DataFrame:
    """Simulated points beside the models; `gap` is simulation over the renewal model, less 1.

    `corrected` is the renewal model with the loss-corrected capacity.
    """
    table = summary(runs, _KEY_COLUMNS)
    models = [
        model_values(figure, *point)
        for point in zip(*(table[k] for k in _KEY_COLUMNS), strict=True)
    ]
    table[["renewal", "p_model", "corrected"]] = np.array(models)
    table["gap"] = table[SIMULATED] / table["renewal"] - 1.0
    table["corrected_error"] = table["corrected"] / table[SIMULATED] - 1.0
    table["resent_per_spike"] = table["resent"] / table["spikes"]
    return _with_reference(figure, table)


def model_curves(figure: str, table: pd.DataFrame) -> pd.DataFrame:
    """The models between the simulated points, for lines; goodput in bit/s."""
    means = np.linspace(table["mean_interval"].min(), table["mean_interval"].max(), 60)
    rows = [
        (rate, mean, *model_values(figure, rate, 0.0, math.inf, float(mean))[:2])
        for rate in np.unique(table["rate"])
        for mean in means
    ]
    return pd.DataFrame(rows, columns=["rate", "mean_interval", "renewal", "p_model"])


@cache  # resampled studies ask for the same points
def model_values(
    figure: str, rate: float, loss: float, window: float, mean: float
) -> tuple[float, float, float]:
    """Renewal model, P-model and loss-corrected renewal model at a point, bit/s."""
    link, spike = LinkParameters.of(rate), sum(SPIKES[figure]) / 2.0
    distribution = stats.uniform(LEAST_INTERVAL, 2.0 * (mean - LEAST_INTERVAL))
    least = loss_corrected_capacity(link.capacity, loss_rate=loss, rtt=link.rtt, window=window)
    rates_found = (
        renewal(distribution, spike=spike, rtt=link.rtt, capacity=link.capacity),
        p_model(mean_interval=mean, spike=spike, rtt=link.rtt, capacity=link.capacity),
        renewal(distribution, spike=spike, rtt=link.rtt, capacity=least),
    )
    random, simple, corrected = (rate_found * PACKET_BITS for rate_found in rates_found)
    return random, simple, corrected


def _with_reference(figure: str, table: pd.DataFrame) -> pd.DataFrame:
    known = {
        (row.rate, row.mean_interval, row.series): float(row.goodput)
        for row in reference(figure).itertuples()
    }
    points = zip(table["rate"], table["mean_interval"], table["window"], strict=True)
    values = [
        known.get((rate, mean, f"window {window}"), math.nan) for rate, mean, window in points
    ]
    table["reference"] = np.where(table["loss_rate"] == 0.0, values, math.nan)
    table["reference_gap"] = table[SIMULATED] / table["reference"] - 1.0
    return table


def _needs(figure: str) -> list[Need]:
    return goodput_needs(figure, "without loss", "with losses")


FIG3 = Part(fig3, (*claims.LONG_SPIKES, episodes.judge_go_back_n), lambda _: _needs("fig3"))
FIG4 = Part(fig4, claims.SHORT_SPIKES, lambda _: _needs("fig4"))
