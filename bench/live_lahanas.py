"""The six protocols of Lahanas and Tsaoussidis on real packets, beside the simulator.

    python bench/live_lahanas.py FOLDER [--replications 10] [--at-once 8] [--rates 0,0.33,0.99]

The scenario is examples/probing.toml: 5 242 880 B, On for 1 s, Off for 5 s on average, both hosts
losing what they send. Live and simulated runs have the same seed and replications, so the same On
and Off periods in time; the handshake shifts the transfer against them by a round trip. What is
finished is kept in FOLDER: the same command goes on. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import airtcp
from airtcp.stats import mean_intervals

FILE_OF_SCENARIO = Path(__file__).parent.parent / "examples" / "probing.toml"
METRICS = ("transfer_time", "overhead")


def scenario_at(rate: float) -> airtcp.Scenario:
    """All six protocols at an error rate."""
    scenario = airtcp.Scenario.load(FILE_OF_SCENARIO)
    for place in ("exit", "back.exit"):
        scenario = scenario.replace(f"path.hop[0].{place}.loss_rate", rate)
    return scenario


def live_runs(folder: Path) -> dict[tuple[str, int], dict[str, float]]:
    """The live runs in a folder, by point and replication."""
    rows = airtcp.results(folder).live.to_pandas().to_dict("records")
    return {(row["scenario"], row["replication"]): row for row in rows}


def simulated(point: airtcp.Scenario, count: int, seed: int) -> dict[str, np.ndarray]:
    """The metrics of simulated runs, by replication."""
    runs = airtcp.simulate(point, replications=count, seed=seed).runs
    return {metric: runs[metric].to_numpy() for metric in METRICS}


def mean_text(values: np.ndarray, scale: float = 1.0) -> str:
    """Mean and half its 95 % interval."""
    if len(values) < 2 or np.ptp(values) == 0:
        return f"{scale * values.mean():.4g}"
    found = mean_intervals(values[None, :])
    half = float(found["high"][0] - found["mean"][0])
    return f"{scale * values.mean():.4g} ± {scale * half:.2g}"


def rows(rate: float, folder: Path, count: int, at_once: int, seed: int) -> list[str]:
    """The lines of the table at an error rate."""
    scenario = scenario_at(rate)
    number = count if rate > 0 else 1
    airtcp.run(
        scenario,
        engine="live",
        stack="airtcp",
        live_jobs=at_once,
        replications=number,
        seed=seed,
        out=folder,
    )
    kept, lines = live_runs(folder), []
    for point in scenario.points():
        live = [kept[point.hash, n] for n in range(number)]
        model = simulated(airtcp.Scenario.from_dict(dict(point.data)), max(number, 200), seed)
        times = np.array([run["transfer_time"] for run in live])
        over = np.array([run["overhead"] for run in live])
        pairs = times - model["transfer_time"][:number]
        valid = sum(bool(run["valid"]) for run in live)
        lines.append(
            f"| {100 * rate:g} % | `{point.coordinates['tcp.variant']}` | {number} ({valid}) |"
            f" {mean_text(times)} | {mean_text(model['transfer_time'][:number])} |"
            f" {mean_text(model['transfer_time'])} | {mean_text(pairs)} |"
            f" {mean_text(over, 100)} | {mean_text(model['overhead'][:number], 100)} |"
        )
    return lines


def main() -> None:
    """Measure, and print."""
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("folder", type=Path)
    words.add_argument("--replications", type=int, default=10)
    words.add_argument("--at-once", type=int, default=8)
    words.add_argument("--rates", default="0,0.33,0.99")
    words.add_argument("--seed", type=int, default=1)
    asked = words.parse_args()
    print(
        "| error rate | variant | runs (valid) | live, s | same runs simulated, s |"
        " 200 simulated, s | difference of pairs, s | overhead, % | simulated, % |"
    )
    print("|" + "---|" * 9)
    for rate in map(float, asked.rates.split(",")):
        folder = asked.folder / f"{rate:g}"
        for line in rows(rate, folder, asked.replications, asked.at_once, asked.seed):
            print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
