"""Values whose mean is known: drawn from laws, or from thousands of runs that stand for the law."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import airtcp as at
from airtcp.support.format import ENOUGH_TO_TELL

Floats = NDArray[np.float64]
Generator = np.random.Generator
Shape = tuple[int, ...] | int


def transfers(loss_rate: float) -> dict[str, Any]:
    """A scenario of 20 packets on a link that rarely loses; few of them wait for the timer."""
    channel = {"kind": "iid", "loss_rate": loss_rate}
    hop = {"rate": "10Mbps", "delay": "20ms", "queue": 100, "channel": channel}
    return {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [hop]},
        "flow": [{"packets": 20, "milestone": 20}],
        "stop": {"time": "60s"},
    }


@cache
def transfer_times() -> Floats:
    """The times of 6000 transfers, of which one in a few dozens meets a timeout."""
    runs = at.simulate(transfers(0.01), replications=6000, seed=99, jobs=2).to_pandas()
    return np.asarray(runs["transfer_time"], dtype=np.float64)


@cache
def throughputs() -> Floats:
    """The throughputs of 6000 short runs on slots with bursts of losses."""
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "reno", "window": 8, "timeout": 20},
        "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 10.0},
        "stop": {"slots": 2000},
    }
    runs = at.simulate(document, replications=6000, seed=98, jobs=2).to_pandas()
    return np.asarray(runs["throughput"], dtype=np.float64)


@dataclass(frozen=True)
class Law:
    """Values with a known mean.

    Student's interval covers as it says from `covered_from` values on, or is marked where it does
    not from `marked_from` on; of fewer a line says that they do not tell how skewed they are.
    """

    name: str
    mean: Callable[[], float]
    draw: Callable[[Generator, Shape], Floats]
    covered_from: float = math.inf
    marked_from: float = ENOUGH_TO_TELL


def _resampled(name: str, values: Callable[[], Floats], **since: float) -> Law:
    return Law(
        name, lambda: float(values().mean()), lambda g, shape: g.choice(values(), shape), **since
    )


NORMAL = Law("normal", lambda: 1.0, lambda g, shape: g.normal(1.0, 0.4, shape), 3)
UNIFORM = Law("uniform", lambda: 0.5, lambda g, shape: g.random(shape), 5)
SLOTS = _resampled("throughputs", throughputs, covered_from=3)
EXPONENTIAL = Law("exponential", lambda: 1.0, lambda g, shape: g.exponential(1.0, shape))
LOGNORMAL = Law("lognormal", lambda: math.exp(0.32), lambda g, shape: g.lognormal(0.0, 0.8, shape))
TIMEOUTS = _resampled("rare timeouts", transfer_times, marked_from=3)
LAWS = (NORMAL, UNIFORM, SLOTS, EXPONENTIAL, LOGNORMAL, TIMEOUTS)
