"""Selection of the best with an indifference zone: its promise, its cost, its boundary."""

import math

import numpy as np
import pytest

from airtcp.stats.selection import FIRST_RUNS, boundary, survivors


def select(
    rng: np.random.Generator, means: list[float], zone: float, shared: float
) -> tuple[int, int]:
    """The alternative that is left of normal ones, and the runs spent; `shared`: of their noise."""
    alive, runs = list(range(len(means))), FIRST_RUNS
    size = (len(means), 4000)
    noise = math.sqrt(1 - shared) * rng.normal(size=size) + math.sqrt(shared) * rng.normal(
        size=size[1]
    )
    values = np.array(means)[:, None] + noise
    bound = boundary(values[:, :FIRST_RUNS], zone, 0.95)
    spent = runs * len(means)
    while len(alive) > 1:
        alive = survivors(values[:, :runs].mean(axis=1), alive, bound, runs)
        runs += 1
        spent += len(alive)
    return alive[0], spent


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_the_best_is_left_as_often_as_promised(shared: float) -> None:
    """Kim and Nelson's least favourable means: all others a zone below the best."""
    rng, times = np.random.default_rng(1), 400
    right = sum(select(rng, [0.5, 0.0, 0.0, 0.0, 0.0], 0.5, shared)[0] == 0 for _ in range(times))
    # 95 % are promised; by chance fewer than 369 in 400 come once in a hundred times.
    assert right >= 369


def test_common_noise_makes_it_cheaper() -> None:
    rng = np.random.default_rng(2)
    means = [0.5, 0.3, 0.0, -0.5, -1.0]
    apart = sum(select(rng, means, 0.3, 0.0)[1] for _ in range(50))
    common = sum(select(rng, means, 0.3, 0.8)[1] for _ in range(50))
    assert common < 0.5 * apart


def test_a_zone_that_is_too_wide_is_the_control() -> None:
    """Means that differ by a tenth of the zone are told apart no better than by a few runs."""
    rng, times = np.random.default_rng(3), 200
    right = sum(select(rng, [0.5, 0.45, 0.45, 0.45, 0.45], 5.0, 0.0)[0] == 0 for _ in range(times))
    assert right < 0.5 * times


def test_the_boundary_is_that_of_the_paper() -> None:
    """Of two alternatives: eta = ((2 alpha)^(-2 / (n - 1)) - 1) / 2, h^2 = 2 eta (n - 1)."""
    first = np.array([[1.0, 2.0, 4.0, 5.0], [1.0, 1.0, 2.0, 2.0]])
    bound = boundary(first, 0.5, 0.95)
    eta = 0.5 * (0.1 ** (-2 / 3) - 1)
    variance = np.var([0.0, 1.0, 2.0, 3.0], ddof=1)
    assert bound.factor == pytest.approx(6 * eta)
    assert bound.last_runs() == math.floor(6 * eta * variance / 0.25) + 1
    assert bound.width(4)[0, 1] == pytest.approx(0.5 / 8 * (6 * eta * variance / 0.25 - 4))
    assert bound.width(bound.last_runs())[0, 1] == 0.0


def test_what_cannot_be_chosen_among() -> None:
    for first, zone in ((np.ones((1, 5)), 1.0), (np.ones((2, 1)), 1.0), (np.ones((2, 5)), 0.0)):
        with pytest.raises(ValueError, match="two alternatives"):
            boundary(first, zone, 0.95)
