"""The fate of given arrivals at a queue, packet by packet, without any TCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp import _native
from airtcp.errors import InputError, refusal
from airtcp.links.samples import seed_and_replication
from airtcp.scenario.scenario import Scenario

_LATEST_NS = 2**62  # ns, 146 years
_MOST_PACKET_BYTES = 2**28  # bytes
_MOST_FLOWS = 2**31
_CODEPOINTS = {"not-ect": 0, "ect1": 1, "ect0": 2, "ce": 3}  # RFC 3168, section 5


class QueueOutcomes(NamedTuple):
    """The fates of packets, in the order in which they came.

    Attributes
    ----------
    dropped : numpy.ndarray of bool
        True for a packet that the queue dropped.
    marked : numpy.ndarray of bool
        True for a packet that left with a mark (ECN).
    departures : numpy.ndarray of int64
        Time at which the last bit left the transmitter, in ns; -1 for a packet that was dropped.
    """

    dropped: NDArray[np.bool_]
    marked: NDArray[np.bool_]
    departures: NDArray[np.int64]


def play_queue(
    queue: Mapping[str, Any] | int | str | Any,
    times: ArrayLike,
    sizes: ArrayLike,
    *,
    rate: str,
    flows: ArrayLike = 0,
    ecn: ArrayLike = False,
    seed: int = 1,
    replication: int = 0,
) -> QueueOutcomes:
    """Play arrivals through a queue in front of a transmitter.

    Parameters
    ----------
    queue : dict, int, str or dataclass
        The key `queue` of a hop, such as ``{"kind": "codel", "target": "5ms"}``, also as a class of
        `airtcp.spec`; or the limit of a drop-tail queue, such as 50 or "64kB".
    times : array_like of int
        Times of arrival in ns, which never fall.
    sizes : array_like of int
        Lengths of the packets in bytes.
    rate : str
        Rate of the transmitter with its unit, such as "10Mbps".
    flows : array_like of int, default 0
        Number of each packet's flow, from 0, for queues that treat flows separately.
    ecn : array_like of bool or str, default False
        True for packets that take marks, as ECT(0), or the name of the codepoint: "not-ect",
        "ect0", "ect1", "ce". One value stands for all packets.
    seed : int, default 1
        Seed of the queue's random stream ``hop0/down/queue``, 0 to 2^64 - 1. The first hop of a
        simulation with this seed draws the same numbers.
    replication : int, default 0
        Number of the replication, 0 to 2^64 - 1.

    Returns
    -------
    QueueOutcomes
        The fate of each packet.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.

    Examples
    --------
    Two packets of 1250 bytes come at once, at 10 Mbit/s:

    >>> import airtcp as at
    >>> at.play_queue(50, [0, 0], [1250, 1250], rate="10Mbps").departures
    array([1000000, 2000000])
    """
    came = _check_integers("times", times, 0, _LATEST_NS)
    if came.ndim != 1 or np.any(np.diff(came) < 0):
        raise InputError("times: must be one list of times that never decrease")
    columns = (
        came,
        _one_per_packet(came, _check_integers("sizes", sizes, 1, _MOST_PACKET_BYTES), "sizes"),
        _one_per_packet(came, _check_integers("flows", flows, 0, _MOST_FLOWS), "flows"),
        _one_per_packet(came, _codepoints(ecn), "ecn"),
    )
    path = seed_and_replication(seed, replication)
    arrivals = list(zip(*(column.tolist() for column in columns), strict=True))
    try:
        found = _native.queue_outcomes(_point(queue, rate), arrivals, *path)
    except _native.ScenarioError as refused:
        raise InputError(": ".join(refused.args)) from None
    departures = np.array([left for _, left in found], dtype=np.int64)
    marked = np.array([mark for mark, _ in found], dtype=np.bool_)
    return QueueOutcomes(departures < 0, marked, departures)


def _point(queue: Any, rate: str) -> _native.Point:
    """The queue in a scenario of one hop without delay."""
    hop = {"rate": rate, "delay": "0s", "queue": queue}
    document = {"profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [hop]}}
    points = Scenario.from_dict(document).points()
    if len(points) != 1:
        raise refusal("queue", queue, "one queue without axes")
    return points[0].compiled


def _check_integers(name: str, values: ArrayLike, least: int, most: int) -> NDArray[np.int64]:
    found = np.asarray(values)
    whole = found.dtype.kind in "iu" or found.size == 0
    if not whole or np.any((found < least) | (found > most)):
        raise InputError(f"{name}: must be whole numbers from {least} to {most}")
    return found.astype(np.int64)


def _codepoints(values: ArrayLike) -> NDArray[np.int64]:
    """The two ECN bits of each packet, from names or truth values."""
    found = np.asarray(values)
    if found.dtype.kind == "b" or not found.size:
        return found.astype(np.int64) * _CODEPOINTS["ect0"]
    if found.dtype.kind != "U" or not np.isin(found, list(_CODEPOINTS)).all():
        names = ", ".join(_CODEPOINTS)
        raise InputError(f"ecn: must be True, False or one of {names}, for all packets or for each")
    codes = [_CODEPOINTS[name] for name in found.ravel().tolist()]
    return np.array(codes, dtype=np.int64).reshape(found.shape)


def _one_per_packet(times: NDArray[np.int64], values: NDArray[Any], name: str) -> NDArray[Any]:
    """The values as an array with one per packet."""
    if values.ndim and values.shape != times.shape:
        raise InputError(f"{name}: {values.size} values for {times.size} packets")
    return np.broadcast_to(values, times.shape)
