"""Captures simulated with losses of both kinds, and the truth about each loss."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from airtcp import Events, trace
from airtcp.measured.captures import read
from airtcp.measured.measurement import LOST, Packets
from simulated_captures import RECEIVER, SENDER, capture, truth

SECONDS = 20
PACKET = 1500  # bytes
BURST = 3  # mean of the lengths of Gilbert's bursts, packets
DELAY_OF_FIRST = 1_000_000  # ns
FAST = {"rate": "1Gbps", "delay": "1ms", "queue": 10_000}  # a hop before the bottleneck
LINUX = ("reno", "cubic", "bbr", "bbr3")
FIRST = "10.0.0.1:49152 "  # the sender of the first flow
ENDS = {"sender": (SENDER,), "both": (SENDER, RECEIVER)}


class Link(NamedTuple):
    """Rate (Mbit/s), round trip (ms) and loss rate of the link."""

    rate: float
    trip: float
    loss: float

    @property
    def airtime(self) -> float:
        """Time of a packet on the link, ns."""
        return 8e3 * PACKET / self.rate


class Cell(NamedTuple):
    """Features that the captures of a cell share.

    - `control`: congestion control of Linux, or a variant by the RFCs;
    - `queue`: buffer in bandwidth-delay products, or the kind of a queue;
    - `losses`: "independent", "bursts", or "before" the bottleneck;
    - `jitter`: width of the uniform jitter, ms; `flows`: number of equal flows.
    """

    control: str
    queue: float | str
    losses: str
    jitter: float
    flows: int


class Seen(NamedTuple):
    """A capture as measured, and the truth.

    - `cause`: true cause of each packet that is lost, else -1; `queue_delay`: of the packet that
      joined the queue last before it, ns;
    - `noise`: standard deviation of the jitter, at least the time of a packet on the link, ns.
    """

    packets: Packets
    cause: NDArray[np.int8]
    queue_delay: NDArray[np.int64]
    noise: float


def document(cell: Cell, link: Link, seed: int) -> dict[str, Any]:
    """The scenario of a capture."""
    hop: dict[str, Any] = {"rate": f"{link.rate}Mbps", "delay": f"{link.trip / 2}ms"}
    packets = link.rate * 1e3 * link.trip / 8 / PACKET
    is_kind = isinstance(cell.queue, str)
    hop["queue"] = {"kind": cell.queue} if is_kind else max(int(packets * float(cell.queue)), 4)
    if cell.jitter:
        hop["jitter"] = {"kind": "uniform", "min": "0s", "max": f"{cell.jitter}ms"}
    hops = [hop]
    channel: dict[str, Any] = {"kind": "iid", "loss_rate": link.loss}
    if cell.losses == "bursts":
        channel = {"kind": "burst", "loss_rate": link.loss, "mean_burst": BURST, "clock": "packet"}
    if cell.losses == "before":
        hops.insert(0, FAST | {"channel": channel})
    else:
        hop["channel"] = channel
    is_linux = cell.control in LINUX
    tcp = {"congestion": cell.control} if is_linux else {"variant": cell.control, "window": 2000}
    starts = np.random.default_rng(seed).uniform(0.0, 1.0, cell.flows)
    return {
        "profile": "linux" if is_linux else "rfc",
        "tcp": tcp,
        "path": {"hop": hops},
        "flow": [{"start": f"{start:.6f}s"} for start in starts],
        "stop": {"time": f"{SECONDS}s", "replications": 1},
    }


def captured(cell: Cell, link: Link, seed: int) -> Iterator[tuple[str, Seen]]:
    """The first flow of a capture, as each of `ENDS` sees it."""
    events = trace(document(cell, link, seed), seed=seed, links=True)
    true = truth(events)
    if not len(true.time):
        return  # every SYN was lost
    delay = queue_delay(events, true.time)
    noise = max(1e6 * cell.jitter / 12**0.5, link.airtime)
    with tempfile.TemporaryDirectory() as folder:
        for end, interfaces in ENDS.items():
            files = [Path(folder) / f"{name}.pcapng" for name in interfaces]
            for file, interface in zip(files, interfaces, strict=True):
                file.write_bytes(capture(events, interface))
            measured = [
                measurement for measurement in read(files) if measurement.packets is not None
            ]
            first = next(
                measurement for measurement in measured if measurement.about.startswith(FIRST)
            )
            packets = first.packets
            assert packets is not None
            cause = np.where(packets.fate == LOST, true.cause, -1).astype(np.int8)
            yield end, Seen(packets, cause, delay, noise)


def queue_delay(events: Events, sent: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sojourn in the bottleneck's queue of the packet that joined it last before each."""
    links = events.links
    assert links is not None
    rows = links.of_flow(0).records_of("sojourn")
    data = links.flows[0][0]
    own = rows[rows["link"] == data[-1]]
    came = own["time_ns"] - own["sojourn_ns"]
    order = np.argsort(came, kind="stable")
    ahead = 0 if len(data) == 1 else DELAY_OF_FIRST
    place = np.searchsorted(came[order], sent + ahead, side="left") - 1
    return np.where(place >= 0, own["sojourn_ns"][order][np.maximum(place, 0)], 0)
