"""Parameters of estimated chains as a scenario calls them, with intervals in their range."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

from airtcp.fitting.chains import Floats
from airtcp.fitting.estimates import NORMAL_95, Estimate
from airtcp.fitting.losses_estimate import ChainEstimate

AT_BOUND = "at its bound: no interval by the curvature of the likelihood"
NOT_DETERMINED = "not determined: the likelihood is flat there"
NO_ERRORS = "no interval: standard errors were not asked for"


def rate_parameter(lost: int, known: int) -> Estimate:
    """The loss rate of independent losses: by logit, or by the exact bound if all fates are equal.

    Without losses, or without arrivals, the bound is the exact one of 95 % on one side, about 3 / n
    (the rule of three).
    """
    rate = lost / known
    if 0 < lost < known:
        deviation = 1.0 / math.sqrt(known * rate * (1.0 - rate))
        low, high = (
            float(special.expit(special.logit(rate) + sign * NORMAL_95 * deviation))
            for sign in (-1.0, 1.0)
        )
        return Estimate("loss_rate", rate, deviation * rate * (1.0 - rate), low, high)
    bound = -math.expm1(math.log(0.05) / known)
    said = f"no {'losses' if lost == 0 else 'arrivals'} in {known} packets: a one-sided 95 % bound"
    ends = (0.0, bound) if lost == 0 else (1.0 - bound, 1.0)
    return Estimate("loss_rate", rate, None, *ends, remark=said)


def chain_parameters(found: ChainEstimate) -> tuple[Estimate, ...]:
    """All parameters of a chain with more than one state."""
    return tuple(
        _parameter(found, name, value, slope) for name, value, slope in _named_parameters(found)
    )


def _named_parameters(found: ChainEstimate) -> Iterator[tuple[str, float, Floats | None]]:
    """Name, value, and derivative of the value's logit by the free logits (None at a bound)."""
    chain, k = found.chain, found.chain.states
    losses = [(i, chain.loss[i], _loss_slope(found, i)) for i in range(k)]
    moves = {
        (i, j): (float(chain.transition[i, j]), _transition_slope(found, i, j))
        for i in range(k)
        for j in range(k)
        if i != j
    }
    if k > 2:
        for i, loss, slope in losses:
            yield f"loss[{i}]", float(loss), slope
        for (i, j), (value, slope) in moves.items():
            yield f"transition[{i}][{j}]", value, slope
        return
    names = ("p_gb", "p_bg") if found.family.has_certain_states else ("p", "r")
    for name, (value, slope) in zip(names, moves.values(), strict=True):
        yield name, value, slope
    if not found.family.has_certain_states:
        for name, (_, loss, slope) in zip(("k", "h"), losses, strict=True):
            yield name, 1.0 - float(loss), None if slope is None else -slope


def _parameter(found: ChainEstimate, name: str, value: float, slope: Floats | None) -> Estimate:
    if slope is None or not 0.0 < value < 1.0:
        return Estimate(name, value, remark=AT_BOUND)
    if found.covariance is None:
        return Estimate(name, value, remark=NO_ERRORS)
    used = slope != 0.0
    variance = float(slope[used] @ found.covariance[np.ix_(used, used)] @ slope[used])
    if not variance > 0.0:
        return Estimate(name, value, remark=NOT_DETERMINED)
    deviation = math.sqrt(variance)
    middle = math.log(value) - math.log1p(-value)
    low, high = (
        float(special.expit(middle + sign * NORMAL_95 * deviation)) for sign in (-1.0, 1.0)
    )
    return Estimate(name, value, deviation * value * (1.0 - value), low, high)


def _loss_slope(found: ChainEstimate, state: int) -> Floats | None:
    free = found.free
    if not free.loss[state]:
        return None
    moves = len(free.free_transitions[0])
    slope = np.zeros(moves + int(free.loss.sum()))
    slope[moves + int(free.loss[:state].sum())] = 1.0
    return slope


def _transition_slope(found: ChainEstimate, i: int, j: int) -> Floats | None:
    """Derivative of logit T_ij: (1[l = j] - T_il) / (1 - T_ij) by the logit of T_il."""
    free, chain = found.free, found.chain
    p = chain.transition[i, j]
    if p in (0.0, 1.0):
        return None
    rows, columns = free.free_transitions
    slope = np.zeros(len(rows) + int(free.loss.sum()))
    own = np.flatnonzero(rows == i)
    slope[own] = ((columns[own] == j) - chain.transition[i, columns[own]]) / (1.0 - p)
    return slope
