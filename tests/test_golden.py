"""The recorded traces of ns: our simulator plays them event by event."""

import json
import shutil
from pathlib import Path

import pytest

from airtcp.golden import Line, compare, main, play, replay

GOLDEN = Path(__file__).parent / "golden"


def test_every_recorded_trace_is_played_event_by_event():
    """Eleven scenarios, four variants each; times to 1 us, windows to 6 digits."""
    verdicts = list(replay(GOLDEN))
    assert len(verdicts) == 44
    assert [str(verdict) for verdict in verdicts if verdict.difference] == []
    assert sum(verdict.events for verdict in verdicts) > 15_000


def test_the_first_difference_is_shown_with_the_state_before_it(tmp_path, capsys):
    """A recording with one wrong window."""
    shutil.copytree(GOLDEN, tmp_path / "traces")
    recording = tmp_path / "traces" / "drop1.csv"
    text = recording.read_text(encoding="utf-8")
    right, wrong = "tahoe,0.841600,A,7,9,28,0,1,16,3", "tahoe,0.841600,A,7,9.5,28,0,1,16,3"
    assert right in text
    recording.write_text(text.replace(right, wrong), encoding="utf-8")
    assert main([str(tmp_path / "traces")]) == 1
    said = capsys.readouterr().out
    assert "drop1 tahoe: differs at event" in said
    assert "recorded: 0.841600,A,7,9.5,28,0,1,16,3" in said
    assert "ours:     0.841600,A,7,9,28,0,1,16,3" in said
    assert "last state (cwnd, ssthresh, dupacks, backoff, srtt8, rttvar4): 0.661200,A,6,8" in said
    assert "drop1 reno: agrees" in said


def test_missing_extra_and_lost_events_are_differences():
    """Each kind of line matters, the losses too."""
    document = json.loads((GOLDEN / "scenarios.json").read_text(encoding="utf-8"))
    played = play(document, document["scenarios"][0], "reno")
    assert compare(played, played) == ""
    last = next(i for i in reversed(range(len(played))) if played[i].event in "SRAT")
    assert "ours:     nothing more" in compare(played, played[:last])
    assert "recorded: nothing more" in compare(played[:last], played)
    lost = next(i for i, line in enumerate(played) if line.event == "D")
    assert "lost" in compare(played, played[:lost] + played[lost + 1 :])
    moved = [Line(line.time + 2e-6, *_rest(line)) if line.event == "D" else line for line in played]
    assert "lost" in compare(played, moved)


def _rest(line):
    return line.event, line.packet, line.state


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_without_scenarios_is_refused_in_one_line(name, tmp_path, capsys):
    """Exit code 2, no traceback."""
    assert main([str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "scenarios.json" in said


def test_usage(capsys):
    """One argument."""
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["--help"]) == 0
