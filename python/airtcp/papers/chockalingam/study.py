"""The cases of the paper: a link layer under a TCP, on fading or on the chain fitted to it.

Packets of 1024 or 512 bytes at 1.5 Mbit/s, W_max 24, K 3, a timeout of 100 TCP packets
[chockalingam IV]. A slot is the time of a link-layer packet, of a TCP packet without a link layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

import airtcp
from airtcp.models import chockalingam
from airtcp.models.fading import PacketErrors, packet_errors
from airtcp.models.fading.integrand import STOP_INTEGRATION
from airtcp.papers import base
from airtcp.papers.columns import HIGH, LOW, SD, SIMULATED

RATE = "1.5Mbps"
WINDOW, DUPACKS, TIMEOUT = 24, 3, 100  # TCP packets [chockalingam IV]
HALF_RATE_CODE, THIRD_RATE_CODE = "bch(255,131)", "bch(255,87)"
CODE_WORDS = {None: "no code", HALF_RATE_CODE: "rate 1/2", THIRD_RATE_CODE: "rate 1/3"}
VARIANT_WORDS = {"tahoe": "Tahoe", "newreno": "NewReno"}
DOPPLERS = (1.0, 10.0, 100.0)  # Hz


@dataclass(frozen=True, kw_only=True)
class SystemDesign:
    """The system above the channel: TCP, sizes, code, n_l. `attempts` None: no link layer."""

    attempts: int | None = 16
    code: str | None = None
    ll_bytes: int = 32
    packet_bytes: int = 1024
    variant: str = "tahoe"

    @property
    def key(self) -> str:
        """The design as text, whatever the class is called: seeds of runs are made from it."""
        return repr(self).removeprefix(type(self).__name__)

    @property
    def unit_bytes(self) -> int:
        """Bytes of data that the channel loses or delivers as a whole."""
        return self.packet_bytes if self.attempts is None else self.ll_bytes

    @property
    def fragments(self) -> int:
        """F, link-layer packets of a TCP packet."""
        return -(-self.packet_bytes // self.unit_bytes)

    @property
    def columns(self) -> dict[str, Any]:
        """The design as columns of a table; 0 attempts where there is no link layer."""
        return {
            "variant": self.variant,
            "code": self.code or "none",
            "ll_bytes": self.ll_bytes,
            "packet_bytes": self.packet_bytes,
            "attempts": self.attempts or 0,
        }

    def losses(self, snr: float, doppler: float) -> PacketErrors:
        """P_E and r of its packets, exact; the model keeps them."""
        return packet_errors(
            snr_db=snr, doppler_hz=doppler, bytes=self.unit_bytes, code=self.code, rate=RATE
        )

    def solve(self, channel: airtcp.TwoState) -> chockalingam.Answer:
        """The model on a two-state channel of its slots."""
        return _solve_design(self, channel)

    def scenario(self, channel: Mapping[str, Any], slots: int) -> airtcp.Scenario:
        """The design on a channel, as a scenario for the simulator."""
        link: dict[str, Any] = {"rate": RATE, "packet": f"{self.unit_bytes}B"}
        if self.attempts is not None:
            link["arq"] = {"packet": f"{self.packet_bytes}B", "attempts": self.attempts}
        tcp = {
            "variant": self.variant,
            "window": WINDOW,
            "dupacks": DUPACKS,
            "timeout": TIMEOUT * self.fragments,
        }
        document = {"profile": "zorzi", "tcp": tcp, "link": link, "channel": channel}
        return airtcp.Scenario.from_dict(document | {"stop": {"slots": slots}})


@lru_cache(maxsize=4096)
def _solve_design(design: SystemDesign, channel: airtcp.TwoState) -> chockalingam.Answer:
    return chockalingam.solve(
        design.variant,
        channel,
        window=WINDOW,
        dupacks=DUPACKS,
        fragments=design.fragments,
        attempts=design.attempts or 1,
    )


@dataclass(frozen=True)
class FadingPoint:
    """A design on a Rayleigh channel; SNR in dB per transmitted bit, Doppler shift in Hz."""

    design: SystemDesign
    snr: float
    doppler: float

    @property
    def losses(self) -> PacketErrors:
        """P_E and r."""
        return self.design.losses(self.snr, self.doppler)

    @property
    def cost(self) -> float:
        """Estimated time that `losses` takes, for the progress bar."""
        slow = 1000.0 if self.design.code is None else 100.0
        return 0.1 if self.design.unit_bytes * self.doppler < slow else 1.0

    @property
    def coded_rate(self) -> float:
        """Bits of data over bits on the air of a TCP packet sent once."""
        return 8.0 * self.design.packet_bytes / (self.design.fragments * self.losses.air_bits)

    @property
    def analysis(self) -> dict[str, float]:
        """The model's answers on the fit; bits are bits on the air per delivered bit of data."""
        answer, losses = self.design.solve(self.losses.two_state), self.losses
        delivered = answer.throughput * self.coded_rate
        return {
            "loss_rate": losses.loss_rate,
            "mean_burst": 1.0 / losses.recovery,
            "throughput": answer.throughput,
            "net_throughput": delivered,
            "bits": answer.transmissions / delivered,
        }

    @property
    def fading(self) -> dict[str, Any]:
        """The fading channel, for the simulator."""
        channel = {"kind": "rayleigh", "snr": f"{self.snr:g}dB", "doppler": f"{self.doppler:g}Hz"}
        return channel if self.design.code is None else channel | {"code": self.design.code}


