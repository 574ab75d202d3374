"""The threads that run: what goes in comes out once, and nothing hangs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from airtcp import Scenario, _native, simulate

SLOTS = Scenario.from_dict(
    {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
        "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
        "stop": {"slots": 5000, "replications": 3},
    }
)
PATH = Scenario.from_dict(
    {
        "profile": "rfc",
        "tcp": {"variant": ["reno", "sack"]},
        "path": {
            "hop": [
                {
                    "rate": "2Mbps",
                    "delay": "10ms",
                    "queue": 10,
                    "channel": {"kind": "iid", "loss_rate": 0.01},
                }
            ]
        },
        "flow": [{"count": 2}],
        "stop": {"time": "2s", "replications": 3},
    }
)
ENDLESS = SLOTS.replace({"stop.slots": 10**12}).points()[0].compiled


def collect(runner: _native.Runner) -> dict[tuple[int, int], bytes]:
    """Everything that is outstanding; nothing comes twice."""
    found: dict[tuple[int, int], bytes] = {}
    while rows := runner.wait():
        for tag, replication, counts in rows:
            assert (tag, replication) not in found
            found[tag, replication] = counts
    return found


def table(scenario: Scenario, seed: int, jobs: int) -> Any:
    """The counts of all runs by point, replication and flow."""
    runner = _native.Runner(jobs)
    points = scenario.points()
    for tag, point in reversed(list(enumerate(points))):
        runner.submit(tag, point.compiled, seed, [2, 0])
        runner.submit(tag, point.compiled, seed, [1])
    assert runner.outstanding == 3 * len(points)
    found = collect(runner)
    assert runner.outstanding == 0
    runner.close()
    columns = len(_native.count_names(points[0].compiled))
    rows = [np.frombuffer(found[key], "<i8").reshape(-1, columns) for key in sorted(found)]
    return np.concatenate(rows)


@pytest.mark.parametrize("scenario", [SLOTS, PATH], ids=["slot", "path"])
def test_counts_are_those_of_the_table_of_runs(scenario: Scenario) -> None:
    names = _native.count_names(scenario.points()[0].compiled)
    runs = simulate(scenario, seed=2**64 - 1).runs
    expected = np.array([runs[name].to_numpy() for name in names]).T
    for jobs in (1, 3):
        assert np.array_equal(table(scenario, 2**64 - 1, jobs), expected)


@pytest.mark.parametrize("scenario", [SLOTS, PATH], ids=["slot", "path"])
def test_parts_come_one_after_the_other(scenario: Scenario) -> None:
    whole = table(scenario, 1, 2)
    cut = table(scenario.replace("stop.batches", 4), 1, 2)
    flows = 2 if scenario is PATH else 1
    parts = cut.reshape(-1, 4, flows, whole.shape[1])
    names = _native.count_names(scenario.points()[0].compiled)
    of_all_parts = ("delay_median_", "delay_p95_", "delay_least_", "milestone_ns")
    counted = [i for i, name in enumerate(names) if not name.startswith(of_all_parts)]
    added = parts.sum(axis=1).reshape(whole.shape)
    assert np.array_equal(added[:, counted], whole[:, counted])
    assert parts[:, :, :, 0].min() == parts[:, :, :, 0].max()  # slots, or time


def test_nothing_outstanding_is_not_waited_for() -> None:
    runner = _native.Runner(1)
    assert (runner.outstanding, runner.wait()) == (0, [])
    runner.submit(0, SLOTS.points()[0].compiled, 1, [])
    assert (runner.outstanding, runner.wait()) == (0, [])


def test_a_tag_comes_back_unchanged() -> None:
    runner = _native.Runner(1)
    runner.submit(2**64 - 1, SLOTS.points()[0].compiled, 1, [2**64 - 1])
    assert list(collect(runner)) == [(2**64 - 1, 2**64 - 1)]


def test_what_cannot_be_run_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="0 threads"):
        _native.Runner(0)
    bad = SLOTS.points()[0].json.replace('"timeout":100', '"timeout":1')
    with pytest.raises(_native.ScenarioError) as caught:
        _native.Point(bad)
    assert caught.value.args[0] == "tcp.timeout"
    with pytest.raises(_native.ScenarioError, match="EOF while parsing"):
        _native.Point("{")
    runner = _native.Runner(1)
    runner.close()
    with pytest.raises(RuntimeError, match="closed"):
        runner.submit(0, SLOTS.points()[0].compiled, 1, [0])


@pytest.fixture
def _usual_interrupt() -> Iterator[None]:
    """Shells start what runs in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_usual_interrupt")
def test_an_interrupt_ends_the_wait_and_not_the_runner() -> None:
    runner = _native.Runner(2)
    runner.submit(7, ENDLESS, 1, [0])
    timer = threading.Timer(0.02, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        runner.wait()
    timer.join()
    runner.submit(8, SLOTS.points()[0].compiled, 1, [0])
    assert [row[:2] for row in runner.wait()] == [(8, 0)]
    assert runner.outstanding == 1
    runner.close()
    runner.close()
    assert (runner.outstanding, runner.wait()) == (0, [])


def test_closing_wakes_a_thread_that_waits() -> None:
    runner = _native.Runner(1)
    runner.submit(0, ENDLESS, 1, [0, 1])
    found: list[list[tuple[int, int, bytes]]] = []
    waiting = threading.Thread(target=lambda: found.append(runner.wait()))
    waiting.start()
    runner.close()
    waiting.join()
    assert found == [[]]


def test_a_forgotten_runner_ends_its_runs() -> None:
    runner = _native.Runner(3)
    runner.submit(0, ENDLESS, 1, range(10))
    del runner  # waits for the threads, which would go on for days
