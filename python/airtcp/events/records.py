"""The records of a traced run as columns: made when they are asked for, then kept.

The simulator writes one record per event, and further ones beside it: one where the event shows the
sender's state, one where a seldom-changing part of that state has changed, and one per ACK with
SACK blocks. An event about a probe has one more, so has one whose packet says something about
congestion, and with timestamps every event. A column has a value for every event: -1, 0 or NaN
where it does not apply. `stamp`, the timestamp, is there in runs with timestamps only, and no
column of tables. The codes of events and causes come from crates/sim/src/network/table.rs.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp import _native

Array = NDArray[Any]
Layout = list[tuple[str, str]]  # (name, NumPy's name of the type) of each field
Words = _native.Words | bytes
Tables = Mapping[str, tuple[Layout, Words]]

KINDS = (
    "send",
    "resend",
    "ack",
    "timeout",
    "drop",
    "ack-drop",
    "arrive",
    "ack-sent",
    "ack-arrive",
    "spurious",
    "probe-send",
    "probe-ack",
    "probe-drop",
    "probe-ack-drop",
    "probe-arrive",
    "probe-ack-sent",
    "probe-ack-arrive",
    "control",
    "control-drop",
    "control-arrive",
)
CODE_OF_KIND = {name: code for code, name in enumerate(KINDS)}
CAUSES = ("queue", "channel", "gate", "forced", "arq")  # codes 1 to 5; 0: no loss

DATA_KINDS = ("send", "resend", "drop", "arrive")
ACK_KINDS = ("ack", "ack-drop", "ack-sent", "ack-arrive")
PROBE_KINDS = ("probe-send", "probe-drop", "probe-arrive")
PROBE_ACK_KINDS = ("probe-ack", "probe-ack-drop", "probe-ack-sent", "probe-ack-arrive")
CONTROL_KINDS = ("control", "control-drop", "control-arrive")  # of profile linux: no data
SENDER_KINDS = (
    "send",
    "resend",
    "ack",
    "timeout",
    "probe-send",
    "probe-ack",
)  # rows that show the sender's state
KINDS_WITH_WINDOW = ("ack", "ack-sent", "probe-ack", "probe-ack-sent")

_MARK_FIELDS: Layout = [("row", "<i8"), ("ecn", "<i8")]
_PROBE_FIELDS: Layout = [("row", "<i8"), ("number", "<i4"), ("probe", "<i4")]
_PROBE_FIELD_OF_COLUMN = {"probe": "probe", "probe_number": "number"}  # column -> field
SACK_BLOCKS = 4  # in the room of a record
FILL_VALUES = {"inflight": -1, "dupacks": -1, "backoff": -1}  # NaN for the rest
COLUMNS = (
    "time_ns",
    "flow",
    "event",
    "node",
    "cause",
    "seq",
    "length",
    "packet",
    "size",
    "cwnd",
    "ssthresh",
    "inflight",
    "dupacks",
    "backoff",
    "rto",
    "srtt",
    "rttvar",
    "window",
    "sack",
    "probe",
    "probe_number",
    "ecn",
)
#: Words for the codes of `ecn`, from 1 on: the sums of crates/sim/src/network/packet.rs.
ECN_WORDS = ("CE", "CWR", "CE CWR", "ECE")


class LazyColumns(Mapping[str, Array]):
    """The columns of `tables`, for sequence numbers and windows as `facts` say."""

    def __init__(self, tables: Tables, facts: Mapping[str, Any]) -> None:
        """Look at the records without copying them."""
        self._events, self._states, self._steady, self._sacks = (
            records_of(*tables[name]) for name in ("events", "states", "steady", "sacks")
        )
        layout, words = tables.get("stamps", ([("stamp", "<i8")], b""))
        self._stamps = records_of(layout, words)
        layout, words = tables.get("probes", (_PROBE_FIELDS, b""))
        self._probes = records_of(layout, words)
        layout, words = tables.get("marks", (_MARK_FIELDS, b""))
        self._marks = records_of(layout, words)
        self._unit = int(facts["unit"])
        self._units = np.asarray(facts["units"], dtype=np.int64) if "units" in facts else None
        self._windows = np.asarray(facts["windows"], dtype=np.int64)
        self._made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """A value per event."""
        if name not in self._made:
            self._made[name] = self._make_column(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(COLUMNS)

    def __len__(self) -> int:
        """Number of columns."""
        return len(COLUMNS)

    def select(self, rows: slice | Array) -> LazyColumns:
        """The columns of some events: this picks their records, and makes no column."""
        states, sacks = (
            np.cumsum(self._mask_of_kinds(*SENDER_KINDS)) - 1,
            np.full(len(self._events), -1),
        )
        sacks[self._sacks["row"]] = np.arange(len(self._sacks))
        reported = sacks[rows]
        probes = np.full(len(self._events), -1)
        probes[self._probes["row"]] = np.arange(len(self._probes))
        probed = probes[rows]
        marks = np.full(len(self._events), -1)
        marks[self._marks["row"]] = np.arange(len(self._marks))
        marked = marks[rows]
        part_columns = copy.copy(self)
        part_columns._made = {}
        part_columns._events = self._events[rows]
        part_columns._stamps = self._stamps[rows] if len(self._stamps) else self._stamps
        part_columns._states = self._states[
            states[rows][part_columns._mask_of_kinds(*SENDER_KINDS)]
        ]
        part_columns._sacks = self._sacks[reported[reported >= 0]]
        part_columns._sacks["row"] = np.flatnonzero(reported >= 0)
        part_columns._probes = self._probes[probed[probed >= 0]]
        part_columns._probes["row"] = np.flatnonzero(probed >= 0)
        part_columns._marks = self._marks[marked[marked >= 0]]
        part_columns._marks["row"] = np.flatnonzero(marked >= 0)
        return part_columns

    def _mask_of_kinds(self, *kinds: str) -> Array:
        """Mask of the events of some kinds."""
        return mask_of_kinds(self._events["event"], *kinds)

    def _make_column(self, name: str) -> Array:
        if name in (self._events.dtype.names or ()):
            return np.ascontiguousarray(self._events[name])
        if name == "stamp" and len(self._stamps) == len(self._events):
            return np.ascontiguousarray(self._stamps["stamp"])
        if name in (self._states.dtype.names or ()):
            return self._sender_column(name, self._states[name])
        if name in (self._steady.dtype.names or ()):
            return self._sender_column(name, self._steady[name][self._states["steady"]])
        if name in _PROBE_FIELD_OF_COLUMN:
            return self._probe_column(_PROBE_FIELD_OF_COLUMN[name])
        made = {
            "packet": self._packet,
            "window": self._window,
            "sack": self._sack,
            "ecn": self._ecn,
        }
        if name not in made:
            raise KeyError(name)
        return made[name]()

    def _sender_column(self, name: str, values: Array) -> Array:
        dense = np.full(len(self._events), FILL_VALUES.get(name, np.nan), values.dtype)
        dense[self._mask_of_kinds(*SENDER_KINDS)] = values
        return dense

    def _packet(self) -> Array:
        """The number of the data packet; for ACKs that of the last packet in order, -1 for none."""
        seq: Array = self["seq"]
        unit = self._unit if self._units is None else self._units[self["flow"]]
        return np.where(
            self._mask_of_kinds(*ACK_KINDS, *PROBE_ACK_KINDS), -(-seq // unit) - 1, seq // unit
        )

    def _window(self) -> Array:
        return np.where(self._mask_of_kinds(*KINDS_WITH_WINDOW), self._windows[self["flow"]], 0)

    def _sack(self) -> Array:
        dense = np.zeros((len(self._events), SACK_BLOCKS, 2), dtype=np.int64)
        dense[self._sacks["row"]] = self._sacks["blocks"]
        return dense

    def _ecn(self) -> Array:
        dense = np.zeros(len(self._events), dtype=np.int8)
        dense[self._marks["row"]] = self._marks["ecn"]
        return dense

    def _probe_column(self, field: str) -> Array:
        dense = np.zeros(len(self._events), dtype=np.int32)
        dense[self._probes["row"]] = self._probes[field]
        return dense


def mask_of_kinds(events: Array, *kinds: str) -> Array:
    """Mask of the event codes that stand for one of `kinds`."""
    is_wanted = np.zeros(len(KINDS), dtype=bool)
    is_wanted[[CODE_OF_KIND[kind] for kind in kinds]] = True
    return is_wanted[events]


def records_of(layout: Layout, words: Words) -> Array:
    """Words as records, not copied."""
    return np.frombuffer(memoryview(words), np.dtype([_field(*field) for field in layout]))


def _field(name: str, kind: str) -> tuple[Any, ...]:
    """A field of a record: "(4,2)<i8" is a field of that shape."""
    shape, closing, of = kind.rpartition(")")
    if not closing:
        return name, kind
    return name, of, tuple(int(number) for number in shape.lstrip("(").split(","))
