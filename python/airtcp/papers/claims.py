"""Statements of a paper and their verdicts: numbers judge each of them by a stated rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

Verdict = Literal["holds", "partly", "fails", "undecided"]

ALIKE = 0.02  # relative difference up to which two throughputs count as the same
NEARLY = 0.05  # and up to which as nearly the same


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper, judged by numbers of this run.

    - `name`: a short handle; `text`: the statement in our words; `where`: its place in the paper;
    - `rule`: the conditions to hold, hold partly or fail;
    - `verdict`: "holds", "partly", "fails", or "undecided" where other runs of the same number
      would come to another one too often; `finding`: one sentence with the numbers;
    - `numbers`: the same numbers by name, rates and ratios without unit unless the name says so;
    - `resampled`: to which verdict which share of studies comes whose runs are drawn anew from
      these; empty where nothing is random (`airtcp.papers.resampling`).
    """

    name: str
    text: str
    where: str
    rule: str
    verdict: Verdict
    finding: str
    numbers: Mapping[str, float]
    resampled: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Verdict, statement and numbers in a few lines."""
        return f"Claim({self.verdict}: {self.text} [{self.where}] {self.finding})"


class Judgement(NamedTuple):
    """The judgement of a run on a statement, with the fields of `Claim`."""

    verdict: Verdict
    finding: str
    numbers: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of a paper, and its judge; known before anything is computed.

    - `name`, `text`, `where`, `rule`: as in `Claim`; a rule with a number of this run in it is a
      function of the evidence;
    - `judge`: from a table or a study to a `Judgement`; `of` says which of them: the table of the
      part that the statement is about, or the study, which has everything.
    """

    name: str
    text: str
    where: str
    rule: str | Callable[[Any], str]
    judge: Callable[[Any], Judgement]
    of: Literal["table", "study"] = "table"

    def __call__(self, evidence: Any) -> Claim:
        """Judge the statement by a table or a study, as `of` says."""
        judgement = self.judge(evidence)
        return Claim(
            name=self.name,
            text=self.text,
            where=self.where,
            rule=self.rule if isinstance(self.rule, str) else self.rule(evidence),
            verdict=judgement.verdict,
            finding=judgement.finding,
            numbers=judgement.numbers,
        )


def statement(
    *,
    name: str,
    text: str,
    where: str,
    rule: str | Callable[[Any], str],
    of: Literal["table", "study"] = "table",
) -> Callable[[Callable[[Any], Judgement]], Statement]:
    """Make the `Statement` that the decorated function judges."""

    def judged_by(judge: Callable[[Any], Judgement]) -> Statement:
        return Statement(name=name, text=text, where=where, rule=rule, judge=judge, of=of)

    return judged_by


def judge_alike(gaps: ArrayLike, same: float = ALIKE, nearly: float = NEARLY) -> Verdict:
    """Holds if no relative gap exceeds `same`, partly if none exceeds `nearly`."""
    largest = float(np.abs(np.asarray(gaps, dtype=float)).max())
    return "holds" if largest <= same else "partly" if largest <= nearly else "fails"


def judge_share(good: ArrayLike, partly: float = 0.5, holds: float = 1.0) -> Verdict:
    """Judge by the share of cases in which something is so."""
    share = float(np.mean(np.asarray(good)))
    return "holds" if share >= holds else "partly" if share >= partly else "fails"


def judge_better(gains: ArrayLike, by: float = 0.0) -> Verdict:
    """Holds if every relative gain exceeds `by`, partly if at least half of them do."""
    return judge_share(np.asarray(gains, dtype=float) > by)


def judge_both(*conditions: bool) -> Verdict:
    """Holds if all conditions do, partly if one of them does."""
    return "holds" if all(conditions) else "partly" if any(conditions) else "fails"


def percent(share: float) -> str:
    """A signed share, "+3.4 %"; small ones to one significant digit, tiny ones as zero."""
    if abs(share) < 1e-6:
        return "0.0 %"
    digits = 1 if abs(share) >= 5e-4 else 4 if abs(share) < 1e-5 else 3
    return f"{100.0 * share:+.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def whole_percent(share: float) -> str:
    """A share without sign and decimals, "95 %"."""
    return f"{100.0 * share:.0f} %"
