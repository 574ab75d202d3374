"""ElAarag & Bassiouni (2000): the story of Fig. 5 event by event, the tables, the rules that judge.

Random numbers come from fixed seeds; nothing is retried. Claims are judged on 10 resamples of the
runs, not on the 40 of a reproduction (`few_resamples`): the shares of their verdicts are tenths.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as reference

import airtcp
from airtcp.papers.base import Reproduction
from airtcp.papers.elaarag import compare, fig4, scenarios, study, table1, table2, traces
from airtcp.papers.elaarag.narrative import facts, number_ranges
from airtcp.papers.elaarag.study import (
    CLEAN_TRANSFER_SECONDS,
    SHORT_UP_MEANS,
    VARIANTS,
    WINDOW,
    ElaaragStudy,
    on_off_gate,
    scenario,
    scheduled_gate,
)
from airtcp.plot.style import svg
from campaigns import damage

PARTS = ["table1", "scenarios", "fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8"]
PARTS += ["table2", "table2-pairs"]
UNDRAWN = {"scenarios"}
THIN = study.ElaaragSizes(
    ber=3,
    variants=3,
    scenarios=3,
    curve=3,
    undisturbed=5,
    ups=(1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 20.0),
    traces=1,
    traced=20.0,
)
STORY = {
    "acks_lost": "187-196",
    "packets_lost": "197-233",
    "packets_vanished": "234-236",
    "last_ack": "3.005088",
    "rto": "1.1",
    "silent_until": "4.105",
    "timeout": "4.105088",
    "threshold": "25",
    "window": "1",
    "resent": "187",
    "answer": "196",
    "window_then": "2",
    "sent_then": "197, 198",
    "exponential_to": "25",
    "acks_lost_next": "304-313",
    "packets_lost_next": "314-329",
    "fast_recoveries": "0",
    "congestion_losses": "0",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elaarag")


@pytest.fixture(scope="module")
def whole(folder: Path, few_resamples: None) -> Reproduction:
    return airtcp.reproduce("elaarag", quick=True, seed=1, out=folder)


@pytest.fixture
def thin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study.ElaaragStudy, "QUICK", THIN)


# Figs. 5 to 8


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_number_of_the_story(variant: str) -> None:
    found = facts(traces.run_of_schedule(ElaaragStudy(), variant))
    told = {row.check: row.expected for row in compare.printed_entries("fig5").itertuples()}
    assert told == STORY | {"slow_start": "0-112", "avoidance": "113-235"}
    assert found == STORY | {"slow_start": "0-98", "avoidance": "99-235"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_story_event_by_event(variant: str) -> None:
    rows = traces.run_of_schedule(ElaaragStudy(), variant).to_pandas()
    lost = rows[rows["cause"] == "gate"]
    at = {
        (time, event): row["packet"].tolist()
        for (time, event), row in lost.groupby(["time_ns", "event"], observed=True)
    }
    assert at == {
        (3_000_000_000, "drop"): list(range(197, 234)),
        (3_000_000_000, "ack-drop"): list(range(187, 197)),
        (6_300_000_000, "drop"): list(range(314, 330)),
        (6_300_000_000, "ack-drop"): list(range(304, 314)),
        (9_600_000_000, "drop"): list(range(427, 439)),
        (9_600_000_000, "ack-drop"): list(range(423, 427)),
    }
    quiet = rows[(rows["time"] > 3.0050881) & (rows["time"] < 4.105)]
    assert quiet["event"].tolist() == ["arrive", "arrive"]
    assert quiet["packet"].tolist() == [235, 236]
    sender = rows[rows["event"].isin(["send", "resend", "ack", "timeout"]) & (rows["time"] > 4)]
    assert sender[["event", "packet", "cwnd", "ssthresh"]].head(5).to_numpy().tolist() == [
        ["timeout", 187, 1.0, 25.0],
        ["resend", 187, 1.0, 25.0],
        ["resend", 197, 2.0, 25.0],
        ["resend", 198, 2.0, 25.0],
        ["ack", 196, 2.0, 25.0],
    ]
    timeouts = rows[rows["event"] == "timeout"]
    assert timeouts["time"].round(6).tolist() == [4.105088, 7.101216]
    assert timeouts["ssthresh"].tolist() == [25.0, 14.0]
    assert (
        traces.count_events(traces.run_of_schedule(ElaaragStudy(), variant))["acknowledged"] == 423
    )


def test_the_narrated_losses_need_the_window_as_first_threshold() -> None:
    gate = scheduled_gate([3.0, 3.3])
    events = ElaaragStudy().traces(scenario("tahoe", ssthresh=32, gate=gate, time=4.0), 1)[0]
    dropped = events.columns["packet"][events.rows("drop")]
    assert (dropped.min(), dropped.max()) == (197, 219)


def test_the_phase_of_the_clock_has_room() -> None:
    gate = scheduled_gate([3.0, 3.3])
    late = {}
    for boot in (0.0, 0.0304, 0.0306):
        shifted = scenario("tahoe", ssthresh=WINDOW, gate=gate, time=5.0).replace("tcp.boot", boot)
        late[boot] = facts_of_timeout(shifted)
    assert late[0.0] == late[0.0304] == 4.105088
    assert late[0.0306] != 4.105088


def facts_of_timeout(given: airtcp.Scenario) -> float:
    events = airtcp.trace(given)
    return round(float(events.time[events.rows("timeout")[0]]), 6)


def test_only_outages_of_hundredths_of_a_second_are_found_by_duplicates() -> None:
    for down, fast in ((0.02, 1), (0.03, 0), (0.3, 0)):
        gate = scheduled_gate([3.0, 3.0 + down])
        runs = ElaaragStudy().simulate(scenario(ssthresh=WINDOW, gate=gate, time=10.0)).runs
        assert runs["fast_retransmits"].to_pylist() == [fast]


def test_consecutive_numbers_in_short() -> None:
    assert number_ranges(np.array([3, 1, 2])) == "1-3"
    assert number_ranges(np.array([1, 2])) == "1, 2"
    assert number_ranges(np.array([1, 2, 4])) == "1, 2, 4"
    assert number_ranges(np.array([])) == ""


# Figs. 2, 3 and 4


def test_packets_acknowledged_in_figures_2_and_3() -> None:
    counts = {
        name: traces.count_events(traces.run_of_period(ElaaragStudy(), name))
        for name in ("fig2", "fig3")
    }
    assert [count["acknowledged"] for count in counts.values()] == [22, 403]
    assert [count["timeouts"] for count in counts.values()] == [4, 2]


def test_a_transfer_without_loss() -> None:
    found = ElaaragStudy().runs("clean")
    assert found["transfer_time"].tolist() == pytest.approx([52.290208], abs=1e-6)
    assert CLEAN_TRANSFER_SECONDS == 52.290208
    assert found["goodput"].tolist() == [1.0]


def test_a_flow_past_its_milestone_is_as_good_as_one_without_end() -> None:
    gate = on_off_gate(2.0, 0.2)
    endless = scenario(gate=gate, time=600.0, flow={"milestone": 5000})
    ending = scenario(gate=gate, time=study.ENDLESS_SECONDS, flow=study.flow_until(5000))
    first, second = (
        ElaaragStudy().simulate(given, replications=5).runs["milestone_ns"]
        for given in (endless, ending)
    )
    assert first.to_pylist() == second.to_pylist()


def test_the_first_draw_of_ns() -> None:
    draws = fig4.ns_exponentials()
    first = [next(draws) for _ in range(3)]
    states = [16807, 282475249, 1622650073]  # Park and Miller (1988)
    assert first == pytest.approx([-math.log(state / (2**31 - 1)) for state in states], rel=1e-12)
    assert fig4.first_exponential() == pytest.approx(11.758, abs=5e-4)
    edges = fig4.toggle_times(2.0, 0.3, 30.0)
    assert edges[:2] == pytest.approx([2 * first[0], 2 * first[0] + 0.3 * first[1]])
    assert max(edges) < 30.0


def test_the_constant_transfer_time_is_one_sample_path(whole: Reproduction) -> None:
    path = whole["fig4"].table.set_index(["up", "down"])["one_seed_transfer_time"]
    assert path[4.0, 0.4] == pytest.approx(60.425, abs=1e-3)
    for gate in ((5.0, 0.5), (10.0, 1.0), (20.0, 2.0), (5.0, 2.0)):
        assert path[gate] == pytest.approx(CLEAN_TRANSFER_SECONDS, abs=1e-6)


def test_transfers_that_meet_no_outage_take_the_clean_time() -> None:
    """Two-sided binomial test at level 0.01 on 500 transfers."""
    gate = on_off_gate(20.0, 2.0)
    transfers = scenario(gate=gate, time=study.ENDLESS_SECONDS, flow=study.flow_until(5000))
    runs = ElaaragStudy().simulate(transfers, replications=500).to_pandas()
    same = int((np.abs(runs["transfer_time"] - CLEAN_TRANSFER_SECONDS) < 1e-6).sum())
    assert reference.binomtest(same, 500, math.exp(-CLEAN_TRANSFER_SECONDS / 20.0)).pvalue > 0.01


def test_where_a_curve_reaches_a_height() -> None:
    x, y = np.array([1.0, 4.0, 16.0]), np.array([0.0, 1.0, 3.0])
    assert fig4.crossing(x, y, 2.0) == pytest.approx(8.0)


# Tables 1 and 2


@pytest.fixture(scope="module")
def sized() -> ElaaragStudy:
    """Enough runs to tell, few enough for seconds; seed 1."""
    found = ElaaragStudy()
    found.sizes = study.ElaaragSizes(
        ber=200,
        variants=250,
        scenarios=3,
        curve=3,
        undisturbed=3,
        ups=THIN.ups,
        traces=1,
        traced=20.0,
    )
    return found


def test_table_1_is_that_of_the_reconstruction(sized: ElaaragStudy) -> None:
    """Each mean within 3 standard errors of both; all right, one of six fails in 60 seeds."""
    table = table1.compare_entries(
        {ber: sized.runs(f"ber-{ber}") for ber in study.GOOD_LENGTH_FACTORS}
    )
    known = table.dropna(subset=["reference_z"])
    assert len(table) == 6
    assert len(known) == 5
    assert (known["reference_z"].abs() < 3.0).all()
    last = table[table["reference_z"].isna()].iloc[0]  # printed without its scatter: take ours
    error = last["sd"] * math.sqrt(1 / last["runs"] + 1 / 30)
    assert abs(last["mean"] - last["reference"]) < 3.0 * error
    assert (table["z"].abs() < 3.0).all()


def test_table_2_is_that_of_the_reconstruction(sized: ElaaragStudy) -> None:
    """Means and paired differences within 3 standard errors of both; 90 runs there."""
    runs = table2.measured_runs(sized)
    table = table2.compare_entries(runs)
    known = table.dropna(subset=["reference_z"])
    assert known["variant"].tolist() == list(VARIANTS)
    assert (known["measured"] == "throughput").all()
    assert (known["reference_z"].abs() < 3.0).all()
    pairs = table2.paired_differences(runs).dropna(subset=["reference"])
    assert pairs["other"].tolist() == ["tahoe", "newreno", "sack"]
    theirs = (pairs["reference_high"] - pairs["reference_low"]) / (2 * reference.t.ppf(0.975, 89))
    error = np.hypot(pairs["sd"] / np.sqrt(pairs["runs"]), theirs)
    assert ((pairs["mean"] - pairs["reference"]).abs() < 3.0 * error).all()


def test_all_variants_meet_the_same_outages(sized: ElaaragStudy) -> None:
    wide = table2.measured_runs(sized).pivot_table(
        index="replication", columns="variant", values="throughput"
    )
    assert wide.corr().to_numpy().min() > 0.3


def test_the_three_delays_are_ordered_and_one_is_the_printed(sized: ElaaragStudy) -> None:
    table = table2.compare_entries(table2.measured_runs(sized))
    delays = table[table["quantity"] == "packet_delay"].pivot_table(
        index="variant", columns="measured", values=["mean", "z"]
    )
    mean, z = delays["mean"], delays["z"].abs().max()
    assert (mean["delay_first_arrival"] < mean["delay_own_ack"]).all()
    assert (mean["delay_own_ack"] < mean["delay_cumulative_ack"]).all()
    assert z["delay_own_ack"] < 1.96
    assert z["delay_first_arrival"] > 3.0
    assert z["delay_cumulative_ack"] > 2.5


def test_unfinished_transfers_are_told_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(_: study.ElaaragSizes) -> airtcp.Scenario:
        flow = {"milestone": study.LONG_TRANSFER_PACKETS}
        gate = on_off_gate(*study.ERROR_GAP_MEANS)
        return scenario(VARIANTS, ber="1e-5", gate=gate, time=800.0, flow=flow)

    experiment = study.Experiment(short, lambda sizes: sizes.variants)
    monkeypatch.setitem(study.EXPERIMENTS, "variants", experiment)
    monkeypatch.setattr(study.ElaaragStudy, "QUICK", THIN)
    this = ElaaragStudy(quick=True)
    late = this.runs("variants")["transfer_time"].isna().sum()
    assert 0 < late < 12
    assert table2.measured_runs(this)["transfer_time"].notna().all()
    assert f"{late} of 12 runs did not" in table2.make(this).text


def test_printed_digits_are_kept() -> None:
    table = compare.printed_entries("table2").set_index(["variant", "quantity"])["printed"]
    assert table["tahoe", "goodput"] == "0.91197347"
    assert table["sack", "throughput"] == "10.523125"
    assert compare.printed_entries("table1")["printed"].tolist()[4] == "0.999"
    for name in ("table1", "table2", "pairs", "fig5"):
        assert (
            compare.printed_entries(name).map(lambda cell: isinstance(cell, str)).to_numpy().all()
        )


# Rules


def test_a_printed_run_among_others() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    found = compare.place_of_single_run(5.0, values)
    t = (5.0 - 2.5) / (values.std(ddof=1) * math.sqrt(1.25))
    assert found["z"] == pytest.approx(reference.norm.isf(reference.t.sf(t, 3)))
    assert found["below"] == 1.0
    assert compare.place_of_single_run(2.5, values)["z"] == 0.0
    low, high = reference.t.interval(0.95, 3, 2.5, reference.sem(values))
    assert (found["low"], found["high"]) == pytest.approx((low, high))


def test_a_further_run_is_outside_one_time_in_twenty() -> None:
    """2000 draws of 10 runs and one more; two-sided binomial test at level 0.01."""
    draws = np.random.default_rng(1).normal(size=(2000, 11))
    outside = sum(abs(compare.place_of_single_run(row[0], row[1:])["z"]) > 1.96 for row in draws)
    assert reference.binomtest(outside, 2000, 0.05).pvalue > 0.01


def test_single_runs_are_judged_by_the_farthest() -> None:
    rules = {(0.1, -1.9): "holds", (0.1, -2.5): "partly", (3.5, 0.0): "fails"}
    for z, verdict in rules.items():
        assert compare.judge_single_runs(z) == verdict


def test_the_ratio_of_means_and_its_interval() -> None:
    found = compare.ratio_of_means([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert found == pytest.approx({"ratio": 2.0, "low": 2.0, "high": 2.0})
    found = compare.ratio_of_means([2.0, 4.1, 6.0], [1.1, 2.0, 3.0])
    assert found["low"] < found["ratio"] < found["high"]


def test_the_digits_of_goodput_tell_what_throughput_counts() -> None:
    # 15675 of 17188 packets are sent for the first time; 9.47 x 1600 = 15152 are counted
    assert round(15675 / 17188, 8) == 0.91197347
    assert table2._fitting_excesses("9.47", "0.91197347", (400.0, 800.0)) == [523]
    assert table2._fitting_excesses("9.47", "0.91197347", (0.0, 40.0)) == []


def test_the_window_in_use_averaged_over_time() -> None:
    events = traces.run_of_schedule(ElaaragStudy(), "tahoe").between(2.9, 4.345)
    # 50 of 52.5 in use until the timeout at 4.105, one from then to the ACK at 4.341
    first = float(events.time[events.rows("send", "ack")[0]])
    used = 50.0 * (4.105088 - first) + (4.341403 - 4.105088)
    assert table1.mean_window(events) == pytest.approx(used / (4.341403 - first), rel=1e-5)


def test_scenario_1_is_far_below_scenario_2() -> None:
    this = ElaaragStudy(quick=True)
    table = scenarios.summary(scenarios.measured_runs(this))
    mean = table.set_index(["scenario", "variant", "metric"])["mean"]
    for variant in VARIANTS:
        ratio = (
            mean["scenario 2", variant, "throughput"] / mean["scenario 1", variant, "throughput"]
        )
        assert 4.0 < ratio < 8.0
    assert set(table[table["scenario"] == "scenario 1"]["up"]) == {SHORT_UP_MEANS[0]}


# The whole


def test_all_parts_are_there(whole: Reproduction, folder: Path) -> None:
    assert [part.slug for part in whole.parts] == PARTS
    assert all(len(part.table) and part.title and part.text for part in whole.parts)
    assert {part.slug for part in whole.parts if part.figure is None} == UNDRAWN
    for name in PARTS:
        assert len(pd.read_csv(folder / f"{name}.csv")) == len(whole[name].table)
        assert (folder / f"{name}.svg").exists() == (name not in UNDRAWN)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == len(PARTS) - len(UNDRAWN)
    assert "airtcp reproduce elaarag --quick --seed 1" in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_every_claim_is_judged_by_numbers(whole: Reproduction) -> None:
    names = [claim.name for claim in whole.claims]
    assert len(names) == len(set(names)) == 33
    for claim in whole.claims:
        assert claim.verdict in ("holds", "partly", "fails", "undecided")
        assert claim.numbers
        assert all(math.isfinite(value) for value in claim.numbers.values()), claim.name
        assert re.search(r"\d", claim.finding)
        assert "nan" not in claim.finding, claim.name
        assert claim.rule
        assert claim.where
        assert claim.text.endswith(".")


def test_verdicts_that_no_seed_moves(whole: Reproduction) -> None:
    verdicts = {claim.name: claim.verdict for claim in whole.claims}
    holding = ["ber-throughput", "ber-goodput", "ber-transfer-time", "ber-window"]
    holding += ["link-up-dominates", "disconnections-above-errors", "no-time-to-send"]
    holding += ["long-outages-less-often", "no-fast-recovery", "no-congestion"]
    holding += ["reno-as-tahoe", "newreno-as-tahoe", "sack-as-tahoe", "reno-goodput"]
    assert {verdicts[name] for name in holding} == {"holds"}
    failing = ["bad-length-in-packets", "transfer-time-constant", "threshold-formula"]
    assert {verdicts[name] for name in failing} == {"fails"}
    assert verdicts["fig5-story"] == verdicts["losses-found-by-timeout"] == "partly"


@pytest.mark.parametrize("name", ["fig4", "fig5", "table2-pairs"])
def test_figures_are_drawn_the_same_again(whole: Reproduction, folder: Path, name: str) -> None:
    figure = whole[name].figure
    assert figure is not None
    assert svg(figure) == (folder / f"{name}.svg").read_text(encoding="utf-8")


@pytest.mark.usefixtures("thin")
def test_the_same_numbers_for_any_number_of_jobs_and_after_an_interruption(tmp_path: Path) -> None:
    result = airtcp.reproduce("elaarag/table2", quick=True, jobs=1, out=tmp_path)
    damage(tmp_path / "runs.sqlite", replication=0, rows=3)

    two = airtcp.reproduce("elaarag/table2", quick=True, jobs=2, out=tmp_path)
    pd.testing.assert_frame_equal(result.table, two.table)


@pytest.mark.usefixtures("thin")
def test_progress_runs_to_its_total() -> None:
    seen: list[tuple[float, float]] = []
    airtcp.reproduce(
        "elaarag", quick=True, progress=lambda what, done, total: seen.append((done, total))
    )
    done = [so_far for so_far, _ in seen]
    assert done == sorted(done)
    assert len({total for _, total in seen}) == 1  # known from the start
    assert seen[-1][0] == pytest.approx(seen[-1][1])
