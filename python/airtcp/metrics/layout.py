"""Layout of a run's counts: columns, for each flow and each batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.scenario.scenario import Point

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


LINK_NAMES, TRAFFIC_NAMES = map(tuple, _native.link_names())


class RecordLayout(NamedTuple):
    """The records of a run: rows of its links by batch, hop and direction, then of its sources.

    Both directions of a hop, forward first; sources of cross-traffic by batch.
    """

    batches: int
    links: int
    sources: int

    @property
    def size(self) -> int:
        """Bytes of the records of a run."""
        row = self.links * len(LINK_NAMES) + self.sources * len(TRAFFIC_NAMES)
        return 8 * self.batches * row

    def rows_and_columns(self, kind: str) -> tuple[int, tuple[str, ...]]:
        """Number of rows of "links" or "traffic" per batch, and their columns."""
        return (self.links, LINK_NAMES) if kind == "links" else (self.sources, TRAFFIC_NAMES)

    def counts(self, kind: str, records: list[bytes]) -> Integers:
        """The counts of a kind: by run, batch, link or source, and column."""
        flat = np.frombuffer(b"".join(records), dtype="<i8").reshape(len(records), self.size // 8)
        first = self.batches * self.links * len(LINK_NAMES)
        rows, names = self.rows_and_columns(kind)
        part = flat[:, :first] if kind == "links" else flat[:, first:]
        return part.reshape(len(records), self.batches, rows, len(names))


def record_layout_of(point: Point) -> RecordLayout:
    """The layout of the records of runs of a point on a path."""
    batches = int(point.data["stop"].get("batches", 1))
    sources = sum(source["count"] for source in point.data.get("traffic", []))
    return RecordLayout(batches, 2 * len(point.data["path"]["hop"]), sources)


def layout_of(point: Point) -> Layout:
    """The layout of the runs of a point."""
    batches = int(point.data["stop"].get("batches", 1))
    return Layout(point.family, _count_names(point), batches, flows_of(point))


def flows_of(point: Point) -> int:
    """Number of flows of a point; one on slots."""
    return sum(flow["count"] for flow in point.data.get("flow", [{"count": 1}]))


KEYS_OF_ONE_TRANSFER = ("packets", "size")  # keys of a flow that ends with one transfer


def flows_that_end(data: Mapping[str, Any]) -> list[bool]:
    """For each flow of a point, true if its data has an end."""
    tables = data.get("flow", [{"count": 1}])
    return [
        any(key in table for key in KEYS_OF_ONE_TRANSFER)
        for table in tables
        for _ in range(table["count"])
    ]


def tables_of_flows(data: Mapping[str, Any]) -> tuple[int, ...]:
    """For each flow of a point, the index of its table in `[[flow]]`."""
    return _table_indices(data.get("flow", [{"count": 1}]))


def tables_of_sources(data: Mapping[str, Any]) -> tuple[int, ...]:
    """For each source of cross-traffic of a point, the index of its table."""
    return _table_indices(data.get("traffic", []))


def _table_indices(tables: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    return tuple(place for place, table in enumerate(tables) for _ in range(table["count"]))


def tcp_of(data: Mapping[str, Any], flow: int = 0) -> dict[str, Any]:
    """The transport of a table of flows of a point: `tcp`, with the flow's own keys over it."""
    own = (data.get("flow") or [{}])[flow]
    short = {key: own[key] for key in ("variant", "window") if key in own}
    return {**data["tcp"], **own.get("tcp", {}), **short}


def flow_tcps(point: Point) -> list[str]:
    """Words that distinguish the transport of each flow, such as "sack, cubic".

    Empty texts where all flows have the same.
    """
    tables = point.data.get("flow", [{"count": 1}])
    transports = [tcp_of(point.data, place) for place in range(len(tables))]
    keys = dict.fromkeys((*_CONTROL_KEYS, *(key for transport in transports for key in transport)))
    differ = [key for key in keys if any(t.get(key) != transports[0].get(key) for t in transports)]
    if not differ:
        return [""] * flows_of(point)
    name = next(
        key for key in _CONTROL_KEYS if key in transports[0]
    )  # what a transport is called by
    names = [_tcp_words(transport, dict.fromkeys((name, *differ))) for transport in transports]
    return [name for name, own in zip(names, tables, strict=True) for _ in range(own["count"])]


def distinguishing_words(tcps: Sequence[str]) -> list[str]:
    """Words of `flow_tcps` without the name that all have, which headings say."""
    names = {text.partition(", ")[0] for text in tcps}
    return [text.partition(", ")[2] or "-" for text in tcps] if len(names) == 1 else [*tcps]


_CONTROL_KEYS = ("variant", "congestion")
_UNLIMITED_WINDOW = "1000000000B"  # the window of a flow of profile `linux` that says nothing


def is_unlimited(key: str, value: object) -> bool:
    """True for a receive window that nobody wrote and that limits nothing, which tables omit."""
    return key.rpartition(".")[2] == "window" and value == _UNLIMITED_WINDOW


def _tcp_words(tcp: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Values under their keys; names of variants and of window controls stand alone."""
    given = [(key, tcp[key]) for key in keys if key in tcp and not is_unlimited(key, tcp[key])]
    return ", ".join(
        str(value) if key in _CONTROL_KEYS else f"{key} {value}" for key, value in given
    )


_LAYOUT_CACHE: dict[tuple[str, bool, bool, bool], tuple[str, ...]] = {}


def _count_names(point: Point) -> tuple[str, ...]:
    """All points of a family have the same columns; links that retransmit, flows of many transfers
    and videos add some."""
    key = (point.family, retransmits(point), has_transfers(point), has_video(point))
    if key not in _LAYOUT_CACHE:
        _LAYOUT_CACHE[key] = tuple(_native.count_names(point.compiled))
    return _LAYOUT_CACHE[key]


def retransmits(point: Point) -> bool:
    """True if some link layer retransmits."""
    hops = point.data.get("path", {}).get("hop", [])
    links = [point.data.get("link", {}), *hops, *(hop.get("back", {}) for hop in hops)]
    return any("arq" in link for link in links)


def has_transfers(point: Point) -> bool:
    """True if some flow consists of many transfers."""
    return has_video(point) or any("sizes" in flow for flow in point.data.get("flow", []))


def has_video(point: Point) -> bool:
    """True if some flow is a video."""
    return any("video" in flow for flow in point.data.get("flow", []))


def shape_counts(layout: Layout, counts: list[bytes]) -> Integers:
    """The counts of runs: by run, batch, flow and column."""
    flat = np.frombuffer(b"".join(counts), dtype="<i8")
    return flat.reshape(len(counts), layout.batches, layout.flows, len(layout.names))
