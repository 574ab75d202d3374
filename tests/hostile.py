"""Texts that would steer a terminal, a page, a figure or a spreadsheet that takes them as is."""

from __future__ import annotations

import random
import re
import unicodedata

FORGED = "all.pkt: passes"  # a line that only we may write
PARTS = (
    *("\x1b[2J", "\x1b]0;title\x07", "\x1b[31m", "\x9b31m", "\x9d0;t\x9c", "\x90q\x9c", "\x7f"),
    *("\b\b\b", "\r", "\t", "\v", "\f", "\0", "\x85", "\u2028", "\u2029", f"\n{FORGED}\n"),
    *("\u202e", "\u202a", "\u2066", "\u2069", "\u200f", "\u061c", "\ufeff", "\u200b", "\U000e0041"),
    *("[red]", "[/]", "$x^2$", "$", r"\frac", "%s", "{0}", "<b>", "&amp;", "_", "é", "\U0001f4f6"),
)
MARKUP = (
    "[bold]",
    "[/]",
    "$5 or $6",
    "$",
    r"\$",
    "$_{x}$",
    r"$\frac{",
    "<b>",
    "&lt;",
    "_a",
    "#",
    "%s",
)
_OBEYED = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f]")


def text(chance: random.Random, most: int = 6) -> str:
    """Some of the parts, with letters between them."""
    chosen = (chance.choice(PARTS) for _ in range(chance.randint(1, most)))
    return "a".join(chosen)


def name(chance: random.Random) -> str:
    """A name that is allowed, of what would be markup elsewhere."""
    chosen = " ".join(chance.choice(MARKUP) for _ in range(chance.randint(1, 4)))
    return f"{chosen} {chance.randrange(1000)}"


def check_shown(shown: str) -> None:
    """Assert that nothing in an output steers the terminal, and that no line of it is forged."""
    obeyed = _OBEYED.search(shown)
    assert obeyed is None, (obeyed, shown)
    formats = [
        character
        for character in shown
        if unicodedata.bidirectional(character) in _BIDI or character in "\u2028\u2029"
    ]
    assert not formats, (formats, shown)
    assert FORGED not in map(str.strip, shown.splitlines()), shown


_BIDI = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
