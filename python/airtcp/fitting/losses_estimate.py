"""Estimates of chains of losses by maximum likelihood, with standard errors.

Parameters are logits: of losses, and of transitions against the likeliest one of their row, so that
every number is allowed. Steps of Baum's algorithm [baum1970] improve each start; from the best one
BFGS maximises the likelihood with its exact derivative, scaled by the information that there would
be if the states were seen. Standard errors come from the observed information: derivatives of the
derivative, by differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from airtcp import _native
from airtcp.fitting.chains import Chain, Floats
from airtcp.fitting.losses_data import Fates

_BAUM_STAGES = ((5, 4), (20, 2))  # steps from each start, and how many of the best go on
_LEAST_EXPECTED = 0.02  # expected times that something happened, below which it stands at its bound
_DERIVATIVE_STEP = 0.02  # of the derivatives, in standard errors if the states were seen
_SINGULAR_SHARE = 1e-4  # share of that information, below which a parameter is not determined
_LOSSES_FOR_STARTS = 3000  # losses from which starts are judged
# Logits beyond, 2e-9, are bounds to all purposes; shares of states, which come of differences from
# 1, have still eight digits there.
_FURTHEST_LOGIT = 20.0
_LOSSES_PER_WINDOW = (2.0, 8.0, 32.0)  # mean losses per window, in starts by windows


class ChainFamily(NamedTuple):
    """A family of chains; `has_certain_states`: one state loses nothing, the other everything."""

    name: str
    states: int
    has_certain_states: bool = False

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self.states * (self.states - self.has_certain_states)


INDEPENDENT = ChainFamily("independent", 1)
GILBERT = ChainFamily("Gilbert", 2, has_certain_states=True)
GILBERT_ELLIOTT = ChainFamily("Gilbert-Elliott", 2)
FAMILIES = (
    INDEPENDENT,
    GILBERT,
    GILBERT_ELLIOTT,
    *(ChainFamily(f"{k} states", k) for k in (3, 4, 5)),
)


@dataclass(frozen=True, eq=False)
class FreeEntries:
    """Masks of the entries of a chain that are free, and the reference entry of each row."""

    transition: NDArray[np.bool_]  # without the reference of each row
    loss: NDArray[np.bool_]
    reference: NDArray[np.intp]
    base: Chain  # has the losses that are not free

    @property
    def free_transitions(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the free transitions, in the order of the parameters."""
        rows, columns = np.nonzero(self.transition)
        return rows, columns

    def to_parameters(self, chain: Chain) -> Floats:
        """The unconstrained parameters of a chain: transitions, then losses."""
        rows, columns = self.free_transitions
        tiny = 1e-12
        move = np.clip(chain.transition, tiny, None)
        loss = np.clip(chain.loss[self.loss], tiny, 1.0 - tiny)
        ratio = np.log(move[rows, columns] / move[rows, self.reference[rows]])
        return np.concatenate([ratio, special.logit(loss)])

    def from_parameters(self, theta: Floats) -> Chain:
        """The chain with these parameters."""
        rows, columns = self.free_transitions
        logits = np.full(self.transition.shape, -np.inf)
        logits[np.arange(len(logits)), self.reference] = 0.0
        logits[rows, columns] = theta[: len(rows)]
        loss = self.base.loss.copy()
        loss[self.loss] = special.expit(theta[len(rows) :])
        return Chain(special.softmax(logits, axis=1), loss)

    def score(self, chain: Chain, seen: Derivatives) -> Floats:
        """Derivative of the log-likelihood by the parameters."""
        rows, columns = self.free_transitions
        move, by = chain.transition, seen.transition + seen.start
        mean = (move * by).sum(axis=1, keepdims=True)
        inner = (move * (by - mean))[rows, columns]
        odds = chain.loss * (1.0 - chain.loss) * (seen.loss - seen.arrival)
        return np.concatenate([inner, odds[self.loss]])

    def scales(self, chain: Chain, seen: Derivatives) -> Floats:
        """Square roots of the information that there would be if the states were seen."""
        rows, columns = self.free_transitions
        moves, lost, arrived = expected_counts(chain, seen)
        visits = moves.sum(axis=1)
        share = moves / np.maximum(visits, 1e-300)[:, None]
        inner = (visits[:, None] * share * (1.0 - share))[rows, columns]
        met = np.maximum(lost + arrived, 1e-300)
        known = np.concatenate([inner, (lost * arrived / met)[self.loss]])
        return np.asarray(np.sqrt(np.maximum(known, 0.1)))


