"""Time TCP over ARQ: exact losses of a packet, and all of Figs. 2 to 8 by analysis [chockalingam].

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python bench/arq.py

1. One (P_E, r), nothing kept: the worst uncoded and the worst coded one of Table 1.
2. Figs. 2 to 8 on two processes: the losses cold, and the throughputs with them.
3. The exact solution of TCP beside the embedded one, at points of Figs. 3 and 4.

Wall time, and CPU time, which counts on a busy machine.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from airtcp import TwoState
from airtcp.models.chockalingam import VARIANTS, solve
from airtcp.models.fading import packet_errors, solution

TCP_BYTES = 1024
SNRS = np.arange(10.0, 30.1, 2.5).tolist()
HALF, THIRD = "bch(255,131)", "bch(255,87)"
Fading = dict[str, Any]
Point = tuple[str, TwoState, int, int]  # variant, losses, fragments, attempts


def table_1() -> list[Fading]:
    """The cells of Table 1."""
    return [
        {"snr_db": snr, "doppler_hz": doppler, "bytes": 32, "code": code}
        for code in (None, THIRD)
        for doppler in (1, 10, 100)
        for snr in (10, 20, 30)
    ]


def figures() -> list[tuple[Fading, list[tuple[str, int, int]]]]:
    """The losses of Figs. 2 and 5 to 8 with what is asked of each: variant, fragments, attempts."""
    curves: dict[tuple[int, str | None, float], list[tuple[str, int, int]]] = {}

    def curve(size: int, code: str | None, dopplers: tuple[float, ...], *asked: Any) -> None:
        for doppler in dopplers:
            curves.setdefault((size, code, doppler), []).extend(asked)

    curve(1024, None, (1, 10, 100), ("tahoe", 1, 1))
    curve(512, None, (1, 10, 100), ("tahoe", 1, 1))
    for size in (32, 64, 128):
        curve(size, None, (10,), *[("tahoe", TCP_BYTES // size, n) for n in (1, 8, 16, 128)])
    for code in (None, HALF, THIRD):
        curve(32, code, (1, 100), ("tahoe", 32, 16))
    curve(32, HALF, (1, 100), ("newreno", 32, 16))
    return [
        ({"snr_db": snr, "doppler_hz": doppler, "bytes": size, "code": code}, asked)
        for (size, code, doppler), asked in curves.items()
        for snr in SNRS
    ]


def bursts() -> list[Point]:
    """The points of Figs. 3 and 4."""
    lengths = np.geomspace(2, 1000, 25)
    cases = [(p, 16) for p in (0.001, 0.01, 0.1)] + [(0.1, 1), (0.1, 128)]
    return [
        ("tahoe", TwoState.from_burst(loss_rate=p, mean_burst=length), 32, n)
        for p, n in cases
        for length in lengths
    ]


def losses(fading: Fading) -> tuple[TwoState, float, float]:
    """The losses with the wall and the CPU time of computing them anew."""
    solution._solve_link.cache_clear()
    wall, cpu = time.perf_counter(), time.process_time()
    found = packet_errors(**fading).two_state
    return found, time.perf_counter() - wall, time.process_time() - cpu


def throughput(point: Point, method: str = "embedded") -> tuple[float, float]:
    """The throughput, and the CPU time that it takes."""
    variant, channel, fragments, attempts = point
    begin = time.process_time()
    found = solve(variant, channel, fragments=fragments, attempts=attempts, method=method)
    return found.throughput, time.process_time() - begin


def best(cell: Fading) -> tuple[float, float]:
    """Shortest wall and CPU time of three."""
    runs = [losses(cell)[1:] for _ in range(3)]
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def entries() -> None:
    """The worst entries of Table 1."""
    cells = table_1()
    losses({"snr_db": 20, "doppler_hz": 10, "bytes": 16})  # imports, and the first call of BLAS
    for coded, target in ((False, 0.1), (True, 2.0)):
        found = [best(cell) for cell in cells if (cell["code"] is not None) == coded]
        wall, cpu = np.max(found, axis=0)
        name = "coded" if coded else "uncoded"
        middle = np.median([seconds for _, seconds in found])
        print(f"{name} entry: worst {cpu:.2f} s CPU ({wall:.2f} s wall), median {middle:.3f} s CPU"
              f" (target {target} s)")  # fmt: skip


def all_figures() -> None:
    """Figs. 2 to 8 on two processes."""
    asked = figures()
    with ProcessPoolExecutor(2) as pool:
        begin = time.perf_counter()
        known = list(pool.map(losses, [fading for fading, _ in asked], chunksize=1))
        cold = time.perf_counter() - begin
        points = [
            (variant, channel, fragments, attempts)
            for (_, wanted), (channel, _, _) in zip(asked, known, strict=True)
            for variant, fragments, attempts in wanted
        ] + bursts()
        answers = list(pool.map(throughput, points, chunksize=8))
        both = time.perf_counter() - begin
    cpu = sum(seconds for _, _, seconds in known), sum(seconds for _, seconds in answers)
    print(
        f"Figs. 2 to 8: {len(known)} losses in {cold:.1f} s, {len(points)} throughputs in"
        f" {both - cold:.1f} s (targets 90 s in all, 10 s); CPU {cpu[0]:.1f} and {cpu[1]:.1f} s"
    )


def exact() -> None:
    """Both methods at three points."""
    for burst, attempts in ((20, 16), (100, 1), (170, 128)):
        channel = TwoState.from_burst(loss_rate=0.1, mean_burst=burst)
        for variant in VARIANTS:
            value, seconds = throughput((variant, channel, 32, attempts), "exact")
            above, _ = throughput((variant, channel, 32, attempts))
            print(f"exact, burst {burst}, n_l {attempts}, {variant}: {value:.6f} in"
                  f" {seconds:.2f} s CPU, embedded {above - value:+.1e}")  # fmt: skip


if __name__ == "__main__":
    entries()
    all_figures()
    exact()
