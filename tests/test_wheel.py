"""The built wheel, installed alone in an empty virtual environment, runs the main job.

And a run's memory does not grow with its length.
"""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_alone_runs_the_demo(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(tmp_path), "."]
    subprocess.run(build, cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("airtcp-*.whl")
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    subprocess.run([home / "bin/pip", "install", "--quiet", wheel], check=True)
    scenario = tmp_path / "pedestrian.toml"
    scenario.write_bytes((ROOT / "examples/pedestrian.toml").read_bytes())
    demo = [home / "bin/airtcp", "run", scenario, "--replications", "3", "--out", tmp_path / "out"]
    done = subprocess.run(demo, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "newreno" in done.stdout
    assert "<svg" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


PEAK = """
import resource, sys, airtcp
scenario = airtcp.Scenario.from_dict({
    "profile": "zorzi", "tcp": {"variant": "newreno"},
    "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.01},
    "stop": {"slots": int(sys.argv[1]), "replications": 1},
})
airtcp.simulate(scenario)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_memory_kib(slots: int) -> int:
    command = [sys.executable, "-c", PEAK, str(slots)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_memory_does_not_grow_with_a_runs_length() -> None:
    # A thousand times longer; the allowance is the scatter of the interpreter's own start.
    assert peak_memory_kib(50_000_000) < peak_memory_kib(50_000) + 4096
