"""Lahanas and Tsaoussidis (2002): a quick run of the reproduction, once, and what it must show.

Random numbers come from fixed seeds; nothing is retried. Claims are judged on 10 resamples of the
runs, not on the 40 of a reproduction (`few_resamples`): the shares of their verdicts are tenths.
"""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import airtcp
from airtcp.campaign.journal import Journal
from airtcp.cli.main import main
from airtcp.papers.base import Reproduction, printed_table
from airtcp.papers.lahanas import best, cells, claims, drawing, study
from airtcp.papers.lahanas.pairs import paired_differences
from airtcp.plot.style import svg
from campaigns import kept, tasks_run

KEYS = [
    "protocol",
    "on_s",
    "error_rate_pct",
    "runs",
    "time_mean_s",
    "time_sd_s",
    "overhead_mean_pct",
    "overhead_sd_pct",
]
FOUR = ["tahoe", "tahoe-probing", "reno", "reno-probing"]
THREE = ["tahoe-probing", "reno-probing", "adaptive"]
TWO = ["adaptive", "skip"]
SHOWN = {  # what each figure of the paper shows
    **{f"fig{n}": (FOUR, "time_s", on) for n, on in ((2, 1), (3, 3), (4, 4))},
    **{f"fig{n}": (FOUR, "overhead_pct", on) for n, on in ((5, 1), (6, 3), (7, 4))},
    **{f"fig{n}": (THREE, "time_s", on) for n, on in ((9, 1), (10, 2), (12, 3), (13, 4))},
    **{f"fig{n}": (THREE, "overhead_pct", on) for n, on in ((14, 1), (15, 2), (16, 3), (17, 4))},
    **{f"fig{n}": (TWO, "time_s", on) for n, on in ((18, 1), (19, 2), (20, 3), (21, 4))},
    **{f"fig{n}": (TWO, "overhead_pct", on) for n, on in ((22, 1), (23, 2), (24, 3), (25, 4))},
}
PARTS = ["table1", "table2", "table3", "table4", *SHOWN, "best"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lahanas")


@pytest.fixture(scope="module")
def whole(folder: Path, few_resamples: None) -> Reproduction:
    return airtcp.reproduce("lahanas", quick=True, seed=1, out=folder)


@pytest.fixture(scope="module")
def full() -> study.LahanasStudy:
    """As many runs per cell as the reference has; cells are simulated when asked for."""
    return study.LahanasStudy(seed=1)


def test_all_parts_are_there(whole: Reproduction, folder: Path) -> None:
    assert [part.slug for part in whole.parts] == PARTS
    for part in whole.parts:
        assert len(pd.read_csv(folder / f"{part.slug}.csv")) == len(part.table)
    for name in [*SHOWN, "best"]:
        figure = whole[name].figure
        assert figure is not None
        assert (folder / f"{name}.svg").read_text(encoding="utf-8") == svg(figure)


@pytest.mark.parametrize("name", SHOWN)
def test_a_figure_shows_what_that_of_the_paper_does(whole: Reproduction, name: str) -> None:
    protocols, quantity, on = SHOWN[name]
    table = whole[name].table
    assert list(dict.fromkeys(table["protocol"])) == protocols
    assert set(table["quantity"]) == {quantity}
    assert set(table["on_s"]) == {on}
    assert table["error_rate_pct"].tolist() == [0, 1, 10, 20, 33, 50, 99] * len(protocols)
    text = svg(whole[name].figure)
    words = ["Error rate while On (%)", drawing.LABELS[quantity], "printed"]
    assert all(
        word in text for word in [*words, *(study.WORDS[protocol] for protocol in protocols)]
    )


def test_cells_are_a_list_for_programs(whole: Reproduction, folder: Path) -> None:
    asked = ["reproduce", "lahanas", "--quick", "--out", str(folder), "--format", "json"]
    found = json.loads(CliRunner().invoke(main, asked).stdout)["cells"]  # as it was kept
    assert len(found) == 6 * 4 * 7
    assert all(list(row) == KEYS for row in found)
    assert {row["protocol"] for row in found} == set(study.PROTOCOLS)
    assert {row["runs"] for row in found} == {20}
    assert found == whole.tables["cells"].to_dict("records")
    assert len(pd.read_csv(folder / "cells.csv")) == len(found)


def test_the_printed_numbers_are_all_there(whole: Reproduction) -> None:
    tables = pd.concat([whole[f"table{on}"].table for on in study.ON_LENGTHS])
    assert len(tables) == 2 * 6 * 4 * 7
    by_cell = tables.set_index(["quantity", "protocol", "on_s", "error_rate_pct"])["printed"]
    assert by_cell["time_s", "tahoe", 4, 99] == "296.4"
    assert by_cell["time_s", "adaptive", 1, 99] == "19.6"
    assert by_cell["overhead_pct", "reno", 3, 99] == "2.35"
    assert by_cell["overhead_pct", "skip", 2, 1] == "1.62"


def test_reference_cells(full: study.LahanasStudy) -> None:
    """Within 3 standard errors of both plus 3 % of time, 0.03 points of overhead.

    [lahanas reading, section 4]
    """
    known = printed_table("lahanas_reference", numbers=True)
    assert len(known) == 24
    for row in known.itertuples():
        place = (row.protocol, row.on_s, row.error_rate_pct)
        time, overhead = (full.values(quantity, *place) for quantity in study.QUANTITIES)
        both = 3.0 * math.sqrt(1.0 / time.size + 1.0 / row.runs)
        assert abs(time.mean() - row.time_mean_s) <= both * row.time_sd_s + 0.03 * row.time_mean_s
        gap = abs(overhead.mean() - row.overhead_mean_pct)
        assert gap <= both * row.overhead_sd_pct + 0.03


def test_without_errors_all_take_the_same(full: study.LahanasStudy) -> None:
    for protocol in study.PROTOCOLS:
        time, overhead = (full.values(quantity, protocol, 1, 0) for quantity in study.QUANTITIES)
        assert np.ptp(time) == np.ptp(overhead) == 0.0
        assert time[0] == pytest.approx(12.797, abs=5e-4)
        assert overhead[0] == pytest.approx(1.4107, abs=5e-5)


def test_protocols_meet_the_same_phases(full: study.LahanasStudy) -> None:
    """At 99 % losses are found by timeout: Tahoe and Reno do the same, but for a few runs."""
    first, second = (full.values("time_s", name, 1, 99) for name in ("tahoe", "reno"))
    assert (first == second).mean() > 0.9
    assert np.ptp(first) > 10.0


def test_verdicts_that_do_not_hang_on_chance(whole: Reproduction) -> None:
    found = {claim.name: claim.verdict for claim in whole.claims}
    assert found["without-errors"] == "holds"
    assert found["overhead-3s"] == "fails"
    assert found["adaptive-best-99-1s"] == "fails"
    assert found["ten-runs-enough"] == "fails"


def test_probing_pays_at_99_percent(full: study.LahanasStudy) -> None:
    for judge in (claims.faster_at_99, claims.less_overhead_at_99):
        assert judge(full).verdict == "holds"


def test_every_claim_is_judged_by_numbers(whole: Reproduction) -> None:
    names = [claim.name for claim in whole.claims]
    assert len(names) == len(set(names)) == 22
    for claim in whole.claims:
        assert claim.numbers
        assert all(math.isfinite(value) for value in claim.numbers.values()), claim.name
        assert re.search(r"\d", claim.finding)
        assert claim.text.endswith(".")
        assert claim.finding.endswith(".")


def test_chance_of_a_printed_number() -> None:
    means = np.array([1.0, 2.0, 3.0, 4.0])
    assert cells.probability_of_printed("2.5", means) == 1.0
    assert cells.probability_of_printed("1", means) == 0.5  # one of four at or below 1.5, twice
    assert cells.probability_of_printed("4.6", means) == 0.0
    assert cells.probability_of_printed("4.0", means) == 0.5
    assert cells.probability_of_printed("1.41", np.full(9, 1.4107)) == 1.0
    assert cells.probability_of_printed("12.9", np.full(9, 12.797)) == 0.0


def test_means_of_ten_runs_scatter_as_such() -> None:
    """Their mean is that of the runs, their sd that over the root of 10: 10 000 draws, 5 sigma."""
    values = np.random.Generator(np.random.Philox(7)).exponential(size=200)
    means = cells.ten_run_means(values, seed=1)
    sd = values.std() / math.sqrt(10)
    assert means.mean() == pytest.approx(values.mean(), abs=5 * sd / math.sqrt(means.size))
    assert means.std() == pytest.approx(sd, rel=0.05)
    other = cells.ten_run_means(values, 1, series=1)
    assert abs(np.corrcoef(means, other)[0, 1]) < 5 / math.sqrt(means.size)


class Made(study.LahanasStudy):
    """Values that are made up: Skip is faster than all by 5 s with 1 % errors, else all alike."""

    def values(self, quantity: str, protocol: str, on: int, rate: int) -> study.Floats:
        noise = np.random.Generator(np.random.Philox(key=[1, on])).exponential(size=50)
        own = np.random.Generator(np.random.Philox(key=[2, sum(protocol.encode())])).normal(size=50)
        return 20.0 + noise + 0.01 * own - 5.0 * (protocol == "skip" and rate == 1)


def test_the_map_knows_a_difference_from_none() -> None:
    found = best.best_protocols(Made(), "time_s").set_index(["on_s", "error_rate_pct"])
    for on in study.ON_LENGTHS:
        row = found.loc[(on, 1)]
        assert (row["best"], row["alike"]) == ("skip", "")
        assert row["adjusted_p"] < 1e-9
        assert row["relative"] == pytest.approx(-5.0 / 21.0, rel=0.1)
        other = found.loc[(on, 50)]
        assert len(other["alike"].split()) == 5
        assert other["adjusted_p"] == 1.0


def test_significance_is_corrected_over_the_whole_claim() -> None:
    pairs = [("skip", "adaptive"), ("reno", "tahoe-probing")]
    found = paired_differences(Made(), "time_s", pairs, study.ON_LENGTHS, (1, 50))
    certain = (found["one"] == "skip") & (found["error_rate_pct"] == 1)
    assert (found.loc[certain, "sign"] == -1.0).all()
    assert (found["adjusted"] >= found["p"]).all()
    assert (found["adjusted"] == np.minimum(1.0, found["adjusted"])).all()
    assert found.loc[certain, "adjusted"].max() < 1e-9


def test_a_quick_map_is_all_alike_without_errors(whole: Reproduction) -> None:
    table = whole["best"].table
    clean = table[table["error_rate_pct"] == 0]
    assert (clean["alike"].str.split().str.len() == 5).all()
    worst = table[(table["error_rate_pct"] == 99) & (table["quantity"] == "time_s")]
    assert set(worst["best"]) <= set(study.PROBING_PROTOCOLS)
    assert (worst["relative"] < 0.0).all()


def test_the_number_of_runs_is_the_users() -> None:
    found = airtcp.reproduce("lahanas/table2", runs=3)
    assert set(found.tables["cells"]["runs"]) == {3}
    assert found.facts["runs"] == found.facts["runs per cell"] == 3
    first = airtcp.reproduce("lahanas/table2", runs=2).tables["cells"]
    assert not np.array_equal(first["time_mean_s"], found.tables["cells"]["time_mean_s"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["zorzi", "--runs", "50"], "runs = 50: zorzi offers no choice of runs; lahanas does"),
        (["--runs", "50"], "runs = 50: zorzi offers no choice of runs; lahanas does"),
        (["lahanas", "--runs", "1"], "runs = 1: must be a whole number from 2 to 1000000"),
        (["lahanas/fig8"], "target = 'lahanas/fig8'"),
        (["lahanas/fig11"], "target = 'lahanas/fig11'"),
    ],
)
def test_refusals_are_one_line(words: list[str], message: str) -> None:
    found = CliRunner().invoke(main, ["reproduce", *words])
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_the_page_repeats_the_number_of_runs(tmp_path: Path) -> None:
    found = airtcp.reproduce("lahanas/table1", runs=2, seed=5, out=tmp_path)
    assert found.report is not None
    page = found.report.read_text(encoding="utf-8")
    assert "airtcp reproduce lahanas/table1 --runs 2 --seed 5" in page
    assert len(pd.read_csv(tmp_path / "table1-cells.csv")) == 42
    again = airtcp.reproduce("lahanas/table1", runs=2, seed=5, out=tmp_path, again=False)
    pd.testing.assert_frame_equal(again.tables["cells"], found.tables["cells"])
    assert list(again.facts) == list(found.facts)


