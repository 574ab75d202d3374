"""The link layer: a TCP packet as fragments that are sent again until they arrive, or given up.

On a two-state channel of link-layer slots a TCP packet that gets through ends on a good slot and a
lost one on a bad slot: the state after it *is* its outcome. So outcomes of TCP packets sent one
after the other form a two-state chain, too, with durations that depend on the outcome and the one
before [chockalingam reading, section 8].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.scenario.two_state import TwoState

Complexes = NDArray[np.complex128]


@dataclass(frozen=True)
class Link:
    """The link layer of a case: `attempts` transmissions at most for each of `fragments`."""

    channel: TwoState
    fragments: int
    attempts: int

    def fates(self) -> TwoState:
        """The two-state chain of the fates of TCP packets sent one after the other."""
        once = self.packet_transforms(np.ones(1, complex))
        # sums of probabilities may exceed 1 by rounding
        p_gb, p_bg = (min(1.0, float(entry[0].real)) for entry in (once.gb, once.bg))
        return TwoState(p_gb=p_gb, p_bg=p_bg)

    def packet_transforms(self, z: Complexes) -> PacketTransforms:
        """E[z^slots; outcome | outcome before] of a TCP packet, at the points `z`.

        A fragment that fails `attempts` times ends the packet: the rest of it is dropped.
        """
        n, f = self.attempts, self.fragments
        r, gb, q = self.channel.p_bg, self.channel.p_gb, self.channel.p_bb
        again = r * z * geometric_sum(q * z, n - 1)  # S: the next n - 1 transmissions get through
        ok_good = (1.0 - gb) * z + gb * z * again
        fail_good = gb * z * (q * z) ** (n - 1)
        ok_bad = again + r * z * (q * z) ** (n - 1)
        fail_bad = (q * z) ** n
        return PacketTransforms(
            bb=fail_bad + ok_bad * fail_good * geometric_sum(ok_good, f - 1),
            bg=ok_bad * ok_good ** (f - 1),
            gb=fail_good * geometric_sum(ok_good, f),
            gg=ok_good**f,
        )


@dataclass(frozen=True)
class PacketTransforms:
    """Transforms of the duration of a TCP packet, by outcome before and outcome: b lost, g not."""

    bb: Complexes
    bg: Complexes
    gb: Complexes
    gg: Complexes

    def select_points(self, places: NDArray[np.int64]) -> PacketTransforms:
        """The transforms at some of their points."""
        return PacketTransforms(self.bb[places], self.bg[places], self.gb[places], self.gg[places])


def geometric_sum(x: Complexes, terms: int) -> Complexes:
    """1 + x + ... + x^(terms - 1), by doubling: S(2m) = S(m) (1 + x^m)."""
    total, power = np.zeros_like(x), np.ones_like(x)
    for bit in bin(terms)[2:]:
        total, power = total * (1.0 + power), power * power
        if bit == "1":
            total, power = 1.0 + x * total, power * x
    return total
