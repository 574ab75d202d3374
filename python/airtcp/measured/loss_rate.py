"""The share of packets lost, with an interval that allows for losses in bursts.

Losses in bursts carry less information than as many single ones. Three intervals fail in different
cases, so their union is taken:

- the interval of the shares of 20 batches, which are long against a burst (`airtcp.stats.bounded`):
  it misses if few batches have a loss;
- the interval of the logarithm of the number lost, whose variance is that of a Poisson number of
  runs, the sum of their squared lengths: it misses if runs come in clusters;
- the interval of as many independent losses (`airtcp.stats.exact`): it misses if losses come in
  bursts.

For counts per interval the second is left out if most intervals have losses: these are no runs, and
the scatter of the batches shows how losses cluster.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from airtcp.measured.runs import run_bounds
from airtcp.stats import CONFIDENCE
from airtcp.stats.batches import BATCHES
from airtcp.stats.bounded import bounded_means
from airtcp.stats.exact import exact_share_interval
from airtcp.stats.intervals import Interval

_LEAST_BATCH = 10  # packets of a batch


def loss_rate(
    lost: NDArray[np.bool_] | NDArray[np.float64], sent: NDArray[np.float64] | None = None
) -> Interval | None:
    """Share of packets lost with its interval, from packets or, with `sent`, from counts per bin.

    It is None if nothing was sent. If nothing was lost, the interval ends at the share at which
    no loss has a probability of 5 %. That holds for independent losses; a file without a loss
    gives no bound for bursts.
    """
    lost = np.asarray(lost, dtype=np.float64)
    weight = np.ones(len(lost)) if sent is None else sent
    total = float(weight.sum())
    count = min(float(lost.sum()), total)
    if total <= 0.0:
        return None
    if count == 0.0:
        return Interval(0.0, 0.0, 1.0 - (1.0 - CONFIDENCE) ** (1.0 / total))
    share = count / total
    low, high = exact_share_interval(count, total)
    if sent is None or 2 * np.count_nonzero(lost) <= len(lost):
        by_runs = _interval_by_runs(lost, share)
        low, high = min(low, by_runs[0]), max(high, by_runs[1])
    parts = min(BATCHES, int(total) // _LEAST_BATCH, len(lost))
    if parts >= 2:
        bounds = np.linspace(0, len(lost), parts + 1).astype(np.int64)[:-1]
        of_part = np.add.reduceat(weight, bounds)
        values = np.clip(np.add.reduceat(lost, bounds) / np.maximum(of_part, 1.0), 0.0, 1.0)
        found = bounded_means(values, np.zeros(parts, dtype=np.int64), CONFIDENCE)
        low, high = min(low, float(found["low"][0])), max(high, float(found["high"][0]))
    return Interval(share, max(0.0, min(low, share)), min(1.0, max(high, share)))


def _interval_by_runs(lost: NDArray[np.float64], share: float) -> tuple[float, float]:
    """Interval of the loss rate from the lengths of loss runs.

    With counts per time bin, a run is the losses of adjacent bins that have any.
    """
    starts, ends = run_bounds(lost > 0.0)
    sums = np.concatenate([[0.0], np.cumsum(lost)])
    lengths = sums[ends] - sums[starts]
    spread = math.sqrt(float((lengths**2).sum())) / float(lengths.sum())
    factor = math.exp(float(special.ndtri(0.5 + CONFIDENCE / 2.0)) * spread)
    return share / factor, share * factor
