"""Processes of rates fitted to traces of opportunities: what they recover, refuse and reject."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr

import airtcp
from airtcp.cli.main import main
from airtcp.fitting import rates_outages
from airtcp.fitting.rates import FEWEST, RateModel, fit_rates, fit_rates_and_outages
from airtcp.fitting.rates_data import OPPORTUNITY, Floats, Rates, of_opportunities
from airtcp.fitting.rates_memory import Memories, Ranks, correlations, lags_of, memories_of
from airtcp.fitting.rates_outages import LongOutages, long_outages

STEP = 20_000_000  # ns
LEVELS = np.array([0.0, 0.6e6, 2.4e6, 6.0e6, 18.0e6])
SHARES = np.array([0.15, 0.2, 0.3, 0.25, 0.1])
TRUE = Memories(np.array([4.0, 100.0]), np.array([0.3, 0.5]))


def drawn(seed: int, n: int, memories: Memories = TRUE) -> Rates:
    """Rates of the true process."""
    scores = memories.scores(np.random.default_rng(seed), n)
    level = np.searchsorted(np.cumsum(SHARES)[:-1], ndtr(scores), side="right")
    return Rates(STEP, LEVELS[level])


def trace_of(rates: Rates) -> list[int]:
    """Opportunities at these rates, evenly spread within steps."""
    ms = rates.every // 1_000_000
    sent = np.concatenate([[0.0], np.cumsum(rates.bps * ms / 1e3 / OPPORTUNITY)])
    wanted = np.arange(1, int(sent[-1]) + 1)
    at = np.interp(wanted, sent, ms * np.arange(len(sent)))
    return [*np.ceil(at).astype(int).tolist(), ms * len(rates.bps)]


def fitted(rates: Rates, draws: int = 99) -> RateModel:
    found = fit_rates(rates, seed=1, draws=draws)
    assert found is not None
    return found


def test_correlations_of_ranks_tell_those_of_scores() -> None:
    """Of a binary rate the correlation of ranks is asin(r) 2 / pi."""
    ranks = Ranks(np.tile([1.0, 2.0], 500))
    for r in (-0.5, 0.1, 0.5, 0.9, 0.99):
        told = ranks.scores(np.array([2.0 / np.pi * np.arcsin(r)]))
        assert told[0] == pytest.approx(r, abs=0.004)


def test_memories_are_found_in_exact_correlations() -> None:
    lags = lags_of(20_000)
    found = memories_of(TRUE.correlation(lags), lags)
    assert found.times == pytest.approx(TRUE.times, rel=0.02)
    assert found.shares == pytest.approx(TRUE.shares, rel=0.02)


def test_correlations_around_the_mean_of_short_records_are_as_expected() -> None:
    n, rng = 1000, np.random.default_rng(1)
    lags = np.array([1.0, 10.0, 50.0, 75.0])
    records = [TRUE.scores(rng, n) for _ in range(2000)]
    found = np.mean([correlations(record, lags) for record in records], axis=0)
    bias = TRUE.correlation(lags) - found
    assert (bias > 0.03).all()
    assert (np.abs(TRUE.expected(lags, n) - found) < 0.4 * bias).all()
    assert np.var([record.mean() for record in records]) == pytest.approx(TRUE.of_mean(n), rel=0.1)
    again = memories_of(TRUE.expected(lags_of(n), n), lags_of(n), n)
    assert again.correlation(lags) == pytest.approx(TRUE.correlation(lags), abs=0.02)


def test_scores_have_the_correlations_of_their_memories() -> None:
    scores = TRUE.scores(np.random.default_rng(2), 400_000)
    lags = np.array([1.0, 5.0, 50.0, 200.0])
    assert scores.std() == pytest.approx(1.0, abs=0.03)
    assert correlations(scores, lags) == pytest.approx(TRUE.correlation(lags), abs=0.03)


def test_a_true_process_is_recovered_and_not_rejected() -> None:
    found = fitted(drawn(1, 20_000))
    assert not found.is_rejected
    by_name = {estimate.name: estimate for estimate in found.estimates}
    truth = {
        "mean rate": LEVELS @ SHARES,
        "share of time without a rate": 0.15,
        "correlation after 0.1 s": 0.3 * np.exp(-5 / 4) + 0.5 * np.exp(-5 / 100),
        "correlation after 1 s": 0.3 * np.exp(-50 / 4) + 0.5 * np.exp(-50 / 100),
    }
    missed = [name for name, value in truth.items() if not by_name[name].covers(float(value))]
    assert missed == []


OTHERS: dict[str, Floats] = {
    "a constant rate with a drift": np.linspace(1e6, 9e6, 6000),
    "a period": 5e6 + 4e6 * np.sign(np.sin(np.arange(6000) / 20.0)),
    "a saw": 1e6 + 1e5 * np.mod(np.arange(6000.0), 60.0),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_such_process_is_rejected(name: str) -> None:
    noise = np.random.default_rng(3).gamma(50.0, 1 / 50.0, 6000)
    assert fitted(Rates(STEP, OTHERS[name] * noise)).is_rejected


def test_too_little_is_not_fitted() -> None:
    for fit in (fit_rates, fit_rates_and_outages):
        assert fit(drawn(1, FEWEST - 1), seed=1) is None
        assert fit(Rates(STEP, np.full(5000, 1e6)), seed=1) is None


# ---- Outages longer than the process makes -------------------------------------------------------

SHORT = Memories(np.array([4.0, 25.0]), np.array([0.3, 0.3]))
LENGTHS = (150, 160, 200, 240, 300, 400)  # steps: seconds, by a process with zeros of 0.1 s


def with_outages(seed: int, lengths: tuple[int, ...] = LENGTHS) -> Rates:
    """The process, stopped every 900 steps."""
    bps = drawn(seed, 6000, SHORT).bps.copy()
    for i, length in enumerate(lengths):
        bps[900 * i + 300 : 900 * i + 300 + length] = 0.0
    return Rates(STEP, bps)


def test_long_outages_are_a_gate_and_the_rest_is_the_process() -> None:
    record = with_outages(1)
    alone, found = fitted(record), fit_rates_and_outages(record, seed=1, draws=99)
    assert found is not None
    assert found.outages is not None
    lengths = np.array(LENGTHS) * 0.02
    assert len(found.outages.lengths) == len(LENGTHS)
    assert (found.outages.lengths >= lengths).all()  # with zeros of the process around them
    assert found.outages.lengths == pytest.approx(lengths, abs=0.5)
    assert found.outages.limit < 3.0
    assert alone.is_rejected
    assert not found.is_rejected
    by_name = {estimate.name: estimate for estimate in found.estimates}
    share = by_name["share of time without a rate"]
    assert share.covers(0.15)
    gate = found.hop()["gate"]
    interval = np.dot(gate["interval"]["weights"], [0.0, found.outages.mean_between])
    assert found.outages.share == pytest.approx(lengths.sum() / 120.0, abs=0.01)
    down = found.outages.lengths.mean()
    assert down / (down + interval) == pytest.approx(found.outages.share, abs=1e-3)
    assert len(gate["duration"]["marginal"]["values"]) == len(LENGTHS)
    assert found.json()["outages"]["lengths_s"] == found.outages.lengths.tolist()


def test_a_true_process_has_no_long_outages() -> None:
    assert [long_outages(drawn(seed, 3000), seed=seed) for seed in range(5)] == [None] * 5
    record = drawn(1, 6000)
    alone, found = fitted(record), fit_rates_and_outages(record, seed=1, draws=99)
    assert found is not None
    assert found.json() == alone.json()
    assert "gate" not in found.hop()


def test_fewer_outages_than_a_distribution_needs_stay_in_the_process() -> None:
    assert long_outages(with_outages(1, LENGTHS[:4]), seed=1) is None
    assert long_outages(with_outages(1, LENGTHS[:5]), seed=1) is not None


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the longest time without a rate, in steps, of the process of each turn."""

    def set_to(*steps: float) -> None:
        left = iter(steps)
        monkeypatch.setattr(rates_outages, "_longest", lambda *_: next(left))

    return set_to


