"""Tests of losses: are they independent, and can a fitted chain have made them?

Both compare the data with data that are equally likely under the hypothesis, and count how often
these are more extreme. The level of the first test is exact: if losses are independent, every order
of them is equally likely. The second test draws from the fitted chain. It does not fit each draw
again, so it rejects a true model less often than its level says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.fitting.chains import Chain, Floats
from airtcp.fitting.losses_data import Fates
from airtcp.fitting.losses_waits import WaitingTimes
from airtcp.measured.measurement import UNKNOWN

TEST_LEVEL = 0.05
_FEWEST_RUNS = 5.0  # mean number below which classes of lengths are no longer told apart


def independence_test(fates: Fates, seed: int, orders: int = 199) -> float:
    """p value of the hypothesis that every order of the fates is equally likely.

    The statistic is the largest deviation of the number of losses that follow a loss, and of the
    pairs of losses in blocks of 2, 4, 8, ... packets, in standard deviations over all orders.
    """
    lost = np.flatnonzero(fates.known_fates).astype(np.uint64)
    n = len(fates.known_fates)
    if len(lost) in (0, n):
        return 1.0
    seen = _native.loss_pairs(lost.tobytes(), n)
    others = _native.shuffled_loss_pairs(len(lost), n, orders, seed)
    return deviation_p_value(np.array([seen, *others]))


def fit_test(
    chain: Chain,
    fates: Fates,
    step: int | None,
    stream: tuple[int, int],
    advance: Callable[[], object] = lambda: None,
) -> float:
    """p value of the hypothesis that the chain made the fates; `stream`: a seed, a number of draws.

    The statistic is the largest deviation, in standard deviations over the draws, of: the number of
    losses, of runs of losses and of arrivals of 1, 2, 4, 8, ... packets and more, and the logarithm
    of the pairs of losses in blocks of 1, 2, 4, ... packets.
    """
    known = fates.fate != UNKNOWN
    number = None if known.all() else np.cumsum(known) - 1
    rows = [_summary(np.flatnonzero(fates.known_fates).astype(np.uint64), len(fates.known_fates))]
    for drawn in _draw_losses(chain, fates, step, stream):
        lost = drawn if number is None else number[drawn[known[drawn]]].astype(np.uint64)
        rows.append(_summary(lost, len(fates.known_fates)))
        advance()
    return deviation_p_value(_frequent_classes(np.array(rows)))


def _draw_losses(
    chain: Chain, fates: Fates, step: int | None, stream: tuple[int, int]
) -> Iterator[NDArray[np.uint64]]:
    """Places of the losses in records drawn from the chain.

    Packets are as far apart as in the record. If a tool waited for replies, distances follow from
    its waits after the losses drawn.
    """
    seed, draws = stream
    waits = WaitingTimes.from_record(fates, step)
    if waits is not None:
        rng = np.random.default_rng(seed)
        for row in waits.simulate(chain, len(fates), draws, rng, fates.starts):
            yield np.flatnonzero(row).astype(np.uint64)
        return
    gaps, starts = fates.gaps(step), fates.starts.tolist()
    for draw in range(draws):
        yield chain.draw_losses(len(fates), (seed, draw), gaps=gaps, starts=starts)


def deviation_p_value(rows: Floats) -> float:
    """Share of rows whose largest deviation from the mean of all is at least that of the first."""
    deviation = rows.std(axis=0)
    scatters = deviation > 1e-12 * np.abs(rows).max(axis=0)
    if not scatters.any():
        return 1.0
    rows, deviation = rows[:, scatters], deviation[scatters]
    largest = np.abs((rows - rows.mean(axis=0)) / deviation).max(axis=1)
    return float((largest >= largest[0] * (1.0 - 1e-12)).mean())


_LENGTH_CLASSES = 24  # of runs by their lengths: 1, 2, 4, ... packets and more


def _summary(lost: NDArray[np.uint64], n: int) -> Floats:
    at = lost.astype(np.int64)
    apart = np.diff(at)
    ends = np.flatnonzero(apart > 1)
    edges = np.r_[-1, ends, len(at) - 1] if len(at) else np.zeros(1, dtype=np.int64)
    bursts, gaps = np.diff(edges), apart[ends] - 1
    pairs = np.log1p(_native.loss_pairs(lost.tobytes(), n))
    return np.concatenate([[len(at)], _runs_at_least(bursts), _runs_at_least(gaps), pairs])


def _runs_at_least(lengths: NDArray[np.int64]) -> Floats:
    """Numbers of runs of at least 1, 2, 4, ... packets."""
    exact = np.bincount(np.frexp(lengths)[1] - 1, minlength=_LENGTH_CLASSES)[:_LENGTH_CLASSES]
    return np.asarray(np.cumsum(exact[::-1])[::-1], dtype=np.float64)


def _frequent_classes(rows: Floats) -> Floats:
    """Rows without the classes with few runs."""
    classes = rows[:, 1 : 1 + 2 * _LENGTH_CLASSES]
    kept = classes.mean(axis=0) >= _FEWEST_RUNS
    others = rows[:, 1 + 2 * _LENGTH_CLASSES :]
    return np.hstack([rows[:, :1], np.sqrt(classes[:, kept]), others])
