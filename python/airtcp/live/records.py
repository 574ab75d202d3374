"""The records of a log: one per packet, each checked, and all of them those that were counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError
from airtcp.live.folder import META
from airtcp.live.report import LATEST, LiveReport

DIRECTIONS = ("forward", "back")
NOT_LOST = ("delivered", "on the way")
MOST_BITS = 1 << 24  # of a packet on the air: 65 535 bytes, and what lies below IP
HOPS = 256  # times the hop is added to a fate
Records = np.ndarray[Any, np.dtype[np.void]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


def records_of(file: Path, content: bytes, report: LiveReport, hops: int) -> Records:
    """The records in a file, over a path of so many hops. Raises `InputError`."""
    kind = np.dtype(_native.live_record())
    if len(content) % kind.itemsize:
        raise InputError(f"{file}: was cut: {len(content)} bytes are not a number of whole records")
    records: Records = np.frombuffer(content, dtype=kind)
    for field, fits, allowed in _limits(records, report.end, hops):
        if not fits.all():
            at = int(np.argmin(fits))
            raise InputError(
                f"{file}: record {at}: {field} = {records[field][at]}: must be {allowed}"
            )
    for number, fates in enumerate(report.fates):
        _check_direction(file, records[records["direction"] == number], number, fates)
    return records


def _limits(records: Records, end: int, hops: int) -> Iterator[tuple[str, Bools, str]]:
    """Of every field which records fit, and what is allowed there."""
    column = {name: records[name] for name in records.dtype.names or ()}
    fate, hop = column["fate"] % HOPS, column["fate"] // HOPS
    names = _native.live_fates()
    not_lost = np.isin(fate, [names.index(name) for name in NOT_LOST])
    start, at = column["start"], column["at"]

    def within(name: str, least: Any, most: Any, allowed: str) -> tuple[str, Bools, str]:
        return name, (column[name] >= least) & (column[name] <= most), allowed

    yield within("direction", 0, len(DIRECTIONS) - 1, "0 or 1")
    yield within("id", 0, len(records) - 1, "a number below that of the packets")
    yield within("arrival", 0, end, f"0 to {end}, the end of the log")
    yield within("at", column["arrival"], end, f"its arrival to {end}, the end of the log")
    yield within("start", -1, at, "-1, or 0 to `at`")
    yield within(
        "end", start, np.where(start < 0, -1, LATEST), "-1 as `start`, or `start` or later"
    )
    yield within("late", -1, LATEST, f"-1 to {LATEST}")
    yield within("bits", 1, MOST_BITS, f"1 to {MOST_BITS}")
    yield within("number", -1, LATEST, f"-1 to {LATEST}")
    known = (fate < len(names)) & (hop >= 0) & (hop < np.where(not_lost, 1, hops))
    yield "fate", known, f"a code below {len(names)}, and {HOPS} times the hop that lost it"


def _check_direction(file: Path, one: Records, number: int, fates: Mapping[str, int]) -> None:
    """Its packets are numbered, in the order of their arrivals, and fared as the report counts."""
    way = DIRECTIONS[number]
    found, counted = len(one), sum(fates.values())
    if found != counted:
        raise InputError(
            f"{file}: {found} packets {way}, where {META} counts {counted}: it was cut or is of"
            " another run"
        )
    ordered = one[np.argsort(one["id"], kind="stable")]
    if (ordered["id"] != np.arange(found)).any():
        at = int(np.argmax(ordered["id"] != np.arange(found)))
        raise InputError(f"{file}: packet {at} {way} is not there, or another one twice")
    if (np.diff(ordered["arrival"]) < 0).any():
        raise InputError(f"{file}: arrivals {way} run back")
    for code, name in enumerate(_native.live_fates()):
        found, counted = int((one["fate"] % HOPS == code).sum()), fates.get(name, 0)
        if found != counted:
            raise InputError(f"{file}: {found} packets {way} {name}, where {META} counts {counted}")
