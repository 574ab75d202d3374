"""The event table of a packet-level run: every action of a packet, an ACK or a timer, and its time.

One row per event, in time order; docs/reference/events.md says what each column means. The columns
are kept as the simulator gives them (NumPy arrays with -1, 0 or NaN where a column does not apply),
which is what exports and figures read; `table` is the Arrow table with nulls there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from airtcp.errors import InputError, count, known_name, whole_number
from airtcp.events.columns import EventColumn, arrow_table, to_frame
from airtcp.events.limits import time_limits
from airtcp.events.links import TABLES, Links
from airtcp.events.queue_statistics import STATISTICS, shown_statistics
from airtcp.events.records import (
    ACK_KINDS,
    CAUSES,
    DATA_KINDS,
    ECN_WORDS,
    KINDS,
    KINDS_WITH_WINDOW,
    SENDER_KINDS,
    Array,
    LazyColumns,
    Tables,
    mask_of_kinds,
)

if TYPE_CHECKING:
    import pandas
    import pyarrow

_FACTS_OF_FLOWS = {  # a fact of the first flow -> the same of all, where they may differ
    "unit": "units",
    "header": "headers",
    "payload": "payloads",
    "timestamps": "stamped",
    "dupacks": "thresholds",
}

_NS = 1_000_000_000
_STATE_COLUMNS = ("cwnd", "ssthresh", "inflight", "dupacks", "backoff", "rto", "srtt", "rttvar")
_FIRST_COLUMNS = ("time_ns", "flow", "event")


@dataclass(frozen=True, eq=False, repr=False)
class EventTable:
    """The events of one run.

    - `columns`: NumPy arrays by name, all of one length;
    - `facts`: data on the whole run: sequence units per packet (`unit`), bytes of `payload` and
      `header` of the first flow, number of `hops` and `flows`, `profile`, `variant`, the `variants`
      of all flows, and where they are known scenario, seed, replication, versions. Where flows have
      TCP settings of their own, `units`, `payloads`, `headers` say it of every flow;
    - `links`: events on the links, and of cross-traffic; None if that is not known.
    """

    columns: Mapping[str, Array]
    facts: Mapping[str, Any]
    links: Links | None = None

    @classmethod
    def from_records(
        cls, tables: Tables, facts: Mapping[str, Any], links: Links | None = None
    ) -> Self:
        """The events as the simulator writes them down; a column is made when it is asked for."""
        return cls(LazyColumns(tables, facts), dict(facts), links)

    def __len__(self) -> int:
        """The number of events."""
        return len(self.columns["time_ns"])

    def __repr__(self) -> str:
        """Numbers of events and flows, and the duration."""
        name = f"{self.label}, " if self.label else ""
        flows = count(int(self.facts["flows"]), "flow")
        return f"Events({name}{count(len(self), 'event')}, {flows}, {self.duration:g} s)"

    @property
    def label(self) -> str:
        """Name of the run for readers: the TCP variants of the flows that do something in it."""
        variants = self.variants
        if len(set(variants)) > 1 and len(self):
            active = np.bincount(self.columns["flow"], minlength=len(variants)) > 0
            variants = [variant for variant, does in zip(variants, active, strict=True) if does]
        return ", ".join(dict.fromkeys(variants))

    @property
    def variants(self) -> list[str]:
        """The TCP variant of each flow."""
        same = [str(self.facts.get("variant", ""))] * int(self.facts["flows"])
        return list(self.facts.get("variants", same))

    @property
    def duration(self) -> float:
        """Time of the last event, seconds."""
        return float(self.columns["time_ns"][-1]) / _NS if len(self) else 0.0

    @property
    def time(self) -> Array:
        """Time of each event, seconds."""
        return self.columns["time_ns"] / _NS

    def rows(self, *kinds: str, flow: int | None = None) -> Array:
        """The indices of the events of some kinds, of one flow or all."""
        chosen = self.mask(*kinds)
        if flow is not None:
            chosen &= self.columns["flow"] == flow
        return np.flatnonzero(chosen)

    def mask(self, *kinds: str) -> Array:
        """Mask of the events of some kinds."""
        return mask_of_kinds(self.columns["event"], *kinds)

    def between(self, start: float | None = None, end: float | None = None) -> Self:
        """The events from `start` to `end`, both included, seconds; None: no limit."""
        lowest, highest = time_limits(start, end)
        if start is None and end is None:
            return self
        first = int(np.searchsorted(self.time, lowest, side="left"))
        last = int(np.searchsorted(self.time, highest, side="right"))
        links = self.links and self.links.between(lowest, highest)
        return replace(self.take(slice(first, last)), links=links)

    def of_flow(self, flow: int) -> Self:
        """The events of one flow, also those on the links that its packets cross.

        Raises `InputError`.
        """
        whole_number("flow", flow, 0, int(self.facts["flows"]) - 1)
        own = {
            fact: self.facts[all_][flow]
            for fact, all_ in _FACTS_OF_FLOWS.items()
            if all_ in self.facts
        }
        flow_events = self.take(self.columns["flow"] == flow)
        links = self.links and self.links.of_flow(flow)
        return replace(flow_events, facts={**self.facts, **own}, links=links)

    def of_flows(self, fact: str) -> Array:
        """A fact of each flow: "unit", "header", "payload", "timestamps"."""
        values = self.facts.get(_FACTS_OF_FLOWS[fact])
        if values is None:
            values = [self.facts.get(fact, 0)] * int(self.facts["flows"])
        return np.asarray(values, dtype=np.int64)

    def take(self, rows: slice | Array) -> Self:
        """Some of the events, with the same facts."""
        if isinstance(self.columns, LazyColumns):
            return replace(self, columns=self.columns.select(rows))
        return replace(self, columns={name: column[rows] for name, column in self.columns.items()})

    @cached_property
    def table(self) -> pyarrow.Table:
        """The events as an Arrow table; facts are in the metadata of its schema.

        Raises `InputError` where pyarrow is not installed.
        """
        return self.to_arrow()

    def to_arrow(self, table: str = "events") -> pyarrow.Table:
        """A table as an Arrow table: "events", "statistics", or of `airtcp.events.links.TABLES`.

        Raises `InputError`, also where pyarrow is not installed.
        """

        return arrow_table(self.shown(table), self.facts)

    def to_pandas(self, table: str = "events") -> pandas.DataFrame:
        """A table as a pandas DataFrame: NaN, or None for `sack`, where a column does not apply.

        `table` is "events", "statistics" or of `airtcp.events.links.TABLES`. `sack` holds an array
        of pairs [start, end) per event. Raises `InputError`.
        """

        return to_frame(self.shown(table))

    def shown(self, table: str = "events") -> Iterator[tuple[str, EventColumn]]:
        """The columns of a table in their order, or `InputError`."""

        known_name("table", table, ("events", *TABLES, STATISTICS))
        if table == "events":
            return shown_columns(self)
        links = self.known_links
        return shown_statistics(links) if table == STATISTICS else links.shown(table)

    def rows_of(self, table: str) -> int:
        """Number of rows of a table, or `InputError`."""
        if table in TABLES:
            return len(self.known_links.records_of(table))
        return len(next(self.shown(table))[1].values)

    @property
    def known_links(self) -> Links:
        """The links, or `InputError` if the trace has none."""
        if self.links is None:
            raise InputError("links: needs events from airtcp.trace")
        return self.links


def shown_columns(events: EventTable) -> Iterator[tuple[str, EventColumn]]:
    """The columns in their order."""
    given, absent = events.columns, _absent_rows(events)
    yield "time", EventColumn(events.time)
    for name in (*_FIRST_COLUMNS, *(name for name in given if name not in _FIRST_COLUMNS)):
        values = given[name]
        if name == "event":
            yield name, EventColumn(values, words=KINDS)
        elif name == "cause":
            yield name, EventColumn(values - 1, values == 0, CAUSES)
        elif name == "ecn":
            yield name, EventColumn(values - 1, values == 0, ECN_WORDS)
        else:
            yield name, EventColumn(values, absent.get(name))


def _absent_rows(events: EventTable) -> dict[str, Array]:
    """The rows where each column does not apply."""
    given = events.columns
    stateless = ~events.mask(*SENDER_KINDS)
    absent = {
        name: stateless | np.isnan(given[name]) if given[name].dtype.kind == "f" else stateless
        for name in _STATE_COLUMNS
    }
    absent["srtt"] |= given["srtt"] == 0.0  # no sample yet
    absent["length"] = ~events.mask(*DATA_KINDS)
    absent |= {name: given[name] == 0 for name in ("probe", "probe_number")}
    absent["size"] = events.mask("timeout", "spurious")
    absent["window"] = ~events.mask(*KINDS_WITH_WINDOW)
    absent["sack"] = ~events.mask(*ACK_KINDS)
    return absent
