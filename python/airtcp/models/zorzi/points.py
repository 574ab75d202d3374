"""Points of a scenario as cases of this model: the points that it covers, and its answers.

Left to the simulator: SACK with any method but "exact", window inflation, ACK delay and loss,
losses that are no two-state chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from airtcp.errors import InputError
from airtcp.models.zorzi.recovery import EXACT_ONLY, FAST_RECOVERY
from airtcp.models.zorzi.solver import exact_answer, sweep
from airtcp.support.at_once import run_in_parallel

if TYPE_CHECKING:
    from airtcp import _native
    from airtcp.scenario.scenario import Point

_ANALYSIS_COLUMNS = {  # of `airtcp.analyse`, from those of `sweep`
    "lower": "lower",
    "upper": "upper",
    "throughput": "throughput",
    "transmissions_per_slot": "transmissions",
    "timeouts_per_slot": "timeouts",
    "fast_retransmits_per_slot": "fast_retransmits",
    "error_bound": "error_bound",
}
_CHANNELS_AT_ONCE = 256
Case = tuple[Any, ...]
Answer = dict[str, Any]


def reason_not_covered(point: Point) -> str:
    """Give the reason why the model has no answer for a point.

    Parameters
    ----------
    point : Point
        Point of a scenario.

    Returns
    -------
    str
        The reason; empty if the model has an answer.

    Examples
    --------
    >>> import airtcp as at
    >>> from airtcp.models import zorzi
    >>> channel = {"kind": "iid", "loss_rate": 0.01}
    >>> document = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
    >>> zorzi.reason_not_covered(at.Scenario.from_dict(document).points()[0])
    ''
    """
    tcp, ack = point.data["tcp"], point.data["ack"]
    recovers = tcp["variant"] in FAST_RECOVERY
    exact = point.data["analysis"]["method"] == "exact"
    reasons = {
        'the model covers SACK only with analysis.method = "exact"': not exact
        and tcp["variant"] in EXACT_ONLY,
        "the model does not cover window inflation": tcp["inflation"] and recovers,
        "the model does not cover link layer that retransmits": "arq" in point.data["link"],
        "the model does not cover ACK delay": ack["delay"] > 0,
        "the model does not cover ACK loss": ack["loss_rate"] > 0,
        "the losses form no two-state chain on slots": point.two_state() is None,
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)


def answers(points: Sequence[Point], advance: Callable[[int], object]) -> list[Answer]:
    """Answer each of the points, all of which the model covers.

    Parameters
    ----------
    points : sequence of Point
        Points of a scenario.
    advance : callable
        Called with the number of points as they are finished.

    Returns
    -------
    list of Answer
        An answer per point; with a `note` if the solver refuses it.

    Examples
    --------
    >>> import airtcp as at
    >>> from airtcp.models import zorzi
    >>> channel = {"kind": "iid", "loss_rate": 0.01}
    >>> document = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
    >>> points = at.Scenario.from_dict(document).points()
    >>> len(zorzi.answers(points, lambda done: None))
    1
    """
    cases: dict[Case, list[int]] = {}
    for index, point in enumerate(points):
        cases.setdefault(_case_of_point(point), []).append(index)
    exact = [index for index, point in enumerate(points) if _case_of_point(point)[-1] == "exact"]
    solutions = run_in_parallel([partial(_exact_answer, points[index]) for index in exact], advance)
    answers_found = dict(zip(exact, solutions, strict=True))
    for case, places in cases.items():
        if case[-1] == "exact":
            continue
        for begin in range(0, len(places), _CHANNELS_AT_ONCE):
            part = places[begin : begin + _CHANNELS_AT_ONCE]
            answers_found |= zip(
                part, _answers_of_case(case, [points[index] for index in part]), strict=True
            )
            advance(len(part))
    return [answers_found[index] for index in range(len(points))]


def _case_of_point(point: Point) -> Case:
    """All inputs of the model besides the channel."""
    tcp = point.data["tcp"]
    keys = ("variant", "window", "dupacks", "timeout")
    return *(tcp[key] for key in keys), point.data["analysis"]["method"]


def _exact_answer(point: Point, cancel: _native.Cancel) -> Answer:
    channel = point.two_state()
    assert channel is not None  # the model covers it
    try:
        answer = exact_answer(_case_of_point(point)[:-1], channel, cancel)
    except InputError as refused:
        return {"note": str(refused)}
    return {name: answer[of] for name, of in _ANALYSIS_COLUMNS.items()}


def _answers_of_case(case: Case, points: list[Point]) -> list[Answer]:
    variant, window, dupacks, timeout, method = case
    channels = [channel for point in points if (channel := point.two_state()) is not None]
    try:
        table = sweep(
            variant, channels, window=window, dupacks=dupacks, timeout=timeout, method=method
        )
    except InputError as refused:
        return [{"note": str(refused)}] * len(points)
    columns = {name: table[of] for name, of in _ANALYSIS_COLUMNS.items() if of in table.columns}
    return [
        {name: float(column[row]) for name, column in columns.items()} for row in range(len(points))
    ]
