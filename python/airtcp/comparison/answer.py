"""The answer of an engine to a scenario, in the same shape whatever the engine is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import pandas
from scipy import special

from airtcp.errors import count
from airtcp.metrics.ratios import Floats
from airtcp.plot.marks import MarkStyle, distinct_half_filled, half_filled
from airtcp.stats import CONFIDENCE, grouped_means
from airtcp.stats.rare import testable_count
from airtcp.stats.verdict import Estimate
from airtcp.support.earlier_names import earlier_attributes
from airtcp.support.format import valid_runs_text

if TYPE_CHECKING:
    from airtcp.simulation.replications import SimulationResult

Value = TypeVar("Value")

_INTERVALS = f"{100.0 * CONFIDENCE:g} % intervals"


@earlier_attributes(why="reasons_not_compared", numbers="run_numbers", alone="ratios_per_run")
@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of metrics, one per row of `RunResult.table`, or per point if rows are flows.

    - `engine`: name of the engine; `estimates`: for each metric, one per row, NaN without a value;
    - `reasons_not_compared`: for each row, the reason why it is not compared; empty if it is;
    - `per_run`: the values of a metric in each row's runs, if known. Runs with the same number met
      the same random numbers, at all points and in all engines;
    - `run_numbers`: numbers of the runs of each row. None: the first ones, or parts of runs, which
      no other engine has;
    - `ratios_per_run`: the ratio of each run, for metrics whose estimates are ratios of means
      (`metrics.ratios.averaged_ratios`). Engines that know only such ratios need it.
    """

    engine: str
    estimates: Mapping[str, Sequence[Estimate]]
    reasons_not_compared: Sequence[str]
    per_run: Mapping[str, Sequence[Floats]] = field(default_factory=dict)
    run_numbers: Sequence[Sequence[int]] | None = None
    ratios_per_run: Mapping[str, Sequence[Floats]] = field(default_factory=dict)

    @classmethod
    def from_runs(
        cls,
        engine: str,
        values: Mapping[str, Sequence[Floats]],
        numbers: Sequence[Sequence[int]],
        why: Sequence[str],
    ) -> Estimates:
        """Means of measured runs: `values` as `per_run`; NaN for a row that has no runs."""
        estimates = {name: [*map(_mean_of_runs, rows)] for name, rows in values.items()}
        return cls(engine, estimates, why, values, numbers)

    def with_ratios_like(self, other: Estimates, metric: str) -> Estimates:
        """The estimates of a metric as means of ratios if another engine's are such means.

        The mean of the ratios of runs is another quantity than the ratio of their means.
        """
        if metric not in self.ratios_per_run or metric in other.ratios_per_run:
            return self
        rows = zip(
            self.estimates[metric],
            other.estimates[metric],
            self.ratios_per_run[metric],
            self.per_run[metric],
            strict=True,
        )
        rows_found = [
            (_mean_of_runs(alone), alone)
            if estimate.runs and two.runs and not math.isnan(two.value)
            else (estimate, known)
            for estimate, two, alone, known in rows
        ]
        means, runs = zip(*rows_found, strict=True)
        return replace(self, estimates={metric: means}, per_run={metric: runs}, ratios_per_run={})

    def repeat_for_flows(self, flows: Sequence[int]) -> Estimates:
        """Estimates of points, repeated for each flow, without values of single runs."""
        if len(self.reasons_not_compared) == sum(flows):
            return self
        estimates = {
            name: [replace(estimate, telling=math.nan) for estimate in values_per_row(known, flows)]
            for name, known in self.estimates.items()
        }
        return Estimates(self.engine, estimates, values_per_row(self.reasons_not_compared, flows))

    def columns(self, names: Callable[[str], Sequence[str]]) -> dict[str, list[Any]]:
        """Values of each metric, and the ends of 95 % intervals or bounds, under `names`."""
        columns: dict[str, list[Any]] = {}
        for metric, estimates in self.estimates.items():
            rows = [(estimate.value, *_value_bounds(estimate)) for estimate in estimates]
            columns |= dict(zip(names(metric), map(list, zip(*rows, strict=True)), strict=True))
        return columns


