"""Exact loss rate and recovery of packets on a Rayleigh channel, by integration."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from airtcp._html import html_rows
from airtcp._units import parse
from airtcp.errors import InputError, known_name, real_number, refusal, whole_number
from airtcp.models.fading.codes import Code, code_of
from airtcp.models.fading.decoding import Coded, Uncoded
from airtcp.models.fading.integrand import Integrand, Link
from airtcp.models.fading.modulation import MODULATIONS
from airtcp.two_state import TwoState

Floats = NDArray[np.float64]

MOST_BITS = 10_000_000
MOST_DOPPLER = 2.0  # f_d times the length of a packet
MOST_WORDS = 20  # codewords of a packet: the work grows with their fourth power
_SNR = "a number from -30 to 80 dB"
_REPLICAS = 4  # independent randomisations of the net
_FEWEST = 16  # points of a net, times those of the product rule, to start with
_MOST_ROWS = 1024  # points, times those of the product rule, times parts of a packet
_SPAN = 0.2  # most fades (f_d times its length) in a part of an uncoded packet
_DOUBTFUL = 3e-3  # relative error after which the net alone is tried
_ACCURACY = 1e-5  # relative, asked of the standard error of both results


@dataclass(frozen=True, kw_only=True)
class PacketErrors:
    """Losses of consecutive packets on a Rayleigh channel.

    - `loss_rate`: P_E, the stationary probability that a packet is lost;
    - `recovery`: r = P(success | the packet before was lost), 1/r being the mean run of losses;
    - `loss_rate_error`, `recovery_error`: numerical errors (three standard errors of the randomised
      integration plus the change by finer rules), absolute;
    - `airtime`: how long a packet lasts, s; `air_bits` of them are sent in it;
    - `code_rate`: data bits over bits on the air, the zeros that fill the last codeword included.
    """

    loss_rate: float
    recovery: float
    loss_rate_error: float
    recovery_error: float
    airtime: float
    air_bits: int
    code_rate: float

    @property
    def two_state(self) -> TwoState:
        """The two-state chain with this loss rate and recovery: p_GB = r P_E / (1 - P_E)."""
        if self.loss_rate == 0.0:
            return TwoState(p_gb=0.0, p_bg=1.0)
        if self.loss_rate == 1.0:
            return TwoState(p_gb=1.0, p_bg=self.recovery)  # arrivals are too rare for a double
        p_gb = min(1.0, self.recovery * self.loss_rate / (1.0 - self.loss_rate))
        return TwoState(p_gb=p_gb, p_bg=self.recovery)

    def _repr_html_(self) -> str:
        rows = {
            "loss rate": f"{self.loss_rate:.6g} +- {self.loss_rate_error:.1g}",
            "recovery": f"{self.recovery:.6g} +- {self.recovery_error:.1g}",
            "airtime (ms)": f"{1e3 * self.airtime:.6g}",
            "code rate": f"{self.code_rate:.6g}",
        }
        return html_rows("PacketErrors", rows)


def packet_errors(
    *,
    snr_db: float,
    doppler_hz: float,
    bytes: int | None = None,
    bits: int | None = None,
    code: str | Code | None = None,
    rate: str = "1.5Mbps",
    modulation: str = "bpsk",
) -> PacketErrors:
    """P_E and r of packets sent one after the other on a Rayleigh channel with Clarke's spectrum.

    - `snr_db`: mean signal-to-noise ratio per *transmitted* bit, dB: the rate of a code is not
      charged to it;
    - `doppler_hz`: f_d, the maximum Doppler shift, Hz;
    - `bytes` or `bits`: data in a packet, exactly one of them;
    - `code`: None, or a BCH code such as "bch(255,87)". A packet is then as many full codewords as
      it needs, lasts longer, and is lost if one of them has more than t bit errors;
    - `rate`: of the transmitted bits, with its unit; `modulation`: bpsk, dpsk, fsk or ncfsk.

    The fading varies within a packet. Its modes within two packets are integrated by a Gauss rule
    (the strongest one) and by randomised nets (the others), with fixed seeds; answers are kept.
    Measured relative errors for 32 bytes: below 1e-5 up to 10 Hz uncoded, 5e-4 at 100 Hz uncoded,
    1e-3 coded; 3e-2 for 1024 bytes at 100 Hz. f_d times the length of a packet is limited to 2,
    a packet to 20 codewords.

    Raises `InputError`. Source: the reading of chockalingam, "How to reach it".
    """
    snr = real_number("snr_db", snr_db, _SNR)
    if not -30.0 <= snr <= 80.0:
        raise refusal("snr_db", snr_db, _SNR)
    doppler = real_number("doppler_hz", doppler_hz, "a number > 0, in Hz")
    if doppler <= 0.0:
        raise refusal("doppler_hz", doppler_hz, "a number > 0, in Hz")
    known_name("modulation", modulation, MODULATIONS)
    data = _data_bits(bytes, bits)
    known = code_of(code)
    seconds_per_bit = 1.0 / _bits_per_second(rate)
    packet: Uncoded | Coded
    if known is None:
        fades = doppler * data * seconds_per_bit
        packet = Uncoded(data, max(1, min(data, math.ceil(fades / _SPAN))))
    else:
        packet = Coded(known, known.words(data))
        if packet.spans > MOST_WORDS:
            field, value = ("bits", bits) if bytes is None else ("bytes", bytes)
            allowed = f"at most {MOST_WORDS} codewords, and {known} needs {packet.spans}"
            raise refusal(field, value, f"{allowed}; airtcp.fates simulates longer packets")
    airtime = packet.air_bits * seconds_per_bit
    if doppler * airtime > MOST_DOPPLER:
        most = MOST_DOPPLER / airtime
        allowed = f"at most {most:.6g} Hz, {MOST_DOPPLER:g} fades per packet of {airtime:.4g} s"
        raise refusal("doppler_hz", doppler_hz, allowed)
    found = _solved(Link(10.0 ** (0.1 * snr), doppler * airtime, packet, modulation))
    air_bits = packet.air_bits
    return PacketErrors(**found, airtime=airtime, air_bits=air_bits, code_rate=data / air_bits)


def _data_bits(number_of_bytes: int | None, number_of_bits: int | None) -> int:
    if (number_of_bytes is None) == (number_of_bits is None):
        raise InputError("bytes, bits: must be exactly one of the two")
    if number_of_bytes is None:
        return whole_number("bits", number_of_bits, 1, MOST_BITS)
    return 8 * whole_number("bytes", number_of_bytes, 1, MOST_BITS // 8)


def _bits_per_second(rate: str) -> float:
    found = parse(rate)
    if found is None or found.unit != "bit/s" or not found.number > 0:
        raise refusal("rate", rate, 'a rate above 0 with its unit, such as "1.5Mbps"')
    return float(found.number)


@lru_cache(maxsize=4096)
def _solved(link: Link) -> dict[str, float]:
    """The two probabilities and their errors; by a net alone if the product rule is not enough."""
    values, errors = _integrated(link, by_rule=True)
    has_rule = any(part.size > 1 for part in _parts(link, by_rule=True))
    if has_rule and (errors > _DOUBTFUL * values).any():
        others = _integrated(link, by_rule=False)
        if (others[1] / others[0]).max() < (errors / values).max():
            values, errors = others
    values = np.minimum(values, 1.0)  # sums of weights may exceed 1 by rounding
    names = ("loss_rate", "recovery", "loss_rate_error", "recovery_error")
    return dict(zip(names, [*values.tolist(), *errors.tolist()], strict=True))


def _integrated(link: Link, *, by_rule: bool) -> tuple[Floats, Floats]:
    """Both probabilities and their errors, by nets that double until they agree."""
    parts = _parts(link, by_rule=by_rule)
    draws = [[_net(part.dimensions, seed) for part in parts] for seed in range(_REPLICAS)]
    rows = max(part.size for part in parts)
    points = max(1, _FEWEST // rows)
    first = [[draw(points) for draw in row] for row in draws]
    sums = _sums(parts, first)
    finer = _parts(link, by_rule=by_rule, finer=3)
    change = np.abs(_by_finer(finer, first) - _values(sums.mean(axis=0) / points))
    most = _MOST_ROWS * min(2, len(parts)) // (rows * len(parts))
    while not _agree(sums) and 2 * points <= most:
        sums += _sums(parts, [[draw(points) for draw in row] for row in draws])
        points *= 2
    values = _values(sums.mean(axis=0) / points)
    return values, 3.0 * _deviation(sums) * values + change


def _parts(link: Link, **rule: Any) -> list[Integrand]:
    return [Integrand(link, centre, **rule) for centre in range(link.packet.spans)]


def _sums(parts: list[Integrand], points: list[list[Floats]]) -> Floats:
    """Sums over the points of each randomisation, and over the parts of the packet."""
    rows = [[part.sums(block) for part, block in zip(parts, row, strict=True)] for row in points]
    total: Floats = np.sum(rows, axis=1)
    return total


def _net(dimensions: int, seed: int) -> Callable[[int], Floats]:
    """The next points of a scrambled Sobol net."""
    if dimensions == 0:
        return lambda number: np.zeros((number, 0))
    net = qmc.Sobol(dimensions, seed=seed)
    return lambda number: np.asarray(net.random(number))


def _by_finer(finer: list[Integrand], points: list[list[Floats]]) -> Floats:
    """The values by finer rules on the first points."""
    fitted = [
        [_in_dimensions(block, part.dimensions) for part, block in zip(finer, row, strict=True)]
        for row in points
    ]
    return _values(_sums(finer, fitted).mean(axis=0) / len(points[0][0]))


def _in_dimensions(points: Floats, dimensions: int) -> Floats:
    """The points without coordinates of the weakest modes, or with such modes at 0."""
    missing = max(0, dimensions - points.shape[1])
    return np.pad(points, ((0, 0), (0, missing)), constant_values=0.5)[:, :dimensions]


def _agree(sums: Floats) -> bool:
    return bool((_deviation(sums) <= _ACCURACY).all())


def _deviation(sums: Floats) -> Floats:
    """Relative standard errors of P_E and r, from sums by randomisation.

    The error of a quotient is that of lost-then-arrives less r times lost.
    """
    mean = sums.mean(axis=0)
    relative = sums / mean
    spread = np.array([relative[:, 0].std(ddof=1), (relative[:, 1] - relative[:, 0]).std(ddof=1)])
    deviation: Floats = spread / math.sqrt(len(sums))
    return deviation


def _values(mean: Floats) -> Floats:
    return np.array([mean[0], mean[1] / mean[0]])
