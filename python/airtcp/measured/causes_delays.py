"""Delay of the queue that a packet met, estimated from packets around it, and bins of delays.

Queues drop by what waits now, or by an average of it, as RED does [floyd1993].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.causes_gaps import Arrivals
from airtcp.measured.measurement import Packets

_NEAR = 4  # measured packets before and behind one, by which its delay is guessed
_LEAST_NEAR = 2
_AVERAGED = 250.0  # packets, half of those over which RED averages
_BINS = 24  # of delays, of equal numbers and of equal widths
_MOST_BINS = 100
_EMPTY = 3.0  # packets, or noises, of delay up to which a queue may be empty

Floats = NDArray[np.float64]


class Span(NamedTuple):
    """Range of the delays of a capture, ns.

    - `least`: least of all; `base`, `top`: least and largest without outliers; `noise`: their
      noise.
    """

    least: float
    base: float
    top: float
    noise: float


class Edges(NamedTuple):
    """Upper edges of bins of delay.

    - `short`: number of bins, from the first one on, in which the queue may be empty;
    - `is_empty_first`: True if it is empty in the first one.
    """

    upper: Floats
    short: int
    is_empty_first: bool


def delay_averaged(
    packets: Packets,
    measured: NDArray[Any],
    which: NDArray[Any],
    span: Span,
    arrivals: Arrivals,
) -> Floats:
    """The mean delay of the packets before some: queues as RED drop by an average [floyd1993].

    It goes over the time in which the bottleneck sends `_AVERAGED` packets.
    """
    size = float(arrivals.size.max())
    packet = span.noise if np.isnan(arrivals.per_byte) else arrivals.per_byte * size
    time = packets.time[measured]
    total = np.concatenate([[0.0], np.cumsum(packets.delay[measured].astype(np.float64))])
    last = np.searchsorted(measured, which, side="left")
    first = np.searchsorted(time, packets.time[which] - _AVERAGED * packet)
    first = np.minimum(first, np.maximum(last - _LEAST_NEAR, 0))
    number = last - first
    mean = (total[last] - total[first]) / np.maximum(number, 1)
    return np.where(number >= _LEAST_NEAR, mean, np.nan)


def delay_around(
    packets: Packets,
    measured: NDArray[Any],
    which: NDArray[Any],
    span: Span,
    arrivals: Arrivals,
) -> Floats:
    """The delay of some packets, from packets sent around them; NaN if none is near.

    Near is within the time in which a full queue runs empty, and within a round trip. Their own
    delays do not count, so that packets that were lost are like those that arrived. A low quartile
    leaves out ACKs that waited.
    """
    within = min(span.base, span.top - span.base)
    before = np.searchsorted(measured, which, side="left")
    behind = np.searchsorted(measured, which, side="right")
    steps = np.arange(_NEAR)
    places = np.concatenate([before[:, None] - 1 - steps, behind[:, None] + steps], axis=1)
    inside = np.clip(places, 0, len(measured) - 1)
    apart = np.abs(packets.time[measured][inside] - packets.time[which][:, None])
    known = (places == inside) & (apart <= within)
    delays = np.where(known, packets.delay[measured][inside], np.inf)
    number = known.sum(axis=1)
    quartile = np.sort(delays, axis=1)[np.arange(len(which)), number // 4]
    return np.where(number >= _LEAST_NEAR, quartile, np.nan)


def edges_of(delay: Floats, span: Span, arrivals: Arrivals) -> Edges:
    """Edges of bins of delay: quantiles, and even steps, none closer than the noise."""
    packet = 0.0 if np.isnan(arrivals.per_byte) else arrivals.per_byte * arrivals.size.max()
    parts = np.linspace(0.0, 1.0, _BINS + 1)[1:]
    width_of_all = span.top - span.base
    wanted = np.unique(
        np.concatenate([np.quantile(delay, parts), span.base + parts * width_of_all])
    )
    width = max(span.noise, width_of_all / _MOST_BINS) * (1.0 - 1e-9)
    edges = [span.base]
    for edge in wanted:
        if edge - edges[-1] >= width:
            edges.append(float(edge))
    upper = np.array(edges[1:] or [span.top])
    limit = span.least + _EMPTY * max(span.noise, packet)
    lower = np.concatenate([[-np.inf], upper])
    return Edges(upper, int((lower < limit).sum()), bool(upper[0] < limit))


def bins_of(delay: Floats, edges: Floats) -> NDArray[np.int64]:
    """The bin of each delay, -1 for an unknown delay."""
    place = np.searchsorted(edges, np.nan_to_num(delay))
    return np.where(np.isfinite(delay), place, -1).astype(np.int64)
