"""A run that would hold more packets than fit in memory ends with one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from airtcp import results, trace
from airtcp.errors import InputError
from airtcp.simulation import traces as tracing
from airtcp.support import memory as _memory
from campaigns import kept

FAR = """
profile = "{profile}"
tcp.variant = "reno"
path.hop = [{{rate = "1Mbps", delay = "1ms"}}, {{rate = "1Mbps", delay = {delay}}}]
flow = [{{packets = 100}}]
stop = {{time = "9.2e9s"}}
"""
STATUS = Path("/proc/self/status")
LIMIT = "more than 10000000 packets are under way after "
RUN = """
import pathlib, sys
from airtcp.cli.main import main
try:
    main()
finally:
    # ru_maxrss would count what the process was before it became this program.
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
"""


def ended(*arguments: str) -> tuple[int, str, int]:
    """Exit code, what was said on stderr, and the peak memory in kB."""
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stderr, int(done.stdout.splitlines()[-1])


@pytest.mark.skipif(not STATUS.exists(), reason="asks /proc how much memory a process took")
@pytest.mark.parametrize("profile", ["rfc", "ns2"])
def test_a_delay_of_centuries(profile: str, tmp_path: Path) -> None:
    file = tmp_path / "far.toml"
    file.write_text(FAR.format(profile=profile, delay='"9.2e9s"'))
    code, said, peak = ended("run", str(file))
    assert (code, said.count("\n")) == (2, 1), said
    assert said.startswith(f"error: path.hop[1]: {LIMIT}"), said
    assert peak < 2_000_000


@pytest.mark.skipif(not STATUS.exists(), reason="asks /proc how much memory a process took")
def test_other_points_are_kept(tmp_path: Path) -> None:
    """And the sweep goes on in the same folder without the point."""
    file, out = tmp_path / "far.toml", tmp_path / "out"
    file.write_text(FAR.format(profile="rfc", delay='["1ms", "9.2e9s", "2ms"]'))
    code, said, _ = ended("sweep", str(file), "--out", str(out), "--jobs", "2")
    assert (code, said.count("\n")) == (2, 1), said
    assert said.startswith(f"error: path.hop[1]: {LIMIT}"), said
    found = results(out)
    assert found.points_done == 2
    assert sorted(found.summary("efficiency")["path.hop[1].delay"]) == ["1ms", "2ms"]
    before = kept(out / "runs.sqlite")
    rest = ("sweep", str(file), "--out", str(out), "--set", 'path.hop[1].delay=["1ms","2ms"]')
    assert ended(*rest)[0] == 0
    assert results(out).complete
    assert kept(out / "runs.sqlite") == before


def test_events_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    hop = {"rate": "1Mbps", "delay": "1ms"}
    document = {"profile": "rfc", "tcp": {"variant": "reno"}, "path": {"hop": [hop]}}
    document |= {"flow": [{"packets": 5000}], "stop": {"time": "1000s"}}
    assert len(trace(document)) > 5000
    monkeypatch.setattr(tracing, "available_memory", lambda: 200_000)
    with pytest.raises(InputError, match=r"^stop\.time: the events of .* fill the memory"):
        trace(document)


@pytest.mark.parametrize(
    ("membership", "name", "place"),
    [
        ("0::/outer/inner\n", "memory.max", "outer/inner"),
        ("0::/outer/inner\n", "memory.max", "outer"),
        ("4:cpu,memory:/outer\n0::/\n", "memory.limit_in_bytes", "memory/outer"),
    ],
)
def test_the_memory_of_a_control_group(
    membership: str, name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cgroup").write_text(membership)
    monkeypatch.setattr(_memory, "_CGROUP_MEMBERSHIP", tmp_path / "cgroup")
    monkeypatch.setattr(_memory, "_CGROUP_FOLDER", tmp_path / "groups")
    of_the_machine = _memory.available_memory()
    (tmp_path / "groups/outer/inner").mkdir(parents=True)
    (tmp_path / "groups/outer/inner/memory.max").write_text("max\n")
    (tmp_path / "groups" / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / "groups" / place / name).write_text("1000000\n")
    assert of_the_machine > _memory.available_memory() == 1_000_000
