"""Marks and words that distinguish engines in figures. Imports nothing that draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle


@dataclass(frozen=True)
class MarkStyle:
    """Style of the values of an engine: markers with intervals.

    - `noun`: what a legend calls them; `words`: what a caption calls the markers;
    - `fill`: "none", "full" or one of `SIDES`, as Matplotlib fills markers; `size`: size of markers
      and of the line that joins them, 1 for the usual one;
    - `offset_points`: shift to the right, in points, that keeps them off another engine's values.
    """

    noun: str
    words: str
    fill: str
    size: float = 1.0
    offset_points: float = 0.0


OPEN_MARKS = MarkStyle("simulated", "Open markers", "none")
FORMULA_PREFIX = "formula "  # before the name of one
SIDES = ("left", "right", "top", "bottom")  # of half-filled markers


def half_filled(noun: str) -> MarkStyle:
    """Marks of an engine that chooses none itself, where it is the only one."""
    return MarkStyle(noun, "Half-filled markers", SIDES[0], size=0.8, offset_points=-3.0)


def distinct_half_filled(nouns: Sequence[str]) -> list[MarkStyle]:
    """Marks of all engines that choose none: filled on one side each, further and further aside."""
    if len(nouns) == 1:
        return [half_filled(nouns[0])]
    return [
        replace(
            half_filled(noun),
            words=f"Markers filled at the {side}",
            fill=side,
            offset_points=-3.0 * (1 + place),
        )
        for place, (noun, side) in enumerate(zip(nouns, cycle(SIDES), strict=False))
    ]
