"""Transformations that may not change an answer, over random scenarios of every kind.

Each relation makes of a scenario another one, or of a command another call, that means the same.
Under plain `pytest` a few scenarios are played, under `make fuzz` (`AIRTCP_METAMORPHIC`) many.
Planted faults at the end show that the relations find what they are for.
"""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import airtcp as at
import metamorphic
from airtcp.errors import InputError
from airtcp.metrics.parts import JOIN_RULES
from airtcp.reading import grouping, point_summary, rows
from airtcp.simulation import contests

NUMBER = int(os.environ.get("AIRTCP_METAMORPHIC", "0"))
SEEDS = range(NUMBER or 2)
Document = dict[str, Any]
LABELS = {"scenario", "case", "flow_tcp"}


def runs(document: Document, **options: Any) -> pd.DataFrame:
    return at.simulate(document, **options).to_pandas()


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """Counts of runs, without names of points and coordinates."""
    known = [name for name in table if "." not in name and name not in LABELS]
    return table[known].reset_index(drop=True)


def same(first: pd.DataFrame, second: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(counts(first), counts(second), check_like=True)


def changed(document: Document, **keys: Any) -> Document:
    return copy.deepcopy(document) | keys


def on_path(seed: int, **only: str) -> Document:
    return metamorphic.scenario(seed, **{"profile": "rfc"} | only)


# Other ways to write a scenario


def spelled(value: Any) -> Any:
    """Quantities in other units, numbers as they are."""
    if isinstance(value, dict):
        return {key: spelled(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [spelled(element) for element in value]
    if isinstance(value, str):
        for unit, other, factor in (("ms", "us", 1000), ("Mbps", "kbps", 1000), ("kB", "B", 1000)):
            digits = value.removesuffix(unit)
            if value.endswith(unit) and digits.isdecimal():
                return f"{int(digits) * factor}{other}"
    return value


def units(document: Document) -> None:
    same(runs(document), runs(spelled(document)))


def defaults(document: Document) -> None:
    point = at.Scenario.from_dict(document).points()[0]
    again = at.Scenario.from_dict(point.data)
    assert again.points()[0].hash == point.hash
    same(runs(document), at.simulate(again).to_pandas())


def names(document: Document) -> None:
    if "path" not in document:
        return
    named = changed(document, title="Another title")
    for number, hop in enumerate(named["path"]["hop"]):
        hop |= {"near": f"n{number}", "far": f"n{number + 1}"}
    same(runs(document), runs(named))
    case = changed(document, case=[{"name": "a case", "tcp": document["tcp"]}])
    same(runs(document), runs(case))


def separate(document: Document) -> None:
    """`count` against as many tables."""
    for key in ("flow", "traffic"):
        tables = document.get(key)
        if not tables:
            continue
        counted = [*tables[:-1], tables[-1] | {"count": 2}]
        apart = [*tables, tables[-1]]
        same(runs(changed(document, **{key: counted})), runs(changed(document, **{key: apart})))


# Order


def by_point(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    rest = [name for name in ("replication", "batch", "flow") if name in table]
    ordered = table.sort_values([*keys, *rest], kind="stable").reset_index(drop=True)
    return ordered[sorted(ordered.columns)]


def axes(document: Document) -> None:
    """Axes in another order, and their values."""
    tcp = document["tcp"]
    key = "congestion" if "congestion" in tcp else "variant"
    values = ["reno", "cubic"] if key == "congestion" else ["reno", "newreno"]
    if document["profile"] == "bsd":
        values = ["reno", "tahoe"]
    windows = {} if key == "congestion" else {"window": [8, 16]}
    rest = {name: value for name, value in tcp.items() if name not in ("window", key, "congestion")}
    first = changed(document, tcp={key: values} | windows | rest)
    back = {name: given[::-1] for name, given in windows.items()}
    second = changed(document, tcp=back | {key: values[::-1]} | rest)
    keys = [f"tcp.{name}" for name in (key, *windows)]
    found = [by_point(runs(form), keys) for form in (first, second)]
    pd.testing.assert_frame_equal(*found)


def cases(document: Document) -> None:
    windows = [8, 16] if document["profile"] != "linux" else ["20kB", "40kB"]
    given = [{"name": f"window {window}", "tcp": {"window": window}} for window in windows]
    first, second = (runs(changed(document, case=order)) for order in (given, given[::-1]))
    pd.testing.assert_frame_equal(by_point(first, ["case"]), by_point(second, ["case"]))


def without_chance(document: Document) -> bool:
    return not at.Scenario.from_dict(document).points()[0].is_random


def apart_in_time(seed: int) -> Document:
    """Flows and cross-traffic at times of their own, over hops in which nothing is random."""
    draw = random.Random(seed)
    growths = draw.sample(["reno", "cubic", "veno", "hybla"], 3)
    flows = [
        {"start": f"{13 * n}ms", "access_delay": f"{n}ms", "tcp": {"congestion": growth}}
        for n, growth in enumerate(growths)
    ]
    traffic = [
        {"rate": "90kbps", "packet": "210B", "start": "5ms"},
        {"rate": "70kbps", "packet": "170B", "start": "9ms", "end": "2s"},
    ]
    queue = draw.choice([15, {"kind": "codel", "packets": 40}, {"kind": "head-drop", "packets": 9}])
    hops = [
        {"near": "a", "far": "b", "rate": "3Mbps", "delay": "3ms", "queue": 40},
        {"near": "b", "far": "c", "rate": "1.7Mbps", "delay": "7ms", "queue": queue},
    ]
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": draw.choice([20, 60])},
        "path": {"hop": hops},
        "flow": [flow | {"sender": "a", "receiver": "c"} for flow in flows],
        "traffic": [source | {"sender": "a", "receiver": "c"} for source in traffic],
        "stop": {"time": "5s"},
    }


def by_number(table: pd.DataFrame, key: str, order: list[int]) -> pd.DataFrame:
    """Rows in an order of their numbers, numbered anew."""
    rows = [
        table[table[key] == number].assign(**{key: place}) for place, number in enumerate(order)
    ]
    return pd.concat(rows, ignore_index=True)


def flows(document: Document) -> None:
    order = [2, 0, 1]
    turned = changed(document, flow=[document["flow"][number] for number in order])
    same(by_number(runs(document), "flow", order), runs(turned))


def traffic(document: Document) -> None:
    turned = changed(document, traffic=document["traffic"][::-1])
    first, second = (at.simulate(form, links=True) for form in (document, turned))
    same(first.to_pandas(), second.to_pandas())
    same(by_number(first.traffic, "source", [1, 0]), second.traffic)


def hops(document: Document) -> None:
    turned = changed(document, path={"hop": document["path"]["hop"][::-1]})
    same(runs(document), runs(turned))


def mirror(document: Document) -> None:
    """Both ends of every hop and of every flow change places."""
    hops = [
        {
            "near": hop["far"],
            "far": hop["near"],
            "rate": hop["rate"],
            "delay": hop["delay"],
            "queue": hop["queue"],
        }
        for hop in document["path"]["hop"]
    ]
    same(runs(document), runs(changed(document, path={"hop": hops})))


def scaled(value: Any, factor: int) -> Any:
    """Everything takes so many times as long."""
    if isinstance(value, dict):
        return {key: scaled(entry, factor) for key, entry in value.items()}
    if isinstance(value, list):
        return [scaled(element, factor) for element in value]
    if isinstance(value, str):
        for unit in ("kbps", "Mbps", "ms", "s"):
            number = value.removesuffix(unit)
            if value.endswith(unit) and number.replace(".", "").isdecimal():
                times = 1 / factor if unit.endswith("bps") else factor
                return f"{float(number) * times:.9g}{unit}"
    return value


TIMERS = {"min_rto": "200ms", "max_rto": "20s", "initial_rto": "1s", "delayed_ack": "100ms"}


def time(document: Document) -> None:
    """Counts of packets do not know how long a second is; CUBIC does."""
    known = {key: value for key, value in TIMERS.items() if key in at.spec.RfcTcp.__annotations__}
    slow = [
        {key: value for key, value in flow.items() if key != "tcp"} for flow in document["flow"]
    ]
    base = changed(document, tcp=document["tcp"] | known, flow=slow)
    base["path"]["hop"][1]["queue"] = 15
    first, second = runs(base), runs(scaled(base, 4))
    columns = ["sent", "resent", "acked", "deliveries", "timeouts", "fast_retransmits"]
    pd.testing.assert_frame_equal(first[columns], second[columns])
    np.testing.assert_allclose(first["goodput_bps"], 4 * second["goodput_bps"], rtol=1e-6)


# Ways to compute and to read


def jobs(document: Document) -> None:
    same(runs(document, jobs=1), runs(document, jobs=3))


def resumed(document: Document, folder: Any) -> None:
    journal = folder / "runs.sqlite"
    at.simulate(document, replications=2, journal=journal)
    again = at.simulate(document, replications=4, journal=journal).to_pandas()
    same(runs(document, replications=4), again)


def read_back(document: Document, folder: Any) -> None:
    swept = at.sweep(document, out=folder / "sweep")
    same(runs(document), swept.to_pandas())
    first, second = at.simulate(document).summary(), swept.summary()
    for name in (name for name in second if name in first and second[name].dtype.kind == "f"):
        np.testing.assert_allclose(second[name], first[name], rtol=1e-9, atol=1e-12)


def additive(table: pd.DataFrame) -> list[str]:
    """Counts that add up over parts."""
    return [name for name in table if name in JOIN_RULES and JOIN_RULES[name][0] == "sum"]


def in_parts(document: Document, parts: int) -> Document:
    return changed(document, stop=document["stop"] | {"batches": parts})


def sums(document: Document) -> None:
    whole, parts = runs(document), runs(in_parts(document, 4))
    keys = [name for name in ("replication", "flow") if name in parts]
    added = parts.groupby(keys)[additive(whole)].sum().to_numpy()
    np.testing.assert_array_equal(added, whole.sort_values(keys)[additive(whole)].to_numpy())


def warm_ups(document: Document) -> None:
    """After a warm-up, the second half of the whole counts."""
    stop = document["stop"]
    half = stop["slots"] // 2 if "slots" in stop else "2s"
    later = runs(changed(document, stop=stop | {"warmup": half}))
    parts = runs(in_parts(document, 2))
    second = parts[parts["batch"] == 1]
    known = additive(later)
    np.testing.assert_array_equal(second[known].to_numpy(), later[known].to_numpy())


def parts_are_no_runs(document: Document) -> None:
    """With several replications, parts change no mean, interval or number of values."""
    if without_chance(document):  # of the one run the parts are the values
        return
    first, second = (at.simulate(form).summary() for form in (document, in_parts(document, 4)))
    metric = "throughput" if "throughput" in first else "goodput_bps"
    columns = [metric, f"{metric}_sd", f"{metric}_high", "replications"]
    np.testing.assert_allclose(second[columns], first[columns], rtol=1e-9)


def parts_change_no_ranking(document: Document, folder: Any) -> None:
    """Nor a summary of a folder."""
    made = growths(document, ["reno", "cubic", "vegas"])
    found = [
        at.sweep(form, out=folder / str(place))
        for place, form in enumerate((made, in_parts(made, 4)))
    ]
    ranks = [result.rank("goodput_bps", "congestion") for result in found]
    pd.testing.assert_frame_equal(*ranks, rtol=1e-9)
    columns = ["n", "goodput_bps", "goodput_bps_low", "goodput_bps_high"]
    means = [result.summary("goodput_bps", by="congestion")[columns] for result in found]
    pd.testing.assert_frame_equal(*means, rtol=1e-9)


def parts_change_no_verdict(document: Document) -> None:
    made = changed(document, channel={"kind": "iid", "loss_rate": [0.005, 0.02]})
    found = [at.run(form).verdicts for form in (made, in_parts(made, 4))]
    pd.testing.assert_frame_equal(*found, rtol=1e-6, check_exact=False)


def parts_change_no_timeseries(document: Document) -> None:
    first, second = (at.timeseries(form, width=1.0) for form in (document, in_parts(document, 8)))
    for name in ("rates", "fairness", "links"):
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name))


# Commands that compare


LINK = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 100},
    "path": {"hop": [{"rate": "4Mbps", "delay": "10ms", "queue": 30}]},
    "stop": {"time": "4s", "replications": 3},
}
LOSSY = LINK["path"]["hop"][0] | {"channel": {"kind": "iid", "loss_rate": 0.01}}


