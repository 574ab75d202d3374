"""Analysis of a scenario: the answers of analytic models for every point that they cover."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from airtcp.models import MODELS
from airtcp.models.path_analysis import analyse_path
from airtcp.scenario.scenario import scenario_of
from airtcp.support.progress import Advance, progress_bar

if TYPE_CHECKING:
    import pandas

    from airtcp.models import ScenarioModel
    from airtcp.scenario.scenario import Given, Point

COLUMNS = (
    "lower",
    "upper",
    "throughput",
    "transmissions_per_slot",
    "timeouts_per_slot",
    "fast_retransmits_per_slot",
    "error_bound",
)


def analyse(scenario: Given, *, progress: bool = False) -> pandas.DataFrame:
    """Answer every point of a scenario by its analytic model.

    On slots the model is that of the scenario's profile (`airtcp.models.MODELS`). On a path every
    formula of `airtcp.models.zoo` answers. Exact solutions take every usable core.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        The scenario, its content as dictionaries, or the name of its file.
    progress : bool, default False
        Show a bar with the time left on stderr.

    Returns
    -------
    pandas.DataFrame
        On slots a row per point: coordinates and `method`; `throughput`, in distinct packets
        delivered per slot, its bounds `lower` and `upper`, and for the exact method `error_bound`;
        `transmissions_per_slot`, `timeouts_per_slot`, `fast_retransmits_per_slot`; and `note`, the
        reason where the model does not cover a point, whose numbers are NaN.

        On a path a row per point and formula: coordinates, `model`, `throughput_pps` (packets/s),
        `goodput_bps` (bit/s), `within_range`, `remark` (values outside of the formula's range,
        effects that it leaves out) and `note`.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    KeyboardInterrupt
        On Ctrl-C.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": 0.1}
    >>> link = {"profile": "zorzi", "tcp": {"variant": "tahoe", "window": 3}, "channel": channel}
    >>> at.analyse(link)["throughput"].round(3).to_list()
    [0.095]
    """
    import pandas  # noqa: PLC0415  (slow to import)

    scenario = scenario_of(scenario)
    points = scenario.points()
    if scenario.family == "path":
        return analyse_path(points)
    rows = [
        {
            **point.coordinates,
            "method": point.method,
            **dict.fromkeys(COLUMNS, math.nan),
            "note": reason_without_answer(point),
        }
        for point in points
    ]
    covered = [index for index, row in enumerate(rows) if not row["note"]]
    with progress_bar(progress, "analysing", len(covered)) as advance:
        answers = _answers([points[index] for index in covered], advance)
    for index, answer in zip(covered, answers, strict=True):
        rows[index] |= answer
    return pandas.DataFrame(rows)


def reason_without_answer(point: Point) -> str:
    """The reason why there is no answer for `point`; empty if there is one."""
    model = model_of(point)
    if model is None:
        return f"no model answers for the profile {point.data['profile']}"
    return model.reason_not_covered(point)


def _answers(points: list[Point], advance: Advance) -> list[dict[str, Any]]:
    """The columns of each point; all points of a scenario have one profile."""
    model = model_of(points[0]) if points else None
    return [] if model is None else model.answers(points, advance)


def model_of(point: Point) -> ScenarioModel | None:
    """The model that answers for the point's profile, if any."""

    module = MODELS.get(point.data["profile"])
    return cast("ScenarioModel", module) if hasattr(module, "reason_not_covered") else None
