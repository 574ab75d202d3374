"""An advice: the best choice, the others, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from airtcp.advice.alternatives import AlternativeSet, describe_combination
from airtcp.advice.goals import GoalMetric
from airtcp.advice.screening import Screening
from airtcp.advice.tournament import Outcome, SelectionSettings
from airtcp.errors import count
from airtcp.export import write_figure
from airtcp.stats.intervals import mean_intervals

EXACT_VERDICT, UNSETTLED_VERDICT = "exact", "not settled"  # verdicts


@dataclass(frozen=True)
class Advice:
    """The best choice, and the reasons for it.

    Attributes
    ----------
    best : dict
        The values of the choice, by key; empty if no alternative has a value.
    goal : str
        The goal that was asked for.
    metric : str
        The metric of that goal.
    high : bool
        True if high values are good.
    zone, confidence : float
        The choice is the best, or worse by no more than the share `zone`, with this probability.
        Differences within the zone were not asked about.
    settled : bool
        True if that was reached within the runs allowed.
    table : pandas.DataFrame
        A row per combination, the best first: the values by key, `mean`, `low`, `high` (95 %
        Student t interval over `runs`), `verdict` ("best", "dropped", "screened" by a formula,
        "exact", "not settled", "no value", "refused") and `why`.
    keys : tuple of str
        The keys of the values to choose among.
    runs : int
        Runs that were simulated in all.
    title : str
        The title of the scenario.
    scenario : str
        The text of a scenario file with the best choice in it.
    confirmation : str
        The result of real packets for the best choice, if that was asked for.
    """

    best: Mapping[str, Any]
    goal: str
    metric: str
    high: bool
    zone: float
    confidence: float
    settled: bool
    table: pandas.DataFrame
    keys: tuple[str, ...]
    runs: int
    title: str
    scenario: str
    confirmation: str = ""

    @property
    def sentence(self) -> str:
        """The advice in a sentence."""
        if not self.best:
            return f"No alternative has a value of {self.metric}."
        chosen = self.table["choice"].iloc[0]
        verdicts = list(self.table["verdict"])
        if len([verdict for verdict in verdicts if verdict != "refused"]) == 1:
            return f"{chosen} is the only possible choice."
        if verdicts[0] == EXACT_VERDICT:
            return f"{chosen} is best; an exact model says so."
        if self.table["runs"].max() == 1:
            return f"{chosen} is best: nothing is random here, so that one run of each is enough."
        if not self.settled:
            return (
                f"{chosen} leads, but {count(verdicts.count(UNSETTLED_VERDICT), 'other choice')}"
                " may be as"
                f" good: allow more runs (most), or a wider zone than {100 * self.zone:g} %."
            )
        return (
            f"{chosen} is best, or within {100 * self.zone:g} % of the best,"
            f" with a probability of {self.confidence:g} or more."
        )

    def plot(self, path: str | Path) -> Path:
        """Draw the means with their intervals into a file.

        Parameters
        ----------
        path : str or Path
            The file; its suffix is .svg, .pdf or .png.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            For another suffix, and for a file that cannot be written.
        """
        from airtcp.plot.advice import advice_figure  # noqa: PLC0415  (slow to import)

        return write_figure(lambda: advice_figure(self.table, self.metric, self.sentence), path)


@dataclass(frozen=True)
class Findings:
    """All findings at the end: the alternatives, the goal, and the outcome of the runs."""

    alternative_set: AlternativeSet
    goal_metric: GoalMetric
    screening: Screening
    outcome: Outcome

    def to_advice(self, title: str, settings: SelectionSettings) -> Advice:
        """The advice that the caller asked for."""
        order = sorted(range(len(self.alternative_set.alternatives)), key=self._rank)
        best, values = order[0], self.outcome.values[order[0]]
        has_value = len(values) > 0 and best not in self.outcome.valueless_runs
        chosen = self.alternative_set.alternatives[best]
        return Advice(
            best=chosen.values if has_value else {},
            goal=self.goal_metric.goal,
            metric=self.goal_metric.metric,
            high=self.goal_metric.high,
            zone=settings.zone,
            confidence=settings.confidence,
            settled=self.outcome.settled,
            table=pandas.DataFrame(
                [self._row(place, best) for place in order] + self._refused_rows()
            ),
            keys=self.alternative_set.keys,
            runs=0 if self.screening.exact_values else sum(map(len, self.outcome.values)),
            title=title,
            scenario=chosen.scenario.to_toml(),
        )

    def _row(self, place: int, best: int) -> dict[str, Any]:
        values = self.alternative_set.alternatives[place].values
        verdict, why = self._verdict(place, best)
        verdict_fields = {"verdict": verdict, "why": why}
        return {
            **values,
            "choice": describe_combination(values),
            **self._metric_fields(place),
            **verdict_fields,
        }

    def _refused_rows(self) -> list[dict[str, Any]]:
        nothing = dict.fromkeys(("mean", "low", "high"), np.nan) | {"runs": 0, "verdict": "refused"}
        return [
            {**values, "choice": describe_combination(values), **nothing, "why": why}
            for values, why in self.alternative_set.refused
        ]

    def _rank(self, place: int) -> tuple[int, int, float]:
        """Rank of an alternative: left at the end, then dropped after runs, then the rest."""
        values, dropped = self.outcome.values[place], self.outcome.runs_at_drop
        if place in self.screening.reasons_dropped or not len(values):
            return (3, 0, 0.0)
        if place in self.outcome.valueless_runs:
            return (2, 0, 0.0)
        if place in dropped:
            return (1, -dropped[place], -float(values.mean()))
        return (0, 0, -float(values.mean()))

    def _metric_fields(self, place: int) -> dict[str, Any]:
        values = self.outcome.values[place] * (1.0 if self.goal_metric.high else -1.0)
        if not len(values) or np.isnan(values).any():
            return dict.fromkeys(("mean", "low", "high"), np.nan) | {"runs": len(values)}
        if len(values) == 1:
            return dict.fromkeys(("mean", "low", "high"), float(values[0])) | {"runs": 1}
        interval = mean_intervals(values[None, :])
        return {name: interval[name][0] for name in ("mean", "low", "high")} | {"runs": len(values)}

    def _verdict(self, place: int, best: int) -> tuple[str, str]:
        outcome = self.outcome
        if self.screening.exact_values:
            return EXACT_VERDICT, "an exact model"
        if place in self.screening.reasons_dropped:
            return "screened", self.screening.reasons_dropped[place]
        if place in outcome.valueless_runs:
            return "no value", f"{count(outcome.valueless_runs[place], 'run')} without a value"
        if place in outcome.runs_at_drop:
            return "dropped", self._distance_behind(place, best)
        if place == best:
            return "best", ""
        return UNSETTLED_VERDICT, "not distinguished from the best within the allowed runs"

    def _distance_behind(self, place: int, best: int) -> str:
        """Distance behind the best when the alternative was dropped, on the same random numbers."""
        runs = min(self.outcome.runs_at_drop[place], len(self.outcome.values[place]))
        mean, other = (self.outcome.values[at][:runs].mean() for at in (place, best))
        far = f"{100.0 * (other - mean) / abs(other):.1f} % behind " if other else ""
        return f"{far}after {count(runs, 'run')}"
