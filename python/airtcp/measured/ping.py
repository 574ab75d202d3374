"""Output of ping on Linux (iputils, busybox), BSD and macOS: replies with sequence numbers.

A reply is known by its number and its time, whatever the words beside them, because iputils is
translated. `ping -D` stamps a reply when it comes; without it packets are taken to be sent at the
interval that the statistics imply (time / (packets - 1)), or at 1 s, the default of every ping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from airtcp.errors import InputError
from airtcp.measured.content import FileContent
from airtcp.measured.lines import LONGEST_LINE, SkippedLines, chunks
from airtcp.measured.measurement import ARRIVED, Measurement, Oddity
from airtcp.measured.options import ReadOptions
from airtcp.measured.replies import Replies, ReplyRun, packets_of_run, split_runs, without_strays

FORMAT_NAME = "ping"
_STAMP_PATTERN = rb"(?:\[(\d{1,11}(?:\.\d{1,9})?)\] )?"
_LINE_PATTERN = re.compile(
    rb"^" + _STAMP_PATTERN + rb"[^\n=]*(?<=seq)=(\d{1,10})(?: (?:ttl|hlim)=\d+)?[^\n=<]*"
    rb"([=<])(\d{1,9}(?:[.,]\d{1,9})?) ?ms[^\n]*$|^([^\n]+)$",
    re.MULTILINE,
)
_REPLY_PATTERN = re.compile(rb"seq[= ]\d{1,10}[^\n]{0,80}[=<][\d.,]{1,20} ?ms")
_NUMBER_PATTERN = re.compile(_STAMP_PATTERN + rb".*seq[= ](\d{1,10})")
_HEAD_PATTERN = re.compile(rb"PING6?[ (]")
_IPUTILS_HEAD_PATTERN = re.compile(
    rb"^PING6? ?\S{0,260} ?\([^\n]{1,300} \d+(?:\(\d+\))? [^\n\d]{1,80}$", re.MULTILINE
)
_STATISTICS_PATTERN = re.compile(rb"--- .* ---\s*$")
_COUNTS_PATTERN = re.compile(rb"(\d{1,18}) [^\d,]+, (\d{1,18}) [^\d,]+(?:, \+(\d{1,18}) dup)?")
_DURATION_PATTERN = re.compile(rb", [^\d,]*(\d{1,18}) ?ms\s*$")
_IGNORED_LINE_PATTERN = (
    re.compile(  # lines that say nothing of a packet, or of one without its number
        rb"(?:rtt|round-trip) |\d+ bytes from |\d+/\d+ packets|From |ping6?: |WARNING|PATTERN"
        rb"|\^C|pipe |Vr +HL|\d  \d +[\da-f]{2} |.*min/"
    )
)
_SIZE_PATTERN = re.compile(
    rb"(\d{1,5}) (?:bytes from|Bytes von|octets de|bytes desde) ([^\s=]{1,80})"
)
_HEADER_BYTES = {4: 20, 6: 40}  # bytes of IP, below the bytes that ping counts
_DELAY_BELOW_1MS = 0.5e6  # ns for "< 1 ms"
_COARSE_ODDITY = Oddity("resolution", "round trips below 1 ms are taken to be half of that")


@dataclass
class _RunLog:
    """The lines of one run, column by column."""

    number: list[int] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    delay: list[float] = field(default_factory=list)
    stamp: list[float] = field(default_factory=list)
    head: bytes = b""
    sent: int | None = None
    received: int | None = None
    duplicates: int = 0
    duration: float | None = None
    ended: bool = False
    below_1ms: int = 0
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
    def first_number(self) -> int | None:
        """The number of the first packet, where the head of the run is there; 1 of iputils."""
        if not self.head:
            return None
        return 0 if b"): " in self.head or self.head.startswith(b"PING6(") else 1


def recognises(begins: bytes) -> bool:
    """True for the first part of a log in which replies have numbers."""
    return (
        _REPLY_PATTERN.search(begins) is not None
        or _IPUTILS_HEAD_PATTERN.search(begins) is not None
    )


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """A measurement per run. Raises `InputError` where no packet is in the file."""
    skipped = SkippedLines("ping")
    found = [
        part
        for log in _read_logs(content.data, skipped)
        for part in _runs_of_log(content, log, options)
    ]
    if not found:
        raise InputError(f"{content.source}: a log of ping without a packet in it")
    shared = [*content.oddities, *skipped.oddities(content.data)]
    for index, (log, run, more) in enumerate(found):
        yield Measurement(
            source=content.source,
            form=FORMAT_NAME,
            is_probing=True,
            about=_run_words(log, index, len(found)),
            began=run.began,
            packets=run.packets,
            reordered=run.reordered,
            duplicated=run.duplicated,
            oddities=(*(shared if index == 0 else ()), *run.oddities, *more),
        )


def _read_logs(data: bytes, skipped: SkippedLines) -> Iterator[_RunLog]:
    log = _RunLog()
    for part in chunks(data):
        for stamp, number, sign, value, rest in _LINE_PATTERN.findall(part):
            if number:
                if log.ended:
                    yield log
                    log = _RunLog()
                below = sign == b"<"
                log.below_1ms += below
                log.number.append(int(number))
                log.answered.append(True)
                log.delay.append(
                    _DELAY_BELOW_1MS if below else float(value.replace(b",", b".")) * 1e6
                )
                log.stamp.append(float(stamp) if stamp else np.nan)
                continue
            line = rest.strip()
            if not line:
                continue
            if len(line) > LONGEST_LINE:
                skipped.add(line)
            elif _HEAD_PATTERN.match(line):
                if log.number:
                    yield log
                log = _RunLog(head=line)
            else:
                _take_other_line(log, line, skipped)
    yield log


def _take_other_line(log: _RunLog, line: bytes, skipped: SkippedLines) -> None:
    """Take a line that is no reply with a time."""
    if log.sent is None and (counts := _COUNTS_PATTERN.match(line)):
        log.sent, log.received, log.duplicates = (int(digits or 0) for digits in counts.groups())
        lasted = _DURATION_PATTERN.search(line)
        log.duration = None if lasted is None else int(lasted[1]) / 1000
        log.ended = True
    elif found := _NUMBER_PATTERN.match(line):
        # A reply too short for a time has hops or a note; other lines say why there is none.
        answered = b"ttl=" in line or b"hlim=" in line or b"truncated" in line
        log.add(found[2], found[1] or b"", answered=answered)
    elif not _STATISTICS_PATTERN.match(line) and not _IGNORED_LINE_PATTERN.match(line):
        skipped.add(line)


def _runs_of_log(
    content: FileContent, log: _RunLog, options: ReadOptions
) -> Iterator[tuple[_RunLog, ReplyRun, list[Oddity]]]:
    """The runs in the lines between two heads, of which the last has the statistics."""
    if not log.number and log.sent:  # without -O, lines are of replies alone
        log.add(b"%d" % (log.first_number or 0), b"", answered=False)
    if not log.number:
        return
    replies, odd = without_strays(log.replies)
    runs = list(split_runs(replies))
    size = _packet_size(content.data)
    for index, run_replies in enumerate(runs):
        begins, ends = index == 0, index == len(runs) - 1
        alone = begins and ends
        run = packets_of_run(
            run_replies,
            "round trip",
            source=content.source,
            interval=options.interval or (_interval_by_statistics(log) if alone else None),
            first=log.first_number if begins else None,
            sent=log.sent if alone and log.head else None,
            size=size,
        )
        more = odd if begins else []
        if alone:
            more = [*more, *_count_oddities(log, run)]
        if begins and log.below_1ms:
            more = [*more, Oddity(_COARSE_ODDITY.kind, _COARSE_ODDITY.said, log.below_1ms)]
        yield log, run, more


def _interval_by_statistics(log: _RunLog) -> float | None:
    """The interval by the statistics, in s."""
    if log.duration is None or log.sent is None or log.sent < 2 or log.duration <= 0.0:
        return None
    return log.duration / (log.sent - 1)


def _count_oddities(log: _RunLog, run: ReplyRun) -> Iterator[Oddity]:
    """Oddities where counts in the statistics differ from the lines."""
    if log.sent is None or log.received is None:
        return
    arrived = int((run.packets.fate == ARRIVED).sum())
    for noun, said, found in (
        ("packets sent", log.sent, len(run.packets.time)),
        ("replies", log.received, arrived),
        ("duplicates", log.duplicates, run.duplicated),
    ):
        if said != found:
            yield Oddity(
                "counts", f"the statistics say {said} {noun}, the lines of the file {found}"
            )


def _packet_size(data: bytes) -> int:
    """Bytes of a packet with its IP header, from the first reply that shows them; 0 without one."""
    found = _SIZE_PATTERN.search(data[: 1 << 16])
    if found is None:
        return 0
    return int(found[1]) + _HEADER_BYTES[6 if found[2].rstrip(b":,").count(b":") > 1 else 4]


def _run_words(log: _RunLog, index: int, count: int) -> str:
    words = log.head.split()
    host = words[1].decode("utf-8", "replace").rstrip(":") if len(words) > 1 else ""
    return (
        f"run {index + 1} of {count}" * (count > 1)
        + (" " * (count > 1 and bool(host)))
        + (f"to {host}" if host else "")
    )
