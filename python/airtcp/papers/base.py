"""What a module of a paper gives: a `Paper` named `PAPER`, made of `Part`s.

A minimal paper is a title, a summary, references and one `Part`: a function that takes the `Study`
of the run and returns a `Reproduction`; docs/extending.md has one in full. The rest is data beside
it: the statements that are judged, what the parts need in common. This module has all the names
that a paper uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from airtcp.papers.claims import (
    ALIKE,
    NEARLY,
    Claim,
    Judgement,
    Statement,
    Verdict,
    judge_alike,
    judge_better,
    judge_both,
    judge_share,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.printed import half_unit, printed
from airtcp.papers.result import Agreement, Reproduction, agreement, interval
from airtcp.papers.study import Need, Progress, Study
from airtcp.support.progress import progress_report


def _nothing(sizes: Any) -> tuple[Need, ...]:
    return ()


def _unchanged(whole: Reproduction) -> Reproduction:
    return whole


@dataclass(frozen=True)
class Part:
    """A figure, table or experiment of a paper.

    - `make`: from the study of the run its numbers, figure and text;
    - `statements`: what the paper says of it, judged in this order once it is made;
    - `needs`: from the sizes of the study what it asks for, shared with other parts or not.
    """

    make: Callable[[Any], Reproduction]
    statements: tuple[Statement, ...] = ()
    needs: Callable[[Any], Iterable[Need]] = _nothing

    def build(self, study: Study[Any]) -> Reproduction:
        """Make it and judge what is said of it."""
        made = self.make(study)
        evidence = {"table": made.table, "study": study}
        judged = tuple(one(evidence[one.of]) for one in self.statements)
        return replace(made, claims=made.claims + judged)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A published paper and how its parts are recomputed.

    - `title`, `summary` (one sentence, for lists), `text` (a paragraph, for the page);
    - `references`: what to cite, keys of the bibliography;
    - `parts`: its figures, tables and experiments by name;
    - `cover`: the part whose figure stands for the paper in an index, by default the first one;
    - `study`: what the parts share, `Study` or a class derived from it;
    - `takes_runs`: whether a user may choose the number of runs per point;
    - `finish`: adds to the whole paper what no part alone can say.
    """

    title: str
    summary: str
    references: tuple[str, ...]
    parts: Mapping[str, Part]
    text: str = ""
    cover: str = ""
    study: type[Study[Any]] = Study
    takes_runs: bool = False
    finish: Callable[[Reproduction], Reproduction] = _unchanged

    def build(self, study: Study[Any], target: str) -> Reproduction:
        """The whole paper, target "x", or one of its parts, "x/table1"."""
        name, _, part = target.partition("/")
        names = [part] if part else list(self.parts)
        study.expect(float(len(names)))
        study.prepare(need for one in names for need in self.parts[one].needs(study.sizes))
        parts = tuple(self._part(study, name, one) for one in names)
        return parts[0] if part else self.finish(self._whole(name, parts))

    def _part(self, study: Study[Any], name: str, part: str) -> Reproduction:
        built = replace(self.parts[part].build(study), name=f"{name}/{part}")
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
    "Judgement",
    "Need",
    "Paper",
    "Part",
    "Progress",
    "Reproduction",
    "Statement",
    "Study",
    "Verdict",
    "agreement",
    "half_unit",
    "interval",
    "judge_alike",
    "judge_better",
    "judge_both",
    "judge_share",
    "percent",
    "printed",
    "statement",
    "verdicts",
    "whole_percent",
]
