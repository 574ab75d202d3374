"""The study of fits of losses in small, and links that were measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from airtcp.fitting import losses_estimate as estimates
from airtcp.fitting.chains import Chain
from airtcp.fitting.losses import LossFit, LossModel, fit_losses
from airtcp.fitting.losses_data import Fates, fates_of_packets
from airtcp.fitting.selection import ScoreDifference, score_difference
from airtcp.measured.measurement import Packets
from modules import module

study, promise_rows = module("fit_coverage"), module("promise_rows")
ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared"))
ORBIT = SHARED / "traces/orbit_wifi.parquet"
SENT = 301  # packets of a link


def alone(call: Any, seeds: Any) -> Any:
    return map(call, seeds)


# ---- The study -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(study.kinds(2000, 3000)), ids=lambda kind: kind.family.name)
def test_intervals_cover(kind: Any) -> None:
    """All parameters of a capture together; each in full is on the page."""
    rows = study.coverage(kind, 25 if kind.family.states < 4 else 6, alone)
    assert study.outside(rows, 0.92, 0.98) == 0


@pytest.mark.parametrize("choice", study.CHOICES[:6], ids=lambda choice: choice.what)
def test_choices_are_right(choice: Any) -> None:
    assert study.chosen(choice, 15, alone).is_kept


def test_a_study_finds_intervals_that_are_too_narrow() -> None:
    rows = study.coverage(next(study.kinds(2000, 2000)), 1000, alone)
    assert study.broken(rows, []) == []
    assert study.broken(rows.assign(covered=rows["covered"] - 90), []) != []
    wrong = promise_rows.Row("called bursty", study.CHOICES[0].promise, 100, 1000)
    assert study.broken(rows, [wrong]) == ["called bursty"]


def test_the_page_is_that_of_the_table() -> None:
    """Every row of the page that intervals are on, from the table beside it, in full."""
    table = pd.read_csv(study.TABLE, keep_default_na=False)
    kinds = [*study.kinds(2000, study.MANY), *study.kinds(200, 200)]
    shown = study.page(table, []).split("## Choices")[0]
    assert study.PAGE.read_text(encoding="utf-8").startswith(shown)
    names = [name for kind in kinds for name, _ in study.named(kind)]
    assert table["parameter"].tolist() == names
    assert (table["captures"] >= study.CAPTURES).all()
    assert study.broken(table, []) == []


# ---- Links of two kinds --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 6])
def test_links_of_two_kinds_that_never_turn_into_each_other(seed: int) -> None:
    """No packet tells how often a state of one kind follows one of the other: about never."""
    first = Chain(np.ones((1, 1)), np.array([0.1]))
    second = Chain(np.array([[0.99, 0.01], [0.008, 0.992]]), np.array([0.25, 0.75]))
    fates = [(second if i % 3 else first).simulate(300, (seed, i)) for i in range(12)]
    found = fit_losses([packets(fate) for fate in fates], draws=19)
    assert found.chosen.name == "3 states"
    assert found.models_left_out == ()
    assert all(model.chain.has_unique_stationary_distribution for model in found.models)
    logs = [model.log_likelihood for model in found.models]
    assert (np.diff(logs) > -0.05).all()  # a family contains those with fewer states


def test_a_chain_of_two_closed_classes_has_no_single_law() -> None:
    apart = Chain(np.eye(2), np.array([0.1, 0.9]))
    assert not apart.has_unique_stationary_distribution
    data = fates_of_packets(packets(np.array([0, 1, 0, 0], dtype=np.int8))).to_native(None)
    assert estimates.derivatives(data, apart) is None
    absorbed = Chain(np.array([[0.9, 0.1, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]), np.zeros(3))
    assert absorbed.has_unique_stationary_distribution


# ---- Links of the ORBIT grid under injected noise ------------------------------------------------


def links(noise: list[int]) -> list[NDArray[np.int8]]:
    """Fates of the packets of each link, of those that lose something and not nearly all."""
    rows = pd.read_parquet(ORBIT)
    rows = rows[rows["noise_dbm"].isin(noise) & (rows["seq"] < SENT)]
    found = []
    for _, arrived in rows.groupby(["noise_dbm", "rx", "tx"], observed=True)["seq"]:
        fate = np.ones(SENT, dtype=np.int8)
        fate[arrived.to_numpy()] = 0
        if 0.02 < fate.mean() < 0.98:
            found.append(fate)
    order = np.random.default_rng(1).permutation(len(found))
    return [found[i] for i in order]


def packets(fate: NDArray[np.int8]) -> Packets:
    start = np.zeros(1, dtype=np.int64)
    packets: Packets = study.packets_of(Fates(fate, np.arange(len(fate), dtype=np.int64), start))
    return packets


def gain(first: LossModel, second: LossModel, left: list[NDArray[np.int8]]) -> ScoreDifference:
    """Log-likelihood ratio of two models on links that neither was fitted to."""
    data = [fates_of_packets(packets(fate)).to_native(None) for fate in left]

    def scores(model: LossModel) -> NDArray[np.float64]:
        logs = [estimates.log_likelihoods(fates, model.chain).sum() for fates in data]
        return np.array(logs)

    return score_difference(scores(first), scores(second))


def named(found: LossFit, name: str) -> LossModel:
    return next(model for model in found.models if model.name == name)


LEVELS = [[-20, -15, -10, -5, 0], [-20], [-15], [-10], [-5], [0]]  # dBm


@pytest.mark.skipif(not ORBIT.exists(), reason="the traces are not here")
@pytest.mark.parametrize("noise", LEVELS, ids=str)
def test_links_left_out_are_likelier_under_the_model_chosen(noise: list[int]) -> None:
    """Half of the links are fitted to, and the others tell what the choice is worth."""
    every = links(noise)
    found = fit_losses([packets(fate) for fate in every[::2]], draws=19)
    left = every[1::2]
    over_independent = gain(found.chosen, named(found, "independent"), left)
    assert over_independent.value >= -2.0 * over_independent.se
    if found.chosen.chain.states > 2:
        for smaller in ("Gilbert", "Gilbert-Elliott"):
            assert gain(found.chosen, named(found, smaller), left).is_clear


@pytest.mark.skipif(not ORBIT.exists(), reason="the traces are not here")
@pytest.mark.parametrize("noise", LEVELS, ids=str)
def test_shuffled_links_gain_nothing(noise: list[int]) -> None:
    every = links(noise)
    shuffled = np.random.default_rng(1).permutation(np.concatenate(every)).reshape(-1, SENT)
    found = fit_losses([packets(fate) for fate in shuffled[::2]], draws=19)
    assert found.chosen.name == "independent"
    best = max(found.models, key=lambda model: model.log_likelihood)
    assert not gain(best, found.chosen, list(shuffled[1::2])).is_clear


@pytest.mark.skipif(not ORBIT.exists(), reason="the traces are not here")
def test_single_links_are_never_clearly_below_independent_losses() -> None:
    """The first half of each link predicts its second half."""
    gains = []
    for fate in links([-20, -15, -10, -5, 0]):
        found = fit_losses(packets(fate[:150]), draws=19)
        if found.chosen.name != "independent":
            gains.append(gain(found.chosen, found.models[0], [fate[150:]]).value)
    total = score_difference(np.array(gains), np.zeros(len(gains)))
    assert np.isfinite(gains).all()
    assert total.value > -2.0 * total.se
