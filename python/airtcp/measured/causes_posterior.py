"""Posterior probability that a queue dropped a packet: a logistic regression on simulated captures.

Delays and gaps leave bounds of the probability, as explanations differ. How losses cluster narrows
it down: a queue drops several packets in a round trip, rarely one behind the other, and drains
behind a drop. `scripts/loss_cause_posterior.py` makes the coefficients.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from airtcp.measured.causes_delays import Span
from airtcp.measured.measurement import Packets

FEATURES = (
    "least probability, logit",
    "greatest probability, logit",
    "losses in a round trip before, ln(1 + n)",
    "losses in a round trip behind, ln(1 + n)",
    "consecutive losses, ln n",
    "rise of the delay, ranges",
    "rate of losses that are likely the link's, ln",
    "rate of losses, ln",
    "packets in a round trip before and behind, ln(1 + n)",
)
INTERCEPT = "intercept"
_NEVER_SURE = 0.003  # distance of probabilities from 0 and 1, as no explanation is exact
_LEAST_RATE = 1e-6  # of losses, to which a rate is added before its logarithm
_ROUND = 64  # delays before and behind a loss, of which the means differ by its rise

Floats = NDArray[np.float64]
Places = NDArray[Any]


def features(
    packets: Packets, lost: Places, measured: Places, span: Span, bounds: tuple[Floats, Floats]
) -> Floats:
    """A row of `FEATURES` for each loss.

    - `lost`, `measured`: places of losses and of packets with a delay;
    - `bounds`: least and greatest probability that a loss is the queue's, NaN where not known.
    """
    least, most = (
        special.logit(np.clip(bound, _NEVER_SURE, 1.0 - _NEVER_SURE)) for bound in bounds
    )
    time = packets.time[lost]
    trip = int(np.median(packets.delay[measured]))
    nth = np.arange(len(lost))
    before = nth - np.searchsorted(time, time - trip)
    behind = np.searchsorted(time, time + trip, side="right") - nth - 1
    sent = _sent_around(packets.time, time, trip)
    by_link = float(np.nan_to_num(1.0 - 0.5 * (bounds[0] + bounds[1]), nan=0.5).mean())
    rate = len(lost) / len(packets.fate)
    run = np.cumsum(np.diff(lost, prepend=lost[0]) > 1)
    rise = _rise(packets.delay[measured].astype(np.float64), lost, measured)
    columns = (
        least,
        most,
        np.log1p(before),
        np.log1p(behind),
        np.log(np.bincount(run)[run]),
        rise / (span.top - span.base),
        np.full(len(lost), np.log(by_link * rate + _LEAST_RATE)),
        np.full(len(lost), np.log(rate + _LEAST_RATE)),
        np.log1p(sent),
    )
    return np.column_stack(columns)


def posterior(of_losses: Floats) -> Floats:
    """The probability that each loss is the queue's, by its row of `features`."""
    return np.asarray(special.expit(of_losses @ _coefficients()[:-1] + _coefficients()[-1]))


def _sent_around(sent: Places, time: Places, trip: int) -> Places:
    """Number of packets sent within a round trip of each time, without those sent at it."""
    first = np.searchsorted(sent, time - trip)
    last = np.searchsorted(sent, time + trip, side="right")
    at_once = np.searchsorted(sent, time, side="right") - np.searchsorted(sent, time)
    return last - first - at_once


def _rise(delay: Floats, lost: Places, measured: Places) -> Floats:
    """Mean of the delays behind each loss less that before; 0 at the ends of a capture."""
    total = np.concatenate([[0.0], np.cumsum(delay)])
    place = np.searchsorted(measured, lost)
    first, last = np.maximum(place - _ROUND, 0), np.minimum(place + _ROUND, len(delay))
    before = (total[place] - total[first]) / np.maximum(place - first, 1)
    behind = (total[last] - total[place]) / np.maximum(last - place, 1)
    return np.where((first < place) & (place < last), behind - before, 0.0)


@cache
def _coefficients() -> Floats:
    """Coefficients of `FEATURES`, and the intercept behind them."""
    text = (files("airtcp") / "data" / "loss_causes.csv").read_text(encoding="utf-8")
    found = {row["feature"]: float(row["coefficient"]) for row in csv.DictReader(text.splitlines())}
    return np.array([found[name] for name in (*FEATURES, INTERCEPT)])
