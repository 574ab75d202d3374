"""`airtcp explain`: shares of the library, senders with one rule changed, text, JSON, refusals."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import airtcp as at
from airtcp.cli.main import main
from airtcp.live.captures import explain

LIBRARY = Path(__file__).parent / "captures"
SHORT = ("links", "forced", "writes", "receivers")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


def shares(groups: tuple[str, ...], *changes: str) -> dict[str, tuple[int, int]]:
    """Captures explained to the last segment, and all, by congestion control."""
    found: dict[str, tuple[int, int]] = {}
    for group in groups:
        for explained in explain(LIBRARY / f"{group}.zip", changes=changes, differences=1):
            whole, every = found.get(str(explained.facts["control"]), (0, 0))
            found[str(explained.facts["control"])] = whole + explained.agrees, every + 1
    return found


def share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1]


def test_the_library_is_explained() -> None:
    found = shares(SHORT)
    assert {control: every for control, (_, every) in found.items()} == {
        "reno": 122,
        "cubic": 122,
        "bbr": 122,
    }
    assert share(found["reno"]) >= 0.98
    assert share(found["cubic"]) >= 0.98
    assert share(found["bbr"]) >= 0.95


def test_a_difference_has_the_state_of_our_sender_on_the_next_line() -> None:
    said = call(str(LIBRARY / "links.zip")).output
    states = [line for line in said.splitlines() if "ours: " in line]
    assert states
    assert all(line.startswith("    ours: ") for line in states)


def test_a_trace_of_our_own_is_no_capture_of_a_sender(tmp_path: Path) -> None:
    trace = tmp_path / "x.pcapng"
    scenario = {"profile": "linux", "path": {"hop": [{"rate": "10Mbps", "delay": "10ms"}]}}
    at.trace(at.Scenario.from_dict(scenario | {"stop": {"time": "1s"}})).write(trace)
    found = call(str(trace))
    assert found.exit_code == 2
    assert f"{trace}: is the trace of a simulation, whose handshakes are synthetic" in found.output


def test_long_captures_differ_once_at_most() -> None:
    """At most one difference in 1000 segments is asked for, under BBR one in 200."""
    found = list(explain(LIBRARY / "long.zip"))
    assert all(explained.segments > 2000 for explained in found)
    differing = [len(explained.facts["differences"]) for explained in found]
    assert max(differing) <= 1
    assert sum(differing) <= 3


@pytest.mark.parametrize(
    ("change", "group", "control", "most"),
    [
        ("no-prr", "forced", "reno", 0.3),
        ("no-prr", "forced", "cubic", 0.3),
        ("double-reordering", "forced", "cubic", 0.85),
        ("no-hystart", "links", "cubic", 0.6),
        ("no-undo", "links", "cubic", 0.94),
        ("initial-window-3", "links", "reno", 0.05),
    ],
)
def test_a_sender_with_one_rule_changed_is_found_out(
    change: str, group: str, control: str, most: float
) -> None:
    usual, changed = shares((group,)), shares((group,), change)
    assert share(usual[control]) >= 0.96
    assert share(changed[control]) <= most


def test_text_json_and_exit_codes(tmp_path: Path) -> None:
    with zipfile.ZipFile(LIBRARY / "forced.zip") as archive:
        name = archive.namelist()[0]
        (tmp_path / name).write_bytes(archive.read(name))
    capture = str(tmp_path / name)
    done = call(capture)
    assert done.exit_code == 0
    assert "all of" in done.stdout
    assert "explained" in done.stdout
    differs = call(capture, "--change", "initial-window-3", "--format", "json")
    assert differs.exit_code == 1
    (said,) = json.loads(differs.stdout)
    assert said["differences"][0]["kind"] == "missing"
    assert said["differences"][0]["index"] == 3
    assert "a rule of our sender changed: initial-window-3" in said["assumed"]


def test_refusals_are_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "a.pcap"
    empty.write_bytes(b"no capture at all, but text")
    for arguments in (
        [str(empty)],
        [str(tmp_path / "none.pcap")],
        [str(empty), "--control", "cubik"],
        [str(empty), "--change", "no-pr"],
        [str(empty), "--sysctl", "tcp_sack"],
    ):
        done = call(*arguments)
        assert done.exit_code == 2, arguments
        assert len(done.stderr.strip().splitlines()) == 1
        assert "Traceback" not in done.output


@pytest.mark.parametrize("control", ["reno", "cubic", "bbr"])
def test_a_folder_says_who_sent(control: str) -> None:
    (found,) = explain(Path(__file__).parent.parent / "examples" / "server" / control)
    assert found.facts["control"] == control
    assert found.capture.endswith("near.pcapng")
    assert len(found.facts["differences"]) <= (control == "bbr")


def test_a_folder_that_is_no_live_run_is_refused(tmp_path: Path) -> None:
    done = call(str(tmp_path))
    assert done.exit_code == 2
    assert done.stderr.strip().endswith("live.json: No such file or directory")
