"""Facts of measurements: counts by hand, intervals by how often they cover, text by its width."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airtcp import InputError
from airtcp.cli.fit_text import facts_text
from airtcp.cli.text import render_page
from airtcp.measured import Facts, Measurement, Packets, facts, read
from airtcp.measured.loss_rate import loss_rate
from airtcp.measured.measurement import ARRIVED, LOST, NO_DELAY, UNKNOWN

DATA = Path(__file__).parent / "measured"
SECOND = 1_000_000_000


def measured(fate: Any, delay: Any = None, step: float = 0.1, **more: Any) -> Measurement:
    fate = np.array(fate, dtype=np.int8)
    delays = np.full(len(fate), 20_000_000) if delay is None else np.array(delay)
    packets = Packets(
        time=more.pop("time", (np.arange(len(fate)) * step * SECOND).astype(np.int64)),
        fate=fate,
        delay=np.where(fate == ARRIVED, delays, NO_DELAY).astype(np.int64),
        size=np.full(len(fate), more.pop("size", 0), dtype=np.int32),
        cause=np.full(len(fate), UNKNOWN, dtype=np.int8),
        delays="round trip",
    )
    return Measurement("x", "ping", packets=packets, **more)


def kinds(found: Facts) -> list[str]:
    return [odd.kind for odd in found.oddities]


def test_counts() -> None:
    fate = [0, 1, 0, 1, 1, 0, -1, 1, 1, *[0] * 11]
    found = facts(measured(fate, size=125, reordered=2, duplicated=3))
    assert (found.packets, found.lost, found.unknown) == (20, 5, 1)
    assert found.loss is not None
    assert found.loss.value == pytest.approx(5 / 19)
    assert found.bursts is not None
    assert found.bursts.counts == {1: 1, 2: 2}
    assert (found.bursts.number, found.bursts.longest) == (3, 2)
    assert found.bursts.mean == pytest.approx(5 / 3)
    assert found.duration == pytest.approx(1.9)
    assert (found.reordered, found.duplicated) == (2, 3)
    assert found.rate is not None
    assert found.rate.mean == pytest.approx(14 * 1000 / 1.9)
    assert found.rate.median == 4000  # four packets of the first second arrived
    assert kinds(found) == ["duplicates"]


def test_silences_are_runs_of_losses() -> None:
    fate = [0] * 5 + [1] * 12 + [0] * 5 + [1] * 11 + [0]
    found = facts(measured(fate))
    assert [(silence.start, silence.length, silence.packets) for silence in found.silences] == [
        (0.5, 1.1, 12),
        (2.2, 1.0, 11),
    ]
    assert found.silence_total == pytest.approx(2.1)
    assert facts(measured(fate), silence=1.05).silence_count == 1
    with pytest.raises(InputError, match="silence = 0: must be a number of seconds above 0"):
        facts(measured(fate), silence=0)


def test_a_sender_tells_no_silences() -> None:
    up, down = read(DATA / "iperf3_udp_both.json")
    assert facts(up).silence_count is None
    assert facts(down).silence_count == 0
    assert ("without arrivals" in str(render_page(facts_text([facts(up)])))) is False


def test_delays() -> None:
    chance = np.random.default_rng(1)
    noise = chance.normal(size=4000)
    walk = np.empty(4000)
    walk[0] = noise[0]
    for i in range(1, 4000):  # autocorrelation 0.9^lag
        walk[i] = 0.9 * walk[i - 1] + np.sqrt(1 - 0.81) * noise[i]
    delay = (100e6 + 1e6 * walk).astype(np.int64)
    fate = (chance.random(4000) < 0.05).astype(np.int8)
    found = facts(measured(fate, delay)).delays
    assert found is not None
    assert found.of == "round trip"
    assert found.number == int((fate == 0).sum())
    assert found.autocorrelation[1] == pytest.approx(0.9, abs=0.03)
    assert found.autocorrelation[10] == pytest.approx(0.9**10, abs=0.1)
    assert found.least == delay[fate == 0].min() / 1e9
    assert found.p99 == pytest.approx(float(np.quantile(delay[fate == 0], 0.99)) / 1e9)


def test_no_autocorrelation_is_minus_zero() -> None:
    measurement = measured([ARRIVED, LOST] * 50)
    found = facts(measurement)
    assert found.delays is not None
    delays = replace(found.delays, autocorrelation={1: -0.001, 2: -0.5, 3: 0.004})
    text = str(render_page(facts_text([replace(found, delays=delays)])))
    assert "0.00 at 1, -0.50 at 2, 0.00 at 3" in text
    assert "-0.00" not in text


def test_oddities_of_delays() -> None:
    chance = np.random.default_rng(2)
    fine = chance.integers(20_000_000, 90_000_000, 400)
    assert kinds(facts(measured([0] * 400, fine))) == []
    coarse = fine // 1_000_000 * 1_000_000
    found = facts(measured([0] * 400, coarse))
    assert kinds(found) == ["resolution"]
    assert "multiples of 1 ms" in found.oddities[0].said
    stuck = fine.copy()
    stuck[100:140] = stuck[100]
    assert kinds(facts(measured([0] * 400, stuck))) == ["stuck delay"]
    assert "40 delays in a row" in facts(measured([0] * 400, stuck)).oddities[0].said
    # Of delays that take two values, long runs are no wonder.
    two = np.where(chance.random(400) < 0.9, 20_000_000, 21_000_000)
    assert kinds(facts(measured([0] * 400, two))) == ["resolution"]


def test_equal_delays_of_a_clean_link_are_no_wonder() -> None:
    """A clock of 0.1 ms on a link whose delays scatter by less."""
    chance = np.random.default_rng(3)
    delay = np.where(chance.random(1000) < 0.02, 40_300_000, 40_200_000)
    delay[100:160] = 40_200_000
    delay[500] = 41_100_000
    delay[300:900] = 40_200_000
    assert kinds(facts(measured([0] * 1000, delay))) == ["resolution"]


def test_an_autocorrelation_is_at_most_one() -> None:
    """Also where losses stand around the large delays, so that few of these have a pair."""
    delay = np.full(400, 20_000_000)
    delay[::8] = 21_000_000
    delay[100:140] = 90_000_000
    fate = np.zeros(400, dtype=np.int8)
    fate[[k for k in range(400) if delay[k] == 20_000_000 and k % 3]] = LOST
    found = facts(measured(fate, delay)).delays
    assert found is not None
    known = [
        correlation for correlation in found.autocorrelation.values() if not np.isnan(correlation)
    ]
    assert known
    assert max(map(abs, known)) <= 1.0


def test_a_ping_has_a_probing_rate() -> None:
    found = facts(measured([0] * 100, size=84, is_probing=True))
    assert found.rate is not None
    assert found.rate.of == "probes"
    assert "probing rate" in str(render_page(facts_text([found])))


def test_times_that_no_file_had_are_called_guessed() -> None:
    (measurement,) = read(DATA / "windows_english.txt")
    text = str(render_page(facts_text([facts(measurement)])))
    assert "guessed: the file has no times" in text


def test_pauses() -> None:
    time = np.append(np.arange(100) * SECOND // 10, 60 * SECOND)
    found = facts(measured([0] * 101, np.arange(101) * 7 + 10**7, time=time))
    assert kinds(found) == ["pause"]
    assert found.oddities[0].said == "nothing was sent for 50.1 s after packet 100"


def losses(chance: np.random.Generator, count: int, rate: float, burst: float) -> Any:
    """A two-state chain that loses all in one state, of mean length `burst`."""
    leave, enter = 1.0 / burst, rate / burst / (1.0 - rate)
    out = np.empty(count, dtype=bool)
    bad = chance.random() < rate
    for i, draw in enumerate(chance.random(count)):
        out[i] = bad
        bad = draw >= leave if bad else draw < enter
    return out


@pytest.mark.parametrize(("rate", "burst"), [(0.02, 1.0), (0.05, 4.0), (0.2, 10.0), (0.005, 5.0)])
def test_intervals_of_loss_rates_cover(rate: float, burst: float) -> None:
    """Of 200 records of 4000 packets at least 89 % cover: 95 % less 3.9 standard errors."""
    chance = np.random.default_rng(3)
    found = [loss_rate(losses(chance, 4000, rate, burst)) for _ in range(200)]
    covered = sum(
        interval is not None and interval.low <= rate <= interval.high for interval in found
    )
    assert covered >= 178


def test_intervals_of_counts_cover_and_are_no_wider_than_their_scatter() -> None:
    """Counts of 30 intervals, independent: at most twice as wide as their standard error says."""
    chance = np.random.default_rng(4)
    sent = np.full(30, 1726.0)
    found = [loss_rate(chance.binomial(1726, 0.02, 30).astype(float), sent) for _ in range(200)]
    assert (
        sum(interval is not None and interval.low <= 0.02 <= interval.high for interval in found)
        >= 178
    )
    usual = 2 * 1.96 * np.sqrt(0.02 * 0.98 / sent.sum())
    assert (
        np.mean([interval.high - interval.low for interval in found if interval is not None])
        < 2 * usual
    )


def test_intervals_of_counts_cover_losses_in_bursts() -> None:
    chance = np.random.default_rng(5)
    found = []
    for _ in range(200):
        lost = losses(chance, 30_000, 0.02, 20.0).reshape(30, 1000).sum(axis=1)
        found.append(loss_rate(lost.astype(float), np.full(30, 1000.0)))
    assert (
        sum(interval is not None and interval.low <= 0.02 <= interval.high for interval in found)
        >= 178
    )


def test_intervals_without_losses() -> None:
    found = loss_rate(np.zeros(1000, dtype=bool))
    assert found is not None
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(3.0 / 1000, rel=0.01)
    assert loss_rate(np.zeros(0, dtype=bool)) is None
    every = loss_rate(np.ones(100, dtype=bool))
    assert every is not None
    assert (every.value, every.high) == (1.0, 1.0)


FILES = sorted([*DATA.glob("*.*"), *(DATA / "mmsys24").glob("isl*")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_json_and_text_in_80_columns(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = [facts(measurement) for measurement in read(file)]
    for told in found:
        plain = json.loads(json.dumps(told.json(), allow_nan=False))
        assert plain["form"] == told.form
        assert plain["duration"] == told.duration
        assert [odd["kind"] for odd in plain["oddities"]] == kinds(told)
        if told.loss is not None:
            assert plain["loss"] == told.loss._asdict()
    text = str(render_page(facts_text(found)))
    assert max(map(len, text.splitlines())) <= 80
    for told in found:
        assert told.form in text
        for odd in told.oddities:
            assert odd.kind in text


def test_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    fate = [LOST if i % 10 == 0 or i in (31, 32) else ARRIVED for i in range(100)]
    text = str(render_page(facts_text([facts(measured(fate))])))
    rows = [line.split("  ", 1) for line in text.splitlines() if "  " in line]
    table = {name.strip(): value.strip() for name, value in rows}
    assert table["packets"] == "100"
    assert table["lost"].startswith("12: 12 % (")
    assert table["bursts of losses"] == "10: mean 1.2, longest 3"
    assert table["their lengths"] == "9 of 1, 1 of 3"
    assert table["duration"] == "9.9 s"
    assert table["without arrivals"] == "never 1 s or more"
    assert "one delay (88 times): all delays are 20 ms" in text
