"""The long description of wheel and source distribution: the README, read away from its repository.

A registry of packages shows it where neither the README's pictures nor its pages are. Pictures are
left out; a link to a page becomes its text and, in brackets, the name of the file.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = "packaging/description.md"
NOTE = "Files that are named here without an address lie in the repository.\n"
_PICTURE = re.compile(r"^!\[[^]]*\]\([^)]*\)\n\n?", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)\s]+)\)")


def text() -> str:
    """The description, from README.md."""
    return described((ROOT / "README.md").read_text(encoding="utf-8"))


def described(readme: str) -> str:
    """A README in the form that makes sense without the files beside it."""
    return _LINK.sub(_away, _PICTURE.sub("", readme)) + "\n" + NOTE


def relative(markdown: str) -> list[str]:
    """The pictures and links of a text that only its repository has."""
    return [target for _, _, target in _LINK.findall(markdown) if not _is_address(target)]


def _away(link: re.Match[str]) -> str:
    """A link with the file's name in place of the way to it."""
    _, shown, target = link.groups()
    if _is_address(target):
        return link[0]
    return shown if target.startswith(shown) else f"{shown} ({target})"


def _is_address(target: str) -> bool:
    return re.match(r"https?://|mailto:|#", target) is not None
