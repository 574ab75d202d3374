"""Names of cases and nodes: words in figures and pages, and no formula in a table.

AIRTCP_FUZZ says how many are tried; `make fuzz` tries many.
"""

from __future__ import annotations

import copy
import csv
import os
import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import airtcp as at
from airtcp import InputError, Scenario
from airtcp.terminal import visible_line
from hostile import name
from test_hostile_text import PATH, SLOTS, call, written

CASES = int(os.environ.get("AIRTCP_FUZZ", "40"))
DOLLARS = (
    "cost $5 or $6",
    "$x^2$",
    r"$\frac{",
    "$",
    r"\$5",
    "_a",
    "<b>&amp;",
    "[red]",
    "%s",
    "'x'",
)


def with_names(cases: list[str], nodes: tuple[str, str]) -> dict[str, Any]:
    """A path between two nodes, and a case per name."""
    document = copy.deepcopy(PATH)
    document["tcp"] = {"variant": "sack", "window": 8}
    near, far = nodes
    document["path"]["hop"][0] |= {"near": near, "far": far}
    document["flow"] = [{"sender": near, "receiver": far}]
    windows = enumerate(cases, start=4)
    document["case"] = [{"name": case, "tcp": {"window": size}} for size, case in windows]
    return document


def is_refused(document: dict[str, Any]) -> bool:
    try:
        Scenario.from_dict(document)
    except InputError:
        return True
    return False


# Refusals


@pytest.mark.parametrize("sign", ["=", "+", "@", "\t", "-", "\uff1d", "\uff0b", "\uff20"])
def test_a_name_that_a_table_takes_for_a_formula_is_refused(tmp_path: Path, sign: str) -> None:
    """In every command, with one line that names the file, the field and the value."""
    as_case = with_names([f"{sign}A1+1", "b"], ("a", "b"))
    as_node = with_names(["a", "b"], ("a", f"{sign}A1+1"))
    for document, field in ((as_case, "case[0].name"), (as_node, "path.hop[0].far")):
        file = written(tmp_path, document)
        for command in ("run", "plan", "cite"):
            done = call(command, file, code=(2,))
            assert done.stderr.startswith(f"error: {file}: {field}: "), done.stderr
            assert "A1+1" in done.stderr
            assert done.stderr.count("\n") == 1


def test_a_name_may_begin_with_a_negative_quantity() -> None:
    assert not is_refused(with_names(["-20 dB", "-0.5", "a=b", "1+1", "x@y"], ("-1", "2")))


def test_a_name_that_would_be_made_visible_is_refused() -> None:
    """The rule of names of cases, in Rust, and that of the terminal know the same characters."""
    edges = (0x20, 0xA0, 0xAD, 0x61C, 0x180E, 0x200B, 0x2060, 0xFEFF, 0xFFF9, 0xE0000, 0xE007F)
    for code in {edge + beside for edge in edges for beside in range(-9, 18) if edge + beside > 0}:
        case = {"name": f"a{chr(code)}b", "tcp": {"window": 6}}
        named = {**SLOTS, "case": [case, {"name": "other", "tcp": {"window": 7}}]}
        assert is_refused(named) == (visible_line(chr(code)) != chr(code)), hex(code)


def test_other_words_of_a_scenario_begin_no_formula() -> None:
    linux = {**PATH, "profile": "linux", "tcp": {"congestion": "cubic"}}
    for keys in ({"tcp_fastopen_key": "=1+1"}, {"tcp_rmem": "+1 2 3"}):
        assert is_refused({**linux, "tcp": {"congestion": "cubic", "sysctl": keys}})
    assert is_refused({**PATH, "live": {"congestion": "=1+1"}})


# Drawing and writing


