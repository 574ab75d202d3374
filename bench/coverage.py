"""Coverage of the stop rule's intervals: how often they contain the true mean, law by law.

Every cell repeats a search for one relative precision and asks whether the 95 % interval of the
replications it stopped at contains the mean of the law. Beside it stands how many replications it
took, and how many a search that knows the standard deviation would take.

Usage: python bench/coverage.py [repetitions, by default 4000] [least, by default 30]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from airtcp.stats import CONFIDENCE, Precision, mean_intervals

RELATIVE = (0.3, 0.2, 0.1, 0.05)
MOST = 10_000


class Law(NamedTuple):
    mean: float
    sd: float
    draw: Callable[[np.random.Generator, int], np.ndarray]


LAWS = {
    "normal, sd 0.1": Law(1.0, 0.1, lambda g, n: g.normal(1.0, 0.1, n)),
    "normal, sd 0.4": Law(1.0, 0.4, lambda g, n: g.normal(1.0, 0.4, n)),
    "uniform from 0": Law(0.5, math.sqrt(1 / 12), lambda g, n: g.random(n)),
    "exponential": Law(1.0, 1.0, lambda g, n: g.exponential(1.0, n)),
    "2 less exponential": Law(1.0, 1.0, lambda g, n: 2.0 - g.exponential(1.0, n)),
    "0 or 1, P(1) = 0.3": Law(0.3, math.sqrt(0.21), lambda g, n: 1.0 * (g.random(n) < 0.3)),
    "0 or 1, P(1) = 0.5": Law(0.5, 0.5, lambda g, n: 1.0 * (g.random(n) < 0.5)),
    "0 or 1, P(1) = 0.7": Law(0.7, math.sqrt(0.21), lambda g, n: 1.0 * (g.random(n) < 0.7)),
    "0 or 1, P(1) = 0.9": Law(0.9, 0.3, lambda g, n: 1.0 * (g.random(n) < 0.9)),
    "lognormal, sigma 0.8": Law(
        math.exp(0.32),
        math.exp(0.32) * math.sqrt(math.exp(0.64) - 1.0),
        lambda g, n: g.lognormal(0.0, 0.8, n),
    ),
}


def search(law: Law, rule: Precision, generator: np.random.Generator) -> np.ndarray:
    """The values of one search, drawn as the rule asks for them."""
    values = law.draw(generator, rule.least)
    while (needed := rule.next_runs(values)) > values.size:
        values = np.concatenate([values, law.draw(generator, needed - values.size)])
    return values


def coverage(law: Law, rule: Precision, repetitions: int, seed: int) -> tuple[float, float]:
    """The share of intervals that contain the mean, and the mean number of replications."""
    generator = np.random.default_rng(seed)
    runs, covered = 0, 0
    for _ in range(repetitions):
        values = search(law, rule, generator)
        found = mean_intervals(values[np.newaxis, :], rule.confidence)
        covered += bool(found["low"][0] <= law.mean <= found["high"][0])
        runs += values.size
    return covered / repetitions, runs / repetitions


def known(law: Law, relative: float) -> float:
    """Replications for a known standard deviation and the adjusted precision."""
    target = relative / (1.0 + relative) * law.mean
    return max(2.0, (1.959964 * law.sd / target) ** 2)


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    error = 100.0 * math.sqrt(CONFIDENCE * (1.0 - CONFIDENCE) / repetitions)
    print(f"coverage in % (sd {error:.2f}), replications taken / with known sd; least = {least}")
    print(f"{'':22}" + "".join(f"{one:>20g}" for one in RELATIVE))
    for place, (name, law) in enumerate(LAWS.items()):
        cells = []
        for relative in RELATIVE:
            rule = Precision(relative, least=least, most=MOST)
            share, runs = coverage(law, rule, repetitions, place)
            cells.append(f"{100 * share:8.1f} {runs:5.0f}/{known(law, relative):5.0f}")
        print(f"{name:22}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
