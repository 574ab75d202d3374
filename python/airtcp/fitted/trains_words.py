"""Packet trains over the idle link beside the saturated link, as a table of words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.facts_tables import TextTable
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.fitted.light_load import LightLoad


@dataclass(frozen=True)
class TrainSummary:
    """Sizes and times of recorded trains; times in ms.

    - `trains`: their number; `fewest`, `most`: packets of one;
    - `least_delay`, `median_delay`: of the first packet of a train, one way;
    - `time_per_packet`: the mean time from a packet of a train to the next;
    - `saturated_time_per_packet`: the same of the saturated link, by its opportunities.
    """

    trains: int
    fewest: int
    most: int
    least_delay: float
    median_delay: float
    time_per_packet: float
    saturated_time_per_packet: float

    @classmethod
    def from_recordings(cls, light: LightLoad, millis: NDArray[np.int64]) -> TrainSummary:
        """Of trains, and of the opportunities of the saturated link (ms)."""
        arrivals = [train["opportunities"] for train in light.trains]
        sizes = [len(times) for times in arrivals]
        delays = 1e3 * np.array([float(base_units_of(train["delay"])) for train in light.trains])
        gaps = sum(sizes) - len(sizes)
        return cls(
            trains=len(sizes),
            fewest=min(sizes),
            most=max(sizes),
            least_delay=float(delays.min()),
            median_delay=float(np.median(delays)),
            time_per_packet=sum(times[-1] - times[0] for times in arrivals) / gaps,
            saturated_time_per_packet=float(millis[-1] - millis[0]) / (len(millis) - 1),
        )

    def json(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        return asdict(self)


def trains_table(summary: TrainSummary) -> TextTable:
    """A row for each number, with its unit."""
    sizes = {summary.fewest: None, summary.most: None}
    rows = (
        ("number", f"{summary.trains}"),
        ("packets in a train", " to ".join(map(str, sizes))),
        (
            "delay of the first packet, one way",
            f"least {summary.least_delay:.4g} ms, median {summary.median_delay:.4g} ms",
        ),
        ("time per packet in a train", f"{summary.time_per_packet:.3g} ms"),
        (
            "time per packet of the saturated link",
            f"{summary.saturated_time_per_packet:.3g} ms",
        ),
    )
    return TextTable("", ("trains over the idle link", "measured"), rows)
