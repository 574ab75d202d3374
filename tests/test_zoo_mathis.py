"""The constants of Mathis et al., and where their formula is refused."""

import math

import numpy as np
import pytest

from airtcp.models.zoo import ZOO, Conditions, Covered, mathis


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
    assert model.covers(lossy) == Covered()
    assert model.answer(lossy) == pytest.approx(1.31 / 0.1 / math.sqrt(0.001), rel=1e-3)
    for more, reason in [
        ({"window": 30}, "the window, not the losses, would limit it"),
        ({"rate": 4e6}, "the rate, not the losses, would limit it"),
        ({"growth": "cubic"}, "the model has Reno's growth only"),
        (
            {"down": 1.0, "losses": "rounds"},
            "the model has no bursts of losses; the model has no outages",
        ),
    ]:
        assert model.covers(Conditions(rtt=0.1, loss_rate=0.001, **more)) == reason
    assert model.covers(Conditions(rtt=0.1)) == "the model needs random losses"
