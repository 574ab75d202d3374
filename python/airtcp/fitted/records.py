"""Channels that replay a record, and records like it that are simulated from a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from airtcp.fitted.hop import recorded_losses
from airtcp.fitting.losses import Clock, LossFit, LossModel
from airtcp.fitting.losses_data import fates_of
from airtcp.fitting.outages import OutageFit
from airtcp.measured.measurement import ARRIVED, LOST, QUEUE, Packets


@dataclass(frozen=True, eq=False)
class Records:
    """A record as a channel, on a clock; `packets`: with their outages."""

    packets: Packets
    outages: OutageFit
    losses: LossFit

    def record(self, clock: Clock) -> dict[str, Any]:
        """The channel that replays the record."""
        return recorded_losses(self.packets, self._step(clock))

    def of(self, model: LossModel) -> Callable[[int], dict[str, Any]]:
        """By number, the channel of a record as long as this one, simulated from model and gate.

        Packets come at the same times, and nobody knows the fate of the same ones.
        """
        gaps = fates_of(self.packets).gaps(model.step)
        known = (self.packets.fate >= ARRIVED) & (self.packets.cause != QUEUE)
        gated = any(gate["kind"] == "on-off" for gate, _ in self.outages.gates())

        def drawn(number: int) -> dict[str, Any]:
            fate = model.chain.simulate(len(known), (number, 0), gaps=gaps)
            if gated:
                rng = np.random.default_rng(number)
                fate[self.outages.simulate(self.packets, rng)] = LOST
            packets = replace(self.packets, fate=np.where(known, fate, self.packets.fate))
            return recorded_losses(packets, self._step(self.losses.clock))

        return drawn

    def _step(self, clock: Clock) -> int | None:
        return self.losses.step if clock == "time" else None
