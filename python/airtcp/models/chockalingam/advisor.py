"""Advice: the link layer that suits an SNR and a Doppler shift, by the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from airtcp.errors import known_name, real_number, refusal, whole_number
from airtcp.models.chockalingam.solver import solve
from airtcp.models.fading import PacketErrors, packet_errors
from airtcp.models.table import Table

OBJECTIVES = ("throughput", "energy")
CODES = (None, "bch(255,131)", "bch(255,87)")
ATTEMPTS = (1, 2, 4, 8, 16, 32, 64, 128)
LL_BYTES = (32, 64, 128)
_TIMEOUT_DOMAIN = "a time above 0, in s"


def advise(
    *,
    snr_db: float,
    doppler_hz: float,
    packet_bytes: int = 1024,
    ll_bytes: Sequence[int] = LL_BYTES,
    attempts: Sequence[int] = ATTEMPTS,
    codes: Sequence[str | None] = CODES,
    objective: str = "throughput",
    variant: str = "tahoe",
    window: int = 24,
    dupacks: int = 3,
    timeout: float | None = None,
    rate: str = "1.5Mbps",
    modulation: str = "bpsk",
) -> Table:
    """List all choices of fragment size, attempts and code for a Rayleigh channel, the best first.

    A TCP packet sent once, uncoded and in one piece is among the choices (`ll_bytes` = N_T). Losses
    follow the two-state fit to the fading, which understates the effect of few attempts where the
    fading is slow (see `airtcp.models.fading.fit`). Loss rates are kept; the first answer for a
    channel takes some seconds for each size and code.

    Parameters
    ----------
    snr_db : float
        Mean signal-to-noise ratio per transmitted bit, dB.
    doppler_hz : float
        Maximum Doppler shift, Hz.
    packet_bytes : int, default 1024
        Length N_T of a TCP packet, bytes.
    ll_bytes : sequence of int
        Lengths N_L of a link-layer packet to try, bytes.
    attempts : sequence of int
        Largest numbers of transmissions n_l of a link-layer packet to try.
    codes : sequence of str or None
        Names of codes to try; None for no code.
    objective : str, default "throughput"
        "throughput": delivered bits of data per second. "energy": the fewest bits on the air per
        delivered bit of data. Parity and retransmissions count in both.
    variant : str, default "tahoe"
        TCP variant, as for `solve`.
    window : int, default 24
        Window W_max in TCP packets.
    dupacks : int, default 3
        Threshold K of duplicate ACKs.
    timeout : float, optional
        Retransmission timeout in s, from the first slot of a packet; 100 times its airtime if not
        given, which is longer for coded packets.
    rate : str, default "1.5Mbps"
        Rate of the transmitted bits, with its unit.
    modulation : str, default "bpsk"
        bpsk, dpsk, fsk or ncfsk.

    Returns
    -------
    Table
        The columns `code`, `ll_bytes`, `attempts`, `fragments`, `loss_rate`, `recovery`, the
        paper's `throughput` (share of slots, parity not counted), `bits_per_second` and
        `bits_per_delivered_bit`.

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> from airtcp.models import chockalingam
    >>> found = chockalingam.advise(
    ...     snr_db=20, doppler_hz=10, packet_bytes=32, ll_bytes=[32], attempts=[1, 4], codes=[None]
    ... )
    >>> len(found["attempts"])
    3
    """
    known_name("objective", objective, OBJECTIVES)
    size = whole_number("packet_bytes", packet_bytes, 1, 1_000_000)
    if timeout is not None and real_number("timeout", timeout, _TIMEOUT_DOMAIN) <= 0.0:
        raise refusal("timeout", timeout, _TIMEOUT_DOMAIN)
    link = {"snr_db": snr_db, "doppler_hz": doppler_hz, "rate": rate, "modulation": modulation}
    tcp = {"variant": variant, "window": window, "dupacks": dupacks}
    case = _AdvisorCase(size, timeout, link, tcp)
    grid = product(
        _check_list("codes", codes),
        _check_list("ll_bytes", ll_bytes),
        _check_list("attempts", attempts),
    )
    rows = [case.row(None, size, 1)] + [case.row(*choice) for choice in grid]
    if objective == "throughput":
        rows.sort(key=lambda row: -row["bits_per_second"])
    else:
        rows.sort(key=lambda row: row["bits_per_delivered_bit"])
    return Table({name: np.array([row[name] for row in rows]) for name in rows[0]})


@dataclass(frozen=True)
class _AdvisorCase:
    """The values that all choices have in common."""

    packet_bytes: int
    timeout: float | None
    link: dict[str, Any]
    tcp: dict[str, Any]

    def row(self, code: str | None, fragment: int, attempts: int) -> dict[str, Any]:
        """The row of one choice."""
        losses = packet_errors(bytes=fragment, code=code, **self.link)
        fragments = -(-self.packet_bytes // fragment)
        answer = solve(
            channel=losses.two_state,
            fragments=fragments,
            attempts=attempts,
            timeout=self.timeout_slots(losses),
            code_rate=8.0 * self.packet_bytes / (fragments * losses.air_bits),
            **self.tcp,
        )
        return {
            "code": "none" if code is None else code,
            "ll_bytes": fragment,
            "attempts": attempts,
            "fragments": fragments,
            "loss_rate": losses.loss_rate,
            "recovery": losses.recovery,
            "throughput": answer.throughput,
            "bits_per_second": answer.net_throughput * losses.air_bits / losses.airtime,
            "bits_per_delivered_bit": answer.bits_per_delivered_bit,
        }

    def timeout_slots(self, losses: PacketErrors) -> int | None:
        """The timer in slots."""
        return None if self.timeout is None else max(1, round(self.timeout / losses.airtime))


def _check_list(field: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise refusal(field, values, "a list of at least one value")
    checked = list(values)
    if not checked:
        raise refusal(field, values, "a list of at least one value")
    return checked
