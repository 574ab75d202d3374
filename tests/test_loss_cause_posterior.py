"""The posterior of causes of losses: features of losses by hand, and the fit of coefficients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import special

from airtcp.measured.causes_delays import Span
from airtcp.measured.causes_posterior import FEATURES, INTERCEPT, features, posterior
from airtcp.measured.measurement import ARRIVED, LOST, UNKNOWN, Packets
from modules import module

made = module("loss_cause_posterior")
MS = 1_000_000
SPAN = Span(10.0 * MS, 10.0 * MS, 30.0 * MS, 1.0 * MS)


def row_of(place: int, lost: list[int], times: list[int], delays: list[int]) -> dict[str, float]:
    """Features of the loss at a place; times and delays in ms."""
    number = len(times)
    fate = np.full(number, ARRIVED, dtype=np.int8)
    fate[lost] = LOST
    delay = np.where(fate == LOST, -1, np.array(delays) * MS)
    packets = Packets(
        time=np.array(times) * MS,
        fate=fate,
        delay=delay.astype(np.int64),
        size=np.full(number, 1500, dtype=np.int32),
        cause=np.full(number, UNKNOWN, dtype=np.int8),
        delays="round trip",
    )
    places = np.array(lost)
    bounds = np.full(len(lost), 0.2), np.full(len(lost), 0.9)
    found = features(packets, places, np.flatnonzero(delay >= 0), SPAN, bounds)
    return dict(zip(FEATURES, found[lost.index(place)].tolist(), strict=True))


def test_features_are_those_counted_by_hand() -> None:
    times = [*range(0, 200, 5)]
    delays = [20] * 20 + [12] * 20  # a round trip of 20 or 12 ms
    row = row_of(20, [5, 19, 20, 22, 35], times, delays)
    rate = 5 / 40
    assert row == pytest.approx(
        {
            "least probability, logit": special.logit(0.2),
            "greatest probability, logit": special.logit(0.9),
            "losses in a round trip before, ln(1 + n)": np.log(2),
            "losses in a round trip behind, ln(1 + n)": np.log(2),
            "consecutive losses, ln n": np.log(2),
            "rise of the delay, ranges": (12.0 - 20.0) / 20.0,
            "rate of losses that are likely the link's, ln": np.log(0.45 * rate + 1e-6),
            "rate of losses, ln": np.log(rate + 1e-6),
            "packets in a round trip before and behind, ln(1 + n)": np.log(1 + 4 + 4),
        },
        abs=1e-9,
    )


def test_losses_sent_at_once_are_before_and_behind_one_another() -> None:
    times = [*range(0, 50, 5), 50, 50, 50, *range(55, 105, 5)]
    row = row_of(11, [10, 11, 12], times, [15] * len(times))
    assert row["losses in a round trip before, ln(1 + n)"] == np.log(2)
    assert row["losses in a round trip behind, ln(1 + n)"] == np.log(2)
    assert row["packets in a round trip before and behind, ln(1 + n)"] == np.log(1 + 3 + 3)


def test_losses_nearby_speak_for_the_queue_and_consecutive_ones_against_it() -> None:
    row = np.zeros((1, len(FEATURES)))
    row[0, FEATURES.index("rate of losses, ln")] = np.log(0.02)
    row[0, FEATURES.index("rate of losses that are likely the link's, ln")] = np.log(0.01)
    (usual,) = posterior(row)
    for name, sign in (
        ("least probability, logit", 1),
        ("greatest probability, logit", 1),
        ("losses in a round trip before, ln(1 + n)", 1),
        ("losses in a round trip behind, ln(1 + n)", 1),
        ("consecutive losses, ln n", -1),
        ("rise of the delay, ranges", -1),
        ("packets in a round trip before and behind, ln(1 + n)", -1),
    ):
        other = row.copy()
        other[0, FEATURES.index(name)] += 0.5
        assert sign * (posterior(other)[0] - usual) > 0.0, name


def test_a_fit_finds_the_coefficients_that_made_the_data(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    true = np.array([1.0, -0.5, 0.3])
    rows = rng.normal(size=(40_000, 2))
    by_queue = rng.random(40_000) < special.expit(rows @ true[:2] + true[2])
    found = made.fit(rows, by_queue.astype(np.float64), np.ones(40_000))
    assert found == pytest.approx(true, abs=0.05)
    path = tmp_path / "table.csv"
    made.write(np.arange(len(FEATURES) + 1.0), path)
    lines = path.read_text().splitlines()
    assert lines[0] == "feature,coefficient"
    assert lines[-1] == f"{INTERCEPT},{len(FEATURES)}.0000"
    names = [line.rpartition(",")[0].strip('"') for line in lines[1:]]
    assert names == [*FEATURES, INTERCEPT]
    packaged = made.TABLE.read_text().splitlines()
    assert [line.rpartition(",")[0].strip('"') for line in packaged[1:]] == names


def test_captures_of_the_fit_are_none_of_the_study() -> None:
    study = module("loss_causes")
    used = {study.MATRICES[name].case(n) for name in study.MATRICES for n in range(200)}
    assert not used & {made.case(n) for n in range(200)}
    assert {seed for *_, seed in used}.isdisjoint(made.case(n)[2] for n in range(300))
