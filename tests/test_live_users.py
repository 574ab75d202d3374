"""The emulator for a user who is not root: what works, and what is said where it is refused."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HANDOVER = str(ROOT / "examples" / "handover.toml")
NOBODY = 65534
# What that user reads, at places that it can reach, in mounts that nobody else sees.
BINDS = {"base": sys.base_prefix, "site": sysconfig.get_path("purelib"), "source": str(ROOT)}
LIVE = ["airtcp", "live", "/mnt/source/examples/handover.toml", "--set", "tcp.variant=newreno"]


@pytest.fixture(autouse=True)
def _granted() -> None:
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user; test_live.py runs as this one")
    for program in ("setpriv", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no mounts of its own here: {done.stderr.decode().strip()}")


def as_nobody(words: list[str], *before: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m ...` as a user without any right or group, after root's commands `before`."""
    lines = ["set -e", "mount -t tmpfs tmpfs /mnt", "mkdir -m 777 /mnt/home"]
    for name, folder in BINDS.items():
        lines += [f"mkdir /mnt/{name}", f"mount --bind {shlex.quote(folder)} /mnt/{name}"]
    user = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups"
    paths = "PYTHONPATH=/mnt/source/python:/mnt/site PYTHONDONTWRITEBYTECODE=1 HOME=/mnt/home"
    python = f"/mnt/base/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    lines += [*before, "cd /mnt/home", f"exec {user} env {paths} {python} -m {shlex.join(words)}"]
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_runs_for_a_user_without_rights() -> None:
    told = "id -u; echo $AIRTCP_PEER; grep CapEff /proc/self/status; cat /proc/net/dev | wc -l"
    done = as_nobody([*LIVE, "--out", "log", "--", "sh", "-c", told])
    assert done.returncode == 0, done.stderr
    # Headings, loopback and the path: nothing else of the network is there.
    assert done.stdout.split() == [str(NOBODY), "10.77.0.2", "CapEff:", "0" * 16, "4"]


def test_the_transfer_has_the_settings_of_the_scenario_for_that_user_too() -> None:
    done = as_nobody([*LIVE, "--for", "1s", "--sysctl", "net.core.rmem_max=1000000"])
    assert done.returncode == 0, done.stderr
    assert "Mbit/s" in done.stdout
    unset = [line for line in done.stderr.splitlines() if "not set" in line]
    refused = "airtcp live: not set: net.core.rmem_max = 1000000: Permission denied (os error 13)"
    assert unset == [refused]


def test_says_in_one_line_that_the_device_is_closed_to_users() -> None:
    closed = "mknod -m 600 /mnt/tun c 10 200; mount --bind /mnt/tun /dev/net/tun"
    done = as_nobody([*LIVE, "--", "true"], closed)
    assert done.returncode == 2
    assert done.stderr.startswith("error: live: /dev/net/tun: this user may not open it")
    assert done.stderr.count("\n") == 1


def test_runs_for_root_without_rights_over_networks() -> None:
    bounded = ["setpriv", "--bounding-set", "-sys_admin,-net_admin,-sys_nice"]
    words = [
        sys.executable,
        "-m",
        "airtcp",
        "live",
        HANDOVER,
        "--",
        "sh",
        "-c",
        "echo $AIRTCP_PEER",
    ]
    done = subprocess.run([*bounded, *words], capture_output=True, text=True, check=False)
    assert done.stdout == "10.77.0.2\n", done.stderr


def test_says_in_one_line_that_users_get_no_namespaces() -> None:
    limit = "echo 0 > /proc/sys/user/max_user_namespaces"
    words = shlex.join([sys.executable, "-m", "airtcp", "live", HANDOVER])
    limited = f"{limit} && exec setpriv --bounding-set -sys_admin,-net_admin {words} -- true"
    nested = ["unshare", "--user", "--map-root-user", "sh", "-c", limited]
    done = subprocess.run(nested, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: live: needs root, or a kernel that lets users")
    assert done.stderr.count("\n") == 1
