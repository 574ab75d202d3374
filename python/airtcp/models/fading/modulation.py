"""Bit errors of named modulations, given the instantaneous signal-to-noise ratio per bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]


def bpsk(snr: Floats) -> Floats:
    """Coherent binary phase shift keying: Q(sqrt(2 g)) [chockalingam reading, section 1]."""
    return _q(np.sqrt(2.0 * snr))


def dpsk(snr: Floats) -> Floats:
    """Differential phase shift keying, the phase constant over two bits: exp(-g)/2."""
    return 0.5 * np.exp(-snr)


def fsk(snr: Floats) -> Floats:
    """Coherent orthogonal frequency shift keying: Q(sqrt(g))."""
    return _q(np.sqrt(snr))


def ncfsk(snr: Floats) -> Floats:
    """Non-coherent orthogonal frequency shift keying: exp(-g/2)/2."""
    return 0.5 * np.exp(-0.5 * snr)


MODULATIONS: dict[str, Callable[[Floats], Floats]] = {
    "bpsk": bpsk,
    "dpsk": dpsk,
    "fsk": fsk,
    "ncfsk": ncfsk,
}


def _q(x: Floats) -> Floats:
    """The Gaussian tail."""
    tail: Floats = ndtr(-x)
    return tail
