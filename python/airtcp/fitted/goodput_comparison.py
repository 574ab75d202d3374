"""TCP over a recorded link beside TCP over a model of it.

A likelihood says which model describes the losses best. What counts is another thing: whether TCP
does over the model what it does over the record. Both are simulated here on the same link, the
record from a random start in each run.

A record is one draw of the link. If its model is the truth, it is a draw like records simulated
from that model, as long as itself: where TCP over it is not the extreme among TCP over these, the
difference is one of too few losses [besag1991].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp.campaign.journal import Journal
from airtcp.fitted.options import FitOptions
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.replications import SimulationRequest, result_of, run_campaign
from airtcp.stats.ratio import ratio_of_means
from airtcp.support.progress import Report

Document: TypeAlias = dict[str, Any]
Verdict: TypeAlias = Literal["alike", "different", "undecided", "too few losses"]

ZONE = 0.1  # share of the goodput by which model and record may differ and count as alike
FIRST, MOST = 20, 160  # runs of each, before looking and at most
FEWEST = 20  # losses of a record; the 95 % interval of the rate of fewer is above +-44 %
LEVEL = 0.05  # at which true models are called different, at most, all TCPs together
_RUNS = 4  # over each simulated record: fewer than over the record, which errs for the model


@dataclass(frozen=True, eq=False)
class GoodputComparison:
    """Goodput of one TCP over the record and over a model of it.

    - `tcp`: the congestion control; `model`: the name of the model;
    - `over_record`, `over_model`: goodput of each run, bit/s;
    - `ratio`, `low`, `high`: mean over the model by mean over the record, with its 95 % interval.
      The interval tells the chance of the runs, not that of the record, which is one;
    - `over_others`: mean goodput over each record simulated from the model that was looked at;
    - `is_few`: True where the record has too few losses to tell its model from others.
    """

    tcp: str
    model: str
    over_record: NDArray[np.float64]
    over_model: NDArray[np.float64]
    ratio: float
    low: float
    high: float
    over_others: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    is_few: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict: the ratio lies within `ZONE` of 1, or not, as far as the interval tells."""
        return "too few losses" if self.is_few else self.by_runs

    @property
    def by_runs(self) -> Verdict:
        """The verdict as if the record were the link."""
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
            "records_simulated": len(self.over_others),
            "verdict": self.verdict,
        }


class GoodputComparer:
    """TCP over a record and over models of it; the journal keeps the runs of both."""

    def __init__(
        self,
        link: Document,
        record: Mapping[str, Any],
        options: FitOptions,
        journal: Journal,
        report: Report,
        *,
        losses: int | None = None,
    ) -> None:
        """Take the scenario of the link, and the channel of its hop that makes it the record.

        - `link`: a document with one hop; its `tcp.congestion` is replaced by each of
          `options.tcps`;
        - `losses`: number of them in the record; fewer than `FEWEST` tell no model from others.
        """
        self._link, self._record = link, {"channel": record}
        self._wanted, self._journal, self._report = options, journal, report
        self._is_few = losses is not None and losses < FEWEST

    def compare(
        self,
        name: str,
        model: Mapping[str, Any],
        others: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> list[GoodputComparison]:
        """Run every TCP over the record and over a model, until each ratio is told or `MOST`.

        - `model`: the keys of the hop that it has in the place of the record's channel;
        - `others`: by number, channels of records simulated from the model. If given, a TCP does
          otherwise only where the record is the extreme of them.
        """
        every = [self._compared(tcp, name, model) for tcp in self._wanted.tcps]
        if others is None:
            return every
        return [self._against(others, one) for one in every]

    def over(self, name: str, channel: Mapping[str, Any]) -> list[float]:
        """Mean goodput of every TCP over another channel, in bit/s."""
        found = []
        for tcp in self._wanted.tcps:
            self._report(f"{tcp} over {name}", FIRST, FIRST)
            found.append(float(self._goodput(tcp, {"channel": channel}, FIRST).mean()))
        return found

    def _compared(self, tcp: str, name: str, model: Mapping[str, Any]) -> GoodputComparison:
        runs = FIRST
        while True:
            found = self._after(runs, tcp, name, model)
            if self._is_few or found.verdict != "undecided" or runs >= MOST:
                return replace(found, is_few=self._is_few)
            runs = min(2 * runs, MOST)

    def _against(
        self, others: Callable[[int], Mapping[str, Any]], found: GoodputComparison
    ) -> GoodputComparison:
        """The comparison, with `is_few` where a record simulated from the model is as extreme."""
        if found.verdict != "different":
            return found
        most = round(2 * len(self._wanted.tcps) / LEVEL) - 1
        side = 1.0 if found.ratio < 1.0 else -1.0
        record, seen = side * found.over_record.mean(), []
        for number in range(most):
            self._report(f"{found.tcp} over records of {found.model}", number, most)
            other = self._goodput(found.tcp, {"channel": others(number)}, _RUNS).mean()
            seen.append(float(other))
            if side * other >= record:
                break
        is_few = side * seen[-1] >= record
        return replace(found, over_others=np.array(seen), is_few=is_few)

    def _after(self, runs: int, tcp: str, name: str, model: Mapping[str, Any]) -> GoodputComparison:
        self._report(f"{tcp} over record and {name}", runs, MOST)
        other, one = (self._goodput(tcp, over, runs) for over in (self._record, model))
        if not other.mean():
            return GoodputComparison(tcp, name, other, one, np.nan, np.nan, np.nan)
        return GoodputComparison(tcp, name, other, one, *ratio_of_means(one, other))

    def _goodput(self, tcp: str, over: Mapping[str, Any], runs: int) -> NDArray[np.float64]:
        document = deepcopy(self._link)
        document["tcp"] |= {"congestion": tcp}
        document["path"]["hop"][0] |= over
        asked = SimulationRequest.of(
            Scenario.from_dict(document),
            replications=runs,
            precision=None,
            metric=None,
            seed=self._wanted.seed,
            jobs=None,
        )
        result = result_of(run_campaign(asked, self._journal, progress=False), asked)
        found = np.asarray(result.to_pandas()["goodput_bps"], dtype=np.float64)
        # Where nothing is random one run stands for all.
        return np.repeat(found, runs) if len(found) == 1 < runs else found
