"""A slot-by-slot Monte Carlo of the idealised TCPs of [zorzi], for the tests of its analysis.

Deliberately naive: one slot at a time, packets have absolute numbers, the receiver keeps a set of
what it holds (across cycles), every packet sent has its own timer. Nothing is shared with the
analytic solvers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from airtcp.scenario.two_state import TwoState


@dataclass
class Counts:
    """Totals of one run."""

    slots: int = 0
    transmissions: int = 0
    deliveries: int = 0
    timeouts: int = 0
    fast_retransmits: int = 0


class Receiver:
    """Keeps everything that arrives; `expected` is the next packet of the in-order stream."""

    def __init__(self) -> None:
        self.expected = 0
        self.held: set[int] = set()

    def accept(self, packet: int) -> bool:
        """Store a packet; True if it is new."""
        new = packet >= self.expected and packet not in self.held
        if new:
            self.held.add(packet)
        while self.expected in self.held:
            self.held.remove(self.expected)
            self.expected += 1
        return new


class SlotSimulation:
    """One bulk transfer, `slots` slots long."""

    def __init__(
        self, variant: str, channel: TwoState, *, window: int, dupacks: int, timeout: int, seed: int
    ) -> None:
        self.variant = variant
        self.window_max = window
        self.dupacks = math.inf if variant == "oldtahoe" else dupacks
        self.timeout = timeout
        self.channel = channel
        self.rng = np.random.default_rng(seed)
        self.draws: Iterator[float] = iter(())
        self.bad = bool(self.rng.random() < channel.loss_rate)
        self.receiver = Receiver()
        self.counts = Counts()
        self.window, self.threshold = 1.0, (window + 1) // 2
        self.sent_at: dict[int, int] = {}  # first transmission of a packet in this cycle

    def run(self, slots: int) -> Counts:
        """Whole cycles until `slots` have passed."""
        while self.counts.slots < slots:
            self.cycle()
        return self.counts

    def cycle(self) -> None:
        """New data until a loss is repaired or its timer expires."""
        self.sent_at = {}
        while self.send(self.receiver.expected):
            self.window += 1.0 if self.window < self.threshold else 1.0 / self.window
            self.window = min(self.window, float(self.window_max))
        lost = self.receiver.expected
        duplicates = 0
        for ahead in range(1, math.floor(self.window)):
            duplicates += self.send(lost + ahead)
            if duplicates >= self.dupacks:
                self.counts.fast_retransmits += 1
                self.fast_retransmit(max(self.sent_at))
                return
        self.expire(self.window)

    def fast_retransmit(self, highest: int) -> None:
        """After the K-th duplicate ACK: what each variant does."""
        half = math.ceil(self.window / 2.0)
        if self.variant == "tahoe":
            self.window, self.threshold = 1.0, half
            return
        inflated = half + self.dupacks
        while self.receiver.expected <= highest:
            if not self.send(self.receiver.expected):
                self.expire(min(inflated, self.window_max))
                return
            inflated += 1
            if self.variant == "reno" and self.receiver.expected <= highest:
                self.expire(min(inflated, self.window_max))
                return
        self.window = self.threshold = half

    def expire(self, window: float) -> None:
        """Wait for the timer of the oldest packet that is missing."""
        deadline = self.sent_at[self.receiver.expected] + self.timeout
        assert self.counts.slots <= deadline
        while self.counts.slots < deadline:
            self.step()
        self.counts.timeouts += 1
        self.window, self.threshold = 1.0, math.ceil(window / 2.0)

    def send(self, packet: int) -> bool:
        """One slot with a transmission; True if the packet got through."""
        self.sent_at.setdefault(packet, self.counts.slots)
        self.counts.transmissions += 1
        self.step()
        if self.bad:
            return False
        self.counts.deliveries += self.receiver.accept(packet)
        return True

    def step(self) -> None:
        """One slot of time: the channel moves."""
        draw = next(self.draws, None)
        if draw is None:
            self.draws = iter(self.rng.random(100_000).tolist())
            draw = next(self.draws)
        self.bad = draw < (self.channel.p_bb if self.bad else self.channel.p_gb)
        self.counts.slots += 1