def lossy(seed: int) -> Document:
    draw = random.Random(seed)
    hop = LOSSY | {"delay": f"{draw.randint(5, 25)}ms", "queue": draw.choice([10, 30])}
    return changed(LINK, path={"hop": [hop]})


def contest(document: Document) -> None:
    variants = ["reno", "cubic", "vegas"]
    columns = ["share", "share_low", "p", "fairness", "harm", "goodput_bps", "delay_median"]
    keys = ["variant", "rival"]
    found = [
        at.contest(document, order).table.set_index(keys).sort_index()[columns]
        for order in (variants, variants[::-1])
    ]
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)
    own = found[0]["share"].loc[[(variant, variant) for variant in sorted(variants)]]
    assert (own == 0.5).all()
    shares = found[0]["share"].unstack()
    np.testing.assert_allclose(shares + shares.T, 1.0, rtol=1e-12)


def growths(document: Document, values: list[str]) -> Document:
    return changed(document, tcp=document["tcp"] | {"congestion": values})


def rank(document: Document, folder: Any) -> None:
    values = ["reno", "cubic", "vegas"]
    tables = [
        at.sweep(growths(document, order), out=folder / str(place)).rank(
            "goodput_bps", "congestion"
        )
        for place, order in enumerate((values, values[::-1]))
    ]
    first, second = (table.sort_values("tcp.congestion").reset_index(drop=True) for table in tables)
    pd.testing.assert_frame_equal(first, second)


