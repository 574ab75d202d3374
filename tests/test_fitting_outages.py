"""Outages and delay spikes in records: where they are found, where none is, and the gates."""

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from airtcp.errors import InputError
from airtcp.fitting.outages import fit_outages
from airtcp.fitting.outages_runs import outage_rule
from airtcp.measured.measurement import ARRIVED, LOST, NO_DELAY, UNKNOWN, Packets

TICK = 0.02  # seconds between packets


def record(
    lost: NDArray[np.bool_], delay: NDArray[np.float64] | None = None, tick: float = TICK
) -> Packets:
    """Packets at even distances, with these losses and delays in ms."""
    n = len(lost)
    known = np.full(n, NO_DELAY) if delay is None else np.round(delay * 1e6)
    return Packets(
        time=np.round(np.arange(n) * tick * 1e9).astype(np.int64),
        fate=np.where(lost, LOST, ARRIVED).astype(np.int8),
        delay=np.where(lost, NO_DELAY, known).astype(np.int64),
        size=np.full(n, 100, np.int32),
        cause=np.full(n, UNKNOWN, np.int8),
        delays="round trip",
    )


def down(rng: np.random.Generator, n: int, up: float, down: float) -> NDArray[np.bool_]:
    """Packets that meet an outage, of exponential times up and down in seconds."""
    lengths = np.column_stack([rng.exponential(up, n), rng.exponential(down, n)]).ravel()
    place = np.searchsorted(np.cumsum(lengths), np.arange(n) * TICK, side="right")
    return np.asarray(place % 2 == 1)


def test_exponential_outages_among_losses_are_found_with_their_means() -> None:
    rng = np.random.default_rng(4)
    n = 400_000
    outage = down(rng, n, 30.0, 2.0)
    packets = record(outage | (rng.random(n) < 0.02))
    fit = fit_outages(packets, seed=1)
    ((gate, said),) = fit.gates()
    assert gate["kind"] == "on-off"
    assert "outages" in said
    for found in (fit.down_times, fit.up_times):
        assert found.chosen.name == "exponential", found.why
        assert found.chosen.is_accepted
    assert float(gate["down"].removesuffix("s")) == pytest.approx(2.0, rel=0.2)
    assert float(gate["up"].removesuffix("s")) == pytest.approx(30.0, rel=0.2)
    assert fit.down_times.chosen.parameters[0].covers(2.0)
    left = fit.without_outages(packets)
    assert (left.fate[outage] == LOST).mean() < 0.03  # outages too short to be told
    beside = (left.fate != packets.fate)[~outage].sum()  # losses at the edges of an outage
    assert beside < 0.1 * len(fit.outages[0])
    json.dumps(fit.json(), allow_nan=False)


@pytest.mark.parametrize("again", [0.0, 0.5, 0.9])
def test_bursts_of_a_loss_process_are_no_outages(again: float) -> None:
    rng = np.random.default_rng(5)
    n, lost, move = 200_000, False, rng.random(200_000)
    fates = np.empty(n, dtype=bool)
    for i in range(n):
        lost = move[i] < (again if lost else 0.01)
        fates[i] = lost
    fit = fit_outages(record(fates))
    assert sum(map(len, fit.outages)) == 0
    assert fit.gates() == []
    assert fit.why.startswith("none found")
    assert ". Outages are runs of at least" in fit.why
    assert fit.without_outages(record(fates)).fate.tolist() == record(fates).fate.tolist()


def test_the_rule_reaches_what_a_geometric_law_reaches_once_in_1000_records() -> None:
    lost = np.zeros(100_000, dtype=bool)
    lost[:90_000:100] = True  # 900 single losses
    lost[90_100:90_112] = True
    rule = outage_rule([record(lost)])
    assert (
        rule.packets == 4
    )  # 900 runs that go on with 1 / 902: 3 losses have 900 / 902^2 > 1 / 1000
    fit = fit_outages(record(lost))
    assert fit.outages[0].tolist() == [[90_100 * 20_000_000, 90_112 * 20_000_000]]
    short = lost.copy()
    short[90_108:90_112] = False
    assert fit_outages(record(short)).outages[0].tolist() == []  # 160 ms


def test_outages_at_the_ends_of_a_record_are_censored() -> None:
    lost = np.zeros(60_000, dtype=bool)
    lost[::97] = True
    for start in range(4_000, 60_000, 8_000):
        lost[start : start + 50 + start // 1_000] = True
    lost[:500] = True
    lost[-700:] = True
    fit = fit_outages(record(lost))
    assert len(fit.outages[0]) == 9
    assert fit.down_times.censored == 2
    assert fit.up_times.sojourns == 8


def test_delay_spikes_are_found_and_queues_that_fill_are_not() -> None:
    rng = np.random.default_rng(6)
    n = 200_000
    time = np.arange(n) * TICK
    start = np.cumsum(rng.exponential(40.0, 200) + 3.0)
    start = start[start < time[-1] - 3.0]
    length = rng.uniform(0.5, 2.0, len(start))
    delay = 40.0 + rng.gamma(2.0, 2.0, n)
    for begin, long in zip(start, length, strict=True):
        held = (time >= begin) & (time < begin + long)
        delay[held] += 1000.0 * (begin + long - time[held])
    fit = fit_outages(record(np.zeros(n, bool), delay))
    assert len(fit.spikes[0]) == len(start)
    found = fit.spikes[0] / 1e9
    assert np.abs(found[:, 0] - start).max() <= TICK
    assert np.abs(found[:, 1] - (start + length)).max() <= 0.04
    ((gate, said),) = fit.gates()
    assert gate["kind"] == "spikes"
    assert gate["timing"] == "gap"
    assert gate["interval"]["kind"] == "exponential"
    assert "delay spikes" in said
    left = fit.without_outages(record(np.zeros(n, bool), delay))
    assert left.delay.max() < 300e6
    ramp = 40.0 + 500.0 * (np.arange(n) % 1000 / 1000.0)  # a queue that fills, and is emptied
    assert len(fit_outages(record(np.zeros(n, bool), ramp)).spikes[0]) == 0


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(InputError, match="at least one packet"):
        fit_outages([])
    with pytest.raises(InputError, match="seed"):
        fit_outages(record(np.zeros(9, bool)), seed=-1)
