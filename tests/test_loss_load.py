"""Losses that depend on the rate sent are named, others are not."""

from __future__ import annotations

import numpy as np
import pytest

from airtcp.fitted.counts import fit_counts
from airtcp.fitted.options import FitOptions
from airtcp.fitting.loss_load import load_dependence
from airtcp.measured.measurement import Intervals, Measurement

NUMBER = 400


def counts(*, is_queue: bool, seed: int = 1) -> Intervals:
    """Intervals of a sender whose pace wanders; a queue loses what is above 100 packets."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=NUMBER + 5)
    pace = np.convolve(steps, np.ones(5) / 5.0, "valid")[:NUMBER]
    sent = np.round(100.0 + 30.0 * pace)
    expected = np.maximum(sent - 105.0, 0.0) if is_queue else 0.02 * sent
    lost = np.minimum(rng.poisson(expected), sent).astype(np.float64)
    return Intervals(
        start=np.arange(NUMBER) * 1_000_000_000,
        length=np.full(NUMBER, 1_000_000_000),
        sent=sent,
        lost=lost,
        received=(sent - lost) * 1200.0,
        delay=np.full(NUMBER, np.nan),
    )


def test_a_full_queue_is_seen() -> None:
    found = load_dependence(counts(is_queue=True))
    assert found is not None
    assert found.is_seen
    assert found.fast > 2.0 * found.slow


def test_a_link_that_loses_at_any_rate_is_not_named() -> None:
    found = [load_dependence(counts(is_queue=False, seed=seed)) for seed in range(40)]
    seen = sum(dependence is not None and dependence.is_seen for dependence in found)
    assert seen <= 2  # of 40 at 1 %, once in 120


def test_one_pace_tells_nothing() -> None:
    even = counts(is_queue=False)
    same = Intervals(
        even.start,
        even.length,
        np.full(NUMBER, 100.0),
        even.lost,
        even.received,
        even.delay,
    )
    assert load_dependence(same) is None


@pytest.mark.parametrize("is_queue", [True, False])
def test_a_fit_says_so(*, is_queue: bool) -> None:
    measurement = Measurement("test.json", "iperf3", intervals=counts(is_queue=is_queue))
    remarks = fit_counts(measurement, FitOptions()).remarks
    assert any("depend on the rate sent" in said for said in remarks) == is_queue
