"""Chockalingam, Zorzi and Tralli (1999): a thinned quick run of the reproduction; what it shows.

Random numbers come from fixed seeds; nothing is retried. Claims are judged on 10 resamples of the
runs, not on the 40 of a reproduction (`few_resamples`): the shares of their verdicts are tenths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import airtcp
from airtcp.papers.base import Reproduction
from airtcp.papers.chockalingam import PAPER, misfit, study
from airtcp.papers.chockalingam.curves import REFERENCE_TOLERANCE, reference, with_reference
from airtcp.plot.style import svg
from campaigns import tasks_run

# Exact P_E and r with the digits of [chockalingam reading, section 9]: code, Hz, dB.
EXACT = {
    ("none", 1, 10): (0.330156, 0.123343),
    ("none", 10, 20): (0.0398572, 0.15244),
    ("none", 100, 30): (5.10354e-3, 0.5086),
    ("bch(255,87)", 1, 30): (9.139e-4, 0.07986),
    ("bch(255,87)", 10, 20): (9.3247e-3, 0.14553),
    ("bch(255,87)", 100, 10): (0.10148, 0.3410),
}
THIN = replace(study.ChockalingamStudy.QUICK, snrs=(10.0, 20.0, 30.0))
FIGURES = [f"fig{number}" for number in range(2, 9)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chockalingam")


@pytest.fixture(scope="module", autouse=True)
def thin(few_resamples: None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study.ChockalingamStudy, "QUICK", THIN)
        yield


@pytest.fixture(scope="module")
def whole(folder: Path) -> Reproduction:
    return airtcp.reproduce("chockalingam", quick=True, seed=1, out=folder)


def test_all_parts_are_there_with_figures(whole: Reproduction, folder: Path) -> None:
    assert [part.slug for part in whole.parts] == list(PAPER.parts)
    for part in whole.parts:
        assert len(part.table)
        assert part.claims
        assert len(pd.read_csv(folder / f"{part.slug}.csv")) == len(part.table)
        if part.slug != "table1":
            assert part.figure is not None
            assert (folder / f"{part.slug}.svg").read_text(encoding="utf-8") == svg(part.figure)


@pytest.mark.parametrize("entry", EXACT)
def test_table_1_has_the_exact_values(whole: Reproduction, entry: tuple[str, float, float]) -> None:
    """To the accuracy stated there: uncoded up to 10 Hz its digits, coded 0.2 %, at 100 Hz 0.3 %.

    With finer rules and nets r of bch(255,87) at 10 Hz and 20 dB converges to .145508.
    """
    table = whole["table1"].table
    code, doppler, snr = entry
    here = table[(table["code"] == code) & (table["doppler"] == doppler) & (table["snr"] == snr)]
    tolerance = 3e-3 if doppler == 100 else 1e-4 if code == "none" else 2e-3
    np.testing.assert_allclose(here["exact"], EXACT[entry], rtol=tolerance)


def test_our_bits_agree_with_the_exact_table(whole: Reproduction) -> None:
    """36 intervals; that one |z| is above 4 by chance has a probability of 0.002."""
    table = whole["table1"].table
    assert len(table) == 36
    assert table["bits_z"].abs().max() < 4.0


@pytest.mark.parametrize("figure", FIGURES)
def test_the_model_is_within_two_thousandths_of_the_reference(
    whole: Reproduction, figure: str
) -> None:
    known = with_reference(whole[figure].table, figure)
    expected = reference(figure)
    if expected["snr"].notna().any():
        expected = expected[expected["snr"].isin(THIN.snrs)]
    assert len(known) == len(expected) > 0
    # The reference of Fig. 8 is simulated [chockalingam reading, section 10].
    within = 0.01 if figure == "fig8" else REFERENCE_TOLERANCE
    gaps = (known["throughput"] - known["reference"]).abs()
    assert (gaps < within + known["rounded"]).all()


@pytest.mark.parametrize("figure", FIGURES)
def test_the_model_agrees_with_its_simulation(whole: Reproduction, figure: str) -> None:
    found = whole[figure].agreement
    assert found is not None
    assert found.points >= 8
    assert found.chance > 1e-3
    assert found.largest_z < 4.0


def test_throughput_on_the_fading_is_that_of_the_reference(whole: Reproduction) -> None:
    table = whole["misfit"].table
    assert len(table) == len(misfit.points()) == 12
    assert table["reference"].notna().all()
    allowed = 4.0 * table["standard_error"] + 0.0005  # 4 runs: 3 would miss too often
    assert ((table["fading"] - table["reference"]).abs() < allowed).all()


def test_verdicts_that_do_not_hang_on_chance(whole: Reproduction) -> None:
    found = {claim.name: claim.verdict for claim in whole.claims}
    assert len(found) == len(whole.claims)
    expected = {
        "table1-bursty": "holds",
        "correlation-benefits": "holds",
        "short-packets-fast": "holds",
        "burst-low-loss": "partly",
        "worst-burst": "holds",
        "persistent-arq": "partly",
        "sixteen-needed-fit": "partly",
        "sixteen-needed-fading": "fails",
        "persistence-pays": "partly",
        "fit-reasonable": "fails",
    } | {f"{number}-reference": "holds" for number in range(2, 9)}
    assert {name: found[name] for name in expected} == expected


def test_the_fit_replaces_long_fades_by_short_bursts(whole: Reproduction) -> None:
    """At 1 Hz few attempts do far better on the fading than on its fit, and 128 worse."""
    table = whole["misfit"].table.set_index(["doppler", "attempts"])
    slow = table.loc[1.0]
    assert (slow["fading"][[1, 8, 16]] > 5.0 * slow["throughput"][[1, 8, 16]]).all()
    assert slow["fading"][128] < slow["throughput"][128]


def test_energy_counts_parity_and_repetitions(whole: Reproduction) -> None:
    """A codeword of 255 bits carries less than 131 or 87; the last word is not full."""
    table = whole["energy"].table.dropna(subset=["fading"])
    words = {"none": 256, study.HALF_RATE_CODE: 2 * 255, study.THIRD_RATE_CODE: 3 * 255}
    least = table["code"].map(words) / 256.0
    assert (table["fading_bits"] > least).all()
    assert (table["bits"] > least).all()
    np.testing.assert_allclose(table["net_throughput"] * least, table["throughput"])


def test_finished_runs_are_kept_and_progress_is_told(
    whole: Reproduction, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its page a part is built again, and no run of it is simulated again."""
    tasks = tasks_run(monkeypatch)
    told: list[tuple[float, float]] = []

    def progress(what: str, done: float, total: float) -> None:
        assert what
        told.append((done, total))

    again = airtcp.reproduce("chockalingam/fig5", quick=True, out=folder, progress=progress)
    pd.testing.assert_frame_equal(again.table, whole["fig5"].table)
    assert tasks == []
    assert all(done <= total for done, total in told)
    assert told[-1][0] == pytest.approx(told[0][1])
