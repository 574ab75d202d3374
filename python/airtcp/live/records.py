"""The records of a log: one per packet and copy, each checked, and all counts checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError
from airtcp.live.folder import META_FILE
from airtcp.live.report import LATEST_NS, LiveReport

FORMAT_VERSION = 3  # of a log
FIELDS_SINCE_FORMAT = {
    "copy": 2,
    "connection": 3,
    "ecn": 3,
}  # fields that earlier formats lack, where they are 0
DIRECTIONS = ("forward", "back")
FATES_NOT_LOST = ("delivered", "on the way")
ECN_CODEPOINTS = ("not-ect", "ect1", "ect0", "ce")  # by the two bits [RFC 3168, section 5]
MOST_DUPLICATING = 62  # hops of a direction, of which each has a bit of a copy's number
MOST_BITS = 1 << 24  # of a packet on the air: 65 535 bytes, and what lies below IP
MOST_HOPS = 256  # times the hop is added to a fate
Records = np.ndarray[Any, np.dtype[np.void]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


def records_of(
    file: Path, form: int, content: bytes, report: LiveReport, hops: Sequence[dict[str, Any]]
) -> Records:
    """The records in a file of this format, over a path of these hops. Raises `InputError`."""
    records = _read_records(file, form, content)
    for field, fits, allowed in _checks_of_fields(records, report.end, hops):
        if not fits.all():
            at = int(np.argmin(fits))
            raise InputError(
                f"{file}: record {at}: {field} = {records[field][at]}: must be {allowed}"
            )
    for number in range(len(DIRECTIONS)):
        _check_direction(file, records[records["direction"] == number], number, report)
    return records


def _read_records(file: Path, form: int, content: bytes) -> Records:
    """Read records; in earlier formats a record is shorter."""
    kind = np.dtype(_native.live_record())
    names = [name for name in kind.names or () if form >= FIELDS_SINCE_FORMAT.get(name, 1)]
    written = np.dtype([(name, kind[name]) for name in names])
    if len(content) % written.itemsize:
        raise InputError(f"{file}: was cut: {len(content)} bytes do not make whole records")
    packed_records: Records = np.frombuffer(content, dtype=written)
    if written == kind:
        return packed_records
    records: Records = np.zeros(len(packed_records), dtype=kind)
    for name in names:
        records[name] = packed_records[name]
    return records


def _duplication_bits(hops: Sequence[dict[str, Any]]) -> list[int]:
    """For both directions, the bits of all copies that its hops can make, in one number."""
    back = [hop.get("back") or {} for hop in reversed(hops)]
    return [
        sum(1 << h for h, hop in enumerate(way[:MOST_DUPLICATING]) if hop.get("duplicate"))
        for way in (hops, back)
    ]


def _checks_of_fields(
    records: Records, end: int, path: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, Bools, str]]:
    """For every field, the records that fit, and the values allowed there."""
    column = {name: records[name] for name in records.dtype.names or ()}
    fate, hop = column["fate"] % MOST_HOPS, column["fate"] // MOST_HOPS
    names = _native.live_fates()
    not_lost = np.isin(fate, [names.index(name) for name in FATES_NOT_LOST])
    start, at, copy, hops = column["start"], column["at"], column["copy"], len(path)
    made = np.array(_duplication_bits(path))[(column["direction"] == 1).astype(np.intp)]

    def within(name: str, least: Any, most: Any, allowed: str) -> tuple[str, Bools, str]:
        return name, (column[name] >= least) & (column[name] <= most), allowed

    yield within("direction", 0, len(DIRECTIONS) - 1, "0 or 1")
    yield within("id", 0, len(records) - 1, "a number below that of the packets")
    yield within("arrival", 0, end, f"0 to {end}, the end of the log")
    yield within("at", column["arrival"], end, f"its arrival to {end}, the end of the log")
    yield within("start", -1, at, "-1, or 0 to `at`")
    yield within(
        "end", start, np.where(start < 0, -1, LATEST_NS), "-1 as `start`, or `start` or later"
    )
    yield within("late", -1, LATEST_NS, f"-1 to {LATEST_NS}")
    yield within("bits", 1, MOST_BITS, f"1 to {MOST_BITS}")
    yield within("number", -1, LATEST_NS, f"-1 to {LATEST_NS}")
    yield within("connection", 0, 2**32 - 1, "a number of 32 bits")
    yield within("ecn", 0, 7, "0 to 3, and 4 more of a packet that was marked")
    known = (fate < len(names)) & (hop >= 0) & (hop < np.where(not_lost, 1, hops))
    yield "fate", known, f"a code below {len(names)}, and {MOST_HOPS} times the hop that lost it"
    yield "copy", (copy & made) == copy, "a sum of 2^h for hops h of its direction that duplicate"


def _check_direction(file: Path, packets: Records, number: int, report: LiveReport) -> None:
    """Check that packets are numbered in order of arrival, with fates as the report counts them."""
    way, fates, names = DIRECTIONS[number], report.fates[number], _native.live_fates()
    packets = packets[np.lexsort((packets["copy"], packets["id"]))]
    ids, first = np.unique(packets["id"], return_index=True)
    found, counted = len(packets), sum(fates.values())
    if found != counted:
        raise InputError(
            f"{file}: {found} packets {way}, but {META_FILE} counts {counted}; the file was cut, or"
            " belongs to another run"
        )
    if (ids != np.arange(len(ids))).any():
        at = int(np.argmax(ids != np.arange(len(ids))))
        raise InputError(f"{file}: packet {at} {way} is missing, or another packet appears twice")
    if (np.diff(packets["arrival"][first]) < 0).any():
        raise InputError(f"{file}: arrival times {way} decrease")
    _check_copies(file, packets, way)
    kinds = [("further copies", found - len(ids), report.copies[number])] + [
        (f"packets {name}", int((packets["fate"] % MOST_HOPS == code).sum()), fates.get(name, 0))
        for code, name in enumerate(names)
    ]
    for what, found, counted in kinds:
        if found != counted:
            raise InputError(f"{file}: {found} {what} {way}, but {META_FILE} counts {counted}")


def _check_copies(file: Path, ordered: Records, way: str) -> None:
    """Check that the copies of a packet came as one packet, and came to an end once each."""
    before, after = ordered[:-1], ordered[1:]
    of_one = before["id"] == after["id"]
    on_the_way = ordered["fate"] % MOST_HOPS == _native.live_fates().index("on the way")
    wrong = {
        "with one copy twice": before["copy"] == after["copy"],
        "both on the way and at its end": on_the_way[:-1] | on_the_way[1:],
    } | {
        f"with two values of {name}": before[name] != after[name]
        for name in ("arrival", "bits", "number", "connection")
    }
    for how, of_direction in wrong.items():
        if (of_one & of_direction).any():
            at = int(np.argmax(of_one & of_direction))
            raise InputError(f"{file}: packet {before['id'][at]} {way} appears {how}")
