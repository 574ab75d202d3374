"""Fonts inside SVG files: text stays text, and looks the same where the reader lacks the font.

Each face that a figure uses is embedded as a `@font-face` with the letters of the figure alone, as
https://www.w3.org/TR/css-fonts-4/#font-face-rule says.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Literal, TypeAlias

from matplotlib.font_manager import FontProperties, findfont

_TEXTS = re.compile(r'<(?:text|tspan)\b[^>]*?style="([^"]*)"[^>]*>([^<]*)')
_FAMILY = re.compile(r"font(?:-family)?:[^;]*?'([^']+)'")
Slant: TypeAlias = Literal["normal", "italic", "oblique"]
_SLANTS: tuple[Slant, ...] = ("italic", "oblique", "normal")
_BOLD = re.compile(r"font[^;:]*:[^;]*\b(?:bold|[6-9]00)\b")


@dataclass(frozen=True)
class FontFace:
    """A font of a family: upright or italic, regular or bold."""

    family: str
    style: Slant
    weight: str

    @classmethod
    def of(cls, style: str) -> FontFace | None:
        """The face that the style of a text names first."""
        family = _FAMILY.search(style)
        if family is None:
            return None
        slant = next((slant for slant in _SLANTS if slant in style), _SLANTS[-1])
        weight = "bold" if _BOLD.search(style) else "normal"
        return cls(family[1], slant, weight)

    def rule(self, letters: str) -> str:
        """The rule of a style sheet that brings those letters."""
        data = base64.b64encode(_subset_font(self, letters)).decode()
        return (
            f"@font-face {{font-family: '{self.family}'; font-style: {self.style};"
            f" font-weight: {self.weight}; src: url(data:font/woff;base64,{data})}}"
        )


def with_fonts(svg: str) -> str:
    """An SVG of Matplotlib with the letters of its texts embedded."""
    letters: dict[FontFace, set[str]] = {}
    for face, text in _texts_of_svg(svg):
        letters.setdefault(face, set()).update(text)
    if not letters:
        return svg
    rules = "\n".join(
        face.rule("".join(sorted(letters_found))) for face, letters_found in letters.items()
    )
    start = svg.index(">", svg.index("<svg")) + 1
    return f'{svg[:start]}\n <style type="text/css">\n{rules}\n </style>{svg[start:]}'


def _texts_of_svg(svg: str) -> Iterator[tuple[FontFace, str]]:
    for style, text in _TEXTS.findall(svg):
        face = FontFace.of(style)
        if face is not None and text.strip():
            yield face, unescape(text)


@lru_cache(maxsize=64)
def _subset_font(face: FontFace, letters: str) -> bytes:
    """The letters of a face as WOFF; letters that it lacks are left to the reader's fonts."""
    from fontTools.subset import (  # noqa: PLC0415  (slow to import; other formats need none)
        Options,
        Subsetter,
        load_font,
        save_font,
    )

    path = findfont(FontProperties(family=face.family, style=face.style, weight=face.weight))
    options = Options(flavor="woff", hinting=False, layout_features=["kern"], notdef_outline=True)
    options.drop_tables += ["FFTM"]  # of the program that drew the letters
    subsetter, file = Subsetter(options), io.BytesIO()
    subsetter.populate(text=letters)
    with load_font(path, options) as font:  # its time of change stays, so the bytes are the same
        subsetter.subset(font)
        save_font(font, file, options)
    return file.getvalue()
