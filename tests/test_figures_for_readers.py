"""Figures and pages for any reader: fonts that travel with the file, text that stands out."""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from matplotlib.text import Text

import airtcp as at
from airtcp.papers.lahanas.drawing import LABELS, cells_figure
from airtcp.papers.lahanas.study import PROTOCOLS
from airtcp.plot import links, sequence
from airtcp.plot.contests import shares_figure
from airtcp.plot.runs import axis_name
from airtcp.plot.style import (
    GRID,
    PALETTE,
    PAPER,
    CurveData,
    panels_figure,
    svg,
    throughput_figure,
    with_style,
)
from airtcp.plot.timeseries import timeseries_figure
from airtcp.report.page import inline_svg

LEAST = 4.5  # contrast of text, https://www.w3.org/TR/WCAG22/#contrast-minimum
LEAST_OF_LINES = 3.0  # https://www.w3.org/TR/WCAG22/#non-text-contrast
PATH: dict[str, Any] = {
    "profile": "linux",
    "path": {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 10}]},
    "flow": [{"packets": 200}],
    "stop": {"time": "5s", "replications": 2},
}
CURVES = [
    CurveData(colour=variant, x=[1e-3, 1e-1], y=[0.1, 0.9]) for variant in ("tahoe", "reno", "sack")
]


def _traced(draw: Callable[[Any], Figure]) -> Figure:
    return draw(at.trace(at.Scenario.from_dict(PATH), links=True))


def _shares() -> Figure:
    """A matrix with a cell of every shade, from 0 to 1."""
    names = [f"v{place}" for place in range(6)]
    rows = [
        {"variant": variant, "rival": rival, "share": place / 35, "replications": 1}
        for place, (variant, rival) in enumerate(product(names, names))
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
        kind: lambda kind=kind: _traced(lambda events: sequence.compare([events], kind))
        for kind in sequence.SEQUENCE_FIGURES
    },
    **{
        kind: lambda kind=kind: _traced(lambda events: links.LINK_FIGURES[kind](events, None))
        for kind in links.LINK_FIGURES
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


# Figures of shares have no lines.
@pytest.mark.parametrize("kind", [kind for kind in FIGURES if kind != "shares"])
def test_lines_and_markers_in_figures_stand_out(kind: str) -> None:
    found = [
        (_contrast(colour, PAPER), str(colour)) for colour in _colours_of_lines(FIGURES[kind]())
    ]
    assert found
    assert min(found)[0] >= LEAST_OF_LINES, min(found)


@pytest.mark.parametrize("quantity", LABELS)
def test_spans_of_a_paper_stand_out(quantity: str) -> None:
    cell = {"protocol": "tahoe", "error_rate_pct": 10, "mean": 30.0, "printed": 31.0}
    table = pd.DataFrame([cell | {"low": 29.0, "high": 31.0, "ten_low": 27.0, "ten_high": 33.0}])
    table["protocol"] = next(iter(PROTOCOLS))
    found = [
        _contrast(colour, PAPER) for colour in _colours_of_lines(cells_figure(table, quantity))
    ]
    assert len([contrast for contrast in found if contrast >= LEAST_OF_LINES]) >= 3
    behind = [_contrast(colour, PAPER) for colour in (PAPER, GRID)]
    assert all(contrast >= LEAST_OF_LINES or contrast in behind for contrast in found), found


@pytest.mark.parametrize("columns", [1, 2])
def test_long_titles_of_panels_stay_above_their_panel(columns: int) -> None:
    title = "drop-tail 50 packets, red min 5 max 15, sojourn good 2s bad 20ms, flow 1: newreno"
    panels = [(title, CURVES)] * 4
    figure = panels_figure(panels, xlabel="x", ylabel="y", columns=columns)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for axes in figure.axes:
        (shown,) = [text for text in axes.findobj(Text) if "newreno" in text.get_text()]
        box = shown.get_window_extent(canvas.get_renderer())
        assert box.x1 <= axes.get_window_extent().x1 + 5.0


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("path.hop[0].jitter.max", "Jitter max (ms)"),
        ("path.hop[0].queue.target", "Queue target (ms)"),
        ("path.hop[0].back.rate", "Rate, back (ms)"),
    ],
)
def test_an_axis_is_called_by_words_and_not_by_a_path(key: str, label: str) -> None:
    assert axis_name(key, "ms", hops=1) == label


