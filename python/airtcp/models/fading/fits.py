"""Chains fitted to the fates of packets, with their goodness of fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp.errors import InputError, whole_number
from airtcp.models.fading.chain import Chain
from airtcp.models.fading.runs import Ints, Runs, compare_runs, run_lengths
from airtcp.models.fading.runs_em import RunStretches
from airtcp.scenario.two_state import TwoState

Floats = NDArray[np.float64]

_MOST_STATES = 8
_FEWEST_RUNS = 20  # of each kind, per state
_MOST_ROUNDS = 500
_LEAST_GAIN = 1e-6  # gain of log-likelihood per pair of runs that ends the rounds


@dataclass(frozen=True, eq=False)
class Fit:
    """A chain fitted to a trace, and statistics of the trace.

    - `chain`: the fitted chain; `two_state`: the two-state chain with the mean run lengths of the
      trace;
    - `losses`, `deliveries`: run lengths of data and chain (`Runs`);
    - `log_likelihood`: log-likelihood per slot of the whole runs, given the first;
    - `parameters`: number of free parameters;
    - `settled`: true if the fit converged; if not, more rounds would improve it a little.
    """

    chain: Chain
    two_state: TwoState
    losses: Runs
    deliveries: Runs
    log_likelihood: float
    parameters: int
    settled: bool

    def __repr__(self) -> str:
        """States, likelihood, and the runs that a slot of loss sits in."""
        data, model = self.losses.data, self.losses.model
        return (
            f"Fit({self.chain.loss_stay.size} loss and {self.chain.delivery_stay.size} delivery"
            f" states: log-likelihood {self.log_likelihood:.6g} per slot; runs of losses, data and"
            f" model: mean {data.mean:.4g}, {model.mean:.4g}, median {data.median}, {model.median},"
            f" length-biased {data.length_biased:.4g}, {model.length_biased:.4g})"
        )


def fit(fates: ArrayLike, *, loss_states: int = 1, delivery_states: int = 1) -> Fit:
    """Fit a Markov chain to a trace of fates by maximum likelihood.

    With one state of each kind it is the two-state Markov chain, whose runs are geometric. With
    more states, runs are mixtures of geometric distributions and depend on the run before: short
    losses while the fading crosses the transition region, long ones in deep fades [fritchman1967].
    The fit uses expectation-maximisation over the sequence of runs (Baum-Welch, with a geometric
    distribution per state in place of steps), cut into stretches of 64 pairs; it finds a local
    maximum.

    Parameters
    ----------
    fates : array_like
        1 or True for a lost packet, 0 or False for a delivered one.
    loss_states : int, default 1
        Number of loss states, 1 to 8.
    delivery_states : int, default 1
        Number of delivery states, 1 to 8.

    Returns
    -------
    Fit
        The chain and its likelihood.

    Raises
    ------
    InputError
        If the trace is not one-dimensional, holds other values, or has fewer than 20 whole runs per
        state.

    Examples
    --------
    >>> from airtcp.models import fading
    >>> found = fading.fit([0, 0, 0, 1] * 50)
    >>> round(found.two_state.loss_rate, 2)
    0.25
    """
    losses = whole_number("loss_states", loss_states, 1, _MOST_STATES)
    deliveries = whole_number("delivery_states", delivery_states, 1, _MOST_STATES)
    lost, delivered = run_lengths(_check_trace(fates))
    needed = _FEWEST_RUNS * max(losses, deliveries)
    if lost.size < needed:
        raise InputError(
            f"fates = {lost.size} whole runs of losses: must be at least {needed} for"
            f" {losses} loss and {deliveries} delivery states"
        )
    chain, likelihood, settled = _fit_chain(lost, delivered, losses, deliveries)
    return Fit(
        chain=chain,
        two_state=TwoState(p_gb=float(1.0 / delivered.mean()), p_bg=float(1.0 / lost.mean())),
        losses=compare_runs(lost, chain.loss_runs),
        deliveries=compare_runs(delivered, chain.delivery_runs),
        log_likelihood=likelihood / float(lost.sum() + delivered.sum()),
        parameters=2 * losses * deliveries,
        settled=settled,
    )


def _check_trace(fates: ArrayLike) -> NDArray[np.bool_]:
    try:
        trace = np.asarray(fates)
    except ValueError:  # ragged lists
        raise InputError("fates: must be one list of 0 (delivered) and 1 (lost)") from None
    if trace.ndim != 1 or trace.dtype.kind not in "biuf" or not np.isin(trace, (0, 1)).all():
        raise InputError(
            f"fates = array of {trace.dtype}, shape {trace.shape}: must be one-dimensional and hold"
            " only 0 (delivered) and 1 (lost)"
        )
    return trace.astype(bool)


def _fit_chain(
    lost: Ints, delivered: Ints, losses: int, deliveries: int
) -> tuple[Chain, float, bool]:
    """The chain, its log-likelihood, and true if the rounds came to rest."""
    stretches = RunStretches(lost, delivered)
    chain = Chain(
        _first_guess(lost, losses),
        _first_guess(delivered, deliveries),
        np.full((losses, deliveries), 1.0 / deliveries),
        np.full((deliveries, losses), 1.0 / losses),
    )
    known = -np.inf
    for _ in range(_MOST_ROUNDS):
        better, likelihood = stretches.improve_chain(chain)
        if likelihood - known <= _LEAST_GAIN * lost.size:
            return chain, likelihood, True
        chain, known = better, likelihood
    return chain, stretches.improve_chain(chain)[1], False


def _first_guess(lengths: Ints, states: int) -> Floats:
    """Mean stays from the shortest runs to the run in which a slot sits, evenly in logarithm."""
    longest = float(lengths.astype(np.float64) @ lengths / lengths.sum())
    means = np.geomspace(1.0 + 0.5 * (lengths.mean() - 1.0) / states, longest, states + 2)[1:-1]
    stay: Floats = 1.0 - 1.0 / np.maximum(means, 1.0 + 1e-3)
    return stay if states > 1 else np.array([1.0 - 1.0 / lengths.mean()])
