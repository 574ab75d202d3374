"""The analysis itself: how tight its bounds are, and the variant that the paper leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    Judgement,
    Need,
    Part,
    Reproduction,
    judge_alike,
    judge_better,
    percent,
    statement,
)
from airtcp.papers.zorzi.gaps import MUCH_BETTER_RULE, SAME_RULE, CasePair, extremes_of_gaps
from airtcp.papers.zorzi.study import (
    CORRELATED_DOPPLER,
    VARIANT_WORDS,
    Case,
    ZorziSizes,
    ZorziStudy,
    above_exact,
    bounds_table,
    solution_needs,
)
from airtcp.plot.style import CurveData, panels_figure

CHANNELS = ((CORRELATED_DOPPLER, "$f_dT$ = 0.01"), (None, "i.i.d."))
METHODS = {"printed": "as printed", "tight": "first successes counted"}
CASES = tuple(Case(variant, 24, doppler) for doppler, _ in CHANNELS for variant in VARIANT_WORDS)
COST = 10.0  # of the bounds, in units of the progress bar


def bounds_part(study: ZorziStudy) -> Reproduction:
    """The distance of the lower bounds below the upper one."""
    table = pd.concat(
        [_bound_distances(study, case, method) for case in CASES for method in METHODS],
        ignore_index=True,
    )
    study.advance("bounds", COST)
    panels = [(title, _distance_curves(table, doppler)) for doppler, title in CHANNELS]
    return Reproduction(
        title="How tight the bounds are",
        text="Distance of the lower bound below the upper bound of the embedded analysis, which is"
        f" at most {above_exact(table):.2g} off the exact throughput on this grid. The paper's"
        " lower bounds count nothing for the run of successes right after a loss, although those"
        " packets are never sent again; counting them gives the second family.",
        table=table,
        figure=study.draw_figure(
            lambda: panels_figure(
                panels,
                xlabel="Packet loss rate",
                ylabel="Lower bound below upper (%)",
            )
        ),
    )


def _bound_distances(study: ZorziStudy, case: Case, method: str) -> pd.DataFrame:
    rates = study.sizes.loss_rates
    lower = bounds_table(case, rates, method)["lower"]
    upper = bounds_table(case, rates)["upper"]
    return pd.DataFrame(
        {
            "variant": case.variant,
            "window": case.window,
            "channel": case.channel_word,
            "method": method,
            "loss_rate": rates,
            "lower": lower,
            "upper": upper,
            "throughput": study.throughput(case),
            "distance": 1.0 - lower / upper,
        }
    )


def _distance_curves(table: pd.DataFrame, doppler: float | None) -> list[CurveData]:
    here = table[table["channel"] == Case("tahoe", 24, doppler).channel_word]
    return [
        CurveData(
            colour=VARIANT_WORDS[str(variant)],
            line=METHODS[str(method)],
            x=rows["loss_rate"],
            y=100.0 * rows["distance"],
        )
        for (variant, method), rows in here.groupby(["variant", "method"], sort=False)
    ]


@statement(
    name="bounds-tight",
    text="The bounds on the throughput are very tight.",
    where="IV-B, footnote 4",
    rule=f"window 24, both channels, all variants, printed lower bound against upper: {SAME_RULE}",
)
def _judge_printed_tight(table: pd.DataFrame) -> Judgement:
    here = table[table["method"] == "printed"]
    worst = here.groupby("variant", sort=False)["distance"].max()
    low = here[here["loss_rate"] <= 0.01]["distance"].max()
    listed = ", ".join(
        f"{VARIANT_WORDS[str(name)]} {100 * gap:.1f} %" for name, gap in worst.items()
    )
    return Judgement(
        verdict=judge_alike(here["distance"]),
        finding=f"Largest distance: {listed}; up to P_E 0.01 at most {100 * low:.1f} %.",
        numbers={
            **{str(name): float(gap) for name, gap in worst.items()},
            "P_E <= 0.01": float(low),
        },
    )


def oldtahoe_part(study: ZorziStudy) -> Reproduction:
    """All four variants side by side."""
    tables = {case: study.table(case, simulated=False) for case in CASES}
    table = pd.concat(tables.values(), ignore_index=True)
    panels = [
        (title, [_curve(case, tables[case]) for case in CASES if case.doppler == doppler])
        for doppler, title in CHANNELS
    ]
    return Reproduction(
        title="All four variants",
        text="The paper leaves OldTahoe, which finds losses by timeout only, out of its figures."
        " Window 24, exact solution; the upper bound of the embedded analysis is at most"
        f" {above_exact(table):.2g} off it on this grid.",
        table=table,
        figure=study.draw_figure(
            lambda: panels_figure(
                panels,
                xlabel="Packet loss rate",
                ylabel="Throughput (packets per slot)",
                y_range=(0.0, 1.0),
            )
        ),
    )


def _curve(case: Case, table: pd.DataFrame) -> CurveData:
    return CurveData(colour=case.variant_word, x=table["loss_rate"], y=table["throughput"])


@statement(
    name="oldtahoe-inferior",
    text="OldTahoe is significantly inferior to the other variants.",
    where="V",
    rule=f"window 24, both channels, each other variant against OldTahoe: {MUCH_BETTER_RULE}",
    of="study",
)
def _judge_oldtahoe_inferior(study: ZorziStudy) -> Judgement:
    gaps = [
        CasePair(
            case, Case("oldtahoe", 24, case.doppler), f"{case.variant_word}, {case.channel_word}"
        ).gap(study)
        for case in CASES
        if case.variant != "oldtahoe"
    ]
    least = "; ".join(
        f"{gap.label}: {percent(gap.values.min())} at P_E {gap.rates[gap.values.argmin()]:.3g}"
        for gap in gaps
    )
    return Judgement(
        verdict=judge_better(np.concatenate([gap.values for gap in gaps]), ALIKE),
        finding=f"Smallest advantage over OldTahoe: {least}.",
        numbers=extremes_of_gaps(gaps),
    )


def _needs(sizes: ZorziSizes) -> list[Need]:
    return [need for case in CASES for need in solution_needs(case, sizes)]


OLDTAHOE = Part(oldtahoe_part, (_judge_oldtahoe_inferior,), _needs)
BOUNDS = Part(
    bounds_part, (_judge_printed_tight,), lambda sizes: [*_needs(sizes), Need("bounds", COST)]
)
