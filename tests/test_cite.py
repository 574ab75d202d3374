"""`airtcp cite` and `airtcp.cite`: what a scenario, or results of one, use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.report.references import bibliography, plain_references

SCENARIO = """
profile = "rfc"
tcp = {variant = ["reno", "sack"], window = 30}
stop = {time = "1s", replications = 2}
[[path.hop]]
rate = "5Mbps"
delay = "5ms"
queue = 20
channel = {kind = "iid", loss_rate = 0.02}
"""


def good(*words: str) -> str:
    result = CliRunner().invoke(main, ["cite", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str) -> str:
    result = CliRunner().invoke(main, ["cite", *words])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def keys(text: str) -> set[str]:
    return set(re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE))


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cite") / "x.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def test_variants_queues_and_models_of_a_scenario(scenario: Path) -> None:
    found = keys(good(str(scenario)))
    assert {"airtcp", "rfc6675", "padhye2000"} <= found
    assert "lakshman1996" not in found
    queue = "path.hop[0].queue={kind='head-drop', packets=20}"
    assert "lakshman1996" in keys(good(str(scenario), "--set", queue))


def test_overrides_change_what_is_cited(scenario: Path) -> None:
    before = keys(good(str(scenario)))
    after = keys(good(str(scenario), "--set", "tcp.variant=reno", "--set", "tcp.congestion=cubic"))
    assert "rfc9438" in after - before
    assert "rfc6675" in before - after
    assert "--set tcp.variant" in refused(str(scenario), "--set", "tcp.variant=rino")


def test_results_are_cited_as_their_scenario(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = at.run(at.Scenario.load(scenario), out=out)
    text = good(str(scenario))
    files = [
        "manifest.json",
        "table.csv",
        "report.html",
        "scenario.toml",
        "data/part-00000.parquet",
    ]
    for place in [out, out / "data", *(out / name for name in files)]:
        assert good(str(place)) == text, place
    assert at.cite(at.results(out)) == at.cite(run) == at.cite(scenario) == text
    assert at.cite(at.Scenario.load(scenario)) == text
    page = (out / "report.html").read_text(encoding="utf-8")
    assert keys(page.replace("<pre>", "\n")) == keys(text)


def test_what_has_no_scenario_is_refused(scenario: Path, tmp_path: Path) -> None:
    assert f"{tmp_path}: has no results" in refused(str(tmp_path))
    (tmp_path / "table.csv").write_text("a\n1\n", encoding="utf-8")
    assert "table.csv: is not in a folder of results" in refused(str(tmp_path / "table.csv"))
    at.sweep(at.Scenario.load(scenario), tmp_path / "out", replications=1)
    said = refused(str(tmp_path / "out"), "--set", "tcp.variant=sack")
    assert "--set:" in said
    assert "holds results" in said
    with pytest.raises(at.InputError, match="form = 'apa': must be one of bibtex, plain"):
        at.cite(scenario, "apa")


def test_cases_are_cited_each() -> None:
    channels = [{"kind": "iid", "loss_rate": 0.1}, {"kind": "rayleigh-two-state", "loss_rate": 0.1}]
    channels[1]["doppler"] = 0.01
    cases = [{"name": f"c{n}", "channel": channel} for n, channel in enumerate(channels)]
    document = {"profile": "zorzi", "tcp": {"variant": "reno", "window": 8}, "case": cases}
    assert "jakes1974" in keys(at.cite(document))
    assert "jakes1974" not in keys(at.cite({**document, "case": cases[:1]}))


def test_every_reference_stands_once() -> None:
    text = (Path(__file__).parents[1] / "refs.bib").read_text(encoding="utf-8")
    names = re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
    assert [name for name in names if names.count(name) > 1] == []


def test_every_reference_has_a_plain_line(scenario: Path) -> None:
    lines = plain_references(bibliography()).splitlines()
    assert len(lines) == len(bibliography())
    for line in lines:
        assert re.search(r"^[^:]+: .+\. .*\d{4}\.$", line), line
        assert not re.search(r"[{}\\]", line), line
    text = good(str(scenario), "--format", "plain")
    assert "Järvinen, Ilpo" in text
    assert "RFC 6675, 2012." in text
    assert text.count("\n") == len(keys(good(str(scenario))))
