"""One run over a paper: results that its parts share are computed once, kept, and counted."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Generic, Self, TypeVar

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

import airtcp
from airtcp.campaign.journal import JOURNAL_FILE as JOURNAL
from airtcp.errors import whole_number
from airtcp.papers.resampling import Resample
from airtcp.support.at_once import finished_futures
from airtcp.support.cores import threads_in
from airtcp.support.seeds import check_seed

Progress = Callable[[str, float, float], object]
MOST_RUNS = 1_000_000  # per point
S = TypeVar("S")
T = TypeVar("T")


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Need:
    """A result that one or more parts of a paper need, computed once.

    - `key`: identifies it; needs with the same key are one;
    - `cost`: about how long it takes, in the unit of the bar, of which each part takes one;
    - `compute_ahead`: computes it without the study, in a thread beside others. Needs that have one
      are computed before the first part, the rest when a part asks for it. `words` say so beside
      the bar.
    """

    key: Hashable
    cost: float = 1.0
    compute_ahead: Callable[[], Any] | None = None
    words: str = ""


def _no_progress(what: str, done: float, total: float) -> None:
    pass


def _same_frame(runs: pd.DataFrame) -> pd.DataFrame:
    return runs


def _fewest_runs(result: airtcp.SimulationResult) -> list[int]:
    """The fewest runs of a random point, in a list; an empty one where none is random."""
    pairs = zip(result.per_point, result.exact, strict=True)
    random = [runs for runs, is_exact in pairs if not is_exact]
    return [min(random)] if random else []


@dataclass(frozen=True)
class _RunRows:
    """The runs of a simulation, one row each, point by point; `fewest` as `_fewest_runs` has it."""

    frame: pd.DataFrame
    seed: int
    per_point: tuple[int, ...]
    fewest: list[int]

    def draw_rows(self, resample: Resample | None) -> pd.DataFrame:
        """The rows of a resampled study, under new numbers of replications."""
        if resample is None:
            return self.frame.copy()
        rows, numbers, _ = resample.draw_rows(self.seed, self.per_point)
        return self.frame.take(rows).assign(replication=numbers).reset_index(drop=True)


class PaperStudy(Generic[S]):
    """One run over a paper: its options, the place of finished runs, its progress.

    A paper derives its own class for shared computations; its `FULL` and `QUICK` set their size,
    and `sizes` is the one of this run. `chosen_runs` is the number of runs per point that a user
    asked for, or None; a `Paper` says if it can be chosen.
    """

    FULL: Any = None
    QUICK: Any = None
    GIVE_UP = Event()  # set while threads that compute needs ahead are to end

    def __init__(
        self,
        *,
        quick: bool = False,
        runs: int | None = None,
        seed: int = 1,
        jobs: int | None = None,
        out: Path | None = None,
        progress: Progress = _no_progress,
    ) -> None:
        """Prepare the study; nothing is computed yet. `out` keeps finished replications."""
        self.quick = quick
        self.sizes: S = self.QUICK if quick else self.FULL
        self.chosen_runs = None if runs is None else whole_number("runs", runs, 2, MOST_RUNS)
        self.seed = check_seed(seed)
        self.jobs = threads_in(jobs)
        self.out = out
        self._progress = progress
        self._found: dict[Hashable, Any] = {}
        self._done = self._total = 0.0
        self._simulations: dict[Hashable, airtcp.SimulationResult] = {}
        self._values: dict[Hashable, dict[Any, Floats]] = {}
        self._frames: dict[Hashable, _RunRows] = {}
        self._resampled: dict[Resample, Self] = {}
        self._by_chance: dict[Hashable, int] = {}  # of what was found: on how many runs it rests
        self._asked: list[int] = []  # how many random runs were asked for, time after time
        self._resample: Resample | None = None

    def resampled(self, resample: Resample) -> Self:
        """This study on runs drawn from its own, without figures and progress.

        It is kept, so that parts share its results.
        """
        other = self._resampled.get(resample)
        if other is None:
            other = copy.copy(self)
            other._resample, other._progress = resample, _no_progress
            other._found, other._by_chance, other._asked = {}, {}, []
            self._resampled[resample] = other
        for key, found in self._found.items():
            if key not in self._by_chance:
                other._found[key] = found
        return other

    def fewest_runs(self, ask: Callable[[], T]) -> tuple[T, int]:
        """The answer of `ask`, and the fewest random runs of a point in it; 0: none is random."""
        before = len(self._asked)
        return ask(), min(self._asked[before:], default=0)

    def draw_figure(self, draw: Callable[[], Figure]) -> Figure | None:
        """The figure of a part; None for a resampled study, which nobody sees."""
        return None if self._resample is not None else draw()

    def prepare(self, needs: Iterable[Need]) -> None:
        """Announce the needs of all parts before the first, and compute those that can be ahead."""
        unique = list({need.key: need for need in needs}.values())
        self.expect(sum(need.cost for need in unique))
        self.compute([need for need in unique if need.compute_ahead is not None])

    def compute(self, needs: Iterable[Need]) -> list[Any]:
        """Results of these needs, in order; missing ones are computed on all jobs at once."""
        wanted = list(needs)
        missing = {need.key: need for need in wanted if need.key not in self._found}
        pool = ThreadPoolExecutor(self.jobs)  # what computes leaves the interpreter's lock
        try:
            longest_first = sorted(missing.values(), key=lambda need: -need.cost)
            tasks = {
                pool.submit(need.compute_ahead): need
                for need in longest_first
                if need.compute_ahead
            }
            for task in finished_futures(list(tasks)):
                need = tasks[task]
                self._found[need.key] = task.result()
                self.advance(need.words, need.cost)
        except BaseException:
            self.GIVE_UP.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self.GIVE_UP.clear()
        return [self._found[need.key] for need in wanted]

    def compute_once(
        self, key: Hashable, compute: Callable[[], T], *, words: str = "", cost: float = 1.0
    ) -> T:
        """A result that several parts need; the first computes it. Counted if it has `words`."""
        if key not in self._found:
            self._found[key], runs = self.fewest_runs(compute)
            if runs:
                self._by_chance[key] = runs
            if words:
                self.advance(words, cost)
        elif key in self._by_chance:
            self._asked.append(self._by_chance[key])
        found: T = self._found[key]
        return found

    def simulate(
        self, scenario: airtcp.Scenario, *, replications: int | None = None, seed: int | None = None
    ) -> airtcp.SimulationResult:
        """`airtcp.simulate` with the options of the study; finished runs are kept in its folder.

        The defaults are the seed of the study, and the number of replications in the scenario.
        """
        found = self._all_runs(scenario, replications, seed)
        self._asked += _fewest_runs(found)
        return found if self._resample is None else self._resample.draw_result(found)

    def _all_runs(
        self, scenario: airtcp.Scenario, replications: int | None, seed: int | None
    ) -> airtcp.SimulationResult:
        chosen = self.seed if seed is None else seed
        key = (tuple(point.json for point in scenario.points()), replications, chosen)
        if key not in self._simulations:
            self._simulations[key] = airtcp.simulate(
                scenario,
                replications=replications,
                seed=chosen,
                jobs=self.jobs,
                journal=None if self.out is None else self.out / JOURNAL,
            )
        return self._simulations[key]

    def frame(
        self,
        key: Hashable,
        build: Callable[[], airtcp.Scenario],
        *,
        named: Callable[[pd.DataFrame], pd.DataFrame] = _same_frame,
        replications: int | None = None,
        seed: int | None = None,
    ) -> pd.DataFrame:
        """The runs of a scenario, one row each, simulated once; a resampled study draws its rows.

        `named` gives them the names of the paper; rows stay as they are, and in their order.
        """
        if key not in self._frames:
            result = self._all_runs(build(), replications, seed)
            runs = named(result.to_pandas())
            self._frames[key] = _RunRows(runs, result.seed, result.per_point, _fewest_runs(result))
        found = self._frames[key]
        self._asked += found.fewest
        return found.draw_rows(self._resample)

    def values_by_run(
        self, key: Hashable, compute: Callable[[], dict[Any, Floats]]
    ) -> dict[Any, Floats]:
        """Values by replication of simulations under the seed of the study, computed once.

        A resampled study draws its runs from them.
        """
        if key not in self._values:
            self._values[key] = compute()
        found = self._values[key]
        sizes = [values.size for values in found.values() if values.size > 1]
        self._asked += [min(sizes)] if sizes else []
        resample = self._resample
        if resample is None:
            return found
        return {
            name: values[resample.drawn_indices(self.seed, values.size)]
            for name, values in found.items()
        }

    def own_seed(self, name: str) -> int:
        """A seed of its own for each point.

        The simulator gives two scenarios with one seed the same fading, which is right for
        comparing them and wrong for counting how many of their intervals miss: those must be
        independent.
        """
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{name}".encode()).digest()[:6], "big")

    def expect(self, cost: float) -> None:
        """Announce, before the first part, an amount of work; each part takes one unit."""
        self._total += cost

    def advance(self, what: str, cost: float = 1.0) -> None:
        """Count work as done."""
        self._done += cost
        self._progress(what, self._done, max(self._total, self._done))

    def facts(self) -> dict[str, Any]:
        """The options of this run, for the report."""
        chosen = {} if self.chosen_runs is None else {"runs": self.chosen_runs}
        return {"airtcp": airtcp.__version__, "quick": self.quick, **chosen, "seed": self.seed}
