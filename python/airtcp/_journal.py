"""The journal of runs: a CSV file that grows by one line per finished run, or per flow of it.

A run is written whole and flushed before the next one is taken note of, so that whatever ends the
program leaves at most one torn run, the last, which the next reader drops. A journal holds runs of
one family of scenarios.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

from airtcp._files import file_name, writing
from airtcp.errors import InputError, count, shown, unusable

if sys.platform != "win32":
    import fcntl


class Key(NamedTuple):
    """What makes a run the same run."""

    scenario: str
    model: int
    seed: int
    replication: int


class SlotCounts(NamedTuple):
    """What was counted in a run on slots."""

    slots: int
    transmissions: int
    deliveries: int
    duplicates: int
    in_order: int
    timeouts: int
    fast_retransmits: int


class FlowCounts(NamedTuple):
    """What was counted on one flow over a path, in a run."""

    time_ns: int
    sent: int
    resent: int
    sent_bits: int
    resent_bits: int
    arrivals: int
    deliveries: int
    duplicates: int
    in_order: int
    acked: int
    acks_sent: int
    ack_bits: int
    acks_arrived: int
    timeouts: int
    fast_retransmits: int
    milestone_ns: int
    first_arrival_ns: int
    first_arrivals: int
    own_ack_ns: int
    own_acks: int
    cumulative_ack_ns: int
    cumulative_acks: int


Counts: TypeAlias = SlotCounts | FlowCounts
Run: TypeAlias = tuple[Counts, ...]  # of each flow; on slots there is one


class Expected(NamedTuple):
    """What is known beforehand of the runs of a point."""

    length: int  # slots, or nanoseconds at most
    flows: int = 1


@dataclass(frozen=True)
class Layout:
    """The lines of the journals of one family."""

    family: str
    counts: type[Counts]

    @property
    def per_flow(self) -> bool:
        """Whether a run has a line for each of its flows."""
        return self.counts is FlowCounts

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the first line."""
        flows = ("flow", "flows") if self.per_flow else ()
        return (*Key._fields, *flows, *self.counts._fields)

    @property
    def header(self) -> str:
        """The first line."""
        return ",".join(self.columns) + "\n"

    def lines(self, key: Key, run: Run) -> str:
        """A run as it is written."""
        flows = [(flow, len(run)) if self.per_flow else () for flow in range(len(run))]
        rows = ((*key, *flow, *counts) for flow, counts in zip(flows, run, strict=True))
        return "".join(",".join(map(str, row)) + "\n" for row in rows)


LAYOUTS = {"slot": Layout("slot", SlotCounts), "path": Layout("path", FlowCounts)}

_HASH = re.compile("[0-9a-f]{16}")
_NUMBER = re.compile("[0-9]{1,20}|-1")
_MOST_COUNT, _MOST_SEED = 2**63 - 1, 2**64 - 1
Known: TypeAlias = Mapping[str, Expected]  # by the hash of a point


class Journal:
    """An open journal: `runs` holds what was there, `add` appends."""

    def __init__(self, path: Path, file: FileIO, layout: Layout, known: Known) -> None:
        """Read what is there, drop a torn last run, and stand ready to append."""
        self._path, self._file, self._reader = path, file, _Reader(path, layout, known)
        text = self._read()
        if b"\n" not in text and not layout.header.encode().startswith(text):
            raise _not_a_journal(path, layout, text)
        self.runs, whole = self._reader.read(text)
        if whole < len(text):
            file.truncate(whole)
        if not whole:
            self._write(layout.header)

    def add(self, key: Key, run: Run) -> None:
        """Append one run at once and hand it to the operating system."""
        self._write(self._reader.layout.lines(key, run))
        self.runs[key] = run

    def reread(self) -> dict[Key, Run]:
        """What is in the file now."""
        return self._reader.read(self._read())[0]

    def _read(self) -> bytes:
        self._file.seek(0)
        return self._file.read()

    def _write(self, lines: str) -> None:
        left = lines.encode()
        with writing(self._path):
            while left:
                left = left[self._file.write(left) :]


@contextmanager
def open_journal(path: str | Path, layout: Layout, known: Known | None = None) -> Iterator[Journal]:
    """The journal at `path`, made if it is not there, for this run alone.

    Whatever ends the block, what was added is on the disk afterwards. Raises `InputError` for a
    file with lines that no run can have written (for points that are `known`: none of theirs), and
    while another run has the journal open; `OSError` if the disk is full.
    """
    file = file_name("journal", path)
    with _opened(file) as handle:
        _lock(file, handle)
        try:
            yield Journal(file, handle, layout, known or {})
        finally:
            os.fsync(handle.fileno())


def _opened(path: Path) -> FileIO:
    """The file, unbuffered, so that a line which cannot be written is not tried again."""
    try:
        handle = path.open("a+b", buffering=0)
    except OSError as error:
        raise unusable(path, error) from None
    if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
        handle.close()
        raise InputError(f"{path}: is not a regular file")
    return handle


