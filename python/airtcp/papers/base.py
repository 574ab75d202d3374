"""The contribution of a paper's module: a `Paper` named `PAPER`, made of `Part`s.

A minimal paper is a title, a summary, references and one `Part`: a function that takes the
`PaperStudy` of the run and returns a `Reproduction`; docs/howto/extend.md has one in full. The rest
is data beside it: the statements that are judged, the common needs of the parts. This module has
all the names that a paper uses.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
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
from airtcp.papers.printed import half_unit, printed_table
from airtcp.papers.resampling import FEWEST_RUNS, Resample, runs_factor, verdict_shares
from airtcp.papers.result import (
    Agreement,
    Reproduction,
    agreement_with_truth,
    interval_of_mean,
)
from airtcp.papers.study import Need, PaperStudy, Progress
from airtcp.support.progress import progress_report


def _no_part_needs(sizes: Any) -> tuple[Need, ...]:
    return ()


def _same_reproduction(reproduction: Reproduction) -> Reproduction:
    return reproduction


@dataclass(frozen=True)
class Part:
    """A figure, table or experiment of a paper.

    - `make`: from the study of the run its numbers, figure and text;
    - `statements`: the paper's statements on it, judged in this order once it is made;
    - `needs`: computes from the sizes of the study the needs of the part, shared with others or
      not.
    """

    make: Callable[[Any], Reproduction]
    statements: tuple[Statement, ...] = ()
    needs: Callable[[Any], Iterable[Need]] = _no_part_needs

    def build(self, study: PaperStudy[Any]) -> Reproduction:
        """Make the part, and judge the paper's statements about it."""
        made, of_table = study.fewest_runs(lambda: self.make(study))
        evidence = {"table": made.table, "study": study}
        claims, runs = [], {}
        for judged_statement in self.statements:
            claim, of_claim = study.fewest_runs(
                partial(judged_statement, evidence[judged_statement.of])
            )
            claims.append(claim)
            asked = [of_claim, *([of_table] if judged_statement.of == "table" else [])]
            if by_chance := [number for number in asked if number]:
                runs[claim.name] = min(by_chance)
        judged = tuple(self._decide_claims(study, claims, runs)) if runs else tuple(claims)
        return replace(made, claims=made.claims + judged)

    def _decide_claims(
        self, study: PaperStudy[Any], claims: list[Claim], runs: Mapping[str, int]
    ) -> Iterator[Claim]:
        """The claims, undecided where resampled studies disagree about the verdict.

        `runs`: for claims that rest on chance, the number of runs.
        """
        few = {name for name, number in runs.items() if number < FEWEST_RUNS}
        enough = runs.keys() - few
        shares_found = (
            verdict_shares(partial(self._verdicts_again, study, enough)) if enough else {}
        )
        for claim in claims:
            shared = shares_found.get(claim.name)
            if claim.name in few:
                yield undecided_by_few_runs(claim, runs[claim.name])
            elif is_verdict_stable(claim, shared):
                yield replace(claim, resampled=shared or {})
            else:
                yield undecided_by_resampling(claim, shared or {})

    def _verdicts_again(
        self, study: PaperStudy[Any], names: set[str], resample: Resample
    ) -> dict[str, str]:
        """The verdicts of a resampled study."""
        study.advance("judge on runs drawn anew", 0.0)
        other = study.resampled(resample)
        chosen = [statement for statement in self.statements if statement.name in names]
        evidence: dict[str, Any] = {"study": other}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if any(statement.of == "table" for statement in chosen):
                evidence["table"] = self.make(other).table
            return {
                statement.name: _verdict(statement, evidence[statement.of]) for statement in chosen
            }


