"""Sentences of the report of a run about its engines."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.comparison.side_by_side import is_bounded, shared_answers_text

if TYPE_CHECKING:
    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult


def engines_sentence(result: RunResult) -> str:
    """Say which engines answered, the one that leads first."""
    first, *others = sorted(
        result.answers,
        key=lambda answer: (not answer.traits.is_leading, answer.traits.is_drawn_as_line),
    )
    sentences = [first.traits.sentence_alone, *(answer.traits.sentence_beside for answer in others)]
    return f"{', '.join(sentences)}.".format(method=_method_words(result))


def _method_words(result: RunResult) -> str:
    table = result.table
    return ", ".join(table["method"].unique()) if "method" in table else ""


def marks_sentence(result: RunResult, quantity: str) -> str:
    """Say whose lines, bands and markers a figure has."""
    known = [answer for answer in result.answers if result.has_metric(answer, quantity)]
    lines = [
        _line_words(result, answer, quantity) for answer in known if answer.traits.is_drawn_as_line
    ]
    points = [answer for answer in known if not answer.traits.is_drawn_as_line]
    point_phrases = [_points_words(answer, alone=len(points) == 1) for answer in points]
    if lines and point_phrases:
        joined = f"{lines[0]}; {point_phrases[0][:1].lower()}{point_phrases[0][1:]}"
        return " ".join(
            [f"{joined}.", *(f"{phrase}." for phrase in (*lines[1:], *point_phrases[1:]))]
        )
    return " ".join(f"{phrase}." for phrase in (*lines, *point_phrases))


def _line_words(result: RunResult, answer: Answer, quantity: str) -> str:
    bands = ", bands its bounds" if is_bounded(result, answer, quantity) else ""
    return (
        "Lines (or bars) are"
        f" {answer.traits.values_words.format(method=_method_words(result))}{bands}"
    )


def _points_words(answer: Answer, *, alone: bool) -> str:
    marked = answer.traits.marks
    words = "Markers" if alone or marked is None else marked.words
    return f"{words} are {answer.traits.values_words}"


def remark_lines(result: RunResult) -> list[str]:
    """Remarks on runs, points without an answer, columns, and answers that rows share."""
    metric = result.main_metric
    remarks = [line for answer in result.answers for line in answer.remarks(metric)]
    remarks += [line for answer in result.answers for line in _missing_answer_sentences(answer)]
    remarks += [
        answer.traits.columns_sentence
        for answer in result.answers
        if answer.traits.columns_sentence
    ]
    return [*remarks, *filter(None, [shared_answers_text(result)])]


def _missing_answer_sentences(answer: Answer) -> list[str]:
    """Sentences on the reasons why points have no answer: some of them, where others have one."""
    reasons = answer.reasons or answer.estimates.reasons_not_compared
    some = "" if len({*reasons}) == 1 else " for some points"
    return [
        f"{answer.traits.no_answer_words}{some}: {reason}."
        for reason in sorted({*reasons})
        if reason
    ]


def repeat_sentence(result: RunResult) -> str:
    """Sentence on the results that the page's command repeats, and on the ones it makes anew."""
    fresh = [answer.engine for answer in result.answers if not answer.traits.is_repeatable]
    if not fresh:
        return "This command gives the same numbers:"
    runs = f"the same {' and '.join(fresh)} runs, in another one it makes new ones:"
    if len(fresh) == len(result.answers):
        return f"In this folder this command shows {runs}"
    return f"This command repeats the computed numbers; in this folder it shows {runs}"


def command_line(result: RunResult, folder: Path) -> str:
    """The command line that makes the page again."""
    words = ["airtcp", "run", str(folder / "scenario.toml")]
    asked = dict.fromkeys((*result.metrics, *result.record_metrics))
    words += [word for name in asked for word in ("--metric", name)]
    if not result.has_default_engines:
        words += ["--engine", ",".join(result.engines)]
    stack = "auto" if result.request is None else result.request.stack
    for answer in sorted(result.answers, key=lambda candidate: candidate.traits.is_leading):
        words += answer.command_options(stack, led=result.leading_answer is not None)
    return shlex.join([*words, "--out", str(folder)])
