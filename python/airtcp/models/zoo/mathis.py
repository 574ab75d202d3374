"""Mathis, Semke, Mahdavi and Ott (1997): the window falls with the square root of the loss rate.

Congestion avoidance alone: a round trip adds 1/b to the window, a loss halves it, there is no
timeout and no other limit. Then the rate is C / (RTT sqrt(p)) [mathis1997, eq. 3], and C depends
on b, the segments per ACK, and on how losses come:

- periodic, one in every 1/p packets: C = sqrt(3 / (2 b)), 1.22 and, with delayed ACKs, 0.87;
- independent: with N ~ Exp(1) packets of 1/p between losses the window W' before a loss obeys W'^2
  = (W'/2)^2 + 2 N / (p b), so W' = sqrt(2 S / (p b)) with S = sum N_k 4^-k. A cycle delivers 1/p
  packets in b W'/2 round trips: C = sqrt(2 / b) / E[sqrt S], 1.31 and 0.93. The moments of such a
  sum are a product of quotients (E[S^r] = Gamma(1 + r) prod_k (1 - 4^-(k + r)) / (1 - 4^-k)).

The four numbers come from the paper's table of constants. On independent losses the formula gave
1.01 to 1.06 of the simulator's throughput up to 0.001, 1.08 (SACK) to 1.13 (Reno) at 0.003, 1.17 to
1.28 at 0.01, where timeouts begin to count.
"""

from __future__ import annotations

import math

from airtcp.models.zoo.model import LOSSY_REFUSALS, Conditions, Model

_FACTORS = 30  # of the product: the next one differs from 1 by 4^-31


def constant(losses: str, ack_every: int = 1) -> float:
    """C for "periodic" or "independent" losses and b = `ack_every` segments per ACK."""
    if losses == "periodic":
        return math.sqrt(1.5 / ack_every)
    return math.sqrt(2.0 / ack_every) / _mean_root()


def _mean_root() -> float:
    """E[sqrt S], S = sum N_k 4^-k."""
    powers = [math.pow(4.0, -k) for k in range(1, _FACTORS + 1)]
    return math.gamma(1.5) * math.prod((1.0 - power / 2.0) / (1.0 - power) for power in powers)


def answer(conditions: Conditions) -> float:
    """Segments per second [mathis1997, eq. 3]."""
    c = constant(conditions.losses, conditions.ack_every)
    return c / (conditions.rtt * math.sqrt(conditions.loss_rate))


MODEL = Model(
    name="mathis",
    title="the square root of the loss rate: congestion avoidance alone",
    source="mathis1997",
    refuses={
        **LOSSY_REFUSALS,
        "the model does not cover bursts of losses": lambda at: at.losses == "rounds",
        "the model covers Reno's growth only": lambda at: at.growth != "reno",
        "the model does not cover Tahoe": lambda at: at.variant in ("tahoe", "oldtahoe"),
    },
    answer=answer,
    variants=("reno", "sack"),
    knows_window=False,
)
