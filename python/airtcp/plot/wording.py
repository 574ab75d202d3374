"""A figure in the words and the size of its user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from airtcp.errors import refusal
from airtcp.plot.style import as_words, styled

SMALLEST, LARGEST = 1.0, 40.0  # inches


@styled
def reworded(
    figure: Figure,
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    size: Sequence[float] | None = None,
) -> Figure:
    """Give a figure a title and other labels of its axes; `size`: its width and height, inches.

    What is empty stays as it is. Raises `InputError`.
    """
    if size is not None:
        figure.set_size_inches(*_inches(size))
    if title and len(figure.axes) == 1:
        figure.axes[0].set_title(as_words(title))
    elif title:
        figure.suptitle(as_words(title), x=0.01, ha="left", fontsize=9)
    for axes in figure.axes:
        if xlabel and axes.get_xlabel():
            axes.set_xlabel(as_words(xlabel))
        if ylabel and axes.get_ylabel():
            axes.set_ylabel(as_words(ylabel))
    return figure


def _inches(size: Any) -> tuple[float, float]:
    allowed = f"width and height from {SMALLEST:g} to {LARGEST:g} inches, such as 3.5 and 2.5"
    try:
        width, height = map(float, size)
    except (TypeError, ValueError):
        raise refusal("size", size, allowed) from None
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise refusal("size", size, allowed)
    return width, height
