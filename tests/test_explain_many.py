"""`airtcp explain` of several files, compressed ones, links of others, several connections, and
without being told the congestion control."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.live.captures import explain
from rewritten_captures import ETHERNET, Packet, ip_length, library, pcap

CONTROLS = ("reno", "cubic", "bbr")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["explain", *map(str, arguments)])


@pytest.fixture(scope="module")
def recording() -> tuple[str, list[Packet]]:
    return next(
        (name, packets) for name, packets in library("forced") if "cubic" in name and len(packets)
    )


@pytest.fixture
def good(recording: tuple[str, list[Packet]], tmp_path: Path) -> Path:
    file = tmp_path / "good.pcap"
    file.write_bytes(pcap(recording[1]))
    return file


def test_each_of_several_files_has_its_line(good: Path, tmp_path: Path) -> None:
    text, none = tmp_path / "text.pcap", tmp_path / "none.pcap"
    text.write_bytes(b"no capture at all, but text")
    done = call(text, good, none, "--control", "cubic")
    assert done.exit_code == 2
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    assert lines[0] == f"{text}: is no capture: neither pcap nor pcapng"
    assert lines[1].startswith(f"{good}: cubic, 10.77.0.1:")
    assert lines[2].startswith(f"{none}: No such file")
    assert lines[3].endswith("; refused: 2")
    (refused, explained, _) = json.loads(
        call(text, good, none, "--control", "cubic", "--format", "json").stdout
    )
    assert refused == {"capture": str(text), "refused": lines[0]}
    assert explained["segments"] == explained["explained"] > 50


def test_what_cannot_be_judged_is_not_called_explained(
    recording: tuple[str, list[Packet]], good: Path, tmp_path: Path
) -> None:
    packets = recording[1]
    file = tmp_path / "lacking.pcap"
    file.write_bytes(pcap([record for at, record in enumerate(packets) if at < 8 or at % 4]))
    (found,) = explain(file, control="cubic")
    assert found.agrees
    assert found.facts["unjudged"]
    done = call(file, good, "--control", "cubic")
    assert done.exit_code == 0
    summary = done.stdout.splitlines()[-1]
    assert summary.startswith("1 of 2 captures explained to the last of ")
    assert summary.endswith(", 1 as far as can be judged")


def test_each_member_of_an_archive_has_its_line(good: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("text.pcap", "no capture at all, but text")
        archive.writestr("empty.pcap", "")
        archive.writestr("damaged.pcap", good.read_bytes())
        archive.write(good, "good.pcap")
    stored = file.read_bytes()
    place = stored.index(good.read_bytes()) + 1000
    file.write_bytes(stored[:place] + bytes([stored[place] ^ 1]) + stored[place + 1 :])
    done = call(file, "--control", "cubic")
    assert done.exit_code == 2
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    assert lines[:2] == [
        f"{file}/{name}.pcap: is no capture: neither pcap nor pcapng" for name in ("text", "empty")
    ]
    assert lines[2].startswith(f"{file}/damaged.pcap: cannot be unpacked: Bad CRC-32")
    assert lines[3].startswith(f"{file}/good.pcap: cubic, 10.77.0.1:")
    with pytest.raises(InputError, match=r"text\.pcap: is no capture"):
        list(explain(file))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_captures_are_read(
    pack: Callable[[bytes], bytes], good: Path, tmp_path: Path
) -> None:
    file = tmp_path / "packed.pcap.any"
    file.write_bytes(pack(good.read_bytes()))
    (found,) = explain(file, control="cubic", differences=1)
    assert found.agrees
    file.write_bytes(pack(b"text"))
    with pytest.raises(InputError, match=r"packed\.pcap\.any: is no capture"):
        list(explain(file))


def test_captures_of_zstandard_are_read(good: Path, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    file = tmp_path / "packed.zst"
    file.write_bytes(arrow.compress(good.read_bytes(), codec="zstd", asbytes=True))
    (found,) = explain(file, control="cubic", differences=1)
    assert found.agrees


def test_a_compressed_capture_that_is_cut_counts_up_to_there(good: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut.pcap.gz"
    packed = gzip.compress(good.read_bytes())
    file.write_bytes(packed[: 3 * len(packed) // 4])
    (found,) = explain(file, control="cubic", differences=1)
    assert [fact["kind"] for fact in found.facts["artefacts"]] == ["cut-short"]
    assert found.segments > 30


def test_a_bomb_is_no_capture(tmp_path: Path) -> None:
    file = tmp_path / "bomb.pcap.gz"
    file.write_bytes(gzip.compress(bytes(1 << 29)))
    with pytest.raises(InputError, match="is no capture"):
        list(explain(file))


def framed(before: bytes) -> Callable[[bytes], bytes]:
    return lambda packet: before


def in_gre(packet: bytes) -> bytes:
    length = 24 + ip_length(packet)
    outer = b"\x45\0" + length.to_bytes(2) + b"\0\0\x40\0\x40\x2f\0\0" + bytes([1, 1, 1, 1] * 2)
    return bytes(12) + b"\x08\0" + outer + b"\0\0\x08\0"


@pytest.mark.parametrize(
    ("name", "link", "before"),
    [
        ("PPP", 9, framed(b"\xff\x03\0\x21")),
        ("802.11", 105, framed(bytes(24))),
        ("802.11 (radiotap)", 127, framed(bytes(40))),
        ("PPPoE", ETHERNET, framed(bytes(12) + b"\x88\x64\x11\0\0\0\0\x40\0\x21")),
        ("MPLS", ETHERNET, framed(bytes(12) + b"\x88\x47\0\0\x11\x40")),
        ("GRE", ETHERNET, in_gre),
    ],
)
def test_links_and_tunnels_that_are_not_read_are_named(
    name: str,
    link: int,
    before: Callable[[bytes], bytes],
    recording: tuple[str, list[Packet]],
    tmp_path: Path,
) -> None:
    file = tmp_path / "other.pcap"
    file.write_bytes(pcap(recording[1], link, before=before))
    done = call(file)
    assert done.exit_code == 2
    said = (
        f"has no TCP connection that carries data; not read: {name} (packets: {len(recording[1])})"
    )
    assert said in done.stderr


def from_port(packet: bytes, port: int) -> bytes:
    """The packet as if from another port of the sender."""
    own = 20 if packet[12:16] == bytes([10, 77, 0, 1]) else 22
    return packet[:own] + port.to_bytes(2) + packet[own + 2 :]


def test_one_of_several_connections_is_named(
    recording: tuple[str, list[Packet]], tmp_path: Path
) -> None:
    packets = recording[1]
    short = [(t + 10**7, from_port(p, 7)) for t, p in packets[: len(packets) // 2]]
    file = tmp_path / "two.pcap"
    both = sorted([*short, *((t + 2 * 10**7, p) for t, p in packets)], key=lambda record: record[0])
    file.write_bytes(pcap(both))
    (largest,) = explain(file, control="cubic", differences=1)
    assert largest.facts["connection"] == 1
    assert "connection 1 of 2, which has most data" in largest.facts["assumed"]
    (second,) = explain(file, control="cubic", differences=1, connection=0)
    assert second.facts["sender"] == "10.77.0.1:7"
    assert 0 < second.segments < largest.segments
    with pytest.raises(InputError, match="connection = 2: is not one of its 2, which count from 0"):
        list(explain(file, connection=2))


def test_where_the_largest_cannot_be_replayed_the_next_is(
    recording: tuple[str, list[Packet]], tmp_path: Path
) -> None:
    packets = recording[1]
    short = [(t + 10**7, from_port(p, 7)) for t, p in packets[: len(packets) // 2]]
    file = tmp_path / "two.pcap"
    both = sorted([*short, *packets[5:]], key=lambda record: record[0])
    file.write_bytes(pcap(both))
    (found,) = explain(file, control="cubic", differences=1)
    assert found.facts["sender"] == "10.77.0.1:7"
    assert any("no handshake of this connection" in said for said in found.facts["assumed"])


def test_the_control_is_named_where_nobody_says_it(tmp_path: Path) -> None:
    """Of 14 captures of the library at least 95 %, or all that explain the same;
    docs/evidence/replay.md has all of them."""
    groups = ("links", "forced", "writes", "receivers")
    every = [capture for group in groups for capture in library(group)][::27]
    hits = 0
    for name, packets in every:
        file = tmp_path / "one.pcap"
        file.write_bytes(pcap(packets))
        (found,) = explain(file, differences=1)
        truth = next(control for control in CONTROLS if f"-{control}" in name)
        best, *others = found.facts["tried"]
        far = (best["first"], best["explained"])
        equal = {
            other["control"] for other in others if (other["first"], other["explained"]) == far
        }
        hits += truth in {best["control"], *equal}
        (said,) = [fact for fact in found.facts["assumed"] if fact.startswith("congestion control")]
        assert all(control in said for control in equal | {best["control"]})
        assert found.facts["control"] == best["control"]
    assert len(every) == 14
    assert hits >= 0.95 * len(every)


def test_a_replay_says_how_far_it_is(good: Path) -> None:
    told: list[tuple[str, int, int]] = []
    list(explain(good, report=lambda what, done, total: told.append((what, done, total))))
    assert told
    assert all(done <= total for _, done, total in told)
    assert told[-1][0].startswith(f"{good}: ")
