"""Figs. 2, 3 and 5 to 8: single runs of 10 s, packet by packet; no random numbers are in them.

[elaarag reading, section 9] supplies the facts that the text of the paper leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import airtcp
from airtcp.papers.base import Judgement, Need, Part, Reproduction, Statement, statement
from airtcp.papers.elaarag.compare import RECONSTRUCTION_NOTE, printed_entries
from airtcp.papers.elaarag.drawing import trace_figure
from airtcp.papers.elaarag.narrative import facts
from airtcp.papers.elaarag.study import (
    ERROR_GAP_MEANS,
    LONG_UP_MEANS,
    SHORT_UP_MEANS,
    SSTHRESH,
    VARIANTS,
    WINDOW,
    WORDS,
    ElaaragStudy,
    on_off_gate,
    scenario,
    scheduled_gate,
)

DURATION = 10.0  # s
OUTAGES = ((3.0, 3.3), (6.3, 6.6), (9.6, 9.9))  # s, Figs. 5 to 8
FIGURES = {"fig5": "tahoe", "fig6": "reno", "fig7": "newreno", "fig8": "sack"}
_FOUR_TRACES = "trace four variants"
PERIODS = {"fig2": SHORT_UP_MEANS, "fig3": LONG_UP_MEANS}


def outages_of(up: float, down: float) -> list[tuple[float, float]]:
    """Times (s) at which a link that goes up and down for fixed times is down."""
    begins = np.arange(up, DURATION, up + down)
    return [(float(begin), float(begin + down)) for begin in begins]


def run_of_schedule(study: ElaaragStudy, variant: str) -> airtcp.Events:
    """The run of Figs. 5 to 8."""
    gate = scheduled_gate([edge for outage in OUTAGES for edge in outage])
    outage_scenario = scenario(variant, ssthresh=WINDOW, gate=gate, time=DURATION)
    return study.compute_once(("scheduled", variant), lambda: study.traces(outage_scenario, 1)[0])


def run_of_period(study: ElaaragStudy, figure: str, ssthresh: int = WINDOW) -> airtcp.Events:
    """The run of Fig. 2 or 3."""
    up, down = PERIODS[figure]
    gate = {"kind": "periodic", "up": f"{up:g}s", "down": f"{down:g}s", "loses": "all"}
    gate_scenario = scenario("reno", ssthresh=ssthresh, gate=gate, time=DURATION)
    return study.compute_once(
        ("periodic", figure, ssthresh), lambda: study.traces(gate_scenario, 1)[0]
    )


def count_events(events: airtcp.Events) -> dict[str, int]:
    """Counts of the events in a run."""
    packet = events.columns["packet"]
    sizes = {kind: len(events.rows(kind)) for kind in ("send", "resend", "drop", "ack-drop")}
    acked = packet[events.rows("ack")].max(initial=-1) + 1
    return {
        "acknowledged": int(acked),
        "sent": sizes["send"] + sizes["resend"],
        "sent again": sizes["resend"],
        "packets lost": sizes["drop"],
        "ACKs lost": sizes["ack-drop"],
        "timeouts": len(events.rows("timeout")),
    }


@dataclass(frozen=True)
class PeriodicFigure:
    """Fig. 2 or 3."""

    name: str
    words: str
    statement: Statement

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        return Part(self._make, (self.statement,))

    def _make(self, study: ElaaragStudy) -> Reproduction:
        """Draw and count."""
        up, down = PERIODS[self.name]
        return Reproduction(
            title=f"Fig. {self.name[3:]}: Reno, up {up:g} s and down {down:g} s in turn",
            text=f"{self.words} The initial ssthresh is the window, 50, as in Figs. 5 to 8; the"
            " table has 32 too, as in the tables of the paper.",
            table=_count_periodic(study),
            figure=study.draw_figure(
                lambda: trace_figure(
                    run_of_period(study, self.name), outages_of(up, down), DURATION
                )
            ),
        )


def _count_periodic(study: ElaaragStudy) -> pd.DataFrame:
    rows = [
        {"figure": name, "up": gate[0], "down": gate[1], "ssthresh": ssthresh}
        | count_events(run_of_period(study, name, ssthresh))
        for name, gate in PERIODS.items()
        for ssthresh in (WINDOW, SSTHRESH)
    ]
    return pd.DataFrame(rows)


@statement(
    name="no-time-to-send",
    text="Up for 1 s at a time, the sender cannot open its window and gets few packets through,"
    " though it is down for a short time only.",
    where="4, Fig. 2",
    rule="at most a tenth of the packets that are acknowledged with 5 s and 2 s",
    of="study",
)
def _judge_no_time(study: ElaaragStudy) -> Judgement:
    short, long = (count_events(run_of_period(study, name)) for name in PERIODS)
    return Judgement(
        verdict="holds" if 10 * short["acknowledged"] <= long["acknowledged"] else "fails",
        finding=f"{short['acknowledged']} packets acknowledged in 10 s, against"
        f" {long['acknowledged']}; {short['timeouts']} timeouts, {short['sent again']} of"
        f" {short['sent']} packets sent again.",
        numbers={f"{key}, up 1 s": float(value) for key, value in short.items()},
    )


@statement(
    name="long-outages-less-often",
    text="Down for 2 s at a time but up for 5 s, the sender gets more packets through, for it"
    " is interrupted less often.",
    where="4, Fig. 3",
    rule="more packets acknowledged and fewer timeouts than with 1 s and 0.1 s",
    of="study",
)
def _judge_long_time(study: ElaaragStudy) -> Judgement:
    short, long = (count_events(run_of_period(study, name)) for name in PERIODS)
    return Judgement(
        verdict="holds"
        if long["acknowledged"] > short["acknowledged"] and long["timeouts"] < short["timeouts"]
        else "fails",
        finding=f"{long['acknowledged']} packets acknowledged in 10 s with {long['timeouts']}"
        f" timeouts, against {short['acknowledged']} with {short['timeouts']}.",
        numbers={f"{key}, up 5 s": float(value) for key, value in long.items()},
    )


@dataclass(frozen=True)
class ScheduledFigure:
    """One of Figs. 5 to 8."""

    name: str

    @property
    def variant(self) -> str:
        """The variant of the figure."""
        return FIGURES[self.name]

    @property
    def part(self) -> Part:
        """The part of the paper, with the statements about it."""
        if self.name == "fig5":
            statements = (_judge_story, _judge_halved, _judge_not_congestion)
            return Part(self._make, statements, lambda _: [Need(_FOUR_TRACES)])
        same = _same_as_tahoe_statement(self)
        return Part(self._make, (same, _judge_no_recovery) if self.name == "fig6" else (same,))

    def _make(self, study: ElaaragStudy) -> Reproduction:
        """Draw, and check every number in the paper's account of the run."""
        events = run_of_schedule(study, self.variant)
        table = narrative_table(events)
        right = int(table["agrees"].sum())
        return Reproduction(
            title=f"Fig. {self.name[3:]}: {WORDS[self.variant]} and three disconnections",
            text=f"{WORDS[self.variant]} without bit errors; the link is down from 3.0 to 3.3, from"
            f" 6.3 to 6.6 and from 9.6 to 9.9 s. {right} of {len(table)} numbers of the story that"
            " the paper tells of Fig. 5 are those of this run; a column says which are in its text"
            f" and which come from an independent reconstruction.{RECONSTRUCTION_NOTE}",
            table=table,
            figure=study.draw_figure(lambda: trace_figure(events, OUTAGES, DURATION)),
        )


