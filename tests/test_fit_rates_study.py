"""The study of fits of rates in small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from modules import module

study = module("fit_rates_coverage")
beside = module("fit_rates_tcp")


def test_intervals_cover_the_truth() -> None:
    table = study.rows(4, lambda _: map)
    assert (table["covered"] >= 2).all()  # of 4 at 95 %, once in 2000
    assert (table["rejected"] <= 2).all()


def test_a_study_finds_intervals_that_are_too_narrow() -> None:
    table = study.rows(4, lambda _: map, narrow=0.05)
    assert table["covered"].sum() <= table["records"].sum() // 4


def test_broken_promises_are_found_beyond_chance() -> None:
    row = {"memories": "0.5 s", "parameter": "mean rate", "records": 40, "rejected": 2}
    fine = pd.DataFrame([row | {"covered": 38}])
    assert study.broken(fine) == []
    assert study.broken(fine.assign(covered=24))
    assert study.broken(fine.assign(rejected=12))


def test_the_page_is_that_of_its_table() -> None:
    table = pd.read_csv(study.TABLE)
    assert study.PAGE.read_text(encoding="utf-8") == study.page(table)
    names = [(process.name, name) for process in study.PROCESSES for name in process.truth]
    assert list(zip(table["memories"], table["parameter"], strict=True)) == names
    assert (table["records"] >= study.RECORDS).all()
    assert study.broken(table) == []


def test_limits_have_the_figures_of_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times, table = pd.read_csv(study.TRANSFERS), pd.read_csv(study.FURTHER_TCP)
    times.loc[times["trace"] == "ATT-LTE-driving-2016.up", "error"] = 0.0123
    monkeypatch.setattr(study, "TRANSFERS", tmp_path / "transfers.csv")
    monkeypatch.setattr(study, "FURTHER_TCP", tmp_path / "tcp.csv")
    times.to_csv(study.TRANSFERS, index=False)
    table.assign(goodput=1.31, delay=1.27).to_csv(study.FURTHER_TCP, index=False)
    said = "\n".join(study.limits())
    assert "the error of transfer times is 1.2 %, of a bound of 6.7 %" in said
    assert "are 31 to 31 % too high over the processes" in said
    assert "which are 27 to 27 % too large in steps of 20 ms" in said
    assert "too large over processes of some further traces, up to 27 % (" in said


def test_transfers_and_flows_that_differ_are_found() -> None:
    times = pd.DataFrame([{"trace": "a", "error": 0.05}, {"trace": "b", "error": 0.08}])
    row = {"trace": "a", "queue": "50", "tcp": "reno", "goodput_se": 0.01, "delay_se": 0.01}
    fine, slow, late = (
        {"goodput": g, "delay": d} for g, d in ((1.05, 0.9), (0.8, 1.0), (1.0, 1.3))
    )
    table = pd.DataFrame([row | ratios for ratios in (fine, slow, late)])
    words = [text.split()[-4:-2] for text in beside.broken(times, table)[1:]]
    assert "b: transfer times 8.0 %" in beside.broken(times, table)
    assert words == [["goodput", "0.800"], ["delay", "1.300"]]


def test_two_samples_of_one_link_differ_by_chance() -> None:
    rng = np.random.default_rng(1)
    times = rng.gamma(4.0, 1.0, (160, 12))
    assert 0.02 < beside.by_chance(times) < 0.12
    assert beside.mean_error(times, times) == 0.0
    assert beside.mean_error(1.5 * times, times) == pytest.approx(0.5)


def test_tables_of_traces_keep_the_promise_of_transfers() -> None:
    times = pd.read_csv(beside.TRANSFERS)
    assert times["trace"].tolist() == list(beside.NAMES)
    assert (times["error"] <= beside.TRANSFER).all()
    table = pd.read_csv(beside.TCP)
    assert len(table) == len(beside.NAMES) * len(beside.QUEUES) * 3
    assert beside.broken(times, table) == []
    assert beside.broken(times, table.assign(goodput=0.8))


def test_further_traces_are_those_of_the_named_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIRTCP_FURTHER_TRACES", raising=False)
    assert beside.further_names() == []
    for name in ("walk.up", beside.NAMES[0], "notes.txt"):
        (tmp_path / name).write_text("5\n9\n")
    monkeypatch.setenv("AIRTCP_FURTHER_TRACES", str(tmp_path))
    assert beside.further_names() == ["walk.up"]
    assert beside.opportunities("walk.up").tolist() == [5, 9]


def test_each_further_trace_has_a_seed_of_its_own() -> None:
    assert {beside.seed_of(name) for name in beside.NAMES} == {1}
    assert len({beside.seed_of(name) for name in ("a.up", "a.down", "b.up")}) == 3


def test_even_steps_keep_the_opportunities_and_lose_the_bunches() -> None:
    hop = beside.evened(np.array([1, 1, 1, 7, 19, 23, 40]), 20)  # 40 is the beginning anew
    per_step = beside.OPPORTUNITY * 50
    assert hop["rates"]["values"].splitlines() == [f"0 {6 * per_step}", f"20000000 {per_step}"]
    assert hop["rates"]["end"] == "repeat"


def test_the_answer_of_a_fit_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRTCP_FURTHER_TRACES", str(tmp_path))
    draws = np.random.default_rng(1).integers(0, 20, size=800)  # opportunities in bunches of 20 ms
    at = np.repeat(20 * np.arange(800) + 19, draws).tolist()
    (tmp_path / "bunches.up").write_text("\n".join(map(str, [*at, 16_000])) + "\n")
    found = beside.answer("bunches.up", 0)
    assert found["step_ms"] == 20
    assert found["bunch"] > 5
    assert found["written"] == "trace"


def test_the_page_counts_what_is_written() -> None:
    said = pd.concat([pd.read_csv(study.ANSWERS), pd.read_csv(study.FURTHER_ANSWERS)])
    assert set(beside.NAMES) < set(said["trace"])
    further = pd.read_csv(study.FURTHER_TRANSFERS)["trace"].tolist()
    assert pd.read_csv(study.FURTHER_ANSWERS)["trace"].tolist() == further
    number = int((said["written"] == "trace").sum())
    text = "\n".join(study.written())
    assert f"So {number} of {len(said)} scenarios have the trace" in text
