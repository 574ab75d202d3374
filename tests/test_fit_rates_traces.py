"""TCP over fitted processes of rates does what it does over the traces, if these are there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import airtcp
from airtcp.fitting.rates import fit_rates_and_outages
from airtcp.fitting.rates_data import OPPORTUNITY, of_opportunities
from airtcp.scenario.tables import read_trace

SHARED = Path(os.environ.get("AIRTCP_SHARED", Path(__file__).parent.parent.parent / "shared"))
RUNS = int(os.environ.get("AIRTCP_TRACE_STARTS", "8"))  # over the trace, each from a random start
NAMES = ("ATT-LTE-driving-2016.down", "ATT-LTE-driving-2016.up", "Verizon-LTE-short.down")
TCPS = ("cubic", "reno", "bbr")
QUEUES: dict[str, Any] = {"deep": 1000, "50": 50, "CoDel": {"kind": "codel", "packets": 1000}}
ERRORS = 3.0  # standard errors of ratios that runs so few have beside the promise
GOODPUT, DELAY = 0.1, 0.2  # by which process and trace may differ
METRICS = {"goodput_bps": GOODPUT, "delay_p95": DELAY}

pytestmark = pytest.mark.skipif(
    not (SHARED / "traces" / NAMES[0]).exists(), reason="the traces are not there"
)


def over(hop: dict[str, Any], queue: Any, tcp: str, runs: int) -> pd.DataFrame:
    document = {
        "profile": "linux",
        "tcp": {"congestion": tcp},
        "path": {"hop": [{"delay": "20ms", "queue": queue, "back": {"rate": "100Mbps"}} | hop]},
        "stop": {"time": "60s"},
    }
    return airtcp.simulate(document, seed=1, replications=runs, progress=False).runs.to_pandas()


def from_random_starts(millis: np.ndarray[Any, Any], mean: str) -> Iterator[dict[str, Any]]:
    """The trace from other starts, from which it is repeated."""
    length = int(millis[-1])
    for start in np.random.default_rng(1).integers(length, size=RUNS):
        at = np.sort((millis - 1 - start) % length + 1)
        # The period of a trace ends with its last opportunity.
        yield {"opportunities": np.append(at[:-1], length).tolist(), "rate": mean}


def ratio(first: pd.Series, second: pd.Series) -> tuple[float, float]:
    """Ratio of two means, and its standard error."""
    parts = [values.std() / values.mean() / np.sqrt(len(values)) for values in (first, second)]
    value = float(first.mean() / second.mean())
    return value, value * float(np.hypot(*parts))


@pytest.mark.parametrize("name", NAMES)
def test_tcp_over_the_process_does_as_over_the_trace_and_not_as_at_a_constant_rate(
    name: str,
) -> None:
    millis = np.array(read_trace(SHARED / "traces" / name), dtype=np.int64)
    rates = of_opportunities(millis)
    assert rates is not None
    model = fit_rates_and_outages(rates, seed=1, draws=19)
    assert model is not None
    mean = f"{len(millis) * OPPORTUNITY * 1e3 / int(millis[-1]):.6g}bps"
    starts = list(from_random_starts(millis, mean))
    missed, constant_missed = [], []
    for queue, value in QUEUES.items():
        for tcp in TCPS:
            trace = pd.concat([over(hop, value, tcp, 1) for hop in starts])
            process = over(model.hop(), value, tcp, 40)
            constant = over({"rate": mean}, value, tcp, 1)
            for metric, most in METRICS.items():
                found, se = ratio(process[metric], trace[metric])
                if abs(found - 1.0) > most + ERRORS * se:
                    missed.append((queue, tcp, metric, found, se))
                other = float(constant[metric].mean() / trace[metric].mean())
                if abs(other - 1.0) > most:
                    constant_missed.append((queue, tcp, metric))
    assert missed == []
    assert len(constant_missed) >= len(QUEUES) * len(TCPS)  # of twice as many
