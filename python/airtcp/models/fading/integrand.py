"""The integrand over the fading: two packets, the first one lost in a fade near an instant.

At a high SNR packets are lost in deep fades, and these are short: near its minimum |h|^2 rises as
(v t)^2, v a speed of about sqrt(2) pi f_d, so that bits err for about 1 / (v sqrt(SNR)) only. So a
lost packet is looked at from an instant s within its fade. With any k(|h|^2) >= 0 that is above 0
where packets are lost,

    P[lost] = int_0^1 E[ k(|h(s)|^2) / int_0^1 k(|h(t)|^2) dt ; lost ] ds,

so that s, |h(s)| and h'(s) are coordinates of the integral, and where k = 0 nothing is left out.
"""

from __future__ import annotations

import math
from threading import Event

import numpy as np
from numpy.typing import NDArray

from airtcp.models.fading.link import Link
from airtcp.models.fading.reflections import mirror_normals, reflect_rows
from airtcp.models.fading.time_rule import time_rule

Floats = NDArray[np.float64]

_LARGEST_AMPLITUDE = 6.4  # an amplitude above it has probability 1e-18
_LOSSY_POWER = 16.0  # |h|^2 that still loses packets, above which nearly all of them are lost
_VALUES_AT_ONCE = 2**17

STOP_INTEGRATION = (
    Event()
)  # set where the threads that integrate are to end: signals do not reach them


class Integrand:
    """P[lost] and P[lost, then arrives] as means over points, `base` to be added.

    The coordinates of a point: |h(s)| over the largest one, s, and the real and the imaginary parts
    of the other modes, the first of which is the slope h'(s). The phase of h(s) is free. Where
    nearly all packets are lost, -P[arrives] is integrated in place of P[lost], with k = 1.
    """

    def __init__(self, link: Link, *, coarser: int = 1) -> None:
        """`coarser` is the number by which nodes in time are divided."""
        self.link = link
        self.mostly_lost = link.lossless_power > _LOSSY_POWER
        self.base = np.array([1.0, 0.0]) if self.mostly_lost else np.zeros(2)
        self.reach = _LARGEST_AMPLITUDE if self.mostly_lost else math.sqrt(link.lossless_power)
        x, self.weights = time_rule(link, coarser)
        parts = link.packet.parts
        times = (np.arange(2 * parts)[:, None] + x) / parts
        self.shapes = link.modes.shapes(times.ravel()).T

    @property
    def dimensions(self) -> int:
        """Coordinates of a point."""
        return 2 * len(self.shapes)

    @property
    def instant_count(self) -> int:
        """Instants at which the fading is computed for each point."""
        return int(self.shapes.shape[1])

    def sums(self, points: Floats, weights: Floats) -> Floats:
        """Weighted sums over `points`."""
        at_once = max(1, _VALUES_AT_ONCE // self.instant_count)
        total = np.zeros(2)
        for row in range(0, len(points), at_once):
            if STOP_INTEGRATION.is_set():
                raise KeyboardInterrupt
            rows = slice(row, row + at_once)
            total += weights[rows] @ self._fates(points[rows])
        return total

    def _fates(self, points: Floats) -> Floats:
        """The integrand, times the density of |h(s)|: (points, 2)."""
        radius = self.reach * points[:, 0]
        power = self._power(radius, points[:, 1], points[:, 2:])
        weight = 2.0 * self.reach * radius * np.exp(-(radius**2))
        if not self.mostly_lost:
            weight *= self._depth_share(radius, power)
        parts = power.reshape(len(points), -1, self.weights.size)
        arrives = self.link.packet.arrival_probabilities(self.link.bit_errors(parts), self.weights)
        first, second = (half.prod(axis=1) for half in np.split(arrives, 2, axis=1))
        lost = 1.0 - first
        fates = np.stack([-first if self.mostly_lost else lost, lost * second], axis=1)
        weighted: Floats = weight[:, None] * fates
        return weighted

    def _power(self, radius: Floats, instants: Floats, others: Floats) -> Floats:
        """|h|^2 at all nodes, where |h| = `radius` at the instants: (points, nodes)."""
        modes = self.link.modes
        turns = mirror_normals(
            modes.first_packet_shapes(instants)[: modes.first_packet_modes], modes.mode_count
        )
        power = np.zeros((len(radius), self.instant_count))
        for along, rest in ((radius, others[:, ::2]), (0.0 * radius, others[:, 1::2])):
            turned = np.column_stack([along, rest])
            for mirror in reversed(turns):
                turned = reflect_rows(turned, mirror)
            power += (turned @ self.shapes) ** 2
        return power

    def _depth_share(self, radius: Floats, power: Floats) -> Floats:
        """k at the instant over its mean within the first packet."""
        within = self._depth_weight(power[:, : self.instant_count // 2])
        mean = (within.reshape(len(power), -1, self.weights.size) @ self.weights).mean(axis=1)
        share: Floats = self._depth_weight(radius**2) / np.where(mean > 0.0, mean, np.inf)
        return share

    def _depth_weight(self, power: Floats) -> Floats:
        """k: 1 in the deepest fades, 0 where nothing is lost."""
        depth = np.maximum(1.0 - power / self.link.lossless_power, 0.0)
        near: Floats = depth * depth * depth
        return near


def loss_and_recovery(lost: float, then: float) -> Floats:
    """P_E and r from P[lost] and P[lost, then arrives]; r = 1 where nothing is lost."""
    return np.array([lost, then / lost if lost > 0.0 else 1.0])
