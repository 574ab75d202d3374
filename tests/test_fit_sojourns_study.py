"""The study of fits of sojourns and of delays in small, and links that were measured."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from airtcp.fitting.delays import fit_delays
from airtcp.fitting.outages import fit_outages
from airtcp.measured.reading import read
from modules import module

study = module("fit_sojourn_coverage")
SHARED = Path(os.environ.get("AIRTCP_SHARED", Path(__file__).parent.parent.parent / "shared"))
PING = SHARED / "traces/mmsys24/isl-ping-gw-lagos-230911-172603-0.1s-60min.txt"
LONG = [kind for kind in study.kinds() if kind.what == "sojourns" and kind.size == 500]


@pytest.mark.parametrize("kind", LONG, ids=lambda kind: f"{kind.name}-{kind.is_censored}")
def test_intervals_of_500_sojourns_cover_the_truth(kind: study.Kind) -> None:
    rows = study.coverage(kind, 60, map)
    assert (rows["intervals"] == 60).all()
    assert (rows["covered"] >= 51).all()  # of 60 at 95 %, once in 1000


def test_intervals_of_an_hour_of_autoregressive_delays_cover_the_truth() -> None:
    kind = next(kind for kind in study.kinds() if kind.name == "autoregressive log-normal")
    rows = study.coverage(kind, 20, map)
    assert (rows["covered"] >= 15).all()  # of 20 at 95 %, once in 1000


def test_broken_promises_are_found_beyond_chance() -> None:
    row = {"record": "sojourns", "law": "exponential", "parameter": "mean", "length": 500}
    fine = pd.DataFrame([{**row, "records": 1000, "intervals": 1000, "covered": 950}])
    assert study.broken(fine) == []
    for change in ({"covered": 850}, {"covered": 999}, {"intervals": 500, "covered": 475}):
        assert study.broken(fine.assign(**change)), change
    assert study.broken(fine.assign(covered=850, length=50)) == []


def test_the_page_is_that_of_its_tables() -> None:
    table, choices = pd.read_csv(study.TABLE), pd.read_csv(study.CHOSEN)
    assert study.PAGE.read_text(encoding="utf-8") == study.page(table, choices)
    names = [(kind.name, name) for kind in study.kinds() for name in kind.truth]
    assert list(zip(table["law"], table["parameter"], strict=True)) == names
    assert (table["records"] >= study.RECORDS).all()
    assert study.broken(table) == []
    truths = choices.groupby(["law", "truth", "length"])
    assert len(truths) == len(study.tried())
    assert (truths["times"].sum() == study.RECORDS // study.CHOICES).all()


@pytest.mark.skipif(not PING.exists(), reason="the recordings are not there")
def test_no_law_of_these_fits_the_delays_of_a_satellite_link() -> None:
    """Starlink moves a terminal to another satellite or beam every 15 s, which no law here has."""
    (measured,) = read([PING])
    packets = measured.packets
    outages = fit_outages(packets)
    assert outages.gates() == []
    fit = fit_delays(packets, draws=39)
    assert not fit.is_accepted
    assert fit.chosen.name == "autoregressive gamma"
    assert fit.base == pytest.approx(59.06, abs=0.2)
