"""A link layer that retransmits on slots: closed forms, the paper's curves, counts, refusals.

[chockalingam reading, section 8]: a TCP packet of F fragments over n_l attempts on a two-state
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
    """The chain [chockalingam reading, section 8]: z is what the transform is taken at."""

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
    single_packet = scenario(
        **{
            "tcp.window": 1,
            "tcp.timeout": timeout,
            "link.arq": {"fragments": fragments, "attempts": attempts},
            "channel.loss_rate": loss_rate,
            "channel.mean_burst": burst,
            "stop.slots": 500_000,
        }
    )
    runs = airtcp.simulate(single_packet, seed=3).to_pandas()
    chain = Fragments(loss_rate, burst, fragments, attempts)
    throughput, lost = chain.one_packet_window(timeout)
    for found, expected in [(runs["throughput"], throughput), (runs["ll_failure_rate"], lost)]:
        # A packet under way at the end weighs less than a tenth of a standard error.
        assert abs(found.mean() - expected) < half_width(found)


@pytest.mark.parametrize(
    ("burst", "attempts", "slots", "expected"),
    [
        (2, 16, 1_000_000, 0.900),
        (20, 16, 3_000_000, 0.1906),
        (100, 16, 3_000_000, 0.354),
        (1000, 16, 3_000_000, 0.759),
        (170, 128, 3_000_000, 0.862),
    ],
)
def test_tahoe_is_on_the_curves_of_figures_3_and_4(
    burst: int, attempts: int, slots: int, expected: float
) -> None:
    """The reference values are an upper bound within 0.1 %, rounded to three or four digits."""
    point = scenario(
        **{"channel.mean_burst": burst, "link.arq.attempts": attempts, "stop.slots": slots}
    )
    runs = airtcp.simulate(point, seed=1).to_pandas()["throughput"]
    allowed = 0.001 * expected + 0.0005
    assert abs(runs.mean() - expected) < half_width(runs) + allowed


def test_one_fragment_and_one_attempt_are_the_link_without_arq() -> None:
    variants = ["oldtahoe", "tahoe", "reno", "newreno", "sack"]
    plain = airtcp.Scenario.from_dict(
        {
            "profile": "zorzi",
            "tcp": {"variant": variants},
            "ack": {"delay": 2, "loss_rate": 0.01},
            "channel": {"kind": "burst", "loss_rate": 0.05, "mean_burst": 3},
            "stop": {"slots": 50_000, "replications": 2},
        }
    )
    once = plain.replace("link.arq", {"fragments": 1, "attempts": 1})
    expected = airtcp.simulate(plain).to_pandas()
    found = airtcp.simulate(once).to_pandas()
    same = [name for name in expected.columns if name != "scenario"]
    assert expected[same].equals(found[same])
    assert (found["ll_transmissions"] == found["transmissions"]).all()
    assert (found["ll_retransmissions"] == 0).all()


def test_counts_add_up_in_parts_and_with_late_and_lost_feedback() -> None:
    feedback = {"link.arq.feedback_delay": [0, 40], "link.arq.feedback_loss": [0.0, 0.2]}
    runs = airtcp.simulate(scenario(**feedback, **{"stop.batches": 4})).to_pandas()
    assert (runs["ll_transmissions"] <= runs["slots"]).all()
    assert (runs["ll_bits"] == 256 * runs["ll_transmissions"]).all()
    totals = runs.groupby(["link.arq.feedback_delay", "link.arq.feedback_loss"]).sum(
        numeric_only=True
    )
    first = totals["ll_transmissions"] - totals["ll_retransmissions"]
    assert (first <= 32 * totals["transmissions"]).all()
    assert (first >= 32 * totals["deliveries"]).all()
    failures = totals["ll_failures"]
    assert failures[0].min() > 100 * failures[40].max()  # repetitions far apart outlast a burst


def test_while_a_nak_is_under_way_other_packets_are_sent() -> None:
    """Without failures nothing but repetitions costs airtime, however late the feedback."""
    late = scenario(
        **{
            "link.arq": {"fragments": 4, "attempts": 1000, "feedback_delay": [0, 10]},
            "channel": {"kind": "trace", "lost": [0, 0, 0, 0, 1]},
            "stop.replications": 1,
            "stop.slots": 10_000,
        }
    )
    runs = airtcp.simulate(late).to_pandas()
    assert runs["throughput"].to_list() == pytest.approx([0.8, 0.8], abs=0.01)
    assert (runs["timeouts"] == 0).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"link.arq.attempts": 0},
            "link.arq.attempts: 0 transmissions send nothing; give at least 1",
        ),
        (
            {"link.arq": {"fragments": 0, "attempts": 1}},
            "0 fragments carry nothing; give at least 1",
        ),
        ({"link.arq": {"attempts": 1}}, "link.arq.packet: missing"),
        ({"link.arq.fragments": 32}, "link.arq.fragments: give either this or packet, 1024B"),
        ({"link.arq.feedback_loss": 1.0}, "link.arq.feedback_loss: 1 loses every NAK"),
        ({"tcp.timeout": 767}, "at least 768 (window x 32 fragments)"),
        ({"tcp.timeout": 799, "tcp.variant": "reno"}, "at least 800 ((window + 1) x 32 fragments)"),
        ({"link.arq.atempts": 3}, "attempts"),
    ],
)
def test_refusals_say_what_is_allowed(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario(**changes)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_alternative_count_is_one_more_transmission() -> None:
    of = [{"packet": "1024B", "attempts": 16}, {"packet": "1024B", "attempts": 15}]
    of[1]["count"] = "retransmissions"
    runs = [airtcp.simulate(scenario(**{"link.arq": arq})).to_pandas() for arq in of]
    assert (runs[0]["ll_bits"] == runs[1]["ll_bits"]).all()
    scenario(**{"link.arq.attempts": 0, "link.arq.count": "retransmissions"})


def test_a_fragment_longer_than_the_packet_is_one_fragment() -> None:
    point = scenario(**{"link.packet": "2048B"})
    assert airtcp.simulate(point, replications=1).to_pandas()["ll_failures"].ge(0).all()


PATH = {
    "profile": "ns2",
    "tcp": {"variant": "reno", "window": 8, "packet": "1000B"},
    "path": {
        "hop": [
            {
                "rate": "1Mbps",
                "delay": "10ms",
                "queue": 20,
                "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 3},
                "arq": {"fragment": "100B", "attempts": 3, "feedback_delay": "25ms"},
                "back": {"arq": {"fragment": "100B", "overhead": "10B", "attempts": 2}},
            }
        ]
    },
    "flow": [{"packets": 2000}],
    "stop": {"time": "1000s", "replications": 3},
}


def test_a_path_counts_what_its_links_did() -> None:
    runs = airtcp.simulate(airtcp.Scenario.from_dict(PATH)).to_pandas()
    assert (runs["in_order"] == 2000).all()
    assert (runs["ll_failures"] == runs["sent"] - runs["arrivals"]).all()  # by nothing else
    assert (runs["ll_failures"] > 0).all()
    # ACKs of 40 bytes are one fragment of 50; nothing is lost on the way back.
    forward = runs["ll_transmissions"] - runs["acks_sent"]
    assert (runs["ll_bits"] == 800 * forward + 400 * runs["acks_sent"]).all()
    assert (forward - runs["ll_retransmissions"] >= 10 * runs["deliveries"]).all()


def test_a_clean_link_with_arq_takes_the_airtime_of_the_fragments() -> None:
    clean = airtcp.Scenario.from_dict(PATH).replace(
        {"path.hop[0].channel": {"kind": "iid", "loss_rate": 0.0}, "flow": [{"packets": 1}]}
    )
    runs = airtcp.simulate(clean, replications=1).to_pandas()
    assert runs["ll_retransmissions"].sum() == 0
    # 8000 bits in ten fragments, then an ACK of 400: at 1 Mbit/s, and 10 ms each way.
    assert runs["transfer_time"].to_list() == pytest.approx([0.008 + 0.0004 + 0.02])


def test_a_trace_shows_what_the_link_gave_up() -> None:
    events = airtcp.trace(airtcp.Scenario.from_dict(PATH)).to_pandas()
    runs = airtcp.simulate(airtcp.Scenario.from_dict(PATH), replications=1).to_pandas()
    assert (events["cause"] == "arq").sum() == runs["ll_failures"].sum()
    assert events["time_ns"].is_monotonic_increasing
