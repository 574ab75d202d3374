"""The idealised TCPs of [zorzi] and [chockalingam] on a path that is a link on slots.

`slots` says when a path is one. The throughput per slot is that of `airtcp.models.zorzi`
[zorzi eqs. 4, 6, 8] or, over a link layer that retransmits, of `airtcp.models.chockalingam`.

The idealised sender has a timer per packet without backoff, hears of a delivery at once, and sends
nothing new while it recovers; a sender by the RFCs differs in all three.
"""

from __future__ import annotations

from functools import lru_cache

from airtcp.models.zoo.model import (
    RFC_REFUSALS,
    SPIKE_REFUSALS,
    Conditions,
    Model,
    Refusals,
    has_no_loss,
    has_outages,
)
from airtcp.models.zoo.slots import SlottedHop
from airtcp.scenario.two_state import TwoState

_WIDEST_WINDOW = 128  # packets: the time that the models take grows with its cube
_WIDEST_SACK_WINDOW = 24  # which is solved exactly
_WIDEST_ARQ_WINDOW = 64
_FEEDBACK = (
    10  # transmissions: the models have instant feedback, and the grid of their maps up to 3
)
_LONGEST_TIMER = 200_000  # slots of a timer, over a link layer that retransmits
_VARIANTS = ("tahoe", "reno", "newreno")


def _slots(at: Conditions) -> SlottedHop:
    assert at.slots is not None, at
    return at.slots


def answer_without_arq(conditions: Conditions) -> float:
    """Segments per second."""
    at, slots = conditions, _slots(conditions)
    return _per_slot(at.variant, slots.channel, int(at.window), int(at.timer)) / slots.slot_seconds


@lru_cache(maxsize=256)  # whether it answers is asked first, and needs the answer
def _per_slot(variant: str, channel: TwoState, window: int, timer: int) -> float:
    from airtcp.models import zorzi  # noqa: PLC0415  (imports SciPy)

    method = "exact" if variant == "sack" else "embedded"
    answer_found = zorzi.solve(variant, channel, window=window, timeout=timer, method=method)
    return answer_found.throughput


@lru_cache(maxsize=256)
def answer_with_arq(conditions: Conditions) -> float:
    """Segments per second."""
    from airtcp.models import chockalingam  # noqa: PLC0415  (imports SciPy)

    at, slots = conditions, _slots(conditions)
    answer_found = chockalingam.solve(
        at.variant,
        slots.channel,
        window=int(at.window),
        fragments=slots.fragments,
        attempts=slots.attempts,
        timeout=int(at.timeout / slots.slot_seconds),
    )
    return answer_found.throughput / slots.packet_seconds


def _has_early_feedback(at: Conditions) -> bool:
    return at.slots is not None and at.timer < at.window + 1.0


def _has_late_feedback(at: Conditions) -> bool:
    return at.slots is not None and at.feedback > _FEEDBACK


def _starves_link(at: Conditions) -> bool:
    return at.slots is not None and at.feedback + 1.0 > at.window


_REFUSES: Refusals = {
    **RFC_REFUSALS,
    "the model needs losses on the slots of a single hop": lambda at: at.slots is None,
    "the model needs random losses": has_no_loss,
    "the model does not cover outages": has_outages,
    **SPIKE_REFUSALS,
    "the model covers Reno's growth only": lambda at: at.growth != "reno",
    "the model needs a timer that outlasts the window": _has_early_feedback,
    f"the model needs ACKs within the time of {_FEEDBACK} packets": _has_late_feedback,
    "the model needs a window that fills the link": _starves_link,
}
ZORZI = Model(
    name="zorzi",
    title="idealised TCP on a link whose losses have memory: exact chains of cycles on slots",
    source="zorzi2000",
    refuses={
        **_REFUSES,
        "the model does not cover link layer that retransmits": lambda at: (
            at.slots is not None and at.slots.retransmits
        ),
        "the model covers Tahoe, Reno, NewReno and SACK only": lambda at: (
            at.variant not in (*_VARIANTS, "sack")
        ),
        f"the model covers windows up to {_WIDEST_WINDOW},"
        f" for SACK up to {_WIDEST_SACK_WINDOW}": lambda at: (
            at.window > (_WIDEST_SACK_WINDOW if at.variant == "sack" else _WIDEST_WINDOW)
        ),
    },
    answer=answer_without_arq,
    knows_bursts=True,
)
CHOCKALINGAM = Model(
    name="chockalingam",
    title="idealised TCP over a link layer that retransmits, on slots",
    source="chockalingam1999",
    refuses={
        **_REFUSES,
        "the model needs a link layer that retransmits": lambda at: (
            at.slots is None or not at.slots.retransmits
        ),
        "the model covers Tahoe, Reno and NewReno only": lambda at: at.variant not in _VARIANTS,
        f"the model covers windows up to {_WIDEST_ARQ_WINDOW}": lambda at: (
            at.window > _WIDEST_ARQ_WINDOW
        ),
        f"the model covers timers up to {_LONGEST_TIMER} slots": lambda at: (
            at.slots is not None and at.timeout > _LONGEST_TIMER * at.slots.slot_seconds
        ),
    },
    answer=answer_with_arq,
    knows_bursts=True,
)
