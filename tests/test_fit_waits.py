"""Losses seen by a tool that waits for each reply: its packets are farther apart after a loss."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from airtcp.fitted.fit import fit
from airtcp.fitting.chains import Chain
from airtcp.fitting.losses_data import Fates
from airtcp.fitting.losses_tests import TEST_LEVEL, fit_test
from airtcp.fitting.losses_waits import WaitingTimes
from airtcp.measured import read

MS = 1_000_000
CHAIN = Chain(np.array([[0.9995, 0.0005], [0.004, 0.996]]), np.array([0.01, 0.6]))  # steps of 1 ms
START = np.zeros(1, dtype=np.int64)


def record(seed: int, n: int = 3000) -> Fates:
    """Packets sent 20 to 40 ms after the one before if it arrived, 1 s if not, drawn one by one."""
    rng = np.random.default_rng(seed)
    fate, time = np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.int64)
    state = int(rng.random() > CHAIN.stationary_distribution[0])
    for i in range(n):
        if i:
            gap = 1000 if fate[i - 1] else int(rng.integers(20, 41))
            time[i] = time[i - 1] + gap * MS
            state = int(rng.random() > CHAIN.power(gap)[state, 0])
        fate[i] = rng.random() < CHAIN.loss[state]
    return Fates(fate, time, START, waits=True)


def test_the_true_chain_is_rejected_as_seldom_as_the_level_says() -> None:
    """Of 100 tests at 5 % more than 9 would reject in less than one case of 35."""
    p = np.array([fit_test(CHAIN, record(seed), MS, (seed, 39)) for seed in range(100)])
    assert (p <= TEST_LEVEL).sum() <= 9


def test_distances_of_the_record_reject_the_true_chain() -> None:
    """Distances that do not depend on the fates drawn are those of other records."""
    records = [record(seed) for seed in range(40)]
    fixed = [Fates(fates.fate, fates.time, fates.starts) for fates in records]
    p = np.array([fit_test(CHAIN, fates, MS, (seed, 39)) for seed, fates in enumerate(fixed)])
    assert (p <= TEST_LEVEL).mean() > 0.3


def test_another_chain_is_rejected() -> None:
    other = Chain(np.array([[0.998, 0.002], [0.02, 0.98]]), CHAIN.loss)
    p = np.array([fit_test(other, record(seed), MS, (seed, 39)) for seed in range(20)])
    assert (p <= TEST_LEVEL).mean() > 0.8


def test_simulated_records_are_as_those_drawn_one_by_one() -> None:
    waits = WaitingTimes.from_record(record(1, 20_000), MS)
    assert waits is not None
    drawn = waits.simulate(CHAIN, 3000, 60, np.random.default_rng(3), START)
    own = np.array([record(seed).fate for seed in range(60)], dtype=bool)

    def pairs(lost: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.asarray((lost[:, 1:] & lost[:, :-1]).sum(axis=1), dtype=np.float64)

    for first, second in ((drawn.sum(axis=1), own.sum(axis=1)), (pairs(drawn), pairs(own))):
        error = np.hypot(first.std(), second.std()) / np.sqrt(60)
        assert first.mean() == pytest.approx(second.mean(), abs=4.0 * error)


def test_a_log_of_a_tool_that_waits_is_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Its packets say so, and its page has a band of the model."""
    drawn = record(5)
    rng = np.random.default_rng(2)
    delay = rng.uniform(10.0, 30.0, len(drawn))
    sent, lines = 1.7e9, []
    for k, lost in enumerate(drawn.fate):
        if not lost:
            lines.append(f"{sent + delay[k] / 1e3:.6f}\t{k}\t{delay[k]:.3f}")
        sent += 1.0 if lost else (delay[k] + 10.0) / 1e3
    path = tmp_path / "waits.txt"
    path.write_text("\n".join(lines) + "\n")
    (measurement,) = read(path)
    assert measurement.packets is not None
    assert measurement.packets.waits
    found = fit(path, rate="10Mbps", check=False, clock="time", model="Gilbert-Elliott")
    page = found.report(tmp_path / "page.html").read_text()
    assert "sent as replies come or fail to" in page
