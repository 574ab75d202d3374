"""Models of losses: likelihood, estimates, laws, the choice between models, tests of them."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special, stats

from airtcp import _native
from airtcp.errors import InputError
from airtcp.fitting import losses_estimate as estimates
from airtcp.fitting.chains import Chain
from airtcp.fitting.losses import LossFit, fit_losses
from airtcp.fitting.losses_data import Fates
from airtcp.fitting.losses_tests import fit_test, independence_test
from airtcp.measured.measurement import ARRIVED, LOST, QUEUE_LOSS, UNKNOWN, Packets
from airtcp.scenario.two_state import TwoState
from modules import module
from work import interrupted_at_work

study = module("fit_coverage")
MS = 1_000_000
THREE = study.HIDDEN[3]


def packets(fate: Any, when: Any = None, **columns: Any) -> Packets:
    n = len(fate)
    start = np.zeros(1, dtype=np.int64)
    when = np.arange(n) * MS if when is None else np.asarray(when)
    plain = study.packets_of(Fates(np.asarray(fate, dtype=np.int8), when.astype(np.int64), start))
    return Packets(**{**vars(plain), **columns})


def forward(chain: Chain, fates: Fates, step: int | None) -> float:
    """The forward algorithm, packet by packet."""
    gaps, total = fates.gaps(step), 0.0
    for start, end in pairwise([*fates.starts, len(fates)]):
        share = chain.stationary_distribution
        for i in range(start, end):
            steps = 1 if gaps is None or i == start else int(gaps[i])
            share = share @ np.linalg.matrix_power(chain.transition, steps)
            seen = {LOST: chain.loss, ARRIVED: 1.0 - chain.loss, UNKNOWN: np.ones(chain.states)}
            share = share * seen[int(fates.fate[i])]
            total += np.log(share.sum())
            share = share / share.sum()
    return float(total)


def in_pieces(n: int, seed: int) -> Fates:
    """Fates with runs, unknown ones, pieces and gaps of all kinds."""
    rng = np.random.default_rng(seed)
    fate = np.repeat(rng.choice([0, 1, -1], n, p=[0.7, 0.25, 0.05]), rng.geometric(0.1, n))[:n]
    gaps = np.where(rng.random(n) < 0.7, 1, rng.integers(0, 700, n))
    starts = np.array([0, n // 7, n // 2])
    return Fates(fate.astype(np.int8), np.cumsum(gaps) * MS + MS // 3, starts)


@pytest.mark.parametrize("step", [None, MS])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_likelihood_is_that_of_the_forward_algorithm(k: int, step: int | None) -> None:
    fates = in_pieces(900, k)
    chain = study.HIDDEN[k]
    found = estimates.log_likelihoods(fates.to_native(step), chain)
    assert len(found) == 3
    assert found.sum() == pytest.approx(forward(chain, fates, step), rel=1e-11)


@pytest.mark.parametrize("step", [None, MS])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_derivatives_are_those_of_the_likelihood(k: int, step: int | None) -> None:
    fates, chain = in_pieces(900, k), study.HIDDEN[k]
    data = fates.to_native(step)
    free = estimates.free_entries(estimates.ChainFamily("any", k), chain)
    theta = free.to_parameters(chain)
    seen = estimates.derivatives(data, chain)
    assert seen is not None
    numeric = optimize.approx_fprime(
        theta, lambda at: estimates.log_likelihoods(data, free.from_parameters(at)).sum(), 1e-6
    )
    np.testing.assert_allclose(free.score(chain, seen), numeric, rtol=2e-3, atol=2e-3)


def test_long_runs_do_not_vanish() -> None:
    """A million losses in a row under a chain that seldom loses: far below the least double."""
    fates = Fates(np.ones(10**6, dtype=np.int8), np.arange(10**6), np.zeros(1, dtype=np.int64))
    chain = Chain(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0.01, 0.02]))
    found = estimates.log_likelihoods(fates.to_native(None), chain).sum()
    assert found == pytest.approx(1e6 * np.log(0.015), rel=1e-12)


def test_what_cannot_have_been_seen_has_no_likelihood() -> None:
    both = Fates(np.array([1, 0], dtype=np.int8), np.zeros(2, dtype=np.int64), np.zeros(1, int))
    gilbert = Chain(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0.0, 1.0]))
    assert estimates.log_likelihoods(both.to_native(MS), gilbert).tolist() == [-np.inf]
    assert estimates.derivatives(both.to_native(MS), gilbert) is None


def test_gilbert_is_the_closed_form() -> None:
    fate = Chain(np.array([[0.99, 0.01], [0.3, 0.7]]), np.array([0.0, 1.0])).simulate(
        50_000, (1, 0)
    )
    closed = TwoState.fit(fate)
    found = fit_losses(packets(fate), models=["Gilbert"], draws=19).models[1]
    values = {parameter.name: parameter for parameter in found.parameters}
    assert values["p_gb"].value == pytest.approx(closed.p_gb, rel=0.01)
    assert values["p_gb"].se == pytest.approx(closed.p_gb_se, rel=0.03)
    assert values["p_bg"].value == pytest.approx(closed.p_bg, rel=0.01)
    assert values["p_bg"].se == pytest.approx(closed.p_bg_se, rel=0.03)


def test_estimate_is_the_top_that_another_optimiser_finds() -> None:
    """SciPy's Nelder-Mead on the likelihood alone, from the truth."""
    truth = study.HIDDEN[2]
    kind = study.Kind(estimates.GILBERT_ELLIOTT, truth, 400, "time")
    fates = study.capture(kind, 3)
    data = fates.to_native(MS)

    def chain(theta: NDArray[np.float64]) -> Chain:
        p, r, a, b = special.expit(theta)
        return Chain(np.array([[1.0 - p, p], [r, 1.0 - r]]), np.array([a, b]))

    first = special.logit([truth.transition[0, 1], truth.transition[1, 0], *truth.loss])
    top = optimize.minimize(
        lambda at: -estimates.log_likelihoods(data, chain(at)).sum(),
        first,
        method="Nelder-Mead",
        options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-8},
    )
    found = estimates.estimate(estimates.GILBERT_ELLIOTT, fates, MS)
    assert found is not None
    assert found.log_likelihood == pytest.approx(-top.fun, abs=1e-4)
    np.testing.assert_allclose(found.chain.loss, chain(top.x).loss, rtol=0.01)