def _lock(path: Path, file: FileIO) -> None:
    """Keep other runs out until `file` is closed, where the platform can."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{path}: in use by another run") from None
        except OSError:  # a file system without locks
            return


# What is in a journal


class _Line(NamedTuple):
    """What a line says: the counts of a flow of a run."""

    key: Key
    flow: int
    flows: int
    counts: Counts


@dataclass(frozen=True)
class _Reader:
    """Reads the lines of a journal; what no run can have written is refused."""

    path: Path
    layout: Layout
    known: Known

    def read(self, text: bytes) -> tuple[dict[Key, Run], int]:
        """The runs in a file, and how many of its bytes hold whole ones."""
        first, *others = text.splitlines(keepends=True) or [b""]
        if not first.endswith(b"\n"):
            return {}, 0
        if first.rstrip(b"\r\n") + b"\n" != self.layout.header.encode():
            raise _not_a_journal(self.path, self.layout, first)
        found: dict[Key, Run] = {}
        begun: list[_Line] = []
        whole, reached = len(first), len(first)
        for number, raw in enumerate(others, start=2):
            if not raw.endswith(b"\n"):
                break
            reached += len(raw)
            begun.append(self._line(raw.decode("utf-8", "replace").rstrip("\r\n"), number, begun))
            if len(begun) == begun[0].flows:
                found[begun[0].key] = tuple(line.counts for line in begun)
                begun, whole = [], reached
        return found, whole

    def _line(self, text: str, number: int, before: list[_Line]) -> _Line:
        line = self._parsed(text)
        wrong = shown(text) if line is None else self._impossible(line, before)
        if line is None or wrong:
            raise InputError(f"{self.path}: line {number}: {wrong} is not a run")
        return line

    def _parsed(self, text: str) -> _Line | None:
        """What a line says; None if that is no part of a run."""
        name, *texts = text.split(",")
        if len(texts) != len(self.layout.columns) - 1 or not _HASH.fullmatch(name):
            return None
        if not all(map(_NUMBER.fullmatch, texts)):
            return None
        model, seed, replication, *others = map(int, texts)
        flow, flows = (others.pop(0), others.pop(0)) if self.layout.per_flow else (0, 1)
        counts = self.layout.counts(*others)
        unsigned = (flow, *(n for name, n in counts._asdict().items() if name != "milestone_ns"))
        if not 0 <= seed <= _MOST_SEED or min(model, replication, *unsigned) < 0:
            return None
        if max(model, replication, flows, *others) > _MOST_COUNT:
            return None
        return _Line(Key(name, model, seed, replication), flow, flows, counts)

    def _impossible(self, line: _Line, before: list[_Line]) -> str:
        """What in a line no run can have counted; empty if there is nothing."""
        expected = self.known.get(line.key.scenario)
        wrong = _wrong_place(line, before)
        if expected is not None:
            said = f"a run with {count(line.flows, 'flow')} where the scenario has {expected.flows}"
            wrong[said] = line.flows != expected.flows
        length = None if expected is None else expected.length
        if isinstance(line.counts, SlotCounts):
            wrong |= _wrong_on_slots(line.counts, length)
        else:
            wrong |= _wrong_on_path(line.counts, length)
        return next((said for said, holds in wrong.items() if holds), "")


def _wrong_place(line: _Line, before: list[_Line]) -> dict[str, bool]:
    """The lines of a run follow each other, from flow 0 on."""
    same = not before or (before[0].key, before[0].flows) == (line.key, line.flows)
    return {
        f"flow {line.flow} of {line.flows}": line.flow >= line.flows,
        f"flow {line.flow} after {len(before)} of a run": line.flow != len(before) or not same,
    }


def _wrong_on_slots(counts: SlotCounts, slots: int | None) -> dict[str, bool]:
    length, sent, delivered, again, in_order, *_ = counts
    return {
        f"{delivered} deliveries in {count(length, 'slot')}": delivered > length,
        f"{sent} transmissions in {count(length, 'slot')}": sent > length,
        f"{delivered} deliveries and {count(again, 'duplicate')} of {sent} transmissions": (
            delivered + again > sent
        ),
        f"{in_order} packets in order of {delivered} deliveries": in_order > delivered,
        f"{length} slots where the scenario has {slots}": slots not in (None, length),
    }


def _wrong_on_path(counts: FlowCounts, longest: int | None) -> dict[str, bool]:
    n, again = counts, count(counts.duplicates, "duplicate")
    return {
        f"{n.resent} packets resent of {n.sent} sent": n.resent > n.sent,
        f"{n.resent_bits} bits resent of {n.sent_bits} sent": n.resent_bits > n.sent_bits,
        f"{n.arrivals} arrivals of {n.sent} packets sent": n.arrivals > n.sent,
        f"{n.deliveries} deliveries and {again} of {n.arrivals} arrivals": (
            n.deliveries + n.duplicates != n.arrivals
        ),
        f"{n.in_order} packets in order of {n.deliveries} deliveries": n.in_order > n.deliveries,
        f"{n.acked} packets acknowledged of {n.in_order} in order": n.acked > n.in_order,
        f"{n.acks_arrived} ACKs arrived of {n.acks_sent} sent": n.acks_arrived > n.acks_sent,
        f"a milestone after {n.milestone_ns} of {n.time_ns} ns": n.milestone_ns > n.time_ns,
        f"{n.time_ns} ns where the scenario has {longest}": (
            longest is not None and n.time_ns > longest
        ),
    }


def _not_a_journal(path: Path, layout: Layout, first: bytes) -> InputError:
    head = first.rstrip(b"\r\n") + b"\n"
    other = next((one for one in LAYOUTS.values() if one.header.encode() == head), None)
    if other is not None:
        kinds = {"slot": "scenarios on slots", "path": "scenarios of packets on a path"}
        reason = f"it holds runs of {kinds[other.family]}, not of {kinds[layout.family]}"
    else:
        head_line = layout.header.strip()
        reason = f"its first line is not the header of a journal of this version ({head_line})"
    return InputError(f"{path}: {reason}; give another file or move this one away")