@dataclass(frozen=True, kw_only=True)
class ChockalingamSizes:
    """Amount of computation.

    - `snrs`: SNRs of the analysis, dB; `simulated_snrs`: the SNRs that are also simulated;
    - `bursts`: mean bursts of Figs. 3 and 4, slots; `simulated_bursts`: the ones also simulated;
    - `replications` of a point; `slots` of one on a chain: a timeout takes 3200 of them, so runs
      hold hundreds; `seconds` of one on fading, by Doppler shift: hundreds to thousands of fades;
    - `advice_snrs`, dB, and by code `advice_packet_bytes`, sizes of link packets: the questions
      to the advisor.
    """

    snrs: tuple[float, ...]
    simulated_snrs: tuple[float, ...]
    bursts: tuple[float, ...]
    simulated_bursts: tuple[float, ...]
    replications: int
    slots: int
    seconds: dict[float, float]
    advice_snrs: tuple[float, ...]
    advice_packet_bytes: dict[str | None, tuple[int, ...]]


_SIMULATED_BURSTS = (2.0, 6.0, 20.0, 60.0, 170.0, 1000.0)


def _burst_lengths(points: int) -> tuple[float, ...]:
    """Bursts evenly spaced in logarithm, the simulated ones, and 100, which has a reference."""
    even = np.geomspace(2.0, 1000.0, points).round(1).tolist()
    return tuple(sorted({*even, *_SIMULATED_BURSTS, 100.0}))


class ChockalingamStudy(base.PaperStudy[ChockalingamSizes]):
    """One run of the paper's study: computes on demand, each point once."""

    FULL = ChockalingamSizes(
        snrs=tuple(np.arange(10.0, 30.1, 2.5).tolist()),
        simulated_snrs=(10.0, 15.0, 20.0, 25.0, 30.0),
        bursts=_burst_lengths(28),
        simulated_bursts=_SIMULATED_BURSTS,
        replications=10,
        slots=3_000_000,
        seconds={1.0: 600.0, 10.0: 200.0, 100.0: 80.0},
        advice_snrs=(5.0, 10.0, 15.0, 20.0),
        advice_packet_bytes={
            None: (32, 64, 128),
            HALF_RATE_CODE: (32, 64),
            THIRD_RATE_CODE: (32, 64),
        },
    )
    QUICK = ChockalingamSizes(
        snrs=(10.0, 15.0, 20.0, 30.0),
        simulated_snrs=(10.0, 20.0),
        bursts=_burst_lengths(13),
        simulated_bursts=(2.0, 20.0, 170.0),
        replications=6,
        slots=400_000,
        seconds={1.0: 150.0, 10.0: 40.0, 100.0: 10.0},
        advice_snrs=(10.0, 20.0),
        advice_packet_bytes={None: (32,), HALF_RATE_CODE: (32,), THIRD_RATE_CODE: (32,)},
    )
    GIVE_UP = STOP_INTEGRATION

    def on_fading(self, point: FadingPoint) -> dict[str, float]:
        """Simulated on the fading itself; see `_describe_runs`."""
        slots = round(self.sizes.seconds[point.doppler] / point.losses.airtime)
        return self._simulated("fading", point.design, point.fading, slots)

    def on_chain(self, design: SystemDesign, channel: airtcp.TwoState) -> dict[str, float]:
        """Simulated on a two-state channel; see `_describe_runs`."""
        table = {"kind": "two-state", "p_gb": channel.p_gb, "p_bg": channel.p_bg}
        slots = self.sizes.slots // (32 if design.attempts is None else 1)
        return self._simulated("chain", design, table, slots)

    def _simulated(
        self, kind: str, design: SystemDesign, channel: Mapping[str, Any], slots: int
    ) -> dict[str, float]:
        name = f"{kind}/Design{design.key}/{channel}"  # seeds the runs

        def compute() -> dict[str, float]:
            runs = self.frame(
                name,
                lambda: design.scenario(channel, slots),
                replications=self.sizes.replications,
                seed=self.own_seed(name),
            )
            return _describe_runs(runs, design, slots)

        return self.compute_once(name, compute, words=f"simulate on the {kind}")

    def facts(self) -> dict[str, Any]:
        """The sizes of this run, for the report."""
        sizes = self.sizes
        seconds = ", ".join(f"{sizes.seconds[doppler]:g} at {doppler:g} Hz" for doppler in DOPPLERS)
        return super().facts() | {
            "replications per point": sizes.replications,
            "slots per replication on a chain": sizes.slots,
            "seconds per replication on fading": seconds,
        }


def _describe_runs(runs: pd.DataFrame, design: SystemDesign, slots: int) -> dict[str, float]:
    """Throughput with its interval, and link-layer packets on the air per one that is delivered."""
    estimate = base.interval_of_mean(runs["throughput"])
    sent = runs["transmissions" if design.attempts is None else "ll_transmissions"].sum()
    return {
        SIMULATED: estimate["mean"],
        SD: float(runs["throughput"].std(ddof=1)),
        LOW: estimate["low"],
        HIGH: estimate["high"],
        "transmissions": float(sent) / max(1.0, float(runs["deliveries"].sum()) * design.fragments),
        "replications": float(len(runs)),
        "slots": float(slots),
    }


def analysis_needs(points: Iterable[FadingPoint]) -> list[base.Need]:
    """The needs of an analysis of points: P_E and r, which the model keeps."""
    words = "integrate packet errors"
    return [
        base.Need(
            ("losses", p.design.unit_bytes, p.design.code, p.snr, p.doppler),
            p.cost,
            partial(p.design.losses, p.snr, p.doppler),
            words,
        )
        for p in points
    ]


def simulation_needs(points: Iterable[FadingPoint], *kinds: str) -> list[base.Need]:
    """The needs of points that are simulated on the "fading" or on the "chain" fitted to it."""
    return [base.Need((kind, point)) for point in points for kind in kinds]
