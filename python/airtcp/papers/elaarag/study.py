"""The simulations of the paper: their scenarios, their repetitions, and shared results.

A path of two hops, fixed host to base station to mobile host; on the second one bit errors, a link
that goes up and down, or both. What the paper calls goodput is `efficiency` in airtcp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

import airtcp
from airtcp.papers import base

VARIANTS = ("tahoe", "reno", "newreno", "sack")
WORDS = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
WINDOW, SSTHRESH = 50, 32  # packets, section 3; the traces begin with ssthresh = window
# Mean times up and down, s: scenarios 1 and 2, section 4.
SHORT_UP_MEANS, LONG_UP_MEANS = (1.0, 0.1), (5.0, 2.0)
ERROR_GAP_MEANS = (2.0, 0.3)  # s, Table 2
OUTAGE_SHARE = 0.1  # m2 / m1 at "p = 9 %", which is 9.09 %
TRANSFER_PACKETS, LONG_TRANSFER_PACKETS = 5000, 9210  # packets, Tables 1 and 2
GOOD_LENGTH_FACTORS = {"1e-5": 1, "1e-6": 10}  # factor on the mean good lengths, Table 1
CLEAN_TRANSFER_SECONDS = 52.290208  # s, 5000 packets without a loss
ENDLESS_SECONDS = 10**7  # s, a limit that no transfer reaches
_FURTHER_PACKETS = 200  # packets that follow a milestone, so that its sender is not at its end
_HOPS = (
    {"rate": "1.5Mbps", "delay": "10ms", "queue": 50},
    {"rate": "0.8Mbps", "delay": "100ms", "queue": 50},
)


def scenario(
    variant: str | Sequence[str] = "reno",
    *,
    ssthresh: int = SSTHRESH,
    gate: Any = None,
    ber: str | None = None,
    unit: str = "bits",
    time: float = 400.0,
    flow: dict[str, int] | None = None,
) -> airtcp.Scenario:
    """The path of section 3; without `gate` always up, without `ber` no bit errors.

    `unit` is that of the bad lengths 8 and 3: bits by equation (1), packets by the text below it.
    """
    hops: list[dict[str, Any]] = [dict(hop) for hop in _HOPS]
    if gate is not None:
        hops[1]["gate"] = gate
    if ber is not None:
        hops[1]["channel"] = _error_gaps(100 * GOOD_LENGTH_FACTORS[ber], f"8{unit}")
        hops[1]["back"] = {"channel": _error_gaps(1000 * GOOD_LENGTH_FACTORS[ber], f"3{unit}")}
    document: dict[str, Any] = {
        "profile": "ns2",
        "tcp": {
            "variant": variant if isinstance(variant, str) else list(variant),
            "window": WINDOW,
            "ssthresh": ssthresh,
            "packet": "1024B",
            "ack": "40B",
            "boot": 2e-5,
        },
        "path": {"hop": hops},
        "stop": {"time": f"{time:g}s", "replications": 1},
    }
    return airtcp.Scenario.from_dict(document if flow is None else document | {"flow": [flow]})


def _error_gaps(good: int, bad: str) -> dict[str, str]:
    return {"kind": "sojourn", "good": f"{good}packets", "bad": bad}


def on_off_gate(up: float, down: float) -> dict[str, str]:
    """Exponential times up and down with these means, s."""
    return {"kind": "on-off", "up": f"{up:g}s", "down": f"{down:g}s", "loses": "all"}


def scheduled_gate(toggles: Iterable[float]) -> dict[str, Any]:
    """Outages at given times, s."""
    return {"kind": "schedule", "toggles": [f"{toggle:.9f}s" for toggle in toggles], "loses": "all"}


def times_at_share(up: float) -> tuple[float, float]:
    """Mean up and down times at the disconnection probability of 9 %."""
    return up, round(OUTAGE_SHARE * up, 9)


def flow_until(packets: int) -> dict[str, int]:
    """A flow that goes on until `packets` are acknowledged, and a little longer."""
    return {"packets": packets + _FURTHER_PACKETS, "milestone": packets}


@dataclass(frozen=True, kw_only=True)
class ElaaragSizes:
    """Numbers of repetitions.

    - `ber`, `variants`, `scenarios`, `curve`: runs per point of Table 1, Table 2, the two
      scenarios of section 4, Fig. 4; `undisturbed`: transfers of which some meet no outage;
    - `ups`: m1 along Fig. 4, s; `traces`: traced runs per variant; `traced`: their length, s.
    """

    ber: int
    variants: int
    scenarios: int
    curve: int
    undisturbed: int
    ups: tuple[float, ...]
    traces: int
    traced: float


@dataclass(frozen=True)
class Experiment:
    """A simulation: its scenario, and its number of runs by the sizes; `cost` in the bar."""

    scenario: Callable[[ElaaragSizes], airtcp.Scenario]
    runs: Callable[[ElaaragSizes], int]
    cost: float = 1.0


def _bit_error_experiment(ber: str, **options: Any) -> Experiment:
    flow = {"milestone": TRANSFER_PACKETS}
    return Experiment(
        lambda _: scenario("tahoe", ber=ber, flow=flow, **options), lambda sizes: sizes.ber, 3.0
    )


def _outage_experiment(
    variant: str | Sequence[str],
    gates: Callable[[ElaaragSizes], list[tuple[float, float]]],
    runs: Callable[[ElaaragSizes], int],
    cost: float,
    **options: Any,
) -> Experiment:
    def build(sizes: ElaaragSizes) -> airtcp.Scenario:
        return scenario(variant, gate=[on_off_gate(*gate) for gate in gates(sizes)], **options)

    return Experiment(build, runs, cost)


def _curve_gates(sizes: ElaaragSizes) -> list[tuple[float, float]]:
    return [times_at_share(up) for up in sizes.ups] + [LONG_UP_MEANS]


def _factorial_gates(sizes: ElaaragSizes) -> list[tuple[float, float]]:
    return [(up, down) for up in (1.25, 5.0) for down in (0.5, 2.0)]


def _variant_runs(sizes: ElaaragSizes) -> int:
    return sizes.variants


_ENDLESS_FLOW: dict[str, Any] = {"time": ENDLESS_SECONDS, "flow": flow_until(TRANSFER_PACKETS)}

EXPERIMENTS: dict[str, Experiment] = {
    "ber-1e-5": _bit_error_experiment("1e-5"),
    "ber-1e-6": _bit_error_experiment("1e-6"),
    "ber-packets": _bit_error_experiment("1e-5", unit="packets", time=1600.0),
    "variants": Experiment(
        lambda _: scenario(
            VARIANTS,
            ber="1e-5",
            gate=on_off_gate(*ERROR_GAP_MEANS),
            time=1600.0,
            flow={"milestone": LONG_TRANSFER_PACKETS},
        ),
        _variant_runs,
        15.0,
    ),
    "variants-transfer": Experiment(
        lambda _: scenario(
            VARIANTS,
            ber="1e-5",
            gate=on_off_gate(*ERROR_GAP_MEANS),
            time=ENDLESS_SECONDS,
            flow=flow_until(LONG_TRANSFER_PACKETS),
        ),
        _variant_runs,
        9.0,
    ),
    "scenarios": _outage_experiment(
        VARIANTS,
        lambda _: [SHORT_UP_MEANS, LONG_UP_MEANS],
        lambda sizes: sizes.scenarios,
        4.0,
        time=1600.0,
    ),
    "scenarios-transfer": _outage_experiment(
        VARIANTS,
        lambda _: [SHORT_UP_MEANS, LONG_UP_MEANS],
        lambda sizes: sizes.scenarios,
        2.0,
        **_ENDLESS_FLOW,
    ),
    "factorial": _outage_experiment(
        "reno", _factorial_gates, lambda sizes: sizes.scenarios, 3.0, time=1600.0
    ),
    "curve": _outage_experiment("reno", _curve_gates, lambda sizes: sizes.curve, 18.0, time=1600.0),
    "curve-transfer": _outage_experiment(
        "reno", _curve_gates, lambda sizes: sizes.curve, 3.0, **_ENDLESS_FLOW
    ),
    "undisturbed": _outage_experiment(
        "reno",
        lambda _: [times_at_share(20.0)],
        lambda sizes: sizes.undisturbed,
        3.0,
        **_ENDLESS_FLOW,
    ),
    "clean": Experiment(lambda _: scenario(**_ENDLESS_FLOW), lambda _: 1, 0.1),
}


class ElaaragStudy(base.PaperStudy[ElaaragSizes]):
    """One run of the paper's study: simulates on demand, each experiment once."""

    FULL = ElaaragSizes(
        ber=400,
        variants=1000,
        scenarios=100,
        curve=100,
        undisturbed=2000,
        ups=(0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0),
        traces=3,
        traced=1600.0,
    )
    QUICK = ElaaragSizes(
        ber=20,
        variants=20,
        scenarios=8,
        curve=6,
        undisturbed=200,
        ups=(0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 20.0),
        traces=1,
        traced=400.0,
    )

    def runs(self, name: str) -> pd.DataFrame:
        """The runs of an experiment, one row each, with short names of coordinates and metrics."""
        cost = EXPERIMENTS[name].cost
        return self.compute_once(
            name, lambda: self._simulate(name), words=f"simulate {name}", cost=cost
        )

    def with_transfers(self, name: str) -> pd.DataFrame:
        """Runs of 1600 s, with the transfer times of runs without a limit."""
        return self.compute_once((name, "transfers"), lambda: self._with_transfers(name))

    def _with_transfers(self, name: str) -> pd.DataFrame:
        runs, endless = self.runs(name), self.runs(f"{name}-transfer")
        index = [column for column in ("variant", "up", "down") if column in runs] + ["replication"]
        runs = runs.set_index(index)
        runs["transfer_time"] = endless.set_index(index)["transfer_time"]
        return runs.reset_index()

    def traces(self, scenario: airtcp.Scenario, replications: int) -> list[airtcp.Events]:
        """The events of some runs of a scenario with one point."""
        return [
            airtcp.trace(scenario, seed=self.seed, replication=replication)
            for replication in range(replications)
        ]

    def _simulate(self, name: str) -> pd.DataFrame:
        this = EXPERIMENTS[name]
        sizes = self.sizes
        return self.frame(
            name, lambda: this.scenario(sizes), named=_paper_columns, replications=this.runs(sizes)
        )

    def facts(self) -> dict[str, Any]:
        """The sizes of this run, for the report."""
        sizes = self.sizes
        return super().facts() | {
            "runs per entry of Table 1": sizes.ber,
            "runs per entry of Table 2": sizes.variants,
            "runs per point of Fig. 4": sizes.curve,
        }


def needs_of_experiments(*names: str) -> Callable[[ElaaragSizes], list[base.Need]]:
    """The needs of parts that ask for these experiments."""
    return lambda _: [base.Need(name, EXPERIMENTS[name].cost) for name in names]


def _paper_columns(runs: pd.DataFrame) -> pd.DataFrame:
    """The columns of a table of runs by the paper's names, times of the gate in seconds."""
    runs = runs.rename(
        columns={
            "tcp.variant": "variant",
            "path.hop[1].gate.up": "up",
            "path.hop[1].gate.down": "down",
            "throughput_pps": "throughput",
            "efficiency": "goodput",
        }
    )
    runs["acks"] = runs["acks_arrived"] / (runs["time_ns"] / 1e9)  # ACK packets per second
    for name in {"up", "down"} & set(runs.columns):
        runs[name] = pd.to_timedelta(runs[name]).dt.total_seconds().round(9)
    return runs
