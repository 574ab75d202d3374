"""PFTK: its parts against their definitions, the whole against a Monte Carlo of its assumptions."""

import math

import numpy as np
import pytest

from airtcp.models.zoo import ZOO, Conditions, ModelAnswer, pftk

# Loss rates in 1/10000, and the formula of RFC 5348 section 3.1 as Linux's TFRC tabulates it
# (net/dccp/ccids/lib/tfrc_equation.c): 10^6 / (R X), rounded down, for b = 1, t_RTO = 4 R.
TFRC = [
    *((1, 8172), (2, 11567), (5, 18339), (10, 26052), (20, 37172), (50, 60335), (100, 89021)),
    *((150, 113597), (200, 136520), (300, 180704), (500, 271305), (1000, 564939), (2000, 1863717)),
]


@pytest.mark.parametrize(("p", "tabulated"), TFRC)
def test_the_approximate_model_is_the_formula_of_tfrc(p: int, tabulated: int) -> None:
    """To the integer."""
    assert int(1e6 / pftk.approximate(p / 1e4, rtt=1.0, timeout=4.0)) == tabulated


def test_the_example_of_rfc_3819_leaves_out_a_minimum() -> None:
    """402.9 kbit/s is printed [8.5.3] for 1000 B, 120 ms, RTO = 5 RTT, p = 0.01 and b = 2.

    It takes min(1, 3 sqrt(3 b p / 8)) to be 1, which here is 0.26: with it the formula that the RFC
    states gives 519 kbit/s. 0.2 %: the RFC rounds 2 b / 3 to 1.33.
    """
    p, rtt, rto, bits = 0.01, 0.12, 0.6, 8000.0
    found = pftk.approximate(p, rtt, rto, b=2)
    often = 3.0 * math.sqrt(0.75 * p)
    one_timeout = rto * p * (1.0 + 32.0 * p**2)
    as_printed = 1.0 / (1.0 / found + (1.0 - often) * one_timeout)
    assert as_printed * bits == pytest.approx(402.9e3, rel=2e-3)
    assert found * bits == pytest.approx(519e3, rel=2e-3)


@pytest.mark.parametrize("p", [1e-4, 0.01, 0.2, 0.7])
@pytest.mark.parametrize("window", [4, 7, 30])
def test_q_hat_is_the_sum_over_all_outcomes_of_two_rounds(p: float, window: int) -> None:
    """k of a round arrive before a loss; a timeout follows if fewer than 3 of the next k do.

    To rounding (1e-9 relative).
    """
    kept = 1.0 - p
    first = [kept**k * p / (1.0 - kept**window) for k in range(window)]
    few = [
        sum(kept**m * p for m in range(min(k, 3))) + (kept**k if k < 3 else 0)
        for k in range(window)
    ]
    expected = sum(chance * late for chance, late in zip(first, few, strict=True))
    assert pftk.timeout_probability(p, window) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p", [0.01, 0.3, 0.8])
def test_backoff_is_the_mean_of_a_sequence_that_doubles_to_64(p: float) -> None:
    """To rounding (1e-9)."""
    lengths = np.cumsum(np.minimum(2.0 ** np.arange(400), 64.0))
    mean = (lengths * p ** np.arange(400) * (1.0 - p)).sum()
    assert pftk.backoff(p) / (1.0 - p) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("b", [1, 2])
def test_without_timeouts_and_limits_the_square_root_remains(b: int) -> None:
    """sqrt(3 / (2 b p)) / RTT for p to 0: 1 % at 1e-7."""
    ideal = math.sqrt(1.5 / b / 1e-7) / 0.1
    for formula in (pftk.send_rate, pftk.receive_rate, pftk.approximate):
        assert formula(1e-7, 0.1, 1.0, b=b) == pytest.approx(ideal, rel=0.01)


def rounds(p: float, rtt: float, timeout: float, window: int, b: int) -> tuple[float, float]:
    """Packets sent and received per second of the paper's process, round by round."""
    random = np.random.default_rng(1)
    size, time, sent, received = 2.0, 0.0, 0, 0
    for _ in range(60_000):
        while True:
            now = max(1, round(size))
            arrive = random.geometric(p) - 1
            time += rtt
            if arrive < now:
                break
            sent, received = sent + now, received + now
            size = min(size + 1.0 / b, window)
        last = min(random.geometric(p) - 1, arrive)  # of the `arrive` packets of the last round
        time += rtt
        sent, received = sent + now + arrive, received + arrive + last
        if last < 3:
            tries = random.geometric(1.0 - p)
            sent, received = sent + tries, received + 1
            time += timeout * sum(min(2**n, 64) for n in range(tries))
        size = max(size / 2.0, 1.0)
    return sent / time, received / time


@pytest.mark.parametrize(
    ("p", "window", "b"),
    [(0.003, 1000, 1), (0.01, 1000, 2), (0.01, 8, 1), (0.03, 1000, 1), (0.03, 6, 2)],
)
def test_the_full_model_is_close_to_the_process_that_it_idealises(
    p: float, window: int, b: int
) -> None:
    """4 %, and 20 % at 0.03, for means in place of laws. Standard errors are below 1 %."""
    tolerance = 0.04 if p < 0.03 else 0.2
    sent, received = rounds(p, 0.1, 1.0, window, b)
    assert pftk.send_rate(p, 0.1, 1.0, window, b) == pytest.approx(sent, rel=tolerance)
    assert pftk.receive_rate(p, 0.1, 1.0, window, b) == pytest.approx(received, rel=tolerance)


def test_a_window_that_is_never_lost_is_sent_every_round_trip() -> None:
    """p to 0 with a window of 10: 10 per round trip, to 0.1 %."""
    for formula in (pftk.send_rate, pftk.receive_rate, pftk.approximate):
        assert formula(1e-7, 0.1, 1.0, 10) == pytest.approx(100.0, rel=1e-3)


def test_where_it_answers() -> None:
    model = ZOO["pftk"]
    lossy = Conditions(rtt=0.1, loss_rate=0.01, window=50)
    assert model.answer_or_refusals(lossy) == ModelAnswer()
    assert model.answer(lossy) == pftk.receive_rate(0.01, 0.1, 1.0, 50)
    more = Conditions(rtt=0.1, loss_rate=0.3)
    low, high = model.ranges["rfc"]["loss_rate"]
    assert model.answer_or_refusals(more) == ModelAnswer(
        (f"loss_rate = 0.3 is outside {low:g} to {high:g}",)
    )
    slow = Conditions(rtt=0.1, loss_rate=0.01, rate=1e5)
    assert model.answer_or_refusals(slow) == "the rate, not the losses, would limit it"
    assert model.answer_or_refusals(Conditions(rtt=0.1)) == "the model needs random losses"
