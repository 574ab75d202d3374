"""Packet trains recorded over an idle link: a file with a line for each.

A line has whole milliseconds: the time of the train in the recording, the one-way delay of its
first packet, and for each packet the time of its arrival after that of the first. It is the form of
CellReplay's recordings of a light load [sentosa2025].
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airtcp.errors import InputError, quote_value
from airtcp.support.files import file_name, read_file

MOST_TRAINS = 100_000
MOST_BYTES = 200_000_000
MOST_DIGITS = 12  # of a number of milliseconds


def read_trains(path: str | Path) -> list[dict[str, Any]]:
    """The trains in a file, as `trains` of a hop has them. Raises `InputError`."""
    source = file_name("path", path)
    return parse_trains(source, read_file(source, MOST_BYTES))


def parse_trains(source: object, content: bytes) -> list[dict[str, Any]]:
    """The trains in the content of a file. Raises `InputError`, which names the line at fault."""
    lines = content.decode("ascii", errors="replace").removesuffix("\n").split("\n")
    if len(lines) > MOST_TRAINS:
        raise InputError(f"{source}: more than {MOST_TRAINS} lines")
    return [_train(source, number, line.split()) for number, line in enumerate(lines, start=1)]


def _train(source: object, number: int, words: list[str]) -> dict[str, Any]:
    place = f"{source}: is not a recording of trains: line {number}"
    wrong = next((word for word in words if not word.isdigit() or len(word) > MOST_DIGITS), None)
    if wrong is not None:
        must = f"at most {MOST_DIGITS} digits" if wrong.isdigit() else "a whole number"
        raise InputError(f"{place} has {quote_value(wrong)}; must be {must}")
    if len(words) < 3:
        raise InputError(f"{place} must have a time, a delay, and the arrival of each packet")
    at, delay, *arrivals = map(int, words)
    if arrivals[0] != 0:
        raise InputError(
            f"{place} has {arrivals[0]} as the arrival of the first packet; must be 0, from which"
            " the others count"
        )
    return {"at": f"{at}ms", "delay": f"{delay}ms", "opportunities": arrivals}
