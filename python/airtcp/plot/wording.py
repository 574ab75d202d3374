"""A figure in the words and the size of its user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from airtcp.errors import refusal
from airtcp.plot.style import literal_text, with_style

SMALLEST_SIDE, LARGEST_SIDE = 1.0, 40.0  # inches


@with_style
def relabel_figure(
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
        figure.set_size_inches(*_check_size(size))
    if title and len(figure.axes) == 1:
        figure.axes[0].set_title(literal_text(title))
    elif title:
        figure.suptitle(literal_text(title), x=0.01, ha="left", fontsize=9)
    for axes in figure.axes:
        if xlabel and axes.get_xlabel():
            axes.set_xlabel(literal_text(xlabel))
        if ylabel and axes.get_ylabel():
            axes.set_ylabel(literal_text(ylabel))
    return figure


def _check_size(size: Any) -> tuple[float, float]:
    allowed = (
        f"width and height from {SMALLEST_SIDE:g} to {LARGEST_SIDE:g} inches, such as 3.5 and 2.5"
    )
    try:
        width, height = map(float, size)
    except (TypeError, ValueError):
        raise refusal("size", size, allowed) from None
    if not (SMALLEST_SIDE <= width <= LARGEST_SIDE and SMALLEST_SIDE <= height <= LARGEST_SIDE):
        raise refusal("size", size, allowed)
    return width, height
