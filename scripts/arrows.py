"""Arrows between the crates and between the wings of the Python package, and the figure of both.

Tests hold the code to these tables: tests/test_architecture.py compares the crates with `cargo
metadata`, tests/test_python_arrows.py the wings with the imports of every file.
`python scripts/gen.py` draws docs/img/arrows.svg, which ARCHITECTURE.md shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

FILE = "docs/img/arrows.svg"

# crate -> the crates of this project that it uses
CRATES: dict[str, set[str]] = {
    "core": set(),
    "linux": {"core"},
    "tcp": {"core", "linux"},
    "radio": {"core"},
    "analysis": {"core"},
    "scenario": {"core", "linux", "tcp", "radio"},
    "sim": {"core", "linux", "tcp", "radio", "scenario"},
    "live": {"core", "linux", "tcp", "radio", "scenario"},
    "packetdrill": {"core", "linux"},
    "capture": set(),
    "measured": {"capture", "core"},
    "replay": {"capture", "core", "linux"},
    "py": {
        "analysis",
        "core",
        "live",
        "measured",
        "packetdrill",
        "radio",
        "replay",
        "scenario",
        "sim",
        "tcp",
    },
    "web": {"analysis", "core", "radio", "scenario", "sim"},
    "bench": set(),
}

# what its tests use besides: the engine that it must agree with; what is measured
CRATES_IN_TESTS: dict[str, set[str]] = {
    "live": {"replay", "sim"},
    "packetdrill": {"live", "tcp"},
    "bench": {"analysis", "core", "radio", "scenario", "sim"},
}

# From the lowest wing to the highest: a file imports from its own wing and from lower ones.
WINGS = (
    "terminal",
    "errors",
    "support",
    "stats",
    "scenario",
    "metrics",
    "campaign",
    "cluster",
    "reading",
    "events",
    "plot",
    "export",
    "models",
    "links",
    "simulation",
    "comparison",
    "report",
    "live",
    "packetdrill",
    "measured",
    "fitting",
    "fitted",
    "engines",
    "advice",
    "papers",
    "golden",
    "cli",
    "__main__",
)

# The figure: places of crates from left to right. Heights follow from the arrows.
_PLACES = {
    "analysis": 0.0,
    "sim": 1.0,
    "live": 2.0,
    "packetdrill": 3.0,
    "replay": 4.0,
    "measured": 5.0,
    "scenario": 1.5,
    "radio": 1.0,
    "tcp": 2.0,
    "linux": 3.0,
    "core": 1.5,
    "capture": 4.75,
    "py": 3.0,
    "web": 0.0,
}
_SPANS = {"core": 4.0, "capture": 1.3, "py": 5.0}  # in boxes
_COLUMN, _ROW, _WIDTH, _HEIGHT = 104, 72, 92, 30
_LEFT, _TOP = 8 + _WIDTH / 2, 40
_WING = 15
_Point = tuple[float, float]


def shortest(arrows: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """The arrows without those that follow from others."""
    return {
        crate: {
            to for to in tos if not any(to in _reached(arrows, nearer) for nearer in tos - {to})
        }
        for crate, tos in arrows.items()
    }


def _reached(arrows: Mapping[str, Set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = arrows[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def depths(arrows: Mapping[str, Set[str]]) -> dict[str, int]:
    """The depth of each: the most arrows in a row that lead to it, 0 where none does."""
    found = dict.fromkeys(arrows, 0)
    for _ in arrows:  # the longest way has fewer arrows than there are names
        for crate, tos in arrows.items():
            for to in tos:
                found[to] = max(found[to], found[crate] + 1)
    return found


def svg() -> str:
    """docs/img/arrows.svg."""
    drawn = {crate: tos for crate, tos in CRATES.items() if crate != "bench"}
    rows = depths(drawn)
    bottom = max(rows.values())
    rows |= dict.fromkeys((crate for crate, tos in drawn.items() if not tos), bottom)
    at = {crate: (_LEFT + _PLACES[crate] * _COLUMN, _TOP + rows[crate] * _ROW) for crate in drawn}
    wings = [name for name in WINGS if not name.startswith("_")][::-1]
    right, height = _LEFT + 5.5 * _COLUMN + 52, _TOP + bottom * _ROW + _HEIGHT + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 148:g} {height:g}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Arrows between crates, and the order of the Python wings</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#455a64"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="8" y="20" font-weight="bold">Crates</text><text x="{right:g}" y="20"'
        ' font-weight="bold">Python wings</text>',
        *(_arrow(at, crate, to) for crate, tos in shortest(drawn).items() for to in sorted(tos)),
        *(_box(at[crate], crate) for crate in drawn),
        f'<rect x="{right:g}" y="28" width="140" height="{_WING * len(wings) + 10}" rx="3"'
        ' fill="#e0f2f1" stroke="#00796b"/>',
        *(
            f'<text x="{right + 8:g}" y="{44 + _WING * number}">{name}</text>'
            for number, name in enumerate(wings)
        ),
        _line((right, _TOP + _HEIGHT / 2), (at["py"][0] + _size("py") / 2, _TOP + _HEIGHT / 2)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _size(name: str) -> float:
    """The width of a box."""
    return _WIDTH + (_SPANS.get(name, 1.0) - 1) * _COLUMN


def _box(place: _Point, name: str) -> str:
    x, y = place
    width = _size(name)
    return (
        f'<rect x="{x - width / 2:g}" y="{y:g}" width="{width:g}" height="{_HEIGHT}" rx="3"'
        f' fill="#eceff1" stroke="#455a64"/><text x="{x:g}" y="{y + 19:g}"'
        f' text-anchor="middle">{name}</text>'
    )


def _arrow(at: Mapping[str, _Point], crate: str, to: str) -> str:
    """An arrow from the lower edge of a box to the nearest place on the upper edge of another."""
    (left, high), (middle, low) = at[crate], at[to]
    start = _within(middle, left, _size(crate)) if crate == "py" else left
    return _line((start, high + _HEIGHT), (_within(start, middle, _size(to)), low))


def _within(x: float, middle: float, width: float) -> float:
    reach = width / 2 - 12
    return max(middle - reach, min(middle + reach, x))


def _line(start: _Point, end: _Point) -> str:
    (a, b), (c, d) = start, end
    return (
        f'<line x1="{a:g}" y1="{b:g}" x2="{c:g}" y2="{d:g}" stroke="#455a64"'
        ' marker-end="url(#tip)"/>'
    )