@dataclass(frozen=True)
class EngineTraits:
    """Properties of an engine for tables, reports and figures, independent of its answers.

    - `is_default`: true if ``engine = "both"`` includes it; `RunResult.table` on slots has its
      columns even where it was not asked;
    - `is_leading`: true if other engines are shown beside it. If it answers alone, its columns do
      not have its name; models of a path are compared with it;
    - `marks`: its markers in figures, by default half-filled; `is_drawn_as_line`: true for lines
      within bands from bound to bound instead, as suits an engine without runs;
    - `answers_by_method`: true if it answers on slots by the method of the scenario;
    - `has_interval_columns`: true if the table has the ends of its intervals, or its bounds, beside
      every value on slots; `throughput_interval_names`: their names there for the throughput;
    - `sentence_alone`, `sentence_beside`: its work in the first sentence of a report, as a sentence
      without full stop and as a continuation of another one; "{method}" stands for the method of
      the points;
    - `values_words`: description of its values in captions of figures; `columns_sentence`: a
      sentence about its columns in a report; `no_answer_words`: beginning of lines that say why it
      has no answer;
    - `answered_by_head`: head of the column with `Answer.by`;
    - `own_path_prefix`: beginning of the paths in a scenario that concern this engine alone;
      `is_repeatable`: true if the same command gives the same numbers.
    """

    is_default: bool = False
    is_leading: bool = False
    marks: MarkStyle | None = None
    is_drawn_as_line: bool = False
    answers_by_method: bool = False
    has_interval_columns: bool = True
    throughput_interval_names: tuple[str, str] = ("throughput_low", "throughput_high")
    sentence_alone: str = ""
    sentence_beside: str = ""
    values_words: str = ""
    columns_sentence: str = ""
    no_answer_words: str = ""
    answered_by_head: str = "by"
    own_path_prefix: str = ""
    is_repeatable: bool = True

    def with_defaults(self, engine: str) -> EngineTraits:
        """The properties, with defaults for those that the engine leaves open."""
        return replace(
            self,
            marks=None if self.is_drawn_as_line else self.marks or half_filled(engine),
            sentence_alone=self.sentence_alone or f"{engine[:1].upper()}{engine[1:]} of a scenario",
            sentence_beside=self.sentence_beside or f"and {engine}",
            values_words=self.values_words
            or (engine if self.is_drawn_as_line else f"{engine} with {_INTERVALS}"),
            no_answer_words=self.no_answer_words or f"No {engine}",
        )


@dataclass(frozen=True)
class RunMetadata:
    """Facts of the leading answer, for the JSON of a run; the defaults if no such engine was asked.

    - `seed`, `replications`: seed and number of its runs; `exact_points`: number of points without
      randomness;
    - `chance`, `order`, `transient`: remarks on randomness, on flows that start together, and on
      transients at the beginning; empty if there is nothing to say.
    """

    seed: int | None = None
    replications: int | None = None
    exact_points: int | None = None
    chance: str = ""
    order: str = ""
    transient: str = ""


def column_names_of(engine: str, about: EngineTraits, metric: str) -> tuple[str, str, str]:
    """Names of the columns of a metric in `RunResult.table`: its value, and its ends."""
    name = f"{engine}_{metric}"
    if metric == "throughput":
        low, high = about.throughput_interval_names
        return name, f"{engine}_{low}", f"{engine}_{high}"
    return name, f"{name}_low", f"{name}_high"


