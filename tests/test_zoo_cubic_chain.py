"""CUBIC's Markov chain: its limit, a Monte Carlo of it, the simulator."""

import numpy as np
import pytest

from airtcp import Scenario, simulate
from airtcp.models.zoo import ZOO, Conditions, Covered, cubic_chain
from airtcp.models.zoo.cubic_chain import Cubic, average_window, scaled_constant
from airtcp.models.zoo.rfc9438 import cubic_window


def one_stage(window: float, plateau: float, packets: float, beta: float) -> tuple[float, float]:
    """Time to the loss after so many packets, and the window then: RTT = C = 1, by bisection."""
    rise = np.cbrt(max(plateau - beta * window, 0.0))
    low, high = 0.0, 50.0
    for _ in range(60):
        time = (low + high) / 2.0
        sent = ((time - rise) ** 4 - rise**4) / 4.0 + plateau * time
        low, high = (time, high) if sent < packets else (low, time)
    return time, (time - rise) ** 3 + plateau


@pytest.mark.parametrize("fast_convergence", [False, True])
def test_the_limit_is_that_of_simulated_stages(fast_convergence: bool) -> None:
    """12 000 stages in 60 parts: four standard errors, which is about 2 %."""
    random, beta, times = np.random.default_rng(1), 0.7, []
    window = plateau = 1.0
    for packets in random.exponential(1.0, 12_000):
        time, window = one_stage(window, plateau, packets, beta)
        lower = fast_convergence and window < plateau
        plateau = window * (1.0 + beta) / 2.0 if lower else window
        times.append(time)
    parts = np.reshape(times, (60, -1)).mean(axis=1)
    mean, error = parts.mean(), parts.std(ddof=1) / np.sqrt(60)
    found = scaled_constant(beta, c=1.0, fast_convergence=fast_convergence)
    assert abs(1.0 / found - mean) < 4.0 * error
    assert 4.0 * error < 0.025 * mean


def test_the_limit_scales_with_c_and_random_losses_are_better_than_regular_ones() -> None:
    """C^(1/4), to 1e-6; 1.300 at C = 0.4 and beta = 0.7, against 1.054 of RFC 9438, figure 8."""
    assert scaled_constant(c=4.0) == pytest.approx(scaled_constant() * 10**0.25, rel=1e-6)
    assert scaled_constant() == pytest.approx(1.300, abs=1e-3)
    assert cubic_window(1.0, 1.0) < scaled_constant(fast_convergence=True) < scaled_constant()


def test_rare_losses_lead_to_the_limit() -> None:
    """2 % at 1e-8 and a long round trip, where Reno's window and the repair count for little."""
    window = average_window(Cubic(p=1e-8, rtt=0.2, fast_convergence=False))
    assert window == pytest.approx(scaled_constant() * (0.2 / 1e-8) ** 0.75, rel=0.02)


def test_the_grid_is_fine_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """1e-4 from twice the steps and half as many states more."""
    points = [Cubic(p=1e-3, rtt=0.1), Cubic(p=1e-5, rtt=0.1), Cubic(p=1e-4, rtt=0.1, most=100)]
    found = [average_window(point) for point in points]
    monkeypatch.setattr(cubic_chain, "_STATES", 300)
    monkeypatch.setattr(cubic_chain, "_STEPS", 3000)
    assert found == pytest.approx([average_window(point) for point in points], rel=1e-4)


@pytest.mark.parametrize(
    ("p", "rtt", "seconds", "window"),
    [(1e-3, 0.1, 600, 2000), (1e-3, 0.02, 120, 2000), (1e-3, 0.1, 600, 40)],
)
def test_the_simulator_agrees(p: float, rtt: float, seconds: float, window: int) -> None:
    """4 %: some three standard errors, and 1 or 2 % for what the model leaves out."""
    hop = {"rate": "10Gbps", "delay": f"{rtt / 2}s", "queue": 20_000}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "growth": "cubic", "window": window, "delayed_ack": "0s"},
        "path": {"hop": [{**hop, "channel": {"kind": "iid", "loss_rate": p}}]},
        "stop": {"time": f"{seconds}s", "replications": 8},
    }
    runs = simulate(Scenario.from_dict(document), seed=3).to_pandas()
    conditions = Conditions(rtt=rtt, loss_rate=p, growth="cubic", window=window)
    assert ZOO["cubic-chain"].covers(conditions) == Covered()
    found = ZOO["cubic-chain"].answer(conditions)
    assert found == pytest.approx(float(runs["throughput_pps"].mean()), rel=0.04)
