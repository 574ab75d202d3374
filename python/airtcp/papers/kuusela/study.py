"""The simulations of the paper: one link, delay spikes, and results that parts share.

A spike holds packets for 5 to 10 s (Fig. 3) or 1 to 5 s (Fig. 4), uniformly; from the start of one
to the start of the next it is uniformly 10 s to 2 E(T) - 10 s. Packets of 576 bytes, 100 ms one
way, SACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

import airtcp
from airtcp.papers import base
from airtcp.papers.columns import HIGH, LOW, SIMULATED

PACKET_BITS = 576 * 8
DELAY = 0.1  # s, one way
QUEUE = 50  # packets
RATES = (40_000, 100_000)  # bit/s
WINDOWS = (6, 20, 10_000)
LOSSES = (0.005, 0.02, 0.05)
LEAST_INTERVAL = 10.0  # s
SPIKES = {"fig3": (5.0, 10.0), "fig4": (1.0, 5.0)}  # s
STABLE_INTERVAL = 40.0  # s, E(T) from which nothing depends on whether the timer has adapted
_COLUMN_NAMES = {
    "tcp.window": "window",
    "tcp.spurious": "spurious",
    "path.hop[0].channel.loss_rate": "loss_rate",
}
_INTERVAL = "path.hop[0].gate.interval.max"
_COLUMNS = [*_COLUMN_NAMES.values(), "rate", "mean_interval", "replication"]
_COLUMNS += ["time", "goodput_bps", "timeouts", "resent"]


@dataclass(frozen=True)
class LinkParameters:
    """Parameters of a link for the models: R in s, C_max in packets/s."""

    rtt: float
    capacity: float

    @classmethod
    def of(cls, rate: float) -> LinkParameters:
        """The link at a rate: R is both ways and the transmission of a packet [kuusela 3.1]."""
        return cls(rtt=2.0 * DELAY + PACKET_BITS / rate, capacity=rate / PACKET_BITS)


@dataclass(frozen=True, kw_only=True)
class KuuselaSizes:
    """Amount of simulation: E(T), s; runs per point and their length, s, without and with loss."""

    means: tuple[float, ...]
    runs: int
    time: float
    lossy_runs: int
    lossy_time: float


def scenario(
    rate: int,
    lengths: tuple[float, float],
    means: Iterable[float],
    *,
    time: float,
    loss: Iterable[float] = (),
    profile: str = "ns2",
    **tcp: Any,
) -> airtcp.Scenario:
    """A scenario of section 3.1. Axes are E(T), and if need be loss rate and keys of `tcp`."""
    most = [f"{2.0 * mean - LEAST_INTERVAL:g}s" for mean in means]
    hop: dict[str, Any] = {
        "rate": f"{rate}bps",
        "delay": f"{1000 * DELAY:g}ms",
        "queue": QUEUE,
        "gate": {
            "kind": "spikes",
            "interval": {"kind": "uniform", "min": f"{LEAST_INTERVAL:g}s", "max": most},
            "duration": {"kind": "uniform", "min": f"{lengths[0]:g}s", "max": f"{lengths[1]:g}s"},
        },
    }
    if rates := list(loss):
        hop["channel"] = {"kind": "iid", "loss_rate": rates}
    document = {
        "profile": profile,
        "tcp": {"variant": "sack", "packet": "576B", **tcp},
        "path": {"hop": [hop]},
        "stop": {"time": f"{time:g}s", "replications": 1},
    }
    return airtcp.Scenario.from_dict(document)


class KuuselaStudy(base.PaperStudy[KuuselaSizes]):
    """One run of the paper's study: simulates on demand, each experiment once."""

    FULL = KuuselaSizes(
        means=(15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0),
        runs=8,
        time=10_000.0,
        lossy_runs=6,
        lossy_time=3000.0,
    )
    QUICK = KuuselaSizes(
        means=(20.0, 40.0, 60.0), runs=6, time=4000.0, lossy_runs=6, lossy_time=1000.0
    )

    def goodput(self, figure: str) -> pd.DataFrame:
        """The runs of Fig. 3 or 4 with and without losses, one row each."""
        return pd.concat([self.lossless(figure), self.lossy(figure)], ignore_index=True)

    def lossless(self, figure: str) -> pd.DataFrame:
        """The runs of Fig. 3 or 4 without losses."""
        sizes = self.sizes
        tables = [
            self._runs(figure, rate, time=sizes.time, replications=sizes.runs) for rate in RATES
        ]
        return pd.concat(tables, ignore_index=True).assign(loss_rate=0.0)

    def lossy(self, figure: str) -> pd.DataFrame:
        """The runs of Fig. 3 or 4 at each loss rate."""
        sizes = self.sizes
        options = {"time": sizes.lossy_time, "loss": LOSSES}
        tables = [
            self._runs(figure, rate, replications=sizes.lossy_runs, **options) for rate in RATES
        ]
        return pd.concat(tables, ignore_index=True)

    def _runs(self, figure: str, rate: int, *, replications: int, **options: Any) -> pd.DataFrame:
        build = partial(scenario, rate, SPIKES[figure], self.sizes.means, window=WINDOWS, **options)
        words = _progress_words(
            figure, rate, "with losses" if "loss" in options else "without loss"
        )
        return self.run(words, build, rate=rate, replications=replications)

    def run(
        self, words: str, build: Callable[[], airtcp.Scenario], *, rate: int, replications: int
    ) -> pd.DataFrame:
        """The runs of a scenario with the names of this paper; one step of the progress bar."""

        def compute() -> pd.DataFrame:
            named = partial(_paper_columns, rate=rate)
            return self.frame(words, build, named=named, replications=replications)

        return self.compute_once(words, compute, words=words)

    def facts(self) -> dict[str, Any]:
        """The sizes of this run, for the report."""
        sizes = self.sizes
        return super().facts() | {
            "runs per point": sizes.runs,
            "seconds per run": f"{sizes.time:g}",
            "runs per point with losses": sizes.lossy_runs,
            "seconds per run with losses": f"{sizes.lossy_time:g}",
        }


