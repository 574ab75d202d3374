"""A Markov chain with a loss probability in each state, and the distributions of its losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from airtcp import _native

Floats = NDArray[np.float64]
MOST_STATES = 6


@dataclass(frozen=True, eq=False)
class Chain:
    """A stationary Markov chain: a packet that meets state i is lost with probability `loss[i]`.

    `transition` has the probabilities of the next state, a row for each state, per step.
    """

    transition: Floats
    loss: Floats

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.loss)

    @cached_property
    def stationary_distribution(self) -> Floats:
        """Shares of the states in the long run.

        By the elimination of Grassmann, Taksar and Heyman [grassmann1985], which never subtracts:
        shares stay exact even for states that are hardly ever left.
        """
        k = self.states
        move, leaves = self.transition.copy(), np.ones(k)
        for i in range(k - 1, 0, -1):
            leaves[i] = move[i, :i].sum()
            if not leaves[i] > 0.0:
                return self._stationary_by_equations()
            move[:i, :i] += np.outer(move[:i, i], move[i, :i]) / leaves[i]
        shares = np.ones(k)
        for i in range(1, k):
            shares[i] = shares[:i] @ move[:i, i] / leaves[i]
        return np.asarray(shares / shares.sum())

    def _stationary_by_equations(self) -> Floats:
        """Shares of the states by linear equations, if some state never leads to an earlier one."""
        k = self.states
        full = np.eye(k) - self.transition + np.ones((k, k))
        shares = np.clip(np.linalg.solve(full.T, np.ones(k)), 0.0, None)
        return np.asarray(shares / shares.sum())

    @property
    def has_unique_stationary_distribution(self) -> bool:
        """False where states fall into classes that never leave, so that shares are not defined."""
        reached = (self.transition > 0.0) | np.eye(self.states, dtype=bool)
        if reached.all():
            return True
        for _ in range(self.states.bit_length()):
            reached = reached @ reached
        return bool(reached.all(axis=0).any())  # a state that all others lead to

    @property
    def loss_rate(self) -> float:
        """Share of packets lost in the long run."""
        return float(self.stationary_distribution @ self.loss)

    @property
    def sojourns(self) -> Floats:
        """Mean lengths of the stays in each state, in steps."""
        leaves = self.transition.sum(axis=1) - self.transition.diagonal()
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / leaves)

    def sorted_by_loss(self) -> Chain:
        """This chain with its states sorted by their loss probabilities."""
        order = np.argsort(self.loss, kind="stable")
        return Chain(self.transition[np.ix_(order, order)], self.loss[order])

    def power(self, steps: int) -> Floats:
        """Transition probabilities in so many steps."""
        return np.asarray(np.linalg.matrix_power(self.transition, steps))

    def burst_length_distribution(self, n: int, spacing: int = 1) -> Floats:
        """Probabilities that a run of losses has 1, 2, ..., n packets, `spacing` steps apart."""
        return self._run_length_distribution(n, spacing, self.loss)

    def gap_length_distribution(self, n: int, spacing: int = 1) -> Floats:
        """Probabilities that a run of arrivals has 1, 2, ..., n packets, `spacing` steps apart."""
        return self._run_length_distribution(n, spacing, 1.0 - self.loss)

    def _run_length_distribution(self, n: int, spacing: int, within: Floats) -> Floats:
        move = self.power(spacing)
        begins = ((self.stationary_distribution * (1.0 - within)) @ move) * within
        if not begins.sum() > 0.0:
            return np.zeros(n)
        vector, law = begins / begins.sum(), np.empty(n)
        for i in range(n):
            moved = vector @ move
            law[i] = moved @ (1.0 - within)
            vector = moved * within
        return law

    def autocorrelation(self, lags: int, spacing: int = 1) -> Floats:
        """Correlations of the fates of packets 1, 2, ..., `lags` apart; 0 where all are alike."""
        rate, move = self.loss_rate, self.power(spacing)
        vector, found = self.stationary_distribution * self.loss, np.empty(lags)
        for i in range(lags):
            vector = vector @ move
            found[i] = vector @ self.loss - rate**2
        scatter = rate * (1.0 - rate)
        return found / scatter if scatter > 0.0 else np.zeros(lags)

    def draw_losses(
        self,
        n: int,
        stream: tuple[int, int],
        *,
        gaps: NDArray[np.uint32] | None = None,
        starts: Sequence[int] = (0,),
    ) -> NDArray[np.uint64]:
        """Numbers of the packets lost among `n`, drawn with a seed and a replication.

        `gaps` are the steps since the packet before, 1 if not given; pieces begin at `starts`,
        each as after a long time.
        """
        lost = _native.simulate_losses(
            (
                self.transition.ravel().tolist(),
                self.loss.tolist(),
                self.stationary_distribution.tolist(),
            ),
            n,
            None if gaps is None else np.ascontiguousarray(gaps, dtype=np.uint32).tobytes(),
            list(starts),
            stream,
        )
        return np.frombuffer(memoryview(lost), np.uint64)

    def simulate(
        self,
        n: int,
        stream: tuple[int, int],
        *,
        gaps: NDArray[np.uint32] | None = None,
        starts: Sequence[int] = (0,),
    ) -> NDArray[np.int8]:
        """Draw the fates of all packets: 1 for a loss, 0 for an arrival."""
        fates = np.zeros(n, dtype=np.int8)
        fates[self.draw_losses(n, stream, gaps=gaps, starts=starts)] = 1
        return fates


def independent_chain(rate: float) -> Chain:
    """The chain without memory."""
    return Chain(np.ones((1, 1)), np.array([rate]))