def test_every_outage_is_longer_than_the_limit_that_is_told(limits: Callable[..., None]) -> None:
    """By chance the process of the last turn has longer times without a rate than those before."""
    limits(200.0, 155.0, 350.0)
    found = long_outages(with_outages(1), seed=1)
    assert found is not None
    assert len(found.lengths) == 5
    assert found.limit == 155 * 0.02
    assert (found.lengths > found.limit).all()
    told = "longer than 3.1s, which a process fitted with the shortest of them exceeds once in 20"
    assert told in found.words()


def test_outages_are_found_until_none_is_longer(limits: Callable[..., None]) -> None:
    record = np.full(6000, 1e6)
    record[::7] = 2e6
    lengths = range(20, 50, 2)
    for length in lengths:  # one is found in each turn
        record[100 * length : 100 * length + length] = 0.0
    limits(*(length - 1.0 for length in reversed(lengths)), 20.0)
    found = long_outages(Rates(STEP, record), seed=1)
    assert found is not None
    assert len(found.lengths) == len(lengths)


def test_the_least_length_of_an_outage_is_told_where_it_was_the_limit(
    limits: Callable[..., None],
) -> None:
    limits(0.0, 0.0)
    found = long_outages(with_outages(1), seed=1)
    assert found is not None
    assert found.words().endswith("longer than 200ms, the least that counts as an outage")