class Derivatives(NamedTuple):
    """Log-likelihood and its derivatives by what a chain consists of."""

    log_likelihood: float
    transition: Floats  # with the starts of pieces as they are
    start: Floats  # by the transitions, through the starts
    arrival: Floats
    loss: Floats


@dataclass(frozen=True, eq=False)
class ChainEstimate:
    """A chain of greatest likelihood, its free entries, and the covariance of their logits.

    `covariance` is NaN in rows and columns of parameters that the data do not determine.
    """

    family: ChainFamily
    chain: Chain
    log_likelihood: float
    free: FreeEntries
    covariance: Floats | None = None


def expected_counts(chain: Chain, seen: Derivatives) -> tuple[Floats, Floats, Floats]:
    """Expected numbers of transitions, and in each state of losses and arrivals."""
    moves = np.clip(chain.transition * seen.transition, 0.0, None)
    lost = np.clip(chain.loss * seen.loss, 0.0, None)
    return moves, lost, np.clip((1.0 - chain.loss) * seen.arrival, 0.0, None)


def derivatives(data: _native.Losses, chain: Chain) -> Derivatives | None:
    """Derivatives at a chain; None if its stationary law is not unique, or data are impossible."""
    if not chain.has_unique_stationary_distribution:
        return None
    found = data.evaluate(chain.transition.ravel().tolist(), chain.loss.tolist(), True)
    if found is None or not found[1]:
        return None
    k = chain.states
    return Derivatives(
        math.fsum(found[0]),
        np.array(found[1]).reshape(k, k),
        np.array(found[2]).reshape(k, k),
        np.array(found[3]),
        np.array(found[4]),
    )


def log_likelihoods(data: _native.Losses, chain: Chain) -> Floats:
    """Log-likelihood of each piece; minus infinity if the chain makes the data impossible."""
    found = data.evaluate(chain.transition.ravel().tolist(), chain.loss.tolist(), False)
    return np.array([-np.inf] if found is None else found[0])


def estimate(
    family: ChainFamily, fates: Fates, step: int | None, smaller: ChainEstimate | None = None
) -> ChainEstimate | None:
    """The chain of greatest likelihood on a clock; None if no chain of the family allows the data.

    `smaller` is the estimate with one state less; some starts split one of its states.
    """
    data = fates.to_native(step)
    rough_fates = _excerpt(fates)
    rough = data if rough_fates is fates else rough_fates.to_native(step)
    ends = _start_chains(family, rough_fates, step, smaller)
    for steps, kept in _BAUM_STAGES:
        reached = [
            end for start in ends if (end := _baum_welch_steps(rough, start, steps)) is not None
        ]
        reached.sort(key=lambda end: end[1], reverse=True)
        ends = [chain for chain, _ in reached[:kept]]
    best: ChainEstimate | None = None
    for chain in ends:
        found = maximise_likelihood(family, data, chain)
        if found and (best is None or found.log_likelihood > best.log_likelihood):
            best = found
    return best


def estimate_by_growing(states: int, fates: Fates, step: int | None) -> ChainEstimate | None:
    """The estimate with so many states, reached by splitting states of smaller chains."""
    found: ChainEstimate | None = None
    for k in range(2, states + 1):
        found = estimate(ChainFamily(f"{k} states", k), fates, step, found)
    return found


