"""A mark in a table is explained below it, and a mark that no cell has is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.support.format import few_mark_lines

NEVER = {"kind": "iid", "loss_rate": 1e-9}
RARE = {"kind": "iid", "loss_rate": 3e-4}
OFTEN = {"kind": "iid", "loss_rate": 0.03}


def document(*channels: dict[str, Any]) -> dict[str, Any]:
    hop = {"rate": "5Mbps", "queue": 30}
    hops = [
        [hop | {"delay": f"{20 + n}ms", "channel": channel}] for n, channel in enumerate(channels)
    ]
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "case": [{"name": f"case {n}", "path": {"hop": hop}} for n, hop in enumerate(hops)],
        "flow": [{"packets": 200}],
        "stop": {"time": "30s", "replications": 8},
    }


DOCUMENTS = {
    "often": document(OFTEN, OFTEN),
    "rare": document(RARE, OFTEN),
    "never": document(NEVER, OFTEN),
    "rare in rows that are left out": document(*[OFTEN] * 40, RARE, NEVER),
}


_EXPLAINED = re.compile(r"^(± )?\?: ", re.MULTILINE)


def marked(text: str) -> set[str]:
    """The marks of the numbers of a table, the explanations apart: "± ?", "?"."""
    table = _EXPLAINED.split(text)[0]
    found = re.findall(r"(±|\S) +\?(?= |$|\n)", table)
    return {"± ?" if before == "±" else "?" for before in found}


def explained(text: str) -> set[str]:
    return {match.group(0).removesuffix(": ") for match in _EXPLAINED.finditer(text)}


def printed(*words: str, columns: str = "100") -> str:
    found = CliRunner().invoke(main, [*words], env={"COLUMNS": columns})
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture(scope="module", params=DOCUMENTS)
def swept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marks")
    (folder / "s.json").write_text(json.dumps(DOCUMENTS[request.param]))
    printed("sweep", str(folder / "s.json"), "--out", str(folder / "out"), "--links")
    return folder


@pytest.mark.parametrize("columns", ["50", "200"])
@pytest.mark.parametrize(
    "words",
    [
        "results OUT",
        "results OUT --metric timeouts",
        "results OUT --metric goodput_bps --estimate median",
        "results OUT --links",
        "results OUT --rank case --metric transfer_time",
        "plan FILE --precision 0.05 --metric transfer_time",
        "run FILE --engine simulation --metric transfer_time --metric timeouts",
        "run FILE --engine simulation",
        "run FILE --engine simulation --links",
    ],
)
def test_marks_of_summaries(swept: Path, words: str, columns: str) -> None:
    if words.startswith("run") and len(at.Scenario.load(swept / "s.json")) > 4:
        words += " --replications 3"
    given = {"OUT": str(swept / "out"), "FILE": str(swept / "s.json")}
    text = printed(*(given.get(word, word) for word in words.split()), columns=columns)
    for part in re.split(r"\nLinks:\n", text):
        assert explained(part) == marked(part), part


@pytest.mark.parametrize("columns", ["40", "100", "250"])
def test_marks_and_columns_of_time_series(swept: Path, columns: str) -> None:
    file = str(swept / "s.json")
    words = ["timeseries", file, "--width", "2", "--replications", "6", "--set", "case=case 0"]
    text = printed(*words, columns=columns)
    assert explained(text) == marked(text), text
    head, _, footer = text.partition("Means over bins")
    for name in ("fairness", "queue", "busy", "sojourn"):
        assert (name in head) == (re.search(rf"\b{name}\b[,:]", footer) is not None)
    assert ("±" in footer) == ("±" in head)
    assert ("left out" in footer) == ("queue" not in head)


def test_marks_of_contests(tmp_path: Path) -> None:
    for channel in (RARE, OFTEN):
        hop = {"rate": "10Mbps", "delay": "20ms", "queue": 30, "channel": channel}
        found = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
        (tmp_path / "s.json").write_text(json.dumps(found | {"stop": {"time": "3s"}}))
        words = ["--variants", "reno,vegas", "--replications", "4"]
        text = printed("contest", str(tmp_path / "s.json"), *words)
        head, _, footer = text.partition("Share: part of the goodput")
        assert explained(text) == marked(head), text
        assert ("±: half" in " ".join(footer.split())) == ("±" in head)
        assert ("*: the share" in " ".join(footer.split())) == ("*" in head)


def test_marks_of_a_report(tmp_path: Path) -> None:
    for name in ("often", "rare", "never"):
        folder = tmp_path / name
        at.run(DOCUMENTS[name], engine="simulation", metric="transfer_time", out=folder, links=True)
        page = (folder / "report.html").read_text(encoding="utf-8")
        tables = re.findall(r'<p class="caption">(.*?)</p>(.*?)</table>', page, re.DOTALL)
        assert len(tables) == 2
        for caption, table in tables:
            cells = [text.rstrip() for text in re.findall(r"<td[^>]*>(.*?)</td>", table, re.DOTALL)]
            assert ("?: " in caption) == any(cell.endswith(" ?") for cell in cells), (name, caption)


def test_an_unknown_interval_is_explained_where_nobody_counted_carriers() -> None:
    (line,) = few_mark_lines(["1.5 ± ?"], [{}], ["live_goodput_bps"], 3)
    assert line == "± ?: all values are equal, so that no interval can be estimated."
    both = few_mark_lines(
        ["1.5 ± ?", "1.5 ± 0.1 ?"], [{"m_carriers": 0}, {"m_carriers": 2}], ["m"], 3
    )
    assert [said.partition(":")[0] for said in both] == ["± ?", "?"]
    assert few_mark_lines(["1.5 ± 0.1", "who is it?"], [{"m_carriers": 2}], ["m"], 3) == []
