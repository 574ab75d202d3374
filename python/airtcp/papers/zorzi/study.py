"""The cases of the paper and the computations for each: exact analysis and slot simulation.

A `Case` is everything but the loss rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

import airtcp
from airtcp.models import zorzi
from airtcp.papers import base
from airtcp.papers.columns import HIGH, LOW, SD, SIMULATED
from airtcp.stats import z_scores

Floats = NDArray[np.float64]

LOSS_RATES = (1e-3, 1e-1)  # P_E of Table I; the axes of Figs. 1-6 span the same decades
TIMEOUT = 100  # slots, "MTO" of the captions of Figs. 1-6
CORRELATED_DOPPLER = 0.01  # f_dT of the pedestrian, V
VARIANT_WORDS = {
    "oldtahoe": "OldTahoe",
    "tahoe": "Tahoe",
    "reno": "Reno",
    "newreno": "NewReno",
}
_EXACT_COST, _SIMULATION_COST = 1.0, 2.0  # relative times of one point, for the progress bar


@dataclass(frozen=True, order=True)
class Case:
    """One TCP on one kind of channel; `doppler` is f_d T, None for independent losses."""

    variant: str
    window: int
    doppler: float | None = CORRELATED_DOPPLER
    dupacks: int = 3

    @property
    def variant_word(self) -> str:
        """Name of the variant for readers."""
        return VARIANT_WORDS[self.variant]

    @property
    def channel_word(self) -> str:
        """Name of the channel for readers."""
        return "i.i.d." if self.doppler is None else f"f_dT = {self.doppler:g}"

    @property
    def slug(self) -> str:
        """A name for files."""
        channel = "iid" if self.doppler is None else f"fdt{self.doppler:g}"
        return f"{self.variant}-w{self.window}-k{self.dupacks}-{channel}"

    def channel(self, loss_rate: float) -> airtcp.TwoState:
        """The channel at one loss rate."""
        if self.doppler is None:
            return airtcp.TwoState.iid(loss_rate)
        return airtcp.TwoState.from_rayleigh(doppler=self.doppler, loss_rate=loss_rate)

    def scenario(self, loss_rate: float, slots: int) -> airtcp.Scenario:
        """The case at one loss rate, as a scenario for the simulator."""
        return airtcp.Scenario.from_dict(
            {
                "profile": "zorzi",
                "tcp": {
                    "variant": self.variant,
                    "window": self.window,
                    "dupacks": self.dupacks,
                    "timeout": TIMEOUT,
                },
                "channel": channel_table(self.doppler, loss_rate),
                "stop": {"slots": slots},
            }
        )


def channel_table(doppler: float | None, loss_rate: float) -> dict[str, Any]:
    """The channel of a scenario file."""
    if doppler is None:
        return {"kind": "iid", "loss_rate": loss_rate}
    return {"kind": "rayleigh-two-state", "doppler": doppler, "loss_rate": loss_rate}


@dataclass(frozen=True)
class ZorziSizes:
    """Amount of computation: points per curve, the fraction simulated, number and length of runs.

    Few long replications rather than many short ones: a run starts with an empty window, and the
    bias of that start must stay well below the width of an interval.
    """

    points: int
    simulated_step: int
    replications: int
    slots: int
    variation_slots: int

    @property
    def loss_rates(self) -> Floats:
        """The grid of P_E, equally spaced in its logarithm."""
        grid = np.geomspace(*LOSS_RATES, self.points)
        return np.array([float(f"{rate:.6g}") for rate in grid])

    @property
    def simulated(self) -> Floats:
        """The part of the grid that is simulated."""
        return self.loss_rates[:: self.simulated_step]

    @property
    def variation_rates(self) -> list[float]:
        """The loss rates at which ACK delay, ACK loss and inflation are simulated."""
        return [0.001, 0.01, 0.03, 0.1]


class ZorziStudy(base.PaperStudy[ZorziSizes]):
    """One run of the study: each case is solved and simulated once, whichever figures show it."""

    FULL = ZorziSizes(
        points=25, simulated_step=3, replications=10, slots=1_000_000, variation_slots=500_000
    )
    QUICK = ZorziSizes(
        points=9, simulated_step=2, replications=6, slots=200_000, variation_slots=50_000
    )

    def table(self, case: Case, *, simulated: bool = True) -> pd.DataFrame:
        """Analysis over the grid of P_E, with the simulation in the rows that have one."""
        table = self.analysis(case).copy()
        if simulated:
            table = table.merge(self.simulation(case), on="loss_rate", how="left")
            runs = table["replications"]
            error = table[SD] / np.sqrt(runs)
            table["z"] = z_scores(table[SIMULATED], table["throughput"], error, runs)
        describe = {
            "variant": case.variant,
            "window": case.window,
            "dupacks": case.dupacks,
            "timeout": TIMEOUT,
            "channel": case.channel_word,
            "doppler": np.nan if case.doppler is None else case.doppler,
        }
        for place, (name, value) in enumerate(describe.items()):
            table.insert(place, name, value)
        return table

    def throughput(self, case: Case) -> Floats:
        """Exact throughput over the grid of P_E, packets per slot."""
        return np.asarray(self.analysis(case)["throughput"], dtype=np.float64)

    def analysis(self, case: Case) -> pd.DataFrame:
        """Exact throughput and the embedded bounds over the grid of P_E."""
        return self.compute_once(("solved", case), lambda: self._analysis(case))

    def _analysis(self, case: Case) -> pd.DataFrame:
        rates = self.sizes.loss_rates
        return _analysis_table(
            self.compute(solution_needs(case, self.sizes)), bounds_table(case, rates), rates
        )

    def simulation(self, case: Case) -> pd.DataFrame:
        """Simulated throughput over the thinner grid, each point with its own random stream."""
        return self.compute_once(("simulated", case), lambda: self._simulation(case))

    def _simulation(self, case: Case) -> pd.DataFrame:
        return pd.DataFrame([self._simulate(case, rate) for rate in self.sizes.simulated.tolist()])

    def _simulate(self, case: Case, loss_rate: float) -> dict[str, float]:
        result = self.simulate(
            case.scenario(loss_rate, self.sizes.slots),
            replications=self.sizes.replications,
            seed=self.own_seed(f"{case.slug}/{loss_rate:g}"),
        )
        row = result.summary().iloc[0]
        self.advance(f"simulate {case.variant_word}", _SIMULATION_COST)
        return {
            "loss_rate": loss_rate,
            SIMULATED: row["throughput"],
            SD: row["throughput_sd"],
            LOW: row["throughput_low"],
            HIGH: row["throughput_high"],
            "replications": float(row["replications"]),
            "slots": float(self.sizes.slots),
        }

    def facts(self) -> dict[str, Any]:
        """The sizes of this run, for the report."""
        sizes = self.sizes
        return super().facts() | {
            "loss rates per curve": sizes.points,
            "simulated loss rates per curve": sizes.simulated.size,
            "replications per point": sizes.replications,
            "slots per replication": sizes.slots,
        }


def solution_needs(case: Case, sizes: ZorziSizes) -> list[base.Need]:
    """The needs of a case's analysis: the exact solution at each loss rate."""
    words = f"exact {case.variant_word}"
    return [
        base.Need(("exact", case, rate), _EXACT_COST, partial(solve_exact, case, rate), words)
        for rate in sizes.loss_rates.tolist()
    ]


