"""Irregular, large and lying files: refused at once, in little memory."""

from __future__ import annotations

import io
import os
import random
import socket
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airtcp.cli.main import main
from airtcp.live.capture_files import MOST_BYTES
from airtcp.scenario.document import to_toml
from airtcp.support.archives import MOST_DIRECTORY
from hostile import check_shown
from test_hostile_text import PATH, SLOTS, call, written

LIBRARY = Path(__file__).parent / "captures"
PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
MEMORY = 3 * MOST_BYTES  # bytes of addresses beyond those of the imports
SECONDS = 300  # by the clock: the machine may have other things to do


def limited(*arguments: str) -> tuple[int, str]:
    """Exit code and stderr of a command with a limit on the memory that it takes."""
    code = (
        "import resource, sys, airtcp.cli.main, airtcp.live.captures;"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize();"
        f"resource.setrlimit(resource.RLIMIT_AS, 2 * (used + {MEMORY},));"
        "airtcp.cli.main.main(sys.argv[1:])"
    )
    words = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=SECONDS)
    check_shown(done.stderr)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr


def sparse(file: Path, begin: bytes, size: int, end: bytes = b"") -> str:
    with file.open("wb") as opened:
        opened.write(begin)
        opened.truncate(size)
        opened.seek(0, os.SEEK_END)
        opened.write(end)
    return str(file)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize(
    ("name", "begin", "refused"),
    [
        ("x.pcap", b"\0", "is no capture: neither pcap nor pcapng"),
        ("x", b"plain text", "is no capture: neither pcap nor pcapng"),
        ("x.pcap", PCAP, f"is larger than {MOST_BYTES} bytes"),
        ("x.zip", b"\0", "is not a readable .zip file"),
        ("x", b"PK\3\4", "is not a readable .zip file"),
    ],
)
def test_five_gigabytes_are_refused_by_what_they_begin_with(
    tmp_path: Path, name: str, begin: bytes, refused: str
) -> None:
    file = sparse(tmp_path / name, begin, 5 << 30)
    code, said = limited("explain", file)
    assert code == 2
    assert said.startswith(f"error: {file}: {refused}"), said


def packed(file: Path, members: dict[str, tuple[bytes, int]]) -> str:
    """An archive of members that begin with some bytes, and go on with so many zeros."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, (begin, zeros) in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(begin)
                for _ in range(zeros >> 20):
                    member.write(bytes(1 << 20))
    return str(file)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_archives_that_unpack_to_much(tmp_path: Path) -> None:
    """Each is a MB or less."""
    mib = 1 << 20
    zeros = packed(tmp_path / "zeros.zip", {"a.pcap": (b"", 40 * mib)})
    code, said = limited("explain", zeros)
    assert (code, said) == (2, f"error: {zeros}/a.pcap: is no capture: neither pcap nor pcapng\n")
    single = packed(tmp_path / "one.zip", {"a.pcap": (PCAP, 260 * mib)})
    many = packed(tmp_path / "many.zip", {f"{n}.pcap": (PCAP, 65 * mib) for n in range(4)})
    for file in (single, many):
        assert Path(file).stat().st_size < 3 * mib
        code, said = limited("explain", file)
        assert code == 2
        assert said.startswith(f"error: {file}: is larger than {MOST_BYTES} bytes"), said
    empty = packed(tmp_path / "empty.zip", {"a.pcap": (PCAP, 40 * mib)})
    code, said = limited("explain", empty)
    assert (code, said) == (2, f"error: {empty}/a.pcap: has an impossible length at byte 24\n")


def lying(size: int) -> bytes:
    """An archive whose member says that it is `size` bytes, and is a MB of them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pcap", PCAP + bytes((1 << 20) - len(PCAP)))
    packed = content.getvalue()
    return packed.replace(struct.pack("<I", 1 << 20), struct.pack("<I", size))


