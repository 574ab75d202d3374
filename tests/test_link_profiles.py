"""Link profiles: sources, limits and commands, which still give the numbers."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import airtcp
from airtcp import Scenario, _native
from airtcp.cli.links_text import _rates_text
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.scenario.link_overrides import link_override_lines
from modules import module

ROOT = Path(__file__).parent.parent
LINKS = ROOT / "crates" / "scenario" / "links"
SHARED = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared"))
NAMES = [name for name, _ in _native.link_profiles()]
SINGLE = [name for name in NAMES if (LINKS / f"{name}.toml").exists()]
OTHERS = {"rate": "2Mbps", "delay": "20ms", "queue": 50}  # for what a profile leaves open


def profile(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_native.link_profile(name) or "null")
    return found


def document(name: str, **tcp: Any) -> dict[str, Any]:
    hop: dict[str, Any] = {"link": name}
    given = profile(name)["hop"]
    for key, value in OTHERS.items():
        if key not in given and not (key == "rate" and "rates" in given):
            hop[key] = value
    return {
        "profile": "linux",
        "tcp": tcp,
        "path": {"hop": [hop]},
        "stop": {"time": "5s", "replications": 2},
    }


def run(*words: str) -> str:
    result = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


# ---- What they are -------------------------------------------------------------------------------


def test_every_file_is_a_profile() -> None:
    files = {file.stem for file in LINKS.glob("*.toml")}
    families = {name for name in files if name not in SINGLE}
    assert families == {"cellular"}
    assert len(NAMES) == len(SINGLE) + 430


@pytest.mark.parametrize("name", [*SINGLE, "cellular-brazil-1"])
def test_every_value_has_source_command_and_limits(name: str) -> None:
    found = profile(name)
    assert found["name"] == name
    values = {*found["hop"], *(["traffic"] if "traffic" in found else [])}
    assert set(found["about"]) == values
    for about in found["about"].values():
        assert all(len(about[key]) > 5 for key in ("source", "command", "not_modelled"))
    assert len(found["not_modelled"]) > 5


@pytest.mark.parametrize("name", [*SINGLE, "cellular-brazil-1"])
def test_tcp_runs_over_every_profile(name: str) -> None:
    runs = airtcp.simulate(document(name, congestion=["cubic", "bbr"])).to_pandas()
    assert len(runs) >= 2
    assert (runs["goodput_bps"] > 0.0).all()


def test_all_cellular_paths_are_read() -> None:
    for name in NAMES:
        if name not in SINGLE:
            assert len(Scenario.from_dict(document(name, congestion="cubic"))) == 1


def test_what_was_not_measured_is_told() -> None:
    assert profile("cellular-india-7")["about"]["back"]["source"].startswith("not measured")


# ---- Their commands ------------------------------------------------------------------------------


def shared(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def abouts() -> list[tuple[str, str, dict[str, str]]]:
    every = ((name, profile(name)["about"]) for name in SINGLE)
    return [(name, key, about) for name, keys in every for key, about in keys.items()]


FITS = [
    (name, about["command"])
    for name, _, about in abouts()
    if about["command"].startswith("airtcp fit")
]
SUMS = [
    (name, key, about) for name, key, about in abouts() if about["command"].startswith("python -c")
]


@pytest.mark.parametrize(("name", "command"), FITS, ids=[name for name, _ in FITS])
def test_a_fit_still_gives_the_numbers(name: str, command: str) -> None:
    trace, model = re.fullmatch(r"airtcp fit (\S+) --model (\w+)", command).groups()  # type: ignore[union-attr]
    fitted = airtcp.fit(shared("traces", trace), model=model, check=False)
    hop = fitted.scenario.to_dict()["path"]["hop"][0]
    given = profile(name)["hop"]
    assert {key: hop[key] for key in given} == given


def test_the_wifi_link_is_that_of_the_grid(tmp_path: Path) -> None:
    shared("traces", "orbit_wifi.parquet")
    about = profile("wifi-noise")["about"]["channel"]
    sender, receiver, frames = module("wifi_record").median_link(0)
    assert f"node {sender} to node {receiver}" in about["source"]
    frames.to_csv(tmp_path / "wifi.csv", index=False)
    fitted = airtcp.fit(tmp_path / "wifi.csv", interval=0.1, rate="1Mbps", check=False)
    channel = fitted.scenario.to_dict()["path"]["hop"][0]["channel"]
    given = profile("wifi-noise")["hop"]["channel"]
    assert channel["kind"] == given["kind"]
    assert channel["loss_rate"] == pytest.approx(given["loss_rate"], rel=1e-3)


@pytest.mark.parametrize(("name", "key", "about"), SUMS, ids=[name for name, _, _ in SUMS])
def test_a_sum_gives_the_number(name: str, key: str, about: dict[str, str]) -> None:
    words = about["command"].split(" ", 2)
    done = subprocess.run(
        [sys.executable, "-c", words[2].strip('"')], capture_output=True, text=True, check=True
    )
    given = float(profile(name)["hop"][key]["doppler"].removesuffix("Hz"))
    assert given == pytest.approx(float(done.stdout), rel=1e-3)


@pytest.mark.parametrize("name", ["starlink-fjord", "starlink-2025"])
def test_a_starlink_link_is_that_of_the_record(name: str) -> None:
    """Keys equal those of the record, and numbers are within 1 % of its own.

    On another processor, sums in another order let the fit end elsewhere: the longest memory of
    losses by half a per cent, a small part of its standard error.
    """
    shared("traces", "fjordlink_starlink.parquet")
    (keys, numbers), (given_keys, given) = (
        split_numbers(str(hop))
        for hop in (module("starlink_link").HOPS[name](), profile(name)["hop"])
    )
    assert keys == given_keys
    assert numbers == pytest.approx(given, rel=0.01)


def split_numbers(text: str) -> tuple[str, list[float]]:
    """A text without its numbers, and these."""
    number = r"\d+(?:\.\d+)?(?:e-?\d+)?"
    return re.sub(number, "#", text), [float(found) for found in re.findall(number, text)]


def test_the_table_is_that_of_the_files() -> None:
    table = module("cellular_table").table(shared("profiles"))
    assert table == (LINKS / "cellular.csv").read_text(encoding="utf-8")


def test_the_table_comes_with_its_licence() -> None:
    text = (LINKS / "cellular.LICENSE").read_text(encoding="utf-8")
    assert "MIT License" in text
    assert "Microsoft" in text


# ---- What scenarios make of them -----------------------------------------------------------------


def test_links_are_an_axis_with_one_column() -> None:
    both = document("gprs-spikes", congestion="cubic")
    both["path"]["hop"][0]["link"] = ["gprs-spikes", "cellular-brazil-1"]
    scenario = Scenario.from_dict(both)
    assert scenario.points().varying == ["tcp.congestion", "path.hop[0].link"]
    links = [point.coordinates["path.hop[0].link"] for point in scenario.points()]
    assert links == ["gprs-spikes", "cellular-brazil-1"]


def test_a_run_names_the_values_of_a_profile_that_the_scenario_replaces(tmp_path: Path) -> None:
    scenario = tmp_path / "own.toml"
    scenario.write_text(
        'profile = "linux"\nstop = {time = "1s"}\n[[path.hop]]\nlink = "cellular-mexico-4"\n'
        'delay = "20ms"\nback = {delay = "1ms"}\n',
        encoding="utf-8",
    )
    out = tmp_path / "out"
    said = run("run", str(scenario), "--replications", "2", "--out", str(out))
    line = (
        "path.hop[0]: the scenario's own values replace back.delay, delay of link"
        " cellular-mexico-4."
    )
    assert line in " ".join(said.split())
    assert line in html.unescape((out / "report.html").read_text(encoding="utf-8"))
    plain = scenario.read_text(encoding="utf-8").partition("delay")[0]
    scenario.write_text(plain, encoding="utf-8")
    assert "own values replace" not in run("run", str(scenario), "--replications", "2")
    over = document("lte-att-driving")
    over["path"]["hop"][0]["rate"] = "2Mbps"
    (said_of_rate,) = link_override_lines(Scenario.from_dict(over).points())
    assert "replace rates of link lte-att-driving" in said_of_rate


@pytest.mark.parametrize("name", [*SINGLE, "cellular-china-51"])
def test_a_profile_of_which_nothing_is_replaced_has_no_remark(name: str) -> None:
    assert link_override_lines(Scenario.from_dict(document(name)).points()) == []


def test_the_hash_covers_what_a_profile_says() -> None:
    point = Scenario.from_dict(document("gprs-spikes", congestion="cubic")).points()[0]
    assert point.data["path"]["hop"][0]["gate"]["kind"] == "spikes"
    slower = Scenario.from_dict(document("gprs-spikes", congestion="cubic"))
    slower = slower.replace("path.hop[0].delay", "101ms")
    assert slower.points()[0].hash != point.hash


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    wrong = document("gprs-spikes", congestion="cubic")
    wrong["path"]["hop"][0]["link"] = "gprs-spike"
    said = r'path\.hop\[0\]\.link: unknown link "gprs-spike"; did you mean "gprs-spikes"\?'
    with pytest.raises(InputError, match=said):
        Scenario.from_dict(wrong)


# ---- The command line ----------------------------------------------------------------------------


def test_the_list_has_a_line_for_many_paths() -> None:
    said = run("list", "links")
    assert all(name in said for name in SINGLE)
    assert "137 paths, 180kbps to 5460kbps, 57ms to 181ms" in said
    paths = json.loads(run("list", "links", "cellular", "--format", "json"))
    assert len({path["summary"] for path in paths}) == len(paths) == 430
    rows = list(
        csv.DictReader(run("list", "links", "cellular-mexico", "--format", "csv").splitlines())
    )
    assert [row["name"] for row in rows] == [f"cellular-mexico-{number}" for number in range(1, 7)]


@pytest.mark.parametrize("name", [*SINGLE, "cellular-china-51"])
def test_one_profile_is_shown_with_its_sources(name: str) -> None:
    said = " ".join(run("list", "links", name).split())
    found = profile(name)
    for about in found["about"].values():
        assert all(" ".join(text.split()) in said for text in about.values())
    assert json.loads(run("list", "links", name, "--format", "json")) == found


def test_rates_of_sources_are_quantities_of_any_unit() -> None:
    assert _rates_text([{"rate": "1.5Mbps"}, {"rate": "40kbps"}, {"rate": "500bps"}]) == (
        "0.5 to 1500 kbit/s"
    )


def test_a_refusal_reads_no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def link_profile(name: str) -> None:
        asked.append(name)

    monkeypatch.setattr(_native, "link_profile", link_profile)
    result = CliRunner().invoke(main, ["list", "links", "cellular-mexiko"])
    assert result.exit_code == 2
    assert "wifi-noise, cellular-brazil, cellular-china" in result.stderr
    assert result.stderr.endswith("(did you mean 'cellular-mexico'?)\n")
    assert asked == ["cellular-mexiko"]


def test_an_unknown_profile_is_refused_on_the_command_line() -> None:
    result = CliRunner().invoke(main, ["list", "links", "geo-satelite"])
    assert result.exit_code == 2
    assert "did you mean 'geo-satellite'?" in result.output


def test_one_entry_of_any_kind_is_listed() -> None:
    said = run("list", "channels", "iid")
    assert "iid" in said
    assert "burst" not in said