TARGET, RUNS = "lahanas/table1", 20
ALL = 6 * 7 * RUNS
KILLED = f"""
import os, signal, sys
import airtcp
from airtcp.campaign.journal import Journal
add, runs_kept = Journal.add, 0
def add_and_die(self, runs):
    global runs_kept
    runs = list(runs)
    add(self, runs)
    runs_kept += len(runs)
    if runs_kept > {ALL} // 2:
        os.kill(os.getpid(), signal.SIGKILL)
Journal.add = add_and_die
airtcp.reproduce("{TARGET}", runs={RUNS}, out=sys.argv[1])
"""


def test_killed_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = airtcp.reproduce(TARGET, runs=RUNS)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    goes_on(tmp_path, monkeypatch, expected)


def test_interrupted_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = airtcp.reproduce(TARGET, runs=RUNS)
    add, sizes = Journal.add, []

    def interrupting(self: Journal, runs: Iterable[tuple[object, int, bytes]]) -> None:
        rows = list(runs)
        add(self, rows)
        sizes.append(len(rows))
        if sum(sizes) > ALL // 2:
            monkeypatch.setattr(Journal, "add", add)
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", interrupting)
    words = ["reproduce", TARGET, "--runs", str(RUNS), "--out", str(tmp_path)]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 130
    assert f"finished runs are in {tmp_path}; the same command continues" in found.stderr
    goes_on(tmp_path, monkeypatch, expected)


def goes_on(out: Path, monkeypatch: pytest.MonkeyPatch, expected: Reproduction) -> None:
    """Runs that were kept are not run again, and the result is that of an uninterrupted run."""
    before = kept(out / "runs.sqlite")
    assert ALL // 2 < len(before) < ALL
    tasks = tasks_run(monkeypatch)
    found = airtcp.reproduce(TARGET, runs=RUNS, out=out)
    assert len(tasks) == ALL - len(before)
    assert before.items() <= kept(out / "runs.sqlite").items()
    pd.testing.assert_frame_equal(found.table, expected.table)


def test_progress_is_known_from_the_start() -> None:
    seen: list[tuple[float, float]] = []
    airtcp.reproduce(
        "lahanas/fig2", runs=2, progress=lambda what, done, total: seen.append((done, total))
    )
    assert len({done for done, _ in seen}) == 8  # seven error rates and the figure
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == pytest.approx(seen[-1][1])
