"""The simulations of the paper: one transfer per run, six protocols, On lengths, error rates.

Two hosts, each with On and Off phases of its own, lose the packets they send while On [lahanas
reading, section 3]. Run r of every cell draws from the same streams, so that protocols meet the
same phases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import airtcp
from airtcp.papers import base
from airtcp.papers.lahanas.readings import DEFAULT_READING, Reading

Floats = NDArray[np.float64]

ON_LENGTHS = (1, 2, 3, 4)  # s, mean On length of Tables 1 to 4
OFF_LENGTH = 5  # s
RATES = (0, 1, 10, 20, 33, 50, 99)  # %, of what is sent while On
LOSSY_RATES = RATES[1:]
PAYLOAD = 5_242_880  # bytes
ENDLESS_BYTES = 10**7  # s, a limit that no transfer reaches
QUANTITIES = ("time_s", "overhead_pct")
_CELL_COST = 4.0  # of the runs of six protocols, in the unit of the bar


@dataclass(frozen=True)
class Protocol:
    """One of the six: its variant here, its name in text, two letters for it, colour and marker."""

    variant: str
    words: str
    code: str
    style_index: int


PROTOCOLS = {
    "tahoe": Protocol("tahoe", "Tahoe", "T", 0),
    "tahoe-probing": Protocol("tahoe-probing", "Tahoe-Probing", "TP", 5),
    "reno": Protocol("reno", "Reno", "R", 1),
    "reno-probing": Protocol("reno-probing", "Reno-Probing", "RP", 4),
    "adaptive": Protocol("adaptive-probing", "Adaptive", "A", 2),
    "skip": Protocol("skip-probing", "Skip", "S", 3),
}
WORDS = {name: protocol.words for name, protocol in PROTOCOLS.items()}
STANDARD_PROTOCOLS = ("tahoe", "reno")
PROBING_PROTOCOLS = tuple(name for name in PROTOCOLS if name not in STANDARD_PROTOCOLS)


def scenario(
    protocols: Iterable[str], on: int, rate: int, reading: Reading = DEFAULT_READING
) -> airtcp.Scenario:
    """Section 3 with a mean On length (s) and an error rate (%); one point per protocol."""
    host = {
        "kind": "on-off",
        "on": f"{on}s",
        "off": f"{OFF_LENGTH}s",
        "loss_rate": rate / 100.0,
    }
    link = {"rate": reading.rate, "delay": reading.delay}
    hop = link | {"exit": host, "back": {"exit": host}}
    document: dict[str, Any] = {
        "profile": "bsd",
        "tcp": {"variant": [PROTOCOLS[name].variant for name in protocols]} | reading.tcp,
        "path": {"hop": [hop]},
        "flow": [{"size": f"{PAYLOAD}B"}],
        "stop": {"time": f"{ENDLESS_BYTES}s", "replications": 1},
    }
    return airtcp.Scenario.from_dict(document)


@dataclass(frozen=True)
class LahanasSizes:
    """Amount of simulation: runs per cell."""

    runs: int


class LahanasStudy(base.PaperStudy[LahanasSizes]):
    """One run of the paper's study: simulates on demand, each On length and error rate once."""

    FULL, QUICK = LahanasSizes(runs=200), LahanasSizes(runs=20)
    reading = DEFAULT_READING

    @property
    def size(self) -> int:
        """Runs per cell: the user's choice, or ours."""
        return self.chosen_runs or self.sizes.runs

    def values(self, quantity: str, protocol: str, on: int, rate: int) -> Floats:
        """The runs of a cell in their order: "time_s" or "overhead_pct"."""
        words = f"simulate {on} s On, {rate} %"
        found = self.compute_once(
            (on, rate), lambda: self._cell(on, rate), words=words, cost=_CELL_COST
        )
        return found[quantity, protocol]

    def _cell(self, on: int, rate: int) -> dict[tuple[str, str], Floats]:
        return self.values_by_run((on, rate), lambda: self._simulate(on, rate))

    def _simulate(self, on: int, rate: int) -> dict[tuple[str, str], Floats]:
        """Time is that of the last ACK, overhead 100 (bytes of TCP sent - payload) / payload."""
        cell = scenario(PROTOCOLS, on, rate, self.reading)
        runs = self.simulate(cell, replications=self.size).to_pandas()
        found = {}
        for name, this in PROTOCOLS.items():
            here = runs[runs["tcp.variant"] == this.variant].sort_values("replication")
            found["time_s", name] = here["transfer_time"].to_numpy(dtype=np.float64)
            found["overhead_pct", name] = 100.0 * here["overhead"].to_numpy(dtype=np.float64)
        return found

    def facts(self) -> dict[str, Any]:
        """The sizes of this run, for the report."""
        return super().facts() | {"runs per cell": self.size}


def needs_of_cells(*lengths: int) -> list[base.Need]:
    """The needs of all cells with these On lengths."""
    return [base.Need((on, rate), _CELL_COST) for on in lengths for rate in RATES]
