"""The fading within two packets as few independent Gaussian modes, the first packet's modes first.

Karhunen-Loeve modes of the autocorrelation J0(2 pi f_d tau) within the first packet, then the modes
of the rest in the second one. A mode with less power than `negligible` is left out. Times are in
packets: the first one is (0, 1), the second one (1, 2).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.special import j0

Floats = NDArray[np.float64]

_NODES, _NODES_PER_FADE = 16, 8  # of the rule per packet that finds the modes


class Modes:
    """The shapes of the modes at any times: h = shapes @ a, a independent normals of power 1."""

    def __init__(self, doppler: float, negligible: float) -> None:
        """`doppler` is f_d times the length of a packet."""
        self._rate = 2.0 * np.pi * doppler
        x, w = unit_rule(_NODES + math.ceil(_NODES_PER_FADE * doppler))
        self._within, self._times = x, np.concatenate([x, 1.0 + x])
        self._into_first = _regression(j0(self._phase(x, x)), w, negligible)
        self._known = j0(self._phase(self._times, x)) @ self._into_first
        left_open = j0(self._phase(self._times, self._times)) - self._known @ self._known.T
        self._into_second = _regression(left_open, np.tile(w, 2), negligible)
        # the shapes within the first packet as polynomials: Bessel functions are slow
        norms = 2.0 * np.arange(x.size) + 1.0
        known = legendre.legvander(2.0 * x - 1.0, x.size - 1) * w[:, None] * norms
        self._within_first = known.T @ self._known[: x.size]

    @property
    def first_packet_modes(self) -> int:
        """Modes that the first packet depends on."""
        return int(self._into_first.shape[1])

    @property
    def mode_count(self) -> int:
        """All modes."""
        return self.first_packet_modes + int(self._into_second.shape[1])

    def first_packet_shapes(self, times: Floats) -> tuple[Floats, Floats]:
        """The shapes that the first packet depends on, and their slopes, at times within it."""
        slopes = 2.0 * legendre.legder(self._within_first)
        values = legendre.legvander(2.0 * times - 1.0, len(slopes))
        return values @ self._within_first, values[:, :-1] @ slopes

    def shapes(self, times: Floats) -> Floats:
        """All shapes: (times, modes)."""
        first = j0(self._phase(times, self._within)) @ self._into_first
        left_open = j0(self._phase(times, self._times)) - first @ self._known.T
        return np.hstack([first, left_open @ self._into_second])

    def _phase(self, times: Floats, others: Floats) -> Floats:
        phase: Floats = self._rate * (times[:, None] - others)
        return phase


def unit_rule(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on (0, 1)."""
    x, w = legendre.leggauss(nodes)
    return 0.5 * (x + 1.0), 0.5 * w


def _regression(distribution: Floats, weights: Floats, negligible: float) -> Floats:
    """From correlations with h at the nodes to the shapes of its modes, the strongest one first.

    A mode is a_k = <f_k, h> / power_k, f_k the eigenfunction times the root of its power; its sign
    is made to depend on no library.
    """
    root = np.sqrt(weights)
    powers, vectors = np.linalg.eigh(root[:, None] * distribution * root)
    is_kept = powers > negligible
    into: Floats = (root[:, None] * vectors[:, is_kept] / np.sqrt(powers[is_kept]))[:, ::-1]
    return into * np.where(into[-1] < 0.0, -1.0, 1.0)
