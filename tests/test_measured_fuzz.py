"""Damaged files of every kind are measured, with what was skipped, or refused in one line.

AIRTCP_MUTATIONS says how many there are of each kind; `make fuzz` asks for 10 000.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp import InputError
from airtcp.measured import Measurement, facts, read
from airtcp.measured.measurement import ARRIVED, LOST, NO_DELAY, UNKNOWN
from mutations import COUNT, mutated, mutated_text

DATA = Path(__file__).parent / "measured"
FILES = sorted(DATA.glob("*.*"))
NUMBERS = (b"0", b"-1", b"65535", b"4294967295", b"99999999999999999999", b"1e400", b"nan", b"")
TABLES = {
    "table": "".join(f"{1.7e9 + i / 10:.3f}\t{i}\t{20 + i % 7}.5\n" for i in range(40)),
    "lost": "lost\n" + "0\n1\n0\n" * 20,
    "rates": "time,rate\n" + "".join(f"{i},{i % 5}\n" for i in range(40)),
    "csv": "time,seq,rtt_ms\n" + "".join(f"{i},{i},{i % 9}\n" for i in range(40)),
    "mahimahi": "".join(f"{i * i}\n" for i in range(40)),
}


def check(measurement: Measurement) -> None:
    """The laws of a measurement, as its classes state them."""
    packets, intervals, times = (
        measurement.packets,
        measurement.intervals,
        measurement.opportunities,
    )
    assert packets is not None or intervals is not None or times is not None
    if packets is not None:
        columns = (packets.time, packets.fate, packets.delay, packets.size, packets.cause)
        kinds = (np.int64, np.int8, np.int64, np.int32, np.int8)
        assert [values.dtype.type for values in columns] == list(kinds)
        assert len({len(values) for values in columns}) == 1
        assert len(packets.time) > 0
        assert packets.time[0] == 0
        assert (np.diff(packets.time) >= 0).all()
        assert np.isin(packets.fate, [LOST, ARRIVED, UNKNOWN]).all()
        assert (packets.delay >= NO_DELAY).all()
        assert (packets.delay[packets.fate != ARRIVED] == NO_DELAY).all()
        assert (packets.size >= 0).all()
    if intervals is not None:
        assert len(intervals.start) > 0
        assert intervals.start[0] == 0
        assert (intervals.length > 0).all()
        for column in (intervals.sent, intervals.lost, intervals.received, intervals.delay):
            assert len(column) == len(intervals.start)
            assert not (column < 0).any()
    for odd in measurement.oddities:
        assert odd.kind
        assert odd.said
        assert odd.count >= 1
    json.dumps(facts(measurement).json(), allow_nan=False)


def damaged(content: bytes, number: int) -> bytes:
    """Bytes cut, changed or repeated; or a number, or a line, put in the place of another."""
    chance = random.Random(f"measured {number}")
    if chance.random() < 0.6:
        return mutated_text(content, number)
    lines = content.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        words = lines[at].split(b" ")
        words[chance.randrange(len(words))] = chance.choice(NUMBERS)
        lines[at] = b" ".join(words)
    elif kind == 1:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 2:
        lines[at:at] = lines[other : other + chance.choice((1, 5, 100))]
    else:
        digits = [i for i, byte in enumerate(lines[at]) if chr(byte).isdigit()]
        if digits:
            place = chance.choice(digits)
            lines[at] = lines[at][:place] + chance.choice(NUMBERS) + lines[at][place + 1 :]
    return b"\n".join(lines)


def outcome(file: Path) -> str:
    """Read a file; its form, or its refusal, which is one line that names the file."""
    try:
        found = read(file)
    except InputError as error:
        said = str(error)
        assert "\n" not in said
        assert said.startswith(str(file))
        assert len(said) < len(str(file)) + 900
        return "refused"
    assert found
    for measurement in found:
        check(measurement)
    return found[0].form


def contents() -> Iterator[tuple[str, bytes]]:
    yield from ((file.name, file.read_bytes()) for file in FILES)
    yield from ((name, text.encode()) for name, text in TABLES.items())


CONTENTS = dict(contents())


@pytest.mark.parametrize("name", CONTENTS)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    file = tmp_path / "x"
    found = {}
    for number in range(COUNT):
        file.write_bytes(damaged(CONTENTS[name], number))
        kind = outcome(file)
        found[kind] = found.get(kind, 0) + 1
    assert len(found) > 1 or found.get("refused", 0) == 0  # not all of them are refused
    assert sum(found.values()) == COUNT


@pytest.mark.parametrize("name", CONTENTS)
def test_damaged_files_are_fitted_or_refused(name: str, tmp_path: Path) -> None:
    """Damaged files end in a scenario that can run, or in a line that names the file."""
    file = tmp_path / "x"
    for number in range(max(COUNT // 100, 2)):
        file.write_bytes(damaged(CONTENTS[name], number))
        try:
            found = airtcp.fit(file, check=False)
        except InputError as error:
            said = str(error)
            assert "\n" not in said
            assert said.startswith(str(file))
            continue
        assert found.scenario.points()
        json.dumps(found.json(), allow_nan=False)


@pytest.mark.parametrize("name", ["iperf3_udp_both.json", "iperf3_events.json", "irtt.json"])
def test_changed_documents(name: str, tmp_path: Path) -> None:
    """Documents that are JSON, with other values in their places."""
    text = CONTENTS[name].decode()
    try:
        documents: list[Any] = [json.loads(text)]
    except json.JSONDecodeError:
        documents = [json.loads(line) for line in text.splitlines()]
    file = tmp_path / "x"
    for number in range(COUNT):
        changed = list(documents)
        at = number % len(changed)
        changed[at] = mutated(changed[at], number)
        file.write_text(
            "\n".join(json.dumps(document) for document in changed), "utf-8", "surrogatepass"
        )
        outcome(file)


def test_damaged_compressed_files(tmp_path: Path) -> None:
    packed = gzip.compress(CONTENTS["table"], mtime=0)
    file = tmp_path / "x"
    for number in range(COUNT):
        file.write_bytes(mutated_text(packed, number))
        outcome(file)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"start": ' + b"[" * 100_000,
        b'{"start": {"test_start": 1}, "intervals": [' + b"{}," * 100_000,
        b'{"irtt": 1, "round_trips": [' + b'{"seqno": ' + b"9" * 10_000 + b"}]}",
        b'{"irtt": 1, "config": "' + b"x" * (5 << 20) + b'"}',
        b"seq=1 time=1 ms\nseq=" + b"9" * 100_000 + b" time=1 ms",
        b"64 bytes from x: icmp_seq=1 ttl=1 time=" + b"1" * 100_000 + b" ms\n" * 3,
        b"icmp_seq=1 time=1 ms\n" + b"=" * 1_000_000 + b"\n" + b"<" * 1_000_000,
        b"PING x (1.1.1.1) 56(84) bytes of data.\n99999999999 packets transmitted, 0 received\n",
        b"Request timed out.\n" + b"a =1 b<" * 100_000,
        b"lost\n" + b"1," * 1_000_000,
        b"time,rate\n0,1\n9e9,2\n",
        b"time,rate\n0,1\n9e99,2\n",
        b"time,delay\n0,1e308\n1,9e12\n",
        b"time,seq,rtt_ms\n0,1,1\n1,9e15,1\n",
        b"1700000000 1 1\n99999999999 2 1\n" * 3,
        b"Request timed out.\n" + b"a" * 1_000_000 + b"\nRequest timed out.\n",
        b"seq=1" * 100_000 + b"=1 ms",
        b"PING (" * 100_000 + b"1 a\n",
        b"\0" * 100_000,
        b"\xff\xfe" + b"\0" * 9,
        bytes(range(256)) * 100,
    ],
)
def test_hostile_files(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    outcome(file)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.gz"
    with gzip.open(file, "wb", compresslevel=9) as packed:
        for _ in range(300):
            packed.write(bytes(1 << 20))
    with pytest.raises(InputError, match=r"x.gz: is larger than 268435456 bytes"):
        read(file)
