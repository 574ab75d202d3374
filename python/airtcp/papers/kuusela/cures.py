"""Our own figure: goodput that F-RTO and Eifel regain from spurious timeouts.

The upper limit is the goodput of a timer that never expires, on the same spikes: no cure can give
back the silence of the spike itself.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    Judgement,
    Need,
    Part,
    Reproduction,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.kuusela.drawing import SHARE_UNIT, cures_figure
from airtcp.papers.kuusela.study import (
    PACKET_BITS,
    RATES,
    SPIKES,
    STABLE_INTERVAL,
    KuuselaSizes,
    KuuselaStudy,
    scenario,
)
from airtcp.stats import ratio_of_means

WINDOW = 20
WORDS = {"none": "plain SACK", "f-rto": "F-RTO", "eifel": "Eifel"}
LONG_TIMERS = {"min_rto": "60s", "initial_rto": "60s"}  # longer than any spike
OPTION_BYTES, HEADER_BYTES = 12, 40  # the Timestamps option, padded [RFC 7323 appendix A]
_CURE_GROUPS = ("F-RTO and Eifel", "no timeouts")
_POINT_COLUMNS = ["rate", "spikes_last", "mean_interval"]


def make(study: KuuselaStudy) -> Reproduction:
    """Both detections against plain SACK, by rate and length of spikes."""
    runs = pd.concat([_runs(study, figure, rate) for figure in SPIKES for rate in RATES])
    table = compare_cures(runs)
    return Reproduction(
        title="F-RTO and Eifel against delay spikes",
        text="Not in the paper, which names both as the cure. Profile rfc (SACK, delayed ACKs,"
        f" least timeout 1 s), window {WINDOW}, the spikes of Figs. 3 and 4, without losses. 100 %"
        " is the goodput of a timer that never expires, on the same spikes. Eifel's timestamps take"
        f" {OPTION_BYTES} of the {PACKET_BITS // 8 - HEADER_BYTES} bytes of data in a packet,"
        " spikes or not. `recovered` is the share of what timeouts cost that a detection wins back,"
        " `recovered_net` leaves the bytes of timestamps out of account.",
        table=table,
        figure=study.draw_figure(lambda: cures_figure(table, WORDS)),
        unit=SHARE_UNIT,
    )


def _runs(study: KuuselaStudy, figure: str, rate: int) -> pd.DataFrame:
    sizes, least, most = study.sizes, *SPIKES[figure]

    def simulate(words: str, **tcp: Any) -> pd.DataFrame:
        build = partial(
            scenario,
            rate,
            SPIKES[figure],
            sizes.means,
            time=sizes.time / 2.0,
            profile="rfc",
            window=WINDOW,
            **tcp,
        )
        return study.run(_name(words, figure, rate), build, rate=rate, replications=sizes.runs)

    cured = simulate(_CURE_GROUPS[0], spurious=list(WORDS))
    patient = simulate(_CURE_GROUPS[1], **LONG_TIMERS).assign(spurious="patient")
    together = pd.concat([cured, patient], ignore_index=True)
    return together.assign(spikes_last=f"{least:g} to {most:g} s")


def _name(words: str, figure: str, rate: int) -> str:
    least, most = SPIKES[figure]
    return f"simulate {words}, {least:g} to {most:g} s, {rate // 1000} kbit/s"


def compare_cures(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per point and cure; `share` of the goodput of a timer that never expires."""
    rows = []
    for point, runs_of_point in runs.groupby(_POINT_COLUMNS, sort=False):
        by_cure = {
            cure: runs_of_cure.set_index("replication").sort_index()
            for cure, runs_of_cure in runs_of_point.groupby("spurious")
        }
        for cure in WORDS:
            rows.append(dict(zip(_POINT_COLUMNS, point, strict=True)) | _row(by_cure, cure))
    return pd.DataFrame(rows)


def _row(by_cure: dict[Any, pd.DataFrame], cure: str) -> dict[str, Any]:
    this, plain, best = (by_cure[name]["goodput_bps"] for name in (cure, "none", "patient"))
    ratio = ratio_of_means(this.to_numpy(), best.to_numpy())
    lost = float(best.mean() - plain.mean())
    spikes = float(by_cure[cure]["time"].sum()) / float(by_cure[cure]["mean_interval"].iloc[0])
    option = OPTION_BYTES / (PACKET_BITS / 8 - HEADER_BYTES) if cure == "eifel" else 0.0
    return {
        "spurious": cure,
        "goodput": float(this.mean()),
        "without_timeouts": float(best.mean()),
        "share": ratio.value,
        "low": ratio.low,
        "high": ratio.high,
        "option_share": option,
        "recovered": float(this.mean() - plain.mean()) / lost,
        "recovered_net": (float(this.mean()) / (1.0 - option) - float(plain.mean())) / lost,
        "timeouts_per_spike": float(by_cure[cure]["timeouts"].sum()) / spikes,
        "resent_per_spike": float(by_cure[cure]["resent"].sum()) / spikes,
        "runs": len(this),
    }


