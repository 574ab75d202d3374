"""What is integrated over the modes of the fading: fates of two packets, the first one lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from airtcp.models.fading.decoding import Coded, Uncoded
from airtcp.models.fading.modes import modes
from airtcp.models.fading.modulation import MODULATIONS

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_NEGLIGIBLE = 1e-7  # power of a mode, relative to that of a fade which loses packets
_LEAST_POWER = 1e-13  # of a mode that double precision can tell from rounding
_CERTAIN = 1e-12  # loss probability of a packet above all fades
_RADIUS = 6.4  # an amplitude above it has probability 1e-18
_RADIAL, _RADIAL_NET = 44, 28  # Gauss nodes of the amplitude, alone and under a net of points
_MOST_SLOPES = 400  # Gauss nodes for the second mode
_CURVED = 0.25  # of the transition's width, from which on the other modes need a net of points
_EDGES = (0.9, 0.1)  # loss probabilities at the edges of the transition
_ROWS_AT_ONCE = 64


@dataclass(frozen=True)
class Link:
    """A modulated, possibly coded packet at a mean SNR; `doppler` is f_d times its length."""

    snr: float
    doppler: float
    packet: Uncoded | Coded
    modulation: str

    def bit_errors(self, power: Floats) -> Floats:
        """Bit error rates at the powers |h|^2."""
        return MODULATIONS[self.modulation](self.snr * power)

    @cached_property
    def soft_power(self) -> float:
        """|h|^2 at which about half of the packets are lost, without fading within them."""
        return self._power_where(lambda rate: rate - self.packet.soft_bit_error)

    @cached_property
    def safe_power(self) -> float:
        """|h|^2 above which nothing is lost."""
        return self._power_of_loss(_CERTAIN)

    @cached_property
    def soft_width(self) -> float:
        """Width of the transition in |h|, from nine losses of ten parts to one of ten."""
        inner, outer = (self._power_of_loss(loss) for loss in _EDGES)
        return math.sqrt(outer) - math.sqrt(inner)

    def _power_of_loss(self, loss: float) -> float:
        """The power at which a part of a packet is lost with this probability."""
        one = np.ones(1)

        def excess(rate: float) -> float:
            return 1.0 - float(self.packet.arrives(np.full((1, 1), rate), one)[0]) - loss

        return self._power_where(excess)

    def _power_where(self, excess: Callable[[float], float]) -> float:
        """The power at which a function that falls with it becomes 0."""

        def at(log_snr: float) -> float:
            return excess(self.bit_errors(np.exp(np.array(log_snr)) / self.snr).item())

        low, high = -40.0, 8.0
        if at(low) <= 0.0:  # a code that hardly ever fails
            return math.exp(low) / self.snr
        return math.exp(brentq(at, low, high, xtol=1e-6)) / self.snr


class Integrand:
    """The first lost part of a packet, and whether the next packet arrives.

    A packet is lost with the first of its parts (codewords, or stretches of an uncoded packet) that
    is: sum_i P[part i lost, those before it not]. Part `centre` is such an i. Its fading is nearly
    constant: one strong mode, integrated by a Gauss rule over its amplitude (its phase is free),
    and a weak slope, which takes a product rule where it is smooth on that scale.
    """

    def __init__(self, link: Link, centre: int, *, by_rule: bool = True, finer: int = 0) -> None:
        """`finer` adds nodes to the rules; `by_rule` allows the product rule for the slope."""
        self.link, self.centre, self.finer = link, centre, finer
        self.spans = spans = link.packet.spans
        fades = link.doppler / spans / math.sqrt(min(1.0, link.soft_power))
        x, self.weights = _unit_rule(5 + math.ceil(4.0 * fades) + finer)
        self.nodes = x.size
        self.inner = slice(centre * x.size, (centre + 1) * x.size)
        self.shapes = modes(
            (np.arange(2 * spans)[:, None] + x).ravel(),
            np.tile(self.weights, 2 * spans),
            doppler=link.doppler / spans,
            span=self.inner,
            negligible=max(_NEGLIGIBLE * min(1.0, link.soft_power), _LEAST_POWER),
        )
        self.slope_rule = self._slope_rule() if by_rule else None
        radial = _RADIAL_NET if self.slope_rule is None else _RADIAL
        self.radial = _unit_rule(radial + 4 * finer)

    @property
    def dimensions(self) -> int:
        """Real coordinates that are left to a net of points."""
        return 2 * (int(self.shapes.shape[1]) - self.ruled)

    @property
    def ruled(self) -> int:
        """Modes that have a rule of their own."""
        return 1 if self.slope_rule is None else 2

    @property
    def size(self) -> int:
        """Points of the product rule."""
        return 1 if self.slope_rule is None else len(self.slope_rule[0])

    def _slope_rule(self) -> tuple[Complexes, Floats] | None:
        """Values of the second mode, with imaginary part >= 0 by symmetry, and their weights."""
        if self.shapes.shape[1] < 2:
            return None
        slope = np.abs(self.shapes[:, 1]).max()
        width, amplitude = self.link.soft_width, math.sqrt(self.link.soft_power)
        along = 4 + 2 * math.ceil(3.0 * slope / width)
        across = 4 + 2 * math.ceil(3.0 * slope**2 / (width * amplitude))
        curved = np.abs(self.shapes[:, 2:]).max(initial=0.0) > _CURVED * width
        if curved or along * across > _MOST_SLOPES:
            return None
        x, x_weights = np.polynomial.hermite.hermgauss(along + self.finer)
        y, y_weights = np.polynomial.hermite.hermgauss(across + 2 * (self.finer // 2))
        values = (x[:, None] + 1j * y[y > 0.0]).ravel()
        weights = np.outer(x_weights, 2.0 * y_weights[y > 0.0]).ravel() / math.pi
        kept = weights > _CERTAIN
        return values[kept], weights[kept]

    def sums(self, points: Floats) -> Floats:
        """Sums over `points` in the unit cube of P[lost] and P[lost, then arrives].

        Each is the mean over the point and its mirror image, which has all weak modes reversed.
        """
        normal = ndtri(np.clip(points, 2.0**-32, 1.0 - 2.0**-32)) * math.sqrt(0.5)
        both = np.concatenate([normal, -normal])
        rest = (both[:, ::2] + 1j * both[:, 1::2]) @ self.shapes[:, self.ruled :].T
        weights = np.full(len(both), 0.5)
        if self.slope_rule is not None:
            values, known = self.slope_rule
            rest = (rest[:, None, :] + values[:, None] * self.shapes[:, 1]).reshape(
                -1, rest.shape[1]
            )
            weights = np.outer(weights, known).ravel()
        rows = [slice(row, row + _ROWS_AT_ONCE) for row in range(0, len(rest), _ROWS_AT_ONCE)]
        total = np.zeros(2)
        for row in rows:
            total += weights[row] @ self._over_strongest(rest[row])
        return total

    def _over_strongest(self, rest: Complexes) -> Floats:
        """P[lost], P[lost, then arrives] where the other modes add up to `rest`; (points, 2)."""
        strongest = self.shapes[:, 0]
        swing = np.abs(rest[:, self.inner]).max(axis=1)
        flat = np.abs(strongest[self.inner]).min()
        reach = np.minimum((math.sqrt(self.link.safe_power) + swing) / flat, _RADIUS)
        radius = reach[:, None] * self.radial[0]
        mass = 2.0 * radius * np.exp(-(radius**2)) * reach[:, None] * self.radial[1]
        power = (radius[:, :, None] * strongest + rest.real[:, None, :]) ** 2
        power += (rest.imag**2)[:, None, :]
        parts = power.reshape(*radius.shape, 2 * self.spans, self.nodes)
        arrives = self.link.packet.arrives(self.link.bit_errors(parts), self.weights)
        lost = mass * (1.0 - arrives[..., self.centre])
        lost *= arrives[..., : self.centre].prod(axis=-1)
        then = lost * arrives[..., self.spans :].prod(axis=-1)
        return np.stack([lost.sum(axis=1), then.sum(axis=1)], axis=1)


def _unit_rule(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on (0, 1)."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return 0.5 * (x + 1.0), 0.5 * w