def narrative_table(events: airtcp.Events) -> pd.DataFrame:
    """Events that the paper and a reconstruction state, and events of a run."""
    facts_found = facts(events)
    table = printed_entries("fig5")
    table["found"] = [facts_found[check] for check in table["check"]]
    table["agrees"] = table["found"] == table["expected"]
    return table


@statement(
    name="fig5-story",
    text="The story of Fig. 5: what is sent, lost, sent again and acknowledged, and when.",
    where="4, Fig. 5",
    rule="every number of the text is that of the run (partly: at least half of them)",
)
def _judge_story(table: pd.DataFrame) -> Judgement:
    told_rows = table[table["source"] == "text"].set_index("check")
    wrong = told_rows[~told_rows["agrees"]]
    listed = "; ".join(
        f"{row.what}: {row.expected} told, {row.found} found" for row in wrong.itertuples()
    )
    return Judgement(
        verdict="holds"
        if wrong.empty
        else "partly"
        if 2 * len(wrong) <= len(told_rows)
        else "fails",
        finding=f"{len(told_rows) - len(wrong)} of {len(told_rows)} agree"
        f" ({listed or 'no exception'}). The"
        " text counts whole rounds of slow start, 1 + 2 + 4 + 8 + 16 + 32 + 50 = 113 packets, but"
        " the window grows with every ACK and reaches 50 in the middle of the last round.",
        numbers={
            "numbers in the text": float(len(told_rows)),
            "agree": float(told_rows["agrees"].sum()),
        },
    )


@statement(
    name="threshold-formula",
    text="At the timeout ssthresh becomes max(min(cwnd, window), 2).",
    where="4, Fig. 5",
    rule="the formula gives the ssthresh of the run, with cwnd 52.7 and window 50",
)
def _judge_halved(table: pd.DataFrame) -> Judgement:
    threshold = float(table.set_index("check").loc["threshold", "found"])
    return Judgement(
        verdict="holds" if threshold == WINDOW else "fails",
        finding=f"The formula gives {WINDOW}, the run has {threshold:g}, as the text says further"
        " on: half of min(cwnd, window), at least 2.",
        numbers={"ssthresh": threshold, "formula": float(WINDOW)},
    )


