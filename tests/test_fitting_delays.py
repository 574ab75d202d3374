"""Laws of delays: resolution, estimates and intervals, correlation, the choice, tests, keys."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from airtcp.errors import InputError
from airtcp.fitting import delays_errors
from airtcp.fitting.delays import LAW_NAMES, fit_delays
from airtcp.fitting.delays_data import delay_cells, resolutions
from airtcp.fitting.delays_errors import parameter_estimates
from airtcp.fitting.delays_estimate import DelayLaw, neighbour_correlation
from airtcp.fitting.delays_laws import MarginalLaw, ShiftedGamma, ShiftedLogNormal
from airtcp.measured.measurement import LINK_LOSS, LOST, NO_DELAY, UNKNOWN, Packets

GAMMA = ShiftedGamma(40.0, 4.0, 10.0, has_free_base=True)
STEEP = ShiftedGamma(40.0, 0.8, 10.0, has_free_base=True)
LOG_NORMAL = ShiftedLogNormal(40.0, 10.0, 0.7, has_free_base=True)


def record(delay: NDArray[np.float64], unit: float = 0.1) -> Packets:
    """Packets one second apart, with these delays in ms, printed to a unit."""
    n = len(delay)
    return Packets(
        time=np.arange(n) * 10**9,
        fate=np.zeros(n, np.int8),
        delay=np.round(np.round(delay / unit) * unit * 1e6).astype(np.int64),
        size=np.zeros(n, np.int32),
        cause=np.full(n, UNKNOWN, np.int8),
        delays="round trip",
    )


def drawn(marginal: MarginalLaw, rho: float, n: int = 3000, seed: int = 1) -> NDArray[np.float64]:
    return DelayLaw(marginal, rho).simulate(np.random.default_rng(seed), n)


@pytest.mark.parametrize("marginal", [GAMMA, STEEP, LOG_NORMAL], ids=["gamma", "steep", "log"])
@pytest.mark.parametrize(("rho", "unit"), [(0.0, 0.1), (0.8, 0.1), (0.5, 1.0), (0.0, 0.001)])
def test_parameters_are_found_within_their_errors(
    marginal: MarginalLaw, rho: float, unit: float
) -> None:
    cells = delay_cells([record(drawn(marginal, rho), unit)])
    found = type(marginal).fit(cells, 0.0)
    law = DelayLaw(found, neighbour_correlation(found, cells) if rho else 0.0)
    truth = dict(zip(marginal.parameter_names, (marginal.first, marginal.second), strict=True))
    truth |= {"base": 40.0} | ({"correlation": rho} if rho else {})
    for estimate in parameter_estimates(law, cells):
        assert estimate.low is not None, estimate
        assert abs(estimate.value - truth.pop(estimate.name)) < 4.0 * estimate.se, estimate
    assert not truth


def test_errors_of_correlated_delays_are_those_of_simulated_records() -> None:
    found = []
    for seed in range(50):
        cells = delay_cells([record(drawn(GAMMA, 0.8, 1000, seed))])
        marginal = ShiftedGamma.fit(cells, 0.0)
        found.append(
            parameter_estimates(DelayLaw(marginal, neighbour_correlation(marginal, cells)), cells)
        )
    for place, name in ((2, "mean"), (3, "correlation")):
        assert found[0][place].name == name
        spread = np.std([estimates[place].value for estimates in found])
        assert spread == pytest.approx(
            np.median([estimates[place].se for estimates in found]), rel=0.35
        )


def test_covariances_over_time_are_those_of_means_of_long_records() -> None:
    """Of scores, and of the number of delays in the lowest cells; 1000 means of 200 delays."""
    law = DelayLaw(GAMMA, 0.8)
    cells = delay_cells([record(drawn(GAMMA, 0.8, 200_000))])
    every = delays_errors._all_possible_cells(GAMMA, cells)
    edge = float(cells.high[0])
    for values in (delays_errors._scores(GAMMA, every, edge), (every.high < 42.0)[:, None] * 1.0):
        centred = values - np.exp(GAMMA.log_cell_probabilities(every)) @ values
        place = np.searchsorted(every.high, cells.middles)[cells.cell]
        means = centred[np.minimum(place, len(centred) - 1)].reshape(1000, 200, -1).mean(axis=1)
        seen = np.sqrt(200.0 * np.mean(means**2, axis=0))
        found = np.sqrt(np.diag(delays_errors._long_run_covariance(law, cells, every, centred)))
        assert found == pytest.approx(seen, rel=0.1)


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_the_interval_of_a_base_that_the_lowest_delays_tell_is_as_wide_as_bases_scatter(
    rho: float,
) -> None:
    """Intervals of all that the lowest cell allows were half as wide again, or more than twice."""
    law = ShiftedGamma(40.0, 1.5, 10.0, has_free_base=True)
    found = []
    for seed in range(40):
        cells = delay_cells([record(drawn(law, rho, 3600, seed))])
        marginal = ShiftedGamma.fit(cells, 0.0)
        fitted = DelayLaw(marginal, neighbour_correlation(marginal, cells) if rho else 0.0)
        found.append(delays_errors.parameter_estimates(fitted, cells)[0])
    assert all(estimate.name == "base" for estimate in found)
    assert sum(estimate.covers(40.0) for estimate in found) >= 33  # of 40 at 95 %, once in 1000
    spread = np.std([estimate.value for estimate in found])
    assert np.mean([estimate.se for estimate in found]) == pytest.approx(spread, rel=0.35)


def test_the_law_that_made_the_data_is_chosen_and_not_rejected() -> None:
    for marginal, rho, name in (
        (LOG_NORMAL, 0.0, "log-normal"),
        (STEEP, 0.8, "autoregressive gamma"),
    ):
        fit = fit_delays(record(drawn(marginal, rho)), draws=39)
        assert fit.chosen.name == name, fit.why
        assert fit.chosen.is_accepted
        assert {model.name: model.is_accepted for model in fit.models}["gamma"] is False
        json.dumps(fit.json(), allow_nan=False)


def test_delays_of_no_such_law_are_rejected_by_every_test() -> None:
    rng = np.random.default_rng(2)
    delay = np.where(rng.random(3000) < 0.5, 40.0, 90.0) + rng.normal(0.0, 2.0, 3000)
    fit = fit_delays(record(delay), draws=39)
    assert not fit.is_accepted
    assert "no law fits" in fit.why


def test_resolution_is_that_of_each_power_of_ten_as_ping_prints() -> None:
    delay = np.array([9.87, 9.81, 9.9, 9.65, 9.99, 97.4, 94.5, 91.2, 90.1, 96.6, 122.0, 108.0])
    units = resolutions(np.round(delay * 1e6).astype(np.int64))
    assert units[:10].tolist() == [10_000] * 5 + [100_000] * 5
    assert units[10:].max() <= 1_000_000
    many = np.r_[delay, 111.0, 125.0, 131.0]
    assert resolutions(np.round(many * 1e6).astype(np.int64))[-1] == 1_000_000


def test_keys_are_half_the_base_and_the_law_of_what_is_above() -> None:
    fit = fit_delays(record(drawn(STEEP, 0.8)), draws=39)
    (delay, base, _), (jitter, law, said) = fit.hop_keys()
    assert (delay, jitter) == ("delay", "jitter")
    assert float(base.removesuffix("ms")) == pytest.approx(20.0, abs=0.1)
    assert law["kind"] == "autoregressive"
    assert law["marginal"]["kind"] == "gamma"
    assert law["correlation"] == pytest.approx(0.8, abs=0.05)
    assert "both ways" in said
    one_way = replace(record(drawn(STEEP, 0.8)), delays="one way")
    assert float(
        fit_delays(one_way, draws=39).hop_keys()[0][1].removesuffix("ms")
    ) == pytest.approx(40.0, abs=0.2)


def test_delays_of_a_queue_of_the_senders_own_tell_the_base_only() -> None:
    packets = record(drawn(GAMMA, 0.0))
    fate, cause = packets.fate.copy(), packets.cause.copy()
    fate[5], cause[5] = LOST, LINK_LOSS
    fit = fit_delays(replace(packets, fate=fate, cause=cause))
    assert fit.chosen is None
    ((key, _, _),) = fit.hop_keys()
    assert key == "delay"
    assert "own queue" in fit.why
    rng = np.random.default_rng(3)
    apart = rng.choice([1, 40], 2000) * 10**6
    apart = np.repeat(apart[::50], 50)
    sent = np.cumsum(apart)
    rising = np.where(apart == 10**6, 80.0, 40.0) + rng.gamma(2.0, 1.0, 2000)
    fit = fit_delays(replace(record(rising), time=sent))
    assert fit.chosen is None
    assert "rises with the rate" in fit.why


def test_delays_all_alike_have_no_jitter() -> None:
    fit = fit_delays(record(np.full(100, 30.0)))
    assert fit.hop_keys() == [("delay", "15ms", "half the base of the round trip")]
    json.dumps(fit.json(), allow_nan=False)


def test_few_delays_have_no_jitter() -> None:
    fit = fit_delays(record(np.arange(30.0, 40.0)))
    assert fit.hop_keys() == [("delay", "15ms", "half the base of the round trip")]
    assert "fewer than 20 delays (10 here)" in fit.why


@pytest.mark.parametrize("name", LAW_NAMES)
def test_a_law_that_is_asked_for_is_that_of_the_choice(name: str) -> None:
    packets = record(drawn(LOG_NORMAL, 0.3)[:600])
    free = fit_delays(packets, draws=39)
    assert [model.name for model in free.models] == list(LAW_NAMES)
    fit = fit_delays(packets, model=name, draws=39)
    assert fit.chosen is not None
    assert fit.chosen.json() == {model.name: model for model in free.models}[name].json()
    assert fit.models == (fit.chosen,)
    test = "does not reject it" if fit.chosen.is_accepted else "rejects it"
    assert fit.why.startswith(f"{name}, as asked for; a goodness-of-fit test {test} (p = ")


def test_a_law_that_cannot_be_fitted_is_refused_where_it_is_asked_for() -> None:
    with pytest.raises(InputError, match="delay: gamma cannot be fitted: no jitter is fitted to"):
        fit_delays(record(np.arange(30.0, 40.0)), model="gamma")
    packets = record(drawn(GAMMA, 0.0)[:600])
    apart = np.where(np.arange(600) % 2 == 0, packets.delay, NO_DELAY)
    alone = replace(packets, delay=apart)
    with pytest.raises(InputError, match="no two packets in a row have a delay"):
        fit_delays(alone, model="autoregressive gamma", draws=39)
    assert [model.name for model in fit_delays(alone, draws=39).models] == ["gamma", "log-normal"]
    with pytest.raises(InputError, match="did you mean 'log-normal'"):
        fit_delays(packets, model="lognormal")


def test_bad_input_has_one_clear_line() -> None:
    packets = record(np.full(100, 30.0))
    with pytest.raises(InputError, match="no delays"):
        fit_delays(replace(packets, delay=np.full(100, NO_DELAY)))
    with pytest.raises(InputError, match="all of one way"):
        fit_delays([packets, replace(packets, delays="one way")])
