"""Records of tools that wait: the distance to the next packet depends on the fate of the last.

A tool that sends after the reply, or after a timeout, looks at the link less often while it loses
packets. So a record drawn from a model cannot take the distances of the measured record: it draws
its own, given its fates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.fitting.chains import Chain, Floats
from airtcp.fitting.losses_data import Fates
from airtcp.measured.measurement import ARRIVED, LOST

_MOST_FATES = 50_000_000  # fates held at once


@dataclass(frozen=True, eq=False)
class WaitingTimes:
    """Distances in steps that were seen after arrivals, and after losses."""

    after_arrival: NDArray[np.int64]
    after_loss: NDArray[np.int64]

    @classmethod
    def from_record(cls, fates: Fates, step: int | None) -> WaitingTimes | None:
        """Waits in a record; None on the packet clock, or where its tool did not wait."""
        gaps = fates.gaps(step)
        if gaps is None or not fates.waits or len(fates) < 2:
            return None
        after = np.ones(len(fates), dtype=bool)
        after[fates.starts[fates.starts < len(fates)]] = False
        before, apart = fates.fate[:-1][after[1:]], gaps[1:][after[1:]].astype(np.int64)
        arrived, lost = apart[before == ARRIVED], apart[before == LOST]
        return cls(arrived, lost) if len(arrived) and len(lost) else None

    def simulate(
        self, chain: Chain, n: int, draws: int, rng: np.random.Generator, starts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Losses of `n` packets in each of some records, a row each; `starts` begin pieces."""
        rows = max(1, _MOST_FATES // max(n, 1))
        parts = [min(rows, draws - done) for done in range(0, draws, rows)]
        return np.concatenate(
            [self._simulate_batch(chain, n, batch, rng, starts) for batch in parts]
        )

    def _simulate_batch(
        self, chain: Chain, n: int, draws: int, rng: np.random.Generator, starts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        lengths, place = np.unique(
            np.concatenate([self.after_arrival, self.after_loss]), return_inverse=True
        )
        after = place[: len(self.after_arrival)], place[len(self.after_arrival) :]
        moves = _state_probabilities(chain, lengths)
        begins = np.cumsum(chain.stationary_distribution)
        fresh = np.zeros(n, dtype=bool)
        fresh[starts[starts < n]] = True
        fresh[:1] = True
        found = np.empty((n, draws), dtype=bool)
        state = np.zeros(draws, dtype=np.int64)
        for i in range(n):
            u = rng.random((4, draws))
            if fresh[i]:
                state = np.searchsorted(begins[:-1], u[0], side="right")
            else:
                lost = found[i - 1]
                gap = np.where(
                    lost,
                    after[1][(u[1] * len(after[1])).astype(np.int64)],
                    after[0][(u[2] * len(after[0])).astype(np.int64)],
                )
                state = (moves[gap, state] <= u[0][:, None]).sum(axis=1)
            found[i] = u[3] < chain.loss[state]
        return found.T


def _state_probabilities(chain: Chain, lengths: NDArray[np.int64]) -> Floats:
    """Cumulative probabilities of all states but the last, by length and the state before."""
    found = np.array([np.cumsum(chain.power(int(length)), axis=1) for length in lengths])
    return np.asarray(found[:, :, :-1])
