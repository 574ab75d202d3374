"""Finite Markov chains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def stationary(chain: Floats) -> Floats:
    """The stationary distribution of a chain by its rows: pi (I - P) = 0, and the sum is 1."""
    balance = np.eye(len(chain)) - chain.T
    balance[-1] = 1.0
    unit = np.zeros(len(chain))
    unit[-1] = 1.0
    return np.asarray(np.linalg.solve(balance, unit), dtype=np.float64)
