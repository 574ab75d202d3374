"""The analysis itself: how tight its bounds are, and the variant that the paper leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers._base import ALIKE, Claim, Reproduction, judge_alike, judge_better, percent
from airtcp.papers.zorzi.claims import MUCH_BETTER_RULE, SAME_RULE, Gap
from airtcp.papers.zorzi.study import CORRELATED, VARIANT_WORDS, Case, Study, bounds
from airtcp.plot import Curve, panels_figure

CHANNELS = ((CORRELATED, "$f_dT$ = 0.01"), (None, "i.i.d."))
METHODS = {"printed": "as printed", "tight": "first successes counted"}
COST = 10.0  # of either part, in units of the progress bar


def bounds_part(study: Study) -> Reproduction:
    """The distance of the lower bounds below the upper one."""
    table = pd.concat(
        [
            _distance(study, Case(variant, 24, doppler), method)
            for doppler, _ in CHANNELS
            for variant in VARIANT_WORDS
            for method in METHODS
        ],
        ignore_index=True,
    )
    study.advance("bounds", COST)
    panels = [(title, _distance_curves(table, doppler)) for doppler, title in CHANNELS]
    return Reproduction(
        name="zorzi/bounds",
        title="How tight the bounds are",
        text="Distance of the lower bound below the upper bound of the embedded analysis, which is"
        " within 4e-4 of the exact throughput. The paper's lower bounds count nothing for the run"
        " of successes right after a loss, although those packets are never sent again; counting"
        " them gives the second family.",
        table=table,
        claims=(_printed_tight(table),),
        figure=panels_figure(
            panels,
            xlabel="Packet loss rate",
            ylabel="Lower bound below upper (%)",
        ),
    )


def _distance(study: Study, case: Case, method: str) -> pd.DataFrame:
    rates = study.sizes.loss_rates
    lower = bounds(case, rates, method)["lower"]
    upper = bounds(case, rates)["upper"]
    return pd.DataFrame(
        {
            "variant": case.variant,
            "window": case.window,
            "channel": case.channel_word,
            "method": method,
            "loss_rate": rates,
            "lower": lower,
            "upper": upper,
            "distance": 1.0 - lower / upper,
        }
    )


def _distance_curves(table: pd.DataFrame, doppler: float | None) -> list[Curve]:
    here = table[table["channel"] == Case("tahoe", 24, doppler).channel_word]
    return [
        Curve(
            colour=VARIANT_WORDS[str(variant)],
            line=METHODS[str(method)],
            x=rows["loss_rate"],
            y=100.0 * rows["distance"],
        )
        for (variant, method), rows in here.groupby(["variant", "method"], sort=False)
    ]


def _printed_tight(table: pd.DataFrame) -> Claim:
    here = table[table["method"] == "printed"]
    worst = here.groupby("variant", sort=False)["distance"].max()
    low = here[here["loss_rate"] <= 0.01]["distance"].max()
    listed = ", ".join(
        f"{VARIANT_WORDS[str(name)]} {100 * gap:.1f} %" for name, gap in worst.items()
    )
    return Claim(
        name="bounds-tight",
        text="The bounds on the throughput are very tight.",
        where="IV-B, footnote 4",
        rule=f"window 24, both channels, all variants, printed lower bound against upper:"
        f" {SAME_RULE}",
        verdict=judge_alike(here["distance"]),
        finding=f"Largest distance: {listed}; up to P_E 0.01 at most {100 * low:.1f} %.",
        numbers={
            **{str(name): float(gap) for name, gap in worst.items()},
            "P_E <= 0.01": float(low),
        },
    )


def oldtahoe_part(study: Study) -> Reproduction:
    """All four variants side by side."""
    rates = study.sizes.loss_rates
    cases = [Case(variant, 24, doppler) for doppler, _ in CHANNELS for variant in VARIANT_WORDS]
    throughput = {case: bounds(case, rates) for case in cases}
    study.advance("four variants", COST)
    table = pd.concat([_labelled(case, found) for case, found in throughput.items()])
    panels = [
        (
            title,
            [
                Curve(colour=case.variant_word, x=rates, y=throughput[case]["throughput"])
                for case in cases
                if case.doppler == doppler
            ],
        )
        for doppler, title in CHANNELS
    ]
    return Reproduction(
        name="zorzi/oldtahoe",
        title="All four variants",
        text="The paper leaves OldTahoe, which finds losses by timeout only, out of its figures."
        " Window 24, embedded analysis (within 4e-4 of exact).",
        table=table.reset_index(drop=True),
        claims=(_oldtahoe_inferior(rates, throughput),),
        figure=panels_figure(
            panels,
            xlabel="Packet loss rate",
            ylabel="Throughput (packets per slot)",
            y_range=(0.0, 1.0),
        ),
    )


def _labelled(case: Case, found: pd.DataFrame) -> pd.DataFrame:
    columns = ["variant", "window", "dupacks", "timeout", "loss_rate", "lower", "upper"]
    columns += ["throughput", "transmissions", "timeouts", "fast_retransmits"]
    table = found[columns].copy()
    table["loss_rate"] = found["loss_rate"].round(12)
    table.insert(4, "channel", case.channel_word)
    return table


def _oldtahoe_inferior(
    rates: np.ndarray[tuple[int], np.dtype[np.float64]], found: dict[Case, pd.DataFrame]
) -> Claim:
    gaps = []
    for doppler, _ in CHANNELS:
        old = found[Case("oldtahoe", 24, doppler)]["throughput"].to_numpy()
        for variant in ("tahoe", "reno", "newreno"):
            case = Case(variant, 24, doppler)
            label = f"{case.variant_word}, {case.channel_word}"
            gaps.append(Gap(label, rates, found[case]["throughput"].to_numpy() / old - 1.0))
    values = np.concatenate([gap.values for gap in gaps])
    return Claim(
        name="oldtahoe-inferior",
        text="OldTahoe is significantly inferior to the other variants.",
        where="V",
        rule=f"window 24, both channels, each other variant against OldTahoe: {MUCH_BETTER_RULE}",
        verdict=judge_better(values, ALIKE),
        finding="Smallest advantage over OldTahoe: "
        + "; ".join(
            f"{gap.label}: {percent(gap.values.min())} at P_E {gap.rates[gap.values.argmin()]:.3g}"
            for gap in gaps
        )
        + ".",
        numbers={key: value for gap in gaps for key, value in gap.numbers().items()},
    )
