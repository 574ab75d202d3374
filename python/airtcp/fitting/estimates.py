"""Estimates of parameters of models: a value, its standard error, and a 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Scale: TypeAlias = Literal["identity", "log", "log above 1", "logit", "arcsine", "arcsine of root"]

NORMAL_95 = 1.959963984540054
_FLAT_ERROR = 50.0  # standard error on a scale without bounds, beyond which nothing is known

# Of each scale: to it, from it, and the derivative of the value by the place on the scale.
_SCALES: Mapping[Scale, tuple[Callable[[float], float], ...]] = {
    "identity": (lambda x: x, lambda t: t, lambda x: 1.0),
    "log": (math.log, math.exp, lambda x: x),
    "log above 1": (lambda x: math.log(x - 1.0), lambda t: 1.0 + math.exp(t), lambda x: x - 1.0),
    "logit": (
        lambda x: math.log(x / (1.0 - x)),
        lambda t: 0.5 * (1.0 + math.tanh(t / 2.0)),
        lambda x: x * (1.0 - x),
    ),
    "arcsine": (
        math.asin,
        lambda t: math.sin(min(max(t, -math.pi / 2.0), math.pi / 2.0)),
        lambda x: math.sqrt(1.0 - x * x),
    ),
    "arcsine of root": (
        lambda x: math.asin(math.sqrt(x)),
        lambda t: math.sin(min(max(t, 0.0), math.pi / 2.0)) ** 2,
        lambda x: 2.0 * math.sqrt(x * (1.0 - x)),
    ),
}


def to_scale(scale: Scale, value: float) -> float:
    """The place of a bounded parameter on a scale without bounds."""
    return _SCALES[scale][0](value)


def from_scale(scale: Scale, place: float) -> float:
    """The parameter at a place on its scale."""
    return _SCALES[scale][1](place)


@dataclass(frozen=True)
class Estimate:
    """A parameter as estimated.

    - `name`: as the model's formulas and the keys of a scenario have it;
    - `value`, `se`: the estimate and its standard error, in `unit` (`""`: none, `"s"`: seconds);
    - `low`, `high`: the 95 % interval, None where there is none;
    - `remark`: why there is no interval, or no standard error, a sentence without a full stop.
    """

    name: str
    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    remark: str = ""

    @classmethod
    def on_scale(
        cls, name: str, place: float, se: float, scale: Scale, *, unit: str = ""
    ) -> Estimate:
        """Make an estimate from a place on a scale, where it is nearly normal, and its error there.

        The interval is that of the scale, taken back, so it keeps within the parameter's bounds;
        the standard error is the first-order one (delta method).
        """
        _, back, slope = _SCALES[scale]
        value = back(place)
        if not math.isfinite(se) or se <= 0.0 or (scale != "identity" and se > _FLAT_ERROR):
            return cls(name, value, unit=unit, remark="the likelihood has no curvature there")
        low, high = back(place - NORMAL_95 * se), back(place + NORMAL_95 * se)
        return cls(name, value, abs(slope(value)) * se, low, high, unit)

    def covers(self, truth: float) -> bool:
        """True if the interval contains a value; without an interval it does not."""
        return self.low is not None and self.high is not None and self.low <= truth <= self.high

    def json(self) -> dict[str, Any]:
        """The estimate as JSON has it, without what cannot be given."""
        given: dict[str, Any] = {"name": self.name, "value": self.value}
        for name in ("se", "low", "high"):
            if (found := getattr(self, name)) is not None:
                given[name] = found
        return given | {"unit": self.unit} | ({"said": self.remark} if self.remark else {})