def maximise_likelihood(
    family: ChainFamily, data: _native.Losses, start: Chain, *, prune: bool = True
) -> ChainEstimate | None:
    """The local maximum of the likelihood reached from a chain.

    Unless `prune` is False, events that are expected never to happen get the probability 0.
    """
    chain, best = start, None
    for _ in range(4):
        free = free_entries(family, chain)
        found = _bfgs(data, free, chain)
        # A transition that starts of pieces need is at no bound, however seldom it happens in them.
        if found is None or (
            best and found[1].log_likelihood < best[1].log_likelihood - _LEAST_EXPECTED
        ):
            break
        best = found
        pruned = _prune(family, *found) if prune else None
        if pruned is None:
            break
        chain = pruned
    if best is None:
        return None
    chain, seen = best
    ordered = chain if family.has_certain_states else chain.sorted_by_loss()
    return ChainEstimate(family, ordered, seen.log_likelihood, free_entries(family, ordered))


def without_zeros(found: ChainEstimate) -> Chain:
    """The chain with nothing impossible in it, for fits to other data."""
    move = np.maximum(found.chain.transition, 1e-9)
    loss = found.chain.loss
    if not found.family.has_certain_states:
        loss = np.clip(loss, 1e-9, 1.0 - 1e-9)
    return Chain(move / move.sum(axis=1, keepdims=True), loss)


def with_covariance(found: ChainEstimate, data: _native.Losses) -> ChainEstimate:
    """The estimate with the covariance by the observed information, after a last step of Newton."""
    free, chain = found.free, found.chain
    seen = derivatives(data, chain)
    if seen is None or not len(free.to_parameters(chain)):
        return found
    scales = free.scales(chain, seen)
    theta = free.to_parameters(chain)
    information = _information(data, free, theta, scales)
    for _ in range(3):
        score = free.score(chain, seen) / scales
        with np.errstate(all="ignore"):
            try:
                move = np.linalg.solve(information, score)
            except np.linalg.LinAlgError:
                break
        if not 1e-10 < score @ move < 1.0:
            break
        if (np.abs(theta + move / scales) > _FURTHEST_LOGIT).any():
            break
        nearer = free.from_parameters(theta + move / scales)
        there = derivatives(data, nearer)
        if there is None or there.log_likelihood < seen.log_likelihood:
            break
        theta, chain, seen = theta + move / scales, nearer, there
    covariance = _covariance(information) / np.outer(scales, scales)
    return replace(found, chain=chain, log_likelihood=seen.log_likelihood, covariance=covariance)


def _information(data: _native.Losses, free: FreeEntries, theta: Floats, scales: Floats) -> Floats:
    """Minus the second derivatives of the log-likelihood, in units of the scales."""
    n = len(theta)
    found = np.full((n, n), np.nan)
    for i in range(n):
        scores = []
        for sign in (1.0, -1.0):
            moved = theta.copy()
            moved[i] += sign * _DERIVATIVE_STEP / scales[i]
            chain = free.from_parameters(moved)
            seen = derivatives(data, chain)
            if seen is None:
                return found
            scores.append(free.score(chain, seen) / scales)
        found[i] = (scores[1] - scores[0]) / (2.0 * _DERIVATIVE_STEP)
    return np.asarray((found + found.T) / 2.0)


def _covariance(information: Floats) -> Floats:
    """The inverse, with NaN for parameters that take part in a direction without information."""
    if not np.isfinite(information).all():
        return np.full_like(information, np.nan)
    values, vectors = np.linalg.eigh(information)
    flat = values < _SINGULAR_SHARE
    covariance = (vectors[:, ~flat] / values[~flat]) @ vectors[:, ~flat].T
    unknown = (np.abs(vectors[:, flat]) > 0.05).any(axis=1)
    covariance[unknown, :] = np.nan
    covariance[:, unknown] = np.nan
    return np.asarray(covariance)


def free_entries(family: ChainFamily, chain: Chain) -> FreeEntries:
    """The entries of a chain that are not at their bounds."""
    reference = np.argmax(chain.transition, axis=1)
    move = chain.transition > 0.0
    move[np.arange(chain.states), reference] = False
    inner = (chain.loss > 0.0) & (chain.loss < 1.0) & (not family.has_certain_states)
    return FreeEntries(move, inner, reference, chain)


