"""What a model of the zoo is: a formula with its source, and data on where it applies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_REACHED = 0.75  # of the largest window: where the sawtooth's mean is when it just reaches that


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """One bulk transfer over one link, in the terms of the formulas.

    - `rtt`: round-trip time in s, without queueing;
    - `loss_rate`: probability that a data packet is lost;
    - `burst`: mean run of packets lost one after the other: 1 / (1 - `loss_rate`) if independent;
    - `losses`: how losses come: "independent", "periodic" (every 1/p packets), or "rounds" (after
      the first loss of a round trip the rest of that round is lost too);
    - `timeout`: retransmission timeout T0 in s, before back-off; `backoff`: its largest multiple;
    - `ack_every`: segments per ACK (b): 2 with delayed ACKs, but 1 where congestion avoidance
      counts bytes and not ACKs, as in profile `rfc`;
    - `window`: most segments in flight; `rate`: of the bottleneck, bit/s; `mss`: bytes of payload;
    - `variant`, `growth`: loss recovery and growth of the window, as in scenarios; `c`, `beta`,
      `fast_convergence`: the parameters of CUBIC;
    - `up`, `down`: mean times in s for which the link is up and down; `down` = 0: always up.
    """

    rtt: float
    loss_rate: float = 0.0
    burst: float = 1.0
    losses: str = "independent"
    timeout: float = 1.0
    backoff: int = 64
    ack_every: int = 1
    window: float = math.inf
    rate: float = math.inf
    mss: int = 1460
    variant: str = "sack"
    growth: str = "reno"
    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    up: float = math.inf
    down: float = 0.0

    @property
    def capacity(self) -> float:
        """Segments per second that the bottleneck carries, headers not counted."""
        return self.rate / (8.0 * self.mss)


@dataclass(frozen=True)
class Covered:
    """The model answers: `throughput` segments per second.

    `outside` are the values beyond the range where it is accurate.
    """

    outside: tuple[str, ...] = ()
    throughput: float = field(default=math.nan, compare=False)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A formula and where it applies.

    - `source`: key of `refs.bib`; `title`: one line;
    - `refuses`: reason by reason, when the model has no answer;
    - `range`: attribute of `Conditions` to its lowest and highest value for which the answer was
      found within 20 % of the simulator's (profile `rfc`, RTT 0.1 s, T0 1 s: docs/models.md);
    - `answer`: segments delivered per second;
    - `knows_window`: whether `answer` takes the largest window into account. A model that does not
      is refused where that would often be reached, and every model where the rate would.
    """

    name: str
    title: str
    source: str
    refuses: Mapping[str, Callable[[Conditions], bool]]
    answer: Callable[[Conditions], float]
    range: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    knows_window: bool = True

    def covers(self, conditions: Conditions) -> Covered | str:
        """Whether the model answers for `conditions`: if not, the reasons."""
        reasons = [reason for reason, holds in self.refuses.items() if holds(conditions)]
        if reasons:
            return "; ".join(reasons)
        throughput = self.answer(conditions)
        if limit := self._limit(conditions, throughput):
            return limit
        outside = [
            f"{name} = {value:g} is outside {low:g} to {high:g}"
            for name, (low, high) in self.range.items()
            if not low <= (value := getattr(conditions, name)) <= high
        ]
        return Covered(tuple(outside), throughput)

    def _limit(self, at: Conditions, throughput: float) -> str:
        if throughput > at.capacity:
            return "the rate, not the losses, would limit it"
        if not self.knows_window and throughput * at.rtt > _REACHED * at.window:
            return "the window, not the losses, would limit it"
        return ""


def no_loss(conditions: Conditions) -> bool:
    """Whether nothing is lost by chance."""
    return not 0.0 < conditions.loss_rate < 1.0


def outages(conditions: Conditions) -> bool:
    """Whether the link goes down."""
    return conditions.down > 0.0