def test_outages_of_a_small_share_of_the_time_are_a_gate() -> None:
    """Five of 220 ms in eight hours."""
    rest = Rates(STEP, np.full(8 * 3600 * 50, 1e6))
    gate = LongOutages(rest, np.full(5, 0.22), 0.2).gate()
    weights = gate["interval"]["weights"]
    assert weights[0] == pytest.approx(1.1 / (8 * 3600), rel=1e-3)
    assert sum(weights) == pytest.approx(1.0, abs=1e-9)
    hop = {"rate": "10Mbps", "delay": "10ms", "queue": 10, "gate": gate}
    document = {"profile": "linux", "path": {"hop": [hop]}, "tcp": {"congestion": "cubic"}}
    assert len(airtcp.Scenario.from_dict(document).points()) == 1  # not refused


def test_a_trace_with_long_outages_runs_with_a_gate(tmp_path: Path) -> None:
    path, made = tmp_path / "up.trace", tmp_path / "link.toml"
    path.write_text("\n".join(map(str, trace_of(with_outages(1)))) + "\n")
    said = CliRunner().invoke(main, ["fit", str(path), "-o", str(made)])
    assert said.exit_code == 0, said.output
    assert "A gate has 6 outages" in " ".join(said.output.split())
    document = tomllib.loads(made.read_text())
    hop = document["path"]["hop"][0]
    assert hop["gate"]["kind"] == "spikes"
    without = {key: value for key, value in hop.items() if key != "gate"}
    document["stop"] = {"time": "120s"}
    mean = [
        airtcp.simulate(
            document | {"path": {"hop": [link]}, "tcp": {"congestion": "cubic"}},
            replications=8,
            seed=1,
            progress=False,
        )
        .runs.to_pandas()["goodput_bps"]
        .mean()
        for link in (hop, without)
    ]
    down = sum(LENGTHS) / 6000
    assert mean[0] / mean[1] == pytest.approx(1.0 - down, abs=0.12)


def test_steps_hold_two_opportunities() -> None:
    assert of_opportunities(np.arange(1, 1001)).every == 20_000_000  # type: ignore[union-attr]
    slow = of_opportunities(np.arange(1, 1001) * 30)
    assert slow is not None
    assert slow.every == 100_000_000
    assert slow.bps.mean() == pytest.approx(OPPORTUNITY / 0.03, rel=1e-6)
    assert of_opportunities(np.array([5])) is None


def test_bunches_are_what_even_opportunities_would_have_served_sooner() -> None:
    def bunch(*millis: int) -> float:
        found = of_opportunities(np.array(millis))
        assert found is not None
        return found.bunch

    assert bunch(*range(1, 41)) == pytest.approx(0.0, abs=1e-9)
    # The last opportunity is the beginning anew: 1 and 20 in the first and last ms of a step, of
    # which evenly 95 % had left before the latter, and 10 in the first ms of the other.
    assert bunch(*[19] * 20, *[20] * 10, 40) == pytest.approx(21 * (0.95 * 21 - 1) / 31)


