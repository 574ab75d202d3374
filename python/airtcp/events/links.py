"""Events on the links of a traced run, and events of cross-traffic packets.

`Links` belongs to the `Events` of a run. Every trace has cross-traffic; queues, sojourns, busy
times and drops are kept where `airtcp.trace(..., links=True)` asks for them.
docs/reference/events.md says what the tables mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from airtcp.errors import InputError, known_name
from airtcp.events.columns import EventColumn
from airtcp.events.records import CAUSES, Array

TABLES = ("queue", "sojourn", "busy", "drops", "marks", "traffic")
LOSS_CAUSES = (*CAUSES, "vanished")  # codes 1 to 6
SENT_CODE, LOST_CODE, ARRIVED_CODE = 0, 4, 6  # codes of events, as in the table of events
_EVENTS = {SENT_CODE: "send", LOST_CODE: "drop", ARRIVED_CODE: "arrive"}
_DIRECTIONS = ("forward", "back")
_NS = 1_000_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """The links of a run.

    - `records`: the NumPy tables that were kept, by their names in `TABLES`;
    - `nodes`: names of the nodes; `hops`: the near and the far node of each hop, by name;
    - `flows`: the links that data and ACKs of each flow cross; `traffic`: the links that packets
      cross of each source of cross-traffic. Links are numbered hop by hop: first all from their
      near ends, then all from their far ends, the last hop first;
    - `end`: end of the run (s), None where no history was kept;
    - `limits`: the period that tables show (s); `flow`: the flow whose packets and links they
      show, None for all.
    """

    records: Mapping[str, Array]
    nodes: Sequence[str]
    hops: Sequence[tuple[str, str]]
    flows: Sequence[tuple[Sequence[int], Sequence[int]]]
    traffic: Sequence[Sequence[int]]
    end: float | None = None
    limits: tuple[float, float] = (-math.inf, math.inf)
    flow: int | None = None

    @property
    def count(self) -> int:
        """Number of links: two per hop."""
        return 2 * len(self.hops)

    def hop(self, link: int) -> tuple[int, bool]:
        """The hop of a link, and true if the link leads back."""
        is_back = link >= len(self.hops)
        return (self.count - 1 - link if is_back else link), is_back

    def ends(self, link: int) -> tuple[str, str]:
        """The names of the nodes from which and to which a link leads."""
        hop, is_back = self.hop(link)
        near, far = self.hops[hop]
        return (far, near) if is_back else (near, far)

    def label(self, link: int) -> str:
        """Name of a link for readers."""
        source, target = self.ends(link)
        return f"{source} → {target}"

    def owner(self, number: int) -> str:
        """Name, for readers, of the flow or the source that a packet belongs to."""
        flows = len(self.flows)
        return f"flow {number}" if number < flows else f"cross-traffic {number - flows}"

    def ways(self, flow: int) -> set[int]:
        """The links that packets of a flow cross, data or ACKs."""
        data, acks = self.flows[flow]
        return {*data, *acks}

    def records_of(self, table: str) -> Array:
        """The records of a table. Raises `InputError` if they were not kept."""
        known_name("table", table, TABLES)
        if table not in self.records:
            raise InputError(
                f"table = {table}: this trace has no history of links;"
                " airtcp.trace(..., links=True) records one"
            )
        records, (start, end) = self._of_flow(table), self.limits
        if self.limits == (-math.inf, math.inf):
            return records
        last = records["end_ns"] if table == "busy" else records["time_ns"]
        return records[(last / _NS >= start) & (records["time_ns"] / _NS <= end)]

    def _of_flow(self, table: str) -> Array:
        """The records of the flow's packets or, in tables without packets, of the links crossed."""
        records = self.records[table]
        if self.flow is None:
            return records
        if table == "traffic":
            raise InputError(
                f"flow = {self.flow}: the table traffic has no packets of flows; leave flow out"
            )
        own: Array = (
            records["owner"] == self.flow
            if "owner" in (records.dtype.names or ())
            else np.isin(records["link"], sorted(self.ways(self.flow)))
        )
        records_of_flow: Array = records[own]
        return records_of_flow

    def of_flow(self, flow: int) -> Links:
        """The links restricted to one flow: its packets, and the links that they cross."""
        return replace(self, flow=flow)

    def between(self, start: float, end: float) -> Links:
        """The records from `start` to `end` (s), both included; busy times need only overlap."""
        limits = max(start, self.limits[0]), min(end, self.limits[1])
        return replace(self, limits=limits)

    def shown(self, table: str) -> Iterator[tuple[str, EventColumn]]:
        """The columns of a table in their order, or `InputError`."""
        records = self.records_of(table)
        yield "time", EventColumn(records["time_ns"] / _NS)
        yield "time_ns", EventColumn(records["time_ns"])
        if table == "busy":
            yield "end", EventColumn(records["end_ns"] / _NS)
            yield "end_ns", EventColumn(records["end_ns"])
        if table == "traffic":
            yield from self._shown_traffic(records)
            return
        yield from self.shown_places(records["link"])
        if table == "queue":
            yield "packets", EventColumn(records["packets"])
            yield "bytes", EventColumn(records["bits"] // 8)
        elif table != "busy":
            yield from self.shown_owners(records["owner"])
        if table in ("sojourn", "marks"):
            yield "size", EventColumn(records["bits"] // 8)
        if table == "sojourn":
            yield "sojourn", EventColumn(records["sojourn_ns"] / _NS)
            yield "sojourn_ns", EventColumn(records["sojourn_ns"])
        elif table == "drops":
            yield "size", EventColumn(records["size"])
            yield "cause", EventColumn(records["cause"] - 1, words=LOSS_CAUSES)

    def shown_places(self, link: Array) -> Iterator[tuple[str, EventColumn]]:
        """The link of each row, in four columns."""
        is_back = link >= len(self.hops)
        hop = np.where(is_back, self.count - 1 - link, link)
        yield "hop", EventColumn(hop)
        yield "direction", EventColumn(is_back.astype(np.int8), words=_DIRECTIONS)
        names = tuple(self.nodes)
        for place, name in enumerate(("near", "far")):
            of_hops = np.array([names.index(ends[place]) for ends in self.hops], dtype=np.int64)
            yield name, EventColumn(of_hops[hop], words=names)

    def shown_owners(self, owner: Array) -> Iterator[tuple[str, EventColumn]]:
        """The owner of each packet: a flow or a source of cross-traffic."""
        of_traffic = owner >= len(self.flows)
        yield "flow", EventColumn(owner, of_traffic)
        yield "source", EventColumn(owner - len(self.flows), ~of_traffic)

    def _shown_traffic(self, records: Array) -> Iterator[tuple[str, EventColumn]]:
        yield "source", EventColumn(records["source"])
        codes = np.zeros(max(_EVENTS) + 1, dtype=np.int8)
        codes[list(_EVENTS)] = range(len(_EVENTS))
        yield "event", EventColumn(codes[records["event"]], words=tuple(_EVENTS.values()))
        yield "node", EventColumn(records["node"])
        cause = records["cause"].astype(np.int8)
        yield "cause", EventColumn(cause - 1, cause == 0, LOSS_CAUSES)
        yield "size", EventColumn(records["size"])
