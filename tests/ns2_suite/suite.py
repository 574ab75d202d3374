"""Plays ns-2's validation suite: each test as a scenario of profile `ns2`, drawn as ns's own scripts draw it."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import airtcp

from . import plots
from .described import describe
from .script import read, tests
from .traced import lines
from .words import Unknown

#: Where Debian's package `ns2-examples` has the suite; another place by the variable of this name.
PLACE = Path(os.environ.get("AIRTCP_NS2_SUITE", "/usr/share/doc/ns2/examples/tcl/test"))
FAMILIES = ("tcpVariants", "newreno", "sack", "LimTransmit", "rfc2581", "red", "ecn")


@dataclass(frozen=True)
class Verdict:
    """What came of one test: whether it counts (else `reason` says why not), and in what it differs, if it does."""

    family: str
    test: str
    reason: str | None = None
    difference: str | None = None

    @property
    def counts(self) -> bool:
        """Whether profile `ns2` has all that the test needs."""
        return self.reason is None

    @property
    def equal(self) -> bool:
        """Whether nothing differs that the reference shows."""
        return self.counts and self.difference is None


def reference(family: str, test: str) -> plots.Plot | None:
    """What ns's authors keep of `test`."""
    path = PLACE / f"test-output-{family}" / f"{test}.gz"
    return plots.read(gzip.decompress(path.read_bytes()).decode()) if path.exists() else None


def play(family: str, test: str) -> Verdict:
    """Plays one test."""
    kept = reference(family, test)
    if kept is None:
        return Verdict(family, test, "no reference is kept")
    script = read(PLACE, family, test)
    try:
        described = describe(script)
    except Unknown as why:
        return Verdict(family, test, str(why))
    scenario = airtcp.Scenario.from_dict(described.document)
    drawn = plots.play(script.pipes, lines(described, airtcp.trace(scenario, links=True)))
    return Verdict(family, test, difference=plots.difference(drawn, kept))


def play_family(family: str) -> list[Verdict]:
    """Plays all tests of a family."""
    return [play(family, test) for test in tests(PLACE, family)]
