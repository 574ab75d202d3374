"""A campaign: the replications that the points of a scenario need, computed where they are missing.

Everything that simulates goes through here: a journal holds the known runs, a rule tells how many
replications a point needs, an executor computes missing runs, and each goes into the journal as
soon as it is finished.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from airtcp import _native
from airtcp.campaign.executor import Executor, FinishedRun, Task
from airtcp.campaign.journal import Journal, Run, Series
from airtcp.errors import InputError, count
from airtcp.metrics.layout import Layout, RecordLayout, layout_of, record_layout_of
from airtcp.metrics.ratios import Floats, metric_of_whole_runs
from airtcp.scenario.scenario import Point

Values = Callable[[], Floats]
Report = Callable[[int, int], object]

RECORDS_SUFFIX = "+links"  # behind the hash of a point, in the keys of what was counted on links
_RUNS_IN_A_ROW = (
    5  # replications of a point that follow each other, so that it is read once for them
)
_RUNS_PER_LOOKUP = 10_000  # replications of a point at a time: many do not fill the memory


class Rule(Protocol):
    """Rule for the number of replications that a point needs.

    The answer is a function of the replications in their order alone, never of which of them ended
    first: parallel runs, interruptions and known runs do not change the result.
    """

    @property
    def least(self) -> int:
        """Replications that every point needs."""

    def replications_needed(self, n: int, values: Values) -> int:
        """Number of replications needed in all, judged by the first `n`; `n` if these are enough.

        `values`, if asked, gives the metric of the rule: a row per flow, a column per replication.
        """


class RunFormat(Protocol):
    """An engine's way to keep the runs of a point: their key and their layout."""

    def key(self, point: Point) -> str:
        """Key of the point's runs in a journal: equal for points with equal runs."""

    def layout(self, point: Point) -> Layout:
        """Layout of a run."""

    def is_random(self, point: Point) -> bool:
        """True if two runs can differ."""


class CountFormat:
    """The format of simulated runs, which are kept as counts."""

    def key(self, point: Point) -> str:
        """The hash of the point."""
        return point.hash

    def layout(self, point: Point) -> Layout:
        """The layout of the point's counts."""
        return layout_of(point)

    def is_random(self, point: Point) -> bool:
        """True if anything in the point is random."""
        return point.is_random


@dataclass(frozen=True)
class FixedReplications:
    """A rule with the same number of replications everywhere."""

    least: int

    def replications_needed(self, n: int, values: Values) -> int:
        """The fixed number."""
        return self.least


