"""Links that are reallocated at equal times, fitted to losses and delays by the second."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr

import airtcp
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.fitting import epochs
from airtcp.fitting.epochs import EpochLosses, EpochParts, draw, fit_epochs
from airtcp.fitting.epochs_data import LossDelayRows, rows_of_measurements
from airtcp.fitting.epochs_figures import STATISTIC_NAMES, StatisticComparison, record_statistics
from airtcp.fitting.epochs_period import AveragingWindows, Period, find_averages, find_period
from airtcp.fitting.rates_memory import Memories
from airtcp.measured.reading import read

SHARED = Path(os.environ.get("AIRTCP_SHARED", Path(__file__).parent.parent.parent / "shared"))
STARLINK = SHARED / "traces" / "fjordlink_starlink.parquet"
MS = 1e6
DELAYS = np.sort(np.random.default_rng(1).gamma(2.0, 6.0, 400) + 22.0) * MS
LOSSES = EpochLosses(0.004, 1.0, Memories(np.array([2.0]), np.array([0.6])), 0.5, 2, 4.0)
TRUE = EpochParts(DELAYS, Memories(np.array([1.5, 60.0]), np.array([0.5, 0.3])), LOSSES)


def record(
    seed: int, number: int = 20_000, period: int = 15, averages: AveragingWindows | None = None
) -> LossDelayRows:
    """Rows of the true model by the second, with gaps; epochs begin at the place `shift`."""
    place = np.arange(number)
    place = place[(place % 900) < 894]
    blank = np.zeros(len(place))
    rows = LossDelayRows(1.0, place, 1.7e9, blank, 16.0, blank)
    told = averages or AveragingWindows(15, 2, (4.0 * MS) ** 2)
    return draw(np.random.default_rng(seed), rows, Period(period, 0, 0.0), told, TRUE)


def written(rows: LossDelayRows, path: Path) -> Path:
    lines = ["time,drop_rate,latency_ms"]
    lines += [
        f"{rows.began + place * rows.step:.3f},{share:.6g},{delay / MS:.6f}"
        for place, share, delay in zip(rows.place, rows.loss_share, rows.delay, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("period", [10, 15, 24])
def test_a_period_is_found(period: int) -> None:
    rows = record(1, period=period, averages=AveragingWindows(1, 1, (2.0 * MS) ** 2))
    assert find_period(rows)[0] == period
    assert find_period(rows)[1] < 1e-6


@pytest.mark.parametrize(("delay", "loss"), [(1, 1), (5, 1), (15, 2)])
def test_averages_are_found(delay: int, loss: int) -> None:
    rows = record(2, averages=AveragingWindows(delay, loss, (4.0 * MS) ** 2))
    found = find_averages(rows, 15)
    assert (found.delay, found.loss) == (delay, loss)
    assert found.noise == pytest.approx((4.0 * MS) ** 2, rel=0.3)


def test_no_epochs_without_a_period() -> None:
    """Delays and losses that change slowly, but not at equal times."""
    rng = np.random.default_rng(3)
    number = 20_000
    rows = record(3)
    walk = np.interp(
        np.arange(number), np.sort(rng.uniform(0, number, 1500)), rng.gamma(2, 6, 1500)
    )
    share = rng.binomial(16, 0.004 * (walk / walk.mean())) / 16
    assert (
        fit_epochs(rows.with_values(share[rows.place], 1e6 * walk[rows.place] + 2e7), seed=1)
        is None
    )


def test_the_true_model_is_recovered_and_not_rejected() -> None:
    found = fit_epochs(record(4, 60_000), seed=1, draws=49)
    assert found is not None
    assert found.period.rows == 15
    assert (found.averages.delay, found.averages.loss) == (15, 2)
    assert not found.is_rejected
    by_name = {estimate.name: estimate for estimate in found.estimates}
    truth = {
        "mean delay": float(DELAYS.mean()) / 1e9,
        "standard deviation of delays": float(DELAYS.std()) / 1e9,
        "correlation of delays, next epoch": 0.5 * np.exp(-1 / 1.5) + 0.3 * np.exp(-1 / 60),
        "loss.rate": LOSSES.rate,
        "loss.correlation": LOSSES.correlation,
        "loss.handover.factor": LOSSES.factor,
    }
    missed = [name for name, value in truth.items() if not by_name[name].covers(float(value))]
    assert len(missed) <= 1, missed  # of six intervals of 95 %


@pytest.mark.parametrize(("period", "probes"), [(5, 16), (15, 1), (60, 16), (60, 1)])
def test_chance_makes_no_handover(period: int, probes: int) -> None:
    """Of 150 records without one, at most 1 % have one: 7 or more are as rare as once in 1000."""
    place = np.arange(12_000)
    rows = LossDelayRows(
        1.0, place, 1.7e9, np.zeros(len(place)), float(probes), np.full(len(place), 3e7)
    )
    epoch, averages = Period(period, 0, 0.0), AveragingWindows(1, 1, 0.0)
    rng = np.random.default_rng(8)
    found: list[int] = []
    with_one: list[int] = []
    for _ in range(150):
        rate = np.where(place % period < 2, 0.2, 0.03)
        for kept, chance in ((found, 0.03), (with_one, rate)):
            lost = rng.binomial(probes, chance, len(place)) / probes
            kept.append(epochs._handover(rows.with_values(lost, rows.delay), epoch, averages)[0])
    assert sum(handover > 0 for handover in found) < 7
    assert np.mean(np.array(with_one) == 2) > 0.9


@pytest.mark.parametrize("fitted_again", [0, 1])
def test_without_records_fitted_again_there_are_no_intervals(
    fitted_again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, calls = epochs.fit_parts, iter(range(100))
    monkeypatch.setattr(
        epochs, "fit_parts", lambda *given: fit(*given) if next(calls) <= fitted_again else None
    )
    found = fit_epochs(record(4, 6000), seed=1, draws=3)
    assert found is not None
    assert {estimate.low for estimate in found.estimates} == {None}
    assert {estimate.remark for estimate in found.estimates} == {
        "too few drawn records could be fitted"
    }
    assert found.estimates[0].value == pytest.approx(found.parts.delays.mean() / 1e9)


def test_losses_of_whole_seconds_are_rejected() -> None:
    """As many losses, but all probes of few rows: within an epoch, the model has single ones."""
    rows = record(5)
    rng = np.random.default_rng(5)
    share = np.where(
        rng.random(len(rows.loss_share)) < 0.02, np.minimum(50.0 * rows.loss_share, 1.0), 0.0
    )
    found = fit_epochs(rows.with_values(share, rows.delay), seed=1, draws=39)
    assert found is not None
    assert found.is_rejected


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(record(6, 12_000), tmp_path_factory.mktemp("rows") / "dish.csv")


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epochs, "DRAWS", 29)


def test_a_table_of_shares_is_read(table: Path, tmp_path: Path) -> None:
    (first,) = read(table)
    assert first.intervals is not None
    assert first.is_probing
    rows = rows_of_measurements([first])
    assert rows is not None
    assert rows.probes == 8.0 * 2.0
    assert rows.loss_share.mean() == pytest.approx(record(6, 12_000).loss_share.mean(), rel=1e-4)
    dated = tmp_path / "dated.csv"
    dated.write_text(
        "time,drop_rate,latency_ms\n2024-12-12 08:06:37.5+00:00,0.0,26.1\n"
        "2024-12-12T08:06:38.5+00:00,0.0625,26.4\n"
    )
    (second,) = read(dated)
    assert second.began == pytest.approx(1733990797.5)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("time,drop_rate,latency_ms\n1,0.5,20\n2,1.5,20\n3,0,20\n")
    (left,) = read(wrong)
    assert left.intervals is not None
    assert len(left.intervals.start) == 2


def test_a_fitted_table_runs(table: Path) -> None:
    found = airtcp.fit(table, rate="50Mbps")
    model = found.parts.epochs
    assert model is not None
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["channel"]["kind"] == "epochs"
    assert hop["channel"]["every"] == "15s"
    document: dict[str, Any] = tomllib.loads(found.toml)
    document["tcp"] = {"congestion": "bbr"}
    document["stop"] = {"time": "60s"}
    runs = airtcp.simulate(document, replications=6, seed=1, progress=False).runs.to_pandas()
    assert runs["goodput_bps"].nunique() == 6  # each has epochs of its own
    assert any("means over 15 s" in remark for remark in found.parts.remarks)


@pytest.mark.parametrize("key", ["exit", "marks"])
def test_only_the_channel_of_a_link_delays(key: str) -> None:
    channel = {"kind": "epochs", "every": "15s", "delay": {"kind": "exponential", "mean": "9ms"}}
    document = {
        "profile": "linux",
        "path": {"hop": [{"rate": "9Mbps", "delay": "9ms", "queue": 50, key: channel}]},
        "stop": {"time": "1s"},
    }
    with pytest.raises(InputError, match=rf"path.hop\[0\].{key}: only the channel"):
        airtcp.simulate(document, replications=1, progress=False)


def test_models_are_chosen_and_refused(table: Path, tmp_path: Path) -> None:
    plain = airtcp.fit(table, model="independent")
    assert plain.scenario.to_dict()["path"]["hop"][0]["channel"]["kind"] == "iid"
    rng = np.random.default_rng(7)
    rows = record(7, 4000)
    number = len(rows.place)
    flat = rows.with_values(rng.binomial(16, 0.004, number) / 16, 3e7 + rng.gamma(2.0, 1e6, number))
    even = written(flat, tmp_path / "even.csv")
    found = airtcp.fit(even)
    assert found.parts.epochs is None
    assert any("do not change together" in remark for remark in found.parts.remarks)
    for options, word in (({"model": "epochs"}, "equal times"), ({"model": "Gilbert"}, "epochs")):
        with pytest.raises(InputError, match=word):
            airtcp.fit(even, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="replay"):
        airtcp.fit(table, replay=True)


def test_words_json_and_page(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "link.html"
    said = CliRunner().invoke(main, ["fit", str(table), "--report", str(page)])
    assert said.exit_code == 0, said.output
    for text in (said.output, page.read_text()):
        for word in ("loss.handover.factor", "share of rows with drops", "Hours differ"):
            assert word in text
    told = CliRunner().invoke(main, ["fit", str(table), "--format", "json"])
    assert json.loads(told.output)["epochs"]["every_s"] == 15.0


# Starlink, by data of FjordLink (CC BY 4.0), if they are there.


def within(own: StatisticComparison) -> bool:
    """True of figures of a model and of other hours that agree as closely as promised."""
    if own.name == "drop rate":
        return own.is_within_model
    if own.name.startswith("autocorrelation"):
        return abs(own.model - own.record) <= 0.1
    most = 0.15 if own.name.startswith("share") else 0.1
    return abs(own.model / own.record - 1.0) <= most


def starlink(first: int, folder: Path) -> LossDelayRows:
    """Every second hour, from one on."""
    import pandas as pd

    found = pd.read_parquet(STARLINK)
    hours = found["session"].cat.categories[first::2]
    part = found[found["session"].isin(hours)]
    seconds = part["time"].dt.tz_convert(None).astype("datetime64[us]").astype("int64") / 1e6
    path = folder / f"{first}.csv"
    columns = {"time": seconds.map("{:.3f}".format), "drop_rate": part["drop_rate"]}
    pd.DataFrame(columns | {"latency_ms": part["latency_ms"]}).to_csv(path, index=False)
    rows = rows_of_measurements(list(read(path)))
    assert rows is not None
    return rows


def without_epochs(rows: LossDelayRows, draws: int = 19) -> list[StatisticComparison]:
    """A model without epochs, at its best: delays with the distribution of the very same rows.

    They have one memory, the one nearest to the autocorrelation of these rows at the four lags.
    """
    own = record_statistics(rows)
    lags = np.array([1.0, 5.0, 15.0, 60.0])
    tried = np.geomspace(1.0, 300.0, 400)
    errors = [np.abs(np.exp(-lags / time) - own[2:6]).max() for time in tried]
    memory = Memories(tried[[int(np.argmin(errors))]], np.ones(1))
    rng, ordered, drawn = np.random.default_rng(1), np.sort(rows.delay), []
    for _ in range(draws):
        scores = memory.scores(rng, int(rows.place[-1]) + 1)[rows.place]
        delay = ordered[(ndtr(scores) * len(ordered)).astype(np.int64)]
        share = rng.binomial(16, own[0], len(delay)) / 16.0
        drawn.append(record_statistics(rows.with_values(share, delay)))
    low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975], axis=0)
    columns = zip(STATISTIC_NAMES, own, middle, low, high, strict=True)
    return [StatisticComparison(name, *map(float, values)) for name, *values in columns]


@pytest.mark.skipif(not STARLINK.exists(), reason="the record is not there")
@pytest.mark.parametrize("first", [0, 1])
def test_starlink_every_second_hour_tells_the_others(first: int, tmp_path: Path) -> None:
    fitted, others = starlink(first, tmp_path), starlink(1 - first, tmp_path)
    model = fit_epochs(fitted, seed=1, draws=19)
    assert model is not None
    assert model.period.rows == 15
    compared = model.compare(others, draws=49)[:-1]  # the last tells the spread of hours
    assert [figure for figure in compared if not within(figure)] == []
    hours = model.compare_hours(others, draws=49)
    assert len(hours) >= 25
    assert np.mean([hour.is_within_model for hour in hours]) >= 0.9
    control = [figure.name for figure in without_epochs(others)[:-1] if not within(figure)]
    assert any(name.startswith("autocorrelation") for name in control), control
