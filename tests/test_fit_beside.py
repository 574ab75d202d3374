"""TCP over a record beside TCP over models of it: false alarms, and wrong models found out."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import stats

from airtcp.campaign.journal import Journal, open_journal_in_memory
from airtcp.fitted.goodput_comparison import TEST_LEVEL, GoodputComparer, GoodputComparison
from airtcp.fitted.options import FitOptions
from airtcp.fitted.records import RecordedLink
from airtcp.fitting.chains import Chain
from airtcp.fitting.losses import LossModel, fit_losses
from airtcp.fitting.losses_estimate import GILBERT, INDEPENDENT
from airtcp.fitting.outages import fit_outages
from airtcp.measured.measurement import UNKNOWN, Packets

MS = 1_000_000
TRUTH = Chain(np.array([[0.99, 0.01], [0.25, 0.75]]), np.array([0.0, 1.0]))
LINK = {
    "profile": "linux",
    "tcp": {"congestion": "cubic"},
    "path": {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 50}]},
    "stop": {"time": "5s"},
}


def record_of(chain: Chain, packets: int, seed: int) -> Packets:
    return Packets(
        time=np.arange(packets, dtype=np.int64) * 6 * MS,
        fate=chain.simulate(packets, (seed, 1)),
        delay=np.full(packets, -1, dtype=np.int64),
        size=np.zeros(packets, dtype=np.int32),
        cause=np.full(packets, UNKNOWN, dtype=np.int8),
        delays="one way",
    )


def model_of(chain: Chain) -> LossModel:
    """A chain on the packet clock as a model, whatever it was fitted to."""
    name = (INDEPENDENT if chain.states == 1 else GILBERT).name
    clock = None if chain.states == 1 else "packet"
    return LossModel(name, clock, None, chain, (), 0.0, 0.0, 0.0, 0.0, 1.0)


@contextmanager
def journal() -> Iterator[Journal]:
    with open_journal_in_memory() as made:
        yield made


def beside(record: Packets, model: LossModel, kept: Journal) -> GoodputComparison:
    losses = fit_losses(record, models=["Gilbert"], clock="packet", draws=19)
    records = RecordedLink(record, fit_outages(record), losses)
    options = FitOptions(tcps=("cubic",))
    trial = GoodputComparer(
        LINK,
        records.recorded_channel("packet"),
        options,
        kept,
        lambda *said: None,
        losses=losses.losses_used,
    )
    (found,) = trial.compare(
        model.label, {"channel": model.channel()}, records.simulated_records(model)
    )
    return found


def test_the_truth_is_seldom_called_otherwise() -> None:
    """Records of 1000 packets, some 40 of them lost: TCP over them scatters by a third."""
    with journal() as kept:
        found = [beside(record_of(TRUTH, 1000, i), model_of(TRUTH), kept) for i in range(100)]
    alarms = sum(comparison.verdict == "different" for comparison in found)
    assert alarms <= stats.binom.ppf(0.99, 100, TEST_LEVEL)
    # By the chance of the runs alone, as if the record were the link, many would be.
    assert sum(comparison.verdict_of_runs == "different" for comparison in found) > 15
    assert any(comparison.verdict == "too few losses" for comparison in found)


@pytest.mark.parametrize("seed", range(5))
def test_independent_losses_in_place_of_bursts_are_found_out(seed: int) -> None:
    record = record_of(TRUTH, 3000, seed)
    rate = float(record.fate.mean())
    wrong = model_of(Chain(np.ones((1, 1)), np.array([rate])))
    with journal() as kept:
        found = beside(record, wrong, kept)
    assert found.verdict == "different"
    assert len(found.over_other_records) == round(2 / TEST_LEVEL) - 1


def test_a_handful_of_losses_judges_nothing() -> None:
    with journal() as kept:
        found = beside(record_of(TRUTH, 150, 2), model_of(TRUTH), kept)
    assert found.verdict == "too few losses"
