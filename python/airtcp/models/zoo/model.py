"""A model of the zoo: a formula with its source, and data on where it applies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from airtcp.models.zoo.ranges import RANGES
from airtcp.models.zoo.slots import SlottedHop
from airtcp.models.zoo.spikes import DelaySpikes

_SAWTOOTH_MEAN = (
    0.75  # of the largest window: where the sawtooth's mean is when it just reaches that
)
_RANGE_TOLERANCE = (
    0.01  # by which a value may miss a range: airtimes make round trips of odd lengths
)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """One bulk transfer over one link, in the terms of the formulas.

    - `rtt`: round-trip time in s, without queueing;
    - `loss_rate`: probability that a data packet is lost;
    - `burst`: mean run of packets lost one after the other: 1 / (1 - `loss_rate`) if independent;
    - `losses`: how losses come: "independent", "periodic" (every 1/p packets), or "rounds" (after
      the first loss of a round trip the rest of that round is lost too);
    - `timeout`: retransmission timeout T0 in s, before backoff; `backoff`: its largest multiple;
    - `ack_every`: segments per ACK (b): 2 with delayed ACKs, but 1 where congestion avoidance
      counts bytes and not ACKs, as in profile `rfc`;
    - `delayed_ack`: how long the receiver waits for a second segment, s; 0: it acknowledges each;
    - `window`: largest number of segments in flight; `rate`: rate of the bottleneck, bit/s; `mss`:
      bytes of payload in a segment;
    - `variant`, `growth`: loss recovery and growth of the window, as in scenarios, or the control
      of Linux; `c`, `beta`, `fast_convergence`: the parameters of CUBIC;
    - `profile`: profile of the TCP, "rfc" or "linux";
    - `up`, `down`: mean times in s for which the link is up and down; `down` = 0: always up;
    - `spikes`: when the link holds its packets back without losing them, if it does;
    - `slots`: the hop and its link layer, if the path is a single hop with losses by slots.
    """

    rtt: float
    loss_rate: float = 0.0
    burst: float = 1.0
    losses: str = "independent"
    timeout: float = 1.0
    backoff: int = 64
    ack_every: int = 1
    delayed_ack: float = 0.0
    window: float = math.inf
    rate: float = math.inf
    mss: int = 1460
    variant: str = "sack"
    growth: str = "reno"
    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    profile: str = "rfc"
    up: float = math.inf
    down: float = 0.0
    spikes: DelaySpikes | None = None
    slots: SlottedHop | None = None

    @property
    def capacity(self) -> float:
        """Segments per second that the bottleneck carries, headers not counted."""
        return self.rate / (8.0 * self.mss)

    @property
    def pipe(self) -> float:
        """Segments that go in a round trip where nothing is lost, by the rate or by the window."""
        return min(self.capacity * self.rtt, self.window)

    @property
    def clustering(self) -> float:
        """Length of runs of losses over that of independent losses; at least 1."""
        return max(1.0, self.burst * (1.0 - self.loss_rate))

    @property
    def down_share(self) -> float:
        """The share of time for which the link is down."""
        return self.down / (self.up + self.down) if self.down > 0.0 else 0.0

    @property
    def interval(self) -> float:
        """Mean time from spike to spike, s."""
        return self.spikes.interval if self.spikes else math.inf

    @property
    def spike(self) -> float:
        """Mean length of a spike, s."""
        return self.spikes.length if self.spikes else 0.0

    @property
    def feedback(self) -> float:
        """Slots from the end of a transmission to the arrival of its ACK."""
        return self.rtt / self.slots.packet_seconds - 1.0 if self.slots else math.inf

    @property
    def timer(self) -> float:
        """The timeout in transmissions of a packet."""
        return self.timeout / self.slots.packet_seconds if self.slots else math.inf


@dataclass(frozen=True)
class ModelAnswer:
    """The model answers: `throughput` segments per second.

    `outside` are the values beyond the range where it is accurate.
    """

    outside: tuple[str, ...] = ()
    throughput: float = field(default=math.nan, compare=False)


Refusals = Mapping[str, Callable[[Conditions], bool]]


@dataclass(frozen=True, kw_only=True)
class Model:
    """A formula and where it applies.

    - `source`: key of `refs.bib`; `title`: one line;
    - `refuses`: reason by reason, when the model has no answer;
    - `answer`: segments delivered per second;
    - `knows_window`: true if `answer` takes the largest window into account. A model that does not
      is refused where that window would often be reached. Every model is refused where the rate of
      the link would often be reached;
    - `knows_bursts`: true if `answer` takes into account that losses come in runs;
    - `variants`: the loss recoveries with which its ranges were found; empty if its own conditions
      say so.
    """

    name: str
    title: str
    source: str
    refuses: Refusals
    answer: Callable[[Conditions], float]
    knows_window: bool = True
    knows_bursts: bool = False
    variants: tuple[str, ...] = ()

    @property
    def ranges(self) -> Mapping[str, Mapping[str, tuple[float, float]]]:
        """Ranges in which the answer is within 20 % of the simulator's, by profile.

        They have lowest and highest values of attributes of `Conditions`, and of `load`: the answer
        over the rate of the link. An empty range holds nowhere. docs/explanation/formulas.md has
        the rule, and the maps from which the ranges follow.
        """
        return RANGES.get(self.name, {})

    def answer_or_refusals(self, conditions: Conditions) -> ModelAnswer | str:
        """Check that the model answers for `conditions`: the answer, or the reasons against it."""
        reasons = [reason for reason, holds in self.refuses.items() if holds(conditions)]
        if reasons:
            return "; ".join(reasons)
        throughput = self.answer(conditions)
        if limit := self._limit(conditions, throughput):
            return limit
        outside = [
            f"{_coordinate_words(name)} = {_value(name, value)}"
            f" is outside {_range_ends(name, low, high)}"
            for name, (low, high) in self.ranges.get(conditions.profile, {}).items()
            if not _is_within(value := coordinate(name, conditions, throughput), low, high)
        ]
        if conditions.profile not in self.ranges:
            outside.append(f"the range was found with profile {' and '.join(self.ranges)}")
        elif not self.ranges[conditions.profile]:
            outside.append(f"with profile {conditions.profile} it was found to hold nowhere")
        if self.variants and conditions.variant not in self.variants:
            outside.append(f"the range was found with {' and '.join(self.variants)}")
        return ModelAnswer(tuple(outside), throughput)

    def missing_aspect(self, at: Conditions) -> str:
        """The aspect of the losses that the model lacks, although it answers; empty for none."""
        if self.knows_bursts or math.isclose(at.clustering, 1.0, rel_tol=_RANGE_TOLERANCE):
            return ""
        if at.loss_rate == 0.0:
            return ""
        return f"losses in runs of {at.burst:.3g}, which the model takes to be independent"

    def _limit(self, at: Conditions, throughput: float) -> str:
        if throughput > at.capacity * (1.0 + 1e-9):
            return "the rate, not the losses, would limit it"
        if not self.knows_window and throughput * at.rtt > _SAWTOOTH_MEAN * at.window:
            return "the window, not the losses, would limit it"
        return ""


def coordinate(name: str, at: Conditions, throughput: float) -> float:
    """The value of the coordinate `name` if a model answers `throughput`."""
    return throughput / at.capacity if name == "load" else float(getattr(at, name))


def _is_within(value: float, low: float, high: float) -> bool:
    return low * (1.0 - _RANGE_TOLERANCE) <= value <= high * (1.0 + _RANGE_TOLERANCE)


def range_words(low: float, high: float) -> str:
    """A range in words."""
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


_COORDINATE_WORDS = {  # of coordinates that are no words of scenarios
    "clustering": "clustering of losses (mean run over that of independent losses)",
    "feedback": "feedback (slots until the ACK)",
    "load": "load (answer over the rate of the link)",
    "pipe": "pipe (segments in a round trip)",
    "timer": "timer (transmissions of a packet)",
}
_COORDINATES_IN_SECONDS = ("rtt", "delayed_ack", "up", "interval", "spike")


def _coordinate_words(name: str) -> str:
    return _COORDINATE_WORDS.get(name, name)


def _unit(name: str, most: float) -> tuple[str, float]:
    """The unit in which to write a coordinate, and the factor to it, for values up to `most`."""
    if name not in _COORDINATES_IN_SECONDS:
        return "", 1.0
    return (" s", 1.0) if most >= 1.0 else (" ms", 1e3)


def _value(name: str, value: float) -> str:
    unit, per = _unit(name, value)
    return f"{value * per:.3g}{unit}"


def _range_ends(name: str, low: float, high: float) -> str:
    unit, per = _unit(name, high)
    return f"{range_words(low * per, high * per)}{unit}"


def has_no_loss(conditions: Conditions) -> bool:
    """True if nothing is lost by chance."""
    return not 0.0 < conditions.loss_rate < 1.0


def has_outages(conditions: Conditions) -> bool:
    """True if the link goes down."""
    return conditions.down > 0.0


def _retransmits(conditions: Conditions) -> bool:
    return conditions.slots is not None and conditions.slots.retransmits


def _delays_acks(conditions: Conditions) -> bool:
    return conditions.slots is not None and conditions.slots.slotted


RFC_REFUSALS: Refusals = {
    "the model covers the timer of RFC 6298, not that of Linux": lambda at: at.profile != "rfc"
}
SLOT_REFUSALS: Refusals = {
    "the model does not cover link layer that retransmits": _retransmits,
    "the model does not cover transmissions that wait for slots": _delays_acks,
}
SPIKE_REFUSALS: Refusals = {
    "the model does not cover delay spikes": lambda at: at.spikes is not None
}
LOSSY_REFUSALS: Refusals = {
    "the model needs random losses": has_no_loss,
    "the model does not cover outages": has_outages,
    **SPIKE_REFUSALS,
    **SLOT_REFUSALS,
}
