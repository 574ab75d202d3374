"""The stop condition asked for: a number of replications, or a precision to reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from airtcp.campaign.loop import FixedReplications, Rule, Values
from airtcp.errors import InputError, real_number, refusal, whole_number
from airtcp.metrics.absent import check_metric
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import metrics_of
from airtcp.metrics.records import metrics_of_records
from airtcp.scenario.scenario import Scenario
from airtcp.stats import Precision
from airtcp.support.seeds import MOST_REPLICATIONS


class StopCondition(NamedTuple):
    """The condition for enough replications; `metric` is the one that `rule` looks at, if any."""

    rule: Rule
    metric: str = ""

    @property
    def options(self) -> list[str]:
        """The options of the command line that ask for this."""
        if isinstance(self.rule, FixedReplications):
            return ["--replications", str(self.rule.least)]
        assert isinstance(self.rule, UntilPrecise)
        return ["--precision", f"{self.rule.precision.relative:g}", "--metric", self.metric]

    def to_dict(self) -> dict[str, Any]:
        """The condition as it is kept beside results: the number, or the precision."""
        if isinstance(self.rule, FixedReplications):
            return {"replications": self.rule.least, "precision": None}
        assert isinstance(self.rule, UntilPrecise)
        return {"replications": None, "precision": self.rule.to_dict() | {"metric": self.metric}}


@dataclass(frozen=True)
class UntilPrecise:
    """The rule that runs a point until the mean of every flow is precise enough."""

    precision: Precision

    @property
    def least(self) -> int:
        """Replications that every point needs."""
        return self.precision.least

    def replications_needed(self, n: int, values: Values) -> int:
        """Number of replications that the flow with the largest scatter needs."""
        return max(self.precision.next_runs(value[:n]) for value in values())

    def to_dict(self) -> dict[str, Any]:
        """The keys of stop.precision."""
        return asdict(self.precision)


def stop_rule(
    scenario: Scenario,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | None = None,
) -> StopCondition:
    """The condition that the caller sets, or else the scenario. Raises `InputError`."""
    asked: Mapping[str, Any] | None = scenario.points()[0].data["stop"].get("precision")
    if replications is not None and precision is not None:
        raise InputError("replications and precision: give only one of them")
    if metric is not None and precision is None and (replications is not None or asked is None):
        raise refusal("metric", metric, "given together with a precision")
    if precision is not None:
        asked = {**(asked or {}), "relative": _relative_precision(precision)}
    if replications is not None or asked is None:
        runs = scenario.replications if replications is None else replications
        return StopCondition(
            FixedReplications(whole_number("replications", runs, 1, MOST_REPLICATIONS))
        )
    known = metrics_of(scenario.family, layout_of(scenario.points()[0]).names)
    name = metric or asked.get("metric") or next(iter(known))
    field = "metric" if metric is not None else "stop.precision.metric"
    name = check_metric(field, name, scenario.family, known)
    options = {key: asked[key] for key in ("confidence", "least", "most") if key in asked}
    return StopCondition(UntilPrecise(Precision(relative=asked["relative"], **options)), name)


def metrics_shown_and_stopped_on(
    scenario: Scenario,
    replications: int | None,
    precision: float | None,
    metrics: str | Sequence[str] | None,
    links: bool = False,
) -> tuple[tuple[str, ...], str | None]:
    """The metrics that a caller wants to see, and which of them a precision is about, if any.

    With `links` the metrics of links and cross-traffic are among them; a precision is about the
    first metric of flows. Raises `InputError` for a name that no metric has.
    """
    named = [metrics] if isinstance(metrics, str) else metrics or ()
    if not isinstance(named, Sequence) or not all(isinstance(name, str) for name in named):
        raise refusal("metric", metrics, "the name of a metric, or several")
    known = metrics_of(scenario.family, layout_of(scenario.points()[0]).names)
    all_metrics = {**known, **(metrics_of_records(scenario.points()[0].data) if links else {})}
    metrics_named = (
        check_metric("metric", name, scenario.family, all_metrics, links) for name in named
    )
    names = tuple(dict.fromkeys(metrics_named))
    stated = replications is None and scenario.points()[0].data["stop"].get("precision")
    if not names or (precision is None and not stated):
        return names, None
    of_flows = [name for name in names if name in known]
    if not of_flows and precision is not None:
        allowed = f"one of flows, such as {next(iter(known))}, where a precision is asked"
        raise refusal("metric", names[0], allowed)
    return names, next(iter(of_flows), None)


def _relative_precision(precision: float) -> float:
    allowed = "a share above 0 and below 1, such as 0.01"
    value = real_number("precision", precision, allowed)
    if not 0.0 < value < 1.0:
        raise refusal("precision", precision, allowed)
    return value
