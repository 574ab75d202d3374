"""Exact laws of losses in a train of packets, for tests of what really came through.

A law is a hidden chain that steps once per packet; a packet is lost or arrives with a step. How
many are lost, and how many runs of losses get to a given length, has a generating function: the
power of a small matrix. Its values on the unit circle give the whole distribution, without
approximation. The level is that of all counts of a train together (Bonferroni): a right emulator
fails at most once in 100 000 seeds. A wrong one is found out, by 6000 packets, if it loses 1.2
times as many as it should independently, or has 1.5 times as many bursts of about four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import expm

LEVEL = 1e-5
# Lengths of runs that are counted.
OF_LOSSES = (1, 2, 4)
OF_ARRIVALS = (4, 16)
Matrix = NDArray[np.float64]
Lost = NDArray[np.bool_]


@dataclass(frozen=True)
class Law:
    """Probabilities: of the states at first, of steps with an arrival, of steps with a loss."""

    first: Matrix
    arrives: Matrix
    lost: Matrix

    @property
    def loss_rate(self) -> float:
        """Of the first packet."""
        return float(self.first @ self.lost.sum(axis=1))


def independent(loss_rate: float) -> Law:
    return Law(np.ones(1), np.full((1, 1), 1 - loss_rate), np.full((1, 1), loss_rate))


def two_state(p_gb: float, p_bg: float, *, bad: float = 1.0, good: float = 0.0) -> Law:
    """A stationary chain, with losses of so much probability in its states."""
    steps = np.array([[1 - p_gb, p_gb], [p_bg, 1 - p_bg]])
    lost = np.array([[good], [bad]])
    first = np.array([p_bg, p_gb]) / (p_gb + p_bg)
    return Law(first, (1 - lost) * steps, lost * steps)


def exposed(
    good: float, bad: float, *, loss: float = 1.0, window: float = 1.0, clean: bool = False
) -> Law:
    """Good and bad for exponential lengths, by the time from one packet to the next.

    A packet is at risk if any part of its `window` is bad. Stationary, or good at first if `clean`.
    """
    rates = np.array([[-1 / good, 1 / good], [1 / bad, -1 / bad]])
    spared = np.diag([np.exp(-window / good), 0.0])
    after = expm(rates * (1 - window))
    lost = loss * (expm(rates * window) - spared) @ after
    first = np.array([1.0, 0.0]) if clean else np.array([good, bad]) / (good + bad)
    return Law(first, expm(rates) - lost, lost)


def in_series(first: Law, second: Law) -> Law:
    """A packet must survive both."""
    arrives = np.kron(first.arrives, second.arrives)
    steps = np.kron(first.arrives + first.lost, second.arrives + second.lost)
    return Law(np.kron(first.first, second.first), arrives, steps - arrives)


@dataclass(frozen=True)
class Count:
    """Something counted in a train, and how many of it there may be."""

    name: str
    of: Callable[[Lost], int]
    pmf: Callable[[Law, int], Matrix]


def counts() -> list[Count]:
    """Losses; runs of losses, and of arrivals, that get to certain lengths."""
    runs = [_runs(f"runs of {length} losses or more", length, True) for length in OF_LOSSES]
    runs += [_runs(f"runs of {length} arrivals or more", length, False) for length in OF_ARRIVALS]
    return [Count("losses", lambda lost: int(lost.sum()), _losses), *runs]


def reaching(lost: Lost, length: int) -> int:
    """Runs of True of at least that length."""
    edges = np.diff(np.concatenate(([0], lost.astype(np.int8), [0])))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    return int((lengths >= length).sum())


def _runs(name: str, length: int, of_losses: bool) -> Count:
    def pmf(law: Law, packets: int) -> Matrix:
        ends, goes_on = (law.arrives, law.lost) if of_losses else (law.lost, law.arrives)
        return _reaching_pmf(law.first, ends, goes_on, length, packets)

    return Count(name, lambda lost: reaching(lost if of_losses else ~lost, length), pmf)


def _losses(law: Law, packets: int) -> Matrix:
    return _pmf(law.first, law.arrives, law.lost, packets, packets)


def _reaching_pmf(
    first: Matrix, ends: Matrix, goes_on: Matrix, length: int, packets: int
) -> Matrix:
    """Of how many runs get to `length`: the states know how long the run is, up to that."""
    grown = np.eye(length + 1, k=1)
    marks = np.zeros_like(grown)
    grown[-1, -1] = 1.0
    grown[length - 1, length], marks[length - 1, length] = 0.0, 1.0
    back = np.zeros_like(grown)
    back[:, 0] = 1.0
    silent = np.kron(back, ends) + np.kron(grown, goes_on)
    start = np.kron(np.eye(length + 1)[0], first)
    return _pmf(start, silent, np.kron(marks, goes_on), packets, packets // (length + 1) + 1)


def _pmf(first: Matrix, silent: Matrix, marked: Matrix, steps: int, most: int) -> Matrix:
    """Of the number of marked steps, 0 to `most`."""
    circle = np.exp(-2j * np.pi * np.arange(most + 1) / (most + 1))
    powers = np.linalg.matrix_power(silent + circle[:, None, None] * marked, steps)
    values = np.einsum("i,kij->k", first, powers)
    return np.clip(np.fft.ifft(values).real, 0.0, None)


def p_value(pmf: Matrix, value: int) -> float:
    """Of the test on both sides."""
    return float(min(1.0, 2 * min(pmf[: value + 1].sum(), pmf[value:].sum())))


def false_alarm(pmf: Matrix, level: float) -> float:
    """Probability that a right train has a p-value below `level`."""
    low = np.minimum(2 * np.minimum(np.cumsum(pmf), np.cumsum(pmf[::-1])[::-1]), 1.0)
    return float(pmf[low < level].sum())


def rejected(law: Law, lost: Lost) -> list[str]:
    """The counts that contradict the law, in words; empty as a rule."""
    level = LEVEL / len(counts())
    found = []
    for count in counts():
        pmf = count.pmf(law, len(lost))
        value, mean = count.of(lost), float(pmf @ np.arange(len(pmf)))
        if (p := p_value(pmf, value)) < level:
            found.append(f"{value} {count.name}, expected {mean:.1f}: p = {p:.1e} < {level:.1e}")
    return found


def rejected_by_trains(trains: list[Lost], lost: Lost) -> list[str]:
    """The counts that contradict trains of the law: long trains have counts that are nearly normal.

    Mean, variance and skewness (below 0.5 as a rule) are those of the trains, the law that of
    Pearson's third type. The level is met as nearly as some hundred trains tell these.
    """
    level = LEVEL / len(counts())
    found = []
    for count in counts():
        sample = np.array([count.of(train) for train in trains], dtype=float)
        scale = sample.std(ddof=1) * np.sqrt(1 + 1 / len(sample))
        about = stats.pearson3(stats.skew(sample), sample.mean(), scale)
        value = count.of(lost)
        if (p := 2 * min(about.cdf(value), about.sf(value))) < level:
            found.append(f"{value} {count.name}, in others {sample.mean():.1f}: p = {p:.1e}")
    return found
