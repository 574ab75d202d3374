"""Window classes and phase one of a cycle: from its start to the first loss.

Source: [zorzi IV-C, IV-D, eqs. 3, 9, 10, Appendix]. Common to all four variants.

A cycle starts in a state of Omega_X = (channel in the slot before, slow-start threshold, window).
Its first loss meets a real-valued window Y, of which only floor(Y) and ceil(Y/2) matter; the values
which share both are one class of Omega_Y: [1,2) {2} (2,3) [3,4) {4} (4,5) ... {W_max}.

The window grows by 1 per ACK below the threshold and by 1/W from there on (W real, not rounded),
up to W_max. It is monotone, so each class is one range of slots, and the probability of a first
loss in a range is a difference of two geometric tails. The class {W_max} takes the whole remaining
tail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = Floats | Ints

_STEPS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class WindowClasses:
    """Everything about the window that depends on W_max alone.

    `floor` and `half` are floor(Y) and ceil(Y/2) of each class of Omega_Y. `edges[x, y]` is the
    first slot whose window lies in class y or above, for each start x of phase one: the H starts
    (threshold w, window 1), then the H - 1 starts (w, w), w >= 2, with H = ceil(W_max/2). Its last
    column is infinite.
    """

    window_max: int
    floor: Ints
    half: Ints
    edges: Floats

    @property
    def threshold_count(self) -> int:
        """H = ceil(W_max/2), the number of slow-start thresholds."""
        return (self.window_max + 1) // 2

    @property
    def state_count(self) -> int:
        """Size of Omega_X, 3 H - 1 [zorzi eq. 2].

        First (B, w, 1), then (G, w, 1), w = 1 .. H, then (G, w, w), w = 2 .. H.
        """
        return 3 * self.threshold_count - 1

    @property
    def restart_count(self) -> int:
        """Number of the states with window 1, which come first; Tahoe and OldTahoe see no other."""
        return 2 * self.threshold_count

    def restart_state(self, channel_good: bool, threshold: Ints) -> Ints:
        """Index of the state (C, threshold, 1)."""
        return threshold - 1 + (self.threshold_count if channel_good else 0)

    def recovered_state(self, threshold: Ints) -> Ints:
        """Index of the state (G, threshold, threshold); (G, 1, 1) is the same as a restart."""
        return np.where(
            threshold == 1, self.threshold_count, 2 * self.threshold_count + threshold - 2
        )


@lru_cache(maxsize=64)
def window_classes(window_max: int) -> WindowClasses:
    """The classes and slot ranges for one W_max (cached)."""
    floor, half = _classes(window_max)
    return WindowClasses(window_max, floor, half, _edges(window_max, floor.size))


def window_class(window: Floats) -> Ints:
    """Index in Omega_Y of a real window in [1, W_max] [zorzi Appendix]."""
    floor = window.astype(np.int64)
    exactly_even: Ints = ((window == floor) & (floor % 2 == 0)).astype(np.int64)
    return floor + floor // 2 - 1 - exactly_even


def first_loss(p_gb: Floats, p_bg: Floats, window_states: WindowClasses) -> Floats:
    """P[the first loss meets class y | cycle started in x], shape (channels, Omega_X, Omega_Y).

    The sum of alpha_C(n) [zorzi eq. 3] over the slots n of the class [zorzi eq. 10 at z = 1], as
    P[n >= a] (1 - p_GG^(b - a)); 1 - p_GG^m comes from expm1, for p_GG near 1.
    """
    first, last = window_states.edges[:, :-1], window_states.edges[:, 1:]
    with np.errstate(divide="ignore"):
        log_stay = np.log1p(-p_gb)[:, None, None]  # log p_GG, -inf at p_GB = 1
    started_before = first == 1.0  # slot 1 is in the class (if it is not empty)
    begin = np.maximum(first, 2.0)
    beyond_one = _exp_product(log_stay, begin - 2.0)  # P[n >= begin | first slot good]
    good_first = beyond_one * -np.expm1(_product(log_stay, np.maximum(last - begin, 0.0)))
    lost_first = (started_before & (last > first)).astype(np.float64)

    half = window_states.threshold_count
    p_bg_, p_gb_ = p_bg[:, None, None], p_gb[:, None, None]
    after_good = (1.0 - p_gb_) * good_first + p_gb_ * lost_first
    after_bad = p_bg_ * good_first[:, :half] + (1.0 - p_bg_) * lost_first[:half]
    return np.concatenate([after_bad, after_good], axis=1)


def mean_first_loss(p_gb: Floats, p_bg: Floats, window_states: WindowClasses) -> Floats:
    """E[n | cycle started in x], the mean length of phase one in slots, shape (channels, Omega_X).

    The sum of n alpha_C(n) over all n: 1 + p_CG / p_GB. Phase one sends n packets and delivers
    n - 1 [zorzi eq. 10]; its slots are not needed class by class, since only row totals enter
    eq. (8).
    """
    after_bad = 1.0 + p_bg / p_gb
    after_good = 1.0 / p_gb
    half = window_states.threshold_count
    return np.where(
        np.arange(window_states.state_count) < half, after_bad[:, None], after_good[:, None]
    )


def _classes(window_max: int) -> tuple[Ints, Ints]:
    floor: list[int] = []
    half: list[int] = []
    for whole in range(1, window_max + 1):
        floor.append(whole)
        half.append((whole + 1) // 2)
        if whole % 2 == 0 and whole < window_max:  # the open class (whole, whole + 1)
            floor.append(whole)
            half.append(whole // 2 + 1)
    return np.array(floor), np.array(half)


def _edges(window_max: int, classes: int) -> Floats:
    """First slot of each class, per start (see `WindowClasses`)."""
    avoidance = _slots_per_class(window_max, classes)
    restarted = avoidance.copy()
    for threshold in range(2, avoidance.shape[0] + 1):  # slow start: window v in slot v < threshold
        passed = window_class(np.arange(1.0, threshold))
        restarted[threshold - 1, passed] += 1
    slots = np.concatenate([restarted, avoidance[1:]]).astype(np.float64)
    slots[:, -1] = np.inf
    edges = np.ones((slots.shape[0], classes + 1))
    edges[:, 1:] += np.cumsum(slots, axis=1)
    return edges


def _slots_per_class(window_max: int, classes: int) -> Ints:
    """Slots that congestion avoidance spends in each class below {W_max}, per threshold 1 .. H."""
    starts = (window_max + 1) // 2
    window = np.arange(1.0, starts + 1)
    row = np.arange(starts) * classes
    slots = np.zeros(starts * classes, dtype=np.int64)
    path = np.empty((_STEPS_AT_ONCE, starts))
    while window.min() < window_max:
        for step in range(_STEPS_AT_ONCE):
            path[step] = window
            window = np.minimum(window + 1.0 / window, window_max)
        slots += np.bincount((row + window_class(path)).ravel(), minlength=slots.size)
    return slots.reshape(starts, classes)


def _product(log_base: Floats, exponent: Floats) -> Floats:
    """log_base * exponent, with -inf * 0 = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(exponent == 0.0, 0.0, log_base * exponent)


def _exp_product(log_base: Floats, exponent: Floats) -> Floats:
    return np.exp(_product(log_base, exponent))
