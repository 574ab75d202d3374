"""Figures and pages for any reader: fonts that travel with the file, text that stands out."""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

import airtcp as at
from airtcp.plot import links, sequence
from airtcp.plot.contests import shares_figure
from airtcp.plot.style import Curve, panels_figure, styled, svg, throughput_figure
from airtcp.plot.timeseries import timeseries_figure
from airtcp.report.page import inline_svg

LEAST = 4.5  # contrast of text, https://www.w3.org/TR/WCAG22/#contrast-minimum
PATH: dict[str, Any] = {
    "profile": "linux",
    "path": {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 10}]},
    "flow": [{"packets": 200}],
    "stop": {"time": "5s", "replications": 2},
}
CURVES = [Curve(colour=one, x=[1e-3, 1e-1], y=[0.1, 0.9]) for one in ("tahoe", "reno", "sack")]


def _traced(draw: Callable[[Any], Figure]) -> Figure:
    return draw(at.trace(at.Scenario.from_dict(PATH), links=True))


def _shares() -> Figure:
    """A matrix with a cell of every shade, from 0 to 1."""
    import pandas as pd

    names = [f"v{place}" for place in range(6)]
    rows = [
        {"variant": one, "rival": two, "share": place / 35, "replications": 1}
        for place, (one, two) in enumerate((one, two) for one in names for two in names)
    ]
    table = pd.DataFrame(rows).assign(share_low=np.nan, share_high=np.nan)
    return shares_figure(table, names, 1)


FIGURES: dict[str, Callable[[], Figure]] = {
    "curves": lambda: throughput_figure(
        CURVES, title="$P_E$ of caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    ),
    "panels": lambda: panels_figure([("a", CURVES), ("b", CURVES)], xlabel="x", ylabel="y"),
    "run": lambda: at.run(PATH).plot(),
    "shares": _shares,
    "timeseries": lambda: timeseries_figure(at.timeseries(PATH)),
    **{
        kind: lambda kind=kind: _traced(lambda one: sequence.compare([one], kind))
        for kind in sequence.KINDS
    },
    **{
        kind: lambda kind=kind: _traced(lambda one: links.KINDS[kind](one, None))
        for kind in links.KINDS
    },
}
figures = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


@figures
def test_a_pdf_embeds_its_fonts_as_truetype(figure: Callable[[], Figure]) -> None:
    file = io.BytesIO()
    sequence.save(figure(), file, ".pdf")
    kinds = Counter(re.findall(rb"/Subtype /(Type3|Type0|TrueType|CIDFontType2)", file.getvalue()))
    embedded = file.getvalue().count(b"/FontFile2")
    assert b"Type3" not in kinds
    assert embedded == kinds[b"CIDFontType2"] + kinds[b"TrueType"] > 0


@figures
def test_an_svg_has_the_letters_that_it_shows(figure: Callable[[], Figure]) -> None:
    text = svg(figure())
    letters = {
        letter
        for shown in re.findall(r"<(?:text|tspan)\b[^>]*>([^<]*)", text)
        for letter in unescape(shown)
        if not letter.isspace()
    }
    fonts = re.findall(r"src: url\(data:font/woff;base64,([^)]+)\)", text)
    embedded = {chr(code) for font in fonts for code in _codes(base64.b64decode(font))}
    assert letters
    assert letters <= embedded
    assert svg(figure()) == text


def _codes(font: bytes) -> Iterator[int]:
    yield from TTFont(io.BytesIO(font)).getBestCmap()


@figures
def test_text_in_figures_stands_out(figure: Callable[[], Figure]) -> None:
    found = list(_contrasts(figure()))
    assert len(found) > 3
    assert min(found)[0] >= LEAST, min(found)


@styled
def _contrasts(figure: Figure) -> Iterator[tuple[float, str]]:
    """Contrast of every text with the colour that most of its place has without it."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [one for one in figure.findobj(Text) if one.get_visible() and one.get_text().strip()]
    places = [one.get_window_extent() for one in texts]
    shades = [to_rgb(one.get_color()) for one in texts]
    for one in texts:
        one.set_visible(False)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]
    for one, place, shade in zip(texts, places, shades, strict=True):
        (left, low), (right, high) = np.round(np.clip(place.get_points(), 0, None)).astype(int)
        behind = pixels[low:high, left:right].reshape(-1, 3)
        if len(behind):  # ticks beyond the limits of an axis are not drawn
            values, often = np.unique(behind, axis=0, return_counts=True)
            yield _contrast(shade, values[often.argmax()] / 255), one.get_text()


def _contrast(one: Any, other: Any) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Any) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    parts = np.asarray(to_rgb(colour if isinstance(colour, str) else tuple(colour)))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_the_contrast_is_that_of_the_guidelines() -> None:
    assert _contrast("#000", "#fff") == pytest.approx(21.0)
    assert _contrast("#777", "#fff") == pytest.approx(4.48, abs=0.005)


TEMPLATE = Path(at.__file__).parent / "templates/base.html.j2"
SCREENS = ("light", "dark", "print")


@pytest.mark.parametrize(("screen", "place"), [(one, n) for n, one in enumerate(SCREENS)])
def test_text_in_pages_stands_out(screen: str, place: int) -> None:
    roots = re.findall(r":root \{([^}]*)\}", TEMPLATE.read_text(encoding="utf-8"))
    assert len(roots) == len(SCREENS)
    colours = dict(re.findall(r"--(\w+): (#\w+)", roots[place]))
    for name in ("ink", "soft", "link", "holds", "partly", "fails"):
        for ground in ("paper", "shade"):
            pair = to_hex(to_rgb(colours[name])), to_hex(to_rgb(colours[ground]))
            assert _contrast(*pair) >= LEAST, (screen, name, ground)


def test_a_figure_in_a_page_lets_the_shadows_of_what_scrolls_through() -> None:
    shown = inline_svg(throughput_figure(CURVES), "f", "label")
    grounds = re.findall(
        r'<g id="f-(?:figure|axes)_1">\s*<g id="f-patch_\d">[^>]*?fill: (\S+?)"', shown
    )
    assert grounds == ["none", "none"]
    assert "fill: none" not in svg(throughput_figure(CURVES)).partition("patch_2")[0]
