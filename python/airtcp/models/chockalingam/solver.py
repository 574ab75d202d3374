"""Solve: the cycles of TCP over the link layer, and their mean rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import known_name, real_number, refusal, whole_number
from airtcp.models.chockalingam.answer import Answer
from airtcp.models.chockalingam.link import Link
from airtcp.models.chockalingam.recovery import AfterLoss, Recovery
from airtcp.models.chockalingam.timer import IMAGINARY_STEP, Timer
from airtcp.models.chockalingam.variants import VARIANTS
from airtcp.models.zorzi.recovery import FAST_RECOVERY
from airtcp.models.zorzi.solver import exact_rates, stationary
from airtcp.models.zorzi.windows import first_loss, mean_first_loss, window_classes
from airtcp.scenario.two_state import TwoState

Floats = NDArray[np.float64]

METHODS = ("embedded", "exact")
COUNTS = ("transmissions", "retransmissions")
MOST_WINDOW = 64
MOST_WINDOW_EXACT = 48  # the width of a state of the compiled solver
MOST_DUPACKS = 1_000_000
MOST_FRAGMENTS = 65_536
MOST_ATTEMPTS = 1_000_000
MOST_TIMEOUT = 200_000  # slots: time grows with it
MOST_TIMEOUT_EXACT = 50_000  # memory, too
_TIMEOUT_PACKETS = 100  # MTO in TCP packets [chockalingam, section IV]


def solve(
    variant: str,
    channel: TwoState,
    *,
    window: int = 24,
    dupacks: int = 3,
    fragments: int,
    attempts: int,
    timeout: int | None = None,
    code_rate: float = 1.0,
    count: str = "transmissions",
    method: str = "embedded",
) -> Answer:
    """Compute the steady state of one TCP over a link layer that retransmits lost packets.

    Feedback is instant. With `fragments` and `attempts` 1 the model is `airtcp.models.zorzi.solve`.
    As there, "embedded" bounds the deliveries; times, transmissions and next states are exact for
    OldTahoe and Tahoe, and so are their bounds. Both methods assume that timers do not expire
    before the window is sent (`late_timers`). Source: [chockalingam reading, section 8]; cycles by
    [zorzi IV].

    Parameters
    ----------
    variant : str
        "oldtahoe", "tahoe", "reno" or "newreno", idealised as in `airtcp.models.zorzi`.
    channel : TwoState
        Losses of link-layer packets, one per slot; it moves in every slot.
    window : int, default 24
        Window W_max in TCP packets, 1 to 64 (48 for "exact").
    dupacks : int, default 3
        Threshold K of duplicate ACKs.
    fragments : int
        Number F of link-layer packets in a TCP packet.
    attempts : int
        Number n_l of transmissions of a link-layer packet after which the rest of the TCP packet is
        dropped; with `count` "retransmissions", the number of its retransmissions.
    timeout : int, optional
        Retransmission timeout in slots, from the first slot of a packet; 100 F if not given. At
        least F W_max (F (W_max + 1) for Reno and NewReno), the time of a window without losses, and
        at most 200 000 (50 000 for "exact").
    code_rate : float, default 1
        Data bits divided by bits on the air of a link-layer packet, for `net_throughput` and
        energy.
    count : str, default "transmissions"
        Meaning of `attempts`: "transmissions" or "retransmissions".
    method : str, default "embedded"
        "embedded" (a chain on the window alone), or "exact" (with the receiver's memory; a window
        of 24 takes tenths of a second, OldTahoe up to 15 s and 1 GB).

    Returns
    -------
    Answer
        Throughput, energy and other means, with bounds.

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> import airtcp as at
    >>> from airtcp.models import chockalingam
    >>> channel = at.TwoState(p_gb=0.01, p_bg=0.2)
    >>> round(chockalingam.solve("reno", channel, fragments=4, attempts=3).throughput, 3)
    0.415
    """
    _check_method(method)
    rate = real_number("code_rate", code_rate, "a number in (0, 1]")
    if not 0.0 < rate <= 1.0:
        raise refusal("code_rate", code_rate, "a number in (0, 1]")
    known_name("count", count, COUNTS)
    again = count == "retransmissions"
    tries = whole_number("attempts", attempts, 0 if again else 1, MOST_ATTEMPTS) + again
    link = Link(_channel(channel), whole_number("fragments", fragments, 1, MOST_FRAGMENTS), tries)
    case = _check_case(variant, link, window=window, dupacks=dupacks, timeout=timeout)
    rates_found = case.exact_answer() if method == "exact" else case.answer()
    useful = rates_found["throughput"] * rate
    return Answer(
        variant=variant,
        method=method,
        net_throughput=useful,
        bits_per_delivered_bit=rates_found["transmissions"] / useful if useful > 0.0 else math.inf,
        **rates_found,
    )


def _check_method(method: str) -> None:
    if method in ("printed", "tight"):
        allowed = 'embedded, whose `lower` and `upper` are such bounds, or exact: "printed" and'
        raise refusal("method", method, f'{allowed} "tight" are bounds for packets of one slot')
    known_name("method", method, METHODS)


def _channel(value: Any) -> TwoState:
    if not isinstance(value, TwoState):
        raise refusal("channel", value, "a TwoState")
    return value


def _check_case(
    variant: str, link: Link, *, window: int, dupacks: int, timeout: int | None
) -> _SolverCase:
    known_name("variant", variant, VARIANTS)
    window = whole_number("window", window, 1, MOST_WINDOW)
    dupacks = min(whole_number("dupacks", dupacks, 1, MOST_DUPACKS), window)
    return _SolverCase(
        variant, link, window, dupacks, _timeout(variant, window, link.fragments, timeout)
    )


def _timeout(variant: str, window: int, fragments: int, timeout: int | None) -> int:
    asked = _TIMEOUT_PACKETS * fragments if timeout is None else timeout
    slots = whole_number("timeout", asked, 1, MOST_TIMEOUT)
    resend = variant in FAST_RECOVERY
    least = (window + resend) * fragments
    if slots < least:
        what = "the whole window and one resend" if resend else "the whole window"
        raise refusal(
            "timeout",
            asked,
            f"at least {least} slots for {variant} at window {window} with {fragments} fragments"
            f" ({what} must be sent before the timer expires)",
        )
    return slots


@dataclass(frozen=True)
class _SolverCase:
    """One checked case."""

    variant: str
    link: Link
    window: int
    dupacks: int
    timeout: int

    def answer(self) -> dict[str, Any]:
        """The fields of `Answer` that do not depend on the code."""
        once = self.link.packet_transforms(np.array([1.0 + 1j * IMAGINARY_STEP]))
        packet = self.link.fates()
        p_gb, p_bg = packet.p_gb, packet.p_bg
        slots_good = float((once.gb + once.gg)[0].imag / IMAGINARY_STEP)
        slots_bad = float((once.bb + once.bg)[0].imag / IMAGINARY_STEP)
        if p_gb == 0.0:
            return self._lossless(slots_good) | {"packet": packet}
        air_good = slots_good / p_gb  # phase one from a good slot on, its loss included
        air_bad = slots_bad + p_bg * air_good
        return self._steady_state(p_gb, p_bg, air_good, air_bad) | {"packet": packet}

    def exact_answer(self) -> dict[str, Any]:
        """The fields of `Answer` by the compiled solver, which counts packets, not fragments."""
        for field, value, most in (
            ("window", self.window, MOST_WINDOW_EXACT),
            ("timeout", self.timeout, MOST_TIMEOUT_EXACT),
        ):
            if value > most:
                raise refusal(field, value, f'at most {most} for method "exact"; use "embedded"')
        link = self.link
        channel = link.channel.p_gb, link.channel.p_bg
        tcp = self.window, self.dupacks, self.timeout
        rates_found = exact_rates(self.variant, channel, tcp, (link.fragments, link.attempts))
        value, bound = (
            link.fragments * rates_found[name] for name in ("throughput", "error_bound")
        )
        same = ("mean_cycle_slots", "timeouts", "fast_retransmits", "pruned", "states")
        return {name: rates_found[name] for name in same} | {
            "lower": max(0.0, value - bound),
            "upper": min(1.0, value + bound),
            "throughput": value,
            "transmissions": rates_found["air"],
            "tcp_packets": link.fragments * rates_found["transmissions"],
            "late_timers": _share(rates_found["late_timers"], rates_found["timeouts"]),
            "packet": link.fates(),
            "error_bound": bound,
        }

    def _lossless(self, slots: float) -> dict[str, Any]:
        """The rates if no TCP packet is ever lost: packets follow each other, and no cycle ends."""
        share = self.link.fragments / slots
        names = ("lower", "upper", "throughput", "tcp_packets")
        never = dict.fromkeys(("timeouts", "fast_retransmits", "late_timers"), 0.0)
        rates = dict.fromkeys(names, share)
        return {**rates, **never, "transmissions": 1.0, "mean_cycle_slots": math.inf}

    def _steady_state(
        self, p_gb: float, p_bg: float, air_good: float, air_bad: float
    ) -> dict[str, float]:
        """Rewards per slot of the semi-Markov process [zorzi eqs. 4, 6, 8]."""
        window_states = window_classes(self.window)
        gb, bg = np.array([p_gb]), np.array([p_bg])
        start = _with_loss_at_once(
            first_loss(gb, bg, window_states)[0], window_states.threshold_count, 1.0 - p_bg
        )
        phase_two = self._phase_two()
        visited = (
            window_states.state_count
            if self.variant in FAST_RECOVERY
            else window_states.restart_count
        )
        often = stationary((start @ phase_two.next_state)[None, :visited, :visited])[0]
        at_loss = often @ start[:visited]
        sent = float(often @ mean_first_loss(gb, bg, window_states)[0, :visited])
        bad = np.arange(visited) < window_states.threshold_count
        air = float(often @ np.where(bad, air_bad, air_good))
        mean = {name: float(at_loss @ by_class) for name, by_class in phase_two.rewards().items()}
        return self._rates_per_slot(mean, sent, air)

    def _rates_per_slot(self, mean: dict[str, float], sent: float, air: float) -> dict[str, float]:
        """Per slot, from means per cycle of phase two and TCP packets and slots of phase one."""
        air += mean["air"]
        slots = air + mean["idle"]
        fragments = self.link.fragments / slots
        high = (sent - 1.0 + mean["high"]) * fragments
        return {
            "lower": (sent - 1.0 + mean["low"]) * fragments,
            "upper": high,
            "throughput": high,
            "transmissions": air / slots,
            "tcp_packets": (sent + mean["packets"]) * fragments,
            "mean_cycle_slots": slots,
            "timeouts": mean["timeouts"] / slots,
            "fast_retransmits": mean["fast_retransmits"] / slots,
            "late_timers": _share(mean["late"], mean["timeouts"]),
        }

    def _phase_two(self) -> Recovery:
        """Phase two, by class of the window at the loss."""
        window_states = window_classes(self.window)
        timer = Timer(self.link.channel, self.timeout)
        dupacks = self.window if self.variant == "oldtahoe" else self.dupacks
        window = AfterLoss(window_states, self.link, timer, dupacks)
        out = Recovery(window_states, timer)
        VARIANTS[self.variant](window, out)
        out.add_loss_at_once(window.first_after_bad)
        return out


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else 0.0


def _with_loss_at_once(start: Floats, bad_starts: int, lost: float) -> Floats:
    """Phase one with a class of its own for a loss of the first packet after a bad slot.

    It lasts shorter than a packet that is lost after a good one. The window is 1 then, class 0.
    """
    apart = np.zeros((start.shape[0], 1))
    apart[:bad_starts] = lost
    starts = np.hstack([start, apart])
    starts[:bad_starts, 0] -= lost
    return starts
