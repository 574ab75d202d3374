"""Traces of Mahimahi: the opportunities of a link to deliver a packet, in ms, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from airtcp.measured.content import FileContent
from airtcp.measured.measurement import Measurement
from airtcp.measured.options import ReadOptions
from airtcp.scenario.tables import parse_trace

FORMAT_NAME = "trace of Mahimahi"


def recognises(begins: bytes) -> bool:
    """True if the first lines are whole numbers, most of which do not fall."""
    lines = begins.split(b"\n")[:-1][:100] or [begins]
    words = [line.strip() for line in lines if line.strip()]
    numbers = [int(word) for word in words if word.isdigit() and len(word) < 16]
    if len(numbers) < 0.9 * len(words) or not numbers:
        return False
    rising = sum(b >= a for a, b in pairwise(numbers))
    return rising >= 0.9 * (len(numbers) - 1)


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """The one measurement of a trace. Raises `InputError`."""
    del options  # a trace leaves nothing open
    times = parse_trace(content.source, content.data)
    yield Measurement(
        source=content.source,
        form=FORMAT_NAME,
        opportunities=np.array(times, dtype=np.int64),
        oddities=content.oddities,
    )
