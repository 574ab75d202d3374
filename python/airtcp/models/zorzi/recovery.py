"""Phase two of a cycle: from the first loss (slot 0) to the start of the next cycle.

Source: [zorzi IV-E to IV-G, eqs. 11-25]. One function per variant, as in the paper; the events that
the variants share are methods of `LossWindow`.

Slots 1, 2, ... carry the rest of the window, floor(Y) - 1 packets, until K of them have succeeded
(each is a duplicate ACK). The timer of the packet of slot 0 ends with slot T_o - 1, and the next
cycle's slot 1 is slot T_o. Whether a success counts as a delivery depends on what the receiver
holds already; here it is bounded from both sides. Three ways of counting:

- `printed`: the paper's, with the misprint of eq. (23) corrected. Its lower bound counts nothing
  for the run of successes right after the loss when the timer expires or Tahoe rewinds. Its
  eqs. (24) and (25) count the transmissions of a failed recovery only roughly.
- `tight`: that run is always delivered (the cumulative ACK skips it), so it counts; and eqs. (24)
  and (25) with exact transmissions and closer times and deliveries.
- `embedded`: in addition the failed recovery of eqs. (24) and (25) is exact in time, transmissions
  and next state; only its deliveries are still bounded.

Left out: the receiver's memory of packets from earlier cycles (see `airtcp.models.zorzi.oracle`),
and anything sent beyond the window during recovery (no window inflation on the air).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from airtcp.models.zorzi.windows import Floats, Ints, Numbers, WindowClasses
from airtcp.scenario.two_state import n_step


@dataclass
class Recovery:
    """Transition probabilities and mean rewards of phase two [zorzi eq. 20].

    `next_state` has shape (channels, Omega_Y, Omega_X). The rewards depend on floor(Y) alone: shape
    (channels, W_max + 1), indexed by floor(Y), already weighted by probability. `low` and `high`
    are the pessimistic and the optimistic count of deliveries.
    """

    window_states: WindowClasses
    channels: int
    next_state: Floats = field(init=False)
    slots: Floats = field(init=False)
    transmissions: Floats = field(init=False)
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    timeouts: Floats = field(init=False)
    fast_retransmits: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Start from zero."""
        self.next_state = np.zeros(
            (self.channels, self.window_states.floor.size, self.window_states.state_count)
        )
        by_floor = (self.channels, self.window_states.window_max + 1)
        for name in ("slots", "transmissions", "low", "high", "timeouts", "fast_retransmits"):
            setattr(self, name, np.zeros(by_floor))

    def lead_to(self, state: Ints, mass: Floats) -> None:
        """Add `mass` (by floor(Y)) from each class to `state` (by class)."""
        classes = np.arange(self.window_states.floor.size)
        self.next_state[:, classes, state] += mass[:, self.window_states.floor]

    def time_out(self, to_bad: Floats, to_good: Floats, threshold: Ints) -> None:
        """Restart with window 1; the channel is B or G in the last slot of the timer."""
        self.lead_to(self.window_states.restart_state(False, threshold), to_bad)
        self.lead_to(self.window_states.restart_state(True, threshold), to_good)
        self.timeouts += to_bad + to_good

    def reward(self, mass: Floats, slots: Numbers, transmissions: Numbers) -> None:
        """Add `mass` with fixed slots and transmissions (arrays that broadcast with it)."""
        self.slots += mass * slots
        self.transmissions += mass * transmissions


