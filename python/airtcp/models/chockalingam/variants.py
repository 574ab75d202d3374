"""The variants: the action of each in phase two, as masses with the time that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.models.chockalingam.link import Complexes
from airtcp.models.chockalingam.recovery import AfterLoss, Floats, Recovery
from airtcp.models.chockalingam.timer import IMAGINARY_STEP


def tahoe(window: AfterLoss, out: Recovery) -> None:
    """Fast retransmission restarts with window 1 [zorzi eqs. 11, 13, 22].

    With K = W_max it never happens: this is OldTahoe [zorzi eq. 21].
    """
    wait_for_timer(window, out)
    triggered = window.sum_below_window(window.kth_success)
    out.lead_to(
        window.window_states.restart_state(True, window.next_threshold()), triggered[0].real
    )
    out.air += triggered[0].imag / IMAGINARY_STEP
    out.fast_retransmits += triggered[0].real
    out.packets += window.sum_below_window(window.kth_success[0].real * window.slots)
    out.high += triggered[0].real * window.dupacks
    out.low += _run_before_kth(window)


def reno(window: AfterLoss, out: Recovery) -> None:
    """One retransmission; a second loss in the window waits for its timer [zorzi eqs. 11-19]."""
    wait_for_timer(window, out)
    _retransmit_first(window, out)
    # eq. (19): the retransmission succeeds, the packet lost in slot l times out
    k = window.dupacks
    total = np.zeros((window.packets_during_timer.gg.size, window.slots.size), complex)
    for lost in range(1, k + 1):
        mass = (
            window.further_loss_then_kth_success(window.packets_before_timer, lost)
            * window.packets_during_timer.gg[:, None]
        )
        total += mass
        out.low += lost * window.sum_below_window(mass[0].real)
    arrived = window.sum_below_window(total)
    out.time_out(np.zeros_like(arrived), arrived, window.next_threshold(k + 1))
    out.packets += window.sum_below_window(total[0].real * (window.slots + 1))
    out.high += (k + 1) * arrived[0].real


def newreno(window: AfterLoss, out: Recovery) -> None:
    """Holes are resent one by one until all are filled or a resend fails [zorzi IV-G]."""
    wait_for_timer(window, out)
    _retransmit_first(window, out)
    _recover_all(window, out)
    for resends in range(window.slots.size - window.dupacks - 1):
        _fail_at_hole(window, out, resends)


VARIANTS: dict[str, Callable[[AfterLoss, Recovery], None]] = {
    "oldtahoe": tahoe,
    "tahoe": tahoe,
    "reno": reno,
    "newreno": newreno,
}


def wait_for_timer(window: AfterLoss, out: Recovery) -> None:
    """Fewer than K successes in the window: no fast retransmission [zorzi eqs. 11, 13]."""
    k = window.dupacks
    lost, arrived = (_at_window_end(phi[:, :k].sum(axis=1)) for phi in window.phi)
    first = window.first_packet[:, None]
    out.time_out(lost * first, arrived * first, window.next_threshold())
    sizes = np.arange(window.window_states.window_max + 1)
    out.packets += (lost[0] + arrived[0]).real * np.maximum(sizes - 1, 0)
    successes = (window.phi[0][0, :k] + window.phi[1][0, :k]).real
    out.high += _at_window_end(np.arange(k) @ successes)
    out.low += _run_before_timer(window)


def _at_window_end(by_slot: NDArray[Any]) -> NDArray[Any]:
    """Values after the last of floor(Y) - 1 further packets: index floor(Y)."""
    none = np.zeros((*by_slot.shape[:-1], 1), by_slot.dtype)
    return np.concatenate([none, by_slot], axis=-1)


def _run_before_timer(window: AfterLoss) -> Floats:
    """E[length of the run of successes right after the loss; fewer than K successes in all]."""
    k, after = window.dupacks, window.packets_during_timer
    fewer = np.cumsum((window.phi[0][0, :k] + window.phi[1][0, :k]).real, axis=0)
    mean = np.zeros(window.window_states.window_max + 1)
    for size in range(2, window.window_states.window_max + 1):
        for run in range(1, min(k, size - 1)):  # then a loss in slot run + 1
            ends = window.first_loss(after, after, run + 1)[0].real
            mean[size] += run * ends * fewer[k - run - 1, size - 2 - run]
        if size - 1 < k:  # the run fills the window
            mean[size] += (size - 1) * (after.bg[0] * after.gg[0] ** (size - 2)).real
    return mean


def _run_before_kth(window: AfterLoss) -> Floats:
    """E[length of the run of successes right after the loss; K-th success in the window]."""
    k = window.dupacks
    by_slot = np.zeros(window.slots.size)
    if k < by_slot.size:
        by_slot[k] = k * window.no_further_loss[0].real
    for lost in range(2, k + 1):
        by_slot += (lost - 1) * window.further_loss_then_kth_success(
            window.packets_during_timer, lost
        )[0].real
    return window.sum_below_window(by_slot)


def _retransmit_first(window: AfterLoss, out: Recovery) -> None:
    """The resend of the packet of slot 0: a single loss recovers, or the resend fails.

    [zorzi eqs. 16-18]; the same for Reno and NewReno.
    """
    k, after = window.dupacks, window.packets_during_timer
    out.fast_retransmits += window.sum_below_window(window.kth_success[0].real)

    # eq. (16): one loss, resent with success
    single = np.zeros((after.gg.size, window.slots.size), complex)
    if k < window.slots.size:
        single[:, k] = window.no_further_loss * after.gg
    recovered = window.sum_below_window(single)
    out.recover(recovered, window.next_threshold())
    counted = (k + 1) * recovered[0].real
    out.packets += counted
    out.low += counted
    out.high += counted

    # eqs. (17), (18): the resend in slot i + 1 fails, and the timer of slot 0 expires
    failed = window.kth_success * after.gb[:, None]
    lost = window.sum_below_window(failed) * window.first_packet[:, None]
    out.time_out(lost, np.zeros_like(lost), window.next_threshold(k))
    out.packets += window.sum_below_window(failed[0].real * (window.slots + 1))
    out.low += _run_before_kth(window) * after.gb[0].real
    out.high += k * lost[0].real


def _recover_all(window: AfterLoss, out: Recovery) -> None:
    """All i - K + 1 losses resent with success [zorzi eq. 23, exponent i + 1 - K]."""
    k, i = window.dupacks, window.slots
    mass = np.zeros((window.packets_during_timer.gg.size, i.size), complex)
    for lost in range(1, k + 1):
        mass += window.further_loss_then_kth_success(window.packets_during_timer, lost)
    mass *= window.packets_during_timer.gg[:, None] ** np.maximum(i + 1 - k, 0)
    out.recover(window.sum_below_window(mass), window.next_threshold())
    out.packets += window.sum_below_window(mass[0].real * (2 * i + 1 - k))
    counted = window.sum_below_window(mass[0].real * (i + 1))
    out.low += counted
    out.high += counted


def _fail_at_hole(window: AfterLoss, out: Recovery, j: int) -> None:
    """The first resend and j further ones succeed, the next, of the (j+2)nd loss, fails.

    With s successes before it, it fell into slot m = j + s + 1, where its timer started. Deliveries
    lie between m (all before the hole) and K + j + 1. [zorzi reading, section 10]
    """
    k, after = window.dupacks, window.packets_during_timer
    total = np.zeros((after.gg.size, window.slots.size), complex)
    resends = after.gg ** (j + 1) * after.gb
    for before in range(k):
        mass = _hole_then_success(window, before, j + before + 1) * resends[:, None]
        mass[:, : j + k + 1] = 0.0  # i > K + j: that many losses
        total += mass
        out.low += (j + before + 1) * window.sum_below_window(mass[0].real)
    lost = window.sum_below_window(total)
    out.time_out(lost, np.zeros_like(lost), window.next_threshold(k + 1 + j))
    out.packets += window.sum_below_window(total[0].real * (window.slots + j + 2))
    out.high += (k + j + 1) * lost[0].real


def _hole_then_success(window: AfterLoss, successes: int, slot: int) -> Complexes:
    """A loss in `slot` after some successes, then the K-th success in slot i: (points, i)."""
    probabilities = np.zeros((window.packets_during_timer.gg.size, window.slots.size), complex)
    if slot >= window.slots.size:
        return probabilities
    bad, good = (phi[:, successes, slot - 1] for phi in window.phi_before)
    loss = bad * window.packets_during_timer.bb + good * window.packets_during_timer.gb
    later = window.phi[1][:, window.dupacks - successes, : window.slots.size - slot]
    probabilities[:, slot:] = loss[:, None] * later
    return probabilities
