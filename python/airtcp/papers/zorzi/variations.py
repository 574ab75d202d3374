"""Effects that the analysis leaves out, simulated: delayed and lost ACKs, inflation, SACK.

Every variation meets the same losses as the ideal case (same seed, same channel), so changes are
taken run by run and their intervals are narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

import airtcp
from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Need,
    Part,
    Reproduction,
    Statement,
    judge_alike,
    percent,
    whole_percent,
)
from airtcp.papers.zorzi.study import (
    CORRELATED_DOPPLER,
    TIMEOUT,
    VARIANT_WORDS,
    ZorziSizes,
    ZorziStudy,
    channel_table,
)
from airtcp.plot.style import LEVEL, CurveData, panels_figure
from airtcp.stats import grouped_means

VARIANTS = ("tahoe", "reno", "newreno")
WINDOWS = (6, 24)
CHANNELS = ((CORRELATED_DOPPLER, "$f_dT$ = 0.01"), (None, "i.i.d."))
IDEAL = "ideal"
SETTING_KEYS: dict[str, dict[str, Any]] = {
    IDEAL: {},
    "delay-1": {"ack": {"delay": 1}},
    "delay-2": {"ack": {"delay": 2}},
    "loss-0.01": {"ack": {"loss_rate": 0.01}},
    "inflation": {"tcp": {"inflation": True}},
    "sack": {"tcp": {"variant": "sack"}},  # against NewReno
}
TITLES = {
    "delay-1": "ACKs 1 slot late",
    "delay-2": "ACKs 2 slots late",
    "loss-0.01": "1 % of ACKs lost",
    "inflation": "New packets during recovery",
    "sack": "SACK in place of NewReno",
}
COST = 30.0  # of one setting, in units of the progress bar
CHANGE_UNIT = ("%", 0.01)  # of changes, and the share that makes one
_POINT_COLUMNS = ["tcp.variant", "tcp.window", "channel.doppler", "channel.loss_rate"]


def feedback_part(study: ZorziStudy) -> Reproduction:
    """ACK delay and ACK loss against ideal feedback."""
    table = throughput_changes(study, ("delay-1", "delay-2", "loss-0.01"), VARIANTS)
    return Reproduction(
        title="Delayed and lost ACKs",
        text="Relative change of the simulated throughput when ACKs arrive late or are lost"
        " independently, against instant and loss-free ACKs on the same losses.",
        table=table,
        figure=study.draw_figure(lambda: _figure(table, ("delay-2", "loss-0.01"))),
        unit=CHANGE_UNIT,
    )


def inflation_part(study: ZorziStudy) -> Reproduction:
    """Real window inflation: fast recovery sends new packets."""
    table = throughput_changes(study, ("inflation",), ("reno", "newreno"))
    largest = table.loc[table["change"].abs().idxmax()]
    return Reproduction(
        title="Window inflation during recovery",
        text="Section II describes how each duplicate ACK inflates Reno's window, but the analysed"
        " Reno and NewReno send nothing new during recovery. Relative change of the simulated"
        " throughput when they do, on the same losses; the largest is"
        f" {percent(largest['change'])} ({VARIANT_WORDS[largest['variant']]}, window"
        f" {largest['window']}, {largest['channel']}, P_E {largest['loss_rate']:g}).",
        table=table,
        figure=study.draw_figure(lambda: _figure(table, ("inflation",))),
        unit=CHANGE_UNIT,
    )


def sack_part(study: ZorziStudy) -> Reproduction:
    """SACK against NewReno."""
    table = throughput_changes(study, ("sack",), ("newreno",))
    return Reproduction(
        title="SACK",
        text="The paper says of SACK only that it equals NewReno under instant feedback. Idealised"
        " in the same way, it resends every hole that is reported, one per slot, and sends nothing"
        " new during recovery. It differs from NewReno only once a retransmission is lost: it goes"
        " on with the other holes. Relative change of the simulated throughput, on the same"
        " losses.",
        table=table,
        figure=study.draw_figure(lambda: _figure(table, ("sack",))),
        unit=CHANGE_UNIT,
    )


def throughput_changes(
    study: ZorziStudy, settings: Iterable[str], variants: tuple[str, ...]
) -> pd.DataFrame:
    """Relative change of throughput by setting and point, with 95 % intervals, paired by run."""
    ideal = _throughput(study, IDEAL).rename(columns={"throughput": "throughput_ideal"})
    tables = []
    for setting in settings:
        varied = _throughput(study, setting).rename(index={"sack": "newreno"}, level="tcp.variant")
        pairs = ideal.join(varied)
        table = _paired_differences(pairs)
        table.insert(0, "setting", setting)
        tables.append(table)
    together = pd.concat(tables, ignore_index=True)
    return together[together["variant"].isin(variants)].reset_index(drop=True)


def _paired_differences(pairs: pd.DataFrame) -> pd.DataFrame:
    grouped = pairs.groupby(level=_POINT_COLUMNS, sort=False)
    found = grouped_means(pairs["throughput"] - pairs["throughput_ideal"], grouped.ngroup())
    ideal = grouped["throughput_ideal"].mean()
    table = pd.DataFrame(
        {
            "ideal": ideal,
            "throughput": grouped["throughput"].mean(),
            "change": found["mean"] / ideal,
            "change_low": found["low"] / ideal,
            "change_high": found["high"] / ideal,
            "replications": found["n"],
        }
    ).reset_index()
    table = table.rename(columns={name: name.partition(".")[2] for name in _POINT_COLUMNS})
    table["doppler"] = table["doppler"].replace(0.0, np.nan)
    words = table["doppler"].map(lambda doppler: f"f_dT = {doppler:g}", na_action="ignore")
    table.insert(3, "channel", words.fillna("i.i.d."))
    return table


def _throughput(study: ZorziStudy, setting: str) -> pd.DataFrame:
    """Throughput of each run, indexed by point and replication (f_dT 0 stands for i.i.d.)."""
    name, words = f"variation-{setting}", f"simulate {setting}"
    return study.compute_once(name, lambda: _run(study, setting), words=words, cost=COST)


def _run(study: ZorziStudy, setting: str) -> pd.DataFrame:
    scenario = _scenario(study, SETTING_KEYS[setting])
    result = study.simulate(scenario, replications=study.sizes.replications)
    runs = result.to_pandas()
    runs["channel.doppler"] = runs["channel.doppler"].astype(float).fillna(0.0)
    return runs.set_index([*_POINT_COLUMNS, "replication"])[["throughput"]]


def _scenario(study: ZorziStudy, setting: dict[str, Any]) -> airtcp.Scenario:
    tcp = {"variant": list(VARIANTS), "window": list(WINDOWS), "timeout": TIMEOUT}
    document = {
        "profile": "zorzi",
        "tcp": tcp | setting.get("tcp", {}),
        "channel": [
            channel_table(doppler, rate)
            for doppler, _ in CHANNELS
            for rate in study.sizes.variation_rates
        ],
        "stop": {"slots": study.sizes.variation_slots},
    }
    if "ack" in setting:
        document["ack"] = setting["ack"]
    return airtcp.Scenario.from_dict(document)


def _figure(table: pd.DataFrame, settings: tuple[str, ...]) -> Any:
    panels = [
        (f"{TITLES[setting]}, window {window}", _curves(table, setting, window))
        for setting in settings
        for window in WINDOWS
    ]
    return panels_figure(
        panels,
        xlabel="Packet loss rate",
        ylabel=f"Change of throughput ({CHANGE_UNIT[0]})",
        zero=True,
    )


def _curves(table: pd.DataFrame, setting: str, window: int) -> list[CurveData]:
    here = table[(table["setting"] == setting) & (table["window"] == window)]
    lines = {"i.i.d.": "i.i.d.", f"f_dT = {CORRELATED_DOPPLER:g}": CHANNELS[0][1]}
    groups = list(here.groupby(["variant", "channel"], sort=False))
    curves = []
    for index, ((variant, channel), rows) in enumerate(groups):
        apart = 1.06 ** (index - 0.5 * (len(groups) - 1))  # so that intervals stand side by side
        curves.append(
            CurveData(
                colour=VARIANT_WORDS[str(variant)],
                line=lines[str(channel)],
                x=apart * rows["loss_rate"],
                y=rows["change"] / CHANGE_UNIT[1],
                points_x=apart * rows["loss_rate"],
                points=rows["change"] / CHANGE_UNIT[1],
                points_low=rows["change_low"] / CHANGE_UNIT[1],
                points_high=rows["change_high"] / CHANGE_UNIT[1],
            )
        )
    return curves


def _no_difference_statement(
    setting: str, *, name: str, text: str, where: str, variants: str
) -> Statement:
    return Statement(
        name=name,
        text=text,
        where=where,
        rule=f"the change of throughput is nowhere beyond {whole_percent(ALIKE)} (partly:"
        f" {whole_percent(NEARLY)}) with its whole {LEVEL} interval: {variants}, windows 6 and 24,"
        " f_dT 0.01 and i.i.d., four loss rates",
        judge=lambda table: _judge_no_difference(
            table[table["setting"] == setting], TITLES[setting]
        ),
    )


def _judge_no_difference(here: pd.DataFrame, title: str) -> Judgement:
    row = here.loc[here["change"].abs().idxmax()]
    low = here.loc[here[here["loss_rate"] <= 0.01]["change"].abs().idxmax()]
    shown = np.maximum(np.maximum(here["change_low"], -here["change_high"]), 0.0)
    return Judgement(
        verdict=judge_alike(shown),
        finding=f"{title}: the largest change is {percent(row['change'])}"
        f" ({LEVEL} interval {percent(row['change_low'])} to {percent(row['change_high'])};"
        f" {VARIANT_WORDS[row['variant']]}, window {row['window']}, {row['channel']},"
        f" P_E {row['loss_rate']:g}); up to P_E 0.01 it is {percent(low['change'])}.",
        numbers={
            "largest change": float(row["change"]),
            "low": float(row["change_low"]),
            "high": float(row["change_high"]),
            "shown": float(shown.max()),
            "largest up to P_E 0.01": float(low["change"]),
        },
    )


_DELAYED_STATEMENT = _no_difference_statement(
    "delay-2",
    name="ack-delay",
    text="ACK delays of up to 2 slots make essentially no difference.",
    where="III; V",
    variants="Tahoe, Reno, NewReno",
)
_LOST_ACK_STATEMENT = _no_difference_statement(
    "loss-0.01",
    name="ack-loss",
    text="ACK loss rates of up to 0.01 make essentially no difference.",
    where="III; V",
    variants="Tahoe, Reno, NewReno",
)
_SACK_STATEMENT = _no_difference_statement(
    "sack",
    name="sack-equals-newreno",
    text="Under instant feedback SACK and NewReno behave identically.",
    where="V",
    variants="NewReno",
)


def _needs(*settings: str) -> Callable[[ZorziSizes], list[Need]]:
    return lambda _: [Need(f"variation-{setting}", COST) for setting in (IDEAL, *settings)]


FEEDBACK = Part(
    feedback_part,
    (_DELAYED_STATEMENT, _LOST_ACK_STATEMENT),
    _needs("delay-1", "delay-2", "loss-0.01"),
)
INFLATION = Part(inflation_part, needs=_needs("inflation"))
SACK = Part(sack_part, (_SACK_STATEMENT,), _needs("sack"))
