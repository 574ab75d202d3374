"""Standard errors and intervals of laws of delays, independent or each depending on the last.

Covariances are derived from a composite likelihood [Godambe 1960]: H^-1 J H^-1 / n, where H is the
information of single delays, as observed, and J the covariance of their scores over time. The
fitted law gives J: delays are functions of a normal process, and functions f and g of two standard
normal numbers with correlation r have E[f g] = sum of f_m g_m r^m, with their coefficients in
Hermite's polynomials (Mehler's formula). An estimate of J from a window over the record would be
too small by a tenth for an hour of pings with a correlation of 0.8, since much of J comes from
longer lags.

The estimating function of the correlation is uncorrelated with small changes of the law of single
delays, so that its error is that of normal numbers: its variance is (1 - rho^2) / n, and that of
its arcsine 1 / n.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from airtcp.fitting.delays_data import DelayCells, Floats
from airtcp.fitting.delays_estimate import DelayLaw
from airtcp.fitting.delays_laws import MarginalLaw
from airtcp.fitting.estimates import NORMAL_95, Estimate, to_scale
from airtcp.fitting.sojourns_laws import inverse_or_nan

_DERIVATIVE_STEP = 1e-4
# Quantiles whose cells stand for all, and normal numbers.
_GRID_POINTS, _FARTHEST_DEVIATE = 2048, 8.0
_NEGLIGIBLE_PROBABILITY = 1e-14  # probability
_NEGLIGIBLE_CORRELATION = 1e-6  # correlation
_SMOOTH_CELL_COUNT = 30  # delays in the lowest cell, which make its likelihood smooth
_LOWEST_DELAYS = 5  # delays


def parameter_estimates(law: DelayLaw, cells: DelayCells) -> tuple[Estimate, ...]:
    """Parameters with standard errors and intervals, the base first."""
    marginal = law.marginal
    inverted = inverse_or_nan(_information(marginal, cells))
    covariance = inverted
    if law.correlation != 0.0:
        every = _all_possible_cells(law.marginal, cells)
        scores = _scores(marginal, every, float(cells.high[0]))
        covariance = inverted @ _long_run_covariance(law, cells, every, scores) @ inverted
    deviations = np.sqrt(np.diag(covariance) / len(cells))
    found = [_base_estimate(law, cells, deviations)]
    for name, value, se, unit in zip(
        marginal.parameter_names,
        (marginal.first, marginal.second),
        deviations,
        marginal.parameter_units,
        strict=False,
    ):
        found.append(Estimate.on_scale(name, math.log(value), float(se), "log", unit=unit))
    if law.correlation != 0.0:
        pairs = int(np.count_nonzero(cells.lag == 1))
        place, se = to_scale("arcsine", law.correlation), 1.0 / math.sqrt(max(pairs, 1))
        found.append(Estimate.on_scale("correlation", place, se, "arcsine"))
    return tuple(found)


def _base_estimate(law: DelayLaw, cells: DelayCells, deviations: Floats) -> Estimate:
    """Estimate of the base; if it is free, from the logarithm of its distance to the lowest cell.

    The logarithm suits a likelihood that falls slowly towards lower bases, and fast towards the
    lowest delay. The distance is that to the end of the cell.
    """
    marginal = law.marginal
    has_edge = marginal.has_edge(marginal.first)
    lowest = cells.weight[cells.occupied[0]]
    if has_edge and (lowest < _SMOOTH_CELL_COUNT or not marginal.has_free_base):
        return _base_by_lowest_delays(law, cells)
    if not marginal.has_free_base:
        said = "at its bound: the law would have a base below 0"
        return Estimate("base", marginal.base, unit="ms", remark=said)
    edge, se = float(cells.high[0]), float(deviations[2])
    gap = edge - marginal.base
    distance = Estimate.on_scale("base", math.log(gap), se, "log", unit="ms")
    if distance.low is None or distance.high is None:
        return Estimate("base", marginal.base, unit="ms", remark=distance.remark)
    ends = edge - distance.high, edge - distance.low
    return Estimate("base", marginal.base, distance.se, *ends, "ms")


def _base_by_lowest_delays(law: DelayLaw, cells: DelayCells) -> Estimate:
    """Estimate of the base (the smallest possible delay) from the lowest delays alone.

    It is for laws whose likelihood has an edge at the base, where it is not smooth [Smith 1985].

    The number of delays in the lowest cells is binomial: the interval is that of Jeffreys for its
    probability [Brown, Cai and DasGupta 2001], which the law turns into a distance from the base.
    Delays that follow each other count as fewer.
    """
    n, count = float(len(cells)), np.cumsum(cells.weight)
    last = int(np.searchsorted(count, min(_LOWEST_DELAYS, n)))
    share = float(count[last]) / n
    if law.correlation != 0.0:
        every = _all_possible_cells(law.marginal, cells)
        inside = (every.high <= cells.high[last]).astype(np.float64)
        probability = float(inside @ np.exp(law.marginal.log_cell_probabilities(every)))
        spread = _long_run_covariance(law, cells, every, (inside - probability)[:, None])
        n *= min(1.0, probability * (1.0 - probability) / max(float(spread[0, 0]), 1e-300))
    shares = stats.beta.ppf((0.975, 0.025), share * n + 0.5, (1.0 - share) * n + 0.5)
    low, high = (float(cells.high[last]) - law.marginal.quantile(1.0 - shares)).tolist()
    high = min(high, float(cells.high[cells.occupied[0]]))
    return Estimate("base", law.marginal.base, (high - low) / (2.0 * NORMAL_95), low, high, "ms")


def _information(marginal: MarginalLaw, cells: DelayCells) -> Floats:
    """Observed information of a delay: minus the slopes of the scores."""
    edge = float(cells.high[0])
    place = marginal.to_search_place(edge)
    found = np.empty((len(place),) * 2)
    for i, shift in enumerate(10.0 * _DERIVATIVE_STEP * np.eye(len(place))):
        ends = [
            cells.weight
            @ _scores(marginal.from_search_place(place + sign * shift, edge), cells, edge)
            for sign in (1.0, -1.0)
        ]
        found[:, i] = (ends[1] - ends[0]) / (20.0 * _DERIVATIVE_STEP * len(cells))
    return np.asarray((found + found.T) / 2.0)


def _scores(marginal: MarginalLaw, cells: DelayCells, edge: float) -> Floats:
    """Slopes of the log-likelihood of each cell, by the places of the parameters."""
    place = marginal.to_search_place(edge)
    columns = []
    for shift in _DERIVATIVE_STEP * np.eye(len(place)):
        ends = [
            marginal.from_search_place(place + sign * shift, edge).log_cell_probabilities(cells)
            for sign in (1.0, -1.0)
        ]
        columns.append((ends[0] - ends[1]) / (2.0 * _DERIVATIVE_STEP))
    return np.column_stack(columns)


def _all_possible_cells(marginal: MarginalLaw, cells: DelayCells) -> DelayCells:
    """Cells of everything that the law can make."""
    level = special.ndtri((np.arange(_GRID_POINTS) + 0.5) / _GRID_POINTS)
    far = np.linspace(level[-1], _FARTHEST_DEVIATE, 100)[1:]
    z = np.r_[-far[::-1], level, far]
    return cells.covering(marginal.base + marginal.quantile(special.ndtr(-z)))


def _long_run_covariance(
    law: DelayLaw, cells: DelayCells, every: DelayCells, values: Floats
) -> Floats:
    """Covariance of means over time, times the number of delays; `values` have the mean 0."""
    share = np.exp(law.marginal.log_cell_probabilities(every))
    values = np.where(share[:, None] > _NEGLIGIBLE_PROBABILITY, values, 0.0)
    total = (values * share[:, None]).T @ values
    lags, times = np.unique(cells.lag[cells.lag > 0], return_counts=True)
    shares = times / len(cells)
    # Integrals of normed Hermite polynomials over cells: h_m phi is -(h_{m-1} phi)' / sqrt(m).
    end = np.stack(law.marginal.normal_ends(every))
    density = np.exp(-0.5 * end * end) / math.sqrt(math.tau)
    before, now = np.zeros_like(end), np.ones_like(end)
    order = 1
    while True:
        alike = float(shares @ law.correlation ** (order * lags.astype(np.float64)))
        if abs(alike) < _NEGLIGIBLE_CORRELATION:
            return np.asarray(total)
        edges = now * density / math.sqrt(order)
        part = (edges[0] - edges[1]) @ values
        total += np.outer(part, part) * 2.0 * alike / (1.0 - alike)
        before, now = now, (end * now - math.sqrt(order - 1) * before) / math.sqrt(order)
        order += 1
