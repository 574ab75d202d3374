"""Durations in the name of a file, such as `ping-0.1s-60min.txt`, compared with its content.

The longest is the duration and the shortest the interval, where a name has several; a single one
may be either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from airtcp.measured.measurement import Measurement, Oddity

_LENGTH_PATTERN = re.compile(
    r"(?<![0-9A-Za-z.])(\d{1,6}(?:\.\d{1,6})?)(ms|s|sec|m|min|h)(?![0-9A-Za-z])"
)
_SECONDS_PER_UNIT = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TOLERANCE = 0.2  # by which a length may differ from what a name says
_FEWEST_TIMES = 20  # packets or intervals of which a name can be judged


def name_oddities(name: str, measurement: Measurement) -> Iterator[Oddity]:
    """Report where durations in the name of a file differ from its times."""
    times = _duration_and_interval(measurement)
    said = [
        (match[0], float(match[1]) * _SECONDS_PER_UNIT[match[2]])
        for match in _LENGTH_PATTERN.finditer(name)
    ]
    said = [pair for pair in said if pair[1] > 0.0]
    if times is None or not said:
        return
    duration, interval = times
    longest, shortest = max(said, key=_seconds_of_match), min(said, key=_seconds_of_match)
    if len(said) == 1:
        if not _is_near(longest[1], duration) and not _is_near(longest[1], interval):
            yield Oddity(
                "name",
                f"the name says {longest[0]}, the times {_length_text(interval)} apart span"
                f" {_length_text(duration)}",
            )
        return
    if not _is_near(longest[1], duration):
        yield Oddity("name", f"the name says {longest[0]}, the times span {_length_text(duration)}")
    if not _is_near(shortest[1], interval):
        yield Oddity(
            "name", f"the name says {shortest[0]}, the times are {_length_text(interval)} apart"
        )


def _duration_and_interval(measurement: Measurement) -> tuple[float, float] | None:
    """Duration and usual interval in s, None where they were not measured or are few."""
    packets, intervals = measurement.packets, measurement.intervals
    if packets is not None and packets.is_time_measured:
        time = packets.time
    elif intervals is not None:
        time = np.append(intervals.start, intervals.start[-1:] + intervals.length[-1:])
    else:
        return None
    if len(time) < _FEWEST_TIMES:
        return None
    return (int(time[-1]) - int(time[0])) / 1e9, float(np.median(np.diff(time))) / 1e9


def _seconds_of_match(pair: tuple[str, float]) -> float:
    return pair[1]


def _is_near(said: float, found: float) -> bool:
    return abs(said - found) <= _TOLERANCE * said


def _length_text(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 60:.4g} min"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
