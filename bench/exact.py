"""Time the exact solution at W_max 24, K 3, T_o 100 over a grid of 24 channels, one core."""

from __future__ import annotations

import statistics
import time

from airtcp import TwoState
from airtcp.models import zorzi

LOSS_RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
DOPPLERS = [0.01, 0.08, 0.64]
TARGETS = {"oldtahoe": 2.0, "tahoe": 0.5, "reno": 0.5, "newreno": 0.5}


def channels() -> list[TwoState]:
    fading = [TwoState.from_rayleigh(loss_rate=p, doppler=d) for d in DOPPLERS for p in LOSS_RATES]
    return [TwoState.iid(p) for p in LOSS_RATES] + fading


def seconds(variant: str, channel: TwoState) -> tuple[float, int]:
    begin = time.perf_counter()
    answer = zorzi.solve(variant, channel, window=24, method="exact")
    return time.perf_counter() - begin, answer.states or 0


def main() -> None:
    for variant, target in TARGETS.items():
        found = [seconds(variant, channel) for channel in channels()]
        median, worst = statistics.median(t for t, _ in found), max(t for t, _ in found)
        states = max(s for _, s in found)
        print(
            f"{variant}: median {median * 1e3:.1f} ms, worst {worst:.2f} s a point"
            f" (target {target} s), at most {states} states"
        )


if __name__ == "__main__":
    main()