def _rows_of_cure(table: pd.DataFrame, cure: str) -> pd.DataFrame:
    return table[(table["spurious"] == cure) & (table["mean_interval"] >= STABLE_INTERVAL)]


@statement(
    name="cures-recover",
    text="F-RTO and Eifel enable TCP to handle delay spikes.",
    where="1",
    rule=f"window {WINDOW}, from E(T) = {STABLE_INTERVAL:g} s: on average each wins back at least"
    " half of what timeouts cost, the bytes of timestamps apart (partly: one of them)",
)
def _judge_recovery(table: pd.DataFrame) -> Judgement:
    means = {
        cure: float(_rows_of_cure(table, cure)["recovered_net"].mean())
        for cure in ("f-rto", "eifel")
    }
    gross = float(_rows_of_cure(table, "eifel")["recovered"].mean())
    good = [mean >= 0.5 for mean in means.values()]
    return Judgement(
        verdict="holds" if all(good) else "partly" if any(good) else "fails",
        finding=f"F-RTO {whole_percent(means['f-rto'])}, Eifel {whole_percent(means['eifel'])} of"
        f" what timeouts cost; Eifel {percent(gross)} if the bytes of its timestamps count.",
        numbers={f"recovered by {cure}": mean for cure, mean in means.items()}
        | {"recovered by eifel, with its bytes": gross},
    )


@statement(
    name="cures-not-all",
    text="Even they cannot remove the effect of delay spikes completely.",
    where="1",
    rule="with each of them goodput stays below that of the link without spikes, at every"
    f" point from E(T) = {STABLE_INTERVAL:g} s",
)
def _judge_not_all(table: pd.DataFrame) -> Judgement:
    cured = table[(table["spurious"] != "none") & (table["mean_interval"] >= STABLE_INTERVAL)]
    free = _free_data_rate(table)
    silent = 1.0 - cured["goodput"] / (
        free[cured["rate"]].to_numpy() * (1.0 - cured["option_share"])
    )
    plain = _rows_of_cure(table, "none")
    timeouts = 1.0 - plain["share"]
    return Judgement(
        verdict="holds" if bool((silent > 0.0).all()) else "fails",
        finding=f"{percent(-silent.max())} to {percent(-silent.min())} against a link without"
        f" spikes: the silence. Timeouts cost plain SACK {percent(-timeouts.max())} to"
        f" {percent(-timeouts.min())} beside it.",
        numbers={"least": float(silent.min()), "most": float(silent.max())},
    )


def _free_data_rate(table: pd.DataFrame) -> pd.Series:
    """The data rate of a busy link, bit/s: packets less their headers."""
    rates = np.unique(table["rate"])
    return pd.Series({rate: rate * (1.0 - 8.0 * HEADER_BYTES / PACKET_BITS) for rate in rates})


@statement(
    name="cures-resend",
    text="A timeout found spurious costs one retransmission per expiry, not the window.",
    where="1; RFC 5682, RFC 4015",
    rule="packets sent again are at most 2 % above the timeouts, at every point from"
    f" E(T) = {STABLE_INTERVAL:g} s",
)
def _judge_retransmissions(table: pd.DataFrame) -> Judgement:
    counts = {cure: _rows_of_cure(table, cure)["resent_per_spike"] for cure in WORDS}
    cured = pd.concat([counts["f-rto"], counts["eifel"]])
    expiries = pd.concat(
        [_rows_of_cure(table, cure)["timeouts_per_spike"] for cure in ("f-rto", "eifel")]
    )
    excess = float((cured / expiries - 1.0).max())
    return Judgement(
        verdict="holds" if excess <= 0.02 else "fails",
        finding=f"Per spike {cured.min():.2f} to {cured.max():.2f}, with plain SACK"
        f" {counts['none'].min():.1f} to {counts['none'].max():.1f}.",
        numbers={"largest excess": excess},
    )


def _needs(_: KuuselaSizes) -> list[Need]:
    combinations = product(_CURE_GROUPS, SPIKES, RATES)
    return [Need(_name(words, figure, rate)) for words, figure, rate in combinations]


PART = Part(make, (_judge_recovery, _judge_not_all, _judge_retransmissions), _needs)
