"""Channels that replay a record, and records like it that are simulated from a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.fitted.hop import recorded_losses
from airtcp.fitting.losses import Clock, LossFit, LossModel
from airtcp.fitting.losses_data import fates_of_packets
from airtcp.fitting.losses_waits import WaitingTimes
from airtcp.fitting.outages import OutageFit
from airtcp.measured.measurement import ARRIVED, LOST, QUEUE_LOSS, Packets


@dataclass(frozen=True, eq=False)
class RecordedLink:
    """A record as a channel, on a clock; `packets` include those in outages."""

    packets: Packets
    outages: OutageFit
    losses: LossFit

    def recorded_channel(self, clock: Clock) -> dict[str, Any]:
        """The channel that replays the record."""
        return recorded_losses(self.packets, self._step(clock))

    def simulated_records(self, model: LossModel) -> Callable[[int], dict[str, Any]]:
        """By number, the channel of a record as long as this one, simulated from model and gate.

        Packets have the times of the record; for a tool that waits for replies, its waits decide
        them. Fates that are unknown in the record are unknown here.
        """
        fates = fates_of_packets(self.packets)
        gaps, waits = (
            fates.gaps(model.step),
            WaitingTimes.from_record(fates, self._step(self.losses.clock)),
        )
        known = (self.packets.fate >= ARRIVED) & (self.packets.cause != QUEUE_LOSS)
        gated = any(gate["kind"] == "on-off" for gate, _ in self.outages.gates())

        def drawn(number: int) -> dict[str, Any]:
            rng = np.random.default_rng(number)
            packets = self.packets
            if waits is None:
                fate = model.chain.simulate(len(known), (number, 0), gaps=gaps)
            else:
                (row,) = waits.simulate(model.chain, len(known), 1, rng, fates.starts)
                fate = row.astype(np.int8)
                packets = replace(packets, time=self._send_times(fate, rng))
            if gated:
                fate[self.outages.simulate(packets, rng)] = LOST
            packets = replace(packets, fate=np.where(known, fate, packets.fate))
            return recorded_losses(packets, self._step(self.losses.clock))

        return drawn

    def _send_times(self, fate: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """Times of packets; the distances between them are drawn from the record."""
        apart, before = np.diff(self.packets.time), self.packets.fate[:-1]
        drawn = (
            rng.choice(apart[before == fate_before], len(fate) - 1)
            for fate_before in (LOST, ARRIVED)
        )
        steps = np.where(fate[:-1] == LOST, *drawn)
        return np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)

    def _step(self, clock: Clock) -> int | None:
        return self.losses.step if clock == "time" else None