def bunched(rates: Rates) -> list[int]:
    """Opportunities at these rates, each step's in its last ms."""
    ms = rates.every // 1_000_000
    at = np.array(trace_of(rates)[:-1])
    return [*((at - 1) // ms * ms + ms - 1).tolist(), ms * len(rates.bps)]


def test_a_process_that_evens_out_bunches_does_not_stand_for_its_trace(
    trace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bunched.trace"
    path.write_text("\n".join(map(str, bunched(drawn(4, 5000)))) + "\n")
    found = airtcp.fit(path)
    model = found.parts.rates
    assert model is not None
    assert not model.is_rejected  # by whole steps
    assert model.evens_out_bunches
    assert "opportunities" in found.scenario.to_dict()["path"]["hop"][0]
    (remark,) = (line for line in found.parts.remarks if "come in bunches" in line)
    assert remark.startswith("opportunities within steps of 20 ms come in bunches, for which 1")
    assert "the scenario has the trace itself" in remark
    assert model.json()["evens_out_bunches"]
    taken = airtcp.fit(path, model="autoregressive")
    assert "rates" in tomllib.loads(taken.toml)["path"]["hop"][0]
    assert any("the process as asked for" in remark for remark in taken.parts.remarks)
    assert "come in bunches" in CliRunner().invoke(main, ["fit", str(path)]).output
    even = airtcp.fit(trace).parts.rates
    assert even is not None
    assert even.stands_for_record
    assert even.objections() == ""


def test_levels_keep_the_mean() -> None:
    rates = Rates(STEP, np.random.default_rng(1).gamma(2.0, 1e6, 5000))
    levels, shares = rates.levels()
    assert len(levels) == 100
    assert (np.diff(levels) > 0).all()
    assert levels @ shares == pytest.approx(rates.bps.mean(), rel=1e-9)


def test_levels_that_are_written_alike_are_one() -> None:
    rates = Rates(STEP, np.repeat([1e6, 1e6 * (1.0 + 1e-9), 2e6], 200))
    levels = RateModel(rates, TRUE, (), 1.0).keys()["levels"]
    assert levels == [
        {"rate": "1Mbps", "share": pytest.approx(2 / 3, abs=1e-6)},
        {"rate": "2Mbps", "share": pytest.approx(1 / 3, abs=1e-6)},
    ]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rates") / "down.trace"
    path.write_text("\n".join(map(str, trace_of(drawn(4, 5000)))) + "\n")
    return path


def test_a_fitted_trace_runs(trace: Path) -> None:
    found = airtcp.fit(trace)
    assert found.parts.rates is not None
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["rates"]["kind"] == "autoregressive"
    assert "opportunities" not in hop
    mean = found.parts.rates.rates.bps.mean()
    written = sum(
        float(row["rate"].removesuffix("bps").removesuffix("M"))
        * (1e6 if "M" in row["rate"] else 1.0)
        * row["share"]
        for row in hop["rates"]["levels"]
    )
    assert written == pytest.approx(mean, rel=1e-3)
    assert sum(row["share"] for row in hop["rates"]["levels"]) == pytest.approx(1.0, abs=1e-9)
    document: dict[str, Any] = tomllib.loads(found.toml)
    document["stop"] = {"time": "40s"}
    runs = airtcp.simulate(document, replications=2, seed=1, progress=False).runs.to_pandas()
    assert runs["goodput_bps"].nunique() == 4  # every run is another draw
    assert (runs["goodput_bps"] > 0.3 * mean).all()


def test_the_trace_itself_is_handed_on_where_it_is_asked_for_or_the_process_is_rejected(
    trace: Path, tmp_path: Path
) -> None:
    replayed = airtcp.fit(trace, replay=True)
    assert len(replayed.scenario.to_dict()["path"]["hop"][0]["opportunities"]) > 1000
    saw = tmp_path / "saw.trace"
    saw.write_text("\n".join(map(str, trace_of(Rates(STEP, OTHERS["a saw"])))) + "\n")
    rejected = airtcp.fit(saw)
    assert "opportunities" in rejected.scenario.to_dict()["path"]["hop"][0]  # which can be run
    (remark,) = (line for line in rejected.parts.remarks if "rejects the process" in line)
    assert "as it often does true ones whose steps are shorter than 20 ms" in remark
    taken = airtcp.fit(saw, model="autoregressive")
    assert "rates" in tomllib.loads(taken.toml)["path"]["hop"][0]
    assert any("as asked for" in remark for remark in taken.parts.remarks)


def test_words_json_and_page(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "link.html"
    said = CliRunner().invoke(main, ["fit", str(trace), "--report", str(page)])
    assert said.exit_code == 0, said.output
    for text in (said.output, page.read_text()):
        for word in ("mean rate", "correlation after 1 s", "memories[0].time"):
            assert word in text
    told = CliRunner().invoke(main, ["fit", str(trace), "--format", "json"])
    rates = json.loads(told.output)["rates"]
    assert rates["model"] == "autoregressive"
    assert not rates["is_rejected"]
    refused = CliRunner().invoke(main, ["fit", str(trace), "--model", "Gilbert"])
    assert refused.exit_code == 2
    assert "model" in refused.stderr
    assert "autoregressive" in refused.stderr