def _bfgs(
    data: _native.Losses, free: FreeEntries, start: Chain
) -> tuple[Chain, Derivatives] | None:
    seen = derivatives(data, start)
    if seen is None:
        return None
    theta = free.to_parameters(start)
    if not len(theta):
        return start, seen
    scales = free.scales(start, seen)
    first = seen.log_likelihood

    def minus(z: Floats) -> tuple[float, Floats]:
        chain = free.from_parameters(z / scales)
        there = derivatives(data, chain)
        if there is None:
            return 1e10 + abs(first), np.zeros_like(z)
        return first - there.log_likelihood, -free.score(chain, there) / scales

    limit = _FURTHEST_LOGIT * scales
    top = optimize.minimize(
        minus,
        np.clip(theta * scales, -limit, limit),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(-limit, limit, strict=True)),
        options={"maxiter": 500, "maxcor": 30, "ftol": 1e-13, "gtol": 2e-3},
    )
    chain = free.from_parameters(top.x / scales)
    there = derivatives(data, chain)
    return None if there is None else (chain, there)


def _prune(family: ChainFamily, chain: Chain, seen: Derivatives) -> Chain | None:
    """The chain without what was expected less than once in many repetitions; None if all stays."""
    moves, lost, arrived = expected_counts(chain, seen)
    move, loss = chain.transition.copy(), chain.loss.copy()
    rare = (moves < _LEAST_EXPECTED) & (move > 0.0) & (move < move.max(axis=1, keepdims=True))
    never = (lost < _LEAST_EXPECTED) & (loss > 0.0)
    always = (arrived < _LEAST_EXPECTED) & (loss < 1.0)
    if family.has_certain_states:
        never, always = np.zeros_like(never), np.zeros_like(always)
    if not (rare.any() or never.any() or always.any()):
        return None
    moved = _without_rare_transitions(move, rare, moves)
    if moved is None and not (never.any() or always.any()):
        return None
    move = move if moved is None else moved
    loss[never], loss[always & ~never] = 0.0, 1.0
    return Chain(move / move.sum(axis=1, keepdims=True), loss)


def _without_rare_transitions(
    move: Floats, rare: NDArray[np.bool_], moves: Floats
) -> Floats | None:
    """Transitions without rare ones, the rarest first, as far as the chain keeps a single law.

    If a record holds links of different kinds, no packet shows transitions between the kinds, but
    the starts of pieces still show their shares. None if nothing can be left out.
    """
    found = move.copy()
    for i, j in sorted(zip(*np.nonzero(rare), strict=True), key=lambda place: moves[place]):
        found[i, j] = 0.0
        if not Chain(found, np.zeros(len(found))).has_unique_stationary_distribution:
            found[i, j] = move[i, j]
    return None if np.array_equal(found, move) else found


def _baum_welch_steps(data: _native.Losses, start: Chain, steps: int) -> tuple[Chain, float] | None:
    """Some steps of Baum's algorithm: where they lead, and the log-likelihood there."""
    chain, log = start, -math.inf
    for _ in range(steps):
        seen = derivatives(data, chain)
        if seen is None:
            return None
        log = seen.log_likelihood
        moves, lost, arrived = expected_counts(chain, seen)
        visits = moves.sum(axis=1, keepdims=True)
        met = lost + arrived
        move = np.where(visits > 0.0, moves / np.where(visits > 0.0, visits, 1.0), chain.transition)
        loss = np.where(met > 0.0, lost / np.where(met > 0.0, met, 1.0), chain.loss)
        chain = Chain(move, np.clip(loss, 0.0, 1.0))
    return chain, log


