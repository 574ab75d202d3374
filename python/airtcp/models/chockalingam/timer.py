"""The rest of a timer after the last packet, from transforms of the time since its start.

The time on the air since the timer's start is a sum of durations, known by its transform at points
on a circle. Means of functions that vanish from the timer's end on are weighted sums over those
points: a discrete Fourier transform, inverted and applied at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from airtcp.models.chockalingam.link import Complexes
from airtcp.scenario.two_state import TwoState

Floats = NDArray[np.float64]

IMAGINARY_STEP = 1e-20  # imaginary, of a point beside 1: the derivative there without cancellation
_ALIASED_WEIGHT = 1e-7  # weight of the probability of times beyond the circle's number of points


@dataclass(frozen=True)
class Timer:
    """A timer of `slots` slots over a channel; every transform has its points as the first axis.

    The first point is 1 + i STEP: its real part is the probability, its imaginary part over STEP
    the mean time on the air. The others lie on a circle.
    """

    channel: TwoState
    slots: int

    @property
    def points(self) -> Complexes:
        """The points at which transforms are wanted."""
        return np.concatenate([[1.0 + 1j * IMAGINARY_STEP], circle_points(self.slots)])

    def rest_of_timer(
        self, lost: Complexes, arrived: Complexes
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """P[bad], P[good] in the timer's last slot, mean idle slots, P[timer over before].

        `lost` and `arrived` are transforms of the time since the timer's start, with the outcome of
        the last packet.
        """
        weights = _weights(self.channel, self.slots)
        (forgot_bad, idle_bad, early_bad), (forgot_good, idle_good, early_good) = (
            np.tensordot(weights, generating[1:], axes=1).real for generating in (lost, arrived)
        )
        good = self.channel.p_bg / (self.channel.p_bg + self.channel.p_gb)
        to_good = good * forgot_bad - (1.0 - good) * forgot_good
        late = lost[0].real + arrived[0].real - early_bad - early_good
        return (
            lost[0].real - to_good,
            arrived[0].real + to_good,
            idle_bad + idle_good,
            np.maximum(late, 0.0),
        )


@lru_cache(maxsize=64)
def circle_points(slots: int) -> Complexes:
    """The points in the upper half of a circle; the others are their conjugates."""
    size = _point_count(slots)
    points: Complexes = _radius(size) * np.exp(2j * np.pi * np.arange(size // 2 + 1) / size)
    return points


@lru_cache(maxsize=64)
def _weights(channel: TwoState, slots: int) -> Complexes:
    """Weights of the points for the means of 1 - lambda^(T - t), T - t and 1, at times t < T."""
    left = slots - np.arange(slots)
    forgotten = 1.0 - np.power(channel.correlation, left)
    functions = np.stack([forgotten, left, np.ones(slots)])
    size = _point_count(slots)
    spectrum = np.fft.rfft(functions * _radius(size) ** -np.arange(slots), size)
    twice = np.full(spectrum.shape[1], 2.0)
    twice[[0, -1]] = 1.0
    weights_found: Complexes = spectrum * twice / size
    return weights_found


def _point_count(slots: int) -> int:
    return 2 * int(next_fast_len(slots // 2 + 1))


def _radius(size: int) -> float:
    return float(_ALIASED_WEIGHT ** (1.0 / size))
