"""Analysis of packets on a path: the answer of every formula of the zoo at every point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airtcp.models.zoo import ZOO
from airtcp.models.zoo.path import conditions_of_point

if TYPE_CHECKING:
    import pandas

    from airtcp.models.zoo import Conditions, Model
    from airtcp.scenario.scenario import Point

ANSWER_COLUMNS = ("throughput_pps", "goodput_bps")  # metrics
MODEL_COLUMNS = ("model", *ANSWER_COLUMNS, "within_range", "remark", "note")


def analyse_path(points: Sequence[Point]) -> pandas.DataFrame:
    """A row for every point and every model: coordinates and `MODEL_COLUMNS`.

    - `model`: its name in `airtcp.models.zoo.ZOO`;
    - `throughput_pps`, `goodput_bps`: in the long run; NaN where it does not answer;
    - `within_range`: true if the point is where the model was found accurate; `remark`: values
      outside of that range, and effects that the model leaves out;
    - `note`: the reason why it does not answer; "" if it does.
    """
    import pandas  # noqa: PLC0415  (slow to import)

    rows = []
    for point in points:
        found = conditions_of_point(point)
        for model in ZOO.values():
            columns = (
                _columns_without_answer(found)
                if isinstance(found, str)
                else _model_columns(model, found.conditions)
            )
            if not isinstance(found, str) and not columns["note"]:
                left_out = (model.missing_aspect(found.conditions), *found.notes)
                columns["remark"] = "; ".join(filter(None, (columns["remark"], *left_out)))
            rows.append({**point.coordinates, "model": model.name, **columns})
    return pandas.DataFrame(rows)


def _model_columns(model: Model, at: Conditions) -> dict[str, Any]:
    covered = model.answer_or_refusals(at)
    if isinstance(covered, str):
        return _columns_without_answer(covered)
    return {
        "throughput_pps": covered.throughput,
        "goodput_bps": covered.throughput * 8.0 * at.mss,
        "within_range": not covered.outside,
        "remark": "; ".join(covered.outside),
        "note": "",
    }


def _columns_without_answer(why: str) -> dict[str, Any]:
    nothing = dict.fromkeys(ANSWER_COLUMNS, math.nan)
    return {**nothing, "within_range": False, "remark": "", "note": why}


def reasons_without_answer(analysis: pandas.DataFrame, points: int) -> list[str]:
    """For each point, the reason why no model answers; "" where one does."""
    each = len(analysis) // points
    notes = [analysis["note"].iloc[first : first + each] for first in range(0, len(analysis), each)]
    models = analysis["model"]
    return ["" if "" in set(note) else _join_notes(note, models[note.index]) for note in notes]


def _join_notes(notes: pandas.Series[str], models: pandas.Series[str]) -> str:
    each = zip(models, notes, strict=True)
    reasons = dict.fromkeys((reason, name) for name, note in each for reason in note.split("; "))
    # Of the models that are made for such a point it says more than of the others.
    nearest = dict.fromkeys(why for why, _ in reasons if not why.startswith("the model "))
    return "; ".join(nearest or _fewest_reasons(reasons))


def _fewest_reasons(reasons: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A reason for every model, chosen in turn as the one that most remaining models share."""
    left: dict[str, list[str]] = {}
    for reason, name in reasons:
        left.setdefault(reason, []).append(name)
    while left:
        reason, names = max(left.items(), key=lambda item: len(item[1]))
        *first, last = names
        who = f"each of {', '.join(first)} and {last}" if first else last
        yield reason.replace("the model", who, 1)
        other_reasons = {
            why: [name for name in of if name not in names] for why, of in left.items()
        }
        left = {reason_left: of for reason_left, of in other_reasons.items() if of}
