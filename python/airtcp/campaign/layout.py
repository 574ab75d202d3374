"""What the counts of a run consist of: columns, for each flow and each batch."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.scenario import Point

Integers: TypeAlias = NDArray[np.int64]


class Layout(NamedTuple):
    """The rows of a run come by batch, then by flow; every row has the columns `names`."""

    family: str
    names: tuple[str, ...]
    batches: int
    flows: int

    @property
    def rows(self) -> int:
        """Rows of a run."""
        return self.batches * self.flows

    @property
    def size(self) -> int:
        """Bytes of the counts of a run, numbers of 64 bits."""
        return 8 * len(self.names) * self.rows


def layout_of(point: Point) -> Layout:
    """The layout of the runs of a point."""
    batches = int(point.data["stop"].get("batches", 1))
    return Layout(point.family, _names(point), batches, flows_of(point))


def flows_of(point: Point) -> int:
    """How many flows there are; on slots one."""
    return sum(flow["count"] for flow in point.data.get("flow", [{"count": 1}]))


_KNOWN: dict[tuple[str, bool], tuple[str, ...]] = {}


def _names(point: Point) -> tuple[str, ...]:
    """All points of a family have the same columns; a link that retransmits adds some."""
    key = (point.family, retransmits(point))
    if key not in _KNOWN:
        _KNOWN[key] = tuple(_native.count_names(point.json))
    return _KNOWN[key]


def retransmits(point: Point) -> bool:
    """Whether some link layer retransmits."""
    hops = point.data.get("path", {}).get("hop", [])
    links = [point.data.get("link", {}), *hops, *(hop.get("back", {}) for hop in hops)]
    return any("arq" in link for link in links)


def counted(layout: Layout, counts: list[bytes]) -> Integers:
    """The counts of runs: by run, batch, flow and column."""
    flat = np.frombuffer(b"".join(counts), dtype="<i8")
    return flat.reshape(len(counts), layout.batches, layout.flows, len(layout.names))
