"""The study of fits of rates in small."""

from __future__ import annotations

import pandas as pd

from modules import module

study = module("fit_rates_coverage")


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
    names = [(one.name, name) for one in study.PROCESSES for name in one.truth]
    assert list(zip(table["memories"], table["parameter"], strict=True)) == names
    assert (table["records"] >= study.RECORDS).all()
    assert study.broken(table) == []
