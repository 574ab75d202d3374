"""Results of iperf3 as JSON: bytes per interval, of UDP packets and losses too, of both directions.

Three forms: one document per test (`-J`), several after each other, and a line per event
(`--json-stream`). A test has a direction for every side that sends. Of a direction that the client
sends, the server knows what arrived: with `--get-server-output` its intervals are taken, of UDP
else its sums over the whole test.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, quote_value
from airtcp.measured.content import FileContent
from airtcp.measured.iperf3_sums import SUMS_REMARK, ReceivedSums, received_sums
from airtcp.measured.json_entries import EntryReader, entry_at, number_or_nan
from airtcp.measured.measurement import Intervals, Measurement, Oddity
from airtcp.measured.options import ReadOptions

FORMAT_NAME = "iperf3"
_EVENT_NAMES = ("start", "interval", "end", "error", "server_output_json", "server_output_text")
_DOCUMENT_KEYS = (b'"intervals"', b'"test_start"', b'"connecting_to"', b'"accepted_connection"')
_BYTES_TOLERANCE = 0.01  # by which bytes of intervals may differ from those at the end
_GAP_SECONDS = 0.01  # s
_NS_PER_SECOND = 1e9
_SHORTEST_INTERVAL = 1e-6  # s of an interval, the resolution of its ends


@dataclass
class _Direction:
    """Intervals of one direction of a test, a row of numbers each: `_COLUMNS`."""

    rows: list[tuple[float, ...]] = field(default_factory=list)
    omitted: int = 0
    streams: int = 0


_COLUMNS = ("start", "end", "bytes", "packets", "lost", "again", "rtt")


@dataclass
class _Test:
    """A test of iperf3 as its document reports it."""

    start: dict[str, Any] = field(default_factory=dict)
    directions: dict[bool, _Direction] = field(default_factory=dict)  # by: is this side the sender
    end: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    server: Any = None
    damaged: int = 0

    @property
    def is_udp(self) -> bool:
        protocol = entry_at(self.start, "test_start", "protocol")
        return isinstance(protocol, str) and protocol.upper() == "UDP"

    @property
    def is_by_server(self) -> bool:
        return "accepted_connection" in self.start

    @property
    def mss(self) -> float:
        found = number_or_nan(self.start.get("tcp_mss", self.start.get("tcp_mss_default")))
        return found if found >= 1.0 else math.nan


def recognises(begins: bytes) -> bool:
    """True for the first part of a document, or of lines of events, as iperf3 writes them."""
    if not begins.lstrip().startswith(b"{"):
        return False
    events = any(
        b'"event"' in begins and b'"%s"' % name.encode() in begins for name in _EVENT_NAMES[:2]
    )
    return events or (b'"start"' in begins and any(key in begins for key in _DOCUMENT_KEYS))


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """A measurement per test and direction. Raises `InputError` where there is no interval."""
    del options  # a result leaves nothing open
    entries = EntryReader(content.data, "intervals")
    tests = list(_read_tests(entries))
    shared = list(content.oddities)
    if entries.damage is not None:
        said = f"line {entries.damage.line}: {entries.damage.why}: what follows is left out"
        shared.append(Oddity("cut", said))
    found = [measurement for test in tests for measurement in _measurements(content, test)]
    if not found:
        errors = [test.error for test in tests if test.error]
        where = f"line {entries.damage.line}: {entries.damage.why}" if entries.damage else ""
        why = f"iperf3 says {quote_value(errors[0])}" if errors else where or "it has no intervals"
        raise InputError(f"{content.source}: no result of iperf3: {why}")
    first, *rest = found
    yield replace(first, oddities=(*shared, *first.oddities))
    yield from rest


def _read_tests(entries: EntryReader) -> Iterator[_Test]:
    events = _Test()  # lines of events that belong together
    begun = False
    for document in entries.documents():
        test = _Test()
        event, data = None, None
        for key, value in document:
            if key == "event":
                event = value
            elif key == "data":
                data = value
            else:
                _take_entry(test, key, value)
        if event not in _EVENT_NAMES:
            if event is None:
                yield test
            continue
        if event == "start" and begun:
            yield events
            events = _Test()
        begun = True
        _take_entry(events, "intervals" if event == "interval" else event, data)
    if begun:
        yield events


def _take_entry(test: _Test, key: str, value: Any) -> None:
    if key == "intervals":
        _take_interval(test, value)
    elif key in ("start", "end") and isinstance(value, dict):
        setattr(test, key, value)
    elif key == "error":
        test.error = value if isinstance(value, str) else quote_value(value)
    elif key == "server_output_json":
        test.server = value


def _take_interval(test: _Test, item: Any) -> None:
    """Take an item of the intervals: its streams added up, by who sends."""
    streams = entry_at(item, "streams")
    if not isinstance(streams, list) or not streams:
        test.damaged += 1
        return
    sides: dict[bool, list[dict[str, Any]]] = {}
    for stream in streams:
        if isinstance(stream, dict):
            sides.setdefault(_is_sent_here(test, stream), []).append(stream)
    for side, every in sides.items():
        direction = test.directions.setdefault(side, _Direction())
        if any(stream.get("omitted") is True for stream in every):
            direction.omitted += 1
            continue
        row = _interval_row(every)
        if row is None:
            test.damaged += 1
            continue
        direction.rows.append(row)
        direction.streams = max(direction.streams, len(every))


def _is_sent_here(test: _Test, stream: dict[str, Any]) -> bool:
    """True if the side that wrote the file sends this stream."""
    said = stream.get("sender")
    if isinstance(said, bool):
        return said
    backwards = bool(
        number_or_nan(entry_at(test.start, "test_start", "reverse")) > 0
    )  # before iperf 3.7
    return backwards == test.is_by_server


def _interval_row(streams: Sequence[dict[str, Any]]) -> tuple[float, ...] | None:
    starts, ends = _values_of_streams(streams, "start"), _values_of_streams(streams, "end")
    start, end = min(starts), max(ends)
    if not (math.isfinite(start) and start + _SHORTEST_INTERVAL <= end < 1e9):
        return None
    rtt = [
        microseconds / 1e6
        for microseconds in _values_of_streams(streams, "rtt")
        if microseconds > 0.0
    ]
    return (
        start,
        end,
        sum(_values_of_streams(streams, "bytes")),
        sum(_values_of_streams(streams, "packets")),
        sum(_values_of_streams(streams, "lost_packets")),
        sum(_values_of_streams(streams, "retransmits")),
        sum(rtt) / len(rtt) if rtt else math.nan,
    )


def _values_of_streams(streams: Iterable[dict[str, Any]], key: str) -> list[float]:
    return [number_or_nan(stream.get(key)) for stream in streams]


# Measurements


def _measurements(content: FileContent, test: _Test) -> Iterator[Measurement]:
    server = _test_of_server(test)
    for sends, direction in test.directions.items():
        theirs = server.directions.get(False) if server and sends else None
        if server is not None and theirs is not None and theirs.rows:
            yield _measurement(content, server, theirs, sends=False)
        elif direction.rows:
            sums = None
            if test.is_udp and sends and not test.error:
                sums = received_sums(test.end, both_ways=len(test.directions) > 1)
            if sums is None:
                yield _measurement(content, test, direction, sends=sends)
            else:
                yield _measurement_of_sums(content, test, direction, sums)


def _test_of_server(test: _Test) -> _Test | None:
    """The test as the server reports it, if the client asked for that."""
    if not isinstance(test.server, dict):
        return None
    found = _Test()
    for key, value in test.server.items():
        if key == "intervals":
            for item in value if isinstance(value, list) else []:
                _take_interval(found, item)
        elif key != "server_output_json":
            _take_entry(found, key, value)
    found.start.setdefault("accepted_connection", {})
    return found


def _measurement(
    content: FileContent, test: _Test, direction: _Direction, *, sends: bool
) -> Measurement:
    rows = np.array(sorted(direction.rows), dtype=np.float64)
    column = dict(zip(_COLUMNS, rows.T, strict=True))
    origin = column["start"][0]
    start = np.rint((column["start"] - origin) * _NS_PER_SECOND).astype(np.int64)
    length = np.rint((column["end"] - column["start"]) * _NS_PER_SECOND).astype(np.int64)
    lost = column["lost"] if test.is_udp else column["again"]
    sent = column["packets"]
    if not test.is_udp:
        sent = np.where(np.isnan(lost), np.nan, column["bytes"] / test.mss + np.nan_to_num(lost))
    began = number_or_nan(entry_at(test.start, "timestamp", "timesecs"))
    return Measurement(
        source=content.source,
        form=FORMAT_NAME,
        about=_direction_words(test, direction, sends=sends),
        began=began if began > 0.0 else None,
        is_probing=test.is_udp,
        streams=direction.streams,
        intervals=Intervals(
            start=start,
            length=length,
            sent=sent,
            lost=lost,
            received=column["bytes"],
            delay=column["rtt"] * _NS_PER_SECOND,
        ),
        oddities=tuple(_oddities(test, direction, column, sends=sends)),
    )


def _measurement_of_sums(
    content: FileContent, test: _Test, direction: _Direction, sums: ReceivedSums
) -> Measurement:
    """A single interval with what the receiver counted over the whole test."""
    measurement = _measurement(content, test, direction, sends=True)
    counts = Intervals(
        start=np.zeros(1, dtype=np.int64),
        length=np.array([round(sums.seconds * _NS_PER_SECOND)], dtype=np.int64),
        sent=np.array([sums.sent]),
        lost=np.array([sums.lost]),
        received=np.array([sums.received]),
        delay=np.full(1, np.nan),
    )
    seen = f"bursts of losses cannot be seen in one count over {sums.seconds:.4g} s"
    others = (odd for odd in measurement.oddities if odd.kind not in ("counts only", "sender"))
    return replace(
        measurement,
        about=measurement.about.replace("seen by the sender", "sums of the receiver"),
        intervals=counts,
        oddities=(Oddity("counts only", seen), Oddity("sums", SUMS_REMARK), *others),
    )


def _direction_words(test: _Test, direction: _Direction, *, sends: bool) -> str:
    way = "client to server" if sends != test.is_by_server else "server to client"
    streams = f"{direction.streams} streams" if direction.streams > 1 else "1 stream"
    point = "seen by the sender" if sends else "seen by the receiver"
    return f"{'UDP' if test.is_udp else 'TCP'}, {way}, {streams}, {point}"


def _oddities(
    test: _Test, direction: _Direction, column: dict[str, NDArray[np.float64]], *, sends: bool
) -> Iterator[Oddity]:
    interval = float(np.median(column["end"] - column["start"]))
    yield Oddity("counts only", f"bursts of losses cannot be seen in counts per {interval:.3g} s")
    if not test.is_udp and not np.isnan(column["again"]).all():
        said = (
            "retransmits are repetitions by TCP, of which some may have been needless, not losses"
        )
        if not math.isnan(test.mss):
            said += f"; packets are the bytes in segments of {test.mss:.0f}, and the repetitions"
        yield Oddity("repetitions", said)
    if sends and not test.is_udp:
        yield Oddity(
            "sender", "bytes are what the sender wrote into its buffer, earlier than they arrived"
        )
    if test.is_udp and sends:
        yield Oddity("sender", "a sender of UDP does not see losses (--get-server-output has them)")
    if not test.is_udp and not sends:
        yield Oddity("receiver", "a receiver of TCP sees neither losses nor round trips")
    if direction.omitted:
        yield Oddity("omitted", "intervals that iperf3 omits are left out", direction.omitted)
    if test.damaged:
        yield Oddity("skipped interval", "an interval without start and end", test.damaged)
    if test.error:
        yield Oddity("aborted", f"the test ended early: {test.error}")
    yield from _gap_oddities(column)
    yield from _sum_oddities(test, column, sends=sends)


def _gap_oddities(column: dict[str, NDArray[np.float64]]) -> Iterator[Oddity]:
    apart = column["start"][1:] - column["end"][:-1]
    far = np.flatnonzero(np.abs(apart) > _GAP_SECONDS)
    if len(far):
        at = far[0]
        what = "are missing" if apart[at] > 0 else "are there twice"
        said = f"{abs(apart[at]):.3g} s {what} after {column['end'][at]:.3f} s"
        yield Oddity("gap", said, len(far))


def _sum_oddities(
    test: _Test, column: dict[str, NDArray[np.float64]], *, sends: bool
) -> Iterator[Oddity]:
    """An oddity where the bytes of the intervals differ from the sum at the end."""
    if len(test.directions) > 1:  # the end names directions in several ways
        return
    key = "sum_sent" if sends else "sum_received"
    said = number_or_nan(entry_at(test.end, key, "bytes"))
    found = float(np.nansum(column["bytes"]))
    if said > 0.0 and abs(said - found) > _BYTES_TOLERANCE * said:
        yield Oddity("counts", f"the end says {said:.0f} bytes, the intervals {found:.0f}")
