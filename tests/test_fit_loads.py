"""The test that tells light load from saturated: links that are the same, and ones that differ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from airtcp.fitted.light_load import difference, read_light_load
from airtcp.fitting.loads import TrainTimes, p_value_of_loads
from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.rates_memory import Memories

STEP = 20  # ms of a rate
PAIRS = 100  # of recordings of one process
TRAIN = 10  # packets
EVERY = 500  # ms from train to train


@dataclass(frozen=True)
class Process:
    """A rate as fitted to a trace of a cellular link.

    - `counts`: quantiles of opportunities in a step;
    - `times` (s) and `shares`: memories.
    """

    counts: tuple[float, ...]
    times: tuple[float, ...]
    shares: tuple[float, ...]

    def opportunities(self, rng: np.random.Generator, seconds: int) -> NDArray[np.int64]:
        """Opportunities of a recording, in ms."""
        memories = Memories(np.array(self.times) * 1e3 / STEP, np.array(self.shares))
        scores = memories.scores(rng, seconds * 1000 // STEP)
        at = (np.arange(len(self.counts)) + 0.5) / len(self.counts)
        numbers = np.rint(np.interp(stats.norm.cdf(scores), at, self.counts)).astype(np.int64)
        begins = np.repeat(np.arange(len(numbers)) * STEP, numbers)
        times = np.sort(begins + rng.integers(1, STEP + 1, len(begins)))
        return np.append(times, seconds * 1000)


PROCESSES = {
    "LTE up": Process((0, 3, 5, 6, 8, 10, 12, 14, 17, 22), (0.15, 1.97, 17.5), (0.13, 0.34, 0.34)),
    "LTE down": Process((0, 2, 3, 5, 6, 8, 9, 12, 15, 22), (0.04, 0.29, 5.92), (0.08, 0.07, 0.62)),
    "LTE driving": Process(
        (0, 0, 0, 6, 13, 19, 25, 33, 43, 65), (0.03, 0.92, 31.23), (0.21, 0.16, 0.41)
    ),
    "UMTS": Process((0, 0, 1, 2, 2, 3, 4, 5, 6, 10), (0.84, 7.31, 116.06), (0.05, 0.64, 0.12)),
}


def trains_over(millis: NDArray[np.int64], slower: float = 1.0) -> TrainTimes:
    """Trains that opportunities served."""
    starts = np.arange(100, int(millis[-1]) - EVERY, EVERY)
    first = np.searchsorted(millis, starts, side="right")
    kept = first + TRAIN <= len(millis)
    starts, first = starts[kept], first[kept]
    durations = np.rint(slower * (millis[first + TRAIN - 1] - millis[first]))
    return TrainTimes(starts.astype(float), durations, np.full(len(starts), TRAIN))


@pytest.mark.parametrize("seconds", [60, 140, 300])
@pytest.mark.parametrize("name", PROCESSES)
def test_recordings_of_one_process_are_told_apart_in_one_of_twenty_pairs_at_most(
    name: str, seconds: int
) -> None:
    process, rng = PROCESSES[name], np.random.default_rng(seconds)
    found = [
        p_value_of_loads(
            trains_over(process.opportunities(rng, seconds)), process.opportunities(rng, seconds)
        )
        for _ in range(PAIRS)
    ]
    assert sum(p < TEST_LEVEL for p in found) <= stats.binom.ppf(0.999, PAIRS, TEST_LEVEL)


def test_a_light_recording_that_is_shorter_is_of_the_same_process() -> None:
    process, rng = PROCESSES["LTE driving"], np.random.default_rng(2)
    found = [
        p_value_of_loads(
            trains_over(process.opportunities(rng, 20)), process.opportunities(rng, 140)
        )
        for _ in range(PAIRS)
    ]
    assert sum(p < TEST_LEVEL for p in found) <= stats.binom.ppf(0.999, PAIRS, TEST_LEVEL)


@pytest.mark.parametrize("name", ["LTE up", "LTE down"])
def test_a_link_that_is_six_times_as_slow_under_light_load_is_told(name: str) -> None:
    process, rng = PROCESSES[name], np.random.default_rng(4)
    found = [
        p_value_of_loads(
            trains_over(process.opportunities(rng, 300), slower=6.0),
            process.opportunities(rng, 300),
        )
        for _ in range(20)
    ]
    assert sum(p < TEST_LEVEL for p in found) >= 17


def opportunities_at(mbps: float, seconds: int) -> NDArray[np.int64]:
    """The trace of a constant rate, in which a time is rounded up."""
    gap = 12.032 / mbps
    times: NDArray[np.int64] = np.ceil(np.arange(1, int(seconds * 1000 / gap) + 1) * gap).astype(
        int
    )
    return times


@pytest.mark.parametrize("mbps", [1.0, 3.0, 12.032, 24.064, 40.0, 60.0])
@pytest.mark.parametrize("packets", [2, 4, 10, 12])
def test_a_constant_link_is_the_same_in_whole_milliseconds(mbps: float, packets: int) -> None:
    rng = np.random.default_rng(1)
    duration = (packets - 1) * 12.032 / mbps
    starts = np.arange(0.0, 59_500.0, EVERY)
    sizes = np.full(len(starts), packets)
    begins = rng.uniform(0.0, 1.0, len(starts))
    for found in (
        np.rint(duration + rng.uniform(-0.02, 0.02, len(starts))),
        np.floor(begins + duration),
        np.full(len(starts), np.floor(duration)),
        np.full(len(starts), np.ceil(duration)),
    ):
        p = p_value_of_loads(TrainTimes(starts, found, sizes), opportunities_at(mbps, 60))
        assert p >= TEST_LEVEL
    slow = TrainTimes(starts, np.rint(2.0 * duration + 3.0), sizes)
    assert p_value_of_loads(slow, opportunities_at(mbps, 60)) < TEST_LEVEL


def table_with_losses(file: Path, rng: np.random.Generator, loss: float) -> None:
    """Trains over a link of random opportunities, one in each ms on average, with losses."""
    times = np.sort(rng.integers(1, 60_001, 60_000))
    rows = ["time,delay_s"]
    for start in range(0, 59_500, EVERY):
        first = np.searchsorted(times, start, side="right")
        for at in times[first : first + 12]:
            delay = "" if rng.random() < loss else f"{(at - start + 20) / 1e3}"
            rows.append(f"{start / 1e3},{delay}")
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_losses_are_not_taken_for_slowness(tmp_path: Path) -> None:
    rng, number = np.random.default_rng(3), 60
    found = []
    for _ in range(number):
        table_with_losses(tmp_path / "light.csv", rng, loss=0.1)
        millis = np.append(np.sort(rng.integers(1, 60_001, 59_999)), 60_000)
        found.append(difference(read_light_load(tmp_path / "light.csv"), millis))
    assert sum(p < TEST_LEVEL for p in found) <= stats.binom.ppf(0.999, number, TEST_LEVEL)


def test_a_train_ends_ahead_of_its_first_lost_packet(tmp_path: Path) -> None:
    rows = ["0,0.02", "0,0.024", "0,", "0,0.032", "1,", "1,0.024", "1,0.03", "2,0.02"]
    file = tmp_path / "light.csv"
    file.write_text("time,delay_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = [train["opportunities"] for train in read_light_load(file).trains]
    assert found == [[0, 4], [0, 6], [0]]


def test_a_beginning_that_is_slow_is_told_at_60_s() -> None:
    # Ten packets at 6 ms each, and 1 ms after them, over a link that serves one in 1 ms.
    for seed in range(30):
        rng = np.random.default_rng(seed)
        starts = np.arange(0.0, 59_500.0, EVERY)
        gaps = np.where(np.arange(11) < 9, 6.0, 1.0) * rng.uniform(0.8, 1.2, (len(starts), 11))
        light = TrainTimes(starts, np.rint(gaps.sum(axis=1)), np.full(len(starts), 12))
        busy = np.cumsum(rng.uniform(0.8, 1.2, 60_000))
        assert p_value_of_loads(light, np.ceil(busy).astype(np.int64)) < 0.001