@dataclass(frozen=True, eq=False)
class AfterLoss:
    """Distributions of the events that follow a loss in slot 0, for a vector of channels.

    `dupacks` is K, at most W_max (above, fast retransmission never happens); `timeout` is T_o.
    """

    p_gb: Floats
    p_bg: Floats
    window_states: WindowClasses
    dupacks: int
    timeout: int

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.p_gb.size)

    @cached_property
    def window_index(self) -> Ints:
        """floor(Y) = 0 .. W_max, the index of every array by window."""
        return np.arange(self.window_states.window_max + 1, dtype=np.int64)

    @cached_property
    def slots(self) -> Ints:
        """Slots i = 0 .. W_max - 1 in which the K-th success can fall."""
        return np.arange(self.window_states.window_max, dtype=np.int64)

    @cached_property
    def phi(self) -> tuple[Floats, Floats]:
        """phi_BB(k, x), phi_BG(k, x): P[k successes in slots 1 .. x, slot x bad or good | loss].

        Shape (channels, K + 1, W_max). Recursion over x [zorzi IV-E].
        """
        shape = (self.channels, self.dupacks + 1, self.window_states.window_max)
        bad, good = np.zeros(shape), np.zeros(shape)
        bad[:, 0, 0] = 1.0
        gb, bg = self.p_gb[:, None], self.p_bg[:, None]
        for x in range(1, self.window_states.window_max):
            was_bad, was_good = bad[:, :, x - 1], good[:, :, x - 1]
            bad[:, :, x] = was_bad * (1.0 - bg) + was_good * gb
            good[:, 1:, x] = was_bad[:, :-1] * bg + was_good[:, :-1] * (1.0 - gb)
        return bad, good

    @cached_property
    def run_probabilities(self) -> Floats:
        """P[slots 1 .. r all succeed], r = 0 .. W_max: p_BG p_GG^(r-1)."""
        stay = (1.0 - self.p_gb[:, None]) ** np.maximum(self.window_index - 1, 0)
        return np.where(self.window_index == 0, 1.0, self.p_bg[:, None] * stay)

    @cached_property
    def first_loss(self) -> Floats:
        """P[first loss after slot 0 is in slot l], l = 1 .. K, index l - 1 [zorzi eq. 15]."""
        loss = np.tile(self.p_gb[:, None], (1, self.dupacks))
        loss[:, 0] = 1.0 - self.p_bg  # slot 1 follows the loss of slot 0
        first: Floats = self.run_probabilities[:, : self.dupacks] * loss
        return first

    @cached_property
    def kth_success(self) -> Floats:
        """P[the K-th success falls in slot i] = phi_BG(K, i), shape (channels, W_max)."""
        return self.phi[1][:, self.dupacks]

    @cached_property
    def no_further_loss(self) -> Floats:
        """P[B(K)] at i = K: no further loss before the K-th success [zorzi eq. 14]."""
        only = np.zeros((self.channels, self.window_states.window_max))
        if self.dupacks < self.window_states.window_max:
            only[:, self.dupacks] = self.run_probabilities[:, self.dupacks]
        return only

    @cached_property
    def further_loss_then_kth_success(self) -> Floats:
        """P[B(i, l)]: K-th success in slot i > K, first loss in slot l [zorzi eq. 15].

        Shape (channels, W_max, K), index (i, l - 1).
        """
        lost = np.arange(1, self.dupacks + 1)
        rest = self.slots[:, None] - lost
        after = self.phi[1][:, self.dupacks - lost + 1, np.maximum(rest, 0)]
        possible = (self.slots[:, None] > self.dupacks) & (rest > 0)
        return np.where(possible, self.first_loss[:, None, :] * after, 0.0)

    def channel_after(self, start_good: bool, steps: Ints) -> tuple[Floats, Floats]:
        """P[B], P[G] after `steps` more slots, shape (channels, *steps.shape)."""
        channel = (slice(None), *(None for _ in range(steps.ndim)))
        bb, bg, gb, gg = n_step(self.p_gb[channel], self.p_bg[channel], np.maximum(steps, 0))
        return (gb, gg) if start_good else (bb, bg)

    def sum_below_window(self, by_slot: Floats) -> Floats:
        """Sum over the slots i < floor(Y) of an array (channels, W_max): index floor(Y)."""
        total = np.zeros((self.channels, self.window_states.window_max + 1))
        np.cumsum(by_slot, axis=1, out=total[:, 1:])
        return total

    def next_threshold(self, gained: int | None = None) -> Ints:
        """Next threshold by class: ceil(Y/2), or ceil(W'/2).

        W' = min(ceil(Y/2) + gained, W_max) is the window inflated during recovery.
        """
        if gained is None:
            return self.window_states.half
        return (
            np.minimum(self.window_states.half + gained, self.window_states.window_max) + 1
        ) // 2


def oldtahoe(window: AfterLoss, method: str) -> tuple[Recovery, Recovery]:
    """Every loss waits for its timer [zorzi eq. 21]."""
    out = Recovery(window.window_states, window.channels)
    to_bad, to_good = window.channel_after(False, np.array([window.timeout - 1]))
    everywhere = np.ones_like(out.slots)
    out.time_out(to_bad * everywhere, to_good * everywhere, window.next_threshold())
    out.reward(everywhere, np.array(window.timeout - 1), window.window_index - 1)
    succeed = window.channel_after(False, window.slots)[1]  # p_BG(i); slot 0 is the loss
    out.high += window.sum_below_window(succeed)
    if method != "printed":
        out.low += window.sum_below_window(window.run_probabilities[:, :-1]) - (
            window.window_index > 0
        )  # less r = 0
    return out, out


