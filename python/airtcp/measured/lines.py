"""Lines of a text that were skipped, and when there are too many of them."""

from __future__ import annotations

from collections.abc import Iterator

from airtcp.measured.content import shown_line
from airtcp.measured.measurement import Oddity

LONGEST_LINE = 1000  # bytes of a line that is looked at, so that no pattern takes long over one
CHUNK_BYTES = 1 << 22  # bytes of text that are taken apart at once


class SkippedLines:
    """Lines that a format does not know: the first of them, and how many."""

    def __init__(self, form: str) -> None:
        """Start without lines; `form` names the format that the lines do not fit."""
        self.count = 0
        self._form = form
        self._first = b""

    def add(self, line: bytes) -> None:
        """Add a line that was skipped."""
        if not self.count:
            self._first = line
        self.count += 1

    def oddities(self, data: bytes) -> list[Oddity]:
        """Say so, with the number of the first such line in `data`."""
        if not self.count:
            return []
        place = max(0, data.find(self._first))
        number = data.count(b"\n", 0, place) + 1
        said = f"line {number} is no line of {self._form}: {shown_line(self._first)}"
        return [Oddity("skipped line", said, self.count)]


def chunks(data: bytes) -> Iterator[bytes]:
    """The content in pieces that end with a line, so that what is made of them stays small."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + CHUNK_BYTES) + 1 or len(data)
        yield data[start:end]
        start = end
