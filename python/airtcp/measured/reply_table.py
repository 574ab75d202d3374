"""Tables without a head: Unix time in s, sequence number, round trip in ms, line by line.

They are excerpts of `ping -D`: stamps are times of replies. A packet was lost if its number is
missing, or its round trip is missing or below 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from airtcp.errors import InputError
from airtcp.measured.content import FileContent
from airtcp.measured.lines import SkippedLines, chunks
from airtcp.measured.measurement import Measurement
from airtcp.measured.options import TIME_UNITS, ReadOptions
from airtcp.measured.replies import Replies, packets_of_run, split_runs, without_strays

FORMAT_NAME = "table of time, number, round trip"
_SEPARATOR_PATTERN = rb"[ \t]*[\t ,;][ \t]*"
_LINE_PATTERN = re.compile(
    rb"^[ \t]*(\d{1,12}(?:\.\d{0,12})?)"
    + _SEPARATOR_PATTERN
    + rb"(\d{1,10})"
    + _SEPARATOR_PATTERN
    + rb"(-?\d{1,12}(?:\.\d{0,12})?|\*|-|nan|NaN)[ \t\r]*$|^([^\n]+)$",
    re.MULTILINE,
)
_EMPTY_CELLS = (b"*", b"-", b"nan", b"NaN")
_LINES_LOOKED_AT = 20  # lines


def recognises(begins: bytes) -> bool:
    """True if the first lines have three numbers, the second one whole and mostly rising."""
    found = [row for row in _LINE_PATTERN.findall(begins) if row[0] or _is_text(row[3])][
        :_LINES_LOOKED_AT
    ]
    numbers = [int(row[1]) for row in found if row[0]]
    if len(numbers) < 2 or len(numbers) < 0.6 * len(found):
        return False
    rising = sum(b > a for a, b in pairwise(numbers))
    return rising >= 0.6 * (len(numbers) - 1)


def _is_text(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """A measurement per run of rising numbers. Raises `InputError`."""
    stamp: list[float] = []
    number: list[int] = []
    delay: list[float] = []
    skipped = SkippedLines("time, number and round trip")
    unit = TIME_UNITS[options.units.get("rtt", "ms")]
    for part in chunks(content.data):
        for time, seq, rtt, rest in _LINE_PATTERN.findall(part):
            if time:
                stamp.append(float(time))
                number.append(int(seq))
                delay.append(-1.0 if rtt in _EMPTY_CELLS else float(rtt))
            elif _is_text(rest):
                skipped.add(rest)
    if not number:
        raise InputError(f"{content.source}: no line with time, number and round trip")
    scale = TIME_UNITS[options.units.get("time", "s")] / 1e9
    way = np.array(delay)
    answered = way >= 0.0
    every, odd = without_strays(
        Replies(
            np.array(number, dtype=np.int64),
            answered,
            np.where(answered, way * unit, np.nan),
            np.array(stamp) * scale,
        )
    )
    shared = [*content.oddities, *skipped.oddities(content.data), *odd]
    runs = list(split_runs(every))
    for index, run_replies in enumerate(runs):
        run = packets_of_run(
            run_replies, "round trip", source=content.source, interval=options.interval
        )
        yield Measurement(
            source=content.source,
            form=FORMAT_NAME,
            is_probing=True,
            about=f"run {index + 1} of {len(runs)}" if len(runs) > 1 else "",
            began=run.began,
            packets=run.packets,
            reordered=run.reordered,
            duplicated=run.duplicated,
            oddities=(*(shared if index == 0 else ()), *run.oddities),
        )
