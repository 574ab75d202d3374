"""A packet on a Rayleigh channel: the powers of the fading at which it is lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from airtcp.models.fading.decoding import CodedPacket, UncodedPacket
from airtcp.models.fading.modes import Modes
from airtcp.models.fading.modulation import MODULATIONS

Floats = NDArray[np.float64]

_NEGLIGIBLE_POWER = 1e-7  # power of a mode, relative to that of a fade which loses packets
_LEAST_POWER = 1e-13  # of a mode that double precision can tell from rounding
_NEGLIGIBLE_PROBABILITY = 1e-12  # a probability, or a number of errors, that does not count
_TRANSITION_EDGES = (0.9, 0.1)  # loss probabilities at the edges of the transition


@dataclass(frozen=True)
class Link:
    """A modulated, possibly coded packet at a mean SNR; `doppler` is f_d times its length."""

    snr: float
    doppler: float
    packet: UncodedPacket | CodedPacket
    modulation: str

    def bit_errors(self, power: Floats) -> Floats:
        """Bit error rates at the powers |h|^2."""
        rates = np.zeros_like(power)
        heard = power < self.error_free_power
        rates[heard] = self._bit_error_rate(power[heard])
        return rates

    @property
    def part_doppler(self) -> float:
        """f_d times the length of a part of the packet."""
        return self.doppler / self.packet.parts

    @cached_property
    def modes(self) -> Modes:
        """Modes of the fading within two packets."""
        negligible = _NEGLIGIBLE_POWER * min(1.0, self.half_loss_power)
        return Modes(self.doppler, max(negligible, _LEAST_POWER))

    @cached_property
    def half_loss_power(self) -> float:
        """|h|^2 at which about half of the parts are lost, without fading within them."""
        return self._power_where(lambda rate: rate - self.packet.half_loss_bit_error_rate)

    @cached_property
    def transition_width(self) -> float:
        """Width of the transition in |h|, from nine losses of ten parts to one of ten."""
        inner, outer = (self._power_of_loss(loss) for loss in _TRANSITION_EDGES)
        return math.sqrt(outer) - math.sqrt(inner)

    @cached_property
    def lossless_power(self) -> float:
        """|h|^2 above which nothing is lost."""
        return self._power_of_loss(_NEGLIGIBLE_PROBABILITY)

    @cached_property
    def error_free_power(self) -> float:
        """|h|^2 above which there are no bit errors."""
        return self._power_where(lambda rate: rate * self.packet.air_bits - _NEGLIGIBLE_PROBABILITY)

    def _bit_error_rate(self, power: Floats) -> Floats:
        return MODULATIONS[self.modulation](self.snr * power)

    def _power_of_loss(self, loss: float) -> float:
        """The power at which a part of a packet is lost with this probability."""
        weight = np.ones(1)

        def excess(rate: float) -> float:
            return (
                1.0
                - float(self.packet.arrival_probabilities(np.full((1, 1), rate), weight)[0])
                - loss
            )

        return self._power_where(excess)

    def _power_where(self, excess: Callable[[float], float]) -> float:
        """The power at which a function of the bit error rate that falls with it becomes 0."""

        def at(log_snr: float) -> float:
            return excess(self._bit_error_rate(np.exp(np.array(log_snr)) / self.snr).item())

        low, high = -40.0, 8.0
        if at(low) <= 0.0:  # a code that hardly ever fails
            return math.exp(low) / self.snr
        return math.exp(brentq(at, low, high, xtol=1e-6)) / self.snr