def cells(folder: Path) -> Iterator[str]:
    for file in folder.rglob("*.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.reader(opened):
                yield from row


def words_of_figure(file: Path) -> str:
    """The texts of a figure, each on a line, without blanks at their ends."""
    found = ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text")
    return "\n".join("".join(text.itertext()).strip() for text in found)


def check_formulas(folder: Path) -> None:
    """Assert that only numbers begin as formulas do."""
    number = re.compile(r"[-+]?(\d|\.\d|inf|nan)[\w.+-]*( ± .*)?")
    signs = [cell for cell in cells(folder) if cell[:1] in "=+@\t-" and cell]
    assert all(number.fullmatch(sign) for sign in signs), signs


@pytest.mark.parametrize("number", range(max(1, CASES // 20)))
def test_names_are_words_in_figures_and_pages(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    drawn = {name(chance) for _ in range(3)} if number else set(DOLLARS[:3])
    cases = [case for case in sorted(drawn) if not is_refused(with_names([case], ("a", "b")))]
    nodes = ("$a$ " + chance.choice(DOLLARS), "_b" + chance.choice(DOLLARS))
    document = with_names(cases, nodes)
    document["path"]["hop"][0]["delay"] = ["5ms", "10ms"]
    file = written(tmp_path, document)
    out = tmp_path / "out"
    call("run", file, "--links", "--out", str(out))
    call("plot", str(out), "-x", "case", "-y", "goodput_bps", "-o", str(out / "case.svg"))
    links = ("-x", "case", "-y", "mean_queue", "--links", "--by", "hop", "--by", "direction")
    call("plot", str(out), *links, "-o", str(out / "links.svg"))
    by = ("-x", "delay", "-y", "goodput_bps", "--by", "case")
    call("plot", str(out), *by, "-o", str(out / "by.svg"))
    call("sweep", file, "--out", str(tmp_path / "sweep"))
    call("trace", file, "-o", str(out / "trace.svg"))
    call("trace", file, "-o", str(out / "trace.csv"))
    for shown in ("trace", "case", "by"):
        words = words_of_figure(out / f"{shown}.svg")
        assert all(case in words for case in cases), (cases, words)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(page.count(escaped(word)) >= 2 for word in (*cases, *nodes)), cases
    assert set(cases) <= set(cells(out))
    check_formulas(tmp_path)
    plain = written(
        tmp_path, {k: v for k, v in with_names([], nodes).items() if k != "case"}, "1.toml"
    )
    both = f"{nodes[0]} → {nodes[1]}"
    for kind in ("queue", "delay", "rate"):
        call("trace", plain, "-o", str(out / "kind.svg"), "--kind", kind)
        assert both in words_of_figure(out / "kind.svg")
    call("timeseries", plain, "--plot", str(out / "time.svg"))
    assert both in words_of_figure(out / "time.svg")


def escaped(text: str) -> str:
    """As a template writes it."""
    for sign, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("'", "&#39;"),
        ('"', "&#34;"),
    ):
        text = text.replace(sign, entity)
    return text


def test_an_advice_shows_names_as_they_are(tmp_path: Path) -> None:
    document = with_names([], ("a$", "$b"))
    del document["case"]
    document["title"] = "$t$ <i>"
    file, page = written(tmp_path, document), tmp_path / "advice.html"
    asked = ("--goal", "goodput", "--over", "tcp.window=4,8", "--most", "10")
    call("advise", file, *asked, "--report", str(page), "--plot", str(tmp_path / "a.svg"))
    assert "<h1>$t$ &lt;i&gt;</h1>" in page.read_text(encoding="utf-8")


def test_notebooks_take_no_name_for_mathematics(tmp_path: Path) -> None:
    result = at.run(with_names(list(DOLLARS[:2]), ("a", "b")), engine="simulation")
    html = result._repr_html_()
    assert html.startswith('<div class="tex2jax_ignore mathjax_ignore">')
    call("sweep", written(tmp_path, SLOTS), "--out", str(tmp_path / "<b>out"))
    assert "<b>" not in at.results(tmp_path / "<b>out")._repr_html_().partition("<table")[0]
    assert "$x^2$" in unescape(Scenario.from_dict(with_names(["$x^2$"], ("a", "b")))._repr_html_())
