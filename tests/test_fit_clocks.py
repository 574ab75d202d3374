"""The clock of fitted losses: what slow probes tell, what they do not, and that it is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp.fitted.clocks import clock_remarks, is_clock_assumed, time_text
from airtcp.fitted.packets import _rivals
from airtcp.fitted.records import RecordedLink
from airtcp.fitting import losses as module
from airtcp.fitting.chains import Chain
from airtcp.fitting.losses import SPARSE_FACTOR, LossFit, LossModel, fit_losses
from airtcp.fitting.outages import fit_outages
from airtcp.measured.measurement import UNKNOWN, Packets

MS = 1_000_000
PROBE = 200 * MS
AIRTIME = 0.6 * MS  # of a full packet at 20 Mbit/s
BURSTS = Chain(np.array([[0.99, 0.01], [0.25, 0.75]]), np.array([0.0, 1.0]))


def packets_of(fate: Any, time: Any) -> Packets:
    n = len(fate)
    return Packets(
        time=np.asarray(time, dtype=np.int64),
        fate=np.asarray(fate, dtype=np.int8),
        delay=np.full(n, -1, dtype=np.int64),
        size=np.zeros(n, dtype=np.int32),
        cause=np.full(n, UNKNOWN, dtype=np.int8),
        delays="round trip",
    )


def even(apart: float, chain: Chain = BURSTS, n: int = 3000) -> Packets:
    return packets_of(chain.simulate(n, (1, 0)), np.arange(n) * int(apart))


def fit(packets: Packets, **options: Any) -> LossFit:
    return fit_losses(packets, models=["Gilbert"], traffic=AIRTIME, draws=19, **options)


def remarks_on(found: LossFit, model: LossModel | None = None) -> list[str]:
    model = model or found.chosen
    return list(clock_remarks(found, model, AIRTIME, ("cubic",), ([18e6], [0.4e6])))


def test_bad_states_seen_by_slow_probes_last_as_long_for_fast_traffic() -> None:
    found = fit(even(PROBE))
    assert found.chosen.clock == "time"
    assert found.chosen.channel()["clock"] == "200ms"
    (note,) = remarks_on(found)
    for word in ("200 ms apart", "0.6 ms", "--clock packet", "cubic 0.4 instead of 18 Mbit/s"):
        assert word in note


@pytest.mark.parametrize(
    ("times", "clock"), [(SPARSE_FACTOR - 1, "packet"), (SPARSE_FACTOR + 1, "time")]
)
def test_a_record_nearly_as_dense_as_the_traffic_keeps_the_packet_clock(
    times: int, clock: str
) -> None:
    found = fit(even(times * AIRTIME))
    assert found.chosen.clock == clock
    assert is_clock_assumed(found) == (clock == "time")


def test_a_clock_that_was_asked_for_is_taken() -> None:
    found = fit(even(PROBE), clock="packet")
    assert found.chosen.clock == "packet"
    assert "--clock time" in remarks_on(found)[0]


def test_independent_losses_have_no_clock_but_slow_probes_do_not_tell_how_long_they_last() -> None:
    found = fit(even(PROBE, Chain(np.ones((1, 1)), np.array([0.02]))))
    assert found.chosen.name == "independent"
    (note,) = remarks_on(found)
    assert "single packets" in note
    assert "evenly spaced" not in note
    dense = fit(even(AIRTIME, Chain(np.ones((1, 1)), np.array([0.02]))))
    assert remarks_on(dense) == []


def one_at_a_time(n: int) -> Packets:
    """Probes of a chain that moves every 200 ms, the next one 5 s after a lost one."""
    slots = Chain(np.array([[0.998, 0.002], [0.08, 0.92]]), np.array([0.0, 1.0])).simulate(
        12 * n, (3, 0)
    )
    at, fate, time = 0, [], []
    for _ in range(n):
        fate.append(slots[at])
        time.append(at * PROBE)
        at += 25 if slots[at] else 1
    return packets_of(fate, time)


def test_a_loss_rate_of_time_is_told_beside_that_of_the_packets() -> None:
    packets = one_at_a_time(20_000)
    found = fit(packets, clock="time")
    gilbert = next(model for model in found.models if model.name == "Gilbert")
    assert gilbert.chain.loss_rate > 3.0 * packets.fate.mean()
    note = remarks_on(found, gilbert)[-1]
    assert f"{100 * gilbert.chain.loss_rate:.3g} % of the time" in note
    assert f"{100 * packets.fate.mean():.3g} %" in note
    assert "more seldom while the link was bad" in note


def test_simulated_records_of_a_tool_that_waits_have_its_waits() -> None:
    """With the waits of the record they would meet bad times far more often than it did."""
    packets = replace(one_at_a_time(20_000), waits=True)
    found = fit(packets, clock="time")
    gilbert = next(model for model in found.models if model.name == "Gilbert")
    records = RecordedLink(packets, fit_outages(packets), found)
    lost, drawn = sum(records.recorded_channel("time")["lost"]), records.simulated_records(gilbert)
    others = [sum(drawn(number)["lost"]) for number in range(10)]
    assert abs(np.mean(others) / lost - 1.0) < 0.3


def rejecting(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> LossFit:
    """A fit in which the tests reject these models."""
    real = module._LossFitter._with_test

    def tested(self: Any, model: LossModel) -> LossModel:
        return replace(real(self, model), p_value=0.01 if model.name in names else 0.5)

    monkeypatch.setattr(module._LossFitter, "_with_test", tested)
    found = fit_losses(even(AIRTIME), models=["Gilbert", "Gilbert-Elliott"], draws=19)
    assert {model.name for model in found.models if not model.is_accepted} == set(names)
    return found


def test_a_rejected_model_is_not_chosen_while_others_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rejecting(("Gilbert", "independent"), monkeypatch)
    assert found.chosen.name == "Gilbert-Elliott"
    assert "of the models that fit" in found.why
    assert _rivals(found) == []


def test_if_all_are_rejected_the_best_is_taken_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = rejecting(("Gilbert", "independent", "Gilbert-Elliott"), monkeypatch)
    assert found.chosen.name == "Gilbert"
    assert "no model fits" in found.why


def test_the_record_holds_a_fate_for_its_time(tmp_path: Path) -> None:
    path = tmp_path / "probes.txt"
    fate = BURSTS.simulate(1500, (1, 0))
    lines = [f"{0.2 * k:.3f}\t{k}\t40.0" for k in range(1500) if not fate[k]]
    path.write_text("\n".join(lines))
    found = airtcp.fit(path, replay=True, check=False)
    channel = found.scenario.points()[0].data["path"]["hop"][0]["channel"]
    assert channel["clock"] == "200ms"
    assert any("the files do not show" in remark for remark in found.parts.remarks)


@pytest.mark.parametrize(
    ("ns", "said"), [(2e8, "200 ms"), (0.9994e9, "999 ms"), (0.9998e9, "1 s"), (1.25e10, "12.5 s")]
)
def test_times_are_said_without_powers_of_ten(ns: float, said: str) -> None:
    assert time_text(ns) == said
