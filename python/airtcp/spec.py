"""Everything that a scenario can hold, as typed data.

Generated from the schema by scripts/gen.py; do not edit. A field that is None takes the profile's
value (docs/reference/scenario.md lists them). A field that accepts a sequence or a `Range` is an
axis of a sweep where it holds one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

Profile: TypeAlias = Literal["zorzi"]
Variant: TypeAlias = Literal["oldtahoe", "tahoe", "reno", "newreno"]
Method: TypeAlias = Literal["printed", "tight", "embedded", "exact"]
Clock: TypeAlias = Literal["slot", "packet"]


@dataclass(frozen=True)
class Range:
    """Evenly spaced values of an axis, both ends included: ``Range(0.001, 0.1, 9, "log")``.

    - `from_` (`from` in files), `to`: the ends; with "log" both positive;
    - `points`: how many values, at least 2;
    - `scale`: "linear" or "log", what the spacing is even on.
    """

    from_: float
    to: float
    points: int
    scale: Literal["linear", "log"]


@dataclass(frozen=True, kw_only=True)
class Tcp:
    """The transport.

    - `variant`: Loss recovery; oldtahoe, tahoe, reno, newreno.
    - `window`: Window that the receiver advertises, in packets (`W_max`); whole number 1 to
      1_000_000 (None: the profile's, 24 in zorzi).
    - `dupacks`: Duplicate ACKs that trigger a fast retransmit (K); whole number 1 to 1_000_000
      (None: the profile's, 3 in zorzi).
    - `timeout`: Length of a packet's timer in slots (`T_o`); whole number 1 to 1_000_000_000 (None:
      the profile's, 100 in zorzi).
    - `inflation`: Whether fast recovery sends new packets on an inflated window, as real TCP does;
      true or false (None: the profile's, false in zorzi).
    """

    variant: Variant | Sequence[Variant]
    window: int | Sequence[int] | Range | None = None
    dupacks: int | Sequence[int] | Range | None = None
    timeout: int | Sequence[int] | Range | None = None
    inflation: bool | Sequence[bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Link:
    """The medium's speed. A slot is the airtime of one packet.

    - `rate`: Transmission rate; text such as "1.5Mbps" (None: the profile's, 1.5Mbps in zorzi).
    - `packet`: Length of a data packet on the air; text such as "1400B" (None: the profile's, 1400B
      in zorzi).
    """

    rate: str | Sequence[str] | None = None
    packet: str | Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Ack:
    """What happens to acknowledgements.

    - `delay`: Slots between the end of a packet and the arrival of its ACK at the sender; whole
      number 0 to 1_000_000 (None: the profile's, 0 in zorzi).
    - `loss_rate`: Probability that an ACK is lost, independently; number 0 to 1 (None: the
      profile's, 0.0 in zorzi).
    """

    delay: int | Sequence[int] | Range | None = None
    loss_rate: float | Sequence[float] | Range | None = None


@dataclass(frozen=True, kw_only=True)
class Stop:
    """How long to simulate.

    - `slots`: Slots per replication; whole number 1 to 1_000_000_000_000 (None: the profile's,
      1000000 in zorzi).
    - `replications`: Independent repetitions; whole number 1 to 1_000_000 (None: the profile's, 20
      in zorzi).
    """

    slots: int | None = None
    replications: int | None = None


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """How to analyse.

    - `method`: Which of the paper's answers, or the exact one; printed, tight, embedded, exact
      (None: the profile's, embedded in zorzi).
    """

    method: Method | None = None


@dataclass(frozen=True, kw_only=True)
class Iid:
    """Independent losses.

    - `loss_rate`: Probability that a packet is lost; number 0 to 1.
    """

    kind: ClassVar[str] = "iid"

    loss_rate: float | Sequence[float] | Range


@dataclass(frozen=True, kw_only=True)
class TwoState:
    """Two-state Markov losses.

    - `p_gb`: P(lost | the previous one arrived); number 0 to 1.
    - `p_bg`: P(arrives | the previous one was lost); number 0 to 1.
    - `clock`: What a step of the chain is; slot, packet.
    """

    kind: ClassVar[str] = "two-state"

    p_gb: float | Sequence[float] | Range
    p_bg: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@dataclass(frozen=True, kw_only=True)
class Burst:
    """Two-state Markov losses by what one measures.

    - `loss_rate`: Mean loss rate; number 0 to 1.
    - `mean_burst`: Mean number of packets lost in a row, at least 1; number >= 1.
    - `clock`: What a step of the chain is; slot, packet.
    """

    kind: ClassVar[str] = "burst"

    loss_rate: float | Sequence[float] | Range
    mean_burst: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@dataclass(frozen=True, kw_only=True)
class RayleighTwoState:
    """A fading link by its loss rate (or fading margin) and Doppler.

    - `doppler`: Normalised Doppler bandwidth `f_dT`: maximum Doppler shift times packet airtime;
      number 1e-09 to 1_000.
    - `loss_rate`: Mean loss rate, below 1. Either this or the fading margin; number 0 to 1.
    - `fading_margin_db`: Fading margin in dB. Either this or the loss rate; number -20 to 200.
    - `clock`: What a step of the chain is; slot, packet.
    """

    kind: ClassVar[str] = "rayleigh-two-state"

    doppler: float | Sequence[float] | Range
    loss_rate: float | Sequence[float] | Range | None = None
    fading_margin_db: float | Sequence[float] | Range | None = None
    clock: Clock | Sequence[Clock] = "slot"


@dataclass(frozen=True, kw_only=True)
class GilbertElliott:
    """Two states with a loss probability each.

    - `p`: P(good to bad); number 0 to 1.
    - `r`: P(bad to good); number 0 to 1.
    - `h`: P(arrives | bad); number 0 to 1.
    - `k`: P(arrives | good); number 0 to 1.
    - `clock`: What a step of the chain is; slot, packet.
    """

    kind: ClassVar[str] = "gilbert-elliott"

    p: float | Sequence[float] | Range
    r: float | Sequence[float] | Range
    h: float | Sequence[float] | Range = 0.0
    k: float | Sequence[float] | Range = 1.0
    clock: Clock | Sequence[Clock] = "slot"


Channel: TypeAlias = Iid | TwoState | Burst | RayleighTwoState | GilbertElliott


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One link and one TCP, as plain data.

    - `title`: Title of tables and figures.
    - `profile`: The set of rules and defaults that everything else is read by.
    - `tcp`: The transport.
    - `link`: The medium's speed.
    - `channel`: What happens to data packets.
    - `ack`: What happens to acknowledgements.
    - `stop`: How long to simulate.
    - `analysis`: How to analyse.
    """

    title: str | None = None
    profile: Profile
    tcp: Tcp
    link: Link | None = None
    channel: Channel | Sequence[Channel]
    ack: Ack | None = None
    stop: Stop | None = None
    analysis: Analysis | None = None


SECTIONS: dict[str, type[Any]] = {
    "tcp": Tcp,
    "link": Link,
    "ack": Ack,
    "stop": Stop,
    "analysis": Analysis,
}
CHANNELS: dict[str, type[Channel]] = {
    "iid": Iid,
    "two-state": TwoState,
    "burst": Burst,
    "rayleigh-two-state": RayleighTwoState,
    "gilbert-elliott": GilbertElliott,
}
