"""A slot-by-slot Monte Carlo of the idealised TCPs over a link layer that sends again.

The naive simulation of `slot_simulation`, where sending a packet takes the slots that its fragments
need. Nothing is shared with the analytic solver.
"""

from __future__ import annotations

from typing import Any

from slot_simulation import SlotSimulation


class ArqSimulation(SlotSimulation):
    """One bulk transfer of TCP packets in `fragments` parts, each sent at most `attempts` times."""

    def __init__(self, *args: Any, fragments: int, attempts: int, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fragments = fragments
        self.attempts = attempts
        self.air = 0

    def send(self, packet: int) -> bool:
        """A TCP packet: True if all its fragments got through; the rest is dropped if one fails."""
        self.sent_at.setdefault(packet, self.counts.slots)
        self.counts.transmissions += 1
        for _ in range(self.fragments):
            if not self.send_fragment():
                return False
        self.counts.deliveries += self.receiver.accept(packet)
        return True

    def send_fragment(self) -> bool:
        for _ in range(self.attempts):
            self.step()
            self.air += 1
            if not self.bad:
                return True
        return False