def simulation_needs(case: Case, sizes: ZorziSizes) -> list[base.Need]:
    """The needs of a case's simulation."""
    return [
        base.Need(("simulated", case, rate), _SIMULATION_COST) for rate in sizes.simulated.tolist()
    ]


def bounds_table(case: Case, loss_rates: ArrayLike, method: str = "embedded") -> pd.DataFrame:
    """Bounds over any loss rates by one of the polynomial methods; microseconds a point."""
    rates = np.atleast_1d(np.asarray(loss_rates, dtype=np.float64))
    channels = [case.channel(rate) for rate in rates.tolist()]
    answers = zorzi.sweep(
        case.variant,
        channels,
        window=case.window,
        dupacks=case.dupacks,
        timeout=TIMEOUT,
        method=method,
    )
    return answers.to_pandas()


def solve_exact(case: Case, loss_rate: float) -> zorzi.Answer:
    """The exact solution of one point; up to a second at window 24 on the slow channel."""
    return zorzi.solve(
        case.variant,
        case.channel(loss_rate),
        window=case.window,
        dupacks=case.dupacks,
        timeout=TIMEOUT,
        method="exact",
    )


def above_exact(table: pd.DataFrame) -> float:
    """The largest distance of the embedded upper bound from the exact throughput."""
    return float((table["upper"] - table["throughput"]).abs().max())


def _analysis_table(
    exact: list[zorzi.Answer], embedded: pd.DataFrame, rates: Floats
) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "loss_rate": rates,
            "throughput": [answer.throughput for answer in exact],
            "error_bound": [answer.error_bound for answer in exact],
            "lower": embedded["lower"],
            "upper": embedded["upper"],
            "transmissions": [answer.transmissions for answer in exact],
            "timeouts": [answer.timeouts for answer in exact],
            "fast_retransmits": [answer.fast_retransmits for answer in exact],
        }
    )
    table["transmissions_per_delivery"] = table["transmissions"] / table["throughput"]
    return table
