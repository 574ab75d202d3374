"""BBR v1 on random losses: its bandwidth filter, its gains, and PROBE_RTT.

BBR does not answer single losses, so that "the link rate times the fraction delivered" is what it can
have [cardwell2016, fig. 8]. Derived here from its rules (docs/linux/bbr.md); what is published of BBR's
throughput (Ware et al., IMC 2019; Scherrer et al., IMC 2022) is about flows that share a queue.

A full link delivers a share 1 - p. Of it, in shares of the rate of the link:

- **filter**: the bandwidth b is the largest rate of delivery of ten rounds. A round of n packets delivers
  1 - p with a standard deviation of sqrt(p (1 - p) / n), and the largest of ten such normal values
  lies Z = 1.54 of them above the mean;
- **gains**: pacing is 1 % below b. The link is full in the phase of gain 1.25 as long as
  1.25 x .99 (1 - p) > 1; above p = .19 there is no such phase, b falls from cycle to cycle, and the model
  has no answer. The phases of a cycle have a mean gain of 1, what was too much in one waits in the queue
  for the next: the link is busy for min(1, .99 b) of the time;
- **PROBE_RTT**: after 10 s without a smaller round trip BBR stops until 4 packets are in flight, keeps
  them for 200 ms and a round trip at least, and goes on at the rate that it had: of a round trip and
  max(200 ms, RTT) all but 4 packets per round trip are lost.

The queue holds the quarter of a round trip that gain 1.25 sends too much. Recovery's packet conservation,
timeouts and the policer's bandwidth (above p = .195) are left out: on independent losses the answer was
within 5 % of the simulator up to p = .1, and promises too much at .15, where rounds fail to fill the link.
"""

from __future__ import annotations

import math

from airtcp.models.zoo.model import LOSSY, Conditions, Model

GAIN, PACED = 1.25, 0.99  # of the probing phase; pacing below the bandwidth [linux/bbr.md, B]
LARGEST = 1.5388  # mean of the largest of ten standard normal values
PERIOD, HELD, FEW = 10.0, 0.2, 4  # s, s, packets: PROBE_RTT [linux/bbr.md rule 12]


def busy(loss_rate: float, pipe: float) -> float:
    """The share of time for which the link is busy between two PROBE_RTTs; `pipe` in packets."""
    deviation = math.sqrt(loss_rate * (1.0 - loss_rate) / pipe)
    return min(1.0, PACED * (1.0 - loss_rate + LARGEST * deviation))


def probing(rtt: float, pipe: float) -> float:
    """The share of packets that PROBE_RTT leaves."""
    stop = rtt + max(HELD, rtt)
    return 1.0 - max(0.0, 1.0 - FEW / pipe) * stop / (PERIOD + stop)


def sustained(loss_rate: float) -> bool:
    """Whether the probing phase fills the link."""
    return GAIN * PACED * (1.0 - loss_rate) > 1.0


def answer(conditions: Conditions) -> float:
    """Segments delivered per second."""
    at = conditions
    full = at.pipe / at.rtt
    return full * (1.0 - at.loss_rate) * busy(at.loss_rate, at.pipe) * probing(at.rtt, at.pipe)


MODEL = Model(
    name="bbr",
    title="BBR v1: the rate of the link, less what is lost, while the probing gain sustains it",
    source="cardwell2016",
    mapped="linux",
    refuses={
        **LOSSY,
        "the model has BBR only": lambda at: at.growth != "bbr",
        "the model needs a link with a rate": lambda at: math.isinf(at.pipe),
        "the model has loss rates up to .19, which BBR's probing sustains": lambda at: (
            not sustained(at.loss_rate)
        ),
    },
    answer=answer,
)
