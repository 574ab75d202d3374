"""Entries of large JSON documents one after the other, so that only one of them is in memory.

A document that was cut, or is damaged, gives what stands before the damage; documents may follow
one another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from json import JSONDecodeError
from typing import Any, NamedTuple

from airtcp.measured.content import line_at

_WINDOW_BYTES = 1 << 22  # bytes of an entry at most, and of the text that is decoded at once
_BLANK_BYTES = b" \t\r\n"


class Damage(NamedTuple):
    """The line at which a document stops to be JSON, and why."""

    line: int
    why: str


class EntryReader:
    """A reader of the entries of the documents in `data`; `damage` says where it stopped early."""

    def __init__(self, data: bytes, streamed: str) -> None:
        """Prepare to read; the items of the list `streamed` of a document are entries of it too."""
        self.damage: Damage | None = None
        self._data, self._streamed = data, streamed
        self._place = self._begin = 0
        self._text = ""

    def documents(self) -> Iterator[Iterator[tuple[str, Any]]]:
        """Entries (key, value) of each object; of the streamed list its key and each item.

        Each must be read to its end before the next is asked for.
        """
        while self.damage is None and self._next_letter():
            yield self._stop_at_damage(self._document_entries)

    def _stop_at_damage(
        self, entries: Callable[[], Iterator[tuple[str, Any]]]
    ) -> Iterator[tuple[str, Any]]:
        try:
            yield from entries()
        except JSONDecodeError as error:
            self._note_damage(error.msg)
        except RecursionError:
            self._note_damage("Too many levels")
        except ValueError:  # an integer of thousands of digits
            self._note_damage("Number out of range")

    def _note_damage(self, why: str) -> None:
        self.damage = Damage(line_at(self._data, self._place), why)

    def _document_entries(self) -> Iterator[tuple[str, Any]]:
        self._expect_letter("{")
        if self._next_letter() == "}":
            self._expect_letter("}")
            return
        while True:
            key = self._parse_value()
            if not isinstance(key, str):
                raise JSONDecodeError("Expecting a name in double quotes", "", 0)
            self._expect_letter(":")
            if key == self._streamed and self._next_letter() == "[":
                for item in self._list_items():
                    yield key, item
            else:
                yield key, self._parse_value()
            if self._next_letter() != ",":
                break
            self._expect_letter(",")
        self._expect_letter("}")

    def _list_items(self) -> Iterator[Any]:
        self._expect_letter("[")
        if self._next_letter() == "]":
            self._expect_letter("]")
            return
        while True:
            yield self._parse_value()
            if self._next_letter() != ",":
                break
            self._expect_letter(",")
        self._expect_letter("]")

    def _next_letter(self) -> str:
        """The next letter that is not blank; empty at the end."""
        data, place, size = self._data, self._place, len(self._data)
        while place < size and data[place] in _BLANK_BYTES:
            place += 1
        self._place = place
        return chr(data[place]) if place < size else ""

    def _expect_letter(self, letter: str) -> None:
        if self._next_letter() != letter:
            raise JSONDecodeError(f"Expecting {letter!r}", "", 0)
        self._place += 1

    def _parse_value(self) -> Any:
        self._next_letter()
        for fresh in (False, True):
            if fresh or not self._begin <= self._place < self._begin + len(self._text):
                self._begin = self._place
                end = self._begin + _WINDOW_BYTES
                # Latin-1 keeps the places of bytes; names of hosts are all that it may distort.
                self._text = self._data[self._begin : end].decode("latin-1")
            try:
                value, end = _DECODER.raw_decode(self._text, self._place - self._begin)
            except JSONDecodeError:
                if fresh or self._begin == self._place:
                    raise
            else:
                # A number at the end of the window may go on behind it.
                if end < len(self._text) or self._begin + end >= len(self._data):
                    self._place = self._begin + end
                    return value
        raise JSONDecodeError(f"A value of more than {_WINDOW_BYTES} bytes", "", 0)


def _none_for_nan(_: str) -> None:
    """NaN and infinities, which are no JSON, are no values."""


_DECODER = json.JSONDecoder(parse_constant=_none_for_nan)


def number_or_nan(value: Any) -> float:
    """A finite number that is not negative, as a double; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return float("nan")
    try:
        found = float(value)
    except OverflowError:
        return float("nan")
    return found if 0.0 <= found < 9e18 else float("nan")


def entry_at(table: Any, *keys: str) -> Any:
    """An entry of tables in tables; None where there is none."""
    for key in keys:
        if not isinstance(table, dict):
            return None
        table = table.get(key)
    return table
