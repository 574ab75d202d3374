"""The errors that packet_errors states hold, against an unbiased simulation of the fading.

Without more a few points are compared. AIRTCP_FADING_DRAWS=20000 compares all of them, with so many
draws of the fading at each: uncoded in a quarter of an hour, coded in a few times that.
"""

from __future__ import annotations

import os
from itertools import product

import pytest

from airtcp.errors import InputError
from airtcp.models.fading import code_of, packet_errors
from fading_reference import Estimate, Packets, estimate

DRAWS = int(os.environ.get("AIRTCP_FADING_DRAWS", "0"))
Case = tuple[float, float, int, str | None]  # SNR in dB, f_d in Hz, bytes, code
WEAK, STRONG = "bch(255,215)", "bch(255,87)"
FEW: list[Case] = [
    (10, 500, 256, None),
    (30, 100, 1500, None),
    (40, 100, 1024, None),
    (50, 10, 1500, None),
    (50, 500, 32, None),
    (30, 100, 32, STRONG),
    (40, 500, 32, WEAK),
]
SNRS, DOPPLERS, CODES = (0, 10, 20, 30, 40, 50), (1, 10, 100, 500), (None, WEAK, STRONG)
ALL: list[Case] = list(product(SNRS, DOPPLERS, (32, 256, 1500), CODES))


def simulated(case: Case, seconds: float, air_bits: int) -> Estimate:
    snr, doppler, size, code = case
    packets = Packets(10.0 ** (0.1 * snr), doppler * seconds, air_bits, code_of(code))
    draws = DRAWS or 6000
    if code is not None:  # errors are counted bit by bit
        draws = max(500, round(draws * 300 / air_bits))
    return estimate(packets, draws=draws, seed=int(1000 * doppler + 10 * snr + size))


@pytest.mark.parametrize("case", ALL if DRAWS else FEW)
def test_stated_errors_cover(case: Case) -> None:
    snr, doppler, size, code = case
    try:
        found = packet_errors(snr_db=snr, doppler_hz=doppler, bytes=size, code=code)
    except InputError as refused:  # more than two fades in a packet
        assert "fades per packet" in str(refused)  # noqa: PT017
        return
    known = simulated(case, found.airtime, found.air_bits)
    # 4.5 standard errors: in all points together once in 400 seeds
    loss, recovery = 4.5 * known.loss_rate_deviation, 4.5 * known.recovery_deviation
    assert abs(found.loss_rate - known.loss_rate) <= found.loss_rate_error + loss
    assert abs(found.recovery - known.recovery) <= found.recovery_error + recovery
    if not DRAWS:  # the simulation is close enough to see errors of some per cent
        assert known.loss_rate_deviation < 0.03 * known.loss_rate
