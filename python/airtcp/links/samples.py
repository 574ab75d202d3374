"""Sample paths of channels: the gain of a fading link over time, the fates of packets on it.

Both use the stream of a scenario's data channel: with the same seed and replication, `fading` shows
the gain that the packets of `fates`, and those of a simulation on slots, have met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp import _native
from airtcp.errors import InputError, real_number, refusal, whole_number
from airtcp.scenario.scenario import Scenario
from airtcp.support.seeds import SEED_RANGE, check_seed

_MOST_PACKETS = 2**32  # a byte each, all at once
_MOST_OSCILLATORS = 1024
_MOST_SECONDS = 9.2e9  # 292 years, the range of simulated time
_MOST_K = 1e6


def fates(
    channel: Mapping[str, Any] | Any,
    packets: int,
    *,
    packet: str = "32B",
    rate: str = "1.5Mbps",
    seed: int = 1,
    replication: int = 0,
) -> NDArray[np.bool_]:
    """Draw the fates of packets that are sent one after the other without gaps.

    Parameters
    ----------
    channel : dict or dataclass
        The channel as in a scenario, without axes, such as ``{"kind": "rayleigh", "snr": "20dB",
        "doppler": "10Hz"}``, or an object of a class of `airtcp.spec`.
    packets : int
        Number of packets.
    packet : str, default "32B"
        Length of a packet with its unit, without the bits that a code adds.
    rate : str, default "1.5Mbps"
        Rate of bits on the air with its unit. A packet takes the time of its bits on the air, code
        included.
    seed : int, default 1
        Seed of the sample path, 0 to 2^64 - 1.
    replication : int, default 0
        Number of the sample path, 0 to 2^64 - 1.

    Returns
    -------
    numpy.ndarray of bool
        True where a packet is lost.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.

    Examples
    --------
    >>> import airtcp as at
    >>> float(at.fates({"kind": "iid", "loss_rate": 0.1}, 10000).mean())
    0.101
    """
    n = whole_number("packets", packets, 0, _MOST_PACKETS)
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "link": {"rate": rate, "packet": packet},
        "channel": channel,
        "stop": {"slots": max(n, 1)},
    }
    points = Scenario.from_dict(document).points()
    if len(points) != 1:
        raise refusal("channel", channel, "one channel without axes")
    lost = _native.losses(points[0].compiled, *seed_and_replication(seed, replication), n)
    return np.frombuffer(lost, dtype=np.bool_)


def fading(
    times: ArrayLike,
    *,
    doppler: str,
    rician_k: float = 0.0,
    oscillators: int | None = None,
    seed: int = 1,
    replication: int = 0,
) -> NDArray[np.complex128]:
    """Sample the complex gain of a flat fading link of mean power 1.

    The autocorrelation is within 2e-4 of J0(2 pi f_d tau) for f_d tau up to 1000, and within 0.002
    beyond.

    Parameters
    ----------
    times : array_like of float
        Times in s from the start, 0 to 9.2e9, of any shape. Times that increase are cheap, however
        far apart; other times in between change nothing. `doppler` times the last of them may be
        2^36 at most, since places of later gains are not known closely enough.
    doppler : str
        The maximum Doppler shift f_d with its unit: ``"10Hz"``.
    rician_k : float, default 0.0
        Power of a constant component by that of the scattered one, 0 to 1e6. 0 is Rayleigh fading,
        a complex Gaussian process [Clarke 1968].
    oscillators : int, optional
        In place of that process, Jakes' sum of this many oscillators, 1 to 1024, and one at f_d
        [Jakes 1974, section 1.7], which is not Rayleigh fading.
    seed : int, default 1
        Seed of the sample path, 0 to 2^64 - 1.
    replication : int, default 0
        Number of the sample path, 0 to 2^64 - 1.

    Returns
    -------
    numpy.ndarray of complex128
        The gains, in the shape of `times`.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.

    Examples
    --------
    >>> import airtcp as at
    >>> abs(at.fading([0.0, 0.001], doppler="10Hz")).round(3)
    array([0.821, 0.822])
    """
    instants = _seconds(times)
    k = real_number("rician_k", rician_k, "a number from 0 to 1e6")
    if not 0.0 <= k <= _MOST_K:
        raise refusal("rician_k", rician_k, "a number from 0 to 1e6")
    if oscillators is not None:
        oscillators = whole_number("oscillators", oscillators, 1, _MOST_OSCILLATORS)
        if k > 0.0:
            raise refusal("rician_k", rician_k, "0 with oscillators")
    if not isinstance(doppler, str):
        raise refusal("doppler", doppler, 'a frequency such as "10Hz"')
    path = seed_and_replication(seed, replication)
    try:
        gains = _native.fading(instants.tobytes(), doppler, k, oscillators, *path)
    except _native.ScenarioError as refused:
        raise InputError(": ".join(refused.args)) from None
    return np.frombuffer(memoryview(gains), np.complex128).reshape(instants.shape).copy()


def _seconds(times: ArrayLike) -> NDArray[np.float64]:
    try:
        found = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.all((found >= 0.0) & (found <= _MOST_SECONDS)):  # false for NaN
        raise InputError("times: must be numbers of seconds from 0 to 9.2e9")
    return found


def seed_and_replication(seed: int, replication: int) -> tuple[int, int]:
    """Seed and replication of a sample path; either may be any word. Raises `InputError`."""
    return check_seed(seed), whole_number("replication", replication, *SEED_RANGE)