def tahoe(window: AfterLoss, method: str) -> tuple[Recovery, Recovery]:
    """Fast retransmission restarts with window 1 [zorzi eqs. 11, 13, 22]."""
    out = Recovery(window.window_states, window.channels)
    _wait_for_timer(window, out, method)
    triggered = window.sum_below_window(window.kth_success)
    out.lead_to(window.window_states.restart_state(True, window.next_threshold()), triggered)
    out.fast_retransmits += triggered
    slots = window.sum_below_window(window.kth_success * window.slots)
    out.slots += slots
    out.transmissions += slots
    out.high += triggered * window.dupacks
    if method != "printed":
        ran = (
            window.no_further_loss * window.dupacks
            + window.further_loss_then_kth_success @ np.arange(float(window.dupacks))
        )
        out.low += window.sum_below_window(ran)
    return out, out


def reno(window: AfterLoss, method: str) -> tuple[Recovery, Recovery]:
    """One retransmission; a second loss in the window waits for its timer [zorzi eqs. 11-19]."""
    out = Recovery(window.window_states, window.channels)
    _wait_for_timer(window, out, method)
    _retransmit_first(window, out)

    # eq. (19): the retransmission succeeds, the packet lost in slot l times out
    good = window.further_loss_then_kth_success * (1.0 - window.p_gb)[:, None, None]
    lost = np.arange(1, window.dupacks + 1)
    to_bad, to_good = window.channel_after(True, window.timeout + lost - window.slots[:, None] - 2)
    out.time_out(
        window.sum_below_window((good * to_bad).sum(axis=2)),
        window.sum_below_window((good * to_good).sum(axis=2)),
        window.next_threshold(window.dupacks + 1),
    )
    mass = good.sum(axis=2)
    out.slots += window.sum_below_window(good @ (lost + window.timeout - 1.0))
    out.transmissions += window.sum_below_window(mass * (window.slots + 1))
    out.low += window.sum_below_window(good @ lost.astype(np.float64))
    out.high += window.sum_below_window(mass * (window.dupacks + 1))
    return out, out


def newreno(window: AfterLoss, method: str) -> tuple[Recovery, Recovery]:
    """Holes are resent one by one until all are filled or a resend fails [zorzi IV-G].

    Returns the pessimistic and the optimistic chain: one and the same for `embedded`.
    """
    common = Recovery(window.window_states, window.channels)
    _wait_for_timer(window, common, method)
    _retransmit_first(window, common)
    _recover_all(window, common)
    if method == "embedded":
        _fail_at_known_hole(window, common)
        return common, common
    other = _copy_recovery(common)
    _fail_at_bounded_hole(window, common, _PESSIMISTIC_BOUNDS[method])
    _fail_at_bounded_hole(window, other, _OPTIMISTIC_BOUNDS[method])
    return common, other


VARIANTS: dict[str, Callable[[AfterLoss, str], tuple[Recovery, Recovery]]] = {
    "oldtahoe": oldtahoe,
    "tahoe": tahoe,
    "reno": reno,
    "newreno": newreno,
}
EXACT_ONLY = ("sack",)  # the compiled solver alone has these
FAST_RECOVERY = ("reno", "newreno", "sack")  # these resend within the window


def _wait_for_timer(window: AfterLoss, out: Recovery, method: str) -> None:
    """Fewer than K successes: no fast retransmission [zorzi eqs. 11, 13]."""
    k, size = window.dupacks, window.window_index
    bad, good = (phi[:, :k, :] for phi in window.phi)
    last = np.maximum(size - 1, 0)
    end_bad = np.where(size > 0, bad.sum(axis=1)[:, last], 0.0)
    end_good = np.where(size > 0, good.sum(axis=1)[:, last], 0.0)
    remaining = window.timeout - size
    (bad_bad, bad_good), (good_bad, good_good) = (
        window.channel_after(False, remaining),
        window.channel_after(True, remaining),
    )
    out.time_out(
        end_bad * bad_bad + end_good * good_bad,
        end_bad * bad_good + end_good * good_good,
        window.next_threshold(),
    )
    out.reward(end_bad + end_good, np.array(window.timeout - 1), size - 1)
    successes = np.arange(k)[None, :, None]
    out.high += ((bad + good) * successes).sum(axis=1)[:, last]
    if method != "printed":
        out.low += _run_before_timer(window)


