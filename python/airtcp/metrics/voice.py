"""Quality of a call: the E-model of ITU-T G.107, as Cole and Rosenbluth reduce it.

R. G. Cole, J. H. Rosenbluth: Voice over IP performance monitoring. ACM SIGCOMM Computer
Communication Review 31(2), 2001. For G.711 with concealment of random losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp.support.units import parse_quantity

Floats = NDArray[np.float64]

PACKET_TIME = 0.020  # s of speech in a packet, which its first sample waits for
SPEECH_BYTES = 160  # bytes of G.711 in a packet
MOST_HEADERS = 100  # bytes


def is_call(source: Mapping[str, Any]) -> bool:
    """True if an entry of `traffic` may be a call of G.711: 160 bytes and headers every 20 ms."""
    rate, packet = (parse_quantity(source.get(key)) for key in ("rate", "packet"))
    if rate is None or packet is None or not packet.number:
        return False
    length = float(packet.number)
    per_second = float(rate.number) / (8.0 * length)
    return (
        abs(per_second * PACKET_TIME - 1.0) < 1e-6
        and SPEECH_BYTES <= length <= SPEECH_BYTES + MOST_HEADERS
    )


def e_model_rating(delay: ArrayLike, loss: ArrayLike) -> Any:
    """The rating R of the E-model: 94.2 at best, from 70 on most users are satisfied.

    Parameters
    ----------
    delay
        From mouth to ear, in seconds.
    loss
        Share of the packets that are not played out, from 0 to 1.

    Returns
    -------
    R, a number or an array: 94.2 less the impairment by delay, 0.024 per ms and 0.11 more per ms
    beyond 177.3 ms, and by loss, 30 ln(1 + 15 e) for G.711; not below 0 [Cole and Rosenbluth,
    sections 3 and 4].

    Examples
    --------
    >>> round(e_model_rating(0.1, 0.0), 1)
    91.8
    """
    ms = np.asarray(delay, dtype=float) * 1e3
    by_delay = 0.024 * ms + 0.11 * np.maximum(ms - 177.3, 0.0)
    by_loss = 30.0 * np.log1p(15.0 * np.asarray(loss, dtype=float))
    return np.maximum(94.2 - by_delay - by_loss, 0.0)[()]


def mean_opinion_score(rating: ArrayLike) -> Any:
    """The mean opinion score, 1 to 4.5, that goes with a rating R [G.107, Annex B].

    Examples
    --------
    >>> round(mean_opinion_score(93.2), 2)
    4.41
    """
    r = np.clip(np.asarray(rating, dtype=float), 0.0, 100.0)
    return np.maximum(1.0 + 0.035 * r + 7e-6 * r * (r - 60.0) * (100.0 - r), 1.0)[()]


def rating_of_counts(
    delay_p99: ArrayLike, due: ArrayLike, arrivals: ArrayLike, late: ArrayLike
) -> Any:
    """The rating of a call whose player waits for 99 % of the packets that arrive.

    The delay is the 99 % quantile plus the time of a packet. Of the packets that are `due`, the
    `late` ones beyond it are lost with those that do not arrive. NaN where none is due or none
    arrived.
    """
    due, arrivals = np.asarray(due, dtype=float), np.asarray(arrivals, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        played = np.minimum((arrivals - np.asarray(late, dtype=float)) / due, 1.0)
    return e_model_rating(np.asarray(delay_p99, dtype=float) + PACKET_TIME, 1.0 - played)