def runs(fate: NDArray[np.int8], of: int) -> NDArray[np.int64]:
    """Lengths of the runs of one fate, without the first and the last."""
    edges = np.flatnonzero(np.diff(fate)) + 1
    lengths = np.diff(edges)
    return lengths[fate[edges[:-1]] == of]


def test_laws_are_those_of_what_is_drawn() -> None:
    fate = THREE.simulate(2_000_000, (5, 0))
    for of, law in ((1, THREE.burst_length_distribution(8)), (0, THREE.gap_length_distribution(8))):
        lengths = runs(fate, of)
        share = np.bincount(np.minimum(lengths, 9), minlength=10)[1:9] / len(lengths)
        spread = np.sqrt(law * (1.0 - law) / len(lengths))
        assert (np.abs(share - law) < 6.0 * spread + 1e-4).all()
    seen = fate - fate.mean()
    found = [float((seen[lag:] * seen[:-lag]).mean() / seen.var()) for lag in (1, 20, 100)]
    np.testing.assert_allclose(found, THREE.autocorrelation(100)[[0, 19, 99]], atol=0.02)
    assert fate.mean() == pytest.approx(THREE.loss_rate, rel=0.05)


def test_drawn_at_gaps_is_drawn_in_steps() -> None:
    """Every third packet of a chain, by gaps of 3, has the laws of the chain in three steps."""
    fate = THREE.simulate(500_000, (6, 0), gaps=np.full(500_000, 3, dtype=np.uint32))
    bursts = runs(fate, 1)
    law = THREE.burst_length_distribution(3, spacing=3)
    share = np.bincount(np.minimum(bursts, 4), minlength=5)[1:4] / len(bursts)
    np.testing.assert_allclose(share, law, atol=6.0 * np.sqrt(0.25 / len(bursts)))


@pytest.fixture(scope="module")
def bursty() -> LossFit:
    return fit_losses(packets(THREE.simulate(40_000, (2, 0))))


def test_the_true_number_of_states_is_chosen_and_fits(bursty: LossFit) -> None:
    assert bursty.chosen.name == "3 states"
    assert bursty.is_accepted
    assert bursty.chosen.is_accepted
    assert not bursty.models[0].is_accepted
    assert bursty.independence_p == pytest.approx(1.0 / 200.0)
    assert bursty.chosen.gain > 2.0 * bursty.chosen.gain_se > 0.0
    assert "evenly spaced" in bursty.clock_why
    text = json.loads(json.dumps(bursty.json()))
    assert text["chosen"]["channel"]["kind"] == "states"
    assert [entry["name"] for entry in text["models"]] == [model.name for model in bursty.models]


