"""Captures with bytes changed end in measurements or in a line that refuses them (`make fuzz`)."""

from __future__ import annotations

import random
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

from airtcp import InputError
from airtcp.measured.captures import read

CLAIMS = (0xFFFFFFFF, 1 << 31, (1 << 31) - 1, 1 << 30, 0xFFFF0000, 0)


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The bytes with some changed, removed, added or written over by large numbers."""
    changed = bytearray(content)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(changed))
        match draw.randrange(6):
            case 0:
                del changed[max(at, 1) :]
            case 1:
                changed[at] ^= 1 << draw.randrange(8)
            case 2:
                changed[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 3:
                del changed[at : at + draw.randint(1, 40)]
            case 4:
                changed[at:at] = changed[max(at - 100, 0) : at]
            case _:
                claim = draw.choice(CLAIMS)
                changed[at : at + 4] = struct.pack(draw.choice("<>") + "I", claim)
        changed = changed or bytearray(b"\0")
    return bytes(changed)


def outcomes(originals: list[bytes], count: int, seed: int) -> tuple[int, int]:
    """Counts of mutations, of `count` in all, that are refused and that are measured."""
    draw, refused, measured = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mutated.pcap"
        for _ in range(count):
            file.write_bytes(mutated(draw.choice(originals), draw))
            refusal, found = "", []
            try:
                found = read(file, udp_sequence=draw.choice((None, "rtp", "0:4")))
            except InputError as error:
                refusal = str(error)
            if refusal:
                assert refusal.startswith(str(file)), refusal
                assert "\n" not in refusal, refusal
                refused += 1
                continue
            for measurement in found:
                assert measurement.packets is not None
                assert len(measurement.packets.time) > 0
                assert (np.diff(measurement.packets.time) >= 0).all()
            measured += 1
    return refused, measured


if __name__ == "__main__":
    from test_measured_captures import originals

    print("refused {}, measured {}".format(*outcomes(originals(), int(sys.argv[1]), 1)))
