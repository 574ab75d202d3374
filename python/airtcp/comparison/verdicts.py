"""Verdicts of the engines on each other, per point and metric, and on all points together.

Any two answers that have a metric in common are compared in it, row by row of `RunResult.table`
(docs/reference/metrics.md, Verdicts).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airtcp.errors import count
from airtcp.metrics.ratios import Floats
from airtcp.stats.differences import differences
from airtcp.stats.intervals import paired_signs
from airtcp.stats.verdict import (
    AGREE,
    DIFFER,
    LEVELS,
    NOT_COMPARABLE,
    UNDECIDED,
    Estimate,
    JointVerdict,
    Verdict,
    common_difference,
    common_of_means,
    is_rare,
    joint_verdict,
    judge,
    ratios_of_pairs,
)
from airtcp.support.format import rounded_up_text

if TYPE_CHECKING:
    from airtcp.comparison.answer import Estimates
    from airtcp.engines.run import RunResult


@dataclass(frozen=True)
class Comparison:
    """Two engines in one metric: a verdict per row, and the joint one.

    The verdict of a row is None if neither has a value.
    """

    metric: str
    reference: Estimates
    other: Estimates
    verdicts: Sequence[Verdict | None]
    joint: JointVerdict

    @property
    def sentence(self) -> str:
        """Sentence on all points together, for readers who do not know statistical tests."""
        return _comparison_sentence(self)


def comparisons(result: RunResult, metric: str | None = None) -> list[Comparison]:
    """Comparisons of any two engines in every metric that both have, or in one."""
    known, compared = result._comparisons, []
    for reference, other in combinations(result._row_estimates, 2):
        for name in reference.estimates:
            if name in other.estimates and metric in (None, name):
                key = (reference.engine, other.engine, name)
                if key not in known:
                    known[key] = _compare(reference, other, name)
                compared.append(known[key])
    return [verdict for verdict in compared if verdict is not None]


def _compare(reference: Estimates, other: Estimates, metric: str) -> Comparison | None:
    reference, other = (
        reference.with_ratios_like(other, metric),
        other.with_ratios_like(reference, metric),
    )
    verdicts = list(_verdicts(reference, other, metric))
    if not any(verdicts):
        return None
    known = [verdict for verdict in verdicts if verdict is not None]
    together = joint_verdict(known, _common_difference(reference, other, metric))
    return Comparison(metric, reference, other, verdicts, together)


def _verdicts(reference: Estimates, other: Estimates, metric: str) -> Iterator[Verdict | None]:
    rows = zip(
        reference.estimates[metric],
        other.estimates[metric],
        reference.reasons_not_compared,
        other.reasons_not_compared,
        strict=True,
    )
    for row, (first, two, *reasons) in enumerate(rows):
        if math.isnan(first.value) and math.isnan(two.value):
            yield None
        elif why := "; ".join(reason for reason in reasons if reason):
            yield Verdict(NOT_COMPARABLE, why=why)
        elif math.isnan(first.value) or math.isnan(two.value):
            silent = reference.engine if math.isnan(first.value) else other.engine
            yield Verdict(NOT_COMPARABLE, why=f"{silent} has no value here")
        else:
            yield _verdict(reference, other, metric, row)


def _verdict(reference: Estimates, other: Estimates, metric: str, row: int) -> Verdict:
    first, two = (engine.estimates[metric][row] for engine in (reference, other))
    covariance = _covariance(reference, other, metric, row)
    if covariance is not None and (pairs := _paired_runs(reference, other, metric, row)):
        first, two = (replace(mean, telling=_testable_pairs(*pairs)) for mean in (first, two))
    verdict = judge(first, two, covariance=covariance)
    rare = any(_is_rare(engine, metric, row) for engine in (reference, other))
    return replace(verdict, **_TOO_FEW_COUNTS) if rare and verdict.verdict == DIFFER else verdict


_TOO_FEW_COUNTS: dict[str, Any] = {"verdict": UNDECIDED, "why": "too few runs counted anything"}


def _is_rare(engine: Estimates, metric: str, row: int) -> bool:
    return metric in engine.per_run and is_rare(np.asarray(engine.per_run[metric][row]))


def _paired_runs(
    reference: Estimates, other: Estimates, metric: str, row: int
) -> tuple[Floats, Floats] | None:
    """The runs of two engines, paired by their random numbers; None if these differ.

    If nothing is random in the reference, it has the same value in each pair.
    """
    if metric not in other.per_run or other.run_numbers is None or reference.run_numbers is None:
        return None
    two = other.per_run[metric][row]
    if not reference.estimates[metric][row].runs:
        return np.full(len(two), reference.estimates[metric][row].value), two
    if metric not in reference.per_run or [*reference.run_numbers[row]] != [
        *other.run_numbers[row]
    ]:
        return None
    return reference.per_run[metric][row], two


def _covariance(reference: Estimates, other: Estimates, metric: str, row: int) -> float | None:
    """Covariance of the two means, if runs are pairs and scatter in both engines."""
    pairs = _paired_runs(reference, other, metric, row)
    if pairs is None or any(np.ptp(runs) == 0.0 for runs in pairs):
        return None
    first, two = pairs
    away = differences(two, first)
    if np.ptp(away) == 0.0 and away[0] != 0.0:  # how that scatters has not occurred
        return None
    return float(np.cov(first, two, ddof=1)[0, 1]) / len(first)


def _testable_pairs(first: Floats, two: Floats) -> float:
    """Number of pairs on which a test can be based (`Signs.telling`); all if they are equal."""
    if np.ptp(two - first) == 0.0:
        return math.nan
    return float(paired_signs(first[np.newaxis, :], two[np.newaxis, :]).telling[0])


def _common_difference(reference: Estimates, other: Estimates, metric: str) -> Estimate:
    """1 plus the mean relative difference over the rows that can be compared."""
    pairs = [
        (row, first, two)
        for row, (first, two) in enumerate(
            zip(reference.estimates[metric], other.estimates[metric], strict=True)
        )
        if not reference.reasons_not_compared[row] and not other.reasons_not_compared[row]
        if first.value > 0.0 and not math.isnan(two.value)
    ]
    runs = other.per_run.get(metric)
    if not pairs:
        return Estimate(math.nan)
    both = [_paired_runs(reference, other, metric, row) for row, _, _ in pairs]
    if all(both) and len({(*(other.run_numbers or ())[row],) for row, _, _ in pairs}) == 1:
        return common_difference(np.array([ratios_of_pairs(*pair) for pair in both if pair]))
    if runs is None or any(first.runs for _, first, _ in pairs):
        return common_of_means([(first, two) for _, first, two in pairs])
    if all(two.runs == 0 for _, _, two in pairs):
        return Estimate(float(np.mean([two.value / first.value for _, first, two in pairs])))
    # The runs that all points have; a point without chance has the same value in each.
    least = min(two.runs for _, _, two in pairs if two.runs)
    rows = [
        np.resize(runs[row][:least] if two.runs else runs[row][:1], least) / first.value
        for row, first, two in pairs
    ]
    return common_difference(np.array(rows))


# As tables


def verdict_table(result: RunResult) -> pandas.DataFrame:
    """The table of `RunResult.verdicts`."""
    keys = [*result.scenario.points()[0].coordinates]
    keys += [name for name in ("flow", "flow_tcp") if name in result.table]
    places = result.table[keys].to_dict("records")
    rows = [
        {**places[row], **_verdict_row(comparison, row, verdict)}
        for comparison in comparisons(result)
        for row, verdict in enumerate(comparison.verdicts)
        if verdict is not None
    ]
    return pandas.DataFrame(rows, columns=[*keys, *_VERDICT_COLUMNS])


_VERDICT_COLUMNS = [
    "metric",
    "engine_a",
    "engine_b",
    "value_a",
    "value_b",
    "verdict",
    "difference",
    "low",
    "high",
    "confidence",
    "p",
    "runs_needed",
    "why",
]


def _verdict_row(comparison: Comparison, row: int, verdict: Verdict) -> dict[str, Any]:
    reference, other = comparison.reference, comparison.other
    return {
        "metric": comparison.metric,
        "engine_a": reference.engine,
        "engine_b": other.engine,
        "value_a": reference.estimates[comparison.metric][row].value,
        "value_b": other.estimates[comparison.metric][row].value,
        **vars(verdict),
    }


def joint_table(result: RunResult) -> pandas.DataFrame:
    """The table of `RunResult.joint_verdicts`."""
    names = ["metric", "engine_a", "engine_b", "agree", "differ", "undecided", "not_comparable"]
    names += ["differ_holm", "difference", "low", "high", "confidence", "p", "sentence"]
    rows = [
        {
            "metric": comparison.metric,
            "engine_a": comparison.reference.engine,
            "engine_b": comparison.other.engine,
            **{name.replace(" ", "_"): n for name, n in comparison.joint.counts.items()},
            "differ_holm": comparison.joint.significant,
            **{
                name: getattr(comparison.joint.common, name)
                for name in ("difference", "low", "high", "confidence", "p")
            },
            "sentence": comparison.sentence,
        }
        for comparison in comparisons(result)
    ]
    return pandas.DataFrame(rows, columns=names)


# In words


def relative_difference_text(value: float) -> str:
    """A relative difference in per cent, with its sign and the digits that count."""
    percent = 100.0 * value
    if math.isnan(percent):
        return "-"
    if math.isinf(percent):
        return "infinitely" if percent > 0.0 else "-"
    digits = 0 if abs(percent) >= 10.0 else 1 if abs(percent) >= 1.0 else 2
    text = f"{percent:+.{digits}f} %"
    return "0.00 %" if text in ("+0.00 %", "-0.00 %") else text


def verdict_cell(verdict: Verdict | None) -> str:
    """A verdict in a table."""
    if verdict is None:
        return "-"
    if verdict.verdict == DIFFER and math.isfinite(verdict.difference):
        return f"{DIFFER} {relative_difference_text(verdict.difference)}"
    return verdict.verdict


def _comparison_sentence(comparison: Comparison) -> str:
    """Number of points with each verdict, the role of chance, and the joint verdict."""
    counts = comparison.joint.counts
    points = sum(counts.values())
    parts = [
        f"agree within {100.0 * LEVELS.margin:g} % at {counts[AGREE]} of {count(points, 'point')}"
    ]
    parts += [f"differ at {counts[DIFFER] or 'none'}{_chance_words(comparison.joint)}"]
    parts += (
        [f"{counts[UNDECIDED]} undecided{_runs_needed_words(comparison)}"]
        if counts[UNDECIDED]
        else []
    )
    if silent := counts[NOT_COMPARABLE]:
        reasons = dict.fromkeys(
            verdict.why for verdict in _verdicts_of_kind(comparison, NOT_COMPARABLE)
        )
        parts.append(f"{silent} not comparable ({'; '.join(reasons)})")
    sentence = f"{comparison.reference.engine} and {comparison.other.engine} {', '.join(parts)}."
    return f"{sentence} {_average_difference_words(comparison)}".strip()


def _verdicts_of_kind(comparison: Comparison, verdict: str) -> list[Verdict]:
    return [
        candidate
        for candidate in comparison.verdicts
        if candidate is not None and candidate.verdict == verdict
    ]


def _chance_words(together: JointVerdict) -> str:
    differ = together.counts[DIFFER]
    if not differ or sum(together.counts.values()) == 1:
        return ""
    if together.significant == 0:
        return " (to be expected by chance among so many points)"
    if differ == 1:
        return " (significant)"
    return f" ({'all' if together.significant == differ else together.significant} significant)"


def _runs_needed_words(comparison: Comparison) -> str:
    undecided = _verdicts_of_kind(comparison, UNDECIDED)
    needed = [verdict.runs_needed for verdict in undecided if not math.isnan(verdict.runs_needed)]
    if not needed:
        return f" ({'; '.join(dict.fromkeys(verdict.why for verdict in undecided))})"
    some = f" {len(needed)} of them" if len(needed) < len(undecided) else ""
    runs = rounded_up_text(max(needed))
    return f" (about {runs} runs per point would decide{some} in about 9 of 10 cases)"


def _average_difference_words(comparison: Comparison) -> str:
    common = comparison.joint.common
    if sum(comparison.joint.counts.values()) - comparison.joint.counts[NOT_COMPARABLE] < 2:
        return ""
    if math.isnan(common.low) or not math.isfinite(common.high):
        return ""
    level = f"{100.0 * common.confidence:g} %"
    sentence = (
        f"On average over the points {comparison.other.engine} lies"
        f" {relative_difference_text(abs(common.difference)).lstrip('+')}"
        f" {'above' if common.difference > 0.0 else 'below'} {comparison.reference.engine}"
        f" ({level} interval {relative_difference_text(common.low)} to"
        f" {relative_difference_text(common.high)})"
    )
    if math.isnan(common.p):
        return (
            f"{sentence}; a few runs cause nearly all of the scatter,"
            " so that this cannot be tested."
        )
    if not comparison.joint.real:
        least = f"{LEVELS.difference_at_a_look:g}"
        return f"{sentence}; not significant (p = {common.p:.2g}, the level is {least})."
    small = ", although small" if common.verdict == AGREE else ""
    return f"{sentence}; significant (p = {common.p:.1g}){small}."
