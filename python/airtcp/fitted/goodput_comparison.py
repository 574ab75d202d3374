"""TCP over a recorded link beside TCP over a model of it.

A likelihood says which model describes the losses best. It does not say whether TCP has the same
goodput over the model as over the record. Both are simulated here on the same link, the record from
a random start in each run.

A record is one draw of the link. If its model is true, the record is a draw like any record of its
length simulated from the model. So if TCP over the record is not the extreme among TCP over such
records, too few losses can explain the difference [besag1991].
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

# Share of the goodput by which model and record may differ and count as alike.
EQUIVALENCE_ZONE = 0.1
FIRST_RUNS, MOST_RUNS = 20, 160  # runs of each, before looking and at most
FEWEST_LOSSES = 20  # losses of a record; the 95 % interval of the rate of fewer is above +-44 %
TEST_LEVEL = 0.05  # at which true models are called different, at most, all TCPs together
# Over each simulated record: fewer than over the record, which errs for the model.
_RUNS_PER_SIMULATED_RECORD = 4


@dataclass(frozen=True, eq=False)
class GoodputComparison:
    """Goodput of one TCP over the record and over a model of it.

    - `tcp`: the congestion control; `model`: the name of the model;
    - `over_record`, `over_model`: goodput of each run, bit/s;
    - `ratio`, `low`, `high`: mean over the model by mean over the record, with its 95 % interval.
      The interval covers chance among the runs, not chance in the record, of which there is one;
    - `over_other_records`: mean goodput over each record that was simulated from the model;
    - `has_few_losses`: True if the record has too few losses to distinguish its model from others.
    """

    tcp: str
    model: str
    over_record: NDArray[np.float64]
    over_model: NDArray[np.float64]
    ratio: float
    low: float
    high: float
    over_other_records: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    has_few_losses: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict: the interval of the ratio is within `EQUIVALENCE_ZONE` of 1, or outside."""
        return "too few losses" if self.has_few_losses else self.verdict_of_runs

    @property
    def verdict_of_runs(self) -> Verdict:
        """The verdict as if the record were the link."""
        if self.low >= 1.0 - EQUIVALENCE_ZONE and self.high <= 1.0 + EQUIVALENCE_ZONE:
            return "alike"
        if self.high < 1.0 - EQUIVALENCE_ZONE or self.low > 1.0 + EQUIVALENCE_ZONE:
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
            "records_simulated": len(self.over_other_records),
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
        - `losses`: number of losses in the record; fewer than `FEWEST_LOSSES` distinguish no
          models.
        """
        self._link, self._record = link, {"channel": record}
        self._wanted, self._journal, self._report = options, journal, report
        self._is_few = losses is not None and losses < FEWEST_LOSSES

    def compare(
        self,
        name: str,
        model: Mapping[str, Any],
        others: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> list[GoodputComparison]:
        """Run every TCP over record and model until each ratio has a verdict, `MOST_RUNS` at most.

        - `model`: keys of a hop that replace the record's channel;
        - `others`: channels of records simulated from the model, by number. If given, a TCP differs
          between record and model only where the record is the most extreme of them.
        """
        every = [self._compare_tcp(tcp, name, model) for tcp in self._wanted.tcps]
        if others is None:
            return every
        return [self._with_simulated_records(others, comparison) for comparison in every]

    def mean_goodputs(self, name: str, channel: Mapping[str, Any]) -> list[float]:
        """Mean goodput of every TCP over another channel, in bit/s."""
        found = []
        for tcp in self._wanted.tcps:
            self._report(f"{tcp} over {name}", FIRST_RUNS, FIRST_RUNS)
            found.append(float(self._goodputs(tcp, {"channel": channel}, FIRST_RUNS).mean()))
        return found

    def _compare_tcp(self, tcp: str, name: str, model: Mapping[str, Any]) -> GoodputComparison:
        runs = FIRST_RUNS
        while True:
            found = self._comparison_after_runs(runs, tcp, name, model)
            if self._is_few or found.verdict != "undecided" or runs >= MOST_RUNS:
                return replace(found, has_few_losses=self._is_few)
            runs = min(2 * runs, MOST_RUNS)

    def _with_simulated_records(
        self, others: Callable[[int], Mapping[str, Any]], found: GoodputComparison
    ) -> GoodputComparison:
        """The comparison; `has_few_losses` is set if simulated records are as extreme."""
        if found.verdict != "different":
            return found
        most = round(2 * len(self._wanted.tcps) / TEST_LEVEL) - 1
        side = 1.0 if found.ratio < 1.0 else -1.0
        record, seen = side * found.over_record.mean(), []
        for number in range(most):
            self._report(f"{found.tcp} over records of {found.model}", number, most)
            simulated = self._goodputs(
                found.tcp, {"channel": others(number)}, _RUNS_PER_SIMULATED_RECORD
            ).mean()
            seen.append(float(simulated))
            if side * simulated >= record:
                break
        is_few = side * seen[-1] >= record
        return replace(found, over_other_records=np.array(seen), has_few_losses=is_few)

    def _comparison_after_runs(
        self, runs: int, tcp: str, name: str, model: Mapping[str, Any]
    ) -> GoodputComparison:
        self._report(f"{tcp} over record and {name}", runs, MOST_RUNS)
        over_record, over_model = (
            self._goodputs(tcp, over, runs) for over in (self._record, model)
        )
        if not over_record.mean():
            return GoodputComparison(tcp, name, over_record, over_model, np.nan, np.nan, np.nan)
        return GoodputComparison(
            tcp, name, over_record, over_model, *ratio_of_means(over_model, over_record)
        )

    def _goodputs(self, tcp: str, over: Mapping[str, Any], runs: int) -> NDArray[np.float64]:
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
