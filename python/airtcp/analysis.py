"""Analysis of a scenario: the analytic model's answer for every point it covers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airtcp._progress import Advance, progress_bar
from airtcp.errors import InputError

if TYPE_CHECKING:
    import pandas

    from airtcp.scenario import Point, Scenario
    from airtcp.two_state import TwoState

COLUMNS = (
    "lower",
    "upper",
    "throughput",
    "transmissions",
    "timeouts",
    "fast_retransmits",
    "error_bound",
)
Answers = dict[int, dict[str, Any]]


def analyse(scenario: Scenario, *, progress: bool = False) -> pandas.DataFrame:
    """The model's answer for every point of `scenario`: coordinates, `method`, and per slot

    - `throughput` (distinct packets delivered), with its bounds `lower`, `upper`, and for the
      exact method `error_bound`;
    - `transmissions`, `timeouts`, `fast_retransmits`.

    What the model does not cover is NaN, with a `note` that says why ("" elsewhere). The methods
    are those of `airtcp.models.zorzi.solve`. `progress` shows a bar on stderr.
    """
    import pandas  # noqa: PLC0415  (slow to import)

    points = scenario.points()
    answers = _answers(points, progress)
    rows = [
        {
            **point.coordinates,
            "method": point.data["analysis"]["method"],
            **dict.fromkeys(COLUMNS, math.nan),
            **answers[index],
        }
        for index, point in enumerate(points)
    ]
    return pandas.DataFrame(rows)


def _answers(points: list[Point], progress: bool) -> Answers:
    answers: Answers = {}
    cases: dict[tuple[Any, ...], list[tuple[int, TwoState]]] = {}
    for index, point in enumerate(points):
        channel = point.two_state()
        why = _not_covered(point, channel)
        answers[index] = {"note": why}
        if channel is not None and not why:
            cases.setdefault(_case(point), []).append((index, channel))
    with progress_bar(progress, "analysing", sum(map(len, cases.values()))) as advance:
        for case, channels in cases.items():
            _solve_case(case, channels, answers, advance)
    return answers


def _not_covered(point: Point, channel: TwoState | None) -> str:
    """Why the model has no answer; empty if it has one."""
    data = point.data
    recovers = data["tcp"]["variant"] in ("reno", "newreno")
    reasons = {
        "the model has no window inflation": data["tcp"]["inflation"] and recovers,
        "the model has no ACK delay": data["ack"]["delay"] > 0,
        "the model has no ACK loss": data["ack"]["loss_rate"] > 0,
        "the losses form no two-state chain on slots": channel is None,
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)


def _case(point: Point) -> tuple[Any, ...]:
    """All that the model wants besides the channel."""
    tcp = point.data["tcp"]
    keys = ("variant", "window", "dupacks", "timeout")
    return *(tcp[key] for key in keys), point.data["analysis"]["method"]


def _solve_case(
    case: tuple[Any, ...],
    channels: list[tuple[int, TwoState]],
    answers: Answers,
    advance: Advance,
) -> None:
    """Fill in the answers of one case; one channel at a time where the solver may refuse."""
    at_once = 1 if case[-1] == "exact" else 256
    for begin in range(0, len(channels), at_once):
        part = channels[begin : begin + at_once]
        try:
            rows = _solve(case, [channel for _, channel in part])
        except InputError as refused:
            rows = [{"note": str(refused)}] * len(part)
        for (index, _), row in zip(part, rows, strict=True):
            answers[index].update(row)
        advance(len(part))


def _solve(case: tuple[Any, ...], channels: list[TwoState]) -> list[dict[str, Any]]:
    from airtcp.models import zorzi  # noqa: PLC0415  (imports NumPy)

    variant, window, dupacks, timeout, method = case
    table = zorzi.sweep(
        variant, channels, window=window, dupacks=dupacks, timeout=timeout, method=method
    )
    names = [name for name in COLUMNS if name in table.columns]
    return [{name: float(table[name][row]) for name in names} for row in range(len(channels))]