def _run_before_timer(window: AfterLoss) -> Floats:
    """E[length of the run of successes right after the loss; fewer than K successes in all]."""
    k = window.dupacks
    fewer = np.cumsum((window.phi[0] + window.phi[1])[:, :k, :], axis=1)  # P[<= k' successes]
    mean = np.zeros((window.channels, window.window_states.window_max + 1))
    for size in range(2, window.window_states.window_max + 1):
        run = np.arange(1, min(k, size - 1))  # run, then a loss in slot run + 1 <= size - 1
        ends = window.first_loss[:, run] * fewer[:, k - run - 1, size - 2 - run]
        mean[:, size] = ends @ run.astype(np.float64)
        if size - 1 < k:  # the run fills the window
            mean[:, size] += (size - 1) * window.run_probabilities[:, size - 1]
    return mean


def _retransmit_first(window: AfterLoss, out: Recovery) -> None:
    """The resend of the packet of slot 0: a single loss recovers, or the resend fails.

    [zorzi eqs. 16-18]; the same for Reno and NewReno.
    """
    k = window.dupacks
    out.fast_retransmits += window.sum_below_window(window.kth_success)

    # eq. (16): one loss, resent with success
    recovered = window.sum_below_window(window.no_further_loss * (1.0 - window.p_gb)[:, None])
    out.lead_to(window.window_states.recovered_state(window.next_threshold()), recovered)
    out.reward(recovered, np.array(k + 1), np.array(k + 1))
    out.low += recovered * (k + 1)
    out.high += recovered * (k + 1)

    # eqs. (17), (18): the resend in slot i + 1 fails, and the timer of slot 0 expires
    failed = window.kth_success * window.p_gb[:, None]
    to_bad, to_good = window.channel_after(False, window.timeout - window.slots - 2)
    out.time_out(
        window.sum_below_window(failed * to_bad),
        window.sum_below_window(failed * to_good),
        window.next_threshold(k),
    )
    out.slots += window.sum_below_window(failed * (window.timeout - 1))
    out.transmissions += window.sum_below_window(failed * (window.slots + 1))
    ran = window.no_further_loss * k + window.further_loss_then_kth_success @ np.arange(float(k))
    out.low += window.sum_below_window(ran * window.p_gb[:, None])
    out.high += window.sum_below_window(failed * k)


def _recover_all(window: AfterLoss, out: Recovery) -> None:
    """All i - K + 1 losses resent with success [zorzi eq. 23, exponent i + 1 - K]."""
    k, i = window.dupacks, window.slots
    resends = np.maximum(i + 1 - k, 0)
    mass = (
        window.further_loss_then_kth_success.sum(axis=2) * (1.0 - window.p_gb[:, None]) ** resends
    )
    recovered = window.sum_below_window(mass)
    out.lead_to(window.window_states.recovered_state(window.next_threshold()), recovered)
    time = window.sum_below_window(mass * (2 * i + 1 - k))
    out.slots += time
    out.transmissions += time
    counted = window.sum_below_window(mass * (i + 1))
    out.low += counted
    out.high += counted


@dataclass(frozen=True)
class _Bound:
    """Bounds of eqs. (24) and (25) in place of values that depend on the place of the failing hole.

    Functions of (window, i, j): slots, transmissions and deliveries of a cycle that fails after j
    further good resends; `per_first_loss` is added to slots or deliveries for each slot up to the
    first loss l.
    """

    channel_good: bool
    slots: Callable[[AfterLoss, Ints, Ints], Ints]
    transmissions: Callable[[AfterLoss, Ints, Ints], Ints]
    delivered: Callable[[AfterLoss, Ints, Ints], Ints]
    slots_by_window: bool = False
    slots_per_first_loss: int = 0
    delivered_per_first_loss: int = 0


_PESSIMISTIC_BOUNDS = {
    # eq. (24): the slot count floor(Y) - 1 + T_o - 1 is the one quantity that depends on Y
    "printed": _Bound(
        channel_good=False,
        slots=lambda window, i, j: np.array(window.timeout - 2),
        slots_by_window=True,
        transmissions=lambda window, i, j: 2 * i - window.dupacks,
        delivered=lambda window, i, j: np.array(0),
        delivered_per_first_loss=1,
    ),
    "tight": _Bound(
        channel_good=False,
        slots=lambda window, i, j: window.dupacks + j + window.timeout - 1,
        transmissions=lambda window, i, j: i + j + 2,
        delivered=lambda window, i, j: j,
        delivered_per_first_loss=1,
    ),
}
_OPTIMISTIC_BOUNDS = {
    # eq. (25)
    "printed": _Bound(
        channel_good=True,
        slots=lambda window, i, j: np.array(window.timeout - 1),
        slots_per_first_loss=1,
        transmissions=lambda window, i, j: i + 1,
        delivered=lambda window, i, j: i,
    ),
    "tight": _Bound(
        channel_good=True,
        slots=lambda window, i, j: j + window.timeout - 1,
        slots_per_first_loss=1,
        transmissions=lambda window, i, j: i + j + 2,
        delivered=lambda window, i, j: window.dupacks + j + 1,
    ),
}


