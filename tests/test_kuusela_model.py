"""The models of [kuusela]: reference values, routes that agree, the order of laws, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate, stats

from airtcp.errors import InputError
from airtcp.models import MODELS, kuusela
from airtcp.models.kuusela import loss_corrected_capacity, markov_renewal, p_model, renewal
from airtcp.models.kuusela.goodput import stationary

BITS = 576 * 8
HALF = [[0.5, 0.5], [0.5, 0.5]]
FIG5 = {"rtt": 0.72, "capacity": 40e3 / BITS}


def fixed(examples: int) -> settings:
    return settings(derandomize=True, deadline=None, database=None, max_examples=examples)


def link(rate: float) -> dict[str, float]:
    """R and C_max of Figs. 3 and 4: 100 ms one way and the transmission of a packet."""
    return {"rtt": 0.2 + BITS / rate, "capacity": rate / BITS}


def packets(t: NDArray[np.float64] | float, spike: float, rtt: float, capacity: float) -> Any:
    """A(T) by the paper's three cases, X(SD) = 1 [kuusela eq. 3]."""
    k = math.log(2.0) / rtt
    climb = rtt * math.log2(capacity)
    u = np.asarray(t, dtype=float) - spike
    rising = (np.exp2(np.clip(u, 0.0, climb) / rtt) - 1.0) / k
    return rising + capacity * np.maximum(u - climb, 0.0)


# intervals, spike, rate in bit/s: renewal model and P-model, bit/s
FIGS_3_AND_4 = [
    (20, 7.5, 40e3, 23839, 23671),
    (60, 7.5, 40e3, 34613, 34531),
    (60, 7.5, 100e3, 86244, 86074),
    (60, 3.0, 40e3, 37613, 37524),
]


@pytest.mark.parametrize(("mean", "spike", "rate", "random", "simple"), FIGS_3_AND_4)
def test_values_of_figs_3_and_4(
    mean: float, spike: float, rate: float, random: float, simple: float
) -> None:
    uniform = stats.uniform(10.0, 2.0 * mean - 20.0)
    assert renewal(uniform, spike=spike, **link(rate)) * BITS == pytest.approx(random, abs=1.0)
    found = p_model(mean_interval=mean, spike=spike, **link(rate))
    assert found * BITS == pytest.approx(simple, abs=1.0)


# mean interval: exponential, Pareto I, uniform, modulated, P-model
FIG_5 = [
    (15, 26268, 23835, 23131, 28459, 22641),
    (30, 32405, 31566, 31566, 33191, 31227),
    (100, 37549, 37470, 37470, 37642, 37348),
]


@pytest.mark.parametrize("row", FIG_5, ids=lambda row: str(row[0]))
def test_values_of_fig_5(row: tuple[float, ...]) -> None:
    mean = row[0]
    laws = (
        stats.expon(scale=mean),
        stats.pareto(1.5, scale=mean / 3.0),
        stats.uniform(mean - 5.0, 10.0),
    )
    found = [renewal(law, spike=5.0, **FIG5) for law in laws]
    states = [stats.expon(scale=0.25 * mean), stats.expon(scale=1.75 * mean)]
    found.append(markov_renewal(states, transition=HALF, spike=5.0, **FIG5))
    found.append(p_model(mean_interval=mean, spike=5.0, **FIG5))
    assert np.array(found) * BITS == pytest.approx(row[1:], abs=1.0)


