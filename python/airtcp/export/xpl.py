"""Time-sequence graphs for xplot, in the colours and symbols of tcptrace.

White arrows: segments; red, with R: retransmissions; green: ACKs, with a tick for a duplicate and 3
for the third; yellow: the edge of the receiver's window; purple, with S: SACK blocks. Some marks
show facts that tcptrace cannot know: an orange x where a packet was lost, blue diamonds for probes
and boxes for their answers, a magenta T for a timeout, and "spurious" where a packet arrives that
shows a timeout to have been that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from airtcp.events.table import EventTable
from airtcp.export.packets import unit_bytes

_LINES = 10_000  # in memory at a time
_SEGMENTS = {"send": ("white", ""), "resend": ("red", "R")}
_MARKS = {
    "drop": ("orange", "x {at}"),
    "probe-send": ("blue", "diamond {at}"),
    "probe-ack": ("blue", "box {at}"),
    "probe-drop": ("orange", "x {at}"),
    "probe-ack-drop": ("orange", "x {at}"),
    "timeout": ("magenta", "btext {at}\nT"),
    "spurious": ("magenta", "btext {at}\nspurious"),
}
_FAST_RETRANSMIT_DUPACKS = 3  # duplicate ACK


def write_xpl(events: EventTable, file: BinaryIO, *, flow: int = 0) -> None:
    """Write one flow as a graph of bytes over time."""
    lines = _graph(events.of_flow(flow), f"flow {flow}")
    while some := "\n".join(islice(lines, _LINES)):
        file.write(f"{some}\n".encode())


def _graph(events: EventTable, flow: str) -> Iterator[str]:
    title = ", ".join(word for word in (events.label, flow) if word)
    yield from ("timeval double", "title", f"{title}: time sequence graph")
    yield from ("xlabel", "time", "ylabel", "sequence number")
    for kind, (colour, letter) in _SEGMENTS.items():
        yield colour
        yield from _segments(events, kind, letter)
    yield from _steps(events, "window", "yellow", "utick")
    yield from _steps(events, "seq", "green", "dtick")
    yield "purple"
    yield from _sacks(events)
    for kind, (colour, mark) in _MARKS.items():
        yield colour
        for time, number in zip(_times(events, kind), _bytes(events, kind), strict=True):
            yield mark.format(at=f"{time} {number}")
    yield "go"


def _times(events: EventTable, *kinds: str) -> list[str]:
    nanoseconds = events.columns["time_ns"][events.rows(*kinds)].tolist()
    return [f"{time_ns // 10**9}.{time_ns % 10**9 // 1000:06d}" for time_ns in nanoseconds]


def _bytes(events: EventTable, *kinds: str, column: str = "seq") -> list[int]:
    rows = events.rows(*kinds)
    values: list[int] = (events.columns[column][rows] * unit_bytes(events, rows)).tolist()
    return values


def _segments(events: EventTable, kind: str, letter: str) -> Iterator[str]:
    starts, lengths = _bytes(events, kind), _bytes(events, kind, column="length")
    for time, start, length in zip(_times(events, kind), starts, lengths, strict=True):
        end = start + length
        yield f"line {time} {start} {time} {end}\ndarrow {time} {start}\nuarrow {time} {end}"
        if letter:
            yield f"atext {time} {end}\n{letter}"


def _steps(events: EventTable, column: str, colour: str, tick: str) -> Iterator[str]:
    """The line of ACKs, or of the window's edge above them."""
    yield colour
    kinds = ("ack", "probe-ack")
    levels = _bytes(events, *kinds)
    if column == "window":
        edges = _bytes(events, *kinds, column="window")
        levels = [a + b for a, b in zip(levels, edges, strict=True)]
    is_ack = events.mask("ack")[events.rows(*kinds)].tolist()
    before, repeats = None, 0
    for time, level, counts in zip(_times(events, *kinds), levels, is_ack, strict=True):
        if before is not None:
            yield f"line {before[0]} {before[1]} {time} {before[1]}"
            repeats = repeats + counts if level == before[1] else 0
            yield f"{tick} {time} {level}" if repeats else f"line {time} {before[1]} {time} {level}"
            if repeats == _FAST_RETRANSMIT_DUPACKS and counts and column == "seq":
                yield f"atext {time} {level}\n3"
        before = time, level


def _sacks(events: EventTable) -> Iterator[str]:
    rows = events.rows("ack")
    blocks = events.columns["sack"][rows] * unit_bytes(events, rows)[:, None, None]
    for time, row in zip(_times(events, "ack"), blocks.tolist(), strict=True):
        used = [(start, end) for start, end in row if end > start]
        for start, end in used:
            yield f"line {time} {start} {time} {end}\nhtick {time} {start}\nhtick {time} {end}"
        if used:
            yield f"atext {time} {max(end for _, end in used)}\nS"