def plot(document: Document, folder: Any) -> None:
    values = ["reno", "cubic"]
    swept = [
        at.sweep(
            changed(
                growths(document, order), path={"hop": [LOSSY | {"delay": ["5ms", "20ms"][::n]}]}
            ),
            out=folder / str(n),
        )
        for order, n in ((values, 1), (values[::-1], -1))
    ]
    lines = [
        sorted(
            tuple(np.round(np.nan_to_num(np.asarray(line.get_ydata(), float), nan=-1.0), 9))
            for line in found.plot("goodput_bps", "delay", by="congestion").axes[0].get_lines()
        )
        for found in swept
    ]
    assert lines[0] == lines[1]


def verdicts(document: Document) -> None:
    rates = [0.005, 0.02]
    tables = []
    for order in (rates, rates[::-1]):
        channel = {"kind": "iid", "loss_rate": order}
        made = changed(document, channel=channel)
        tables.append(at.run(made).verdicts)
    key = "channel.loss_rate"
    first, second = (table.sort_values([key, "metric"]).reset_index(drop=True) for table in tables)
    pd.testing.assert_frame_equal(first, second)


def advise(document: Document) -> None:
    values = ["reno", "vegas", "hybla"]
    found = [
        at.advise(document, "goodput", over={"tcp.congestion": order}, most=12)
        for order in (values, values[::-1])
    ]
    best = [sorted(map(str, advice.best)) for advice in found]
    assert best[0] == best[1]