LAWS = {
    "exponential": stats.expon(scale=9.0),
    "shifted exponential": stats.expon(2.0, 7.0),
    "gamma": stats.gamma(0.4, scale=20.0),
    "lognormal": stats.lognorm(1.2, scale=6.0),
    "pareto": stats.pareto(1.5, scale=3.0),
    "lomax": stats.lomax(1.5, scale=5.0),
    "uniform": stats.uniform(4.0, 6.0),
    "histogram": stats.rv_histogram(([3, 0, 5, 1], [0.0, 4.0, 5.0, 8.0, 40.0]), density=False),
    "poisson": stats.poisson(9.0),
    "listed": stats.rv_discrete(values=([3.5, 7.25, 30.0], [0.5, 0.25, 0.25])),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_integral_is_the_mean_over_simulated_intervals(name: str) -> None:
    law, net = LAWS[name], {"spike": 5.0, **FIG5}
    draws = law.rvs(size=400_000, random_state=np.random.default_rng(1))
    # A - G T has mean 0: its standard error, 4.5 of which no seed exceeds once in 10^5
    found = renewal(law, **net)
    excess = packets(draws, **net) - found * draws
    if name in ("pareto", "lomax"):  # infinite variance: C T - A is bounded, and E[T] is known
        lost = FIG5["capacity"] * draws - packets(draws, **net)
        excess = FIG5["capacity"] * law.mean() - lost - found * law.mean()
    error = excess.std() / math.sqrt(draws.size)
    assert abs(excess.mean()) < 4.5 * error
    assert error < 0.01 * found * law.mean()


@pytest.mark.parametrize(
    "mean", [0.3, 1.0, 0.72 / math.log(2.0), 0.72 / math.log(2.0) + 1e-9, 15.0, 1e4]
)
def test_exponential_intervals_in_closed_form_and_by_integration(mean: float) -> None:
    net = {"spike": 5.0, **FIG5}
    closed = renewal(stats.expon(scale=mean), **net)
    assert renewal(stats.gamma(1.0, scale=mean), **net) == pytest.approx(closed, rel=1e-10)
    direct, _ = integrate.quad(
        lambda y: packets(5.0 + mean * y, **net) * math.exp(-y),
        *(0.0, 60.0),
        points=[0.72 * math.log2(FIG5["capacity"]) / mean, 1.0],
        limit=200,
        epsabs=0.0,
        epsrel=1e-11,
    )
    assert closed == pytest.approx(math.exp(-5.0 / mean) * direct / mean, rel=1e-8)


def test_the_printed_closed_form() -> None:
    rtt, limit = FIG5["rtt"], FIG5["capacity"]
    for mean in (2.0, 15.0, 100.0):
        ratio, ln2 = rtt / mean, math.log(2.0)
        printed = math.exp(-5.0 / mean) * (ratio - ln2 * limit ** (1.0 - ratio / ln2))
        found = renewal(stats.expon(scale=mean), spike=5.0, **FIG5)
        assert found == pytest.approx(printed / (ratio - ln2), rel=1e-11)


def test_the_printed_per_packet_formula_with_its_parenthesis() -> None:
    rtt, limit, spike = 0.72, 40e3 / BITS, 5.0
    ln2, ln4 = math.log(2.0), math.log(4.0)
    threshold = ln4 / (rtt * (2.0 * limit - math.sqrt(2.0)))
    for p in (2.0, 1.01 * threshold):
        grown = rtt * math.log(1.0 + math.sqrt(2.0) * ln2 / (p * rtt)) + spike * ln2
        assert p_model(p, spike=spike, **FIG5) == pytest.approx(ln2 / (p * grown), rel=1e-12)
    for p in (0.99 * threshold, 1e-4):
        climb = p * rtt * (math.sqrt(2.0) + limit * (ln2 - 2.0 + 2.0 * math.log(limit)))
        whole = limit * ln4 / (ln4 + climb + spike * p * limit * ln4)
        assert p_model(p, spike=spike, **FIG5) == pytest.approx(whole, rel=1e-12)
    below, above = (p_model(threshold * x, spike=spike, **FIG5) for x in (1 - 1e-9, 1 + 1e-9))
    assert below == pytest.approx(above, rel=1e-8)


def test_intervals_that_outlast_spike_and_climb_matter_by_their_mean_only() -> None:
    rtt, limit = FIG5["rtt"], FIG5["capacity"]
    delay = rtt * math.log2(limit) - rtt / math.log(2.0) * (1.0 - 1.0 / limit)
    expected = limit * (1.0 - (5.0 + delay) / 40.0)
    alike = [40.0, [20.0, 60.0], stats.uniform(20.0, 40.0), stats.pareto(2.0, scale=20.0)]
    for intervals in alike:
        assert renewal(intervals, spike=5.0, **FIG5) == pytest.approx(expected, rel=1e-12)


def test_tiny_goodput_keeps_its_digits() -> None:
    # lognormal: int_0^inf of the quantile, written with the normal law, as a reference
    net = {"spike": 50.0, **FIG5}
    law = stats.lognorm(0.5, scale=1.0)
    value, _ = integrate.quad(
        lambda z: packets(math.exp(0.5 * z), **net) * math.exp(-0.5 * z * z),
        *(2.0 * math.log(50.0), 20.0),
        points=[2.0 * math.log(50.0 + 0.72 * math.log2(FIG5["capacity"]))],
        epsabs=0.0,
        epsrel=1e-10,
    )
    expected = value / math.sqrt(2.0 * math.pi) / law.mean()
    assert expected < 1e-10
    assert renewal(law, **net) == pytest.approx(expected, rel=1e-8)


def test_initial_rate_of_a_packet_per_round_trip() -> None:
    faster = renewal(20.0, spike=5.0, initial_rate=1.0 / 0.72, **FIG5)
    assert faster > renewal(20.0, spike=5.0, **FIG5)
    at_once = renewal(20.0, spike=5.0, initial_rate=FIG5["capacity"], **FIG5)
    assert at_once == pytest.approx(FIG5["capacity"] * 0.75, rel=1e-12)


# Order of laws of equal mean: A is convex.

MIXTURES = st.lists(
    st.tuples(st.floats(0.01, 100.0), st.integers(1, 50)), min_size=1, max_size=6
).map(lambda pairs: np.repeat(*(np.array(column) for column in zip(*pairs, strict=True))))
SHAPES = st.one_of(
    MIXTURES,
    st.builds(lambda a, s: stats.gamma(a, scale=s), st.floats(0.2, 20.0), st.floats(0.1, 30.0)),
    st.builds(lambda a, s: stats.lognorm(a, scale=s), st.floats(0.1, 2.0), st.floats(0.1, 30.0)),
    st.builds(lambda a, s: stats.pareto(a, scale=s), st.floats(1.1, 5.0), st.floats(0.1, 30.0)),
    st.builds(stats.uniform, st.floats(0.0, 30.0), st.floats(0.1, 60.0)),
)


@fixed(60)
@given(
    law=SHAPES,
    spike=st.floats(0.0, 10.0),
    rtt=st.floats(0.02, 2.0),
    capacity=st.floats(1.0, 300.0),
)
def test_per_packet_below_deterministic_below_any_law(
    law: Any, spike: float, rtt: float, capacity: float
) -> None:
    net = {"spike": spike, "rtt": rtt, "capacity": capacity}
    mean = float(law.mean())
    simple, alike = p_model(mean_interval=mean, **net), renewal(mean, **net)
    random = renewal(law, **net)
    assert simple <= alike * (1.0 + 1e-12)
    assert alike <= random * (1.0 + 1e-9) + 1e-12 * capacity
    assert random <= capacity * (1.0 + 1e-12)
    if mean <= spike:
        assert simple == alike == 0.0


# Chains.


def test_a_chain_of_independent_states_is_the_mixture_and_a_sticky_one_too() -> None:
    states = [stats.expon(scale=4.0), stats.uniform(10.0, 40.0), [3.0, 9.0]]
    weights = np.array([0.5, 0.3, 0.2])
    mixed = markov_renewal(states, np.tile(weights, (3, 1)), spike=5.0, **FIG5)
    means = np.array([4.0, 30.0, 6.0])
    single = np.array([renewal(state, spike=5.0, **FIG5) for state in states])
    expected = (weights * means) @ single / (weights @ means)
    assert mixed == pytest.approx(expected, rel=1e-12)
    sticky = 0.9 * np.eye(3) + 0.1 * weights
    assert markov_renewal(states, sticky, spike=5.0, **FIG5) == pytest.approx(mixed, rel=1e-12)


def test_a_periodic_chain_visits_its_states_in_turn() -> None:
    around = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    found = markov_renewal([8.0, 12.0, 40.0], around, spike=5.0, **FIG5)
    assert found == pytest.approx(renewal([8.0, 12.0, 40.0], spike=5.0, **FIG5), rel=1e-12)
    single = markov_renewal([8.0], [[1.0]], spike=5.0, **FIG5)
    assert single == renewal(8.0, spike=5.0, **FIG5)


def test_the_law_per_spike_is_stationary_also_where_states_are_rare() -> None:
    matrix = np.array([[0.2, 0.8, 0.0], [0.0, 0.5, 0.5], [0.7, 0.0, 0.3]])
    law = stationary(matrix, 3)
    assert law @ matrix == pytest.approx(law, rel=1e-14)
    rare = stationary([[1.0 - 1e-12, 1e-12], [1.0, 0.0]], 2)
    assert rare == pytest.approx([1.0, 1e-12], rel=1e-9)


# Random spike lengths.


def merged(
    intervals: NDArray[np.float64], spikes: NDArray[np.float64], reading: str
) -> NDArray[np.float64]:
    """Times for which the link is free after each spike, from a path of intervals and spikes."""
    if reading == "gap":
        return intervals
    if reading == "restart":
        return np.maximum(intervals - spikes, 0.0)
    starts = np.concatenate([[0.0], np.cumsum(intervals)])
    ends = np.maximum.accumulate(starts[:-1] + spikes)
    return np.maximum(starts[1:] - ends, 0.0)


@pytest.mark.parametrize("reading", kuusela.READINGS)
@pytest.mark.parametrize(
    ("intervals", "spikes"),
    [
        (stats.gamma(2.0, scale=3.0), stats.uniform(1.0, 9.0)),
        (stats.uniform(0.0, 14.0), stats.expon(scale=4.0)),
        (stats.expon(scale=6.0), stats.lognorm(0.8, scale=3.0)),
        (stats.gamma(3.0, scale=2.0), [1.0, 4.0, 4.0, 12.5]),
    ],
    ids=["gamma", "uniform", "exponential", "samples"],
)
def test_readings_are_what_a_path_of_spikes_gives(
    reading: str, intervals: Any, spikes: Any
) -> None:
    rng, count = np.random.default_rng(2), 250_000
    times = intervals.rvs(size=count, random_state=rng)
    law = isinstance(spikes, list)
    lengths = rng.choice(spikes, count) if law else spikes.rvs(size=count, random_state=rng)
    sent = packets(merged(times, lengths, reading), spike=0.0, **FIG5)
    cycles = times + lengths if reading == "gap" else times
    found = renewal(intervals, spike=spikes, reading=reading, **FIG5)
    # what overlaps makes neighbours dependent: the error is that of 500 batches
    excess = (sent - found * cycles).reshape(500, -1).mean(axis=1)
    error = excess.std() / math.sqrt(excess.size)
    assert abs(excess.mean()) < 4.5 * error
    assert error < 0.005 * found * cycles.mean()


@pytest.mark.parametrize("mean", [3.0, 15.0])
@pytest.mark.parametrize(
    ("spikes", "error"),
    [(stats.uniform(1.0, 9.0), 1e-6), ([1.0, 3.0, 7.2], 1e-6), (stats.lomax(1.5, scale=2.0), 1e-3)],
    ids=["uniform", "samples", "heavy"],
)
def test_the_union_on_a_grid_has_the_closed_form_of_exponential_intervals(
    mean: float, spikes: Any, error: float
) -> None:
    closed = renewal(stats.expon(scale=mean), spike=spikes, reading="union", **FIG5)
    length = float(np.mean(spikes) if isinstance(spikes, list) else spikes.mean())
    assert closed == pytest.approx(renewal(stats.expon(scale=mean), spike=length, **FIG5))
    grid = renewal(stats.gamma(1.0, scale=mean), spike=spikes, reading="union", **FIG5)
    assert grid == pytest.approx(closed, abs=error * FIG5["capacity"])


def test_readings_agree_where_no_spike_overlaps() -> None:
    intervals, spikes = stats.uniform(10.0, 20.0), stats.uniform(5.0, 5.0)
    restart, union = (
        renewal(intervals, spike=spikes, reading=reading, **FIG5)
        for reading in ("restart", "union")
    )
    assert union == restart
    # from the ends of the spikes, intervals T - S
    apart = renewal(15.0, spike=[1.0, 3.0], reading="gap", **FIG5)
    assert apart == pytest.approx(renewal([16.0, 18.0], spike=[1.0, 3.0], **FIG5), rel=0.02)
    assert renewal(15.0, spike=2.0, reading="gap", **FIG5) == renewal(17.0, spike=2.0, **FIG5)
    fixed_length = markov_renewal([8.0, 12.0], HALF, spike=3.0, reading="union", **FIG5)
    assert fixed_length == markov_renewal([8.0, 12.0], HALF, spike=3.0, **FIG5)


# Losses.


def test_a_capacity_with_losses() -> None:
    net = {"capacity": 1e4, "rtt": 0.1}
    assert loss_corrected_capacity(loss_rate=0.0, **net) == 1e4
    assert loss_corrected_capacity(loss_rate=0.0, window=20, **net) == pytest.approx(200.0)
    square_root = math.sqrt(1.5 / 1e-4) / 0.1  # the square-root law where timeouts are rare
    rare = loss_corrected_capacity(loss_rate=1e-4, **net)
    assert rare == pytest.approx(square_root, rel=0.1)
    busy = loss_corrected_capacity(8.68, loss_rate=1e-3, rtt=0.3)  # w/2 > C R: the link is busy
    assert busy == pytest.approx(8.68 * 0.999, rel=1e-3)
    rates = [loss_corrected_capacity(loss_rate=p, **net) for p in (1e-6, 1e-3, 0.02, 0.1, 0.5)]
    assert rates == sorted(rates, reverse=True)
    slow = loss_corrected_capacity(loss_rate=0.02, packets_per_ack=2, **net)
    assert slow < loss_corrected_capacity(loss_rate=0.02, **net)


# a simulated SACK of 4 x 2000 s without spikes: loss rate, window, rate in bit/s, packets/s; margin
SIMULATED = [
    (0.005, 20, 40e3, 8.597, 0.015),
    (0.005, 20, 100e3, 21.256, 0.015),
    (0.02, 20, 40e3, 8.308, 0.05),
    (0.02, 20, 100e3, 19.141, 0.05),
    (0.05, 20, 40e3, 6.929, 0.10),
    (0.05, 20, 100e3, 13.198, 0.10),
    (0.05, 6, 40e3, 6.474, 0.16),
    (0.05, 6, 100e3, 11.504, 0.16),
]


@pytest.mark.parametrize(("loss", "window", "rate", "measured", "margin"), SIMULATED)
def test_the_stated_error_of_the_capacity_with_losses(
    loss: float, window: int, rate: float, measured: float, margin: float
) -> None:
    found = loss_corrected_capacity(loss_rate=loss, window=window, **link(rate))
    assert measured <= found <= measured * (1.0 + margin)


# Refusals.

REFUSED = [
    ({"spike": -1.0}, "spike = -1.0: must be a finite number >= 0, in s"),
    ({"spike": math.nan}, "spike = nan: must be"),
    ({"rtt": 0.0}, "rtt = 0.0: must be a finite number > 0, in s"),
    ({"capacity": math.inf}, "capacity = inf: must be"),
    ({"capacity": 0.9}, "initial_rate = 1.0: must be at most the capacity, 0.9"),
    ({"initial_rate": 9.0}, "initial_rate = 9.0: must be at most the capacity"),
    ({"initial_rate": math.nan}, "initial_rate = nan: must be"),
    ({"intervals": 0.0}, "mean of intervals = 0.0: must be above 0"),
    ({"intervals": [3.0, -1.0]}, r"intervals\[1\] = -1.0: must be"),
    ({"intervals": [3.0, math.nan]}, r"intervals\[1\] = nan: must be"),
    ({"intervals": []}, "intervals = .*: must be a frozen SciPy distribution, samples"),
    ({"intervals": "expon"}, "intervals = 'expon': must be a frozen SciPy distribution"),
    ({"intervals": stats.gamma}, "intervals = .*lacks its parameters"),
    ({"intervals": stats.pareto(1.0)}, "mean of intervals = inf: must be finite"),
    ({"intervals": stats.expon(scale=[1.0, 2.0])}, "mean of intervals = .*: must be finite"),
    ({"intervals": stats.norm(10.0, 5.0)}, "intervals: a distribution with values below 0"),
    (
        {"intervals": stats.zipf(2.01)},
        "intervals: a discrete distribution over more than 1000000 values",
    ),
    ({"spike": stats.uniform(-1.0, 4.0)}, "spike: a distribution with values below 0"),
    ({"reading": "merge"}, "reading = 'merge': must be one of restart, union, gap"),
    (
        {"intervals": [3.0], "spike": [1.0, 9.0], "reading": "union"},
        "intervals must have a continuous distribution, not a list of values",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=lambda parameter: str(parameter)[:40])
def test_refusals(change: dict[str, Any], message: str) -> None:
    case = {"intervals": 20.0, "spike": 5.0, **FIG5, **change}
    with pytest.raises(InputError, match=message) as refused:
        renewal(case.pop("intervals"), **case)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": 0.1, "mean_interval": 3.0}, "exactly one of p and mean_interval"),
        ({"p": None}, "exactly one of p and mean_interval"),
        ({"p": 0.0}, "p = 0.0: must be"),
        ({"p": None, "mean_interval": math.inf}, "mean_interval = inf: must be"),
        ({"spike": -1.0}, "spike = -1.0: must be"),
        ({"capacity": math.sqrt(0.5)}, r"capacity = .*: must be above 1/sqrt\(2\)"),
        ({"rtt": math.nan}, "rtt = nan: must be"),
    ],
)
def test_refusals_of_the_per_packet_model(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        p_model(**{"p": 0.1, "spike": 5.0, **FIG5, **change})


@pytest.mark.parametrize(
    ("intervals", "transition", "message"),
    [
        ([8.0, 9.0], [[1.0, 0.0], [0.5, 0.5]], "transition: reducible, 2 classes"),
        ([8.0, 9.0], np.eye(2), "transition: reducible, 2 classes"),
        ([8.0, 9.0], [[0.5, 0.4], [0.5, 0.5]], r"transition\[0\] = .*: must be probabilities"),
        ([8.0, 9.0], [[0.5, 0.5], [1.5, -0.5]], r"transition\[1\] = .*: must be probabilities"),
        ([8.0, 9.0], [[0.5, math.nan], [0.5, 0.5]], r"transition\[0\] = "),
        ([8.0, 9.0], [[1.0]], "transition = .*: must be 2 x 2 probabilities"),
        ([8.0, 9.0], "x", "transition = 'x': must be 2 x 2 probabilities"),
        ([8.0, -9.0], HALF, r"intervals\[1\] = -9.0: must be"),
        (8.0, [[1.0]], "intervals = 8.0: must be a list of distributions"),
        ([], HALF, "intervals = .*: must be a list of distributions"),
    ],
)
def test_refusals_of_chains(intervals: Any, transition: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        markov_renewal(intervals, transition, spike=5.0, **FIG5)


def test_further_refusals() -> None:
    with pytest.raises(InputError, match="reading = 'union': must be 'restart' or 'gap'"):
        markov_renewal([8.0], [[1.0]], spike=[1.0, 2.0], reading="union", **FIG5)
    heavy = stats.lomax(1.1, scale=1.0)
    with pytest.raises(InputError, match="too heavy a tail"):
        renewal(stats.gamma(2.0, scale=9.0), spike=heavy, reading="union", **FIG5)
    for key, value in {
        "loss_rate": 0.6,
        "window": 0.5,
        "packets_per_ack": 0.0,
        "timeout": 0,
    }.items():
        with pytest.raises(InputError, match=key):
            loss_corrected_capacity(**{"loss_rate": 0.1, **FIG5, key: value})


def test_random_intervals_shorter_than_the_spike_are_answered() -> None:
    assert renewal(4.0, spike=5.0, **FIG5) == 0.0
    assert p_model(mean_interval=4.0, spike=5.0, **FIG5) == 0.0
    assert renewal(stats.expon(scale=4.0), spike=5.0, **FIG5) > 0.0
    assert renewal(stats.uniform(0.0, 5.0), spike=5.0, **FIG5) == 0.0
    assert MODELS["kuusela"] is kuusela
