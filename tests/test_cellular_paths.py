"""CUBIC and BBR over measured cellular paths: some rows of the page anew, all of its text."""

import pandas as pd
import pytest

from airtcp.plot.style import svg
from modules import module

study, figures = module("cellular_paths"), module("figure")
TABLE = pd.read_csv(study.TABLE)
SOME = study.names()[::43]


def test_every_path_is_on_the_page() -> None:
    assert TABLE["path"].tolist() == study.names()
    assert len(TABLE) == 430
    assert TABLE.notna().all(axis=None)


@pytest.mark.parametrize("name", SOME)
def test_a_run_gives_the_row(name: str) -> None:
    assert study.row(name) == TABLE[TABLE["path"] == name].iloc[0].to_dict()


def test_page_and_figure_are_those_of_the_table() -> None:
    assert study.page(TABLE) == study.PAGE.read_text(encoding="utf-8")
    drawn = svg(study.figure(TABLE))
    assert figures.alike(drawn, study.FIGURE.read_text(encoding="utf-8"))


def test_other_numbers_make_another_page() -> None:
    other = TABLE.assign(bbr_share=1.0 - TABLE["bbr_share"])
    assert study.page(other) != study.page(TABLE)