def _progress_words(figure: str, rate: int, losses: str) -> str:
    return f"simulate {figure}, {rate // 1000} kbit/s, {losses}"


def goodput_needs(figure: str, *kinds: str) -> list[base.Need]:
    """The needs of the runs of Fig. 3 or 4, "with losses" and "without loss"."""
    return [base.Need(_progress_words(figure, rate, kind)) for kind in kinds for rate in RATES]


def _paper_columns(runs: pd.DataFrame, rate: int) -> pd.DataFrame:
    runs = runs.rename(columns=_COLUMN_NAMES)
    runs["rate"], runs["time"] = rate, runs["time_ns"] / 1e9
    most = pd.to_timedelta(runs[_INTERVAL]).dt.total_seconds()
    runs["mean_interval"] = ((most + LEAST_INTERVAL) / 2.0).round(9)
    return runs[[name for name in _COLUMNS if name in runs]]


def summary(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Mean goodput with its interval, and counts per spike, one row per point of `keys`."""
    rows = []
    for point, group in runs.groupby(keys, sort=True):
        estimate = base.interval_of_mean(group["goodput_bps"])
        rows.append(
            dict(zip(keys, point, strict=True))
            | {
                SIMULATED: estimate["mean"],
                LOW: estimate["low"],
                HIGH: estimate["high"],
                "runs": len(group),
                "spikes": float(group["time"].sum()) / float(group["mean_interval"].iloc[0]),
                "timeouts": int(group["timeouts"].sum()),
                "resent": int(group["resent"].sum()),
            }
        )
    return pd.DataFrame(rows)


def reference(figure: str) -> pd.DataFrame:
    """Reference values of a figure, bit/s [kuusela reading, section 10]."""
    reference_table = base.printed_table("kuusela_reference", numbers=True)
    return reference_table[reference_table["figure"] == figure].drop(columns="figure")
