"""Laws of sojourns: estimates, intervals, censoring and truncation, the choice, the tests."""

import json

import numpy as np
import pytest

from airtcp.errors import InputError
from airtcp.fitting.sojourns import SojournFit, fit_sojourns
from airtcp.fitting.sojourns_laws import (
    Exponential,
    HyperExponential,
    Law,
    Lengths,
    LogNormal,
    Pareto,
    seconds_text,
)
from airtcp.fitting.sojourns_tests import fit_test

TRUTHS: tuple[tuple[Law, dict[str, float]], ...] = (
    (Exponential(2.0), {"mean": 2.0}),
    (Pareto(0.5, 1.5), {"min": 0.5, "shape": 1.5}),
    (LogNormal(2.0, 1.0), {"median": 2.0, "sigma": 1.0}),
    (
        HyperExponential(0.6, 0.2, 3.0),
        {"weights[0]": 0.6, "means[0]": 0.2, "means[1]": 3.0},
    ),
)


def fitted(law: Law, *, n: int = 500, limit: float = np.inf, least: float = 0.0) -> SojournFit:
    lengths = law.simulate_seen(np.random.default_rng(7), n, least)
    return fit_sojourns(
        np.minimum(lengths, limit), censored=lengths > limit, least=least, seed=1, draws=39
    )


@pytest.mark.parametrize(
    ("law", "truth"), TRUTHS, ids=lambda parameter: getattr(parameter, "name", "")
)
@pytest.mark.parametrize(("limit", "least"), [(np.inf, 0.0), (4.0, 0.0), (np.inf, 0.1)])
def test_the_law_that_made_the_data_is_chosen_and_its_parameters_are_found(
    law: Law, truth: dict[str, float], limit: float, least: float
) -> None:
    fit = fitted(law, limit=limit, least=least)
    assert fit.chosen.name == law.name
    assert fit.chosen.is_accepted
    assert [parameter.name for parameter in fit.chosen.parameters] == list(truth)
    for parameter in fit.chosen.parameters:
        assert parameter.low < parameter.high
        assert abs(parameter.value - truth[parameter.name]) < 4.0 * parameter.se, parameter
    json.dumps(fit.json(), allow_nan=False)


def test_intervals_without_closed_forms_are_those_of_simulated_records() -> None:
    law = LogNormal(2.0, 1.0)
    rng = np.random.default_rng(3)
    found = []
    for _ in range(200):
        lengths = law.simulate(rng, 200)
        data = Lengths(np.minimum(lengths, 3.0), lengths > 3.0)
        found.append(LogNormal.fit(data).estimates(data))
    for place in range(2):
        values = [estimates[place].value for estimates in found]
        errors = [estimates[place].se for estimates in found]
        assert np.std(values) == pytest.approx(np.mean(errors), rel=0.15)


def test_intervals_of_few_log_normal_lengths_are_exact() -> None:
    """Of ten lengths, intervals by the curvature of the likelihood cover 90 %."""
    law, rng, none = LogNormal(2.0, 1.0), np.random.default_rng(5), np.zeros(10, bool)
    covered = np.zeros(2)
    for _ in range(1000):
        data = Lengths(law.simulate(rng, 10), none)
        median, sigma = LogNormal.fit(data).estimates(data)
        covered += [median.covers(2.0), sigma.covers(1.0)]
    assert (abs(covered / 1000 - 0.95) < 0.023).all()  # once in 1000


@pytest.mark.parametrize("law", [law for law, _ in TRUTHS], ids=lambda parameter: parameter.name)
def test_density_survival_and_draws_are_of_one_law(law: Law) -> None:
    x = np.geomspace(0.01, 50.0, 20001)
    slope = -np.gradient(np.exp(law.log_survival(x)), x)
    inside = np.abs(x - 0.5) > 0.01  # where Pareto's law begins
    np.testing.assert_allclose(slope[inside], np.exp(law.log_density(x))[inside], atol=2e-3)
    drawn = np.sort(law.simulate(np.random.default_rng(5), 40_000))
    steps = np.arange(1, 40_001) / 40_000
    assert np.abs(law.cdf(drawn) - steps).max() < 1.63 / np.sqrt(40_000)  # Kolmogorov, 1 %


def test_a_law_of_none_of_the_families_is_rejected_by_every_test() -> None:
    lengths = np.random.default_rng(1).uniform(1.0, 2.0, 300)
    fit = fit_sojourns(lengths, draws=39)
    assert not fit.is_accepted
    assert "no law fits" in fit.why


def test_the_test_of_a_true_law_has_its_level() -> None:
    rejected = 0
    for seed in range(100):
        lengths = np.random.default_rng(seed).exponential(1.0, 40)
        lengths = np.maximum(np.round(lengths / 0.05), 1) * 0.05
        data = Lengths(lengths, np.zeros(40, bool))
        rejected += (
            fit_test(Exponential.fit(data), data, 0.05, np.random.default_rng(seed), 19) <= 0.05
        )
    assert 0 < rejected <= 11  # 5 expected; more than 11 once in 200


def test_the_likelihood_of_pareto_left_out_is_that_of_a_law() -> None:
    law = Pareto(0.5, 1.5)
    data = Lengths(law.simulate(np.random.default_rng(2), 50), np.zeros(50, bool))
    found = Pareto.fit(data)
    x = np.geomspace(1e-4, 1e6, 400_001)
    test = Lengths(x, np.zeros(len(x), bool))
    density = np.exp(found.held_out_log_likelihoods(data, test))
    assert np.trapezoid(density, x) == pytest.approx(1.0, abs=1e-3)
    beyond = np.exp(
        found.held_out_log_likelihoods(data, Lengths(np.array([0.4, 2.0]), np.ones(2, bool)))
    )
    for start, share in zip((0.4, 2.0), beyond, strict=True):
        assert np.trapezoid(density[x >= start], x[x >= start]) == pytest.approx(share, abs=1e-3)


def test_tables_are_those_of_a_scenario() -> None:
    assert [law.scenario_table() for law, _ in TRUTHS] == [
        {"kind": "exponential", "mean": "2s"},
        {"kind": "pareto", "shape": 1.5, "min": "500ms"},
        {"kind": "log-normal", "median": "2s", "sigma": 1.0},
        {"kind": "hyper-exponential", "weights": [0.6, 0.4], "means": ["200ms", "3s"]},
    ]
    assert Pareto(0.5, 0.9).scenario_table() is None
    assert [seconds_text(seconds) for seconds in (1234.56, 0.0002, 4e-7, 1e-12)] == [
        "1235s",
        "200us",
        "400ns",
        "1ns",
    ]


@pytest.mark.parametrize(
    ("lengths", "options", "said"),
    [
        ([1.0, 2.0], {}, "at least 5 are needed"),
        ([1.0, 2.0, 3.0, 4.0, -5.0], {}, "above 0"),
        ([1.0] * 5 + [np.nan], {}, "finite"),
        ([1.0] * 5, {"censored": [True]}, "must be lists of equal length"),
        ([1.0] * 5, {"least": 2.0}, "least = 2.0"),
        ([1.0] * 5, {"resolution": -1.0}, "resolution"),
        ([1.0] * 5, {"draws": 3}, "draws"),
    ],
)
def test_bad_input_has_one_clear_line(lengths: list[float], options: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        fit_sojourns(lengths, **options)
