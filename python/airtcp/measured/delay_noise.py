"""Noise of delays: their scatter from packet to packet, without what a queue adds slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_NORMAL_SHARE_WITHIN_SD = 0.6827  # share of a normal distribution within one standard deviation


def delay_noise(delay: NDArray[Any]) -> float:
    """Standard deviation of single delays, by a quantile of the steps between neighbours."""
    steps = np.diff(delay)
    spread = np.quantile(np.abs(steps - np.median(steps)), _NORMAL_SHARE_WITHIN_SD)
    return float(spread) / float(np.sqrt(2.0))
