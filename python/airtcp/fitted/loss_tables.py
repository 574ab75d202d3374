"""Models of losses, and TCP over them, as tables of words for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airtcp.measured.facts_tables import TextTable

if TYPE_CHECKING:
    from airtcp.fitted.goodput_comparison import GoodputComparison
    from airtcp.fitting.losses import LossFit

_VERDICT_WORDS = {
    "alike": "as over the record",
    "different": "otherwise",
    "undecided": "cannot be told",
    "too few losses": "too few losses to judge",
}


def loss_table(losses: LossFit, channel: str) -> TextTable:
    """A row for each model of losses; below, parameters of the chosen model and the reasons for it.

    `channel`: the label of the model in the scenario.
    """
    rows = []
    for model in losses.models:
        gain = f"{1000.0 * model.gain:.3g} ± {1000.0 * model.gain_se:.2g}" if model.clock else "-"
        mark = "*" if model.label == channel else ""
        rate = f"{model.chain.loss_rate:.3g}"
        rows.append(
            (model.name + mark, model.clock or "", rate, gain, _p_value_text(model.p_value))
        )
    heads = ("losses", "clock", "loss rate", "gain per\n1000 packets", "p of\nthe fit")
    below = (*_parameter_lines(losses, channel), f"{losses.why}.", _gain_explanation())
    return TextTable("", heads, tuple(rows), below, numeric_columns=3)


def _parameter_lines(losses: LossFit, channel: str) -> Iterator[str]:
    for parameter in losses.model_labelled(channel).parameters:
        span = (
            f", {parameter.low:.4g} to {parameter.high:.4g}"
            if parameter.low is not None and parameter.high is not None
            else f" ({parameter.remark})"
        )
        yield f"* {parameter.name} = {parameter.value:.4g}{span}"


def _gain_explanation() -> str:
    return (
        "Gain: log-likelihood of packets left out of the fit above that of independent losses,"
        " ± one standard error. A fit with p below 0.05 is rejected."
    )


def _p_value_text(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2g}"


def _half_width(comparison: GoodputComparison) -> float:
    """The longer side of the interval of a ratio."""
    return max(comparison.high - comparison.ratio, comparison.ratio - comparison.low)


def goodput_table(beside: Sequence[GoodputComparison]) -> TextTable:
    """A row for each TCP over the record and over a model."""
    rows = tuple(
        (
            comparison.tcp,
            comparison.model,
            f"{comparison.over_record.mean() / 1e6:.3g}",
            f"{comparison.over_model.mean() / 1e6:.3g}",
            f"{comparison.ratio:.3f} ± {_half_width(comparison):.2g}",
            _VERDICT_WORDS[comparison.verdict],
        )
        for comparison in beside
    )
    heads = ("TCP", "over", "record\nMbit/s", "model\nMbit/s", "ratio", "TCP does")
    said = (
        f"{len(beside[0].over_record)} runs or more of each, the record from a random start."
        " Within 10 % counts as alike."
    )
    return TextTable("", heads, rows, (said,))
