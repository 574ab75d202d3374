"""Campaigns: whatever ends first, is known before or is interrupted, the answer is the same."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airtcp import Scenario, _native
from airtcp.campaign.executor import Executor, FinishedRun, Task
from airtcp.campaign.journal import Journal, Series, open_journal_in_memory
from airtcp.campaign.loop import Campaign, FixedReplications, Rule, Values
from airtcp.campaign.stop_rule import UntilPrecise
from airtcp.stats import Precision

SCENARIO = Scenario.from_dict(
    {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "reno", "newreno"], "window": [4, 8]},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 1000},
    }
)
POINTS = [  # 9 points, 6 differ
    same for point in SCENARIO.points() for same in [point] * (point.data["tcp"]["window"] // 4)
]
NAMES = _native.count_names(POINTS[0].compiled)


def counts_of(task: Task) -> bytes:
    """Possible counts of a run: any function of point, seed and replication."""
    state = random.Random(zlib.crc32(f"{task.json},{task.seed},{task.replication}".encode()))
    row = {name: state.randrange(10) for name in NAMES}
    row |= {"slots": 1000, "deliveries": state.randrange(400, 600)}
    return np.array([row[name] for name in NAMES], "<i8").tobytes()


class Shuffled:
    """Finishes tasks in an order, and in groups of sizes, that are drawn."""

    def __init__(self, seed: int, room: int) -> None:
        self._random, self._room = random.Random(seed), room
        self._queue: list[Task] = []
        self.given: list[Task] = []

    def room(self) -> int:
        return self._random.randint(0 if self._queue else 1, self._room)

    def submit(self, tasks: Iterable[Task]) -> None:
        self._queue += (new := list(tasks))
        self.given += new

    def wait(self) -> list[FinishedRun]:
        self._random.shuffle(self._queue)
        number = self._random.randint(min(1, len(self._queue)), len(self._queue))
        done, self._queue = self._queue[:number], self._queue[number:]
        return [FinishedRun(task.point, task.replication, counts_of(task)) for task in done]

    def close(self) -> list[FinishedRun]:
        self._queue.clear()
        return []


class LastFirst(Shuffled):
    """Finishes what came last."""

    def wait(self) -> list[FinishedRun]:
        return [
            FinishedRun(task.point, task.replication, counts_of(task))
            for task in (self._queue.pop() for _ in self._queue[-3:])
        ]


class Interrupting(Shuffled):
    """Ctrl-C after some calls; what was finished by then comes when it is closed."""

    def __init__(self, seed: int, calls: int) -> None:
        super().__init__(seed, 30)
        self._calls = calls

    def wait(self) -> list[FinishedRun]:
        if not self._calls:
            raise KeyboardInterrupt
        self._calls -= 1
        return super().wait()

    def close(self) -> list[FinishedRun]:
        return super().wait()


class Answer(NamedTuple):
    used: list[int]
    runs: list[list[tuple[int, bytes]]]
    reports: list[tuple[int, int]]


def answer(journal: Journal, rule: Rule, executor: Executor) -> Answer:
    campaign = Campaign(POINTS, 5, rule, journal, "throughput")
    reports: list[tuple[int, int]] = []
    campaign.run(executor, lambda done, total: reports.append((done, total)))
    used = list(campaign.runs_per_point)
    return Answer(used, [campaign.runs(place, 0, n) for place, n in enumerate(used)], reports)


def alone(rule: Rule, executor: Executor) -> Answer:
    with open_journal_in_memory() as journal:
        return answer(journal, rule, executor)


FIXED = FixedReplications(13)
# The scatter of `counts_of` is about 0.115 of its mean: some points take several stages, and one
# that asked for less than is found within `most` ends there.
PRECISE = UntilPrecise(Precision(relative=0.04, least=10, most=60))
RULES = {"fixed": FIXED, "precise": PRECISE}


@pytest.fixture(params=RULES, scope="session")
def rule(request: pytest.FixtureRequest) -> Rule:
    return RULES[request.param]


@pytest.fixture(scope="session")
def expected(rule: Rule) -> Answer:
    return alone(rule, Shuffled(0, 1))  # one after the other


def test_every_point_has_its_runs_in_order(rule: Rule, expected: Answer) -> None:
    for used, runs, point in zip(expected.used, expected.runs, POINTS, strict=True):
        tasks = [Task(0, point.json, 5, replication) for replication in range(used)]
        assert runs == [(task.replication, counts_of(task)) for task in tasks]
    if rule is FIXED:
        assert set(expected.used) == {13}
    else:
        assert min(expected.used) < max(expected.used) <= 60


@settings(derandomize=True, deadline=None, database=None, max_examples=15)
@given(seed=st.integers(0, 2**32), room=st.integers(1, 200))
@pytest.mark.parametrize("kind", [Shuffled, LastFirst])
def test_the_answer_does_not_depend_on_what_ends_first(
    kind: Callable[[int, int], Shuffled], rule: Rule, expected: Answer, seed: int, room: int
) -> None:
    executor = kind(seed, room)
    found = alone(rule, executor)
    assert found[:2] == expected[:2]
    keys = {(task.point, task.replication) for task in executor.given}
    assert len(keys) == len(executor.given)  # nothing is run twice
    needed = dict(zip((point.hash for point in POINTS), expected.used, strict=True))
    assert len(keys) == sum(needed.values())  # equal points once; nothing in vain
    check_progress(found.reports)


def check_progress(reports: list[tuple[int, int]]) -> None:
    done, totals = (list(column) for column in zip(*reports, strict=True))
    assert done == sorted(done)
    assert totals == sorted(totals)
    assert all(finished <= total for finished, total in reports)
    assert done[-1] == totals[-1]


@settings(derandomize=True, deadline=None, database=None, max_examples=15)
@given(seed=st.integers(0, 2**32), stops=st.lists(st.integers(0, 6), max_size=6))
def test_interrupted_anywhere_it_goes_on_to_the_same(
    rule: Rule, expected: Answer, seed: int, stops: list[int]
) -> None:
    given: list[Task] = []
    with open_journal_in_memory() as journal:
        for number, calls in enumerate(stops):
            executor = Interrupting(seed + number, calls)
            campaign = Campaign(POINTS, 5, rule, journal, "throughput")
            before = len(everything(journal))
            with suppress(KeyboardInterrupt):  # unless it was complete before
                campaign.run(executor, lambda done, total: None)
            assert len(everything(journal)) <= before + len(executor.given)
            assert campaign.done <= campaign.total
            given += executor.given
        last = Shuffled(seed, 50)
        assert answer(journal, rule, last)[:2] == expected[:2]
        needed = dict(zip((point.hash for point in POINTS), expected.used, strict=True))
        assert len(everything(journal)) == sum(needed.values())  # no run that nobody needs


def everything(journal: Journal) -> list[tuple[int, bytes]]:
    points = {point.hash: point for point in POINTS}
    series = [Series(key, _native.MODEL_VERSION, 5) for key in points]
    return [run for of_point in series for run in journal.runs(of_point, 8 * len(NAMES), 0, 1000)]


@settings(derandomize=True, deadline=None, database=None, max_examples=15)
@given(seed=st.integers(0, 2**32), share=st.floats(0, 1))
def test_what_is_known_is_not_run_again(
    rule: Rule, expected: Answer, seed: int, share: float
) -> None:
    """Any part of the runs, and more of them than are needed, may be there already."""
    draw = random.Random(seed)
    with open_journal_in_memory() as journal:
        known = {
            (point.hash, replication): counts_of(Task(0, point.json, 5, replication))
            for point in POINTS
            for replication in range(100)
            if draw.random() < share
        }
        journal.add(
            (Series(key, _native.MODEL_VERSION, 5), replication, counts)
            for (key, replication), counts in known.items()
        )
        executor = Shuffled(seed, 40)
        found = answer(journal, rule, executor)
    assert found[:2] == expected[:2]
    hashes = list(dict.fromkeys(point.hash for point in POINTS))
    assert not {(hashes[task.point], task.replication) for task in executor.given} & known.keys()
    check_progress(found.reports)


def test_a_rule_sees_values_in_order_and_its_answer_is_the_number_used() -> None:
    seen: dict[bytes, list[int]] = {}

    class Third:
        """Asks for 4, then 8, then 9."""

        least = 4

        def replications_needed(self, n: int, values: Values) -> int:
            (row,) = values()
            assert len(row) == n
            seen.setdefault(row[:4].tobytes(), []).append(n)
            return {4: 8, 8: 9, 9: 9}[n]

    found = alone(Third(), Shuffled(3, 20))
    assert set(found.used) == {9}
    assert list(seen.values()) == [[4, 8, 9]] * 6
    for runs in found.runs:
        place = NAMES.index("deliveries")
        values = [np.frombuffer(counts, "<i8")[place] / 1000 for _, counts in runs]
        assert np.array(values[:4]).tobytes() in seen


def test_runs_end_precise_or_at_the_most() -> None:
    found = alone(PRECISE, Shuffled(1, 64))
    place = NAMES.index("deliveries")
    ends = set()
    for used, runs in zip(found.used, found.runs, strict=True):
        values = [np.frombuffer(counts, "<i8")[place] / 1000 for _, counts in runs]
        reached = PRECISE.precision.reached(values)
        assert reached or used == 60
        assert PRECISE.precision.next_runs(values) == used
        ends.add(reached)
    assert True in ends


def test_points_that_the_rule_has_looked_at_go_first() -> None:
    """They come to their end, whatever is still to come of the others."""
    executor = Shuffled(0, 1)
    alone(PRECISE, executor)
    late = [number for number, task in enumerate(executor.given) if task.replication >= 10]
    early = [number for number, task in enumerate(executor.given) if task.replication < 10]
    assert min(late) < max(early)


def test_an_error_of_the_executor_keeps_what_was_finished() -> None:
    class Failing(Shuffled):
        def wait(self) -> list[FinishedRun]:
            if len(self.given) > 20:
                raise RuntimeError("a run failed")
            return super().wait()

    with open_journal_in_memory() as journal:
        campaign = Campaign(POINTS, 5, FIXED, journal)
        with pytest.raises(RuntimeError, match="a run failed"):
            campaign.run(Failing(0, 7), lambda done, total: None)
        assert campaign.done == len(everything(journal)) > 0


@pytest.mark.parametrize("chunk", [1, 4, 13, 14])
def test_many_known_runs_are_looked_up_in_pieces(
    chunk: int, rule: Rule, expected: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airtcp.campaign.loop._RUNS_PER_LOOKUP", chunk)
    with open_journal_in_memory() as journal:
        with suppress(KeyboardInterrupt):
            campaign = Campaign(POINTS, 5, rule, journal, "throughput")
            campaign.run(Interrupting(2, 3), lambda done, total: None)
        assert answer(journal, rule, Shuffled(4, 30))[:2] == expected[:2]
