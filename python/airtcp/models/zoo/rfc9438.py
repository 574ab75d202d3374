"""RFC 9438: the mean windows of CUBIC and of an AIMD, where losses come every 1/p packets.

The RFC's equations are its figures. CUBIC keeps in its Reno-friendly region at least Reno's
window, so its mean is the larger of the two [RFC 9438, section 5.1]. On independent losses it gave
0.81 to 0.86 of the simulator's throughput up to 0.003, 0.92 at 0.01, 1.05 at 0.03: random
intervals do better than regular ones, and timeouts are missing.
"""

from __future__ import annotations

import math

from airtcp.models.zoo.model import LOSSY_REFUSALS, Conditions, Model

RENO_CONSTANT = 1.2  # Reno's window times sqrt(p), as RFC 3649 has it; figure 3 gives 1.22


def aimd_window(p: float, alpha: float = 1.0, beta: float = 0.5) -> float:
    """Mean window in segments of AIMD(alpha, beta) [RFC 9438, figure 3]."""
    return math.sqrt(alpha * (1.0 + beta) / (2.0 * (1.0 - beta) * p))


def friendly_alpha(beta: float) -> float:
    """The increase per round trip that makes AIMD(alpha, beta) as fast as Reno [RFC 9438, 4.3]."""
    return 3.0 * (1.0 - beta) / (1.0 + beta)


def cubic_window(p: float, rtt: float, c: float = 0.4, beta: float = 0.7) -> float:
    """Mean window in segments of the cubic function alone [RFC 9438, figure 6]."""
    return _steepness(c, beta) * math.pow(rtt / p, 0.75)


def loss_rate_for(window: float, rtt: float, c: float = 0.4, beta: float = 0.7) -> float:
    """The loss rate at which the cubic function has that mean window: figure 6, solved for p."""
    return rtt * math.pow(_steepness(c, beta) / window, 4.0 / 3.0)


def _steepness(c: float, beta: float) -> float:
    return math.pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 0.25)


def average_window(
    p: float, rtt: float, c: float = 0.4, beta: float = 0.7, reno: float = RENO_CONSTANT
) -> float:
    """Mean window of CUBIC in segments, as in tables 1 and 2 of the RFC."""
    return max(cubic_window(p, rtt, c, beta), reno / math.sqrt(p))


def answer(conditions: Conditions) -> float:
    """Segments per second: a window per round trip."""
    at = conditions
    return average_window(at.loss_rate, at.rtt, at.c, at.beta) / at.rtt


MODEL = Model(
    name="rfc9438",
    title="CUBIC where losses come regularly, never below Reno",
    source="rfc9438",
    refuses={
        **LOSSY_REFUSALS,
        "the model covers CUBIC's growth only": lambda at: at.growth != "cubic",
    },
    answer=answer,
    variants=("sack",),
    knows_window=False,
)
