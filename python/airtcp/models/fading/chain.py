"""Chains with several loss states and several delivery states [fritchman1967]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import whole_number
from airtcp.models.fading.runs import GeometricMixture

Floats = NDArray[np.float64]

_MOST_SLOTS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Chain:
    """A Markov chain whose states lose every packet, or none.

    Runs are mixtures of geometric distributions. Throughout a run the chain stays in one state;
    then it moves to a state of the other kind.

    - `loss_stay`, `delivery_stay`: probability of staying another slot, for each state;
    - `to_delivery`: the distribution of the next state when a loss state is left, one row per loss
      state; `to_loss`: likewise for the delivery states.

    One state of each kind is the two-state chain.
    """

    loss_stay: Floats
    delivery_stay: Floats
    to_delivery: Floats
    to_loss: Floats

    @property
    def transition(self) -> Floats:
        """The matrix of the chain per slot, loss states first."""
        leave_loss, leave_delivery = 1.0 - self.loss_stay, 1.0 - self.delivery_stay
        return np.block(
            [
                [np.diag(self.loss_stay), leave_loss[:, None] * self.to_delivery],
                [leave_delivery[:, None] * self.to_loss, np.diag(self.delivery_stay)],
            ]
        )

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Mask of the states of `transition` that lose packets."""
        return np.arange(self.loss_stay.size + self.delivery_stay.size) < self.loss_stay.size

    @property
    def loss_starts(self) -> Floats:
        """The distribution of the state in which a run of losses starts."""
        return _stationary_distribution(self.to_delivery @ self.to_loss)

    @property
    def loss_runs(self) -> GeometricMixture:
        """The distribution of the runs of losses."""
        return GeometricMixture(self.loss_starts, self.loss_stay)

    @property
    def delivery_runs(self) -> GeometricMixture:
        """The distribution of the runs of deliveries."""
        return GeometricMixture(self.loss_starts @ self.to_delivery, self.delivery_stay)

    @property
    def loss_rate(self) -> float:
        """Stationary probability of a loss."""
        lost, delivered = self.loss_runs.mean, self.delivery_runs.mean
        return lost / (lost + delivered)

    def fates(self, slots: int, *, seed: int) -> NDArray[np.bool_]:
        """Draw the fates of `slots` slots, True where lost, as for a channel of kind `trace`.

        It starts with a run of losses. Raises `InputError`.
        """
        left = whole_number("slots", slots, 1, _MOST_SLOTS)
        rng = np.random.Generator(np.random.Philox(whole_number("seed", seed, 0, 2**63 - 1)))
        distributions = ((self.to_delivery, self.loss_stay), (self.to_loss, self.delivery_stay))
        state, kind = int(rng.choice(self.loss_stay.size, p=self.loss_starts)), 0
        lengths = []
        while left > 0:
            following, stay = distributions[kind]
            lengths.append(min(left, int(rng.geometric(1.0 - stay[state]))))
            left -= lengths[-1]
            state, kind = (
                int(np.searchsorted(np.cumsum(following[state])[:-1], rng.random())),
                1 - kind,
            )
        return np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)


def _stationary_distribution(matrix: Floats) -> Floats:
    """The stationary distribution of a small stochastic matrix."""
    states = len(matrix)
    balance = np.vstack([np.eye(states) - matrix.T, np.ones(states)])
    unit = np.append(np.zeros(states), 1.0)
    distribution = np.maximum(np.linalg.lstsq(balance, unit, rcond=None)[0], 0.0)
    found: Floats = distribution / distribution.sum()
    return found
