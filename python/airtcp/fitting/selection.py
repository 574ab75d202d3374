"""Choice between models by the likelihood of data that they were not fitted to.

The rule: the smallest model that the best one does not clearly beat on data left out. A model beats
another clearly if it is better by more than two standard errors of the paired difference over
blocks, and by more than a factor of e for each additional parameter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CLEAR_ERRORS = 2.0  # standard errors by which a larger model must be better


class ScoreDifference(NamedTuple):
    """Log-likelihood of held-out data under one model less that under another, with its error."""

    value: float
    se: float

    @property
    def is_clear(self) -> bool:
        """True if it is more than two standard errors above 0."""
        return self.value > CLEAR_ERRORS * self.se


def score_difference(own: Floats, rival: Floats) -> ScoreDifference:
    """Difference of two models over the same blocks; infinite if one makes the data impossible."""
    if not np.isfinite(own).all() or not np.isfinite(rival).all():
        first, second = float(np.sum(own)), float(np.sum(rival))
        return ScoreDifference(0.0 if first == second else first - second, 0.0)
    apart = own - rival
    n = len(apart)
    return ScoreDifference(
        math.fsum(apart), math.sqrt(n) * float(apart.std(ddof=1)) if n > 1 else math.inf
    )


def choose_smallest(scores: Sequence[Floats], sizes: Sequence[int]) -> int:
    """Index of the smallest model that the best one does not clearly beat.

    `scores` has a log-likelihood per block for each model, `sizes` their numbers of parameters; of
    models of one size the better one is tried first.
    """
    totals = [float(np.sum(block_scores)) for block_scores in scores]
    best = int(np.argmax(totals))
    order = sorted(range(len(scores)), key=lambda i: (sizes[i], -totals[i]))

    def is_beaten(i: int) -> bool:
        apart = score_difference(scores[best], scores[i])
        return apart.is_clear and apart.value > sizes[best] - sizes[i]

    return next(i for i in order if not is_beaten(i))


def folds(n: int, count: int, blocks: int) -> list[list[tuple[int, int]]]:
    """Contiguous folds of n packets, each as a list of contiguous blocks (start, end)."""
    edges = [(n * i) // (count * blocks) for i in range(count * blocks + 1)]
    pairs = list(pairwise(edges))
    return [pairs[i * blocks : (i + 1) * blocks] for i in range(count)]


def ranges_outside(n: int, fold: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of n packets outside a fold."""
    return [(0, fold[0][0]), (fold[-1][1], n)]