def _colours_of_lines(figure: Figure) -> Iterator[tuple[float, ...]]:
    """Colours of what carries data, as they look on paper where they let it through."""
    for axes in figure.axes:
        for line in axes.lines:
            yield _on_paper(line.get_color(), line.get_alpha())
        for lines in axes.findobj(LineCollection):
            for shade in lines.get_edgecolor():
                yield _on_paper(shade, None)
        for stairs in axes.findobj(StepPatch):
            yield _on_paper(stairs.get_edgecolor(), None)


def _on_paper(colour: Any, alpha: float | None) -> tuple[float, ...]:
    *parts, share = to_rgba(colour, alpha)
    mixed = share * np.array(parts) + (1.0 - share) * np.array(to_rgb(PAPER))
    return tuple(mixed.tolist())


@pytest.mark.parametrize("screen", ["light", "dark"])
def test_every_colour_of_series_stands_out_on_pages(screen: str) -> None:
    (paper,) = _of_pages(screen, "paper")
    assert min(_contrast(colour, paper) for colour in PALETTE) >= LEAST_OF_LINES


# Machado, Oliveira, Fernandes 2009, IEEE TVCG 15(6), table 1, severity 1, for linear RGB.
SEEN = {
    "all": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
APART = 0.07  # in OKLab, where black and white are 1 apart and just noticeable is about 0.02


@pytest.mark.parametrize("sight", SEEN)
def test_colours_of_series_can_be_told_apart(sight: str) -> None:
    seen = [_oklab(SEEN[sight] @ _linear(colour)) for colour in PALETTE]
    pairs = [float(np.linalg.norm(first - second)) for first, second in combinations(seen, 2)]
    assert min(pairs) >= APART


def _oklab(linear: Any) -> Any:
    """https://www.w3.org/TR/css-color-4/#color-conversion-code, from linear RGB."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    opponents = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return opponents @ np.cbrt(cones @ np.clip(linear, 0.0, 1.0))


@with_style
def _contrasts(figure: Figure) -> Iterator[tuple[float, str]]:
    """Contrast of every text with the colour that most of its place has without it."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()
    ]
    places = [text.get_window_extent() for text in texts]
    shades = [to_rgb(text.get_color()) for text in texts]
    for text in texts:
        text.set_visible(False)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]
    for text, place, shade in zip(texts, places, shades, strict=True):
        (left, low), (right, high) = np.round(np.clip(place.get_points(), 0, None)).astype(int)
        behind = pixels[low:high, left:right].reshape(-1, 3)
        if len(behind):  # ticks beyond the limits of an axis are not drawn
            values, often = np.unique(behind, axis=0, return_counts=True)
            yield _contrast(shade, values[often.argmax()] / 255), text.get_text()


def _contrast(first: Any, second: Any) -> float:
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Any) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    return float(_linear(colour) @ [0.2126, 0.7152, 0.0722])


def _linear(colour: Any) -> Any:
    parts = np.asarray(to_rgb(colour if isinstance(colour, str) else tuple(colour)))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def test_the_contrast_is_that_of_the_guidelines() -> None:
    assert _contrast("#000", "#fff") == pytest.approx(21.0)
    assert _contrast("#777", "#fff") == pytest.approx(4.48, abs=0.005)


TEMPLATE = Path(at.__file__).parent / "templates/base.html.j2"
SCREENS = ("light", "dark", "print")


@pytest.mark.parametrize("screen", SCREENS)
def test_text_in_pages_stands_out(screen: str) -> None:
    for name in ("ink", "soft", "link", "holds", "partly", "fails"):
        for ground in ("paper", "shade"):
            assert _contrast(*_of_pages(screen, name, ground)) >= LEAST, (name, ground)


def _of_pages(screen: str, *names: str) -> list[str]:
    """Colours of the style of pages by their names."""
    roots = re.findall(r":root \{([^}]*)\}", TEMPLATE.read_text(encoding="utf-8"))
    assert len(roots) == len(SCREENS)
    colours = dict(re.findall(r"--(\w+): (#\w+)", roots[SCREENS.index(screen)]))
    return [to_hex(to_rgb(colours[name])) for name in names]


def test_a_figure_in_a_page_lets_the_shadows_of_what_scrolls_through() -> None:
    shown = inline_svg(throughput_figure(CURVES), "f", "label")
    grounds = re.findall(
        r'<g id="f-(?:figure|axes)_1">\s*<g id="f-patch_\d">[^>]*?fill: (\S+?)"', shown
    )
    assert grounds == ["none", "none"]
    assert "fill: none" not in svg(throughput_figure(CURVES)).partition("patch_2")[0]
