"""A test of whether a link serves packet trains under light load as it serves its saturated load.

The difference of both recordings is told in units of their own slow variation, of which cosine
transforms of the lowest frequencies are the measure. Its distribution under the null hypothesis is
that of a process of one long memory: with shorter ones such values are rarer [mueller2014]. As a
short recording shows too short a memory, the process has several times the longest one fitted to
the saturated recording, but half of the recording at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from airtcp.fitting.rates import FEWEST
from airtcp.fitting.rates_data import of_opportunities
from airtcp.fitting.rates_memory import Ranks, memories_of_record

Floats = NDArray[np.float64]
_WAVES = 4  # cosines: few see slow variation alone, many make its measure sure
_MEMORIES = 0.5 ** np.arange(7, 0, -1)  # under the null hypothesis, in lengths of the recording
_LONGER = 4.0  # than the longest memory fitted, which is an eighth of the recording at most
_NODES = 400  # of integrals over the recording
_DRAWS = 99_999
_SEED = 1  # of the draws, the same for all recordings
_PER_TRAIN = 4  # trains over the saturated link for each that was recorded
_RESOLUTION = 1.0  # ms, by which a recorded duration may be off: a difference of rounded times


@dataclass(frozen=True, eq=False)
class TrainTimes:
    """Recorded trains by increasing time.

    - `starts`: ms of the recording;
    - `durations`: ms from the first arrival to the last, as differences of whole milliseconds;
    - `sizes`: packets, at least 2.
    """

    starts: Floats
    durations: Floats
    sizes: NDArray[np.int64]

    @property
    def length(self) -> float:
        """Length of the recording, at least 1 ms."""
        number = len(self.starts)
        return max(float(np.ptp(self.starts)) * number / (number - 1), 1.0)


def p_value_of_loads(light: TrainTimes, millis: NDArray[np.int64]) -> float:
    """P value of the hypothesis that opportunities of the saturated link served the trains.

    The test compares means of the logarithm of the time per packet. A duration stands for all that
    are equal to it within rounding.
    """
    sizes = np.repeat(light.sizes, _PER_TRAIN)
    busy = _log_per_packet(_durations(millis, sizes), sizes)
    low, middle, high = (
        _log_per_packet(np.maximum(light.durations + error, 0.0), light.sizes)
        for error in (-_RESOLUTION, 0.0, _RESOLUTION)
    )
    apart = max(low.mean() - busy.mean(), busy.mean() - high.mean(), 0.0)
    if apart == 0.0:
        return 1.0
    # A light recording that is shorter than the other shows less of the slow variation.
    shorter = max(float(millis[-1]) / light.length, 1.0)
    square = _of_difference(_waves(busy), _waves(middle), shorter)
    ratio = apart / np.sqrt(square) if square > 0.0 else np.inf
    return (1.0 + float((_null_ratios(_memory(millis)) >= ratio).sum())) / (1.0 + _DRAWS)


def _log_per_packet(durations: Floats, sizes: NDArray[np.int64]) -> Floats:
    """Logarithms of times per packet; a resolution more keeps them finite, on both sides alike."""
    found: Floats = np.log((durations + _RESOLUTION) / (sizes - 1))
    return found


def _durations(millis: NDArray[np.int64], sizes: NDArray[np.int64]) -> Floats:
    """Durations (ms) of trains of so many packets, from equal distances on, over opportunities.

    Opportunities of one millisecond are spread over it: a train may begin between them.
    """
    period = int(millis[-1])
    _, first, number = np.unique(millis, return_index=True, return_counts=True)
    place = np.arange(len(millis)) - np.repeat(first, number)
    times = millis - 1.0 + (place + 0.5) / np.repeat(number, number)
    begins = (np.arange(len(sizes)) + 0.5) / len(sizes) * period
    start = np.searchsorted(times, begins, side="right")

    def time(at: NDArray[np.int64]) -> Floats:
        found: Floats = times[at % len(times)] + period * (at // len(times))
        return found

    found: Floats = time(start + sizes - 1) - time(start)
    return found


def _waves(values: Floats) -> Floats:
    """Cosine transforms of the lowest frequencies: those of noise scatter as its mean does."""
    phases = np.pi * (np.arange(len(values)) + 0.5) / len(values)
    cosines = np.cos(np.arange(1, _WAVES + 1)[:, None] * phases)
    found: Floats = np.sqrt(2.0) * cosines @ (values - values.mean()) / len(values)
    return found


def _of_difference(busy: Floats, light: Floats, shorter: float = 1.0) -> NDArray[np.float64]:
    """Measure of the variance of the difference of means, from waves along the last axis."""
    of_busy, of_light = (busy**2).mean(axis=-1), (light**2).mean(axis=-1)
    found: NDArray[np.float64] = of_busy + np.maximum(of_light, shorter * of_busy)
    return found


def _memory(millis: NDArray[np.int64]) -> float:
    """The memory under the null hypothesis, in lengths of the recording: one of `_MEMORIES`."""
    rates = of_opportunities(millis)
    if rates is None or len(rates.bps) < FEWEST:
        return float(_MEMORIES[-1])
    if np.ptp(rates.bps) == 0.0:
        return float(_MEMORIES[0])
    longest = float(memories_of_record(Ranks(rates.bps), rates.bps).times.max())
    memory = _LONGER * longest / len(rates.bps)
    return float(_MEMORIES[np.searchsorted(_MEMORIES[:-1], memory)])


@cache
def _null_ratios(memory: float) -> Floats:
    """Draw what pairs of recordings of one Gaussian process with this memory show."""
    places = (np.arange(_NODES) + 0.5) / _NODES
    covariance = np.exp(-np.abs(places[:, None] - places) / memory)
    waves = np.sqrt(2.0) * np.cos(np.pi * np.arange(1, _WAVES + 1)[:, None] * places)
    weights = np.vstack([np.ones(_NODES), waves]) / _NODES
    root = np.linalg.cholesky(weights @ covariance @ weights.T)
    rng = np.random.default_rng(_SEED)
    busy, light = rng.standard_normal((2, _DRAWS, _WAVES + 1)) @ root.T
    found: Floats = np.abs(busy[:, 0] - light[:, 0]) / np.sqrt(
        _of_difference(busy[:, 1:], light[:, 1:])
    )
    return found
