"""Phase two of a cycle, from the first loss to the next cycle, where packets take random times.

The events are those of `airtcp.models.zorzi` [zorzi IV-E to IV-G], one function per variant. Here a
probability is a transform of the time on the air since the start of a timer, and a timer's idle
time follows from it (`timer`). Time before that start is taken at z = 1; `before` and `after` are
the transforms of packets there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.models.chockalingam.link import Complexes, Link, PacketTransforms
from airtcp.models.chockalingam.timer import IMAGINARY_STEP, Timer
from airtcp.models.zorzi.windows import Ints, WindowClasses

Floats = NDArray[np.float64]


@dataclass
class Recovery:
    """Transition probabilities and mean rewards of phase two, by floor(Y) = 0 .. W_max of the loss.

    `air` and `idle` are slots after the first loss; `low` and `high` the pessimistic and the
    optimistic count of deliveries; `late` the probability that a timer expires while packets are
    still being sent. `next_state` is by class of Y, the last one being a first packet which is lost
    after a bad slot: its window is 1, but it takes another time than one lost after a good slot.
    """

    window_states: WindowClasses
    timer: Timer
    next_state: Floats = field(init=False)
    air: Floats = field(init=False)
    idle: Floats = field(init=False)
    packets: Floats = field(init=False)
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    timeouts: Floats = field(init=False)
    fast_retransmits: Floats = field(init=False)
    late: Floats = field(init=False)
    at_once: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        """Start from zero."""
        self.next_state = np.zeros(
            (self.window_states.floor.size + 1, self.window_states.state_count)
        )
        for name in REWARDS:
            setattr(self, name, np.zeros(self.window_states.window_max + 1))

    def rewards(self) -> dict[str, Floats]:
        """Every mean reward by class, as `next_state`."""
        found = {name: getattr(self, name)[self.window_states.floor] for name in REWARDS}
        return {name: np.append(known, self.at_once[name]) for name, known in found.items()}

    def add_loss_at_once(self, lost: Complexes) -> None:
        """The last class: nothing more is sent before the timer of the lost packet expires."""
        unit_threshold = np.array([1])
        states = np.append(
            self.window_states.restart_state(False, unit_threshold),
            self.window_states.restart_state(True, unit_threshold),
        )
        to_bad, to_good, idle, late = self.timer.rest_of_timer(lost, np.zeros_like(lost))
        self.next_state[-1, states] += to_bad, to_good
        self.at_once = dict.fromkeys(REWARDS, 0.0) | {
            "idle": float(idle),
            "late": float(late),
            "timeouts": float(to_bad + to_good),
        }

    def lead_to(self, state: Ints, mass: Floats) -> None:
        """Add `mass` (by floor(Y)) from each class to `state` (by class)."""
        self.next_state[np.arange(state.size), state] += mass[self.window_states.floor]

    def recover(self, mass: Complexes, threshold: Ints) -> None:
        """Go on in congestion avoidance."""
        self.lead_to(self.window_states.recovered_state(threshold), mass[0].real)
        self.air += mass[0].imag / IMAGINARY_STEP

    def time_out(self, lost: Complexes, arrived: Complexes, threshold: Ints) -> None:
        """Wait for the timer, after a packet that was lost or arrived; restart with window 1."""
        to_bad, to_good, idle, late = self.timer.rest_of_timer(lost, arrived)
        self.lead_to(self.window_states.restart_state(False, threshold), to_bad)
        self.lead_to(self.window_states.restart_state(True, threshold), to_good)
        self.air += (lost[0].imag + arrived[0].imag) / IMAGINARY_STEP
        self.idle += idle
        self.late += late
        self.timeouts += to_bad + to_good


REWARDS = ("air", "idle", "packets", "low", "high", "timeouts", "fast_retransmits", "late")


@dataclass(frozen=True, eq=False)
class AfterLoss:
    """The events that follow a loss in slot 0, as transforms; a slot here is a TCP packet.

    `dupacks` is K, at most W_max.
    """

    window_states: WindowClasses
    link: Link
    timer: Timer
    dupacks: int

    @cached_property
    def packets_during_timer(self) -> PacketTransforms:
        """Packets while the timer runs."""
        return self.link.packet_transforms(self.timer.points)

    @cached_property
    def packets_before_timer(self) -> PacketTransforms:
        """Packets before the start of the timer: at z = 1, but for their time on the air."""
        return self._packets_without_time.select_points(self._point_index)

    @cached_property
    def _packets_without_time(self) -> PacketTransforms:
        return self.link.packet_transforms(np.array([1.0 + 1j * IMAGINARY_STEP, 1.0]))

    @cached_property
    def _point_index(self) -> Ints:
        """For each point its index: 0 for the first point, or 1."""
        return np.minimum(np.arange(self.packets_during_timer.gg.size), 1)

    @cached_property
    def first_packet(self) -> Complexes:
        """The packet of slot 0, lost after a success; its time on the air belongs to phase one."""
        return self._given_window(self.packets_during_timer.gb)

    @cached_property
    def first_after_bad(self) -> Complexes:
        """The packet of slot 0, lost after a loss."""
        return self._given_window(self.packets_during_timer.bb)

    @staticmethod
    def _given_window(transform: Complexes) -> Complexes:
        mass = transform[0].real
        given = transform / mass if mass > 0.0 else np.ones_like(transform)
        given[0] = 1.0
        return given

    @cached_property
    def slots(self) -> Ints:
        """Slots i = 0 .. W_max - 1."""
        return np.arange(self.window_states.window_max, dtype=np.int64)

    @cached_property
    def phi(self) -> tuple[Complexes, Complexes]:
        """phi_BB(k, x), phi_BG(k, x) while the timer runs, shape (points, K + 1, W_max)."""
        return self._phi(self.packets_during_timer)

    @cached_property
    def phi_before(self) -> tuple[Complexes, Complexes]:
        """phi_BB(k, x) and phi_BG(k, x) before the timer's start, of the same shape."""
        bad, good = self._phi(self._packets_without_time)
        return bad[self._point_index], good[self._point_index]

    def _phi(self, step: PacketTransforms) -> tuple[Complexes, Complexes]:
        """k successes in slots 1 .. x, slot x bad or good, by recursion over x [zorzi IV-E]."""
        shape = (self.window_states.window_max, self.dupacks + 1, step.gg.size)
        bad, good = np.zeros(shape, complex), np.zeros(shape, complex)
        bad[0, 0] = 1.0
        for x in range(1, self.window_states.window_max):
            bad[x] = bad[x - 1] * step.bb + good[x - 1] * step.gb
            good[x, 1:] = bad[x - 1, :-1] * step.bg + good[x - 1, :-1] * step.gg
        return bad.transpose(2, 1, 0), good.transpose(2, 1, 0)

    @cached_property
    def kth_success(self) -> Complexes:
        """The K-th success in slot i, shape (points, W_max)."""
        return self.phi[1][:, self.dupacks]

    @cached_property
    def no_further_loss(self) -> Complexes:
        """Slots 1 .. K succeed [zorzi eq. 14]."""
        return self.packets_during_timer.bg * self.packets_during_timer.gg ** (self.dupacks - 1)

    def first_loss(self, step: PacketTransforms, then: PacketTransforms, slot: int) -> Complexes:
        """Slots 1 .. l - 1 succeed, by `step`, and slot l is lost, by `then` [zorzi eq. 15]."""
        if slot == 1:
            return then.bb
        run: Complexes = step.bg * step.gg ** (slot - 2) * then.gb
        return run

    def further_loss_then_kth_success(self, step: PacketTransforms, lost: int) -> Complexes:
        """The K-th success in slot i > K, the first further loss in slot l; (points, W_max).

        The timer starts with the packet of slot l where `step` is `before`.
        """
        probabilities = np.zeros((self.packets_during_timer.gg.size, self.slots.size), complex)
        later = self.phi[1][:, self.dupacks - lost + 1, : max(0, self.slots.size - lost)]
        probabilities[:, lost:] = (
            self.first_loss(step, self.packets_during_timer, lost)[:, None] * later
        )
        probabilities[:, : self.dupacks + 1] = 0.0
        return probabilities

    def sum_below_window(self, by_slot: NDArray[Any]) -> NDArray[Any]:
        """Sum over the slots i < floor(Y) along the last axis: index floor(Y)."""
        total = np.zeros((*by_slot.shape[:-1], self.window_states.window_max + 1), by_slot.dtype)
        np.cumsum(by_slot, axis=-1, out=total[..., 1:])
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
