"""Output of ping on Windows in any language: requests one after the other, without numbers.

A reply is known by its time and TTL, whatever the words; what stands in the place of a reply is
known by its wording, in the languages below, or by its form ("reply from an address: reason"). The
counts of the statistics, which have the same form in all languages, show whether lines are missing.

No line has a time: a request follows 1 s after one that was answered, and after the timeout (4 s,
unless `ping -w` said otherwise) where there was no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from airtcp.errors import InputError
from airtcp.measured.content import FileContent
from airtcp.measured.lines import LONGEST_LINE, SkippedLines, chunks
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    UNKNOWN,
    Measurement,
    Oddity,
    Packets,
)
from airtcp.measured.options import ReadOptions

FORMAT_NAME = "ping of Windows"
_TIME_PATTERN = (  # in Spanish the unit of "<1m" is cut
    rb"[^\n=<]*(?:=\d{1,6} [^\n=<]*)?(?:([=<])(\d{1,9}) ?ms(?: TTL=\d+)?|(<)1m TTL=\d+)[ \r]*$"
)
_LINE_PATTERN = re.compile(rb"^" + _TIME_PATTERN + rb"|^([^\n]+)$", re.MULTILINE)
_REPLY_PATTERN = re.compile(
    rb"^[^\n=<]*(?:=\d{1,6} [^\n=<]*[=<]\d{1,9} ?ms? TTL=\d|: [^\n=<:]*[=<]\d+ ?ms\s*$)",
    re.MULTILINE,
)
_TIMEOUT_WORDS = (  # in any code page: words without the letters that differ between them
    *(b"Request timed out", b"berschreitung der Anforderung"),
    *(b"attente de la demande", b"Tiempo de espera agotado", b"Richiesta scaduta"),
    *(b"Esgotado o tempo limite", b"Time-out bij opdracht", b"limit czasu"),
    *(b"General failure", b"Allgemeiner Fehler", b"chec g", b"Error general", b"transmit failed"),
)
_TIMEOUT_PATTERN = re.compile(b"|".join(map(re.escape, _TIMEOUT_WORDS)))
_REASON_PATTERN = re.compile(
    rb"\S+ [^\d:=]{0,20}[\da-fA-F:.%]{2,60} ?: [^=<\d]*$"
)  # "Reply from A: why"
_COUNTS_PATTERN = re.compile(rb"[^\d=]*= (\d{1,18}), [^\d=]*= (\d{1,18}), [^\d=]*= (\d{1,18})")
_HEAD_PATTERN = re.compile(
    rb"[^\d\n]{2,60}\S* ?(?:\[[^\]\n]{2,60}\] )?[^\d\n]*(\d{1,6}) [^\d\n]{3,40}:\s*$"
)
_DELAY_BELOW_1MS = 500_000  # ns for "<1ms"
_HEADER_BYTES = {4: 28, 6: 48}  # bytes of IP and ICMP
_NS_PER_SECOND = 1_000_000_000


@dataclass
class _Run:
    """The requests of one run: ms of replies, -1 for an answer below 1 ms, -2 for none at all."""

    delay: list[int] = field(default_factory=list)
    waited: list[bool] = field(default_factory=list)  # for a whole timeout
    counts: tuple[int, ...] = ()
    head: bytes = b""


def recognises(begins: bytes) -> bool:
    """True for the first part of a log with replies, or timeouts, in the form of Windows."""
    return _REPLY_PATTERN.search(begins) is not None or _TIMEOUT_PATTERN.search(begins) is not None


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """A measurement per run. Raises `InputError` where no request is in the file."""
    skipped = SkippedLines("ping")
    runs = [run for run in _read_runs(content.data, skipped) if run.delay]
    if not runs:
        raise InputError(f"{content.source}: a log of ping without a request in it")
    shared = (*content.oddities, *skipped.oddities(content.data))
    for index, run in enumerate(runs):
        host = _host(run)
        parts = [f"run {index + 1} of {len(runs)}"] * (len(runs) > 1) + [f"to {host}"] * bool(host)
        yield Measurement(
            source=content.source,
            form=FORMAT_NAME,
            is_probing=True,
            about=" ".join(parts),
            packets=_packets(run, options),
            oddities=(*(shared if index == 0 else ()), *_oddities(run, options)),
        )


def _read_runs(data: bytes, skipped: SkippedLines) -> Iterator[_Run]:
    run = _Run()
    for part in chunks(data):
        for sign, value, cut, rest in _LINE_PATTERN.findall(part):
            if not rest:
                if run.counts:
                    yield run
                    run = _Run()
                run.delay.append(-1 if cut or sign == b"<" else int(value))
                run.waited.append(False)
                continue
            line = rest.strip()
            if len(line) > LONGEST_LINE:
                skipped.add(line)
            elif _TIMEOUT_PATTERN.search(line) or _REASON_PATTERN.match(line):
                if run.counts:
                    yield run
                    run = _Run()
                run.delay.append(-2)
                run.waited.append(_REASON_PATTERN.match(line) is None)
            elif counts := _COUNTS_PATTERN.match(line):
                run.counts = tuple(map(int, counts.groups()))
            elif _HEAD_PATTERN.match(line):
                if run.delay:
                    yield run
                run = _Run(head=line)
            elif line and not _is_ignored_line(line):
                skipped.add(line)
    yield run


def _is_ignored_line(line: bytes) -> bool:
    """True for statistics, their heads, and notes of the shell that say nothing of a request."""
    return line.endswith((b":", b"%", b"),", b")", b"C")) or line.count(b" = ") == 3


def _host(run: _Run) -> str:
    """The host that a head names: the word before the address in brackets, or the address."""
    for word in run.head.decode("utf-8", "replace").split():
        if "." in word or ":" in word.rstrip(":"):
            return word.strip("[]'")
    return ""


def _packets(run: _Run, options: ReadOptions) -> Packets:
    ms = np.array(run.delay, dtype=np.int64)
    lost = ms == -2
    delay = np.where(ms < 0, np.where(lost, NO_DELAY, _DELAY_BELOW_1MS), ms * 1_000_000)
    interval = round((options.interval or 1.0) * _NS_PER_SECOND)
    wait = np.where(
        run.waited, round(options.timeout * _NS_PER_SECOND), np.maximum(interval, delay)
    )
    size = _HEAD_PATTERN.match(run.head) if run.head else None
    version = 6 if _host(run).count(":") > 1 or (b"[" in run.head and b"::" in run.head) else 4
    return Packets(
        time=np.concatenate([[0], np.cumsum(wait[:-1])]).astype(np.int64),
        fate=np.where(lost, LOST, ARRIVED).astype(np.int8),
        delay=delay.astype(np.int64),
        size=np.full(len(ms), int(size[1]) + _HEADER_BYTES[version] if size else 0, dtype=np.int32),
        cause=np.full(len(ms), UNKNOWN, dtype=np.int8),
        delays="round trip",
        is_time_measured=False,
        waits=True,
    )


def _oddities(run: _Run, options: ReadOptions) -> Iterator[Oddity]:
    waited = sum(run.waited)
    if waited:
        said = (
            f"a request follows a reply, or {options.timeout:g} s without one: losses are looked"
            " for less often while packets are lost"
        )
        yield Oddity("one at a time", said, waited)
    below = run.delay.count(-1)
    if below:
        said = "round trips below 1 ms are taken to be half of that"
        yield Oddity("resolution", said, below)
    lost = run.delay.count(-2)
    found = (len(run.delay), len(run.delay) - lost, lost)
    if run.counts:
        # Windows counts an answer that says "unreachable" as one that was received.
        unreachable = lost - sum(run.waited)
        alike = (found[0], found[1] + unreachable, lost - unreachable)
        if run.counts not in (found, alike):
            said = (
                "the statistics say {} sent, {} received, {} lost, the lines of the file {}, {}, {}"
            )
            yield Oddity("counts", said.format(*run.counts, *found))