def _verdict(statement: Statement, evidence: Any) -> str:
    """The verdict on a statement; runs so few that drawn ones do not scatter may give none."""
    try:
        return statement.judge(evidence).verdict
    except (ValueError, ArithmeticError):
        return "no verdict"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A published paper and how its parts are recomputed.

    - `title`, `summary` (one sentence, for lists), `text` (a paragraph, for the page);
    - `references`: the works to cite, keys of the bibliography;
    - `parts`: its figures, tables and experiments by name;
    - `cover`: the part whose figure stands for the paper in an index, by default the first one;
    - `study`: the shared computations of the parts, `PaperStudy` or a class derived from it;
    - `takes_runs`: whether a user may choose the number of runs per point;
    - `finish`: adds claims to the whole paper that need more than one part.
    """

    title: str
    summary: str
    references: tuple[str, ...]
    parts: Mapping[str, Part]
    text: str = ""
    cover: str = ""
    study: type[PaperStudy[Any]] = PaperStudy
    takes_runs: bool = False
    finish: Callable[[Reproduction], Reproduction] = _same_reproduction

    def build(self, study: PaperStudy[Any], target: str) -> Reproduction:
        """Build the whole paper, target "x", or one of its parts, "x/table1"."""
        name, _, part = target.partition("/")
        names = [part] if part else list(self.parts)
        study.expect(float(len(names)))
        study.prepare(
            need for part_name in names for need in self.parts[part_name].needs(study.sizes)
        )
        parts = tuple(self._part(study, name, part_name) for part_name in names)
        return parts[0] if part else self.finish(self._whole(name, parts))

    def _part(self, study: PaperStudy[Any], name: str, part: str) -> Reproduction:
        built = replace(self.parts[part].build(study), name=f"{name}/{part}")
        study.advance(built.title)
        return built

    def _whole(self, name: str, parts: tuple[Reproduction, ...]) -> Reproduction:
        claims = tuple(claim for part in parts for claim in part.claims)
        return Reproduction(
            name=name,
            title=self.title,
            text=self.text or self.summary,
            table=verdicts_table(claims) if claims else contents_table(parts),
            claims=claims,
            parts=parts,
            cover=self.cover,
        )


def is_verdict_stable(claim: Claim, shared: Mapping[str, float] | None) -> bool:
    """True if all resampled studies agree with a claim's verdict; None: nothing in it is random."""
    return shared is None or shared.get(claim.verdict, 0.0) == 1.0


def undecided_by_few_runs(claim: Claim, runs: int) -> Claim:
    """The claim, undecided because of too few runs."""
    finding = (
        f"{claim.finding} These {runs} runs: {claim.verdict}; fewer than {FEWEST_RUNS} do not tell."
    )
    return replace(claim, verdict="undecided", finding=finding)


def undecided_by_resampling(claim: Claim, shared: Mapping[str, float]) -> Claim:
    """The undecided claim, with the resampled verdicts and the runs that would decide."""
    verdict_words = ", ".join(f"{word} in {whole_percent(share)}" for word, share in shared.items())
    times = runs_factor(max(shared.values()))
    more = f"about {times} times the runs would decide in 9 of 10 cases"
    finding = f"{claim.finding} These runs: {claim.verdict}; drawn anew: {verdict_words}; {more}."
    return replace(claim, verdict="undecided", finding=finding, resampled=shared)


def verdicts_table(claims: Iterable[Claim]) -> pd.DataFrame:
    """The claims in short, one row each."""
    rows = [(claim.name, claim.where, claim.verdict, claim.finding) for claim in claims]
    return pd.DataFrame(rows, columns=["claim", "where", "verdict", "finding"])


def contents_table(parts: Iterable[Reproduction]) -> pd.DataFrame:
    """The parts, one row each."""
    rows = [(part.slug, part.title, len(part.table)) for part in parts]
    return pd.DataFrame(rows, columns=["part", "title", "rows"])


@contextmanager
def progress_display(progress: bool | Progress) -> Iterator[Progress]:
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
    "PaperStudy",
    "Part",
    "Progress",
    "Reproduction",
    "Statement",
    "Verdict",
    "agreement_with_truth",
    "half_unit",
    "interval_of_mean",
    "judge_alike",
    "judge_better",
    "judge_both",
    "judge_share",
    "percent",
    "printed_table",
    "statement",
    "verdicts_table",
    "whole_percent",
]
