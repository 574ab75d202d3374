"""Packet errors on a Rayleigh channel: exact loss rate and recovery, and chains fitted to fates.

The fading h is a complex Gaussian process with E|h|^2 = 1 and the autocorrelation J0(2 pi f_d tau)
(Clarke's spectrum). A bit is lost with a probability that depends on SNR |h|^2 at its instant, a
packet with its first bit error, or with the first codeword that has more errors than its code
corrects. `packet_errors` integrates that over the fading *within* two consecutive packets: P_E, and
r = P(success | the packet before was lost).

What P_E and r do not say: 1/r is the mean run of losses of any process, and in slow fading it is
set by isolated losses while the SNR crosses the transition region. The two-state chain with that
mean replaces rare long fades by frequent short bursts. `fit` puts its runs beside those of the
fates it was fitted to, and fits chains with more states that do better.

Source: the physical layer of A. Chockalingam, M. Zorzi and V. Tralli, "Wireless TCP Performance
with Link Layer FEC/ARQ", Proc. IEEE ICC, 1999; Rayleigh fading as it is, not by a simulator of few
oscillators, whose envelope has too little mass near zero (the printed loss rates are 2 to 8 % low).
"""

from __future__ import annotations

from airtcp.models.fading.chain import Chain
from airtcp.models.fading.codes import BCH, Code, code_of
from airtcp.models.fading.fits import Fit, fit
from airtcp.models.fading.modulation import MODULATIONS as _MODULATIONS
from airtcp.models.fading.runs import Runs, RunStats
from airtcp.models.fading.solution import PacketErrors, packet_errors

MODULATIONS = tuple(_MODULATIONS)

__all__ = [
    "BCH",
    "MODULATIONS",
    "Chain",
    "Code",
    "Fit",
    "PacketErrors",
    "RunStats",
    "Runs",
    "code_of",
    "fit",
    "packet_errors",
]
