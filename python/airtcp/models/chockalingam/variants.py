"""The variants: the action of each in phase two, as masses with the time that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.models.chockalingam.link import Complexes
from airtcp.models.chockalingam.recovery import Floats, LossWindow, Recovery
from airtcp.models.chockalingam.timer import IMAGINARY_STEP


def tahoe(window: LossWindow, out: Recovery) -> None:
    """Fast retransmission restarts with window 1 [zorzi eqs. 11, 13, 22].

    With K = W_max it never happens: this is OldTahoe [zorzi eq. 21].
    """
    wait_for_timer(window, out)
    triggered = window.until_window(window.kth_success)
    out.lead_to(window.window_states.restart(True, window.threshold()), triggered[0].real)
    out.air += triggered[0].imag / IMAGINARY_STEP
    out.fast_retransmits += triggered[0].real
    out.packets += window.until_window(window.kth_success[0].real * window.slot)
    out.high += triggered[0].real * window.dupacks
    out.low += _run_before_kth(window)


def reno(window: LossWindow, out: Recovery) -> None:
    """One retransmission; a second loss in the window waits for its timer [zorzi eqs. 11-19]."""
    wait_for_timer(window, out)
    _retransmit_first(window, out)
    # eq. (19): the retransmission succeeds, the packet lost in slot l times out
    k = window.dupacks
    total = np.zeros((window.after.gg.size, window.slot.size), complex)
    for lost in range(1, k + 1):
        mass = window.mixed(window.before, lost) * window.after.gg[:, None]
        total += mass
        out.low += lost * window.until_window(mass[0].real)
    arrived = window.until_window(total)
    out.time_out(np.zeros_like(arrived), arrived, window.threshold(k + 1))
    out.packets += window.until_window(total[0].real * (window.slot + 1))
    out.high += (k + 1) * arrived[0].real


def newreno(window: LossWindow, out: Recovery) -> None:
    """Holes are resent one by one until all are filled or a resend fails [zorzi IV-G]."""
    wait_for_timer(window, out)
    _retransmit_first(window, out)
    _recover_all(window, out)
    for resends in range(window.slot.size - window.dupacks - 1):
        _fail_at_hole(window, out, resends)


VARIANTS: dict[str, Callable[[LossWindow, Recovery], None]] = {
    "oldtahoe": tahoe,
    "tahoe": tahoe,
    "reno": reno,
    "newreno": newreno,
}


def wait_for_timer(window: LossWindow, out: Recovery) -> None:
    """Fewer than K successes in the window: no fast retransmission [zorzi eqs. 11, 13]."""
    k = window.dupacks
    lost, arrived = (_at_window_end(phi[:, :k].sum(axis=1)) for phi in window.phi)
    first = window.first[:, None]
    out.time_out(lost * first, arrived * first, window.threshold())
    sizes = np.arange(window.window_states.window_max + 1)
    out.packets += (lost[0] + arrived[0]).real * np.maximum(sizes - 1, 0)
    successes = (window.phi[0][0, :k] + window.phi[1][0, :k]).real
    out.high += _at_window_end(np.arange(k) @ successes)
    out.low += _run_before_timer(window)


def _at_window_end(by_slot: NDArray[Any]) -> NDArray[Any]:
    """Values after the last of floor(Y) - 1 further packets: index floor(Y)."""
    none = np.zeros((*by_slot.shape[:-1], 1), by_slot.dtype)
    return np.concatenate([none, by_slot], axis=-1)


def _run_before_timer(window: LossWindow) -> Floats:
    """E[length of the run of successes right after the loss; fewer than K successes in all]."""
    k, after = window.dupacks, window.after
    fewer = np.cumsum((window.phi[0][0, :k] + window.phi[1][0, :k]).real, axis=0)
    mean = np.zeros(window.window_states.window_max + 1)
    for size in range(2, window.window_states.window_max + 1):
        for run in range(1, min(k, size - 1)):  # then a loss in slot run + 1
            ends = window.first_loss(after, after, run + 1)[0].real
            mean[size] += run * ends * fewer[k - run - 1, size - 2 - run]
        if size - 1 < k:  # the run fills the window
            mean[size] += (size - 1) * (after.bg[0] * after.gg[0] ** (size - 2)).real
    return mean


def _run_before_kth(window: LossWindow) -> Floats:
    """E[length of the run of successes right after the loss; K-th success in the window]."""
    k = window.dupacks
    by_slot = np.zeros(window.slot.size)
    if k < by_slot.size:
        by_slot[k] = k * window.clean[0].real
    for lost in range(2, k + 1):
        by_slot += (lost - 1) * window.mixed(window.after, lost)[0].real
    return window.until_window(by_slot)


def _retransmit_first(window: LossWindow, out: Recovery) -> None:
    """The resend of the packet of slot 0: a single loss recovers, or the resend fails.

    [zorzi eqs. 16-18]; the same for Reno and NewReno.
    """
    k, after = window.dupacks, window.after
    out.fast_retransmits += window.until_window(window.kth_success[0].real)

    # eq. (16): one loss, resent with success
    single = np.zeros((after.gg.size, window.slot.size), complex)
    if k < window.slot.size:
        single[:, k] = window.clean * after.gg
    recovered = window.until_window(single)
    out.recover(recovered, window.threshold())
    counted = (k + 1) * recovered[0].real
    out.packets += counted
    out.low += counted
    out.high += counted

    # eqs. (17), (18): the resend in slot i + 1 fails, and the timer of slot 0 expires
    failed = window.kth_success * after.gb[:, None]
    lost = window.until_window(failed) * window.first[:, None]
    out.time_out(lost, np.zeros_like(lost), window.threshold(k))
    out.packets += window.until_window(failed[0].real * (window.slot + 1))
    out.low += _run_before_kth(window) * after.gb[0].real
    out.high += k * lost[0].real


def _recover_all(window: LossWindow, out: Recovery) -> None:
    """All i - K + 1 losses resent with success [zorzi eq. 23, exponent i + 1 - K]."""
    k, i = window.dupacks, window.slot
    mass = np.zeros((window.after.gg.size, i.size), complex)
    for lost in range(1, k + 1):
        mass += window.mixed(window.after, lost)
    mass *= window.after.gg[:, None] ** np.maximum(i + 1 - k, 0)
    out.recover(window.until_window(mass), window.threshold())
    out.packets += window.until_window(mass[0].real * (2 * i + 1 - k))
    counted = window.until_window(mass[0].real * (i + 1))
    out.low += counted
    out.high += counted


def _fail_at_hole(window: LossWindow, out: Recovery, j: int) -> None:
    """The first resend and j further ones succeed, the next, of the (j+2)nd loss, fails.

    With s successes before it, it fell into slot m = j + s + 1, where its timer started. Deliveries
    lie between m (all before the hole) and K + j + 1. [zorzi reading, section 10]
    """
    k, after = window.dupacks, window.after
    total = np.zeros((after.gg.size, window.slot.size), complex)
    resends = after.gg ** (j + 1) * after.gb
    for before in range(k):
        mass = _hole_then_success(window, before, j + before + 1) * resends[:, None]
        mass[:, : j + k + 1] = 0.0  # i > K + j: that many losses
        total += mass
        out.low += (j + before + 1) * window.until_window(mass[0].real)
    lost = window.until_window(total)
    out.time_out(lost, np.zeros_like(lost), window.threshold(k + 1 + j))
    out.packets += window.until_window(total[0].real * (window.slot + j + 2))
    out.high += (k + j + 1) * lost[0].real


def _hole_then_success(window: LossWindow, successes: int, slot: int) -> Complexes:
    """A loss in `slot` after some successes, then the K-th success in slot i: (points, i)."""
    probabilities = np.zeros((window.after.gg.size, window.slot.size), complex)
    if slot >= window.slot.size:
        return probabilities
    bad, good = (phi[:, successes, slot - 1] for phi in window.phi_before)
    loss = bad * window.after.bb + good * window.after.gb
    later = window.phi[1][:, window.dupacks - successes, : window.slot.size - slot]
    probabilities[:, slot:] = loss[:, None] * later
    return probabilities
