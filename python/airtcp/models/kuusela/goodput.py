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
    """Goodput in packets/s with independent intervals between delay spikes.

    - `intervals`: a frozen SciPy distribution, samples (their empirical distribution), or a number
      (intervals all alike), in s; from the start of a spike to the start of the next. Their mean
      must be finite and above 0;
    - `spike`: how long a spike lasts, s: a number, or a distribution as for `intervals`,
      independent of them;
    - `rtt`: R in s, with the transmission of a packet; `capacity`: C_max in packets/s;
    - `initial_rate`: X(SD) in packets/s, at most the capacity. 1 as in the paper; one packet per
      round trip is `1 / rtt`;
    - `reading`: "restart" (a spike replaces one that still lasts), "union" (the link is silent
      while any lasts) or "gap" (`intervals` run from the end of a spike to the next).

    Exact sums for numbers and samples, a closed form for exponential intervals, else the integral
    of the survival function. Its error is below 1e-8 of the result as long as the distribution's
    own functions and mean are as good; for a discrete distribution over infinitely many values,
    below 1e-9 of the capacity. Where "union" has no closed form, its error is below 1e-6 of the
    capacity for bounded or light-tailed spikes, and below 1e-3 for heavy tails (Lomax with shape
    1.5). Random spikes take some 50 ms, samples of spikes 0.5 ms each, "union" some seconds.

    Raises `InputError`. Source: [kuusela 2.1].
    """
    ramp = Ramp.of(rtt, capacity, initial_rate)
    known_name("reading", reading, READINGS)
    times = _intervals("intervals", intervals)
    return _rate([_cycle(times, distribution_of("spike", spike), ramp, reading)], np.ones(1))


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
    """Goodput in packets/s where a chain of N states says which distribution the next interval has.

    The chain moves once per spike. The goodput is sum_i pi_i E_i[A] / sum_i pi_i E_i[T], pi being
    the stationary distribution *per spike*: how long the chain stays in its states does not matter
    otherwise.

    - `intervals`: N distributions, each as for `renewal`;
    - `transition`: N x N, the rows (from) of probabilities; irreducible, possibly periodic;
    - `reading`: "restart" or "gap". "union" needs the order of the states, and is refused unless
      all spikes have one length, when it is the same as "restart".

    Everything else as for `renewal`. Raises `InputError`. Source: [kuusela 2.2].
    """
    ramp = Ramp.of(rtt, capacity, initial_rate)
    known_name("reading", reading, READINGS)
    spikes = distribution_of("spike", spike)
    if reading == "union" and spikes.least < spikes.most:
        raise refusal("reading", reading, "'restart' or 'gap' where spikes have random lengths")
    distributions = [
        _intervals(f"intervals[{i}]", interval) for i, interval in enumerate(_check_list(intervals))
    ]
    weights = stationary(transition, len(distributions))
    return _rate(
        [_cycle(distribution, spikes, ramp, reading) for distribution in distributions], weights
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


def _intervals(field: str, value: Any) -> Distribution:
    distribution = distribution_of(field, value)
    if distribution.mean <= 0.0:
        raise refusal(f"mean of {field}", distribution.mean, "above 0")
    return distribution


def _cycle(intervals: Distribution, spikes: Distribution, ramp: Ramp, reading: str) -> SpikeCycle:
    return READINGS[reading](intervals, spikes, ramp)


def _rate(cycles: Sequence[SpikeCycle], weights: Floats) -> float:
    packets = float(weights @ np.array([cycle.packets for cycle in cycles]))
    return packets / float(weights @ np.array([cycle.seconds for cycle in cycles]))
