"""Tables of the figures: analysis over a grid, beside it simulation on the fit and the fading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from airtcp.papers.base import Agreement, Need, agreement, half_unit, printed
from airtcp.papers.chockalingam.study import Design, Point, Sizes, Study, analysed, simulated
from airtcp.papers.columns import HIGH, LOW, SD, SIMULATED

REFERENCE_WITHIN = 0.002  # of the scale of a figure, 0 to 1
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

    design: Design
    doppler: float

    def points(self, snrs: Iterable[float]) -> list[Point]:
        """The curve's points at these SNRs."""
        return [Point(self.design, snr, self.doppler) for snr in snrs]


def points(curves: Iterable[Curve], snrs: Iterable[float]) -> list[Point]:
    """All points of several curves."""
    every = tuple(snrs)
    return [point for curve in curves for point in curve.points(every)]


def over_snr(study: Study, curves: Iterable[Curve], *, chain: bool = True) -> pd.DataFrame:
    """One row per curve and SNR: `throughput` by the model on the fit, `fit_...` and `fading_...`.

    The latter two exist where they are simulated. `chain` False leaves out simulations on the fit.
    """
    every = points(curves, study.sizes.snrs)
    return pd.DataFrame([_row(study, point, chain) for point in every])


def _row(study: Study, point: Point, chain: bool) -> dict[str, object]:
    row = _head(point)
    if point.snr in study.sizes.simulated:
        if chain:
            row |= prefixed("fit", study.on_chain(point.design, point.losses.two_state))
        row |= on_fading(study, point)
    return row


def _head(point: Point) -> dict[str, object]:
    return point.design.columns | {
        "doppler": point.doppler,
        "snr": point.snr,
        **point.analysis,
    }


def on_fading(study: Study, point: Point) -> dict[str, float]:
    """A point simulated on the fading, with net throughput and bits on the air."""
    found, rate = study.on_fading(point), point.coded_rate
    return prefixed("fading", found) | {
        "fading_net_throughput": found[SIMULATED] * rate,
        "fading_bits": found["transmissions"] / rate,
    }


def prefixed(word: str, found: dict[str, float]) -> dict[str, float]:
    """Simulated columns by where: `fit`, `fit_sd`, `fit_low`, `fit_high`, `fit_replications`."""
    return {f"{word}{end}": found[name] for name, end in _SIMULATED.items()}


def compared(table: pd.DataFrame) -> Agreement:
    """Agreement of the model with simulation on the chain that it assumes."""
    seen = table.dropna(subset=["fit"])
    return agreement(seen["fit"], seen["fit_sd"], seen["fit_replications"], seen["throughput"])


def reference(figure: str, channel: str = "fit") -> pd.DataFrame:
    """Reference values of a figure [chockalingam reading, section 10].

    `rounded` is half a unit of their last digit.
    """
    table = printed("chockalingam_reference")
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


def over_snr_needs(curves: Iterable[Curve], *, chain: bool = True) -> Callable[[Sizes], list[Need]]:
    """The needs of `over_snr`."""
    every = tuple(curves)
    kinds = ("fading", "chain") if chain else ("fading",)

    def needs(sizes: Sizes) -> list[Need]:
        seen = [snr for snr in sizes.snrs if snr in sizes.simulated]
        return analysed(points(every, sizes.snrs)) + simulated(points(every, seen), *kinds)

    return needs


def select(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """The rows with these values, by SNR."""
    kept = np.ones(len(table), dtype=bool)
    for name, value in values.items():
        kept &= (table[name] == value).to_numpy()
    return table[kept].set_index("snr")
