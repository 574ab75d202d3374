"""Tables 1, 2 and 3 of RFC 9438 from its formulas."""

import math

import pytest

from airtcp.models.zoo import ZOO, Conditions, ModelAnswer, rfc9438

CS = (0.04, 0.4, 4.0)
# -log10 p: Reno, CUBIC with C = 0.04, 0.4, 4
TABLE_1 = {  # RTT 0.1 s
    2: (12, 12, 12, 12),
    3: (38, 38, 38, 59),
    4: (120, 120, 187, 333),
    5: (379, 593, 1054, 1874),
    6: (1200, 3332, 5926, 10538),
    7: (3795, 18740, 33325, 59261),
    8: (12000, 105383, 187400, 333250),
}
TABLE_2 = {  # RTT 0.01 s
    2: (12, 12, 12, 12),
    3: (38, 38, 38, 38),
    4: (120, 120, 120, 120),
    5: (379, 379, 379, 379),
    6: (1200, 1200, 1200, 1874),
    7: (3795, 3795, 5926, 10538),
    8: (12000, 18740, 33325, 59261),
}


@pytest.mark.parametrize(("rtt", "table"), [(0.1, TABLE_1), (0.01, TABLE_2)])
def test_average_windows_are_those_of_the_tables(rtt: float, table: dict) -> None:
    """To the integer."""
    for power, (reno, *cubic) in table.items():
        p = 10.0**-power
        assert round(rfc9438.RENO_CONSTANT / math.sqrt(p)) == reno
        assert [round(rfc9438.average_window(p, rtt, c)) for c in CS] == cubic


@pytest.mark.parametrize(
    ("window", "printed"),
    [(83.3, 2.9e-4), (833.3, 1.4e-5), (8333.3, 6.3e-7), (83333.3, 2.9e-8)],
)
def test_loss_rates_are_those_of_table_3(window: float, printed: float) -> None:
    """To one in the second digit: 2.9e-4 is printed for 2.95e-4, 1.4e-5 for 1.37e-5."""
    unit = 10.0 ** math.floor(math.log10(printed)) / 10.0
    assert abs(rfc9438.loss_rate_for(window, 0.1) - printed) < unit


def test_the_equations_agree_with_one_another() -> None:
    """1.054 of figure 8, and an alpha for which AIMD's window is Reno's (rounding: 1e-12)."""
    assert round(rfc9438.cubic_window(1.0, 1.0), 3) == 1.054
    for beta in (0.5, 0.7, 0.9):
        friendly = rfc9438.aimd_window(1e-4, rfc9438.friendly_alpha(beta), beta)
        assert friendly == pytest.approx(rfc9438.aimd_window(1e-4), rel=1e-12)
    assert rfc9438.loss_rate_for(rfc9438.cubic_window(1e-5, 0.1), 0.1) == pytest.approx(1e-5)


def test_a_sawtooth_with_a_loss_every_1_over_p_packets_has_that_window() -> None:
    """The stage from 0.7 W to W of the cubic function, integrated in small steps: 1e-3."""
    c, beta, rtt, p = 0.4, 0.7, 0.1, 1e-6
    low, high = 1.0, 1e6
    for _ in range(60):
        top = math.sqrt(low * high)
        rise = (top * (1 - beta) / c) ** (1 / 3)
        step = rise / 4000
        packets = sum(top - c * (rise - (n + 0.5) * step) ** 3 for n in range(4000)) * step / rtt
        low, high = (top, high) if packets < 1 / p else (low, top)
    assert rfc9438.cubic_window(p, rtt) == pytest.approx(rtt / p / rise, rel=1e-3)


def test_where_it_answers() -> None:
    model = ZOO["rfc9438"]
    lossy = Conditions(rtt=0.1, loss_rate=1e-4, growth="cubic")
    assert model.answer_or_refusals(lossy) == ModelAnswer()
    assert round(model.answer(lossy) * 0.1) == 187
    assert (
        model.answer_or_refusals(Conditions(rtt=0.1, loss_rate=1e-4))
        == "the model covers CUBIC's growth only"
    )
