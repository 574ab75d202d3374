"""Figs. 1 to 6: throughput over the loss rate, exact analysis as lines, simulation as points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from airtcp.papers.base import Agreement, Need, Part, Reproduction, Statement, agreement_with_truth
from airtcp.papers.columns import HIGH, LOW, SD, SIMULATED
from airtcp.papers.zorzi import claims
from airtcp.papers.zorzi.study import (
    CORRELATED_DOPPLER,
    VARIANT_WORDS,
    Case,
    ZorziSizes,
    ZorziStudy,
    above_exact,
    simulation_needs,
    solution_needs,
)
from airtcp.plot.style import CurveData, throughput_figure

ALL_CHANNELS = (CORRELATED_DOPPLER, 0.08, 0.64, None)  # f_dT, V
TWO_CHANNELS = (CORRELATED_DOPPLER, None)


@dataclass(frozen=True)
class LossRateFigure:
    """One figure: its cases, the words that distinguish them, and the paper's statements."""

    number: int
    title: str
    text: str
    cases: tuple[Case, ...]
    colour: Callable[[Case], str]
    statements: tuple[Statement, ...]

    @property
    def name(self) -> str:
        """The name in `reproduce("zorzi/...")`."""
        return f"fig{self.number}"

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        return Part(self._make, self.statements, self._needs)

    def _needs(self, sizes: ZorziSizes) -> list[Need]:
        kinds = (solution_needs, simulation_needs)
        return [need for case in self.cases for kind in kinds for need in kind(case, sizes)]

    def _make(self, study: ZorziStudy) -> Reproduction:
        """Compute and draw."""
        tables = [study.table(case) for case in self.cases]
        curves = [self._curve(case, table) for case, table in zip(self.cases, tables, strict=True)]
        table = pd.concat(tables, ignore_index=True)
        return Reproduction(
            title=f"Fig. {self.number}: {self.title}",
            text=f"{self.text} {_accuracy_words(table)}",
            table=table,
            figure=study.draw_figure(
                lambda: throughput_figure(curves, title=f"Fig. {self.number}: {self.title}")
            ),
            agreement=simulation_agreement(table),
        )

    def _curve(self, case: Case, table: pd.DataFrame) -> CurveData:
        points = table.dropna(subset=[SIMULATED])
        return CurveData(
            colour=self.colour(case),
            line=channel_label(case.doppler),
            x=table["loss_rate"],
            y=table["throughput"],
            points_x=points["loss_rate"],
            points=points[SIMULATED],
            points_low=points[LOW],
            points_high=points[HIGH],
        )


def channel_label(doppler: float | None) -> str:
    """The channel in a legend."""
    return "i.i.d." if doppler is None else f"$f_dT$ = {doppler:g}"


def simulation_agreement(table: pd.DataFrame) -> Agreement:
    """Simulation against analysis over the simulated rows of a table."""
    points = table.dropna(subset=[SIMULATED])
    return agreement_with_truth(
        points[SIMULATED], points[SD], points["replications"], points["throughput"]
    )


def _accuracy_words(table: pd.DataFrame) -> str:
    apart, cut = above_exact(table), table["error_bound"].max()
    return (
        "Lines are the exact solution, whose pruned states can change it by at most"
        f" {cut:.2g}; the polynomial upper bound is at most {apart:.2g} off it on this grid."
    )


def _variant_word(case: Case) -> str:
    return case.variant_word


def _window_word(case: Case) -> str:
    return f"window {case.window}"


def _dupacks_word(case: Case) -> str:
    return f"K = {case.dupacks}"


def _all_cases(
    variants: tuple[str, ...],
    windows: tuple[int, ...],
    dopplers: tuple[float | None, ...],
    dupacks: tuple[int, ...] = (3,),
) -> tuple[Case, ...]:
    return tuple(
        Case(variant, window, doppler, k)
        for variant in variants
        for window in windows
        for k in dupacks
        for doppler in dopplers
    )


def _figure_by_dupacks(number: int, variant: str) -> LossRateFigure:
    return LossRateFigure(
        number=number,
        title=f"{VARIANT_WORDS[variant]} by number of duplicate ACKs",
        text="Fast retransmission after K = 1, 2 or 3 duplicate ACKs, window 24.",
        cases=_all_cases((variant,), (24,), TWO_CHANNELS, (1, 2, 3)),
        colour=_dupacks_word,
        statements=claims.fewer_dupacks(variant, f"Fig. {number}"),
    )


FIGURES = (
    LossRateFigure(
        number=1,
        title="Reno and Tahoe, window 6",
        text="A window of 6 packets is shorter than the bursts of a slow channel, so correlation"
        " helps at high loss rates and hurts at low ones.",
        cases=_all_cases(("reno", "tahoe"), (6,), TWO_CHANNELS),
        colour=_variant_word,
        statements=claims.FIG1,
    ),
    LossRateFigure(
        number=2,
        title="Reno and Tahoe, window 24",
        text="A window of 24 packets outlasts the bursts: Tahoe gains from correlation, Reno, which"
        " repairs one loss per window, does not at low loss rates.",
        cases=_all_cases(("reno", "tahoe"), (24,), TWO_CHANNELS),
        colour=_variant_word,
        statements=(
            claims.judge_tahoe_gains,
            claims.LARGER_WINDOW,
            claims.RENO_DEGRADED,
            claims.RENO_BELOW_TAHOE,
        ),
    ),
    LossRateFigure(
        number=3,
        title="NewReno, windows 6 and 24",
        text="The idealised NewReno of the paper, which resends every loss of a window.",
        cases=_all_cases(("newreno",), (6, 24), TWO_CHANNELS),
        colour=_window_word,
        statements=(claims.NEWRENO_GAINS, claims.judge_newreno_gains_more),
    ),
    LossRateFigure(
        number=4,
        title="Tahoe and NewReno by speed of fading",
        text="From a pedestrian (f_dT = 0.01) to a car (0.64), window 24. Curves that coincide are"
        " drawn in each other: Tahoe and NewReno at 0.01, the car and i.i.d. for either variant.",
        cases=_all_cases(("tahoe", "newreno"), (24,), ALL_CHANNELS),
        colour=_variant_word,
        statements=(claims.judge_correlation_matters, *claims.SPEEDS),
    ),
    _figure_by_dupacks(5, "tahoe"),
    _figure_by_dupacks(6, "newreno"),
)
