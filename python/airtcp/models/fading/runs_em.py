"""Expectation-maximisation of a chain over the runs of a trace."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airtcp.models.fading.chain import Chain
from airtcp.models.fading.runs import Ints

Floats = NDArray[np.float64]

_RUN_PAIRS_PER_STRETCH = (
    64  # pairs of runs in a stretch that is treated as independent of the others
)
_LEAST_LEAVE = 1e-12
_LEAST_LAW = 1e-200  # of a run by state, over the likeliest one: nothing becomes impossible


class RunStretches:
    """The runs of a trace in stretches, worked on side by side: arrays (step, stretch)."""

    def __init__(self, lost: Ints, delivered: Ints) -> None:
        """Pairs of runs: losses, then deliveries."""
        stretches = -(-lost.size // _RUN_PAIRS_PER_STRETCH)
        steps = -(-lost.size // stretches)
        missing = steps * stretches - lost.size
        self.there = _in_stretches(np.ones(lost.size), missing, steps)
        self.lost = _in_stretches(lost.astype(np.float64), missing, steps)
        self.delivered = _in_stretches(delivered.astype(np.float64), missing, steps)

    def improve_chain(self, chain: Chain) -> tuple[Chain, float]:
        """A likelier chain, and the log-likelihood of `chain`."""
        loss_law, loss_scale = self._length_probabilities(self.lost, chain.loss_stay)
        delivery_law, delivery_scale = self._length_probabilities(
            self.delivered, chain.delivery_stay
        )
        into, between, likelihood = _forward(chain, loss_law, delivery_law)
        to_delivery, to_loss = _ExpectedMoves(chain.to_delivery), _ExpectedMoves(chain.to_loss)
        after = np.ones_like(into[-1])
        for step in reversed(range(len(self.there))):
            length_factor = self.there[step]
            to_loss.add(
                between[step] * delivery_law[step], after, length_factor, self.delivered[step]
            )
            onward = after @ chain.to_loss.T * delivery_law[step]
            to_delivery.add(into[step] * loss_law[step], onward, length_factor, self.lost[step])
            after = onward @ chain.to_delivery.T * loss_law[step]
            after /= after.max(axis=1, keepdims=True)
        better = Chain(
            to_delivery.stay, to_loss.stay, to_delivery.distribution, to_loss.distribution
        )
        return better, likelihood + loss_scale + delivery_scale

    def _length_probabilities(self, lengths: Floats, stay: Floats) -> tuple[Floats, float]:
        """P[run of this length] by state over that of the likeliest one, and the log of the latter.

        1 where there is no run.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            log_stay = np.where(lengths[..., None] > 1.0, np.log(stay), 0.0)
        logs = (lengths[..., None] - 1.0) * log_stay + np.log1p(-stay)
        logs = np.where(self.there[..., None] > 0.0, logs, 0.0)
        scale = logs.max(axis=-1, keepdims=True)
        return np.maximum(np.exp(logs - scale), _LEAST_LAW), float(scale.sum())


def _in_stretches(values: Floats, missing: int, steps: int) -> Floats:
    """Values in stretches, the last one filled up with zeros."""
    return np.append(values, np.zeros(missing)).reshape(-1, steps).T


def _forward(
    chain: Chain, loss_law: Floats, delivery_law: Floats
) -> tuple[list[Floats], list[Floats], float]:
    """Laws of the loss and of the delivery state at each step, given the runs before it."""
    into = [np.tile(chain.loss_starts, (loss_law.shape[1], 1))]
    between: list[Floats] = []
    likelihood = 0.0
    for loss, delivery in zip(loss_law, delivery_law, strict=True):
        between.append(into[-1] * loss @ chain.to_delivery)
        forward = between[-1] * delivery
        scale = forward.sum(axis=1, keepdims=True)
        likelihood += float(np.log(scale).sum())
        between[-1] = between[-1] / scale
        into[-1] = into[-1] / scale
        into.append(forward / scale @ chain.to_loss)
    return into, between, likelihood


class _ExpectedMoves:
    """Expected moves from states of one kind to states of the other, and the runs before."""

    def __init__(self, distribution: Floats) -> None:
        self.known = distribution
        self.moves = np.zeros_like(distribution)
        self.slots = np.zeros(len(distribution))

    def add(self, before: Floats, after: Floats, length_factor: Floats, lengths: Floats) -> None:
        """The moves of one step, from what comes before and after it, by stretch and state."""
        return_probability = after @ self.known.T
        weight = length_factor / (before * return_probability).sum(axis=1)
        self.moves += self.known * ((before * weight[:, None]).T @ after)
        self.slots += (weight * lengths) @ (before * return_probability)

    @property
    def distribution(self) -> Floats:
        """The distribution of the state to move to."""
        distribution: Floats = self.moves / self.moves.sum(axis=1, keepdims=True)
        return distribution

    @property
    def stay(self) -> Floats:
        """P[stay another slot], so that the mean run is right."""
        leave = self.moves.sum(axis=1) / self.slots
        stay: Floats = 1.0 - np.clip(leave, _LEAST_LEAVE, 1.0)
        return stay
