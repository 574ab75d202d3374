"""Mathis et al.: their constants, the tables of RFC 3649, and where the formula is refused."""

import math

import numpy as np
import pytest

from airtcp.models.zoo import ZOO, Conditions, ModelAnswer, mathis


@pytest.mark.parametrize(
    ("losses", "ack_every", "printed"),
    [
        ("periodic", 1, 1.22),
        ("periodic", 2, 0.87),
        ("independent", 1, 1.31),
        ("independent", 2, 0.93),
    ],
)
def test_constants_are_those_of_the_table(losses: str, ack_every: int, printed: float) -> None:
    """To the two digits that are printed."""
    assert round(mathis.constant(losses, ack_every), 2) == printed


# RFC 3649, table 1: Mbit/s and W, at 0.1 s and 1500 B, with a loss rate of 1.5 / W^2
TABLE_1 = [(1, 8.3), (10, 83.3), (100, 833.3), (1000, 8333.3), (10000, 83333.3)]
# table 2: -log10 of the loss rate, W, round trips between losses
TABLE_2 = [
    (2, 12, 8),
    (3, 38, 25),
    (4, 120, 80),
    (5, 379, 252),
    (6, 1200, 800),
    (7, 3795, 2530),
    (8, 12000, 8000),
    (9, 37948, 25298),
    (10, 120000, 80000),
]


@pytest.mark.parametrize(("megabits", "window"), TABLE_1)
def test_throughput_is_that_of_table_1_of_rfc_3649(megabits: float, window: float) -> None:
    """To half of the last digit of W as printed."""
    at = Conditions(rtt=0.1, loss_rate=1.5 / window**2, losses="periodic", mss=1500)
    bits = mathis.answer(at) * 8 * at.mss
    assert bits == pytest.approx(megabits * 1e6, rel=0.05 / window)


@pytest.mark.parametrize(("power", "window", "between"), TABLE_2)
def test_windows_are_those_of_table_2_of_rfc_3649(power: int, window: int, between: int) -> None:
    """2.1 %, for the RFC rounds 1.2247 to 1.2, and one of the last digit: 252.67 is printed as 252.

    A loss rate p and a mean window W mean 1 / (p W) round trips from loss to loss.
    """
    at = Conditions(rtt=0.1, loss_rate=10.0**-power, losses="periodic")
    found = mathis.answer(at) * at.rtt
    assert abs(found - window) <= 0.021 * found + 1.0
    assert abs(1.0 / (at.loss_rate * found) - between) <= 0.021 * between + 1.0


def test_the_constant_for_independent_losses_is_that_of_the_sawtooth() -> None:
    """10^6 losses: 0.3 %, four standard errors."""
    packets = np.random.default_rng(1).exponential(1.0, 1_000_000)
    window, before = 1.5, np.empty(packets.size)
    for loss, sent in enumerate(packets):
        window = math.sqrt((window / 2.0) ** 2 + 2.0 * sent)
        before[loss] = window
    rounds = np.diff(before, prepend=before[0]) + np.append(before[0], before[:-1]) / 2.0
    found = packets.sum() / rounds.sum()
    assert mathis.constant("independent") == pytest.approx(found, rel=3e-3)


def test_where_it_answers() -> None:
    model = ZOO["mathis"]
    lossy = Conditions(rtt=0.1, loss_rate=0.001)
    assert model.answer_or_refusals(lossy) == ModelAnswer()
    assert model.answer(lossy) == pytest.approx(1.31 / 0.1 / math.sqrt(0.001), rel=1e-3)
    for more, reason in [
        ({"window": 30}, "the window, not the losses, would limit it"),
        ({"rate": 4e6}, "the rate, not the losses, would limit it"),
        ({"growth": "cubic"}, "the model covers Reno's growth only"),
        (
            {"down": 1.0, "losses": "rounds"},
            "the model does not cover outages; the model does not cover bursts of losses",
        ),
    ]:
        assert model.answer_or_refusals(Conditions(rtt=0.1, loss_rate=0.001, **more)) == reason
    assert model.answer_or_refusals(Conditions(rtt=0.1)) == "the model needs random losses"