def test_channels_are_those_of_a_scenario(bursty: LossFit) -> None:
    kinds = {}
    for model in bursty.models:
        kinds[model.name] = model.channel()["kind"]
        _native.channel_two_state(json.dumps(model.channel()))  # refuses what is none
        assert model.simulate(np.random.default_rng(1), 1000).sum() >= 0
    assert kinds["independent"] == "iid"
    assert kinds["Gilbert"] == "two-state"
    assert kinds["Gilbert-Elliott"] == "gilbert-elliott"
    assert {kinds[f"{k} states"] for k in (3, 4, 5)} == {"states"}


def test_the_clock_is_told_where_pauses_tell_it() -> None:
    rng = np.random.default_rng(1)
    gaps = np.where(np.arange(30_000) % 30 == 0, rng.integers(100, 300, 30_000), 1)
    when = np.cumsum(gaps) * MS
    for clock, steps in (("time", gaps.astype(np.uint32)), ("packet", None)):
        fate = study.HIDDEN[2].simulate(30_000, (1, 0), gaps=steps)
        found = fit_losses(packets(fate, when), models=["Gilbert-Elliott"], draws=19)
        assert found.chosen.clock == clock
        assert found.clock_why.startswith(f"the {clock} clock")
        step = "1ms" if clock == "time" else "packet"
        assert found.chosen.channel()["clock"] == step
    independent = fit_losses(packets(rng.random(30_000) < 0.05, when), draws=19)
    assert "cannot be told apart" in independent.clock_why


def test_gilbert_cannot_be_where_a_step_has_both_fates() -> None:
    rng = np.random.default_rng(1)
    when = np.cumsum(rng.integers(0, 3, 20_000)) * MS
    fate = (rng.random(20_000) < np.where(np.arange(20_000) % 500 < 100, 0.4, 0.01)).astype(int)
    found = fit_losses(packets(fate, when), clock="time", step=MS, draws=19)
    assert any(
        text.startswith("Gilbert on the time clock: impossible") for text in found.models_left_out
    )
    assert "Gilbert" not in [model.name for model in found.models]


def test_without_losses_there_is_a_bound() -> None:
    found = fit_losses(packets(np.zeros(1000)))
    rate = found.chosen.parameters[0]
    assert found.chosen.name == "independent"
    assert (rate.value, rate.low, rate.se) == (0.0, 0.0, None)
    assert rate.high == pytest.approx(stats.beta.ppf(0.95, 1, 1000))
    assert rate.high == pytest.approx(3.0 / 1000.0, rel=0.01)
    assert "no losses in 1000 packets" in found.why
    everything = fit_losses(packets(np.ones(50))).chosen.parameters[0]
    assert (everything.value, everything.high) == (1.0, 1.0)
    single = fit_losses(packets([1]))
    assert single.losses_used == single.packets == 1


def test_few_losses_say_which_models_they_are_too_few_for() -> None:
    found = fit_losses(packets(np.arange(3000) % 100 == 7))
    assert "3 states: needs 45 losses, has 30" in found.models_left_out
    assert {model.name for model in found.models} == {"independent", "Gilbert", "Gilbert-Elliott"}


def test_queue_losses_are_unknown_on_the_link() -> None:
    fate = np.r_[np.zeros(90), np.ones(10)].astype(np.int8)
    cause = np.full(100, -1, dtype=np.int8)
    cause[-6:] = QUEUE_LOSS
    found = fit_losses(packets(fate, cause=cause))
    assert (found.packets, found.losses_used) == (94, 4)


def test_pieces_are_independent() -> None:
    """Two captures in one piece have a pair of packets more than in two."""
    fate = THREE.simulate(3000, (4, 0))
    whole = fit_losses(packets(fate), models=["Gilbert"], draws=19).models[1]
    halves = [packets(fate[:1500]), packets(fate[1500:])]
    parts = fit_losses(halves, models=["Gilbert"], draws=19).models[1]
    assert whole.log_likelihood != parts.log_likelihood
    assert whole.log_likelihood == pytest.approx(parts.log_likelihood, abs=8.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": ["gilbert"]}, "did you mean 'Gilbert'"),
        ({"clock": "slot"}, '"auto", "packet" or "time"'),
        ({"seed": -1}, "seed"),
        ({"step": 0}, "step"),
    ],
)
def test_impossible_input_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        fit_losses(packets([0, 1, 0]), **given)


