"""What a module of a paper gives: a `Paper` named `PAPER`, its parts made of `Reproduction`s.

A minimal paper is a title, a summary, references and one function per part, which takes the
`Study` of the run and returns a `Reproduction`; docs/extending.md has one in full. The rest has
defaults: `study` (what the parts share), `prepare` (work ahead), `finish` (the paper as a whole).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

import airtcp
from airtcp.campaign.journal import NAME as JOURNAL
from airtcp.errors import whole_number
from airtcp.papers.result import (
    ALIKE,
    NEARLY,
    Agreement,
    Claim,
    Reproduction,
    Verdict,
    agreement,
    judge_alike,
    judge_better,
    judge_both,
    percent,
    whole_percent,
)
from airtcp.support.cores import usable_cores
from airtcp.support.progress import progress_report

Progress = Callable[[str, float, float], object]
MOST_RUNS = 1_000_000  # per point


def _silent(what: str, done: float, total: float) -> None:
    pass


class Study:
    """One run over a paper: its options, where finished runs are kept, how far it is.

    A paper whose parts share more than that derives its own. `chosen_runs` is the number of
    runs per point that a user asked for, or None; a `Paper` says whether it can be chosen.
    """

    def __init__(
        self,
        *,
        quick: bool = False,
        runs: int | None = None,
        seed: int = 1,
        jobs: int | None = None,
        out: Path | None = None,
        progress: Progress = _silent,
    ) -> None:
        """Nothing is computed yet. `out` is a folder where finished replications are kept."""
        self.quick = quick
        self.chosen_runs = None if runs is None else whole_number("runs", runs, 2, MOST_RUNS)
        self.seed = whole_number("seed", seed, 0, 2**64 - 1)
        self.jobs = usable_cores() if jobs is None else whole_number("jobs", jobs, 1, 1024)
        self.out = out
        self._progress = progress
        self._tables: dict[str, pd.DataFrame] = {}
        self._done = self._total = 0.0

    def once(self, name: str, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """A table that several parts need, computed by the first of them."""
        if name not in self._tables:
            self._tables[name] = compute()
        return self._tables[name]

    def simulate(
        self, scenario: airtcp.Scenario, *, replications: int | None = None, seed: int | None = None
    ) -> airtcp.SimulationResult:
        """`airtcp.simulate` with the options of the study; finished runs are kept in its folder.

        By default under the seed of the study, and as often as the scenario says.
        """
        return airtcp.simulate(
            scenario,
            replications=replications,
            seed=self.seed if seed is None else seed,
            jobs=self.jobs,
            journal=None if self.out is None else self.out / JOURNAL,
        )

    def expect(self, cost: float) -> None:
        """Say before the first part that work is ahead, in a unit of which each part takes one."""
        self._total += cost

    def advance(self, what: str, cost: float = 1.0) -> None:
        """Count work as done."""
        self._done += cost
        self._progress(what, self._done, max(self._total, self._done))

    def facts(self) -> dict[str, Any]:
        """What was run, for the report."""
        chosen = {} if self.chosen_runs is None else {"runs": self.chosen_runs}
        return {"airtcp": airtcp.__version__, "quick": self.quick, **chosen, "seed": self.seed}


def _nothing(study: Any, parts: list[str]) -> None:
    pass


def _unchanged(whole: Reproduction) -> Reproduction:
    return whole


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A published paper and how its parts are recomputed.

    - `title`, `summary` (one sentence, for lists), `text` (a paragraph, for the page);
    - `references`: what to cite, keys of the bibliography;
    - `parts`: for each figure, table or experiment a function of the study of the run;
    - `cover`: the part whose figure stands for the paper in an index, by default the first one;
    - `study`: what the parts share, `Study` or a class derived from it;
    - `takes_runs`: whether a user may choose the number of runs per point;
    - `prepare`: called with the study and the names of the parts before the first one, to say how
      much work is ahead (`Study.expect`) and to do what the parts have in common;
    - `finish`: adds to the whole paper what no part alone can say.
    """

    title: str
    summary: str
    references: tuple[str, ...]
    parts: Mapping[str, Callable[[Any], Reproduction]]
    text: str = ""
    cover: str = ""
    study: type[Study] = Study
    takes_runs: bool = False
    prepare: Callable[[Any, list[str]], None] = _nothing
    finish: Callable[[Reproduction], Reproduction] = _unchanged

    def build(self, study: Study, target: str) -> Reproduction:
        """The whole paper, target "x", or one of its parts, "x/table1"."""
        name, _, part = target.partition("/")
        names = [part] if part else list(self.parts)
        study.expect(float(len(names)))
        self.prepare(study, names)
        parts = tuple(self._part(study, name, one) for one in names)
        return parts[0] if part else self.finish(self._whole(name, parts))

    def _part(self, study: Study, name: str, part: str) -> Reproduction:
        built = replace(self.parts[part](study), name=f"{name}/{part}")
        study.advance(built.title)
        return built

    def _whole(self, name: str, parts: tuple[Reproduction, ...]) -> Reproduction:
        claims = tuple(claim for part in parts for claim in part.claims)
        return Reproduction(
            name=name,
            title=self.title,
            text=self.text or self.summary,
            table=verdicts(claims) if claims else contents(parts),
            claims=claims,
            parts=parts,
            cover=self.cover,
        )


def verdicts(claims: Iterable[Claim]) -> pd.DataFrame:
    """The claims in short, one row each."""
    rows = [(claim.name, claim.where, claim.verdict, claim.finding) for claim in claims]
    return pd.DataFrame(rows, columns=["claim", "where", "verdict", "finding"])


def contents(parts: Iterable[Reproduction]) -> pd.DataFrame:
    """The parts, one row each."""
    rows = [(part.slug, part.title, len(part.table)) for part in parts]
    return pd.DataFrame(rows, columns=["part", "title", "rows"])


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress]:
    """A progress reporter: a bar with the time left on stderr, the caller's own, or nothing."""
    if callable(progress):
        yield progress
        return
    with progress_report(progress) as report:
        yield report


__all__ = [
    "ALIKE",
    "NEARLY",
    "Agreement",
    "Claim",
    "Paper",
    "Progress",
    "Reproduction",
    "Study",
    "Verdict",
    "agreement",
    "judge_alike",
    "judge_better",
    "judge_both",
    "percent",
    "verdicts",
    "whole_percent",
]