def by_flow(document: Document, folder: Any) -> None:
    """A mean by number is that of one flow, or refused; one by TCP is that of flows of this TCP."""
    flow = [{"count": [1, 2]}, {"tcp": {"congestion": "cubic"}, "start": "100ms"}]
    found = at.sweep(changed(document, flow=flow), out=folder / "flows")
    table = found.to_pandas()
    try:
        means = found.summary("goodput_bps", by="flow")
    except InputError:
        means = found.summary("goodput_bps", by="flow_tcp")
        cubic = means[means["flow_tcp"].str.contains("cubic")]["goodput_bps"]
    else:
        cubic = means[means["flow"] == 1]["goodput_bps"]
    mine = table[table["flow"] == table["flow[0].count"]]
    assert cubic.iloc[0] == pytest.approx(mine["goodput_bps"].mean())


OF_ANY: list[Callable[[Document], None]] = [
    units,
    defaults,
    names,
    separate,
    axes,
    jobs,
    sums,
    warm_ups,
    parts_are_no_runs,
]
OF_ANY_KEPT: list[Callable[[Document, Any], None]] = [resumed, read_back]
WITHOUT_CHANCE = [flows, traffic, hops, mirror, time]


@pytest.mark.parametrize("relation", OF_ANY)
@pytest.mark.parametrize("seed", SEEDS)
def test_relations_of_any_scenario(relation: Callable[[Document], None], seed: int) -> None:
    document = metamorphic.scenario(100 * seed + OF_ANY.index(relation))
    relation(document)


