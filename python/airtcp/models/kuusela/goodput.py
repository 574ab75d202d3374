"""The goodput by renewal reward: independent intervals, and intervals modulated by a chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from airtcp.errors import InputError, known_name, refusal
from airtcp.models.kuusela.distributions import Distribution, distribution_of
from airtcp.models.kuusela.ramp import Ramp
from airtcp.models.kuusela.spikes import READINGS, SpikeCycle

Floats = NDArray[np.float64]
_SUM_ERROR = 1e-9  # by which the sum of a row of probabilities may miss 1


def renewal(
    intervals: Any,
    *,
    spike: Any,
    rtt: float,
    capacity: float,
    initial_rate: float = 1.0,
    reading: str = "restart",
) -> float:
    """Compute goodput with independent intervals between delay spikes.

    The sums are exact for numbers and samples; exponential intervals have a closed form; otherwise
    the survival function is integrated. The error is below 1e-8 of the result as long as the
    distribution's own functions and mean are as accurate; for a discrete distribution over
    infinitely many values, below 1e-9 of the capacity. Where "union" has no closed form, its error
    is below 1e-6 of the capacity for bounded or light-tailed spikes, and below 1e-3 for heavy tails
    (Lomax with shape 1.5). Random spikes take some 50 ms, samples of spikes 0.5 ms each, "union"
    some seconds. Source: [kuusela 2.1].

    Parameters
    ----------
    intervals : float, array_like or distribution
        Time from the start of a spike to the start of the next, s: a number (all intervals equal),
        samples (their empirical distribution), or a frozen SciPy distribution. The mean must be
        finite and above 0.
    spike : float, array_like or distribution
        Length of a spike, s, independent of the intervals.
    rtt : float
        Round trip R, s, with the transmission of a packet.
    capacity : float
        Largest rate C_max, packets/s.
    initial_rate : float, default 1
        Rate X(SD) after a spike, packets/s, at most the capacity. 1 as in the paper; one packet per
        round trip is `1 / rtt`.
    reading : str, default "restart"
        Meaning of overlapping spikes: "restart" (a spike replaces one that still lasts), "union"
        (the link is silent while any lasts) or "gap" (`intervals` run from the end of a spike to
        the next).

    Returns
    -------
    float
        Goodput, packets/s.

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> from airtcp.models import kuusela
    >>> round(kuusela.renewal(20, spike=2, rtt=0.5, capacity=40), 2)
    32.08
    """
    ramp = Ramp.from_arguments(rtt, capacity, initial_rate)
    known_name("reading", reading, READINGS)
    times = _check_intervals("intervals", intervals)
    return _goodput_of_cycles(
        [_cycle_between_spikes(times, distribution_of("spike", spike), ramp, reading)], np.ones(1)
    )


def markov_renewal(
    intervals: Sequence[Any],
    transition: ArrayLike,
    *,
    spike: Any,
    rtt: float,
    capacity: float,
    initial_rate: float = 1.0,
    reading: str = "restart",
) -> float:
    """Compute goodput where a Markov chain chooses the distribution of each interval.

    The chain moves once per spike. The goodput is sum_i pi_i E_i[A] / sum_i pi_i E_i[T], where pi
    is the stationary distribution *per spike*: the time that the chain spends in its states does
    not matter otherwise. Source: [kuusela 2.2].

    Parameters
    ----------
    intervals : sequence
        N distributions, each as for `renewal`.
    transition : array_like
        N x N probabilities, a row per present state; irreducible, possibly periodic.
    spike : float or distribution
        Length of a spike, s, as for `renewal`.
    rtt : float
        Round trip R, s.
    capacity : float
        Largest rate C_max, packets/s.
    initial_rate : float, default 1
        Rate after a spike, packets/s, as for `renewal`.
    reading : str, default "restart"
        "restart" or "gap". "union" depends on the order of the states and is accepted only if all
        spikes have one length; then it is the same as "restart".

    Returns
    -------
    float
        Goodput, packets/s.

    Raises
    ------
    InputError
        If the chain is reducible, or an argument is out of range.

    Examples
    --------
    >>> from airtcp.models import kuusela
    >>> chain = [[0.9, 0.1], [0.5, 0.5]]
    >>> round(kuusela.markov_renewal([20, 5], chain, spike=2, rtt=0.5, capacity=40), 2)
    30.95
    """
    ramp = Ramp.from_arguments(rtt, capacity, initial_rate)
    known_name("reading", reading, READINGS)
    spikes = distribution_of("spike", spike)
    if reading == "union" and spikes.least < spikes.most:
        raise refusal("reading", reading, "'restart' or 'gap' where spikes have random lengths")
    distributions = [
        _check_intervals(f"intervals[{i}]", interval)
        for i, interval in enumerate(_check_list(intervals))
    ]
    weights = stationary(transition, len(distributions))
    return _goodput_of_cycles(
        [
            _cycle_between_spikes(distribution, spikes, ramp, reading)
            for distribution in distributions
        ],
        weights,
    )


def stationary(transition: ArrayLike, states: int) -> Floats:
    """The stationary distribution of an irreducible chain, eliminated without subtractions."""
    matrix = _check_stochastic(transition, states)
    parts, _ = connected_components(csr_array(matrix > 0.0), directed=True, connection="strong")
    if parts > 1:
        raise InputError(
            f"transition: reducible, {parts} classes of states: every state must be reachable"
            " from every other"
        )
    for last in range(states - 1, 0, -1):
        matrix[:last, last] /= matrix[last, :last].sum()
        matrix[:last, :last] += np.outer(matrix[:last, last], matrix[last, :last])
    distribution: Floats = np.ones(states)
    for state in range(1, states):
        distribution[state] = distribution[:state] @ matrix[:state, state]
    distribution /= distribution.sum()
    return distribution


def _check_stochastic(transition: ArrayLike, states: int) -> Floats:
    shape = f"{states} x {states} probabilities, one row and column per distribution of intervals"
    try:
        matrix: Floats = np.array(transition, dtype=np.float64)
    except (TypeError, ValueError):
        raise refusal("transition", transition, shape) from None
    if matrix.shape != (states, states):
        raise refusal("transition", transition, shape)
    for row, values in enumerate(matrix):
        if not (np.all(values >= 0.0) and abs(values.sum() - 1.0) <= _SUM_ERROR):
            allowed = "probabilities whose sum is 1"
            raise refusal(f"transition[{row}]", values.tolist(), allowed)
    matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


def _check_list(intervals: Sequence[Any]) -> list[Any]:
    if isinstance(intervals, (str, bytes)) or not hasattr(intervals, "__iter__"):
        raise refusal("intervals", intervals, "a list of distributions, one per state of the chain")
    checked = list(intervals)
    if not checked:
        raise refusal("intervals", intervals, "a list of distributions, one per state of the chain")
    return checked


def _check_intervals(field: str, value: Any) -> Distribution:
    distribution = distribution_of(field, value)
    if distribution.mean <= 0.0:
        raise refusal(f"mean of {field}", distribution.mean, "above 0")
    return distribution


def _cycle_between_spikes(
    intervals: Distribution, spikes: Distribution, ramp: Ramp, reading: str
) -> SpikeCycle:
    return READINGS[reading](intervals, spikes, ramp)


def _goodput_of_cycles(cycles: Sequence[SpikeCycle], weights: Floats) -> float:
    packets = float(weights @ np.array([cycle.packets for cycle in cycles]))
    return packets / float(weights @ np.array([cycle.seconds for cycle in cycles]))
