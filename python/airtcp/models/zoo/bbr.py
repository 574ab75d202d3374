"""BBR v1 on random losses: its bandwidth filter, its gains, and PROBE_RTT.

BBR does not answer single losses: it can have the rate of the link times the share delivered
[cardwell2016, fig. 8]. Derived here from its rules (crates/linux/rules/bbr.md). The published work
on its throughput (Ware et al., IMC 2019; Scherrer et al., IMC 2022) is about flows that share a
queue.

A full link delivers 1 - p of its rate. In shares of that rate:

- the bandwidth b is the largest rate of delivery of ten rounds. A round of n packets delivers 1 - p
  with a standard deviation of sqrt(p (1 - p) / n); the largest of ten such normal values lies
  1.54 of them above the mean, on the average;
- pacing stays 1 % below b. The phase of gain 1.25 fills the link as long as 1.25 x .99 (1 - p) > 1;
  above p = .19 it does not, b falls from cycle to cycle, and there is no answer. The mean gain of a
  cycle is 1, and what one phase sends too much waits for the next in the queue, which has to hold a
  quarter of a round trip: the link is busy for min(1, .99 b) of the time;
- after 10 s without a smaller round trip BBR stops until 4 packets are in flight, keeps them for
  200 ms and for a round trip at least (PROBE_RTT), and goes on at the rate that it had: all but 4
  packets per round trip are missing for RTT + max(200 ms, RTT).

Packet conservation in recovery, timeouts and the bandwidth of a policer (above p = .195) are left
out. Where rounds are long (pipes of 100 packets) and p is .15, probing is cut short by them, and
the answer is too large by some 40 %.
"""

from __future__ import annotations

import math

from airtcp.models.zoo.model import LOSSY_REFUSALS, Conditions, Model

PROBING_GAIN, PACING_SHARE = 1.25, 0.99  # probing, pacing [crates/linux/rules/bbr.md, B]
MEAN_OF_LARGEST = 1.5388  # mean of the largest of ten standard normal values [david2003]
# PROBE_RTT in s, s and packets [crates/linux/rules/bbr.md rule 12].
PROBE_RTT_PERIOD, PROBE_RTT_SECONDS, PROBE_RTT_PACKETS = 10.0, 0.2, 4


def busy_share(loss_rate: float, pipe: float) -> float:
    """The share of time for which the link is busy between two PROBE_RTTs; `pipe` in packets."""
    deviation = math.sqrt(loss_rate * (1.0 - loss_rate) / pipe)
    return min(1.0, PACING_SHARE * (1.0 - loss_rate + MEAN_OF_LARGEST * deviation))


def share_left_by_probing(rtt: float, pipe: float) -> float:
    """The share of packets that PROBE_RTT leaves to the transfer."""
    stop = rtt + max(PROBE_RTT_SECONDS, rtt)
    return 1.0 - max(0.0, 1.0 - PROBE_RTT_PACKETS / pipe) * stop / (PROBE_RTT_PERIOD + stop)


def is_probing_sustained(loss_rate: float) -> bool:
    """True if the probing phase fills the link."""
    return PROBING_GAIN * PACING_SHARE * (1.0 - loss_rate) > 1.0


def answer(conditions: Conditions) -> float:
    """Segments delivered per second."""
    at = conditions
    full = at.pipe / at.rtt
    return (
        full
        * (1.0 - at.loss_rate)
        * busy_share(at.loss_rate, at.pipe)
        * share_left_by_probing(at.rtt, at.pipe)
    )


MODEL = Model(
    name="bbr",
    title="BBR v1: the rate of the link, less what is lost, while the probing gain sustains it",
    source="cardwell2016",
    refuses={
        **LOSSY_REFUSALS,
        "the model covers BBR only": lambda at: at.growth != "bbr",
        "the model needs a link with a rate": lambda at: math.isinf(at.pipe),
        "the model covers loss rates up to .19, which BBR's probing sustains": lambda at: (
            not is_probing_sustained(at.loss_rate)
        ),
    },
    answer=answer,
)
