"""TCP over a recorded link beside TCP over a model of it.

A likelihood says which model describes the losses best. What counts is another thing: whether TCP
does over the model what it does over the record. Both are simulated here on the same link, the
record from a random start in each run.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp.campaign.journal import Journal
from airtcp.fitted.wanted import Wanted
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.replications import Asked, carried_out, result_of
from airtcp.stats.ratio import ratio_of_means
from airtcp.support.progress import Report

Document: TypeAlias = dict[str, Any]
Verdict: TypeAlias = Literal["alike", "different", "undecided"]

ZONE = 0.1  # share of the goodput by which model and record may differ and count as alike
FIRST, MOST = 20, 160  # runs of each, before looking and at most


@dataclass(frozen=True, eq=False)
class Beside:
    """Goodput of one TCP over the record and over a model of it.

    - `tcp`: the congestion control; `model`: the name of the model;
    - `over_record`, `over_model`: goodput of each run, bit/s;
    - `ratio`, `low`, `high`: mean over the model by mean over the record, with its 95 % interval.
      The interval tells the chance of the runs, not that of the record, which is one.
    """

    tcp: str
    model: str
    over_record: NDArray[np.float64]
    over_model: NDArray[np.float64]
    ratio: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """Whether the ratio lies within `ZONE` of 1, as far as the interval tells."""
        if self.low >= 1.0 - ZONE and self.high <= 1.0 + ZONE:
            return "alike"
        if self.high < 1.0 - ZONE or self.low > 1.0 + ZONE:
            return "different"
        return "undecided"

    def json(self) -> dict[str, Any]:
        """The comparison as JSON has it; goodputs in bit/s."""
        return {
            "tcp": self.tcp,
            "model": self.model,
            "runs": len(self.over_record),
            "over_record_bps": float(self.over_record.mean()),
            "over_model_bps": float(self.over_model.mean()),
            "ratio": self.ratio,
            "low": self.low,
            "high": self.high,
            "verdict": self.verdict,
        }


class TcpBeside:
    """TCP over a record and over models of it; the journal keeps the runs of both."""

    def __init__(
        self,
        link: Document,
        record: Mapping[str, Any],
        wanted: Wanted,
        journal: Journal,
        report: Report,
    ) -> None:
        """Take the scenario of the link, and the channel of its hop that makes it the record.

        `link`: a document with one hop; its `tcp.congestion` is replaced by each of `wanted.tcps`.
        """
        self._link, self._record = link, {"channel": record}
        self._wanted, self._journal, self._report = wanted, journal, report

    def compare(self, name: str, model: Mapping[str, Any]) -> list[Beside]:
        """Run every TCP over the record and over a model, until each ratio is told or `MOST`.

        `model`: the keys of the hop that it has in the place of the record's channel.
        """
        return [self._compared(tcp, name, model) for tcp in self._wanted.tcps]

    def _compared(self, tcp: str, name: str, model: Mapping[str, Any]) -> Beside:
        runs = FIRST
        while True:
            found = self._after(runs, tcp, name, model)
            if found.verdict != "undecided" or runs >= MOST:
                return found
            runs = min(2 * runs, MOST)

    def _after(self, runs: int, tcp: str, name: str, model: Mapping[str, Any]) -> Beside:
        self._report(f"{tcp} over record and {name}", runs, MOST)
        other, one = (self._goodput(tcp, over, runs) for over in (self._record, model))
        if not other.mean():
            return Beside(tcp, name, other, one, np.nan, np.nan, np.nan)
        return Beside(tcp, name, other, one, *ratio_of_means(one, other))

    def _goodput(self, tcp: str, over: Mapping[str, Any], runs: int) -> NDArray[np.float64]:
        document = deepcopy(self._link)
        document["tcp"] |= {"congestion": tcp}
        document["path"]["hop"][0] |= over
        asked = Asked.of(
            Scenario.from_dict(document),
            replications=runs,
            precision=None,
            metric=None,
            seed=self._wanted.seed,
            jobs=None,
        )
        result = result_of(carried_out(asked, self._journal, progress=False), asked)
        found = np.asarray(result.to_pandas()["goodput_bps"], dtype=np.float64)
        # Where nothing is random one run stands for all.
        return np.repeat(found, runs) if len(found) == 1 < runs else found
