"""Output of ping on Linux (iputils, busybox), BSD and macOS: replies with sequence numbers.

A reply is known by its number and its time, whatever the words beside them, because iputils is
translated. `ping -D` stamps a reply when it comes; without it packets are taken to be sent at the
interval that the statistics tell (time over packets - 1), or 1 s, the default of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from airtcp.errors import InputError
from airtcp.measured.content import Content
from airtcp.measured.lines import LONGEST, Skipped, chunks
from airtcp.measured.measurement import ARRIVED, Measurement, Oddity
from airtcp.measured.options import Options
from airtcp.measured.replies import Replies, Run, run_of, runs_of, without_strays

NAME = "ping"
_STAMP = rb"(?:\[(\d{1,11}(?:\.\d{1,9})?)\] )?"
_LINE = re.compile(
    rb"^" + _STAMP + rb"[^\n=]*(?<=seq)=(\d{1,10})(?: (?:ttl|hlim)=\d+)?[^\n=<]*"
    rb"([=<])(\d{1,9}(?:[.,]\d{1,9})?) ?ms[^\n]*$|^([^\n]+)$",
    re.MULTILINE,
)
_REPLY = re.compile(rb"seq[= ]\d{1,10}[^\n]{0,80}[=<][\d.,]{1,20} ?ms")
_NUMBER = re.compile(_STAMP + rb".*seq[= ](\d{1,10})")
_HEAD = re.compile(rb"PING6?[ (]")
_FIRST = re.compile(
    rb"^PING6? ?\S{0,260} ?\([^\n]{1,300} \d+(?:\(\d+\))? [^\n\d]{1,80}$", re.MULTILINE
)
_STATISTICS = re.compile(rb"--- .* ---\s*$")
_COUNTS = re.compile(rb"(\d{1,18}) [^\d,]+, (\d{1,18}) [^\d,]+(?:, \+(\d{1,18}) dup)?")
_LASTED = re.compile(rb", [^\d,]*(\d{1,18}) ?ms\s*$")
_KNOWN = re.compile(  # lines that say nothing of a packet, or of one without its number
    rb"(?:rtt|round-trip) |\d+ bytes from |\d+/\d+ packets|From |ping6?: |WARNING|PATTERN"
    rb"|\^C|pipe |Vr +HL|\d  \d +[\da-f]{2} |.*min/"
)
_SIZES = re.compile(rb"(\d{1,5}) (?:bytes from|Bytes von|octets de|bytes desde) ([^\s=]{1,80})")
_HEADERS = {4: 20, 6: 40}  # bytes of IP, below the bytes that ping counts
_BELOW = 0.5e6  # ns for "< 1 ms"
_COARSE = Oddity("resolution", "round trips below 1 ms are taken to be half of that")


@dataclass
class _Log:
    """The lines of one run, column by column."""

    number: list[int] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    delay: list[float] = field(default_factory=list)
    stamp: list[float] = field(default_factory=list)
    head: bytes = b""
    sent: int | None = None
    received: int | None = None
    doubled: int = 0
    lasted: float | None = None
    ended: bool = False
    below: int = 0
    size: int = 0

    def add(self, number: bytes, stamp: bytes, *, answered: bool, delay: float = np.nan) -> None:
        self.number.append(int(number))
        self.answered.append(answered)
        self.delay.append(delay)
        self.stamp.append(float(stamp) if stamp else np.nan)

    @property
    def replies(self) -> Replies:
        return Replies(
            np.array(self.number, dtype=np.int64),
            np.array(self.answered, dtype=bool),
            np.array(self.delay),
            np.array(self.stamp),
        )

    @property
    def first(self) -> int | None:
        """The number of the first packet, where the head of the run is there; 1 of iputils."""
        if not self.head:
            return None
        return 0 if b"): " in self.head or self.head.startswith(b"PING6(") else 1


def fits(begins: bytes) -> bool:
    """True for the first part of a log in which replies have numbers."""
    return _REPLY.search(begins) is not None or _FIRST.search(begins) is not None


def read(content: Content, options: Options) -> Iterator[Measurement]:
    """A measurement per run. Raises `InputError` where no packet is in the file."""
    skipped = Skipped("ping")
    found = [part for log in _logs(content.data, skipped) for part in _parts(content, log, options)]
    if not found:
        raise InputError(f"{content.source}: a log of ping without a packet in it")
    shared = [*content.oddities, *skipped.oddities(content.data)]
    for index, (log, run, more) in enumerate(found):
        yield Measurement(
            source=content.source,
            form=NAME,
            is_probing=True,
            about=_about(log, index, len(found)),
            began=run.began,
            packets=run.packets,
            reordered=run.reordered,
            duplicated=run.duplicated,
            oddities=(*(shared if index == 0 else ()), *run.oddities, *more),
        )


def _logs(data: bytes, skipped: Skipped) -> Iterator[_Log]:
    log = _Log()
    for part in chunks(data):
        for stamp, number, sign, value, other in _LINE.findall(part):
            if number:
                if log.ended:
                    yield log
                    log = _Log()
                below = sign == b"<"
                log.below += below
                log.number.append(int(number))
                log.answered.append(True)
                log.delay.append(_BELOW if below else float(value.replace(b",", b".")) * 1e6)
                log.stamp.append(float(stamp) if stamp else np.nan)
                continue
            line = other.strip()
            if not line:
                continue
            if len(line) > LONGEST:
                skipped.add(line)
            elif _HEAD.match(line):
                if log.number:
                    yield log
                log = _Log(head=line)
            else:
                _take(log, line, skipped)
    yield log


def _take(log: _Log, line: bytes, skipped: Skipped) -> None:
    """Take a line that is no reply with a time."""
    if log.sent is None and (counts := _COUNTS.match(line)):
        log.sent, log.received, log.doubled = (int(one or 0) for one in counts.groups())
        lasted = _LASTED.search(line)
        log.lasted = None if lasted is None else int(lasted[1]) / 1000
        log.ended = True
    elif found := _NUMBER.match(line):
        # A reply too short for a time has hops or a note; other lines say why there is none.
        answered = b"ttl=" in line or b"hlim=" in line or b"truncated" in line
        log.add(found[2], found[1] or b"", answered=answered)
    elif not _STATISTICS.match(line) and not _KNOWN.match(line):
        skipped.add(line)


def _parts(
    content: Content, log: _Log, options: Options
) -> Iterator[tuple[_Log, Run, list[Oddity]]]:
    """The runs in the lines between two heads, of which the last has the statistics."""
    if not log.number and log.sent:  # without -O, lines are of replies alone
        log.add(b"%d" % (log.first or 0), b"", answered=False)
    if not log.number:
        return
    replies, odd = without_strays(log.replies)
    runs = list(runs_of(replies))
    size = _size(content.data)
    for index, one in enumerate(runs):
        begins, ends = index == 0, index == len(runs) - 1
        alone = begins and ends
        run = run_of(
            one,
            "round trip",
            source=content.source,
            interval=options.interval or (_interval(log) if alone else None),
            first=log.first if begins else None,
            sent=log.sent if alone and log.head else None,
            size=size,
        )
        more = odd if begins else []
        if alone:
            more = [*more, *_sums(log, run)]
        if begins and log.below:
            more = [*more, Oddity(_COARSE.kind, _COARSE.said, log.below)]
        yield log, run, more


def _interval(log: _Log) -> float | None:
    """The interval by the statistics, in s."""
    if log.lasted is None or log.sent is None or log.sent < 2 or log.lasted <= 0.0:
        return None
    return log.lasted / (log.sent - 1)


def _sums(log: _Log, run: Run) -> Iterator[Oddity]:
    """Counts in the statistics that are not those of the lines."""
    if log.sent is None or log.received is None:
        return
    arrived = int((run.packets.fate == ARRIVED).sum())
    for noun, said, found in (
        ("packets sent", log.sent, len(run.packets.time)),
        ("replies", log.received, arrived),
        ("duplicates", log.doubled, run.duplicated),
    ):
        if said != found:
            yield Oddity(
                "counts", f"the statistics say {said} {noun}, the lines of the file {found}"
            )


def _size(data: bytes) -> int:
    """Bytes of a packet with its IP header, by the first reply; 0 where none tells."""
    found = _SIZES.search(data[: 1 << 16])
    if found is None:
        return 0
    return int(found[1]) + _HEADERS[6 if found[2].rstrip(b":,").count(b":") > 1 else 4]


def _about(log: _Log, index: int, count: int) -> str:
    words = log.head.split()
    host = words[1].decode("utf-8", "replace").rstrip(":") if len(words) > 1 else ""
    return (
        f"run {index + 1} of {count}" * (count > 1)
        + (" " * (count > 1 and bool(host)))
        + (f"to {host}" if host else "")
    )
