"""Results of irtt as JSON: round trips of UDP, with the way on which a packet was lost.

With the server's window of what it received (`--stats=both`, the default) the file shows whether a
packet was lost on the way there (`true_up`) or back (`true_down`); then it holds two measurements.
Delays of one way contain the difference of the clocks of both hosts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from airtcp.errors import InputError
from airtcp.measured.content import FileContent
from airtcp.measured.json_entries import EntryReader, entry_at, number_or_nan
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    UNKNOWN,
    Delays,
    Measurement,
    Oddity,
    Packets,
)
from airtcp.measured.options import ReadOptions

FORMAT_NAME = "irtt"
_FATE_NAMES = ("false", "true", "true_up", "true_down")
_ANSWERED, _LOST_SOMEWHERE, _LOST_UP, _LOST_DOWN = range(4)
_STATS_WITH_WINDOW = ("window", "both")
_HEADER_BYTES = {"IPv4": 28, "IPv6": 48}  # bytes of IP and UDP
_DELAY_NAMES = ("rtt", "send", "receive")


@dataclass
class _Test:
    """Columns of a document, round trip by round trip; times and delays in ns, NaN for none."""

    config: Any = None
    stats: Any = None
    lost: list[int] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    wall: float = float("nan")
    delays: dict[str, list[float]] = field(
        default_factory=lambda: {name: [] for name in _DELAY_NAMES}
    )
    late: int = 0
    numbers: list[float] = field(default_factory=list)
    damaged: int = 0


def recognises(begins: bytes) -> bool:
    """True for the first part of a document of irtt."""
    return begins.lstrip().startswith(b"{") and (b'"irtt"' in begins or b'"round_trips"' in begins)


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """One measurement, or two if the file separates up and down. Raises `InputError`."""
    del options  # a result leaves nothing open
    entries = EntryReader(content.data, "round_trips")
    tests = [_read_test(document) for document in entries.documents()]
    shared = list(content.oddities)
    if entries.damage is not None:
        said = f"line {entries.damage.line}: {entries.damage.why}: what follows is left out"
        shared.append(Oddity("cut", said))
    tests = [test for test in tests if test.lost]
    if not tests:
        where = f": line {entries.damage.line}: {entries.damage.why}" if entries.damage else ""
        raise InputError(f"{content.source}: a result of irtt without a round trip{where}")
    for index, test in enumerate(tests):
        yield from _measurements(content, test, shared if index == 0 else [])


def _read_test(document: Iterator[tuple[str, Any]]) -> _Test:
    test = _Test()
    for key, value in document:
        if key == "round_trips":
            _take_round_trip(test, value)
        elif key == "config":
            test.config = value
        elif key == "stats":
            test.stats = value
    return test


def _take_round_trip(test: _Test, trip: Any) -> None:
    fate = str(entry_at(trip, "lost")).lower()
    seqno = number_or_nan(entry_at(trip, "seqno"))
    if fate not in _FATE_NAMES or math.isnan(seqno):
        test.damaged += 1
        return
    send = entry_at(trip, "timestamps", "client", "send")
    wall, steady = number_or_nan(entry_at(send, "wall")), number_or_nan(entry_at(send, "monotonic"))
    if not test.lost:
        test.wall = wall
    test.numbers.append(seqno)
    test.lost.append(_FATE_NAMES.index(fate))
    test.sent.append(wall if math.isnan(steady) else steady)
    for name, column in test.delays.items():
        found = entry_at(trip, "delay", name)
        known = isinstance(found, (int, float)) and not isinstance(found, bool)
        column.append(float(found) if known and abs(found) < 2**62 else float("nan"))
    test.late += entry_at(trip, "timestamps", "late") is True


class _Direction(NamedTuple):
    """A direction, or both: its name, the name of its delay, fates, and packets that took it."""

    about: str
    delay: str
    fate: Any
    chosen: Any


def _measurements(
    content: FileContent, test: _Test, shared: Sequence[Oddity]
) -> Iterator[Measurement]:
    oddities = (*shared, *_oddities(test))
    for index, way in enumerate(_directions(test)):
        yield _measurement(content, test, way, oddities if index == 0 else ())


def _directions(test: _Test) -> Iterator[_Direction]:
    lost = np.array(test.lost)
    every = np.ones(len(lost), dtype=bool)
    window = entry_at(test.config, "params", "received_stats") in _STATS_WITH_WINDOW
    if not (lost >= _LOST_UP).any() and not (window and not (lost == _LOST_SOMEWHERE).any()):
        yield _Direction("", "rtt", np.where(lost == _ANSWERED, ARRIVED, LOST), every)
        return
    arrived_up = (lost == _ANSWERED) | (lost == _LOST_DOWN)
    up = np.where(arrived_up, ARRIVED, np.where(lost == _LOST_UP, LOST, UNKNOWN))
    yield _Direction("client to server", "send", up, every)
    came = lost != _LOST_UP  # of others no packet set out on the way back
    down = np.where(lost == _ANSWERED, ARRIVED, np.where(lost == _LOST_DOWN, LOST, UNKNOWN))
    if came.any():
        yield _Direction("server to client", "receive", down, came)


def _measurement(
    content: FileContent, test: _Test, way: _Direction, oddities: tuple[Oddity, ...]
) -> Measurement:
    about, name, fate, chosen = way
    sent, measured, more = _times(test)
    delay = np.array(test.delays[name])[chosen]
    fate = fate[chosen].astype(np.int8)
    offset: Delays = "one way with an unknown offset"
    known = (fate == ARRIVED) & ~np.isnan(delay)
    least = float(delay[known].min()) if known.any() else 0.0
    if least < 0.0:  # clocks differ by more than the way takes
        said = (
            f"delays of one way begin at {least / 1e6:.3g} ms: the clocks differ; they start at 0"
        )
        oddities = (*oddities, Oddity("clock offset", said))
        delay = delay - least
    time = sent[chosen]
    size = number_or_nan(entry_at(test.config, "params", "length"))
    header = _HEADER_BYTES.get(str(entry_at(test.config, "ip_version")), 28)
    packets = Packets(
        time=time - time[0],
        fate=fate,
        delay=np.where(known, np.nan_to_num(delay), NO_DELAY).astype(np.int64),
        size=np.full(len(time), int(size) + header if size < 2**16 else 0, dtype=np.int32),
        cause=np.full(len(time), UNKNOWN, dtype=np.int8),
        delays="round trip" if name == "rtt" else offset,
        is_time_measured=measured and name != "receive",
    )
    doubled = number_or_nan(entry_at(test.stats, "duplicates"))
    return Measurement(
        source=content.source,
        form=FORMAT_NAME,
        is_probing=True,
        about=about,
        began=test.wall / 1e9 if test.wall > 1e17 else None,
        packets=packets,
        reordered=test.late if name != "send" else 0,
        duplicated=int(doubled) if doubled < 2**31 and name != "send" else 0,
        oddities=(*oddities, *(more if name != "receive" else ())),
    )


def _times(test: _Test) -> tuple[Any, bool, list[Oddity]]:
    """Times of sending in ns, from the interval where none were measured."""
    sent = np.array(test.sent)
    if np.isnan(sent).any():
        interval = number_or_nan(entry_at(test.config, "params", "interval"))
        step = interval if 0.0 < interval < 1e12 else 1e9
        return (np.arange(len(sent)) * step).astype(np.int64), False, []
    whole = (sent - sent[0]).astype(np.int64)
    falls = np.flatnonzero(np.diff(whole) < 0)
    if not len(falls):
        return whole, True, []
    said = f"the client's clock falls after packet {falls[0] + 1}"
    return (
        np.maximum(np.maximum.accumulate(whole), 0),
        True,
        [Oddity("clock step", said, len(falls))],
    )


def _oddities(test: _Test) -> Iterator[Oddity]:
    if test.damaged:
        yield Oddity("skipped round trip", "a round trip without number and fate", test.damaged)
    jumps = np.flatnonzero(np.diff(np.array(test.numbers)) != 1)
    if len(jumps):
        said = f"the number after {test.numbers[jumps[0]]:.0f} is {test.numbers[jumps[0] + 1]:.0f}"
        yield Oddity("numbers", said, len(jumps))
    for key, found in (
        ("packets_sent", len(test.lost)),
        ("packets_received", test.lost.count(_ANSWERED)),
    ):
        said_there = number_or_nan(entry_at(test.stats, key))
        if key == "packets_received":
            doubled = number_or_nan(entry_at(test.stats, "duplicates"))
            said_there -= 0.0 if math.isnan(doubled) else doubled
        if not math.isnan(said_there) and said_there != found:
            name = key.replace("_", " ")
            yield Oddity(
                "counts", f"the statistics say {said_there:.0f} {name}, the round trips {found}"
            )
