"""The emulator for a user who is not root: what works, and what is said where it is refused."""

from __future__ import annotations

import os
import pwd
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
# Files of that user, at places that it can reach, in mounts that nobody else sees.
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


def as_nobody(
    words: list[str], tun: str = "mknod -m 666 /mnt/tun c 10 200"
) -> subprocess.CompletedProcess[str]:
    """Run `python -m ...` as a user without any right or group, with such a device for tunnels."""
    lines = ["set -e", "mount -t tmpfs tmpfs /mnt", "mkdir -m 777 /mnt/home"]
    for name, folder in BINDS.items():
        lines += [f"mkdir /mnt/{name}", f"mount --bind {shlex.quote(folder)} /mnt/{name}"]
    user = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups"
    paths = "PYTHONPATH=/mnt/source/python:/mnt/site PYTHONDONTWRITEBYTECODE=1 HOME=/mnt/home"
    python = f"/mnt/base/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    lines += [tun, "mount --bind /mnt/tun /dev/net/tun"]
    lines += ["cd /mnt/home", f"exec {user} env {paths} {python} -m {shlex.join(words)}"]
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
    refused = "airtcp live: not set: net.core.rmem_max = 1000000: Permission denied"
    assert unset == [refused]


def test_says_in_one_line_that_the_device_is_closed_to_users() -> None:
    done = as_nobody([*LIVE, "--", "true"], tun="mknod -m 600 /mnt/tun c 10 200")
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


# Another user


TOLD = 'echo $(id -u) $(id -g) $(id -G) $HOME $USER $LOGNAME; grep "Cap[PEA]" /proc/self/status'


def as_root(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "airtcp", "live", HANDOVER, "--quiet", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def expected(name: str) -> str:
    user = pwd.getpwnam(name)
    groups = " ".join(map(str, os.getgrouplist(name, user.pw_gid)))
    names = f"{user.pw_dir} {name} {name}"
    return f"{user.pw_uid} {user.pw_gid} {groups} {names}"


def test_a_command_and_its_server_run_as_another_user(tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.touch()
    os.chown(told, NOBODY, -1)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o001)
    name = pwd.getpwuid(NOBODY).pw_name
    # It listens, so that the command starts; its output is not that of the command.
    server = f"({TOLD}) > {told}; exec sleep 60"
    done = as_root(
        "--user",
        name,
        "--server",
        server,
        "--",
        "sh",
        "-c",
        f"until test -s {told}; do :; done; {TOLD}",
    )
    assert done.returncode == 0, done.stderr
    for said in (done.stdout, told.read_text()):
        first, *capabilities = said.splitlines()
        assert first == expected(name)
        assert len(capabilities) == 3
        assert all(int(line.split()[1], 16) == 0 for line in capabilities)
    assert as_root("--", "id", "-u").stdout == "0\n"


def test_another_user_sees_nothing_of_the_emulator() -> None:
    look = "ls /proc/1/fd || kill -9 1 || ls -l /proc/self/fd | grep -c memfd"
    done = as_root("--user", pwd.getpwuid(NOBODY).pw_name, "--", "sh", "-c", look)
    assert done.stdout == "0\n"
    assert "/proc/1/fd" in done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--user", "nobdy", "--", "true"], "error: user = 'nobdy': must be the name of a user"),
        (["--user", "a\nb", "--", "true"], "error: user = 'a\\nb': must be the name of a user"),
        (["--user", "nobody"], "error: --user: needs a COMMAND"),
    ],
)
def test_refusals_of_users_are_one_line(words: list[str], line: str) -> None:
    done = as_root(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_becoming_another_user_needs_root() -> None:
    done = as_nobody([*LIVE, "--user", "root", "--", "true"])
    assert done.returncode == 2
    assert done.stderr == "error: user = 'root': only root may run as another user\n"
    bounded = ["setpriv", "--bounding-set", "-sys_admin,-net_admin"]
    words = [sys.executable, "-m", "airtcp", "live", HANDOVER, "--user", "nobody", "--", "true"]
    done = subprocess.run([*bounded, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: live: --user nobody: needs root that may make network")
    assert done.stderr.count("\n") == 1
