"""A link layer that retransmits on slots: closed forms, the paper's curves, counts, refusals.

[chockalingam] with its readings: a TCP packet of F fragments over n_l attempts on a two-state
channel is a two-state chain again, with durations that depend on the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

import airtcp
from airtcp import InputError

CONFIDENCE = 0.999  # of every interval below; seeds are fixed
PAPER = {"window": 24, "dupacks": 3, "timeout": 3200}  # 100 TCP packets of 32 fragments


@dataclass(frozen=True)
class Fragments:
    """The chain of the readings: z is the argument of the duration's transform."""

    loss_rate: float
    burst: float
    fragments: int
    attempts: int

    @property
    def r(self) -> float:
        """P(success | previous in error)."""
        return 1.0 / self.burst

    @property
    def gb(self) -> float:
        """P(error | previous success)."""
        return self.r * self.loss_rate / (1.0 - self.loss_rate)

    def packet(self, z: float) -> dict[str, tuple[float, float]]:
        """By the state before a TCP packet: E[z^duration; ok], E[z^duration; lost]."""
        gb, r, q, n = self.gb, self.r, 1.0 - self.r, self.attempts
        repeats = r * z * sum((q * z) ** k for k in range(n - 1))
        good_ok = (1.0 - gb) * z + (gb * z * repeats if n > 1 else 0.0)
        good_lost = gb * z * (q * z) ** (n - 1)
        bad_ok = (repeats + r * z * (q * z) ** (n - 1)) if n > 1 else r * z
        bad_lost = (q * z) ** n
        powers = good_ok ** np.arange(self.fragments)
        return {
            "G": (good_ok**self.fragments, good_lost * powers.sum()),
            "B": (bad_ok * powers[-1], bad_lost + bad_ok * good_lost * powers[:-1].sum()),
        }

    def duration(self, state: str) -> float:
        """Mean duration of a packet that gets through, times the probability that it does."""
        step = 1e-5
        above, below = (self.packet(1.0 + s)[state][0] for s in (step, -step))
        return (above - below) / (2.0 * step)

    def one_packet_window(self, timeout: int) -> tuple[float, float]:
        """(throughput, share of lost packets) of a window of one packet.

        After a loss, which ends in B, the channel idles for the rest of the timeout.
        """
        fading = 1.0 - self.r - self.gb
        ok = {state: self.packet(1.0)[state][0] for state in "GB"}
        lost = {state: self.packet(1.0)[state][1] for state in "GB"}
        # B after B over so many slots: P_E + (1 - P_E) fading^slots.
        stays = {
            state: self.loss_rate * lost[state]
            + (1.0 - self.loss_rate) * fading**timeout * self.packet(1.0 / fading)[state][1]
            for state in "GB"
        }
        bad = stays["G"] / (stays["G"] + 1.0 - stays["B"])  # share of packets that start after B
        share = {"G": 1.0 - bad, "B": bad}
        slots = sum(share[s] * (self.duration(s) + lost[s] * timeout) for s in "GB")
        delivered = sum(share[s] * ok[s] for s in "GB")
        return delivered * self.fragments / slots, 1.0 - delivered


def scenario(**changes: Any) -> airtcp.Scenario:
    base = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe", **PAPER},
        "link": {"packet": "32B", "arq": {"packet": "1024B", "attempts": 16}},
        "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 20},
        "stop": {"slots": 100_000, "replications": 20},
    }
    return airtcp.Scenario.from_dict(base).replace(changes)


def half_width(values: Any) -> float:
    return float(stats.sem(values) * stats.t.ppf(0.5 + CONFIDENCE / 2.0, len(values) - 1))


@pytest.mark.parametrize(
    ("fragments", "attempts", "loss_rate", "burst"),
    [(4, 3, 0.2, 3.0), (1, 4, 0.3, 2.0), (8, 1, 0.05, 6.0), (32, 16, 0.1, 20.0)],
)
def test_a_window_of_one_packet_is_the_closed_form(
    fragments: int, attempts: int, loss_rate: float, burst: float
) -> None:
    timeout = 2 * fragments * attempts
    one = scenario(
        **{
            "tcp.window": 1,
            "tcp.timeout": timeout,
            "link.arq": {"fragments": fragments, "attempts": attempts},
            "channel.loss_rate": loss_rate,
            "channel.mean_burst": burst,
            "stop.slots": 500_000,
        }
    )
    runs = airtcp.simulate(one, seed=3).to_pandas()
    chain = Fragments(loss_rate, burst, fragments, attempts)
    throughput, lost = chain.one_packet_window(timeout)
    for found, expected in [(runs["throughput"], throughput), (runs["ll_failure_rate"], lost)]:
        # A packet under way at the end weighs less than a tenth of a standard error.
        assert abs(found.mean() - expected) < half_width(found)


@pytest.mark.parametrize(
    ("burst", "attempts", "slots", "expected"),
    [
        (2, 16, 1_000_000, 0.900),
        (20, 16, 8_000_000, 0.1906),
        (100, 16, 8_000_000, 0.354),
        (1000, 16, 8_000_000, 0.759),
        (170, 128, 8_000_000, 0.862),
    ],
)
def test_tahoe_is_on_the_curves_of_figures_3_and_4(
    burst: int, attempts: int, slots: int, expected: float
) -> None:
    """The readings' values are an upper bound within 0.1 %, rounded to three or four digits."""
    point = scenario(
        **{"channel.mean_burst": burst, "link.arq.attempts": attempts, "stop.slots": slots}
    )
    runs = airtcp.simulate(point, seed=1).to_pandas()["throughput"]
    allowed = 0.001 * expected + 0.0005
    print(burst, attempts, runs.mean(), expected, half_width(runs))
    assert abs(runs.mean() - expected) < half_width(runs) + allowed
