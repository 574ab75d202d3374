"""The recorded traces of ns: our simulator plays them event by event."""

import json
import shutil
from pathlib import Path

import pytest

from airtcp import _native
from airtcp.golden import SCENARIOS, RecordedEvent, compare, main, replay, simulate_events

GOLDEN = Path(__file__).parent / "golden"


def test_every_recorded_trace_is_played_event_by_event():
    """Eleven scenarios, four variants each; times to six decimals, windows to six digits."""
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
    played = simulate_events(document, document["scenarios"][0], "reno")
    assert compare(played, played) == ""
    last = next(i for i in reversed(range(len(played))) if played[i].event in "SRAT")
    assert "ours:     nothing more" in compare(played, played[:last])
    assert "recorded: nothing more" in compare(played[:last], played)
    lost = next(i for i, line in enumerate(played) if line.event == "D")
    assert "lost" in compare(played, played[:lost] + played[lost + 1 :])
    moved = [
        RecordedEvent(line.time + 2e-6, *_rest(line)) if line.event == "D" else line
        for line in played
    ]
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


def test_how_far_numbers_may_be_apart():
    """Recorded times have six decimals, windows six digits; whole numbers are exact."""
    line = RecordedEvent(1.0, "A", 7, (9.12345, 28.0, 0.0, 1.0, 16.0, 3.0))
    assert line.agrees(RecordedEvent(1.0 + 0.6e-6, "A", 7, line.state))
    assert not line.agrees(RecordedEvent(1.0 + 0.7e-6, "A", 7, line.state))
    assert RecordedEvent(1.0, "A", 7, (9.123454, *line.state[1:])).agrees(line)
    assert not RecordedEvent(1.0, "A", 7, (9.123456, *line.state[1:])).agrees(line)
    for place in range(2, 6):
        state = list(line.state)
        state[place] += 1e-6
        assert not RecordedEvent(1.0, "A", 7, tuple(state)).agrees(line)


@pytest.fixture
def folder(tmp_path):
    """One scenario, to be spoilt."""
    document = json.loads((GOLDEN / SCENARIOS).read_text(encoding="utf-8"))
    document["scenarios"] = document["scenarios"][:1]
    (tmp_path / SCENARIOS).write_text(json.dumps(document), encoding="utf-8")
    shutil.copy(GOLDEN / "drop1.csv", tmp_path)
    return tmp_path


def refused(folder, capsys):
    """The one line of a refusal."""
    assert main([str(folder)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("scenarios",), [], "scenarios = []: must be a list of at least one scenario"),
        (("scenarios",), {}, "scenarios = {}: must be a list"),
        (("scenarios",), [5], "scenarios[0] = 5: must be a table"),
        (("scenarios",), None, "scenarios: missing"),
        (("common",), [], "common = []: must be a table"),
        (("boot_time",), None, "boot_time: missing"),
        (("boot_time",), "soon", "drop1: tcp.boot"),
        (("common", "hops"), None, "drop1: hops: missing"),
        (("common", "hops"), [], "drop1: hops = []"),
        (("common", "hops"), [[8e5, 0.1]], "must be a list of [rate, delay, queue]"),
        (("common", "hops"), [[8e5, 0.1, 2.5]], "drop1: path.hop[0].queue"),
        (("common", "packet"), None, "drop1: packet: missing"),
        (("scenarios", 0, "name"), None, "scenarios[0]: name: missing"),
        (("scenarios", 0, "name"), 5, "name = 5: must be a text"),
        (("scenarios", 0, "window"), None, "drop1: window: missing"),
        (("scenarios", 0, "window"), -1, "drop1: tcp.window"),
        (("scenarios", 0, "end"), None, "drop1: end: missing"),
        (("scenarios", 0, "end"), 10**400, "drop1: end = 1000"),
        (("scenarios", 0, "toggle"), 3, "toggle = 3: must be a list of numbers"),
        (("scenarios", 0, "spike"), [1, 2], "must be a list of [time, delay]"),
        (("scenarios", 0, "drop"), [[14]], "drop1: path.hop[0].drop"),
    ],
)
def test_mistakes_in_the_scenarios_are_one_line(folder, capsys, place, value, words):
    """Missing (None), of the wrong kind, out of range."""
    document = json.loads((folder / SCENARIOS).read_text(encoding="utf-8"))
    table = document
    *above, key = place
    for step in above:
        table = table[step]
    table[key] = value
    if value is None:
        del table[key]
    (folder / SCENARIOS).write_text(json.dumps(document), encoding="utf-8")
    assert words in refused(folder, capsys)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("tahoe,0.1,S", "line 3: has 3 values, S has 4"),
        ("tahoe,0.1,A,5", "line 3: has 4 values, A has 10"),
        ("tahoe,0.1,S,5,1,1,1,1,1,1", "line 3: has 10 values, S has 4"),
        ("tahoe,soon,S,5", "line 3: time = 'soon': must be a number"),
        ("tahoe,nan,S,5", "line 3: time = 'nan': must be a number"),
        ("tahoe,0.1,S,1.5", "line 3: seq = '1.5': must be a whole number"),
        ("tahoe,0.1,Q,5", "line 3: ev = 'Q': must be one of S, R, A, T, D, X"),
        ("tahoe,0.1,A,5,inf,1,1,1,1,1", "line 3: cwnd = 'inf': must be a number"),
        ("", "line 3: ev = ''"),
    ],
)
def test_mistakes_in_a_recording_are_one_line(folder, capsys, row, words):
    """With file and number of the line."""
    head, first, *_ = (folder / "drop1.csv").read_text(encoding="utf-8").splitlines()
    (folder / "drop1.csv").write_text(f"{head}\n{first}\n{row}\n", encoding="utf-8")
    assert f"drop1.csv: {words}" in refused(folder, capsys)


def test_recordings_that_hold_nothing_or_other_variants_are_one_line(folder, capsys):
    """A header alone is no proof."""
    recording = folder / "drop1.csv"
    head = recording.read_text(encoding="utf-8").splitlines()[0]
    recording.write_text(f"{head}\n", encoding="utf-8")
    assert "drop1.csv: holds no events" in refused(folder, capsys)
    recording.write_text("time\n", encoding="utf-8")
    assert refused(folder, capsys) == f"{recording}: line 1: must be {head}\n"
    recording.write_text(f"{head}\nvegas,0.0,S,0\n", encoding="utf-8")
    assert "drop1: tcp.variant" in refused(folder, capsys)
    recording.write_bytes(b"\xff")
    assert "drop1.csv" in refused(folder, capsys)
    recording.unlink()
    assert refused(folder, capsys) == f"{recording}: No such file or directory\n"


def test_what_the_simulator_refuses_is_one_line(folder, capsys, monkeypatch):
    """Found only when it runs."""

    def refuse(*_):
        raise _native.ScenarioError("path", "has no way")

    monkeypatch.setattr(_native, "trace", refuse)
    assert refused(folder, capsys) == "scenarios.json: drop1: path: has no way\n"


def test_usage(capsys):
    """One argument."""
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["--help"]) == 0
