"""A Rayleigh process with Clarke's spectrum, and fates of packets on it, for tests of the analysis.

By spectral synthesis on a coarse grid, a cubic spline in between. Nothing is shared with the models
under test but the formula of the bit error rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

_OVERSAMPLING = 32  # samples per 1/f_d: the spline is then good to 1e-4 of the amplitude


def fading(doppler_hz: float, seconds: float, *, seed: int) -> CubicSpline:
    """h(t), E|h|^2 = 1: a periodic Gaussian process, its period a power of two samples."""
    size = 2 ** int(np.ceil(np.log2(seconds * doppler_hz * _OVERSAMPLING)))
    bins = np.fft.fftfreq(size, d=1.0 / _OVERSAMPLING)  # in units of f_d
    half = 0.5 * _OVERSAMPLING / size
    edges = np.clip(np.stack([bins - half, bins + half]), -1.0, 1.0)
    power = (np.arcsin(edges[1]) - np.arcsin(edges[0])) / np.pi
    rng = np.random.default_rng(seed)
    normal = (rng.standard_normal(size) + 1j * rng.standard_normal(size)) * np.sqrt(0.5 * power)
    samples = np.fft.ifft(normal) * size
    times = np.arange(size + 1) / (_OVERSAMPLING * doppler_hz)
    return CubicSpline(times, np.append(samples, samples[0]), bc_type="periodic")


def uncoded_fates(
    path: CubicSpline, *, snr: float, bits: int, rate: float, packets: int, seed: int
) -> NDArray[np.bool_]:
    """True where a packet of BPSK bits is lost; the fading is taken at its middle."""
    rng = np.random.default_rng(seed)
    lost = np.empty(packets, dtype=bool)
    for begin in range(0, packets, 500_000):
        part = np.arange(begin, min(begin + 500_000, packets))
        power = np.abs(path((part + 0.5) * bits / rate)) ** 2
        intact = bits * np.log1p(-ndtr(-np.sqrt(2.0 * snr * power)))
        lost[part] = rng.random(part.size) >= np.exp(intact)
    return lost