def _fail_at_bounded_hole(window: AfterLoss, out: Recovery, bound: _Bound) -> None:
    """j further good resends, then a failure whose hole is bounded [zorzi eqs. 24, 25]."""
    first_loss = window.further_loss_then_kth_success @ np.arange(1.0, window.dupacks + 1)
    i, j = window.slots[:, None], window.slots[None, :]
    resends = np.where(j < i - window.dupacks, _resends_then_failure(window)[:, None, :], 0.0)
    mass = window.further_loss_then_kth_success.sum(axis=2)[:, :, None] * resends
    located = (first_loss[:, :, None] * resends).sum(axis=2)  # weighted by the slot l

    def by_window(values: Numbers) -> Floats:
        return window.sum_below_window((mass * values).sum(axis=2))

    _restart_after_failure(
        window,
        out,
        np.zeros_like(mass) if bound.channel_good else mass,
        mass if bound.channel_good else np.zeros_like(mass),
    )
    out.slots += by_window(bound.slots(window, i, j))
    out.slots += window.sum_below_window(located) * bound.slots_per_first_loss
    if bound.slots_by_window:
        out.slots += window.sum_below_window(mass.sum(axis=2)) * window.window_index
    out.transmissions += by_window(bound.transmissions(window, i, j))
    delivered = by_window(bound.delivered(window, i, j))
    delivered += window.sum_below_window(located) * bound.delivered_per_first_loss
    out.low += delivered
    out.high += delivered


def _fail_at_known_hole(window: AfterLoss, out: Recovery) -> None:
    """j further good resends, then a failure of the hole of slot m, exactly.

    The hole is the (j+2)nd loss. With s successes before it, m = j + s + 1, and
    P[(j+2)nd loss in slot m, K-th success in slot i] = phi_BB(s, m) phi_BG(K - s, i - m).
    The timer of slot m ends with slot T_o + m - 1; the failed resend was in slot i + j + 2.
    Deliveries lie between m (all before the hole) and K + j + 1.
    """
    k = window.dupacks
    phi_bad, phi_good = window.phi
    i, j = window.slots[:, None], window.slots[None, :]
    final = _resends_then_failure(window)[:, None, :]
    shape = (window.channels, window.slots.size, window.slots.size)
    to_bad, to_good = np.zeros(shape), np.zeros(shape)
    for before in range(k):
        hole = j + before + 1
        possible = (hole < i) & (i > k) & (j < i - k)
        mass = np.where(
            possible,
            phi_bad[:, before, np.minimum(hole, window.slots.size - 1)]
            * phi_good[:, k - before, np.maximum(i - hole, 0)]
            * final,
            0.0,
        )
        end_bad, end_good = window.channel_after(False, window.timeout + before - 2 - window.slots)
        to_bad += mass * end_bad[:, :, None]
        to_good += mass * end_good[:, :, None]
        out.slots += window.sum_below_window((mass * (window.timeout + hole - 1)).sum(axis=2))
        out.low += window.sum_below_window((mass * hole).sum(axis=2))
    mass = to_bad + to_good
    out.transmissions += window.sum_below_window((mass * (i + j + 2)).sum(axis=2))
    out.high += window.sum_below_window((mass * (k + j + 1)).sum(axis=2))
    _restart_after_failure(window, out, to_bad, to_good)


def _restart_after_failure(
    window: AfterLoss, out: Recovery, to_bad: Floats, to_good: Floats
) -> None:
    """Restart after j + 1 good resends: W''' = min(ceil(Y/2) + K + 1 + j, W_max) [zorzi IV-G]."""
    for good_resends in range(
        window.window_states.window_max - window.dupacks - 1
    ):  # j <= i - K - 1
        out.time_out(
            window.sum_below_window(to_bad[:, :, good_resends]),
            window.sum_below_window(to_good[:, :, good_resends]),
            window.next_threshold(window.dupacks + 1 + good_resends),
        )


def _resends_then_failure(window: AfterLoss) -> Floats:
    """P[the first resend and j further ones succeed, the next fails], p_GG^(j+1) p_GB, by j."""
    p_gb = window.p_gb[:, None]
    return p_gb * (1.0 - p_gb) ** (window.slots + 1)


def _copy_recovery(source: Recovery) -> Recovery:
    twin = Recovery(source.window_states, source.channels)
    for name in vars(source):
        value = getattr(source, name)
        if isinstance(value, np.ndarray):
            setattr(twin, name, value.copy())
    return twin
