"""The exact solution of TCP over a link layer that sends again: against models and simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import airtcp
from airtcp.errors import InputError
from airtcp.models import zorzi
from airtcp.models.chockalingam import VARIANTS, solve
from airtcp.scenario.two_state import TwoState
from arq_simulation import ArqSimulation

RATES = ("throughput", "transmissions", "timeouts", "fast_retransmits")


def exact(variant: str, channel: TwoState, **case: Any) -> Any:
    return solve(variant, channel, method="exact", **{"fragments": 32, **case})


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("window", "dupacks", "p_gb", "p_bg"),
    [(16, 3, 0.01, 0.2), (6, 3, 0.1, 0.9), (5, 1, 0.3, 0.8), (1, 3, 0.3, 0.2), (7, 9, 0.9, 0.7)],
)
def test_one_fragment_and_one_attempt_are_the_exact_solution_of_zorzi(
    variant: str, window: int, dupacks: int, p_gb: float, p_bg: float
) -> None:
    channel, tcp = TwoState(p_gb=p_gb, p_bg=p_bg), {"window": window, "dupacks": dupacks}
    known = zorzi.solve(variant, channel, method="exact", **tcp)
    found = exact(variant, channel, fragments=1, attempts=1, **tcp)
    for name in (*RATES, "lower", "upper", "error_bound"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), abs=1e-12)
    assert found.late_timers == 0.0


CASES: list[tuple[dict[str, int], TwoState]] = [
    (
        {"window": window, "fragments": fragments, "attempts": attempts, "timeout": timeout},
        channel,
    )
    for window, fragments, attempts, timeout, channel in (
        (6, 4, 3, 120, TwoState(p_gb=0.05, p_bg=0.25)),
        (8, 3, 1, 90, TwoState(p_gb=0.02, p_bg=0.4)),
        (7, 2, 2, 80, TwoState(p_gb=0.1, p_bg=0.5)),
        (24, 32, 16, 3200, TwoState.from_burst(loss_rate=0.1, mean_burst=20)),
    )
]


@pytest.mark.parametrize(("case", "channel"), CASES)
def test_the_chain_on_the_window_is_exact_but_for_deliveries(
    case: dict[str, int], channel: TwoState
) -> None:
    """Tahoe and OldTahoe send alike whatever the receiver holds: the two solvers meet there."""
    for variant in ("oldtahoe", "tahoe"):
        known, found = solve(variant, channel, **case), exact(variant, channel, **case)
        for name in (*RATES[1:], "tcp_packets"):
            assert getattr(found, name) == pytest.approx(getattr(known, name), rel=1e-6, abs=1e-9)
        assert found.mean_cycle_slots == pytest.approx(known.mean_cycle_slots, rel=1e-6)
        assert known.lower < found.throughput < known.upper
        assert found.error_bound < 1e-6
        assert found.packet == known.packet
    for variant in ("reno", "newreno"):
        known, found = solve(variant, channel, **case), exact(variant, channel, **case)
        assert known.lower < found.throughput < known.upper + 1e-3
        assert found.transmissions == pytest.approx(known.transmissions, rel=3e-3)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("case", "channel"), CASES[:3])
def test_against_a_naive_simulation(variant: str, case: dict[str, int], channel: TwoState) -> None:
    found = exact(variant, channel, **case)
    runs = []
    for seed in range(12):
        simulation = ArqSimulation(variant, channel, seed=seed, dupacks=3, **case)
        counts = simulation.run(25_000)
        sent = case["fragments"] * counts.deliveries, simulation.air
        runs.append(np.array([*sent, counts.timeouts, counts.fast_retransmits]) / counts.slots)
    mean, error = np.mean(runs, axis=0), stats.sem(runs, axis=0)
    # 5.5 standard errors of 12 runs: Student's t with 11 degrees exceeds them twice in 10^4
    for name, simulated, spread in zip(RATES, mean, error, strict=True):
        assert abs(getattr(found, name) - simulated) <= 5.5 * spread
    assert found.late_timers < 1e-4


@pytest.mark.parametrize("variant", ["oldtahoe", "tahoe"])
@pytest.mark.parametrize(("case", "channel"), CASES[:3])
def test_what_the_embedded_chain_counts_too_much_arrives_twice(
    variant: str, case: dict[str, int], channel: TwoState
) -> None:
    """It counts every packet that arrives; the receiver has some of them from earlier cycles."""
    scenario = airtcp.Scenario.from_dict(
        {
            "profile": "zorzi",
            "tcp": {"variant": variant, "window": case["window"], "timeout": case["timeout"]},
            "link": {"arq": {"fragments": case["fragments"], "attempts": case["attempts"]}},
            "channel": {"kind": "two-state", "p_gb": channel.p_gb, "p_bg": channel.p_bg},
            "stop": {"slots": 500_000, "replications": 40},
        }
    )
    runs = airtcp.simulate(scenario, seed=2).to_pandas()
    again = runs["transmissions"] - runs["ll_failures"] - runs["deliveries"]
    share = case["fragments"] * again / runs["slots"]
    surplus = (
        solve(variant, channel, **case).throughput - exact(variant, channel, **case).throughput
    )
    # 4.3 standard errors of 40 runs: Student's t with 39 degrees exceeds them once in 10^4
    assert abs(surplus - share.mean()) < 4.3 * stats.sem(share) < 0.15 * surplus


@pytest.mark.parametrize(
    ("burst", "attempts", "variants"),
    [
        (20, 16, VARIANTS),
        (100, 16, VARIANTS),
        (100, 1, VARIANTS),
        (170, 128, VARIANTS[1:]),  # OldTahoe takes seconds and a gigabyte there
    ],
)
def test_against_simulations_of_figs_3_and_4(
    burst: int, attempts: int, variants: tuple[str, ...]
) -> None:
    scenario = airtcp.Scenario.from_dict(
        {
            "profile": "zorzi",
            "tcp": {"variant": list(variants), "timeout": 3200},
            "link": {"packet": "32B", "arq": {"packet": "1024B", "attempts": attempts}},
            "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": burst},
            "stop": {"slots": 2_000_000, "replications": 20},
        }
    )
    runs = airtcp.simulate(scenario, seed=11).to_pandas().groupby("tcp.variant")
    channel = TwoState.from_burst(loss_rate=0.1, mean_burst=burst)
    for variant in variants:
        found = exact(variant, channel, attempts=attempts)
        seen = runs.get_group(variant)
        air = seen["ll_transmissions"] / seen["slots"]
        for value, simulated in (
            (found.throughput, seen["throughput"]),
            (found.transmissions, air),
        ):
            # 4.6 standard errors of 20 runs: Student's t with 19 degrees exceeds them twice in 10^4
            assert abs(value - simulated.mean()) < 4.6 * stats.sem(simulated)


def test_a_link_that_never_or_always_loses() -> None:
    never = exact("tahoe", TwoState(p_gb=0.0, p_bg=1.0), fragments=8, attempts=2)
    assert (never.throughput, never.transmissions, never.error_bound) == (1.0, 1.0, 0.0)
    second = exact("newreno", TwoState(p_gb=0.02, p_bg=1.0), attempts=2)  # it always arrives
    assert second.throughput == pytest.approx(1.0 / 1.02, rel=1e-12)
    assert second.timeouts == 0.0
    always = exact("reno", TwoState(p_gb=1.0, p_bg=0.0), fragments=8, attempts=2)
    assert (always.throughput, always.late_timers) == (0.0, pytest.approx(0.0, abs=1e-6))
    assert always.transmissions == pytest.approx(2 / 800)
    assert always.timeouts == pytest.approx(1 / 800)


CHANNEL = TwoState(p_gb=0.1, p_bg=0.4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window": 49}, 'window = 49: must be at most 48 for method "exact"; use "embedded"'),
        ({"timeout": 50_001}, 'timeout = 50001: must be at most 50000 for method "exact"'),
        ({"method": "printed"}, "method = 'printed': must be embedded, whose `lower`"),
        ({"method": "tight"}, "method = 'tight': must be embedded, whose `lower`"),
        ({"timeout": 767}, "timeout = 767: must be at least 768 slots for tahoe at window 24"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    case = {"fragments": 32, "attempts": 16, "method": "exact", **change}
    with pytest.raises(InputError) as refused:
        solve("tahoe", CHANNEL, **case)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