@earlier_attributes(
    said="make_estimates",
    by="answered_by",
    about="traits",
    names="column_names",
    head="leading_columns",
    heading="heading_lines",
    facts="run_metadata",
    intervals="interval_lines",
    without_value="reason_without_value",
    records="record_summaries",
    options="command_options",
    validity="validity_columns",
    each="runs_per_point_text",
    unanswered="reasons_without_answer",
)
@dataclass(frozen=True, eq=False)
class Answer:
    """Answer of an engine for all points of a scenario.

    - `engine`: its name; `make_estimates`: function that makes its estimates when they are needed;
    - `table`: results that only this engine has: a table of the analysis or of real packets, or the
      result of the simulation; None if the estimates are all;
    - `answered_by`: for each point, the model or TCP that answers; `runs`: its number of runs;
      `valid`: the share of them that counts. Tables have no column for an empty one;
    - `reasons`: for each point, the reason why it has no answer; empty if it has one;
    - `notes`: lines of the engine about its work and about points without an answer;
    - `models`: answers of single models for a path;
    - `traits`: properties of the engine.

    Engines with more to report about their answers override the methods.
    """

    engine: str
    make_estimates: Callable[[], Estimates]
    table: pandas.DataFrame | SimulationResult | None = None
    answered_by: Sequence[str] = ()
    runs: Sequence[int] = ()
    valid: Sequence[float] = ()
    reasons: Sequence[str] = ()
    notes: Sequence[str] = ()
    models: pandas.DataFrame | None = None
    traits: EngineTraits = EngineTraits()

    def __post_init__(self) -> None:
        """Fill in the properties that the engine leaves open."""
        object.__setattr__(self, "traits", self.traits.with_defaults(self.engine))

    @cached_property
    def estimates(self) -> Estimates:
        """The estimates of all rows that the engine knows."""
        return self.make_estimates()

    def column_names(self, metric: str) -> tuple[str, str, str]:
        """Names of the columns of a metric in `RunResult.table`: its value, and its ends."""
        return column_names_of(self.engine, self.traits, metric)

    def columns(self, flows: Sequence[int]) -> pandas.DataFrame:
        """Columns for `RunResult.table`: values of points repeat for the flows of each."""
        found = self.own_columns()
        if not len(found):
            return pandas.DataFrame(index=range(sum(flows)))
        return found.iloc[values_per_row(range(len(found)), flows)].reset_index(drop=True)

    def own_columns(self) -> pandas.DataFrame:
        """Columns in the rows that the engine knows."""
        return pandas.DataFrame(self.estimates.columns(self.column_names))

    def leading_columns(self) -> pandas.DataFrame | None:
        """The first columns of that table, up to its numbers, if it knows flows from each other."""
        return None

    def heading_lines(self) -> list[str]:
        """Say how much was run, for the second line of a table."""
        return []

    def run_metadata(self, metric: str) -> RunMetadata:
        """Facts for the JSON of a run beside estimates; `metric`: the main one."""
        return RunMetadata()

    def remarks(self, metric: str) -> list[str]:
        """Remarks that a reader of the runs needs; `metric`: the main one."""
        return []

    def interval_lines(self, shown: Sequence[str], metric: str, cells: Sequence[str]) -> list[str]:
        """Lines that explain the intervals in a table of the metrics `shown`, and the remarks.

        `cells`: the cells of the table; only what occurs in them needs an explanation.
        """
        return []

    def reason_without_value(self, metric: str) -> str:
        """Reason why the runs have no value of a metric; empty if unknown."""
        return ""

    def record_summaries(self) -> Mapping[str, pandas.DataFrame]:
        """Summaries of what was counted beside flows, by kind: "links", "traffic"."""
        return {}

    def command_options(self, stack: str, *, led: bool) -> list[str]:
        """The words of a command line that ask for the same runs.

        `stack`: as in `airtcp.run`; `led`: true if a leading answer gives seed and runs.
        """
        return []

    def validity_columns(self, flows: Sequence[int]) -> dict[str, list[str]]:
        """A column with the number of runs that count; none if all count by design."""
        valid_counts = [valid_runs_text(*each) for each in zip(self.runs, self.valid, strict=False)]
        return {"valid": values_per_row(valid_counts, flows)} if valid_counts else {}

    @property
    def runs_per_point_text(self) -> str:
        """Number of runs of each point: "20 replications", "30 to 120 replications"."""
        least, most = min(self.runs, default=0), max(self.runs, default=0)
        few = "" if least == most else f"{least} to "
        return few + count(most, "replication")

    @property
    def reasons_without_answer(self) -> list[str]:
        """The reasons of the points that have no answer."""
        return [reason for reason in self.reasons or self.estimates.reasons_not_compared if reason]


def with_distinct_marks(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers, with marks of their own for all whose engines choose none."""
    marks_of_engine = marks_by_engine({answer.engine: answer.traits for answer in answers})
    return tuple(
        replace(answer, traits=replace(answer.traits, marks=marks_of_engine[answer.engine]))
        if answer.engine in marks_of_engine
        else answer
        for answer in answers
    )


def marks_by_engine(abouts: Mapping[str, EngineTraits]) -> dict[str, MarkStyle]:
    """Marks of each engine that has some, their own for all that choose none."""
    chosen = {name: about.marks for name, about in abouts.items() if about.marks is not None}
    usual = [name for name, marks in chosen.items() if marks == half_filled(name)]
    return chosen | dict(zip(usual, distinct_half_filled(usual), strict=True))


def values_per_row(values: Sequence[Value], flows: Sequence[int]) -> list[Value]:
    """Values of points, repeated for the `flows` of each; values of flows as they are."""
    if len(values) == sum(flows):
        return [*values]
    pairs = zip(values, flows, strict=True)
    return [value for value, number in pairs for _ in range(number)]


def _mean_of_runs(runs: Floats) -> Estimate:
    if not len(runs):
        return Estimate(math.nan)
    moments = grouped_means(runs, [0] * len(runs))
    mean, sd = float(moments["mean"][0]), float(moments["sd"][0])
    return Estimate.of_runs(mean, sd, len(runs), telling=testable_count(runs))


def _value_bounds(estimate: Estimate) -> tuple[float, float]:
    if not estimate.runs:
        return estimate.bounds
    half = (
        float(special.stdtrit(max(estimate.runs - 1, 1), 0.5 + CONFIDENCE / 2.0)) * estimate.error
    )
    return estimate.value - half, estimate.value + half
