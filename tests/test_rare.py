"""Means that hang on few runs say so, and no search for a precision stops at them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import airtcp as at
from airtcp.cli.main import main
from airtcp.stats import Precision, grouped_means, mean_intervals
from airtcp.stats.rare import carrier_count, grouped_carriers
from modules import module

MEANS = 2000  # per law and size
known_values = module("known_values")


@pytest.fixture(scope="module")
def times() -> np.ndarray:
    return known_values.transfer_times()


def flagged_and_covered(rows: np.ndarray, mean: float) -> tuple[np.ndarray, np.ndarray]:
    starts = np.arange(len(rows)) * rows.shape[1]
    flagged = ~np.isnan(grouped_carriers(rows.ravel(), starts))
    found = mean_intervals(rows)
    return flagged, (found["low"] <= mean) & (mean <= found["high"])


@pytest.mark.parametrize("runs", [3, 5, 10, 30, 60, 100, 300])
def test_normal_values_are_rarely_marked(runs: int) -> None:
    """In 1.2 % of the cases; more than the bound has a probability of 10^-4."""
    rows = np.random.default_rng(runs).normal(1.0, 0.1, (MEANS, runs))
    flagged, _ = flagged_and_covered(rows, 1.0)
    assert flagged.sum() <= stats.binom.isf(1e-4, MEANS, 0.012)
    if runs < 10 or runs > 100:
        assert not flagged.any()


@pytest.mark.parametrize("runs", [3, 4, 5, 10, 30, 60, 100, 300])
def test_rare_timeouts_are_covered_or_marked(runs: int, times: np.ndarray) -> None:
    """An interval that misses the mean without a mark is one in twenty at most, as is promised;
    without marks it would be every second one at 30 runs."""
    rows = np.random.default_rng(runs).choice(times, (MEANS, runs))
    flagged, covered = flagged_and_covered(rows, times.mean())
    assert (~covered & ~flagged).sum() <= stats.binom.isf(1e-4, MEANS, 0.05)
    assert runs > 30 or (~covered).mean() > 0.25


@pytest.mark.parametrize("runs", [30, 60, 100])
@pytest.mark.parametrize("law", ["exponential", "lognormal"])
def test_skewed_values_are_covered_or_marked(law: str, runs: int) -> None:
    generator = np.random.default_rng(runs)
    rows = (
        generator.exponential(1.0, (MEANS, runs))
        if law == "exponential"
        else generator.lognormal(-0.32, 0.8, (MEANS, runs))
    )
    flagged, covered = flagged_and_covered(rows, 1.0)
    assert (~covered & ~flagged).sum() <= stats.binom.isf(1e-4, MEANS, 0.05)


def test_enough_runs_are_not_marked(times: np.ndarray) -> None:
    rows = np.random.default_rng(1).choice(times, (200, 3000))
    flagged, covered = flagged_and_covered(rows, times.mean())
    assert flagged.sum() <= 10
    assert covered.sum() >= stats.binom.ppf(1e-4, 200, 0.94)


def test_one_by_one_and_in_groups_the_same() -> None:
    generator = np.random.default_rng(3)
    groups = [generator.poisson(0.3, n) * generator.random() for n in (1, 2, 5, 9, 30, 80, 200)]
    groups += [generator.exponential(1.0, n) for n in (1, 10, 30, 90)] + [np.array([1.0, np.nan])]
    starts = np.cumsum([0, *map(len, groups[:-1])])
    found = grouped_carriers(np.concatenate(groups), starts)
    assert np.array_equal(found, [carrier_count(group) for group in groups], equal_nan=True)


def test_what_few_carry_is_counted() -> None:
    assert carrier_count([1.0] * 30) == 0
    assert carrier_count([1.0] * 28 + [2.0, 2.0]) == 2
    assert np.isnan(carrier_count(np.linspace(0.0, 1.0, 30)))
    assert np.isnan(carrier_count([1.0]))
    found = grouped_means([1.0, 1.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1])
    assert found["carriers"][0] == 0
    assert np.isnan(found["carriers"][1])


def test_a_search_does_not_stop_before_the_rare_event(times: np.ndarray) -> None:
    """Of 200 searches for 5 % the intervals cover the mean as promised; every third search stopped
    at 60 runs without a timeout before, and missed."""
    generator, rule, covered = np.random.default_rng(4), Precision(0.05), 0
    for _ in range(200):
        values = generator.choice(times, rule.most)
        found = values[: rule.next_runs(values)]
        assert rule.reached(found)
        flags = flagged_and_covered(found[None, :], times.mean())
        covered += bool(flags[1][0])
    assert covered >= stats.binom.ppf(1e-3, 200, 0.93)


def test_equal_values_are_no_precision() -> None:
    rule = Precision(0.1, least=3, most=12)
    assert rule.next_runs(np.full(12, 0.7)) == 12
    assert not rule.reached(np.full(12, 0.7))
    assert rule.expected_runs(0.0) == 12


# Printing


def printed(*words: str) -> str:
    found = CliRunner().invoke(main, [*words])
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "transfers.json"
    path.write_text(json.dumps(known_values.transfers(0.001)))
    return str(path)


def test_equal_runs_have_an_unknown_interval(scenario: str, tmp_path: Path) -> None:
    asked = ["--replications", "6", "--seed", "2"]
    text = printed("run", scenario, "--engine", "simulation", "--metric", "transfer_time", *asked)
    assert "94.464 ± ?" in text
    assert "± ?: all values are equal" in " ".join(text.split())
    assert "The intervals assume a normal distribution" in " ".join(text.split())
    folder = str(tmp_path / "sweep")
    printed("sweep", scenario, "--out", folder, *asked)
    text = printed("results", folder, "--metric", "transfer_time")
    assert "94.464 ± ?" in text
    rows = json.loads(printed("results", folder, "--metric", "transfer_time", "--format", "json"))[
        "rows"
    ]
    assert rows[0]["transfer_time_carriers"] == 0
    folder = tmp_path / "run"
    at.run(known_values.transfers(0.001), engine="simulation", replications=6, seed=2, out=folder)
    assert "± ?" in (folder / "report.html").read_text(encoding="utf-8")


def test_few_timeouts_are_marked_beside_the_mean(scenario: str) -> None:
    asked = ["--replications", "60", "--set", "path.hop[0].channel.loss_rate=0.01"]
    text = printed("run", scenario, "--engine", "simulation", "--metric", "transfer_time", *asked)
    line = next(line for line in text.splitlines() if line.startswith("newreno"))
    assert line.rstrip().endswith(" ?")
    assert "too few of the 60 values differ" in " ".join(text.split())


def test_a_ranking_marks_what_few_runs_carry(tmp_path: Path) -> None:
    """The faster path has the same lead in most runs; only some of the others see a loss."""
    scenario = known_values.transfers(0.002)
    hop = scenario["path"]["hop"][0]
    slower = hop | {"delay": "23ms", "channel": hop["channel"] | {"loss_rate": 0.0001}}
    scenario["case"] = [
        {"name": name, "path": {"hop": [link]}} for name, link in (("fast", hop), ("slow", slower))
    ]
    folder = str(tmp_path / "sweep")
    table = at.sweep(scenario, folder, replications=30, seed=6).rank("transfer_time")
    assert table["best"].all()
    assert np.isnan(table["p"]).all()
    assert (table["mean_carriers"] < 30).any()
    words = ["results", folder, "--rank", "case", "--metric", "transfer_time"]
    text = " ".join(printed(*words).split())
    assert "p -: the difference is the same in all runs, or in all but a few" in text
    assert "values differ" in text


def test_a_plan_does_not_take_equal_trials_for_precise(scenario: str) -> None:
    words = ["plan", scenario, "--precision", "0.05", "--metric", "transfer_time"]
    row = json.loads(printed(*words, "--format", "json"))["rows"][0]
    assert (row["cv"], row["precision"], row["replications"]) == (0.0, None, 10_000)
    assert row["carriers"] == 0
    text = " ".join(printed(*words).split())
    assert "at 1 point no two of the trial runs differ" in text


def test_no_interval_reaches_beyond_what_a_share_can_be(tmp_path):
    """Two of four short transfers repeat a packet: Student's interval of the mean ends at 1.03."""
    link = {"rate": "10Mbps", "delay": "20ms", "channel": {"kind": "iid", "loss_rate": 0.01}}
    scenario = {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [link | {"queue": 100}]},
        "flow": [{"packets": 60}],
        "stop": {"time": "10s", "replications": 4},
    }
    found = at.sweep(scenario, out=tmp_path)
    efficiency = found.to_pandas()["efficiency"]
    mean, half = efficiency.mean(), 3.18 * efficiency.std() / 2.0
    assert mean + half > 1.0
    assert mean - half > 0.0
    row = found.summary("efficiency").iloc[0]
    assert row["efficiency"] < row["efficiency_high"] == 1.0
    assert row["efficiency_low"] == pytest.approx(mean - half, rel=1e-2)
    run = at.run(scenario, engine="simulation", metric="efficiency")
    assert run.simulation.summary()["efficiency_high"].tolist() == [1.0]
    shown = printed("results", str(tmp_path), "--metric", "efficiency")
    assert float(re.findall(r"± ([\d.]+)", shown)[0]) == pytest.approx(half, rel=1e-2)