def _excerpt(fates: Fates) -> Fates:
    """Ten stretches of a long measurement, enough to judge starts by."""
    if fates.lost_count <= _LOSSES_FOR_STARTS:
        return fates
    n, share = len(fates), _LOSSES_FOR_STARTS / fates.lost_count
    edges = [(n * i) // 10 for i in range(11)]
    return fates.select_ranges(
        [(a, a + max(1, round((b - a) * share))) for a, b in pairwise(edges)]
    )


def _start_chains(
    family: ChainFamily, fates: Fates, step: int | None, smaller: ChainEstimate | None
) -> list[Chain]:
    rate = np.clip(float(fates.known_fates.mean()), 1e-9, 1.0 - 1e-9)
    if family.has_certain_states:
        return [_gilbert_start(fates)]
    k = family.states
    per_packet = fates.common_spacing(step)
    found = [
        start
        for losses in _LOSSES_PER_WINDOW
        if (start := _start_from_windows(fates, k, losses, per_packet))
    ]
    if smaller is not None and smaller.chain.states == k - 1:
        found += [
            _split_state(smaller.chain, i, ratio) for i in range(k - 1) for ratio in (0.1, 1.0)
        ]
    if k == 2:
        chain = _gilbert_start(fates)
        found.append(Chain(chain.transition, np.array([rate / 10.0, 0.9])))
        for stay in (5.0, 50.0, 500.0):
            leave = 1.0 / (stay * per_packet + 1.0)
            move = np.array([[1.0 - leave / 5.0, leave / 5.0], [leave, 1.0 - leave]])
            found.append(Chain(move, np.array([rate / 3.0, min(0.9, 4.0 * rate)])))
    return found


def _gilbert_start(fates: Fates) -> Chain:
    """The closed form where the states are seen, with half a transition more of each kind."""
    lost = fates.known_fates
    pairs = np.bincount(2 * lost[:-1] + lost[1:], minlength=4).reshape(2, 2) + 0.5
    return Chain(pairs / pairs.sum(axis=1, keepdims=True), np.array([0.0, 1.0]))


def _start_from_windows(fates: Fates, k: int, losses: float, per_packet: int) -> Chain | None:
    """A chain from the numbers of losses in windows that have `losses` on average."""
    lost = fates.known_fates
    rate = max(float(lost.mean()), 1e-9)
    length = max(2, round(losses / rate))
    n = len(lost) // length
    if n < 3 * k:
        return None
    found = np.add.reduceat(lost[: n * length].astype(np.int64), np.arange(n) * length) / length
    root = np.sqrt(found)
    edges = np.linspace(root.min(), root.max(), 2 * k + 1)[1::2]  # middles of groups
    for _ in range(20):
        group = np.abs(root[:, None] - edges[None, :]).argmin(axis=1)
        size = np.bincount(group, minlength=k)
        total = np.bincount(group, weights=root, minlength=k)
        edges = np.where(size > 0, total / np.maximum(size, 1), edges)
    loss = np.bincount(group, weights=found, minlength=k) / np.maximum(size, 1)
    if (size == 0).any():
        return None
    pairs = np.zeros((k, k))
    np.add.at(pairs, (group[:-1], group[1:]), 1.0)
    pairs += 0.2
    move = pairs / pairs.sum(axis=1, keepdims=True) / (length * per_packet)
    np.fill_diagonal(move, 0.0)
    np.fill_diagonal(move, 1.0 - move.sum(axis=1))
    return Chain(move, np.clip(loss, rate / 50.0, 0.95))


def _split_state(chain: Chain, state: int, ratio: float) -> Chain:
    """The chain with a state in two, of more and of fewer losses, of about the same sojourns."""
    k = chain.states
    source = np.r_[np.arange(k), state]
    move = chain.transition[np.ix_(source, source)].copy()
    leaves = min(0.5, ratio * max(1e-6, 1.0 - chain.transition[state, state]))
    for column in (state, k):
        move[:, column] *= 0.5  # half of what came to the state comes to each part
    stays = chain.transition[state, state]
    crossing = min(leaves, 0.5 * stays)
    for part, twin in ((state, k), (k, state)):
        move[part, part], move[part, twin] = stays - crossing, crossing
    loss = chain.loss[source].copy()
    p = min(max(loss[state], 1e-5), 0.9)
    odds = special.logit(p)
    loss[state], loss[k] = special.expit(odds - 1.0), special.expit(odds + 1.0)
    return Chain(move / move.sum(axis=1, keepdims=True), np.clip(loss, 1e-6, 1.0 - 1e-6))
