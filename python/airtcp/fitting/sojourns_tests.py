"""Test of a fitted law of sojourns, by a parametric bootstrap."""

from __future__ import annotations

import numpy as np

from airtcp.fitting.sojourns_laws import Floats, Law, Lengths


def fit_test(
    law: Law, data: Lengths, resolution: float, rng: np.random.Generator, draws: int
) -> float:
    """p value of the hypothesis that the law, fitted to the data, made them.

    The statistic is the distance of Anderson and Darling; p is the share of draws, the data among
    them, with as large a distance from the law fitted to them.
    """
    seen = _distance(law, data, rng)
    beyond, tried = 1, 1
    for _ in range(draws):
        drawn = _draw_lengths(law, data, resolution, rng)
        again = type(law).fit(drawn)
        if again is None:
            continue
        tried += 1
        beyond += _distance(again, drawn, rng) >= seen
    return beyond / tried


def _distance(law: Law, data: Lengths, rng: np.random.Generator) -> float:
    """Distance of Anderson and Darling; a censored length is continued by a draw from the law."""
    uniform = law.seen_cdf(data.seen, data.least)
    if data.censored.any():
        from_here = uniform[data.censored]
        uniform[data.censored] = from_here + (1.0 - from_here) * rng.random(len(from_here))
    return anderson_darling(uniform)


def _draw_lengths(law: Law, data: Lengths, resolution: float, rng: np.random.Generator) -> Lengths:
    """As many lengths from the law as there are, censored and rounded as they were."""
    lengths = law.simulate_seen(rng, len(data), data.least)
    if resolution > 0.0:
        ticks = np.floor(lengths / resolution + rng.random(len(data)))
        lengths = np.maximum(ticks, 1.0) * resolution
        lengths = np.maximum(lengths, data.least)
    limit = _censoring_times(data, rng)
    return Lengths(np.minimum(lengths, limit), lengths > limit, data.least)


def _censoring_times(data: Lengths, rng: np.random.Generator) -> Floats:
    """Times at which each length would have been censored.

    They are known for censored lengths. For the others they are drawn from Kaplan and Meier's
    estimate of their law, given that they are longer than the length
    [Davison and Hinkley 1997, 7.3].
    """
    limit = np.full(len(data), np.inf)
    limit[data.censored] = data.seen[data.censored]
    if not data.censored.any():
        return limit
    times = np.sort(data.seen[data.censored])
    at_risk = len(data) - np.searchsorted(np.sort(data.seen), times)
    left = np.cumprod(1.0 - 1.0 / np.maximum(at_risk, 1))  # P(limit > time)
    survival = np.r_[1.0, left]
    whole = np.flatnonzero(~data.censored)
    beyond = survival[np.searchsorted(times, data.seen[whole], side="right")]
    drawn = beyond * rng.random(len(whole))
    place = np.searchsorted(-left, -drawn, side="left")
    limit[whole] = np.r_[times, np.inf][place]
    return limit


def anderson_darling(uniform: Floats) -> float:
    """Anderson and Darling's distance of numbers from the uniform law on (0, 1)."""
    u = np.clip(np.sort(uniform), 1e-12, 1.0 - 1e-12)
    n = len(u)
    odd = np.arange(1, 2 * n, 2)
    return float(-n - (odd * (np.log(u) + np.log1p(-u[::-1]))).sum() / n)
