"""Time the two speed targets of the embedded model of [zorzi]; prints medians of several runs.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python bench/embedded.py

1. All four variants on a grid of 100 channels at W_max 24: under 0.5 s on one core.
2. One variant at one channel at W_max 256: under 1 s per point (the first call also tabulates the
   window, which later calls reuse).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from airtcp.models import zorzi
from airtcp.models.zorzi.windows import window_classes
from airtcp.scenario.two_state import TwoState

RUNS = 7


def median_seconds(task: Callable[[], object], prepare: Callable[[], object]) -> float:
    """Median wall time of `task` over RUNS runs, each after `prepare`."""
    seconds = []
    for _ in range(RUNS):
        prepare()
        begin = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def main() -> None:
    """Measure and print."""
    loss_rate = np.logspace(-4, -0.5, 100)
    p_bg = np.full(100, 0.25)
    grid = (p_bg * loss_rate / (1.0 - loss_rate), p_bg)

    def all_variants() -> object:
        return zorzi.sweep(zorzi.VARIANTS, grid, window=24)

    all_variants()
    seconds = median_seconds(all_variants, window_classes.cache_clear)
    print(f"four variants, 100 channels, W_max 24: {seconds:.3f} s (target 0.5 s)")

    channel = TwoState.from_burst(loss_rate=0.01, mean_burst=4.0)
    for variant in zorzi.VARIANTS:

        def one_point(variant: str = variant) -> object:
            return zorzi.solve(variant, channel, window=256, timeout=300)

        fresh = median_seconds(one_point, window_classes.cache_clear)
        cached = median_seconds(one_point, lambda: None)
        print(
            f"{variant}, one channel, W_max 256: {fresh:.3f} s,"
            f" window table cached {cached:.3f} s (target 1 s)"
        )


if __name__ == "__main__":
    main()
