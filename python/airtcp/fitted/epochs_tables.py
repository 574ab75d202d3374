"""A fitted link with epochs as text tables for the terminal and for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.measured.facts_tables import TextTable

if TYPE_CHECKING:
    from airtcp.fitting.epochs import EpochModel
    from airtcp.fitting.estimates import Estimate


def epoch_tables(model: EpochModel) -> tuple[TextTable, TextTable]:
    """Parameters with intervals, and figures of the record beside those of the model."""
    rows = tuple((estimate.name, *_value_and_interval(estimate)) for estimate in model.estimates)
    below = (
        f"Delay and loss rate change every {model.epoch_seconds:g} s: rows differ by their place in"
        " such an"
        f" epoch (p = {model.period.p_value:.2g}).",
    )
    parameters = TextTable(
        "", ("epochs", "estimate", "95 % interval"), rows, below, numeric_columns=2
    )
    compared = tuple(
        (
            comparison.name,
            f"{comparison.record:.3g}",
            f"{comparison.model:.3g}",
            f"{comparison.low:.3g} to {comparison.high:.3g}",
        )
        for comparison in model.comparisons
    )
    hours = model.compare_hours(model.rows, draws=20)
    verdict = "rejects" if model.is_rejected else "does not reject"
    told = [
        f"Intervals hold 95 % of records like this one from the model. A goodness-of-fit test"
        f" {verdict} it (p = {model.p_value:.2g}; rejected below {TEST_LEVEL:g})."
    ]
    if hours:
        rates = [hour.record for hour in hours]
        told.append(
            f"Hours differ: {len(hours)} have drop rates of {min(rates):.3g} to {max(rates):.3g};"
            f" 95 % of single hours are expected within {hours[0].low:.3g} to {hours[0].high:.3g}."
        )
    figures = TextTable(
        "", ("", "record", "model", "95 %"), compared, tuple(told), numeric_columns=3
    )
    return parameters, figures


def _value_and_interval(estimate: Estimate) -> tuple[str, str]:
    scale, unit = (1e3, " ms") if estimate.unit == "s" else (1.0, "")
    value = f"{estimate.value * scale:.3g}{unit}"
    if estimate.low is None or estimate.high is None:
        return value, estimate.remark
    return value, f"{estimate.low * scale:.3g} to {estimate.high * scale:.3g}"
