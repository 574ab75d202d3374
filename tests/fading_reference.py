"""P_E and r of packets on a Rayleigh channel by simulation with importance sampling, for tests.

Nothing is shared with the model under test but what both are to compute [chockalingam reading,
sections 1 and 2]: the fading is a sum of waves with
Gaussian amplitudes from equal angles, which has the autocorrelation J0 to the last digit; bits are
looked at one by one (or at so many instants that more change nothing); errors in a codeword are
counted bit by bit.

Losses are rare at a high SNR. Nine draws of ten are given a fade: at a random instant of the first
packet h is replaced by a small Gaussian value, and what is around it is shifted as its law given
this value asks. A draw is weighted by the ratio of the laws, so that nothing is biased.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import j0, ndtr, ndtri

from airtcp.models.fading import Code

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_PLAIN = 0.1  # share of draws that are given no fade
_WEIGHED = 256  # instants at which a fade may be put
_PER_FADE = 40.0  # instants per 1 / (f_d sqrt(SNR)) that stand for the bits of an uncoded packet
_VALUES_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Estimate:
    """Means with their standard errors."""

    loss_rate: float
    loss_rate_deviation: float
    recovery: float
    recovery_deviation: float


@dataclass(frozen=True)
class Packets:
    """Two consecutive packets of BPSK bits; `doppler` is f_d times the length of one."""

    snr: float
    doppler: float
    bits: int
    code: Code | None

    def instants(self) -> int:
        """Instants that are looked at in a packet: all bits, where they are not far too many."""
        if self.code is not None:
            return self.bits
        enough = 64 + math.ceil(_PER_FADE * self.doppler * math.sqrt(self.snr))
        return min(self.bits, enough)

    def small(self) -> float:
        """Mean power of the value that h is given: about that at which packets are lost."""
        rate = 1.0 / self.bits if self.code is None else self.code.t / self.code.n
        power = 0.5 * float(ndtri(min(rate, 0.25))) ** 2 / self.snr
        return power / (1.0 + power)

    def arrive(self, h: Complexes) -> Floats:
        """P[the packet arrives], and the next one, from h at their instants: (draws, 2)."""
        errors = ndtr(-np.sqrt(2.0 * self.snr) * np.abs(h)).reshape(len(h), 2, -1)
        if self.code is None:
            arrives: Floats = np.exp(np.log1p(-errors).mean(axis=2) * self.bits)
            return arrives
        words = errors.reshape(-1, self.code.n)
        return at_most(words, self.code.t).reshape(len(h), 2, -1).prod(axis=2)


def estimate(packets: Packets, *, draws: int, seed: int) -> Estimate:
    """P_E and r from so many draws of the fading."""
    fates = np.concatenate(list(_fates(packets, draws, np.random.default_rng(seed))))
    lost, then = fates.mean(axis=0)
    residual = fates[:, 1] - then / lost * fates[:, 0]
    root = math.sqrt(draws)
    return Estimate(lost, fates[:, 0].std() / root, then / lost, residual.std() / root / lost)


def _fates(packets: Packets, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """P[lost], P[lost, then arrives] of draws by their weights, some of them at a time."""
    instants, reach = packets.instants(), 2.0 * np.pi * packets.doppler
    times = (np.arange(2 * instants) + 0.5) / instants
    waves = math.ceil(2.0 * reach) + 24  # J0 of arguments up to 2 reach is then exact
    cosines = np.cos(np.pi * (np.arange(waves) + 0.5) / waves)
    basis = np.exp(1j * reach * cosines[:, None] * times) / math.sqrt(waves)
    places = np.unique(np.linspace(0, instants - 1, _WEIGHED).round().astype(int))
    small, at_once = packets.small(), max(1, _VALUES_AT_ONCE // times.size)
    for begin in range(0, draws, at_once):
        number = min(at_once, draws - begin)
        h = _normal(rng, (number, waves)) @ basis
        place = places[rng.integers(places.size, size=number)]
        shift = math.sqrt(small) * _normal(rng, (number,)) - h[np.arange(number), place]
        shift[rng.random(number) < _PLAIN] = 0.0
        h += shift[:, None] * j0(reach * (times - times[place][:, None]))
        power = np.abs(h[:, places]) ** 2
        given = (np.exp(-power * (1.0 / small - 1.0)) / small).mean(axis=1)
        weight = 1.0 / (_PLAIN + (1.0 - _PLAIN) * given)
        first, second = packets.arrive(h).T
        yield np.stack([weight * (1.0 - first), weight * (1.0 - first) * second], axis=1)


def at_most(errors: Floats, t: int) -> Floats:
    """P[at most t errors] of each row of bits, by adding one bit after the other."""
    law = np.zeros((t + 1, len(errors)))
    law[0] = 1.0
    for p in errors.T:
        law[1:] = law[1:] * (1.0 - p) + law[:-1] * p
        law[0] *= 1.0 - p
    total: Floats = law.sum(axis=0)
    return total


def _normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Complexes:
    """Complex normals of power 1."""
    parts: Complexes = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return parts * math.sqrt(0.5)
