"""Estimates with intervals: scales of parameters, and what is said where there is none."""

import math

import pytest

from airtcp.fitting.estimates import Estimate, from_scale, to_scale


@pytest.mark.parametrize(
    ("scale", "value"),
    [
        ("identity", -3.0),
        ("log", 0.2),
        ("log above 1", 1.4),
        ("logit", 0.03),
        ("arcsine", -0.7),
        ("arcsine of root", 0.1),
    ],
)
def test_scales_have_inverses_and_their_slopes(scale: str, value: float) -> None:
    place = to_scale(scale, value)
    assert from_scale(scale, place) == pytest.approx(value, rel=1e-12)
    step = 1e-6
    slope = (from_scale(scale, place + step) - from_scale(scale, place - step)) / (2 * step)
    estimate = Estimate.on_scale("x", place, 0.01, scale)
    assert estimate.se == pytest.approx(abs(slope) * 0.01, rel=1e-6)


def test_an_interval_keeps_within_the_bounds_of_its_parameter() -> None:
    estimate = Estimate.on_scale("p", to_scale("logit", 0.01), 2.0, "logit")
    assert 0.0 < estimate.low < 0.01 < estimate.high < 1.0
    assert estimate.covers(0.1)
    assert not estimate.covers(0.99)


def test_without_curvature_there_is_no_interval_and_the_reason_is_said() -> None:
    assert Estimate.on_scale("mean", 0.0, 1e4, "log").low is None
    estimate = Estimate.on_scale("mean", 0.0, math.nan, "log", unit="s")
    assert estimate.value == 1.0
    assert not estimate.covers(1.0)
    assert estimate.json() == {
        "name": "mean",
        "value": 1.0,
        "unit": "s",
        "said": "the likelihood has no curvature there",
    }
