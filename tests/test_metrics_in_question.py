"""Tables and reports of transfers, of a video and of calls show what their users see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.metrics.question import kinds_of_flows, main_metrics

HOP = {"rate": "5Mbps", "delay": "20ms", "queue": [50, {"kind": "fq-codel"}]}
TRANSFERS = {
    "arrivals": {"kind": "exponential", "mean": "500ms"},
    "sizes": {"kind": "exponential", "mean": "20kB"},
}
VIDEO = {"video": {"bitrates": ["300kbps", "1Mbps"], "chunk": "2s", "buffer": "8s"}}
CALL = [{"rate": "80kbps", "packet": "200B"}]


def document(**more: Any) -> dict[str, Any]:
    stop = {"time": "20s", "replications": 3}
    return {"profile": "linux", "path": {"hop": [HOP]}, "flow": [{}], "stop": stop} | more


def outputs_of(folder: Path, words: dict[str, Any], command: str = "run") -> list[str]:
    """Outputs of a command and of `results` of its folder, and the page where there is one."""
    file, out = folder / "scenario.toml", folder / "out"
    file.write_text(at.Scenario.from_dict(words).to_toml(), encoding="utf-8")
    runner = CliRunner(env={"COLUMNS": "80"})
    done = [runner.invoke(main, [command, str(file), "--out", str(out)])]
    done.append(runner.invoke(main, ["results", str(out)]))
    assert [result.exit_code for result in done] == [0, 0], [result.output for result in done]
    page = out / "report.html"
    texts = [result.stdout for result in done][command == "sweep" :]
    return [*texts, *([page.read_text(encoding="utf-8")] if page.exists() else [])]


@pytest.mark.parametrize(
    ("flow", "words", "asked"),
    [
        (TRANSFERS, ("completion", "p95", "unfinished"), "completion_median"),
        (VIDEO, ("rebuffering", "bitrate"), "rebuffering"),
    ],
)
def test_transfers_and_a_video_are_answered_by_default(
    flow: dict[str, Any], words: tuple[str, ...], asked: str, tmp_path: Path
) -> None:
    flows = document(flow=[{}, flow])
    assert main_metrics(p.data for p in at.Scenario.from_dict(flows).points())[0] == asked
    *tables, page = outputs_of(tmp_path, flows)
    for text in tables:
        heads = text[: text.index("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 9)]
        assert all(word in heads for word in (*words, "goodput")), heads
    assert all(word in page for word in words)
    assert f'src="{asked}' in page or f"{asked}.svg" in page


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_results_show_the_opinion_of_a_call(command: str, tmp_path: Path) -> None:
    texts = outputs_of(tmp_path, document(traffic=CALL), command)
    assert all("MOS" in text for text in texts)


def test_a_sweep_without_its_links_says_how_to_get_the_opinion(tmp_path: Path) -> None:
    at.sweep(document(traffic=CALL), tmp_path / "out")
    done = CliRunner().invoke(main, ["results", str(tmp_path / "out")])
    assert "The quality of calls was not recorded: sweep again with --links." in done.stdout


def test_bulk_flows_call_for_the_usual_metrics() -> None:
    data = at.Scenario.from_dict(document(flow=[{"count": 2}, TRANSFERS])).points()[0].data
    assert kinds_of_flows(data) == ["bulk", "bulk", "transfers"]
    assert main_metrics([at.Scenario.from_dict(document()).points()[0].data]) == ()