def of_lzma(file: Path) -> str:
    """An archive of a member whose dictionary is 4 GB, as it says."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.pcap", PCAP)
    content = file.read_bytes()
    place = content.index(b"\x09\x04\x05\x00") + 5
    file.write_bytes(content[:place] + b"\xff\xff\xff\xff" + content[place + 4 :])
    return str(file)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_archives_that_lie(tmp_path: Path) -> None:
    small = tmp_path / "small.zip"
    small.write_bytes(lying(100))
    assert "a.pcap: cannot be unpacked: Bad CRC-32" in limited("explain", str(small))[1]
    small.write_bytes(lying(4_000_000_000))
    assert f"is larger than {MOST_BYTES} bytes" in limited("explain", str(small))[1]
    said = limited("explain", of_lzma(tmp_path / "lzma.zip"))[1]
    assert "uses a compression other than deflate" in said
    length = MOST_DIRECTORY + 1
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, length, 4, 0)
    file = sparse(tmp_path / "list.zip", b"PK\3\4", length + 4, end)
    assert (
        f"its list of members is larger than {MOST_DIRECTORY} bytes" in limited("explain", file)[1]
    )
    wide = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 9, 9, 1 << 33, 4)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 4, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 9, 9, 100, 4, 0)
    file = sparse(tmp_path / "wide.zip", b"PK\3\4", 1 << 20, wide + locator + end)
    assert (
        f"its list of members is larger than {MOST_DIRECTORY} bytes" in limited("explain", file)[1]
    )


def test_archives_are_known_by_what_they_begin_with(tmp_path: Path) -> None:
    renamed = tmp_path / "captures.bin"
    with zipfile.ZipFile(LIBRARY / "links.zip") as archive:
        content = archive.read(archive.namelist()[0])
    with zipfile.ZipFile(renamed, "w") as archive:
        archive.writestr("a.PCAPNG", content)
        archive.writestr("README", "no capture")
    done = call("explain", str(renamed), code=(0, 1))
    assert done.stdout.startswith(f"{renamed}/a.PCAPNG: ")


def test_mutated_archives(tmp_path: Path) -> None:
    """End in a line or in an explanation, whatever is changed in them."""
    chance, file = random.Random(3), tmp_path / "x.zip"
    with zipfile.ZipFile(LIBRARY / "links.zip") as archive:
        content = archive.read(archive.namelist()[0])[:20_000]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pcapng", content)
        archive.writestr("b.pcap", PCAP)
    whole = file.read_bytes()
    ends = [place for place in range(len(whole)) if whole[place : place + 2] == b"PK"]
    for _ in range(int(os.environ.get("AIRTCP_FUZZ", "40"))):
        changed = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            place = min(chance.choice(ends) + chance.randrange(48), len(whole) - 1)
            changed[place] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        file.write_bytes(changed[: chance.choice((len(whole), chance.randrange(len(whole))))])
        call("explain", str(file), code=(0, 1, 2))


# Files that are not regular


@contextmanager
def irregular(folder: Path, kind: str) -> Iterator[Path]:
    """A pipe, a socket or a device, under a name of its own."""
    file = folder / kind
    if kind == "pipe":
        os.mkfifo(file)
        yield file
    elif kind == "device":
        file.symlink_to("/dev/zero")
        yield file
    elif kind == "folder":
        file.mkdir()
        yield file
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(file))
            yield file


OF_SCENARIO = (
    *(["run"], ["plan"], ["sweep", "--out", "out"], ["cite"], ["live", "--tc"], ["timeseries"]),
    *(["advise", "--goal", "goodput", "--over", "tcp.window=1,2"], ["trace", "-o", "x.csv"]),
    ["contest", "--variants", "reno,sack"],
)


@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "folder"])
def test_only_regular_files_are_read(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with irregular(tmp_path, kind) as file:
        why = "is a directory" if kind == "folder" else "not a regular file"
        for command, *options in OF_SCENARIO:
            if (command, kind) != ("cite", "folder"):
                assert why in call(command, str(file), *options, code=(2,)).stderr
        for document in of_files(file.name):
            said = call("run", written(tmp_path, document), code=(2,)).stderr
            assert "not a regular file" in said, said
        if kind != "folder":
            for command in ("explain", "packetdrill"):
                assert (
                    f"{file}: is not a regular file" in call(command, str(file), code=(2,)).stderr
                )
        out = tmp_path / "results"
        out.mkdir()
        (out / "manifest.json").symlink_to(file)
        call("results", str(out), code=(2,))


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="the kernel's log is not to read")
def test_a_regular_file_that_has_nothing_yet_is_refused(tmp_path: Path) -> None:
    """The kernel's log says that it is regular, and keeps its readers waiting."""
    for document in of_files("/proc/kmsg"):
        call("run", written(tmp_path, document), code=(2,))
    for command in ("run", "explain", "packetdrill"):
        call(command, "/proc/kmsg", code=(2,))


def of_files(name: str) -> Iterator[dict[str, Any]]:
    """Scenarios that name a file, one for each kind of file."""
    yield {**SLOTS, "channel": {"kind": "trace", "file": name}}
    hop = dict(PATH["path"]["hop"][0])
    for key, value in (
        ("opportunities", name),
        ("delays", name),
        ("gate", {"kind": "schedule", "file": name}),
        ("jitter", {"kind": "values", "file": name}),
    ):
        yield {**PATH, "path": {"hop": [{**hop, key: value}]}}


# Standard input


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_scenario_comes_from_standard_input(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = {**PATH, "tcp": {"variant": "sack", "window": 8}}
    (tmp_path / "x.toml").write_text(to_toml(document), encoding="utf-8")
    given = to_toml(document) if form == "toml" else written_json(document)
    for command, *options in OF_SCENARIO:
        both = []
        for file in ("x.toml", "-"):
            done = CliRunner().invoke(main, [command, file, *options], input=given)
            assert done.exit_code == 0, (command, done.output, done.exception)
            both.append(done.stdout)
        assert both[0] == both[1] or command in ("plan",), command


def written_json(document: dict[str, Any]) -> str:
    import json

    return json.dumps(document)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"", "profile: missing"),
        (b"profile = ", "standard input: not valid TOML"),
        (b"{", "standard input: not valid JSON"),
        (b"\xff", "standard input: not UTF-8 text (at byte 0)"),
    ],
)
def test_what_is_wrong_with_standard_input_is_said(given: bytes, said: str) -> None:
    done = CliRunner().invoke(main, ["run", "-"], input=given)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_endless_standard_input_is_refused() -> None:
    words = [sys.executable, "-m", "airtcp", "run", "-"]
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(words, stdin=zeros, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input: longer than the 67108864 bytes" in done.stderr
