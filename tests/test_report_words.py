"""Words and layout of a report: even digits, captions, key figures, contents, escapes."""

from __future__ import annotations

import math
import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import airtcp as at
from airtcp.papers.report import write_paper_report
from airtcp.papers.result import Claim, Reproduction
from airtcp.report.digits import FIGURE_SPACE, estimate_cells, format_coordinates, format_evenly
from airtcp.report.key_figures import key_figures
from airtcp.report.messages import MeanSpread, intervals_in_words, runs_in_words
from airtcp.report.page import html_table
from airtcp.report.part_tables import fold_intervals, table_message

NAN = math.nan


# Digits


def test_estimates_have_the_decimals_that_their_intervals_allow() -> None:
    found = estimate_cells([0.95066, 0.99901, 0.6], [0.00314, 0.0000575, 0.01061])
    assert found == ["0.95066 ± 0.00314", "0.99901 ± 0.00006", "0.60000 ± 0.01061"]
    pair = estimate_cells([8382866.0, 90123.0], [561310.0, 71234.0])
    assert [text.split()[0] for text in pair] == ["8382866", "90123"]


def test_decimal_points_lie_below_each_other() -> None:
    wide, narrow, none = estimate_cells([581.2, 153.4, 7.0], [107.0, 9.0, NAN])
    assert (wide, narrow) == ("581 ± 107", f"153 ± {2 * FIGURE_SPACE}9")
    assert none == f"7\xa0{FIGURE_SPACE}\xa0{3 * FIGURE_SPACE}"


def test_what_would_vanish_keeps_its_digits() -> None:
    small, large = estimate_cells([0.0000677, 47.31], [0.0000075, 2.78])
    assert small == "0.00006770 ± 0.00000750"
    assert large.startswith("47.3")
    assert estimate_cells([NAN, 2.0], [NAN, 0.5])[0].strip() == "-"
    assert estimate_cells([1.0, 0.9], [0.0, 0.02], [True, False])[0].strip() == "1.000 exact"


def test_numbers_and_coordinates_have_equally_many_decimals() -> None:
    assert format_evenly([0.5, 0.25, 12.0]) == ["0.50", "0.25", "12.00"]
    assert format_evenly([172.0, NAN, 3.0]) == ["172", "", "3"]
    assert format_evenly([-0.5, 1e-9]) == ["\N{MINUS SIGN}0.5", "1e\N{MINUS SIGN}09"]
    assert format_coordinates([0.001, 10**-2.5, 0.1]) == ["0.00100", "0.00316", "0.10000"]
    assert format_coordinates([0.001, 0.003, 0.03]) == ["0.001", "0.003", "0.030"]
    assert format_coordinates([6.0, 12.0]) == ["6", "12"]


def test_a_table_aligns_numbers_and_escapes_words() -> None:
    table = pd.DataFrame({"x": ["1 ± 0", "-"], "w": ["<b>", "5Mbps of it"], "n": [1, 2]})
    text = html_table(table, caption="a <b> caption")
    assert text.count('<th class="number">') == 2
    assert "&lt;b&gt;</td>" in text
    assert "a &lt;b&gt; caption" in text
    assert "<b>" not in text


# Words


def spread(mean: list[float], half: list[float]) -> MeanSpread:
    values, width = np.array(mean), np.array(half)
    exact = np.zeros(len(mean), dtype=bool)
    return MeanSpread(values, values - width, values + width, list("abcd")[: len(mean)], exact, "s")


def test_ends_say_what_cannot_be_told_apart() -> None:
    sentence = spread([1.0, 2.0, 5.0, 5.1], [0.1, 0.1, 0.2, 0.2]).sentence("Delay")
    assert sentence == (
        "Delay is highest at d (5.10 ± 0.20 s; the interval of 1 other overlaps),"
        " lowest at a (1.00 ± 0.10 s)."
    )
    assert spread([3.0], [0.5]).sentence("Delay") == "Delay: 3.00 ± 0.50 s."
    same = spread([2.0, 2.0], [NAN, NAN])
    assert same.sentence("Delay") == "Delay is the same in all rows: 2 s."
    assert spread([NAN, NAN], [NAN, NAN]).sentence("Delay") == ""


def test_runs_and_intervals_in_words() -> None:
    assert runs_in_words([30, 30]) == "30 runs per point"
    assert runs_in_words([1, 4]) == "1 to 4 runs per point"
    assert intervals_in_words([40, 40], [False, False]) == "95 % intervals (Student's t)"
    assert "assuming normal values" in intervals_in_words([4, 4], [False, False])
    assert (
        intervals_in_words([1, 1], [False, False]) == "no intervals, which need at least two runs"
    )
    assert intervals_in_words([1], [True]) == "no intervals, because nothing is random"


