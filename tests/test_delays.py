"""Quantiles of delays: of a run beside those of every packet in its trace, exact and by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp
from airtcp import _native
from airtcp.cli.main import main
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import metric_of_whole_runs
from airtcp.support.format import short_mean_with_interval

SEED = 7
BUCKET = 1 / 128  # how far a quantile may be off, relative
HOP = {"rate": "5Mbps", "delay": "20ms", "queue": 40}
ARQ = {"fragment": "500B", "attempts": 5}
SPIKES = {
    "kind": "spikes",
    "interval": {"kind": "exponential", "mean": "4s"},
    "duration": {"kind": "fixed", "value": "0.8s"},
}
PATHS: dict[str, list[dict[str, Any]]] = {
    "queue": [HOP],
    "losses": [HOP | {"channel": {"kind": "iid", "loss_rate": 0.02}}],
    "two hops": [HOP | {"rate": "20Mbps"}, HOP],
    "outages": [HOP | {"gate": {"kind": "on-off", "up": "2s", "down": "0.5s"}}],
    "spikes": [HOP | {"gate": SPIKES}],
    "arq": [HOP | {"channel": {"kind": "iid", "loss_rate": 0.2}, "arq": ARQ}],
    "reordering": [HOP | {"jitter": {"kind": "exponential", "mean": "5ms"}, "reorder": True}],
}


def scenario(hops: list[dict[str, Any]], **stop: Any) -> airtcp.Scenario:
    """Two flows of which one starts later, for 20 s."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": hops},
        "flow": [{}, {"start": "3s"}],
        "stop": {"time": "20s", "replications": 1} | stop,
    }
    return airtcp.Scenario.from_dict(document)


def delays(which: airtcp.Scenario, flow: int) -> tuple[Any, Any]:
    """When each packet arrived for the first time, and how long after its first sending; in ns."""
    events = airtcp.trace(which, seed=SEED).to_pandas()
    events = events[events["flow"] == flow]
    sent = events[events["event"] == "send"].groupby("packet")["time_ns"].first()
    at_end = (events["event"] == "arrive") & (
        events["node"] == len(which.points()[0].data["path"]["hop"])
    )
    arrived = events[at_end].groupby("packet")["time_ns"].first()
    return arrived.to_numpy(), (arrived - sent[arrived.index]).to_numpy()


def exact(values: Any, share: float) -> float:
    """The least value that a share of all values do not exceed."""
    return float(np.quantile(values, share, method="inverted_cdf"))


@pytest.mark.parametrize("name", PATHS)
def test_quantiles_are_those_of_the_trace(name: str) -> None:
    which = scenario(PATHS[name])
    runs = airtcp.simulate(which, seed=SEED).to_pandas()
    for flow in (0, 1):
        (row,) = runs[runs["flow"] == flow].to_dict("records")
        _, times = delays(which, flow)
        assert row["first_arrivals"] == len(times) > 500
        assert row["first_arrival_ns"] == times.sum()
        assert row["delay_median"] == pytest.approx(exact(times, 0.5) / 1e9, rel=BUCKET)
        assert row["delay_p95"] == pytest.approx(exact(times, 0.95) / 1e9, rel=BUCKET)


@pytest.mark.parametrize("name", PATHS)
def test_queueing_is_what_comes_on_top_of_the_least_delay(name: str) -> None:
    which = scenario(PATHS[name], warmup="5s")
    runs = airtcp.simulate(which, seed=SEED).to_pandas()
    for flow in (0, 1):
        (row,) = runs[runs["flow"] == flow].to_dict("records")
        arrived, times = delays(which, flow)
        assert row["delay_least_ns"] == times.min()  # also of what arrived in the warm-up
        counted = times[arrived >= 5e9]
        for metric, share in (("queueing_median", 0.5), ("queueing_p95", 0.95)):
            expected = (exact(counted, share) - times.min()) / 1e9
            assert row[metric] == pytest.approx(expected, abs=BUCKET * exact(counted, share) / 1e9)


