"""The two-state channel: its dialects, its closed forms, its estimator, what it refuses."""

from __future__ import annotations

import csv
import math
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import j0
from scipy.stats import ncx2, norm

from airtcp.errors import InputError
from airtcp.scenario.scenario import Scenario
from airtcp.scenario.two_state import TwoState

fixed = settings(derandomize=True, deadline=None, database=None, max_examples=100)
probability = st.floats(0.0, 1.0)


def table_one() -> list[dict[str, str]]:
    """Table I of [zorzi], one entry per row."""
    source = resources.files("airtcp") / "data" / "zorzi_table1.csv"
    lines = [line for line in source.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


@pytest.mark.parametrize("entry", table_one(), ids=lambda entry: "-".join(list(entry.values())[:3]))
def test_table_one_to_the_last_digit(entry: dict[str, str]) -> None:
    loss_rate = float(entry["loss_rate"])
    channel = TwoState.from_rayleigh(loss_rate=loss_rate, doppler=float(entry["doppler"]))
    values = {
        "margin_db": -10.0 * math.log10(-math.log1p(-loss_rate)),
        "p_gg": channel.p_gg,
        "p_bb": channel.p_bb,
        "mean_burst": channel.mean_burst,
    }
    published = entry["computed"] or entry["printed"]
    digits = len(published.split(".")[1])
    assert f"{values[entry['quantity']]:.{digits}f}" == published


def test_table_one_has_four_misprints_of_36() -> None:
    entries = table_one()
    assert len(entries) == 36
    assert sum(bool(entry["computed"]) for entry in entries) == 4


@pytest.mark.parametrize("loss_rate", [0.001, 0.01, 0.1, 0.5])
@pytest.mark.parametrize("doppler", [0.01, 0.08, 0.3, 0.64, 2.0])
def test_rayleigh_against_the_marcum_function(loss_rate: float, doppler: float) -> None:
    inverse_margin = -math.log1p(-loss_rate)
    rho = abs(float(j0(2.0 * math.pi * doppler)))
    theta2 = 2.0 * inverse_margin / (1.0 - rho**2)
    # Q1(a, b) is the survival function of a non-central chi square with 2 degrees of freedom
    difference = ncx2.sf(rho**2 * theta2, 2, theta2) - ncx2.sf(theta2, 2, rho**2 * theta2)
    p_bg = difference / math.expm1(inverse_margin)
    channel = TwoState.from_rayleigh(loss_rate=loss_rate, doppler=doppler)
    assert channel.p_bg == pytest.approx(p_bg, rel=1e-11)
    assert channel.p_gb == pytest.approx(p_bg * loss_rate / (1.0 - loss_rate), rel=1e-11)


def test_rayleigh_by_margin_or_by_loss_rate() -> None:
    margin = -10.0 * math.log10(-math.log1p(-0.01))
    by_margin = TwoState.from_rayleigh(fading_margin_db=margin, doppler=0.08)
    by_rate = TwoState.from_rayleigh(loss_rate=0.01, doppler=0.08)
    assert by_margin.p_gb == pytest.approx(by_rate.p_gb, rel=1e-12)
    assert by_margin.p_bg == pytest.approx(by_rate.p_bg, rel=1e-12)


def test_rayleigh_keeps_tiny_loss_rates() -> None:
    channel = TwoState.from_rayleigh(loss_rate=1e-9, doppler=0.01)
    assert channel.loss_rate == pytest.approx(1e-9, rel=1e-12)
    assert TwoState.from_rayleigh(loss_rate=0.0, doppler=0.01) == TwoState(p_gb=0.0, p_bg=1.0)


def test_independent_losses() -> None:
    channel = TwoState.iid(0.25)
    assert (channel.p_gb, channel.p_bb, channel.p_gg) == (0.25, 0.25, 0.75)
    assert channel.loss_rate == 0.25
    assert channel.correlation == 0.0
    assert TwoState.iid(1e-9).loss_rate == pytest.approx(1e-9, rel=1e-14)
    assert abs(TwoState.iid(1e-9).correlation) < 1e-16


@given(loss_rate=st.floats(1e-12, 0.99), stretch=st.floats(1.0, 1e6))
@fixed
def test_burst_round_trip(loss_rate: float, stretch: float) -> None:
    mean_burst = stretch * max(1.0, loss_rate / (1.0 - loss_rate))
    channel = TwoState.from_burst(loss_rate=loss_rate, mean_burst=mean_burst)
    assert channel.loss_rate == pytest.approx(loss_rate, rel=1e-12)
    assert channel.mean_burst == pytest.approx(mean_burst, rel=1e-12)


@given(p_gb=probability, p_bg=probability, n=st.integers(0, 60))
@fixed
def test_power_is_the_matrix_power(p_gb: float, p_bg: float, n: int) -> None:
    if p_gb == 0.0 and p_bg == 0.0:
        return
    channel = TwoState(p_gb=p_gb, p_bg=p_bg)
    one_step = np.array([[channel.p_bb, channel.p_bg], [channel.p_gb, channel.p_gg]])
    power = channel.power(n)
    assert power == pytest.approx(np.linalg.matrix_power(one_step, n), abs=1e-13)
    assert power.sum(axis=1) == pytest.approx([1.0, 1.0], abs=1e-15)


def test_power_of_extreme_channels() -> None:
    alternating = TwoState(p_gb=1.0, p_bg=1.0)
    assert np.array_equal(alternating.power(0), np.eye(2))
    assert np.array_equal(alternating.power(7), [[0.0, 1.0], [1.0, 0.0]])
    assert np.array_equal(TwoState.iid(0.5).power(0), np.eye(2))
    # p_BG(n) = n p_BG to first order, with the relative accuracy that 1 - lambda**n would lose
    slow = TwoState(p_gb=1e-14, p_bg=1e-13)
    assert slow.power(10)[0, 1] == pytest.approx(1e-12 * (1.0 - 4.5 * 1.1e-13), rel=1e-14)
    assert slow.power(10**18)[0, 0] == pytest.approx(slow.loss_rate, rel=1e-14)


def test_netem_dialect() -> None:
    channel = TwoState.from_netem(p=0.01, r=0.25)
    assert channel == TwoState(p_gb=0.01, p_bg=0.25)
    assert channel.netem() == "loss gemodel 1% 25%"
    assert channel.tc("wlan0") == "tc qdisc add dev wlan0 root netem loss gemodel 1% 25%"
    assert TwoState.from_netem(p=0.01) == TwoState(p_gb=0.01, p_bg=0.99)  # netem: r = 1 - p


def test_netem_when_the_losses_are_independent() -> None:
    mixed = TwoState.from_netem(p=0.2, r=0.8, h=0.5, k=0.9)
    assert mixed.loss_rate == pytest.approx(0.2 * 0.5 + 0.8 * 0.1, rel=1e-14)
    assert mixed.correlation == pytest.approx(0.0, abs=1e-15)
    equal = TwoState.from_netem(p=0.1, r=0.3, h=0.7, k=0.7)
    assert (equal.p_gb, equal.p_bg) == pytest.approx((0.3, 0.7), rel=1e-14)
    assert TwoState.from_netem(p=0.0, r=0.3, h=0.5, k=0.75) == TwoState.iid(0.25)
    assert TwoState.from_netem(p=0.1, r=0.3, h=1.0, k=0.0) == TwoState(p_gb=0.3, p_bg=0.1)


@pytest.mark.parametrize(
    ("table", "chain"),
    [
        ({"kind": "burst", "loss_rate": 0.9, "mean_burst": 9.0}, (1.0, 1.0 / 9.0)),
        ({"kind": "gilbert-elliott", "p": 0.1, "r": 0.3, "h": 1.0, "k": 0.0}, (0.3, 0.1)),
        ({"kind": "gilbert-elliott", "p": 0.0, "r": 0.3, "h": 0.5, "k": 0.75}, (0.25, 0.75)),
        ({"kind": "gilbert-elliott", "p": 0.7, "r": 0.3, "h": 0.5, "k": 0.9}, (0.38, 0.62)),
        ({"kind": "rayleigh-two-state", "doppler": 0.1, "loss_rate": 0.0}, (0.0, 1.0)),
    ],
)
def test_a_scenario_means_the_same_chain(table: dict, chain: tuple[float, float]) -> None:
    builders = {
        "burst": TwoState.from_burst,
        "gilbert-elliott": TwoState.from_netem,
        "rayleigh-two-state": TwoState.from_rayleigh,
    }
    given = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": table}
    (point,) = Scenario.from_dict(given).points()
    values = {name: value for name, value in table.items() if name != "kind"}
    built = builders[table["kind"]](**values)
    assert built == point.two_state()
    assert (built.p_gb, built.p_bg) == pytest.approx(chain, rel=1e-14)


def test_netem_refuses_hidden_states() -> None:
    with pytest.raises(InputError, match="do not tell the state"):
        TwoState.from_netem(p=0.1, r=0.3, h=0.5)


def test_prints_its_dialects() -> None:
    channel = TwoState(p_gb=0.01, p_bg=0.25)
    for text in (repr(channel), channel._repr_html_()):
        assert "loss gemodel 1% 25%" in text
        assert "0.0384615" in text  # the loss rate
    assert "\n" not in repr(channel)


def test_negative_zero_is_zero() -> None:
    channel = TwoState(p_gb=-0.0, p_bg=0.25)
    assert math.copysign(1.0, channel.p_gb) == 1.0
    assert repr(channel) == repr(TwoState(p_gb=0.0, p_bg=0.25))
    assert repr(channel).startswith("TwoState(p_gb=0, ")
    assert TwoState(p_gb=np.float32(0.5), p_bg=1) == TwoState(p_gb=0.5, p_bg=1.0)


def test_fit_counts() -> None:
    fit = TwoState.fit([0, 0, 1, 1, 0, 1, 0, 0])
    assert fit.transitions.tolist() == [[1, 2], [2, 2]]
    assert (fit.p_gb, fit.p_bg) == (0.5, pytest.approx(2 / 3))
    assert fit.p_gb_se == pytest.approx(math.sqrt(0.25 / 4))
    assert "7 transitions" in repr(fit)


def simulate(channel: TwoState, steps: int, seed: int) -> np.ndarray:
    draws = np.random.default_rng(seed).random(steps)
    state, losses = False, np.empty(steps, dtype=bool)
    for step, draw in enumerate(draws.tolist()):
        state = draw < (channel.p_bb if state else channel.p_gb)
        losses[step] = state
    return losses


def test_fit_covers_the_truth() -> None:
    """Two-sided confidence 99.9 % for each of three parameters, fixed seed."""
    channel = TwoState.from_burst(loss_rate=0.05, mean_burst=4.0)
    fit = TwoState.fit(simulate(channel, 200_000, seed=11))
    reach = norm.ppf(0.9995)
    assert abs(fit.p_gb - channel.p_gb) < reach * fit.p_gb_se
    assert abs(fit.p_bg - channel.p_bg) < reach * fit.p_bg_se
    assert abs(fit.loss_rate - channel.loss_rate) < reach * fit.loss_rate_se


def test_fit_standard_errors() -> None:
    """The scatter of 100 fits lies within the 99.9 % range of its stated size, fixed seeds."""
    channel = TwoState.from_burst(loss_rate=0.1, mean_burst=3.0)
    fits = [TwoState.fit(simulate(channel, 4000, seed)) for seed in range(100)]
    for name in ("p_gb", "p_bg", "loss_rate"):
        scatter = np.std([getattr(fit, name) for fit in fits], ddof=1)
        stated = np.mean([getattr(fit, f"{name}_se") for fit in fits])
        # the standard deviation of 100 normal values is within 24 % of the truth (chi square)
        assert scatter == pytest.approx(stated, rel=0.24)


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([0], "at least 2 steps"),
        ([[0, 1], [1, 0]], "one-dimensional"),
        ([0, 1, 2], "only 0"),
        ([0.0, 0.5], "only 0"),
        (["a", "b"], "only 0"),
        ([0, 1, [1]], "one list of 0"),
        (None, "one-dimensional"),
        ([0, 0, 0, 1], "after a loss"),
        ([1, 1, 1, 0], "after a delivery"),
    ],
)
def test_fit_refuses(losses: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TwoState.fit(losses)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TwoState(p_gb=1.5, p_bg=0.1), "p_gb = 1.5"),
        (lambda: TwoState(p_gb=0.1, p_bg=-0.1), "p_bg = -0.1"),
        (lambda: TwoState(p_gb=math.nan, p_bg=0.1), "p_gb = nan"),
        (lambda: TwoState(p_gb="x", p_bg=0.1), "p_gb = 'x'"),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb="0.1", p_bg=0.1), "p_gb = '0.1'"),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb=True, p_bg=0.1), "p_gb = True"),
        (lambda: TwoState(p_gb=np.bool_(True), p_bg=0.1), "p_gb = "),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb=10**400, p_bg=0.1), r"p_gb = 10+\.\.\.: must be"),
        (lambda: TwoState(p_gb=10**9999, p_bg=0.1), "p_gb = <int>: must be"),
        (lambda: TwoState(p_gb=None, p_bg=0.1), "p_gb = None"),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb=[0.1], p_bg=0.1), r"p_gb = \[0.1\]"),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb=1j, p_bg=0.1), "p_gb = 1j"),  # type: ignore[arg-type]
        (lambda: TwoState(p_gb=0.0, p_bg=0.0), "must not both be 0"),
        (lambda: TwoState.iid(2.0), "loss_rate = 2.0"),
        (lambda: TwoState.from_burst(loss_rate=1.0, mean_burst=9.0), "loss_rate = 1.0"),
        (lambda: TwoState.from_burst(loss_rate=0.1, mean_burst=0.5), "at least 1 "),
        (lambda: TwoState.from_burst(loss_rate=0.9, mean_burst=2.0), "at least 9 "),
        (lambda: TwoState.from_burst(loss_rate=0.1, mean_burst=math.inf), "mean_burst = inf"),
        (
            lambda: TwoState.from_rayleigh(loss_rate=0.1, doppler=0.0),
            "doppler: 0.0 is not a number from",
        ),
        (
            lambda: TwoState.from_rayleigh(loss_rate=0.1, doppler=1e-200),
            "doppler: 1e-200 is not a number from 0.000000001 to 1000",
        ),
        (
            lambda: TwoState.from_rayleigh(loss_rate=0.1, doppler=1001.0),
            "doppler: 1001.0 is not a number from 0.000000001 to 1000",
        ),
        (
            lambda: TwoState.from_rayleigh(fading_margin_db=-4000.0, doppler=0.1),
            "fading_margin_db: -4000.0 is not a number from -20 to 200",
        ),
        (
            lambda: TwoState.from_rayleigh(fading_margin_db=201, doppler=0.1),
            "margin_db: 201.0 is not a number from",
        ),
        (lambda: TwoState.from_rayleigh(loss_rate=1.0, doppler=0.1), "no fading margin"),
        (lambda: TwoState.from_rayleigh(loss_rate=0.1, doppler=math.nan), "doppler = nan"),
        (lambda: TwoState.from_rayleigh(loss_rate=1.5, doppler=0.1), "loss_rate = 1.5"),
        (lambda: TwoState.from_netem(p=0.0, r=0.0), "r: p and r are both 0"),
        (lambda: TwoState.from_rayleigh(doppler=0.1), "exactly one"),
        (
            lambda: TwoState.from_rayleigh(loss_rate=0.1, fading_margin_db=20.0, doppler=0.1),
            "exactly one",
        ),
        (lambda: TwoState.iid(0.5).power(-1), "n = -1"),
        (lambda: TwoState.iid(0.5).power(2**63), "n = 9223372036854775808"),
        (lambda: TwoState.iid(0.5).power(1.5), "n = 1.5"),  # type: ignore[arg-type]
    ],
)
def test_refuses(build, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        build()
    assert "\n" not in str(refused.value)
