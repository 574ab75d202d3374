"""The simulator against the exact solution: five variants on 42 grid points each.

Each point's 95 % interval (Student t over replications) either contains the exact value or misses
it. The number of misses must not exceed what chance allows: a one-sided binomial test at the 0.1
% level. And no point may have |z| >= 4: z is standard normal if the simulator is right, so that
other seeds would give a false alarm on 210 points with probability 1 - (1 - 6.3e-5)^210 = 1.3 %.
Every point has a seed of its own, for points of one seed share their random numbers and would miss
together. Runs are long enough for the start (window 1, nothing outstanding) to weigh less than a
tenth of a standard error. Seeds fixed; no retries. `make agreement` has 40 replications of twice
the length.
"""

import math
import os

import pytest

import airtcp
from airtcp.stats import too_many_misses

REPLICATIONS = int(os.environ.get("AIRTCP_AGREEMENT", "6"))
SLOTS = 500_000 if REPLICATIONS > 6 else 250_000
LOSS_RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
CHANNELS = [
    {"kind": "iid", "loss_rate": LOSS_RATES},
    {"kind": "rayleigh-two-state", "doppler": [0.01, 0.08, 0.64], "loss_rate": LOSS_RATES},
]
VARIANTS = ["oldtahoe", "tahoe", "reno", "newreno", "sack"]


def scenario(variant: str) -> airtcp.Scenario:
    grid = {"profile": "zorzi", "stop": {"slots": SLOTS, "replications": REPLICATIONS}}
    return airtcp.Scenario.from_dict(
        grid
        | {
            "tcp": {"variant": variant, "window": 12},
            "channel": CHANNELS,
            "analysis": {"method": "exact"},
        }
    )


def wide(variant: str) -> airtcp.Scenario:
    """Wide windows: few points, for these cost most."""
    return scenario(variant).replace(
        {"tcp.window": [6, 24], "channel": {"kind": "iid", "loss_rate": [0.01, 0.03, 0.1]}}
    )


def extremes(variant: str) -> airtcp.Scenario:
    """Negative memory, K = 1, an odd window, a timeout at its limit."""
    sparse = {"kind": "two-state", "p_gb": [0.1, 0.3, 0.6], "p_bg": [0.9, 0.95]}
    return scenario(variant).replace(
        {"tcp.window": [7, 8], "tcp.dupacks": 1, "tcp.timeout": 9, "channel": sparse}
    )


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, float, bool]]:
    """(where, z, whether the interval misses) of every point."""
    grids = [make(variant) for variant in VARIANTS for make in (scenario, wide, extremes)]
    points = [point for grid in grids for point in grid.points()]
    return [judged(point.data, seed) for seed, point in enumerate(points)]


def judged(point: dict[str, object], seed: int) -> tuple[str, float, bool]:
    row = airtcp.run(airtcp.Scenario.from_dict(point), seed=seed).table.iloc[0]
    above = row["simulation_low"] > row["analysis_upper"]
    below = row["simulation_high"] < row["analysis_lower"]
    return f"{point['tcp']} {point['channel']}", float(row["z"]), bool(above or below)


def test_there_are_enough_points(rows: list[tuple[str, float, bool]]) -> None:
    assert len(rows) == 42 * len(VARIANTS)
    assert all(math.isfinite(z) for _, z, _ in rows)


def test_no_more_misses_than_chance_allows(rows: list[tuple[str, float, bool]]) -> None:
    misses = sum(missed for _, _, missed in rows)
    assert not too_many_misses(misses, len(rows), level=0.001), f"{misses} of {len(rows)}"


def test_no_point_is_far_off(rows: list[tuple[str, float, bool]]) -> None:
    for where, z, _ in rows:
        assert abs(z) < 4, where
