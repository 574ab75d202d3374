"""Means of ratios, transfers that are left unfinished, and ends of intervals."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.metrics.ratios import linearised_ratio
from airtcp.stats import ratio_of_means

HOP = {"rate": "2Mbps", "delay": "30ms", "queue": 30}
LOSSY = HOP | {"channel": {"kind": "iid", "loss_rate": 0.05}}
FEW = {  # runs of few packets: some deliver many more than others
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 40},
    "path": {"hop": [LOSSY]},
    "stop": {"time": "1s", "replications": 60},
}
PAGES = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 100},
    "path": {"hop": [HOP]},
    "flow": [
        {
            "arrivals": {"kind": "exponential", "mean": "1s"},
            "sizes": {"kind": "pareto", "shape": 1.2, "mean": "100kB"},
        }
    ],
    "stop": {"time": "20s", "replications": 20},
}


def test_values_about_a_ratio_have_its_mean_and_the_classical_interval():
    random = np.random.default_rng(1)
    below = random.poisson(20, 40).astype(float)
    above = below * 1.05 + random.poisson(2, 40)
    group = np.repeat([0, 1], 20)
    values = linearised_ratio(above, below, group)
    for number in (0, 1):
        mine = group == number
        expected = ratio_of_means(above[mine], below[mine])
        found = at.stats.grouped_means(values[mine], np.zeros(20, int))
        assert found["mean"][0] == pytest.approx(expected.value, rel=1e-12)
        assert found["low"][0] == pytest.approx(expected.low, rel=1e-9)
    nothing = linearised_ratio([0.0, 3.0], [0.0, 2.0], np.array([0, 0]))
    assert nothing.mean() == pytest.approx(1.5)  # a run without any is no run with a NaN


def test_what_is_counted_above_nothing_counts_in_a_ratio():
    # Wherever anything arrives, everything does.
    values = linearised_ratio([10.0, 10.0, 5.0], [10.0, 10.0, 0.0], np.array([0, 0, 0]))
    assert values.mean() == pytest.approx(1.25)
    hop = HOP | {"channel": {"kind": "burst", "loss_rate": 0.3, "mean_burst": 1e6}}
    document = FEW | {"path": {"hop": [hop]}, "flow": [{"packets": 8}], "stop": {"time": "20s"}}
    result = at.simulate(document, replications=8)
    runs, row = result.to_pandas(), result.summary().iloc[0]
    assert set(runs["deliveries"]) == {0, 8}
    metric = "transmissions_per_delivery"
    assert row[metric] == pytest.approx(runs["sent"].sum() / runs["deliveries"].sum(), rel=1e-12)
    assert row[f"{metric}_sd"] > 0.0
    delivered = runs[runs["deliveries"] > 0]
    assert row["overhead"] > delivered["overhead"].mean() + 0.1


def test_ratios_of_counts_are_ratios_of_means(tmp_path):
    result = at.simulate(FEW)
    runs = result.to_pandas()
    expected = runs["sent"].sum() / runs["deliveries"].sum()
    of_runs = (runs["sent"] / runs["deliveries"]).mean()
    assert abs(of_runs / expected - 1.0) > 0.001
    swept = at.sweep(FEW, out=tmp_path)
    for table in (result.summary(), swept.summary("transmissions_per_delivery")):
        assert table["transmissions_per_delivery"][0] == pytest.approx(expected, rel=1e-12)
    medians = swept.summary("transmissions_per_delivery", estimate="median")
    assert medians["transmissions_per_delivery"][0] == pytest.approx(
        (runs["sent"] / runs["deliveries"]).median()
    )


def test_transfers_are_pooled_over_runs():
    result = at.simulate(PAGES)
    runs, row = result.to_pandas(), result.summary().iloc[0]
    assert (runs["transfers_long"] == 0).any()  # some runs have none
    assert (runs["transfers_long"] > 0).any()
    for size in ("100k", "long"):
        total = runs[f"completion_{size}_ns"].sum() / runs[f"transfers_{size}"].sum() / 1e9
        assert row[f"completion_{size}"] == pytest.approx(total, rel=1e-12)
    there = runs["completion_long_p95"].dropna().to_numpy()
    assert len(there) < len(runs)
    assert row["completion_long_p95"] == np.inf == there.max()  # one run left its only one
    short = runs["completion_1m_p95"].dropna().to_numpy()
    assert row["completion_1m_p95"] == np.mean(short)


def unfinished(runs):
    return sum(runs[f"unfinished_{size}"] for size in ("10k", "100k", "1m", "long"))


def complete(runs):
    return sum(runs[f"transfers_{size}"] for size in ("10k", "100k", "1m", "long"))


def test_transfers_under_way_are_counted_and_take_longest():
    # A transfer each second of 500 kB over 2 Mbit/s: two seconds each, so that half of them wait.
    fixed = {
        "arrivals": {"kind": "fixed", "value": "1s"},
        "sizes": {"kind": "fixed", "value": "500kB"},
    }
    runs = at.simulate(PAGES | {"flow": [fixed]}).to_pandas()
    assert (unfinished(runs) + complete(runs) == 20).all()
    assert np.isinf(runs["completion_p95"]).all()
    share = unfinished(runs).sum() / (unfinished(runs) + complete(runs)).sum()
    row = at.simulate(PAGES | {"flow": [fixed]}).summary().iloc[0]
    assert row["unfinished_share"] == pytest.approx(share)
    assert share > 0.3
    slow = at.simulate(PAGES | {"flow": [fixed], "stop": {"time": "400s"}}).summary().iloc[0]
    assert slow["completion_mean"] > row["completion_mean"]  # the longer the run, the longer


def test_medians_with_unfinished_transfers_are_those_of_longer_runs():
    # Of what begins in the first half all is counted in a run of ten times the length. Medians of
    # what is complete in the short run are too short by a third.
    sizes = {"kind": "fixed", "value": "100kB"}
    first = {"arrivals": {"kind": "fixed", "value": "200ms"}, "sizes": sizes}
    runs = at.simulate(PAGES | {"flow": [first], "stop": {"time": "10s"}}).to_pandas()
    mean = runs["completion_mean"][0]
    assert unfinished(runs)[0] > 0.3 * complete(runs)[0]
    assert runs["completion_median"][0] > 1.2 * mean


@pytest.mark.parametrize("parts", [1, 4])
def test_parts_have_the_transfers_of_the_whole(parts):
    whole = at.simulate(PAGES).summary().iloc[0]
    stop = PAGES["stop"] | {"batches": parts}
    found = at.simulate(PAGES | {"stop": stop}).summary().iloc[0]
    for metric in ("completion_mean", "completion_median", "completion_p95", "unfinished_share"):
        assert found[metric] == pytest.approx(whole[metric], nan_ok=True)


def test_the_share_of_unfinished_transfers_stands_beside_completion_times(tmp_path):
    file = tmp_path / "pages.json"
    file.write_text(json.dumps(PAGES))
    out = tmp_path / "out"
    shown = ["--metric", "completion_mean", "--metric", "completion_p95"]
    shown += ["--metric", "completion_long"]
    run = CliRunner().invoke
    for text in (
        run(main, ["run", str(file), "--out", str(out), *shown]).output,
        run(main, ["results", str(out), *shown]).output,
    ):
        assert "unfinished" in text
        assert "Means are of completed transfers only" in text
        assert "Quantiles count unfinished transfers as longer" in " ".join(text.split())
        assert "their mean over runs is infinite (inf) if that of one run is" in " ".join(
            text.split()
        )
    table = json.loads(run(main, ["results", str(out), *shown, "--format", "json"]).output)
    assert "unfinished_share_long" in table["rows"][0]


def test_a_median_of_runs_counts_those_that_did_not_end_as_longest(tmp_path):
    flow = {"size": "100kB"}
    stop = {"time": "1.5s", "replications": 31}
    document = FEW | {"flow": [flow], "stop": stop, "path": {"hop": [LOSSY]}}
    found = at.sweep(document, out=tmp_path)
    ended = found.to_pandas()["transfer_time"]
    assert 0 < ended.isna().sum() < 15
    row = found.summary("transfer_time", estimate="median")["transfer_time"][0]
    assert row == ended.fillna(np.inf).median()
    file = tmp_path / "transfer.json"
    file.write_text(json.dumps(document))
    said = CliRunner().invoke(main, ["run", str(file), "--metric", "transfer_time"]).output
    assert f"{ended.isna().sum()} of 31 times are unknown" in " ".join(said.split())
    longer = at.simulate(document | {"stop": stop | {"time": "60s"}}).to_pandas()["transfer_time"]
    assert row == pytest.approx(longer.median())


def test_no_interval_reaches_below_0(tmp_path):
    rare = FEW | {"stop": {"time": "3s", "replications": 10}}
    rare = rare | {"path": {"hop": [HOP | {"channel": {"kind": "iid", "loss_rate": 0.04}}]}}
    for table in (at.simulate(rare).summary(), at.sweep(rare, out=tmp_path).summary()):
        lows = table[[name for name in table if name.endswith("_low")]]
        assert (lows.fillna(0.0) >= 0.0).all(axis=None)
        assert (lows["timeouts_low"] == 0.0).all()
        half = table["timeouts_high"] - table["timeouts"]
        assert (half > table["timeouts"]).all()  # the other half is as wide as it was


@pytest.mark.parametrize(
    "nothing",
    [
        {"jitter": {"kind": "fixed", "value": "0ms"}},
        {"jitter": {"kind": "uniform", "min": "0ms", "max": "0ms"}},
        {"duplicate": 0},
        {"exit": {"kind": "iid", "loss_rate": 0}},
        {"back": {"channel": {"kind": "iid", "loss_rate": 0}}},
        {"back": {"exit": {"kind": "iid", "loss_rate": 0.0}, "duplicate": 0}},
        {"back": {"jitter": {"kind": "fixed", "value": "0s"}}},
    ],
)
@pytest.mark.parametrize("hop", [LOSSY, LOSSY | {"slotted": True, "queue": 100}])
def test_what_does_nothing_changes_no_formula(nothing, hop):
    other = at.Scenario.from_dict(FEW | {"path": {"hop": [hop | nothing]}})
    plain = at.analyse(FEW | {"path": {"hop": [hop]}})
    assert len(plain)
    keys = ["model", "throughput_pps", "within_range", "remark"]
    found = at.analyse(other)
    assert found[keys].equals(plain[keys])


@pytest.mark.parametrize("start", ["7ms", "2.6s", "3.2s"])
def test_rates_of_parts_of_one_run_have_the_mean_of_the_run(start, tmp_path):
    """A flow that begins in the middle of a part, or after some of them, has a mean all the same:
    it had none, for a part without time has no rate."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 60},
        "path": {"hop": [{"rate": "6Mbps", "delay": "20ms", "queue": 30}]},
        "flow": [{}, {"start": start}],
        "stop": {"time": "5s", "batches": 10, "replications": 1},
    }
    whole = at.simulate({**document, "stop": {"time": "5s", "replications": 1}}).summary()
    swept = at.sweep(document, tmp_path / "sweep")
    for parts in (at.simulate(document).summary(), swept.summary(["goodput_bps"])):
        assert list(parts["goodput_bps"]) == pytest.approx(list(whole["goodput_bps"]), rel=1e-12)
        assert (parts["goodput_bps_high"] > parts["goodput_bps"]).all()
