"""Plays ns-2's validation suite: each test a scenario of profile `ns2`, drawn as ns draws it."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import airtcp

from . import plots
from .described import Described, describe
from .script import Script, read, tests
from .traced import lines
from .words import Unknown

#: Where Debian's package `ns2-examples` has the suite; another place by the variable of this name.
PLACE = Path(os.environ.get("AIRTCP_NS2_SUITE", "/usr/share/doc/ns2/examples/tcl/test"))
FAMILIES = ("tcpVariants", "newreno", "sack", "LimTransmit", "rfc2581", "red", "ecn")

#: The list of what counts.
REFERENCES = Path(__file__).parent / "references.toml"
#: Tests whose references ns 2.35 itself no longer draws, as Debian ships it.
EXCLUDED = {
    "newreno_rto_loss_ackf": "ns 2.35 itself loses another packet than its reference shows",
}


@dataclass(frozen=True)
class Verdict:
    """Verdict on one test: whether it counts, or why not; and its difference."""

    family: str
    test: str
    reason: str | None = None
    difference: str | None = None

    @property
    def counts(self) -> bool:
        """True if profile `ns2` has all that the test needs."""
        return self.reason is None

    @property
    def equal(self) -> bool:
        """True if nothing differs that the reference shows."""
        return self.counts and self.difference is None


def reference(family: str, test: str) -> plots.Plot | None:
    """The reference of ns's authors for `test`."""
    path = PLACE / f"test-output-{family}" / f"{test}.gz"
    return plots.read(gzip.decompress(path.read_bytes()).decode()) if path.exists() else None


def considered(family: str, test: str) -> tuple[str | None, Script | None, Described | None]:
    """Why a test does not count; if it does, what it says, and the scenario."""
    if test in EXCLUDED:
        return EXCLUDED[test], None, None
    kept = reference(family, test)
    if kept is None:
        return "no reference is kept", None, None
    if not plots.SETS & set(kept.sets):
        return "its reference shows no packets", None, None
    script = read(PLACE, family, test)
    try:
        return None, script, describe(script)
    except Unknown as why:
        return str(why), None, None


def counted(family: str) -> dict[str, str | None]:
    """Of each test why it does not count, None if it does. Nothing is played."""
    return {test: considered(family, test)[0] for test in tests(PLACE, family)}


def play(family: str, test: str, **tcp: Any) -> Verdict:
    """Plays one test; `tcp` are keys of flows in place of what the script says."""
    reason, script, described = considered(family, test)
    if script is None or described is None:
        return Verdict(family, test, reason)
    for flow in described.document["flow"]:
        flow["tcp"] |= tcp
    scenario = airtcp.Scenario.from_dict(described.document)
    drawn = plots.play(script.pipes, lines(described, airtcp.trace(scenario, links=True)))
    kept = reference(family, test)
    return Verdict(family, test, difference=plots.difference(drawn, kept or plots.Plot()))


def play_family(family: str) -> list[Verdict]:
    """Plays all tests of a family."""
    return [play(family, test) for test in tests(PLACE, family)]