def _traces_words(study: ElaaragStudy) -> str:
    return (
        "no loss in a queue in the runs of Figs. 2, 3 and 5 to 8 and in"
        f" {4 * study.sizes.traces} runs of Table 2 (partly: less than 0.1 % of the losses)"
    )


@statement(
    name="no-congestion",
    text="Packets and ACKs are lost by disconnection or bit errors, not by congestion.",
    where="Abstract; 3; 5",
    rule=_traces_words,
    of="study",
)
def _judge_not_congestion(study: ElaaragStudy) -> Judgement:
    runs = [run_of_schedule(study, variant) for variant in VARIANTS]
    runs += [run_of_period(study, name) for name in PERIODS]
    for variant in VARIANTS:
        error_scenario = scenario(
            variant, ber="1e-5", gate=on_off_gate(*ERROR_GAP_MEANS), time=study.sizes.traced
        )
        runs += study.traces(error_scenario, study.sizes.traces)
    study.advance(_FOUR_TRACES)
    causes = pd.concat([_loss_causes(events) for events in runs]).groupby(level=0).sum()
    queue = int(causes.get("queue", 0))
    share = queue / float(causes.sum())
    listed = ", ".join(f"{int(causes[name])} by the {name}" for name in causes.index)
    return Judgement(
        verdict="holds" if not queue else "partly" if share < 1e-3 else "fails",
        finding=f"Lost: {listed}.",
        numbers={"queue": float(queue)}
        | {str(name): float(number) for name, number in causes.items()},
    )


def _loss_causes(events: airtcp.Events) -> pd.Series:
    lost = events.columns["cause"][events.rows("drop", "ack-drop")]
    names = {1: "queue", 2: "channel", 3: "gate", 4: "forced"}
    return pd.Series([names[int(cause)] for cause in lost], dtype=object).value_counts()


def _same_as_tahoe_statement(figure: ScheduledFigure) -> Statement:
    return Statement(
        name=f"{figure.variant}-as-tahoe",
        text=f"With disconnections alone {WORDS[figure.variant]} behaves like Tahoe.",
        where=f"4, Fig. {figure.name[3:]}; 5",
        rule="every event of the run, with its time and the sender's state, is that of Tahoe"
        " (partly: as many packets are acknowledged)",
        judge=lambda study: _judge_same(
            run_of_schedule(study, figure.variant), run_of_schedule(study, "tahoe")
        ),
        of="study",
    )


def _judge_same(events: airtcp.Events, tahoe: airtcp.Events) -> Judgement:
    same = len(events) == len(tahoe) and all(
        np.array_equal(column, tahoe.columns[name], equal_nan=column.dtype.kind == "f")
        for name, column in events.columns.items()
    )
    acked, of_tahoe = (count_events(trace)["acknowledged"] for trace in (events, tahoe))
    return Judgement(
        verdict="holds" if same else "partly" if acked == of_tahoe else "fails",
        finding=f"{'All' if same else 'Not all'} of {len(events)} events are the same;"
        f" {acked} and {of_tahoe} packets acknowledged.",
        numbers={"events": float(len(events)), "same": float(same)},
    )


@statement(
    name="no-fast-recovery",
    text="Reno, NewReno and SACK do not execute fast recovery: no duplicate ACKs arrive, so"
    " they wait for the timer.",
    where="4, Figs. 6 to 8",
    rule="no fast retransmission in the runs of Figs. 6 to 8",
    of="study",
)
def _judge_no_recovery(study: ElaaragStudy) -> Judgement:
    variants = VARIANTS[1:]
    counts_found: dict[str, Any] = {
        WORDS[variant]: int(facts(run_of_schedule(study, variant))["fast_recoveries"])
        for variant in variants
    }
    timeouts = count_events(run_of_schedule(study, "reno"))["timeouts"]
    return Judgement(
        verdict="holds" if not any(counts_found.values()) else "fails",
        finding="; ".join(f"{word}: {number}" for word, number in counts_found.items())
        + f"; {timeouts} timeouts in each.",
        numbers={
            f"fast retransmissions of {word}": float(number)
            for word, number in counts_found.items()
        },
    )


PERIODIC = {
    "fig2": PeriodicFigure(
        "fig2",
        "The link is up 91 % of the time, but never long enough for a window.",
        _judge_no_time,
    ),
    "fig3": PeriodicFigure(
        "fig3", "The link is up 71 % of the time, for 5 s at a stretch.", _judge_long_time
    ),
}
SCHEDULED = {name: ScheduledFigure(name) for name in FIGURES}
