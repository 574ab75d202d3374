"""Play packaging/Dockerfile without Docker, in a folder: `python scripts/dockerfile.py FOLDER`.

FOLDER holds the base system, as `debootstrap --variant=minbase bookworm FOLDER` makes it. Each step
is done there by chroot(8), which needs root; then the demo is run as a container would, and a live
run with no more rights than the Dockerfile names beside the usual ones. A step may write into the
folder alone: of this machine it gets copies of how the net is reached, and single devices; settings
of the kernel are there to be read, as in a container.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "packaging" / "Dockerfile"
# The configuration of the net: copied, since a step that installs certificates writes its own.
COPIED = {"/etc/resolv.conf": "etc/resolv.conf", "/etc/hosts": "etc/hosts"}
CERTIFICATES = "/opt/certificates-of-this-machine.crt"
DEVICES = ("full", "net/tun", "null", "random", "tty", "urandom", "zero")
USUAL = (  # the capabilities of a container of Docker
    *("audit_write", "chown", "dac_override", "fowner", "fsetid", "kill", "mknod"),
    *("net_bind_service", "net_raw", "setfcap", "setgid", "setpcap", "setuid", "sys_chroot"),
)
GIVEN = ("sys_admin", "net_admin")  # to a container with live runs
RIGHTS = ",".join(["-all", *(f"+{capability}" for capability in (*USUAL, *GIVEN))])
INSIDE = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LIVE = ["live", "pedestrian.toml", "--for", "5s", "--", "ping", "-c", "2", "10.77.0.2"]


def main() -> int:
    """Play every step, the demo and a live run; stop at the first that fails."""
    folder = Path(sys.argv[1]).resolve()
    borrow(folder)
    container = Container(folder)
    for instruction, words in steps(FILE.read_text("utf-8")):
        print(f"{instruction} {words}", flush=True)
        container.play(instruction, words)
    container.run([*container.entry, *container.command])
    container.run([*container.entry, *LIVE], rights=RIGHTS)
    return 0


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Instructions and what stands behind them, lines that go on joined, without comments."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for line in re.sub(r"\\\n\s*", "", lines).splitlines():
        if line.strip():
            instruction, _, words = line.partition(" ")
            yield instruction, words


class Container:
    """A folder in place of an image, and what its Dockerfile has said so far."""

    def __init__(self, folder: Path) -> None:
        """Note the folder."""
        self.folder, self.place = folder, "/"
        self.entry, self.command = list[str](), list[str]()

    def play(self, instruction: str, words: str) -> None:
        """Do one step. Raises `KeyError` for an instruction that is not known here."""
        {
            "FROM": lambda: None,
            "RUN": lambda: self.run(["/bin/sh", "-c", words]),
            "COPY": lambda: self.copy(*shlex.split(words)),
            "WORKDIR": lambda: setattr(self, "place", words),
            "ENTRYPOINT": lambda: setattr(self, "entry", json.loads(words)),
            "CMD": lambda: setattr(self, "command", json.loads(words)),
        }[instruction]()

    def copy(self, source: str, target: str) -> None:
        """Copy files of the repository, or the content of a folder of it."""
        place = self.folder / target.lstrip("/")
        found = list(ROOT.glob(source))
        if not found:
            raise FileNotFoundError(source)
        for found_path in found:
            if found_path.is_dir():
                shutil.copytree(found_path, place, dirs_exist_ok=True)
            else:
                shutil.copy(found_path, place)

    def run(self, words: list[str], rights: str | None = None) -> None:
        """Run a command inside; with `rights` with none of root's but those."""
        limited = [] if rights is None else ["setpriv", f"--bounding-set={rights}"]
        inside = shlex.join(["cd", self.place]) + " && exec " + shlex.join(words)
        command = [
            "chroot",
            self.folder,
            "env",
            "-i",
            *reached(),
            *limited,
            "/bin/sh",
            "-c",
            inside,
        ]
        subprocess.run(command, check=True)


def reached() -> Iterator[str]:
    """Variables: where programs are, and how the net is reached from here."""
    yield from (INSIDE, "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive")
    yield from (f"{name}={CERTIFICATES}" for name in ("PIP_CERT", "SSL_CERT_FILE"))
    for name, value in os.environ.items():
        if name.lower().endswith("_proxy") or name == "PIP_INDEX_URL":
            yield f"{name}={value}"


def borrow(folder: Path) -> None:
    """Give the folder what a container has of its machine."""
    known = ssl.get_default_verify_paths().cafile or ssl.get_default_verify_paths().openssl_cafile
    for here, there in (COPIED | {known: CERTIFICATES.lstrip("/")}).items():
        (folder / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here, folder / there)
    mount("-t", "proc", "proc", folder / "proc")
    mount("--bind", folder / "proc/sys", folder / "proc/sys")
    mount("-o", "remount,bind,ro", folder / "proc/sys")
    mount("-t", "tmpfs", "tmpfs", folder / "dev")
    for name in DEVICES:
        (folder / "dev" / name).parent.mkdir(exist_ok=True)
        (folder / "dev" / name).touch()
        mount("--bind", f"/dev/{name}", folder / "dev" / name)


def mount(*words: object) -> None:
    """Call mount(8), in the namespace of this process alone."""
    subprocess.run(["mount", *map(str, words)], check=True)


def alone() -> None:
    """Go on in a mount namespace of one's own: what is borrowed ends with the process."""
    if os.environ.get("ALONE") != "yes":
        words = ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv]
        os.execvpe("unshare", words, os.environ | {"ALONE": "yes"})


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("error: chroot needs root")
    alone()
    sys.exit(main())
