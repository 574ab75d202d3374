"""Text from elsewhere on a terminal: characters that would steer it are written as escapes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from json import dumps

# Controls (C0, DEL, C1), breaks of lines and surrogates; of Unicode's formats those that nobody
# sees: bidirectional marks and overrides, fillers, tags. Joiners stay (U+200C, U+200D), without
# which Persian, Hindi and many emoji are misspelt.
_STEERING_CHARACTERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


class Printable(str):
    """Text of whole lines, in which nothing but their ends steers a terminal."""

    __slots__ = ()


def visible_line(text: str) -> str:
    """`text` as one line that a terminal shows without obeying it.

    Every control character, line break, surrogate and bidirectional override becomes its escape as
    Python writes it: "\\n", "\\x1b", "\\u202e".
    """
    return _STEERING_CHARACTERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_lines(texts: Iterable[str]) -> Printable:
    """Each text on a line of its own."""
    return Printable("\n".join(map(visible_line, texts)))


def escape_json(json: str) -> Printable:
    """JSON unchanged, but with characters that would steer a terminal as JSON escapes.

    Such a character can only stand in a text of it, for JSON's own blanks are those of ASCII.
    """
    return Printable(
        "\n".join(_STEERING_CHARACTERS.sub(_escape_character, line) for line in json.split("\n"))
    )


def _escape_character(found: re.Match[str]) -> str:
    return dumps(found[0])[1:-1]