@pytest.mark.parametrize("relation", OF_ANY_KEPT)
@pytest.mark.parametrize("seed", SEEDS)
def test_relations_of_kept_runs(
    relation: Callable[[Document, Any], None], seed: int, tmp_path: Any
) -> None:
    relation(metamorphic.scenario(100 * seed + 50 + OF_ANY_KEPT.index(relation)), tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_profile_workload_channel_queue_and_gate(seed: int) -> None:
    relations = [units, defaults, names, separate, axes, sums, warm_ups, parts_are_no_runs]
    every = list(metamorphic.every_kind(seed))
    chosen = relations if NUMBER else [relations[seed], relations[5 + seed]]
    for place, document in enumerate(every):
        for relation in chosen if NUMBER else [chosen[place % 2]]:
            relation(document)


def test_the_guide_has_every_kind() -> None:
    for page, names_of_kinds in metamorphic.kinds().items():
        assert set(names_of_kinds) == set(metamorphic.examples(page))


@pytest.mark.parametrize("relation", WITHOUT_CHANCE)
@pytest.mark.parametrize("seed", SEEDS)
def test_relations_without_chance(relation: Callable[[Document], None], seed: int) -> None:
    document = apart_in_time(seed)
    assert without_chance(document)
    relation(document)


@pytest.mark.parametrize("seed", SEEDS)
def test_cases_in_another_order(seed: int) -> None:
    cases(metamorphic.scenario(seed + 7, profile=["rfc", "linux", "bsd"][seed % 3]))


@pytest.mark.parametrize("seed", SEEDS)
def test_contests_do_not_know_the_order_of_variants(seed: int) -> None:
    contest(lossy(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_change_nothing_that_compares(seed: int, tmp_path: Any) -> None:
    parts_change_no_ranking(lossy(seed), tmp_path)
    parts_change_no_verdict(metamorphic.scenario(seed, profile="zorzi", channel="iid"))
    parts_change_no_timeseries(lossy(seed))


@pytest.mark.parametrize("relation", [rank, plot, by_flow])
@pytest.mark.parametrize("seed", SEEDS)
def test_results_do_not_know_the_order_of_values(
    relation: Callable[[Document, Any], None], seed: int, tmp_path: Any
) -> None:
    relation(lossy(seed), tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_do_not_know_the_order_of_points(seed: int) -> None:
    verdicts(metamorphic.scenario(seed, profile="zorzi", channel="iid"))


@pytest.mark.parametrize("seed", SEEDS)
def test_advice_does_not_know_the_order_of_choices(seed: int) -> None:
    advise(lossy(seed))


# Planted faults


def test_a_variant_that_starts_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = contests.ContestPair.from_both_orders.__func__
    second_later = classmethod(lambda cls, ahead, behind: plain(cls, ahead, _turned(ahead)))
    monkeypatch.setattr(contests.ContestPair, "from_both_orders", second_later)
    with pytest.raises(AssertionError):
        contest(lossy(0))


def _turned(ahead: Any) -> Any:
    """The meeting from the other side, without playing it."""
    return contests.MeetingRuns(
        ahead.goodputs[::-1], ahead.medians[::-1], ahead.p95[::-1], ahead.jain, ahead.utilisation
    )


def test_a_part_taken_for_a_run_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    single_parts = lambda layout, runs: [1] * (layout.batches * runs * layout.flows)  # noqa: E731
    monkeypatch.setattr(point_summary, "_parts_per_value", single_parts)
    with pytest.raises(AssertionError):
        parts_are_no_runs(lossy(0))
    with pytest.raises(AssertionError):
        parts_change_no_verdict(metamorphic.scenario(0, profile="zorzi", channel="iid"))


def test_a_part_of_a_folder_taken_for_a_run_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(rows.ResultRows, "_starts", None)
    with pytest.raises(AssertionError):
        parts_change_no_ranking(lossy(0), tmp_path)


def test_a_flow_told_by_its_number_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(grouping, "_refuse_mixed_groups", lambda *_: None)
    with pytest.raises(AssertionError):
        by_flow(lossy(0), tmp_path)