class Campaign:
    """The points of a scenario, each once, on the way to enough replications.

    A point in which nothing is random has enough with one, whatever the rule.

    `done`, `total`: numbers of replications finished, and needed as far as is known.
    """

    def __init__(
        self,
        points: Sequence[Point],
        seed: int,
        rule: Rule,
        journal: Journal,
        metric: str = "",
        *,
        links: bool = False,
        run_format: RunFormat | None = None,
    ) -> None:
        """Look up the known runs. `metric`: the metric that the rule looks at.

        `links`: a run is known only if its links and cross-traffic were counted too. `run_format`:
        the engine's way to keep runs, None: the simulator's.
        """
        run_format = CountFormat() if run_format is None else run_format
        self._points, self._seed, self._links = points, seed, links
        self._rule, self._journal, self._metric = rule, journal, metric
        self.done = self.total = 0
        self._given_back: list[FinishedRun] = []  # by the executor, and not kept yet
        self._more: deque[Iterator[Task]] = deque()  # what the rule asked for beyond the first
        self.failed: dict[str, str] = {}  # key of a point -> why its first run that failed did
        self._of_key: dict[str, _PointProgress] = {}
        layouts: dict[Layout, Layout] = {}  # each is kept once
        self._of_place: list[_PointProgress] = []
        for place, point in enumerate(points):
            key = run_format.key(point)
            if key not in self._of_key:
                layout = run_format.layout(point)
                number, layout = len(self._of_key), layouts.setdefault(layout, layout)
                records = record_layout_of(point) if links else None
                self._of_key[key] = _PointProgress(
                    number, place, key, layout, run_format.is_random(point), records
                )
            self._of_place.append(self._of_key[key])
        self._courses = list(self._of_key.values())
        for course in self._courses:
            course.known = self._extend_to(course, rule.least if course.is_random else 1)
            self._apply_rule(course)
        self._first = self._first_tasks()

    @property
    def links(self) -> bool:
        """True if links and cross-traffic are counted too."""
        return self._links

    @property
    def runs_per_point(self) -> tuple[int, ...]:
        """Number of replications that each point needs as far as is known."""
        return tuple(course.need for course in self._of_place)

    @property
    def points_done(self) -> int:
        """Number of points that have all replications that they need as far as is known."""
        return sum(not course.missing for course in self._of_place)

    def runs(self, place: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """(replication, counts) of the point at `place`, from replication `begin` to `end` - 1."""
        return self._known_runs(self._of_place[place], begin, end)

    def finished(self, place: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """All these runs, once the campaign has ended. `InputError` if one has disappeared."""
        return self._check_complete(self.runs(place, begin, end), end - begin)

    def records(self, place: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """Counts of links and cross-traffic, as in `runs`: laid out as `record_layout_of` says."""
        course = self._of_place[place]
        known = {replication for replication, _ in self._known_runs(course, begin, end)}
        return [run for run in self._known_records(course, begin, end) if run[0] in known]

    def finished_records(self, place: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """Counts of links and cross-traffic, as in `finished`."""
        return self._check_complete(self.records(place, begin, end), end - begin)

    def _check_complete(
        self, runs_found: list[tuple[int, bytes]], runs_expected: int
    ) -> list[tuple[int, bytes]]:
        if len(runs_found) < runs_expected:
            lost = count(runs_expected - len(runs_found), "run")
            raise InputError(f"{self._journal.path}: was damaged while in use: {lost} lost")
        return runs_found

    def run(self, executor: Executor, report: Report) -> None:
        """Compute the missing runs; `report` gets (done, total) whenever runs were kept.

        Whatever ends it, runs that the executor has finished are kept.
        """
        report(self.done, self.total)
        try:
            self._run(executor, report)
        except BaseException:
            with suppress(InputError, OSError):  # the first error is told
                self._store_runs([*self._given_back, *executor.close()])
            raise

    def _run(self, executor: Executor, report: Report) -> None:
        under_way = 0
        while True:
            tasks = self._take_tasks(executor.room())
            executor.submit(tasks)
            under_way += len(tasks)
            if not under_way:
                return
            self._given_back = executor.wait()
            under_way -= len(self._given_back)
            self._store_runs(self._given_back)
            report(self.done, self.total)

    def _take_tasks(self, number: int) -> list[Task]:
        """Take tasks: points that the rule has looked at go first, so that they are finished."""
        tasks: list[Task] = []
        while self._more and len(tasks) < number:
            tasks += islice(self._more[0], number - len(tasks))
            if len(tasks) < number:
                self._more.popleft()
        return tasks + list(islice(self._first, number - len(tasks)))

    def _first_tasks(self) -> Iterator[Task]:
        """A few replications of every point, then more: an early end leaves some of each point."""
        for begin in range(0, self._rule.least, _RUNS_IN_A_ROW):
            for course in self._courses:
                for replication, known in enumerate(
                    course.known[begin : begin + _RUNS_IN_A_ROW], begin
                ):
                    if not known:
                        yield self._task(course, replication)

    def _store_runs(self, finished: list[FinishedRun]) -> None:
        """Write runs to the journal, then ask the rule about points that have what it wanted."""
        runs = [(self._courses[run.point], run) for run in finished]
        self._journal.add(row for course, run in runs for row in self._rows_to_keep(course, run))
        for course, run in runs:
            if run.failed:
                self.failed.setdefault(course.key, run.failed)
        self._given_back = []
        self.done += len(runs)
        for course, _ in runs:
            course.missing -= 1
            if not course.missing:
                self._apply_rule(course)

    def _apply_rule(self, course: _PointProgress) -> None:
        """Ask the rule, as long as the runs that it wants are known already."""
        while course.is_random and not course.missing:
            needed = self._rule.replications_needed(
                course.need, lambda: self._metric_values(course)
            )
            if needed <= course.need:
                return
            begin = course.need
            known = self._extend_to(course, needed)
            missing = (begin + offset for offset, is_known in enumerate(known) if not is_known)
            self._more.append(self._task(course, replication) for replication in missing)

    def _extend_to(self, course: _PointProgress, need: int) -> bytearray:
        """Let a point need `need` replications; returns a mark for each new one that is known."""
        known = bytearray(need - course.need)
        for begin in range(course.need, need, _RUNS_PER_LOOKUP):
            for replication, _ in self._known_runs(
                course, begin, min(begin + _RUNS_PER_LOOKUP, need)
            ):
                known[replication - course.need] = True
        course.missing += known.count(False)
        self.total += len(known)
        self.done += known.count(True)
        course.need = need
        return known

    def _metric_values(self, course: _PointProgress) -> Floats:
        counts = [counts for _, counts in self._known_runs(course, 0, course.need)]
        return metric_of_whole_runs(self._points[course.place], course.layout, counts, self._metric)

    def _known_runs(self, course: _PointProgress, begin: int, end: int) -> list[tuple[int, bytes]]:
        runs_found = self._journal.runs(self._series(course), course.layout.size, begin, end)
        if course.records is None:
            return runs_found
        recorded = {replication for replication, _ in self._known_records(course, begin, end)}
        return [run for run in runs_found if run[0] in recorded]

    def _known_records(
        self, course: _PointProgress, begin: int, end: int
    ) -> list[tuple[int, bytes]]:
        size = 0 if course.records is None else course.records.size
        return self._journal.runs(self._series(course, RECORDS_SUFFIX), size, begin, end)

    def _rows_to_keep(self, course: _PointProgress, run: FinishedRun) -> Iterator[Run]:
        """The rows to keep of a run.

        Its records are in a row of their own, so that a search without them finds the run.
        """
        if run.failed:
            return
        size = course.layout.size
        yield self._series(course), run.replication, run.counts[:size]
        if course.records is not None:
            yield self._series(course, RECORDS_SUFFIX), run.replication, run.counts[size:]

    def _series(self, course: _PointProgress, what: str = "") -> Series:
        return Series(course.key + what, _native.MODEL_VERSION, self._seed)

    def _task(self, course: _PointProgress, replication: int) -> Task:
        json = self._points[course.place].json
        return Task(course.number, json, self._seed, replication, self._links)


@dataclass(eq=False, slots=True)
class _PointProgress:
    """Progress of a point: `need` replications as far as is known, `missing` of them to come.

    The point is the one at `place`; it is not kept, because there may be a million of them.
    """

    number: int
    place: int
    key: str
    layout: Layout
    is_random: bool
    records: RecordLayout | None  # if they are asked for
    need: int = 0
    missing: int = 0
    known: bytearray = field(default_factory=bytearray)  # of the first ones, which