def test_the_best_model_is_called_clearly_better_only_than_smaller_ones() -> None:
    bursts = Chain(np.array([[0.98, 0.02], [0.3, 0.7]]), np.array([0.0, 1.0]))
    lost = packets(bursts.simulate(3000, (1, 0)))
    alone = fit_losses(lost, models=["Gilbert"], draws=19)
    assert [model.is_accepted for model in alone.models] == [False, True]
    assert alone.why.startswith("Gilbert on the packet clock predicts held-out data best of")
    assert "clearly" not in alone.why


def test_a_step_too_short_for_the_record_is_refused() -> None:
    with pytest.raises(InputError, match="step = 1: must be 4 at least, for this record"):
        fit_losses(packets([0, 1, 0], [0, MS, 4 * MS + 3]), step=1)


def test_packets_without_fates_are_refused() -> None:
    with pytest.raises(InputError, match="is empty; at least one"):
        fit_losses([])
    with pytest.raises(InputError, match="no fate is known"):
        fit_losses(packets([-1, -1]))
    with pytest.raises(InputError, match="must not fall"):
        fit_losses(packets([0, 1], [5, 4]))


def test_independence_has_its_level() -> None:
    """p <= 0.05 in 5 % of all orders; by chance more than this in one of 10^5 tries."""
    cases, called = 600, 0
    for seed in range(cases):
        fate = (np.random.default_rng(seed).random(2000) < 0.1).astype(np.int8)
        fates = Fates(fate, np.arange(2000), np.zeros(1, dtype=np.int64))
        called += independence_test(fates, seed, orders=99) <= 0.05
    assert stats.binom.ppf(1e-5, cases, 0.05) <= called <= stats.binom.isf(1e-5, cases, 0.05)


def test_regular_losses_are_no_chain() -> None:
    """A loss in every fiftieth packet: no chain of five states counts to fifty."""
    found = fit_losses(packets(np.arange(20_000) % 50 == 0))
    assert not found.is_accepted
    assert "no model fits" in found.why


def test_a_wrong_chain_is_rejected_and_the_true_one_is_not() -> None:
    fate = THREE.simulate(40_000, (8, 0))
    fates = Fates(fate, np.arange(40_000), np.zeros(1, dtype=np.int64))
    assert fit_test(THREE, fates, None, (1, 99)) > 0.05
    twice = Chain(THREE.transition, THREE.loss * 0.8)
    assert fit_test(twice, fates, None, (1, 99)) <= 0.05


def test_answers_depend_on_nothing_but_the_seed() -> None:
    fate = study.HIDDEN[2].simulate(8000, (9, 0))
    first, second = (fit_losses(packets(fate), seed=3, draws=19).json() for _ in range(2))
    assert first == second


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupted_within_a_second() -> None:
    code = (
        "import numpy as np, sys\n"
        "from airtcp.fitting.chains import Chain\n"
        "from airtcp.fitting.losses import fit_losses\n"
        "from airtcp.measured.measurement import Packets\n"
        "n = 10**7\n"
        "rng = np.random.default_rng(1)\n"
        "fate = (rng.random(n) < np.where(np.arange(n) % 9000 < 500, .3, .003)).astype(np.int8)\n"
        "unknown = np.full(n, -1)\n"
        "columns = np.cumsum(rng.integers(0, 5, n)) * 10**6, fate, unknown\n"
        "told = lambda *_: print('fitting', flush=True)\n"
        "packets = Packets(*columns, unknown, unknown, 'one way')\n"
        "fit_losses(packets, report=told)\n"
    )
    ended = interrupted_at_work([sys.executable, "-c", code], 1.0, lines=2)
    assert ended.lines == ["fitting\n"] * 2
    assert "KeyboardInterrupt" in ended.errors
    assert ended.seconds < 5.0  # a second, and what a busy machine adds


def test_states_that_are_hardly_ever_left_have_shares() -> None:
    """1 - 1e-17 is 1 in floating point, which leaves equations without a solution."""
    move = np.array([[1.0, 1e-17, 0.0], [3e-17, 1.0, 0.0], [0.0, 0.5, 0.5]])
    assert Chain(move, np.array([0.0, 0.5, 1.0])).stationary_distribution == pytest.approx(
        [0.75, 0.25, 0.0]
    )
