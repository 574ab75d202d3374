"""Time `airtcp results` and its summaries on a million rows that were never simulated."""

from __future__ import annotations

import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import airtcp
from airtcp import _native
from airtcp.campaign.manifest import DataFile, Manifest
from airtcp.metrics.ratios import ratios, stored_metrics

VARIANTS = ["tahoe", "reno", "newreno", "sack"]
DELAYS = [f"{ms}ms" for ms in range(10, 260, 10)]
LOSS_RATES = np.geomspace(1e-4, 1e-1, 100).round(8).tolist()
REPLICATIONS, FILES, ROUNDS = 100, 1, 5
LOSS, DELAY = "path.hop[0].channel.loss_rate", "path.hop[0].delay"
SECONDS, PACKET = 100, 8192


def scenario() -> dict:
    hop = {"rate": "1Mbps", "queue": 50, "channel": {"kind": "iid", "loss_rate": LOSS_RATES}}
    return {
        "profile": "ns2",
        "tcp": {"variant": VARIANTS},
        "path": {"hop": [hop | {"delay": DELAYS}]},
        "stop": {"time": f"{SECONDS}s", "replications": REPLICATIONS},
    }


def counts(loss: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Possible counts of a run of a hundred seconds."""
    sent = rng.poisson(12_000.0 / (1.0 + 30.0 * loss))
    lost = rng.binomial(sent, loss)
    resent = lost + rng.binomial(lost, 0.1)
    deliveries, duplicates = sent - resent, resent - lost
    delay = rng.integers(20_000_000, 400_000_000, len(sent))
    acked = np.maximum(deliveries - rng.integers(0, 20, len(sent)), 0)
    zero = np.zeros_like(sent)
    return {
        "time_ns": np.full_like(sent, SECONDS * 10**9),
        "sent": sent,
        "resent": resent,
        "sent_bits": sent * PACKET,
        "resent_bits": resent * PACKET,
        "arrivals": deliveries + duplicates,
        "deliveries": deliveries,
        "duplicates": duplicates,
        "in_order": deliveries,
        "acked": acked,
        "acks_sent": deliveries + duplicates,
        "ack_bits": 320 * (deliveries + duplicates),
        "acks_arrived": deliveries + duplicates,
        "timeouts": rng.poisson(0.1 * lost),
        "fast_retransmits": rng.binomial(lost, 0.7),
        "milestone_ns": zero - 1,
        "first_arrival_ns": deliveries * delay,
        "first_arrivals": deliveries,
        "own_ack_ns": acked * (delay + 1_000_000),
        "own_acks": acked,
        "cumulative_ack_ns": acked * (delay + 2_000_000),
        "cumulative_acks": acked,
    }


def part(points: list[tuple[str, str, float]], first: int, rng: np.random.Generator) -> pa.Table:
    variants, delays, losses = (
        np.repeat(np.array(values, dtype=object if index < 2 else float), REPLICATIONS)
        for index, values in enumerate(zip(*points, strict=True))
    )
    hashes = [f"{first + index:016x}" for index in range(len(points))]
    columns = {
        "scenario": np.repeat(hashes, REPLICATIONS),
        "tcp.variant": variants,
        DELAY: delays,
        LOSS: losses,
        "model": np.full(len(losses), _native.MODEL_VERSION),
        "seed": np.ones(len(losses), dtype=np.uint64),
        "replication": np.tile(np.arange(REPLICATIONS), len(points)),
        "flow": np.zeros(len(losses), dtype=np.int64),
    }
    counted = counts(losses, rng)
    metrics = ratios(counted, "path", PACKET)
    return pa.table(
        columns | counted | {name: metrics[name] for name in stored_metrics("path", counted)}
    )


def write(folder: Path) -> int:
    """A folder of results; returns its bytes."""
    rng = np.random.default_rng(1)
    points = [(v, d, p) for v in VARIANTS for d in DELAYS for p in LOSS_RATES]
    size = len(points) // FILES
    (folder / "data").mkdir()
    files = []
    for index in range(FILES):
        name = f"data/part-{index:05d}.parquet"
        table = part(points[index * size : (index + 1) * size], index * size, rng)
        pq.write_table(table, folder / name, compression="zstd", row_group_size=100_000)
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        files.append(DataFile(name, table.num_rows, digest))
    manifest = Manifest(
        scenario=scenario(),
        family="path",
        seed=1,
        replications=REPLICATIONS,
        precision=None,
        coordinates=["tcp.variant", DELAY, LOSS],
        points=len(points),
    )
    runs = len(points) * REPLICATIONS
    manifest.as_finished(runs, runs, files).write(folder)
    return sum((folder / file.name).stat().st_size for file in files)


def timed(name: str, action: Callable[[], object]) -> None:
    """Print seconds on the wall, and of processor time, of this process and those it started."""
    wall, cpu = [], []
    for _ in range(ROUNDS):
        begin, before = time.perf_counter(), os.times()
        action()
        wall.append(time.perf_counter() - begin)
        cpu.append(sum(os.times()[:4]) - sum(before[:4]))
    said = f"median {statistics.median(wall):.2f} s, {min(wall):.2f} to {max(wall):.2f}"
    print(f"{name}: {said}; {statistics.median(cpu):.2f} s of processor time")


def command(folder: Path, *words: str) -> None:
    program = Path(sys.executable).with_name("airtcp")
    done = [program, "results", folder, *words]
    subprocess.run(done, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write(folder)
        print(f"10^6 rows of 10^4 points, {size / 1e6:.0f} MB in {FILES} files, {ROUNDS} rounds")
        timed("airtcp results DIR, whole process", lambda: command(folder))
        by = ("--by", "variant", "--by", "loss_rate", "--metric", "goodput_bps")
        timed("airtcp results DIR --by variant --by loss_rate", lambda: command(folder, *by))
        timed("read, check and summarise one metric", lambda: summarise(folder, "throughput_pps"))
        timed("read, check and summarise every metric", lambda: summarise(folder, None))


def summarise(folder: Path, metric: str | None) -> None:
    airtcp.results(folder).summary(metric)


if __name__ == "__main__":
    main()
