"""Tables of the figures: analysis over a grid, beside it simulation on the fit and the fading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from airtcp.papers.base import Agreement, Need, agreement_with_truth, half_unit, printed_table
from airtcp.papers.chockalingam.study import (
    ChockalingamSizes,
    ChockalingamStudy,
    FadingPoint,
    SystemDesign,
    analysis_needs,
    simulation_needs,
)
from airtcp.papers.columns import HIGH, LOW, SD, SIMULATED

REFERENCE_TOLERANCE = 0.002  # of the scale of a figure, 0 to 1
_SIMULATED = {
    SIMULATED: "",
    SD: "_sd",
    LOW: "_low",
    HIGH: "_high",
    "replications": "_replications",
}
_DESIGN = ["variant", "code", "ll_bytes", "packet_bytes", "attempts"]


@dataclass(frozen=True)
class Curve:
    """A design over the SNR, at one Doppler shift."""

    design: SystemDesign
    doppler: float

    def points(self, snrs: Iterable[float]) -> list[FadingPoint]:
        """The curve's points at these SNRs."""
        return [FadingPoint(self.design, snr, self.doppler) for snr in snrs]


def points(curves: Iterable[Curve], snrs: Iterable[float]) -> list[FadingPoint]:
    """All points of several curves."""
    every = tuple(snrs)
    return [point for curve in curves for point in curve.points(every)]


def table_over_snr(
    study: ChockalingamStudy, curves: Iterable[Curve], *, chain: bool = True
) -> pd.DataFrame:
    """One row per curve and SNR: `throughput` by the model on the fit, `fit_...` and `fading_...`.

    The latter two exist where they are simulated. `chain` False leaves out simulations on the fit.
    """
    all_points = points(curves, study.sizes.snrs)
    return pd.DataFrame([_row(study, point, chain) for point in all_points])


def _row(study: ChockalingamStudy, point: FadingPoint, chain: bool) -> dict[str, object]:
    row = _head(point)
    if point.snr in study.sizes.simulated_snrs:
        if chain:
            row |= with_prefix("fit", study.on_chain(point.design, point.losses.two_state))
        row |= simulate_on_fading(study, point)
    return row


def _head(point: FadingPoint) -> dict[str, object]:
    return point.design.columns | {
        "doppler": point.doppler,
        "snr": point.snr,
        **point.analysis,
    }


def simulate_on_fading(study: ChockalingamStudy, point: FadingPoint) -> dict[str, float]:
    """A point simulated on the fading, with net throughput and bits on the air."""
    result, rate = study.on_fading(point), point.coded_rate
    return with_prefix("fading", result) | {
        "fading_net_throughput": result[SIMULATED] * rate,
        "fading_bits": result["transmissions"] / rate,
    }


def with_prefix(word: str, columns: dict[str, float]) -> dict[str, float]:
    """Simulated columns by where: `fit`, `fit_sd`, `fit_low`, `fit_high`, `fit_replications`."""
    return {f"{word}{end}": columns[name] for name, end in _SIMULATED.items()}


def chain_agreement(table: pd.DataFrame) -> Agreement:
    """Agreement of the model with simulation on the chain that it assumes."""
    simulated_rows = table.dropna(subset=["fit"])
    return agreement_with_truth(
        simulated_rows["fit"],
        simulated_rows["fit_sd"],
        simulated_rows["fit_replications"],
        simulated_rows["throughput"],
    )


def reference(figure: str, channel: str = "fit") -> pd.DataFrame:
    """Reference values of a figure [chockalingam reading, section 10].

    `rounded` is half a unit of their last digit.
    """
    table = printed_table("chockalingam_reference")
    table = table[(table["figure"] == figure) & (table["channel"] == channel)]
    numbers = [name for name in table if name not in ("figure", "channel", "variant", "code")]
    table = table.assign(rounded=half_unit(table["throughput"]))
    return table.astype(dict.fromkeys(numbers, float)).drop(columns=["figure", "channel"])


def with_reference(table: pd.DataFrame, figure: str, channel: str = "fit") -> pd.DataFrame:
    """The rows of a table that have a reference value, with `reference` and `rounded`."""
    known = reference(figure, channel).rename(columns={"throughput": "reference"})
    over = ["doppler", "snr"] if known["snr"].notna().any() else ["loss_rate", "mean_burst"]
    keys = [*_DESIGN, *over]
    return table.merge(known[[*keys, "reference", "rounded"]], on=keys)


def needs_over_snr(
    curves: Iterable[Curve], *, chain: bool = True
) -> Callable[[ChockalingamSizes], list[Need]]:
    """The needs of `table_over_snr`."""
    every = tuple(curves)
    kinds = ("fading", "chain") if chain else ("fading",)

    def needs(sizes: ChockalingamSizes) -> list[Need]:
        simulated_snrs = [snr for snr in sizes.snrs if snr in sizes.simulated_snrs]
        return analysis_needs(points(every, sizes.snrs)) + simulation_needs(
            points(every, simulated_snrs), *kinds
        )

    return needs


def select_rows(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """The rows with these values, by SNR."""
    is_selected = np.ones(len(table), dtype=bool)
    for name, value in values.items():
        is_selected &= (table[name] == value).to_numpy()
    return table[is_selected].set_index("snr")