def test_queueing_by_hand() -> None:
    # 1500 bytes in a millisecond, forty at once: they wait for 0, 1, ..., 39 ms. Half of them wait
    # for no more than 19 ms, and 38 for no more than 37.
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "packet": "1500B", "initial_window": 40},
        "path": {"hop": [{"rate": "12Mbps", "delay": "10ms"}]},
        "flow": [{"packets": 40}],
        "stop": {"time": "1s", "replications": 1},
    }
    (row,) = airtcp.simulate(document).to_pandas().to_dict("records")
    assert row["delay_least_ns"] == 11_000_000
    assert row["queueing_median"] == pytest.approx(19e-3, abs=BUCKET * 30e-3)
    assert row["queueing_p95"] == pytest.approx(37e-3, abs=BUCKET * 48e-3)


def test_the_scenarios_have_what_they_are_named_for() -> None:
    """Delays that spread, and packets that overtake each other."""
    spread = {name: np.ptp(delays(scenario(hops), 0)[1]) for name, hops in PATHS.items()}
    assert min(spread.values()) > 20e6
    arrived, _ = delays(scenario(PATHS["reordering"]), 0)
    assert (np.diff(arrived) < 0).any()


def test_parts_have_their_own_and_together_those_of_the_whole() -> None:
    which = scenario(PATHS["losses"], warmup="5s", batches=3)
    (point,) = which.points()
    runs = airtcp.simulate(which, seed=SEED).to_pandas()
    arrived, times = delays(which, 0)
    for part, begin in enumerate((5e9, 10e9, 15e9)):
        within = times[(arrived >= begin) & (arrived < begin + 5e9)]
        (row,) = runs[(runs["flow"] == 0) & (runs["batch"] == part)].to_dict("records")
        assert row["delay_p95"] == pytest.approx(exact(within, 0.95) / 1e9, rel=BUCKET)
        assert row["delay_least_ns"] == times[arrived < begin + 5e9].min()
    counts = [counted(point)]
    queueing = metric_of_whole_runs(point, layout_of(point), counts, "queueing_p95")[0, 0]
    expected = exact(times[arrived >= 5e9], 0.95)
    assert queueing == pytest.approx((expected - times.min()) / 1e9, abs=BUCKET * expected / 1e9)
    for metric, share in (("delay_median", 0.5), ("delay_p95", 0.95)):
        values = metric_of_whole_runs(point, layout_of(point), counts, metric)
        expected = exact(times[arrived >= 5e9], share) / 1e9
        assert values[0, 0] == pytest.approx(expected, rel=BUCKET)


def counted(point: Any) -> bytes:
    """The counts of the first run of a point."""
    runner = _native.Runner(1)
    runner.submit(0, point.compiled, SEED, [0])
    try:
        return runner.wait()[0][2]
    finally:
        runner.close()


def test_where_nothing_arrived_there_is_no_delay() -> None:
    runs = airtcp.simulate(scenario([HOP], time="10ms"), seed=SEED).to_pandas()
    assert runs[["delay_median", "delay_p95"]].isna().all(axis=None)
    assert (runs["delay_median_ns"] == -1).all()


def test_numbers_are_shortened_without_claiming_more() -> None:
    assert short_mean_with_interval(22.31397, 0.00624) == "22.31 ± 0.01"
    assert short_mean_with_interval(0.0312, 0.012) == "0.031 ± 0.012"
    assert short_mean_with_interval(1234567.0, 4.2) == "1234567 ± 4"
    assert (
        short_mean_with_interval(14.1811, 0.2617) == "14.18 ± 0.26"
    )  # as estimates([..]) of a page
    assert short_mean_with_interval(189.818, math.nan, exact=True) == "189.8 exact"
    assert short_mean_with_interval(0.0, 0.5) == "0.00 ± 0.50"
    assert short_mean_with_interval(math.nan, 0.1) == "-"


def test_a_table_of_a_path_has_its_usual_columns_in_80_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = str(tmp_path / "out")
    document = scenario(PATHS["losses"], time="5s", replications=2).to_dict()
    document |= {"tcp": {"variant": ["newreno", "sack"]}, "flow": [{}]}
    file = tmp_path / "s.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    for command in (["run", str(file), "--out", out], ["results", out]):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert max(len(line) for line in lines if not line.startswith("Report:")) <= 80
        head = next(i for i, line in enumerate(lines) if line.startswith("variant"))
        said = f"{lines[head - 1]} {lines[head]}"
        for name in ("goodput", "delay", "delay p95", "resent", "timeouts", "(Mbit/s)", "(ms)"):
            assert name in said, said
    ranked = CliRunner().invoke(
        main, ["results", out, "--rank", "variant", "--metric", "delay_p95"]
    )
    assert "low values first" in ranked.stdout
