"""A measurement: what a file says about one direction of a link, on a clock, before any model.

Files of all formats become this, and models know nothing else: a new format is a file that makes a
`Measurement`, and a new model a file that reads one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

LOST, ARRIVED, UNKNOWN = 1, 0, -1  # fates, and causes below
LINK_LOSS, QUEUE_LOSS = 0, 1  # causes of a loss
NO_DELAY = -1

Delays: TypeAlias = Literal["round trip", "one way", "one way with an unknown offset"]


@dataclass(frozen=True, eq=False)
class Packets:
    """Packets in the order in which they were sent; all columns have one length.

    - `time`: int64, ns since the first packet, never falling;
    - `fate`: int8, `LOST`, `ARRIVED`, or `UNKNOWN` if the file does not show it;
    - `delay`: int64, ns, `NO_DELAY` where none was measured; `delays` names the way;
    - `size`: int32, bytes of the network layer, 0 if the file does not show them;
    - `cause`: int8, cause of a loss: `LINK_LOSS`, `QUEUE_LOSS` or `UNKNOWN`; `UNKNOWN` without a
      loss;
    - `is_time_measured`: False if times were filled in, as for lost pings;
    - `waits`: True where each packet was sent after the reply to the one before, or after a wait
      for it in vain, so that distances depend on fates.
    """

    time: NDArray[np.int64]
    fate: NDArray[np.int8]
    delay: NDArray[np.int64]
    size: NDArray[np.int32]
    cause: NDArray[np.int8]
    delays: Delays
    is_time_measured: bool = True
    waits: bool = False


@dataclass(frozen=True, eq=False)
class Intervals:
    """Counts per interval, in which single losses and so bursts cannot be seen.

    - `start`, `length`: int64, ns since the start of the first interval;
    - `sent`: float64, packets, NaN if the file does not show them;
    - `lost`: float64, packets lost or sent again, NaN if the file does not show them;
    - `received`: float64, bytes, NaN if the file does not show them;
    - `delay`: float64, ns, mean round trip of the interval, NaN if the file does not show it.
    """

    start: NDArray[np.int64]
    length: NDArray[np.int64]
    sent: NDArray[np.float64]
    lost: NDArray[np.float64]
    received: NDArray[np.float64]
    delay: NDArray[np.float64]

    @property
    def has_loss_counts(self) -> NDArray[np.bool_]:
        """Mask of the intervals with counts both of packets sent and of packets lost."""
        return np.isfinite(self.sent) & np.isfinite(self.lost) & (self.sent > 0.0)


@dataclass(frozen=True)
class Oddity:
    """Something odd about a file: a clock step, a gap, duplicates, a name that does not fit.

    `kind` is one word or two, such as "clock step"; `said` is a sentence for the user, with
    the place (line, packet or second) at which it was first seen; `count` is how often it was.
    """

    kind: str
    said: str
    count: int = 1


@dataclass(frozen=True, eq=False)
class Measurement:
    """One direction of a link as a file shows it.

    - `source`: the file; `form`: its format, such as "ping" or "TCP capture";
    - `about`: which packets, such as "10.0.0.1:443 to 10.0.0.2:5000", or "";
    - `began`: time of the first packet in seconds since 1970, None if the file does not show it;
    - `packets`, `intervals`, `opportunities` (int64, ms, as Mahimahi has them): what it holds, each
      None where the file has no such thing, and at least one not None;
    - `reordered`, `duplicated`: numbers of packets that arrived late, and of copies;
    - `is_probing`: True for tools that send at their own pace, whatever the link carries;
    - `streams`: connections whose bytes are added up;
    - `emulated_hop`: settings of an emulated link, as keys of a hop, if the record has them;
    - `oddities`: what was odd about the file.
    """

    source: str
    form: str
    about: str = ""
    began: float | None = None
    packets: Packets | None = None
    intervals: Intervals | None = None
    opportunities: NDArray[np.int64] | None = None
    reordered: int = 0
    duplicated: int = 0
    is_probing: bool = False
    streams: int = 1
    emulated_hop: Mapping[str, Any] = field(default_factory=dict)
    oddities: Sequence[Oddity] = field(default=())