def test_the_table_of_a_part_has_intervals_beside_means() -> None:
    table = pd.DataFrame(
        {
            "variant": ["reno", "sack"],
            "window": [6, 6],
            "goodput": [1.0, 2.0],
            "goodput_low": [0.9, 1.8],
            "goodput_high": [1.1, 2.2],
            "goodput_sd": [0.1, 0.2],
            "runs": [5, 5],
        }
    )
    assert list(fold_intervals(table)) == ["variant", "window", "goodput", "runs"]
    assert fold_intervals(table)["goodput"].tolist() == ["1.00 ± 0.10", "2.00 ± 0.20"]
    assert table_message(table) == (
        "5 runs per point, 95 % intervals. “goodput” is highest at sack (2.00 ± 0.20),"
        " lowest at reno (1.00 ± 0.10)."
    )
    skew = table.assign(goodput_low=0.1)
    assert list(fold_intervals(skew)) == list(skew)  # half of an interval would not say it
    assert table_message(table[["variant", "window"]]) == ""
    mixed = table.assign(quantity=["a", "b"])
    assert "highest" not in table_message(mixed)


# Pages

NASTY = '<img src=x onerror="x()">'
SCENARIO = {
    "title": NASTY,
    "profile": "rfc",
    "case": [
        {"name": f"{NASTY} one", "tcp": {"variant": "reno"}},
        {"name": "two", "tcp": {"variant": "sack"}},
    ],
    "path": {
        "hop": [
            {
                "rate": "5Mbps",
                "delay": ["5ms", "20ms"],
                "queue": 20,
                "channel": {"kind": "iid", "loss_rate": 0.02},
            }
        ]
    },
    "stop": {"time": "3s", "replications": 3},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> at.RunResult:
    return at.run(SCENARIO, links=True, out=tmp_path_factory.getbasetemp() / "words")


@pytest.fixture(scope="module")
def page(result: at.RunResult, tmp_path_factory: pytest.TempPathFactory) -> str:
    text = (tmp_path_factory.getbasetemp() / "words" / "report.html").read_text(encoding="utf-8")
    assert len(result.table) == 4
    return text


def test_the_contents_lead_to_every_section(page: str) -> None:
    nav = page.partition("<nav")[2].partition("</nav>")[0]
    links = re.findall(r'href="#([^"]+)"', nav)
    assert links == re.findall(r'<h2 id="([^"]+)"', page)
    assert {"key-figures", "results", "models", "links", "scenario", "citing"} <= set(links)


def test_key_figures_come_first_and_from_the_table(page: str, result: at.RunResult) -> None:
    assert page.index('id="key-figures"') < page.index('id="results"') < page.index("<svg")
    found = {figure.name: figure for figure in key_figures(result, list(result.table.columns[:2]))}
    top = result.table["simulation_goodput_bps"].idxmax()
    value = result.table["simulation_goodput_bps"].max()
    highest = found["Highest goodput"]
    assert highest.value.endswith("Mbit/s")
    assert 1e6 * float(highest.value.split()[0]) == pytest.approx(value, rel=0.005)
    assert str(result.table["case"][top]) in highest.detail
    assert found["Simulated"].value == "12 runs"
    assert found["Simulated"].detail == "4 points, 3 runs per point, seed 1"


def test_every_caption_says_runs_intervals_and_message(page: str) -> None:
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", unescape(page), re.DOTALL)
    assert len(captions) >= 2
    for caption in captions:
        assert "3 runs per point, 95 % intervals (Student's t, assuming normal values)." in caption
        assert " is highest at " in caption
    tables = re.findall(r'<p class="caption">(.*?)</p>', page)
    assert len(tables) == 2  # results, links
    assert "3 runs per point" in tables[0]
    assert "The widest interval of the goodput is ± " in tables[0]
    assert "no model is within its range of validity" in page
    assert "Mean time in the queue is highest at" in tables[1]


def test_columns_with_intervals_have_even_decimals(page: str) -> None:
    first = page.partition('class="data"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(<td.*?)</tr>", first)
    columns = zip(*(re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows), strict=True)
    shown = 0
    for column in columns:
        means = [cell.split()[0] for cell in column if "±" in cell]
        shown += len(means) == len(rows)
        assert len({len(mean.partition(".")[2]) for mean in means}) <= 1, column
    assert shown >= 3


def test_no_name_becomes_markup(page: str) -> None:
    assert "<img" not in page
    assert not re.search(r"<script|<link|\ssrc=(?!x)|@import|https?://(?!www\.w3\.org)", page)
    assert page.count("&lt;img src=x") > 3


def test_a_part_says_its_claims_and_escapes_its_names(tmp_path: Path) -> None:
    claim = Claim(
        name="c", where="II", text=NASTY, verdict="fails", finding=NASTY, rule="never", numbers={}
    )
    table = pd.DataFrame({"name <i>": [NASTY], "x": [0.5]})
    part = Reproduction(title=NASTY, table=table, name="p/one", text=NASTY, claims=(claim,))
    whole = Reproduction(
        title="T", table=table, name="p", text="t", parts=(part,), claims=(claim,), references=()
    )
    page = write_paper_report(whole, tmp_path).read_text(encoding="utf-8")
    assert "<img" not in page
    assert "1 fails" in page
    assert 'href="#claim-c"' in page.partition('id="one"')[0]  # what fails stands first
    assert page.index('id="key-figures"') < page.index('id="one"') < page.index('id="claims"')
    assert re.findall(r'href="#([^"]+)"', page.partition("</nav>")[0]) == [
        "key-figures",
        "one",
        "claims",
        "citing",
    ]
